"""Which kinds of documents there are, and how one is known by its content."""

import pytest

from snapdiff.formats.registry import FORMATS, usual_name
from tests.support.documents import DATABASE_VERSIONS, LOCK_VERSIONS, Item, database, lock, to_bytes

ITEMS = [Item("zlib")]


def test_every_kind_has_a_name_and_says_which_files_it_reads() -> None:
    assert [kind.name for kind in FORMATS] == [
        "environment lock",
        "build cache index of layout 3",
        "build cache index of layout 2",
        "install database",
        "site data",
        "page of 2021 or 2022",
        "page of 2021 or 2022",
        "site page",
    ]
    assert len({kind.files for kind in FORMATS}) == len(FORMATS)


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
