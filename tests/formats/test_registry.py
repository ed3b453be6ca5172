"""Which kinds of documents there are, and how one is known by its content."""

import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snapdiff.formats.kinds import Kinds
from snapdiff.formats.registry import usual_name
from tests.support.documents import DATABASE_VERSIONS, LOCK_VERSIONS, Item, database, lock, to_bytes

ITEMS = [Item("zlib")]


def test_every_kind_has_a_name_and_says_which_files_it_reads() -> None:
    kinds = Kinds({}, {}).all()
    assert [kind.name for kind in kinds] == [
        "environment lock",
        "build cache index of layout 3",
        "build cache index of layout 2",
        "install database",
        "site data",
        "page of 2021 or 2022",
        "page of 2021 or 2022",
        "site page",
    ]
    assert len({kind.files for kind in kinds}) == len(kinds)


PARTS = [
    *("specs.md", "index.md", "README.md", "spec-0.json", "spec-x.json", "spack.lock", "lock"),
    *("build_cache", "v3", "manifests", "index", "index.json", "index.manifest.json"),
    *("blobs", "sha256", "ab", "ab" * 32, ".spack-db", "specs_data.json", "package_data.json.gz"),
]


@given(st.lists(st.sampled_from(PARTS), min_size=1, max_size=5).map("/".join))
def test_a_file_is_asked_of_every_kind_that_it_may_be_of(path: str) -> None:
    kinds = Kinds({}, {})
    asked = {kind.files for kind in kinds.of(path)}
    assert asked >= {kind.files for kind in kinds.all() if kind.document_path(path) is not None}
    assert asked >= {kind.files for kind in kinds.all() if kind.is_named(path)}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("path", "modules"),
    [
        ("a/specs.md", "old_pages site_page"),
        ("a/spack.lock", "environment_lock"),
        ("a/build_cache/index.json", "buildcache_index install_database"),
        ("a/specs_data.json.gz", "site_data"),
        ("a/README", ""),
    ],
)
def test_only_what_reads_the_files_that_are_found_is_imported(path: str, modules: str) -> None:
    code = (
        "import sys; from snapdiff.formats.registry import DOCUMENTS;"
        "DOCUMENTS.is_document(sys.argv[1]);"
        "print(*sorted(name.rpartition('.')[2] for name in sys.modules if '.formats.' in name))"
    )
    run = subprocess.run(
        [sys.executable, "-c", code, path], capture_output=True, text=True, check=True
    )
    every = {
        *("old_pages", "site_page", "environment_lock", "buildcache_index"),
        *("install_database", "site_data"),
    }
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
