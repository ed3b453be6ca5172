"""Two revisions page by page: what a comparison asks for, and what it makes of the answers."""

from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from snapdiff import Filters, diff_catalogs, load_catalog
from snapdiff.catalog.opening import PagePair
from snapdiff.diff.comparison import End, diff_pages
from snapdiff.diff.totals import Totals, specs_by_stack
from snapdiff.errors import BadPage, BadPagesError, RevisionError
from snapdiff.filters import Scope
from snapdiff.formats.site_page import SitePageReader
from snapdiff.model import Package
from snapdiff.result import CatalogDiff, Count, PackageCount, Revision
from tests.support.helpers import (
    counts_by_stack,
    pages_of,
    report_of,
    run_json,
    spec,
    usual_page,
    write_files,
)
from tests.support.oracle import Record

ZLIB = "_cache/develop/zlib/specs.md"


def page(*records: Record, path: str = ZLIB) -> Package:
    package = SitePageReader().read(path, usual_page(records).encode())
    assert package is not None
    return package


class Asked:
    """Pages that differ and totals of those that do not; it keeps what it is asked for."""

    def __init__(self, *changed: PagePair, totals: dict[str, Totals] | None = None) -> None:
        self._changed = changed
        self._totals = totals
        self.folders: set[str] = set()
        self.scopes: list[Scope] = []
        self.required = False

    def changed(self) -> Iterator[PagePair]:
        return iter(self._changed)

    def unchanged(self, folders: Iterable[str]) -> Iterator[PagePair]:
        assert set(folders) == self.folders
        return iter(())

    def unchanged_totals(self, folders: Iterable[str], scope: Scope) -> dict[str, Totals] | None:
        self.folders = set(folders)
        self.scopes.append(scope)
        return self._totals

    def folders_of(self, tags: set[str]) -> set[str]:  # noqa: ARG002 - there are none
        return set()

    def has_unchanged(self) -> bool:
        return False

    def require_pages(self) -> None:
        self.required = True


END = End(Revision(source="here", commit=None, date=None), "here")


def compared(pages: Asked, filters: Filters | None = None) -> CatalogDiff:
    return diff_pages(pages, END, END, filters=filters)


@pytest.mark.parametrize(
    ("path", "folder"),
    [
        (ZLIB, "_cache/develop"),
        ("develop/zlib/specs.md", "develop"),
        ("a/develop/b/develop/c/zlib.md", "a/develop/b/develop"),
        ("elsewhere/zlib/specs.md", ""),
        ("_cache/develop/zlib.md", "_cache/develop"),
        ("zlib.md", ""),
    ],
)
def test_unchanged_pages_are_looked_for_in_the_folder_of_a_tag_that_changed(
    path: str, folder: str
) -> None:
    pages = Asked(PagePair(path, page(spec("b"), path=path), page(spec("p"), path=path)))
    assert compared(pages).summary.rebuilt == 1
    assert pages.folders == {folder}


def test_where_a_tag_did_not_change_no_page_of_it_is_looked_for() -> None:
    other = "_cache/v1/zlib/specs.md"
    same = page(spec("b", tag="v1"), path=other)
    pages = Asked(PagePair(ZLIB, page(spec("b")), page(spec("p"))), PagePair(other, same, same))
    assert [tag.old for tag in compared(pages).tags] == ["develop"]
    assert pages.folders == {"_cache/develop"}


def test_pages_that_were_added_up_before_count_as_if_they_were_read() -> None:
    filters = Filters(stack=("e4s",))
    totals = Totals()
    for records in ([spec("c", package="hdf5")], [spec("d", package="mpich", stacks="hep")]):
        totals.add(*specs_by_stack(page(*records), Scope(filters)))
    pages = Asked(
        PagePair(ZLIB, page(spec("b")), page(spec("p"))), totals={"develop": totals, "v1": totals}
    )
    [tag] = compared(pages, filters).tags
    assert (tag.specs, tag.packages) == (Count(2, 2), PackageCount(old=2, new=2))
    [stack] = tag.stacks
    assert (stack.stack, stack.summary.unchanged, stack.summary.rebuilt) == ("e4s", 1, 1)
    assert [scope.filters for scope in pages.scopes] == [filters]


def test_a_tag_of_which_pages_were_added_up_has_neither_come_nor_gone() -> None:
    for old, new in ((None, page(spec("p"))), (page(spec("b")), None)):
        pages = Asked(PagePair(ZLIB, old, new), totals={"develop": Totals()})
        assert [tag.status for tag in compared(pages).tags] == ["changed"]


@pytest.mark.parametrize(
    ("old", "new", "required"),
    [(True, True, False), (True, False, True), (False, True, True), (False, False, True)],
)
def test_a_side_is_searched_for_a_page_only_where_none_that_differs_is_its(
    old: bool, new: bool, required: bool
) -> None:
    changed = [
        *[PagePair(ZLIB, page(spec("b")), None)] * old,
        *[PagePair(ZLIB, None, page(spec("p")))] * new,
    ]
    for order in (changed, changed[::-1]):
        pages = Asked(*order)
        compared(pages)
        assert pages.required == required
        pages = Asked(*order)
        diff_pages(pages, END, END, allow_empty=True)
        assert not pages.required


# --- Catalogs ---


def test_python_code_is_told_of_every_fault_unless_it_says_otherwise(tmp_path: Path) -> None:
    write_files(tmp_path / "old", pages_of([spec("b")]))
    write_files(tmp_path / "bad", {ZLIB: "gone\n"})
    (tmp_path / "empty").mkdir()
    old, bad, empty = (load_catalog(tmp_path / name) for name in ("old", "bad", "empty"))
    with pytest.raises(BadPagesError):
        diff_catalogs(old, bad)
    with pytest.raises(RevisionError):
        diff_catalogs(old, empty)
    assert len(diff_catalogs(old, bad, skip_bad_pages=True).skipped) == 1
    assert diff_catalogs(old, empty, allow_empty=True).summary.removed == 1
    with pytest.raises(BadPagesError):
        compared(Asked(PagePair(ZLIB, None, BadPage(ZLIB, "new", "gone"))))


def test_the_report_names_both_sides_and_the_pages_compared_are_counted(tmp_path: Path) -> None:
    write_files(tmp_path / "old", pages_of([spec("b"), spec("c", package="hdf5")]))
    write_files(tmp_path / "new", pages_of([spec("p"), spec("q", package="hdf5")]))
    steps: list[tuple[int, int]] = []
    found = diff_catalogs(
        load_catalog("old", repository=tmp_path),
        load_catalog("new", repository=tmp_path),
        progress=lambda done, most: steps.append((done, most)),
    )
    assert (found.old.source, found.new.source) == ("old", "new")
    assert steps == [(0, 2), (1, 2)]


@pytest.mark.parametrize(
    ("old", "new", "kind"), [("one", "both", "added"), ("both", "one", "removed")]
)
def test_what_did_not_change_is_counted_where_a_package_only_came_or_went(
    old: str, new: str, kind: str, tmp_path: Path
) -> None:
    write_files(tmp_path / "one", pages_of([spec("b")]))
    write_files(tmp_path / "both", pages_of([spec("b"), spec("c", package="hdf5")]))
    report = run_json("-C", tmp_path, old, new)
    number = {"one": 1, "both": 2}
    assert counts_by_stack(report) == {
        "e4s": {"specs old": number[old], "specs new": number[new], kind: 1, "unchanged": 1}
    }


def test_a_page_that_is_of_another_package_now_is_one_that_went_and_one_that_came(
    tmp_path: Path,
) -> None:
    write_files(tmp_path / "old", pages_of([spec("b"), spec("c", package="hdf5")]))
    other = usual_page([spec("d", package="zlib-ng")])
    write_files(tmp_path / "new", pages_of([spec("c", package="hdf5")]) | {ZLIB: other})
    report = run_json("-C", tmp_path, "old", "new")
    assert counts_by_stack(report) == {
        "e4s": {"specs old": 2, "specs new": 2, "removed": 1, "added": 1, "unchanged": 1}
    }
    changes = report["tags"][0]["stacks"][0]["changes"]
    assert [(change["package"], change["kind"]) for change in changes] == [
        ("zlib", "removed"),
        ("zlib-ng", "added"),
    ]


# --- Stacks ---


def test_a_stack_tells_its_status_its_packages_and_the_versions_that_stayed() -> None:
    stays = [
        spec("c", "1.9"),
        spec("d", "1.10"),
        spec("e", package="ninja", stacks="ml"),
        spec("f", "3.0", package="cmake"),
    ]
    old = [
        spec("b", "1.0"),
        spec("g", package="hdf5"),
        spec("h", "3.1", package="cmake", stacks="hep"),
        spec("i", package="zstd", stacks="e4s"),
    ]
    new = [
        spec("p", "1.1"),
        spec("q", package="mpich"),
        spec("r", "3.1", package="cmake", stacks="gpu"),
        spec("s", package="zstd", stacks="e4s"),
    ]
    [tag] = report_of([*stays, *old], [*new, *stays])["tags"]
    told = {
        stack["stack"]: (
            stack["status"],
            stack["packages"],
            {change["package"]: change["kept"] for change in stack["package_changes"]},
        )
        for stack in tag["stacks"]
    }
    assert told == {
        "e4s": (
            "changed",
            {"old": 4, "new": 4, "added": ["mpich"], "removed": ["hdf5"]},
            {"hdf5": [], "mpich": [], "zlib": ["1.9", "1.10"], "zstd": ["1.0"]},
        ),
        "gpu": ("added", {"old": 0, "new": 1, "added": ["cmake"], "removed": []}, {"cmake": []}),
        "hep": ("removed", {"old": 1, "new": 0, "added": [], "removed": ["cmake"]}, {"cmake": []}),
        "ml": ("unchanged", {"old": 1, "new": 1, "added": [], "removed": []}, {}),
    }


@pytest.mark.parametrize("status", ["added", "removed"])
def test_a_stack_of_a_tag_on_one_side_is_counted_and_not_listed(status: str) -> None:
    both = [spec("b", tag="v1")]
    one = [*both, spec("c", "1.1"), spec("d", package="hdf5"), spec("e", package="hdf5")]
    [tag] = report_of(*((both, one) if status == "added" else (one, both)))["tags"]
    [stack] = tag["stacks"]
    side, other = ("new", "old") if status == "added" else ("old", "new")
    assert (tag["status"], stack["status"]) == (status, status)
    assert (stack["specs"], stack["summary"][status]) == ({side: 3, other: 0}, 3)
    assert stack["packages"] == {side: 2, other: 0, "added": [], "removed": []}
    assert (stack["package_changes"], stack["changes"]) == ([], [])


# --- Totals ---


def test_totals_are_of_what_was_counted_less_what_was_taken_out() -> None:
    scope = Scope(Filters(stack=("e4s", "hep")))
    zlib = specs_by_stack(
        page(spec("b"), spec("c"), spec("d", stacks="e4s hep"), spec("e", stacks="ml")), scope
    )
    hdf5 = specs_by_stack(page(spec("f", stacks="hep"), spec("g", stacks="hep")), scope)
    elsewhere = specs_by_stack(page(spec("h", stacks="ml")), scope)
    assert zlib == ({"e4s": 3, "hep": 1}, 3)
    assert elsewhere == ({}, 0)
    totals = Totals()
    for counts in (zlib, hdf5, elsewhere):
        totals.add(*counts)
    assert (totals.specs, totals.packages) == (5, 2)
    assert totals.stacks == {"e4s": (3, 1), "hep": (3, 2)}
    less = Totals(totals)
    less.add(*zlib, -1)
    less.add(*elsewhere, -1)
    assert (less.specs, less.packages) == (2, 1)
    assert less.stacks == {"e4s": (0, 0), "hep": (2, 1)}
    assert (totals.specs, totals.packages) == (5, 2)
    assert totals.stacks == {"e4s": (3, 1), "hep": (3, 2)}


def test_totals_add_to_what_was_compared() -> None:
    totals = Totals()
    totals.add({"e4s": 4, "hep": 2}, 5)
    totals.add({"e4s": 1}, 1)
    totals.add({"ml": 3}, 3)
    totals.add({"ml": 3}, 3, -1)
    pages = Asked(PagePair(ZLIB, page(spec("b")), page(spec("p"))), totals={"develop": totals})
    [tag] = compared(pages).tags
    assert (tag.specs, tag.packages) == (Count(7, 7), PackageCount(old=3, new=3))
    assert {stack.stack: (stack.specs, stack.packages) for stack in tag.stacks} == {
        "e4s": (Count(6, 6), PackageCount(old=3, new=3)),
        "hep": (Count(2, 2), PackageCount(old=1, new=1)),
    }
