"""Which kinds of documents there are, and how one is known by its content."""

import pytest

from snapdiff.formats.registry import FORMATS, format_of_content
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
    ]
    assert len({kind.files for kind in FORMATS}) == len(FORMATS)


@pytest.mark.parametrize(
    ("content", "name"),
    [
        *((to_bytes(lock(ITEMS, version)), "environment lock") for version in LOCK_VERSIONS),
        *(
            (to_bytes(database(ITEMS, version)), "build cache index of layout 2")
            for version in DATABASE_VERSIONS
        ),
        (to_bytes(database(ITEMS, 7, installed=True)), "install database"),
        (b"{}", None),
        (b"# a page of another kind", None),
    ],
)
def test_a_document_with_a_name_of_its_own_is_known_by_its_content(
    content: bytes, name: str | None
) -> None:
    kind = format_of_content(content)
    assert (kind.name if kind else None) == name
