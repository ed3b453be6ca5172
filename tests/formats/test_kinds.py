"""Which kinds of documents there are, and how one is known by its content."""

import subprocess
import sys

import pytest

from snapdiff import document_names
from snapdiff.formats.kinds import usual_name
from tests.support.documents import DATABASE_VERSIONS, LOCK_VERSIONS, Item, database, lock, to_bytes

ITEMS = [Item("zlib")]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("path", "modules"),
    [
        ("a/specs.md", "site_page"),
        ("a/spack.lock", "environment_lock"),
        ("a/build_cache/index.json", "spack_database"),
        ("a/.spack-db/index.json", "spack_database"),
        ("a/specs_data.json.gz", "site_data"),
        ("a/spec-0.json", ""),
        ("a/README", ""),
    ],
)
def test_only_what_reads_the_files_that_are_found_is_imported(path: str, modules: str) -> None:
    code = (
        "import contextlib, sys; from snapdiff.formats.kinds import DOCUMENTS;"
        "from snapdiff.document_names import is_read;"
        "from snapdiff.errors import FormatError; from snapdiff.formats.document import File;"
        "from snapdiff.limits import DEFAULT_LIMITS; path = sys.argv[1];\n"
        "with contextlib.suppress(FormatError):\n"
        " is_read(path)"
        " and DOCUMENTS.reader(path, DEFAULT_LIMITS)(File(path, b'{}'))\n"
        "print(*sorted(name.rpartition('.')[2] for name in sys.modules if '.formats.' in name))"
    )
    run = subprocess.run(
        [sys.executable, "-c", code, path], capture_output=True, text=True, check=True
    )
    every = {"old_pages", "site_page", "environment_lock", "spack_database", "site_data"}
    assert " ".join(sorted(every.intersection(run.stdout.split()))) == modules


@pytest.mark.parametrize(
    ("content", "name"),
    [
        *((to_bytes(lock(ITEMS, version)), "spack.lock") for version in LOCK_VERSIONS),
        *(
            (to_bytes(database(ITEMS, version)), "build_cache/index.json")
            for version in DATABASE_VERSIONS
        ),
        (to_bytes(database(ITEMS, 7, installed=True)), ".spack-db/index.json"),
        (b"---\n", "specs.md"),
        (b"{}", None),
        (b"# a page of another kind", None),
    ],
)
def test_a_document_with_a_name_of_its_own_is_known_by_its_content(
    content: bytes, name: str | None
) -> None:
    assert usual_name(content) == name


@pytest.mark.parametrize(
    ("path", "is_document", "is_read"),
    [
        ("develop/zlib/specs.md", True, True),
        ("notes.md", False, True),
        ("zlib/index.md", False, True),
        ("zlib/spec-1.json", False, False),
        ("e4s/spack.lock", True, True),
        ("tree/.spack-db/index.json", True, True),
        ("blobs/sha256/ab/" + "ab" * 32, False, False),
        ("specs_data.json", True, True),
        ("package_data.json.gz", False, False),
        ("index.json", False, False),
    ],
)
def test_a_name_says_what_is_a_document_and_what_may_be_one(
    path: str, is_document: bool, is_read: bool
) -> None:
    assert (document_names.is_document(path), document_names.is_read(path)) == (
        is_document,
        is_read,
    )
