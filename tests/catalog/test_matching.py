"""Which package is compared with which, what is counted, and what a stack's diff says."""

import json
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from functools import partial
from pathlib import Path

import pytest
from msgspec.structs import replace

from snapdiff import CatalogDiff, Filters, diff_catalogs, load_catalog
from snapdiff.catalog.compared_files import ComparedFiles
from snapdiff.catalog.reading import FilePair, Reading, pairs_of_package, read_pair
from snapdiff.catalog.sides import CountedFiles, repeated_claims
from snapdiff.comparison import ComparisonOptions, diff_files
from snapdiff.errors import BadPage, BadPagesError, RevisionError, Side
from snapdiff.filters import Scope
from snapdiff.formats.document import Claim, Document, File
from snapdiff.formats.site_page import SitePageReader
from snapdiff.model.packages import SpecCounts
from snapdiff.model.specs import Revision
from snapdiff.result.changes import PackageCount
from snapdiff.result.packages import Count
from snapdiff.sources.source import Entry, Source
from tests.support.documents import Item, database, file, lock, read, site_data, to_bytes
from tests.support.helpers import (
    counts_by_stack,
    pages_of,
    report_of,
    run_cli,
    run_json,
    spec,
    usual_page,
    write_files,
)
from tests.support.oracle import Record
from tests.support.work import work

ZLIB = "_cache/develop/zlib/specs.md"


def page(*records: Record, path: str = ZLIB) -> Document:
    document = SitePageReader().read(File(path, usual_page(records).encode()))
    assert document is not None
    return document


def file_pair(path: str, old: Reading, new: Reading) -> FilePair:
    """What is compared of a file that is so on both sides."""
    return read_pair(path, lambda side, _: old if side == "old" else new)


class Asked(ComparedFiles):
    """Files that differ and counts of those that do not; it keeps what it is asked for."""

    sources = Source(), Source()

    def __init__(self, *changed: FilePair, unchanged: dict[str, Document] | None = None) -> None:
        self._changed = changed
        self._unchanged = unchanged or {}
        self.folders: set[str] = set()
        self.scopes: list[Scope] = []
        self.required = False

    def changed(self) -> Iterator[FilePair]:
        return iter(self._changed)

    def read(self, side: Side, entries: Sequence[Entry]) -> Iterator[Reading]:
        raise NotImplementedError

    def samples(self, changed: Collection[str]) -> dict[str, Document]:  # noqa: ARG002
        return {str(Path(path).parents[1]): document for path, document in self._unchanged.items()}

    def count_folders(
        self,
        folders: Collection[str],
        changed: Collection[str],  # noqa: ARG002 - none of them is among the unchanged
        scope: Scope,
    ) -> list[CountedFiles]:
        self.folders = set(folders)
        self.scopes.append(scope)
        counted = CountedFiles(scope)
        for path, document in self._unchanged.items():
            counted.put(path, document)
        return [counted]

    def require_documents(self) -> None:
        self.required = True


ENDS = (Revision(source="here", commit=None, date=None),) * 2


def compared(files: Asked, filters: Filters | None = None) -> CatalogDiff:
    return diff_files(files, ENDS, ComparisonOptions(filters or Filters()))


@pytest.mark.parametrize(
    ("path", "folder"),
    [
        (ZLIB, "_cache/develop"),
        ("develop/zlib/specs.md", "develop"),
        ("a/develop/b/develop/c/zlib.md", "a/develop"),
        ("develop/develop/specs.md", "develop"),
        ("elsewhere/zlib/specs.md", "elsewhere"),
        ("_cache/develop/zlib.md", "_cache/develop"),
        ("zlib.md", ""),
    ],
)
def test_unchanged_pages_are_looked_for_in_the_folder_of_a_tag_that_changed(
    path: str, folder: str
) -> None:
    files = Asked(file_pair(path, page(spec("b"), path=path), page(spec("p"), path=path)))
    assert compared(files).summary.rebuilt == 1
    assert files.folders == {folder}


def test_where_a_tag_did_not_change_no_page_of_it_is_looked_for() -> None:
    other = "_cache/v1/zlib/specs.md"
    same = page(spec("b", tag="v1"), path=other)
    files = Asked(file_pair(ZLIB, page(spec("b")), page(spec("p"))), file_pair(other, same, same))
    assert [tag.old for tag in compared(files).tags] == ["develop"]
    assert files.folders == {"_cache/develop"}


def test_what_is_unchanged_counts_on_both_sides_as_far_as_it_is_asked_for() -> None:
    filters = Filters(stack=("e4s",))
    unchanged = {
        "_cache/develop/hdf5/specs.md": page(spec("c", package="hdf5")),
        "_cache/develop/mpich/specs.md": page(spec("d", package="mpich", stacks="hep")),
        "_cache/v1/zlib/specs.md": page(spec("d", tag="v1")),
    }
    files = Asked(file_pair(ZLIB, page(spec("b")), page(spec("p"))), unchanged=unchanged)
    [tag] = compared(files, filters).tags
    assert (tag.specs, tag.packages) == (Count(2, 2), PackageCount(old=2, new=2))
    [stack] = tag.stacks
    assert (stack.stack, stack.summary.unchanged, stack.summary.rebuilt) == ("e4s", 1, 1)
    assert [scope.filters for scope in files.scopes] == [filters]


def test_a_tag_with_an_unchanged_page_is_neither_added_nor_removed() -> None:
    hdf5, other = "x/hdf5/specs.md", "y/zlib/specs.md"
    unchanged = {
        hdf5: page(spec("c", package="hdf5"), path=hdf5),
        other: page(spec("c", tag="v1"), path=other),
    }
    for old, new in ((None, page(spec("p"))), (page(spec("b")), None)):
        files = Asked(file_pair(ZLIB, old, new), unchanged=unchanged)
        assert [tag.status for tag in compared(files).tags] == ["changed"]
        assert files.folders == {"_cache/develop", "x"}


def test_of_two_readings_of_a_document_each_package_counts_that_either_lists() -> None:
    """They are read alone where the two could not be read together."""
    path = "env/spack.lock"
    zlib, hdf5, cmake = Item("zlib"), Item("hdf5"), Item("cmake")
    old, new = (read(file(path, lock(items))) for items in ([zlib, hdf5], [zlib, cmake]))
    summary = compared(Asked(file_pair(path, old, new))).summary
    assert (summary.unchanged, summary.removed, summary.added) == (1, 1, 1)


@pytest.mark.parametrize(
    ("old", "new", "required"),
    [(True, True, False), (True, False, True), (False, True, True), (False, False, True)],
)
def test_a_side_is_searched_for_a_page_only_where_none_that_differs_is_its(
    old: bool, new: bool, required: bool
) -> None:
    changed = [
        *[file_pair(ZLIB, page(spec("b")), None)] * old,
        *[file_pair("a/zlib/specs.md", None, page(spec("p")))] * new,
    ]
    for order in (changed, changed[::-1]):
        files = Asked(*order)
        compared(files)
        assert files.required == required
        files = Asked(*order)
        diff_files(files, ENDS, ComparisonOptions(allow_empty=True))
        assert not files.required


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
        compared(Asked(file_pair(ZLIB, None, BadPage(ZLIB, "new", "gone"))))


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


def test_a_lock_that_is_new_and_one_that_stays_are_each_named_and_counted(tmp_path: Path) -> None:
    """The tag counts a spec once that both of them list."""
    both = to_bytes(lock([Item("zlib")], 8))
    for side, files in (("old", ["a"]), ("new", ["a", "b"])):
        write_files(tmp_path / side, {f"tag/{name}/spack.lock": both for name in files})
    result = run_cli("-C", tmp_path, "-f", "json", "old", "new")
    unknown = "_meta.lockfile-version is 8, and those up to 7 are known; it is read by its shape"
    assert sorted(result.err.splitlines()) == [
        f"snapdiff: warning: tag/{name}/spack.lock: {unknown}" for name in "ab"
    ]
    [tag] = json.loads(result.out)["tags"]
    assert tag["specs"] == {"old": 1, "new": 1}


def test_a_file_that_was_named_itself_is_called_so_in_a_warning(tmp_path: Path) -> None:
    files = {"old.lock": lock([Item("zlib")], 7), "new.lock": lock([Item("cmake")], 8)}
    write_files(tmp_path, {name: to_bytes(content) for name, content in files.items()})
    unknown = "_meta.lockfile-version is 8, and those up to 7 are known; it is read by its shape"
    result = run_cli("-C", tmp_path, "-f", "json", "old.lock", "new.lock")
    assert result.err == f"snapdiff: warning: new.lock: {unknown}\n"


def test_a_package_may_be_new_on_a_page_and_in_a_lock_of_one_tag(tmp_path: Path) -> None:
    """What lists a whole stack and what names the stack of each spec are one package then."""
    pages = [spec("b", package=name, stacks="e4s") for name in ("m4", "zlib")]
    environment = {"develop/hep/spack.lock": to_bytes(lock([Item("zlib")]))}
    write_files(tmp_path / "old", pages_of(pages[:1]))
    write_files(tmp_path / "new", {**pages_of(pages), **environment})
    report = run_json(tmp_path / "old", tmp_path / "new")
    added = [
        (stack["stack"], change["package"], change["kind"])
        for stack in report["tags"][0]["stacks"]
        for change in stack["changes"]
    ]
    assert added == [("e4s", "zlib", "added"), ("hep", "zlib", "added")]


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


def test_what_both_sides_keep_is_not_what_one_side_lost() -> None:
    old, new = page(spec("b"), spec("c", "1.1")), page(spec("b"), spec("d", "1.2"))
    [pair] = file_pair(ZLIB, old, new).pairs
    assert [build.version_text for _, build in pair.kept()] == ["1.0"]


def test_a_package_of_two_documents_is_named_where_the_new_side_lists_it() -> None:
    listed = [
        replace(page(spec("b")).packages[0], tag=tag, document=path)
        for tag, path in (("v1", "old.md"), ("v2", "new.md"))
    ]
    [pair] = pairs_of_package(("v1", "v2"), [], listed[:1], listed[1:], ({}, {}))
    assert pair.document == "new.md"


# --- Counts ---


def test_counts_are_of_what_was_put_in_less_what_was_taken_out() -> None:
    counted = CountedFiles(Scope(Filters(stack=("e4s", "hep"))))
    zlib = page(spec("b"), spec("c"), spec("d", stacks="e4s hep"), spec("e", stacks="ml"))
    hdf5 = page(spec("f", package="hdf5", stacks="hep"), spec("g", package="hdf5", stacks="hep"))
    elsewhere = page(spec("h", package="mpich", stacks="ml"))
    for path, document in (("z", zlib), ("h", hdf5), ("m", elsewhere)):
        counted.put(path, document)
    counts = counted.counts("develop", set())
    assert (counts.specs, counts.packages) == (5, {"zlib": 1, "hdf5": 1})
    assert (counts.specs_in, counts.packages_in) == ({"e4s": 3, "hep": 3}, {"e4s": 1, "hep": 2})
    counted.take("z")
    counted.take("m")
    counted.take("never put")
    counts = counted.counts("develop", set())
    assert (counts.specs, counts.packages) == (2, {"hdf5": 1})
    assert (counts.specs_in, counts.packages_in) == ({"hep": 2}, {"hep": 1})


def test_a_document_of_several_tags_is_counted_in_each(tmp_path: Path) -> None:
    """Data of a site that does not differ, beside a lock that does."""
    stays = [Item("zlib"), Item("hdf5"), Item("cmake")]
    places = {
        "zlib": (["site"], ["v1"]),
        "hdf5": (["site"], ["v1", "v2"]),
        "cmake": (["x"], ["v2"]),
    }
    specs, packages = (to_bytes(it) for it in site_data(stays, places))
    for side, items in (("old", [Item("m4")]), ("new", [Item("m4"), Item("bzip2")])):
        locks = {f"{tag}/cpu/spack.lock": to_bytes(lock(items)) for tag in ("v1", "v2")}
        data = {"v1/specs_data.json": specs, "v1/package_data.json": packages}
        write_files(tmp_path / side, {**locks, **data, "v2/cpu/x": b""})
    first, second = run_json(tmp_path / "old", tmp_path / "new")["tags"]
    assert (first["old"], first["specs"]) == ("v1", {"old": 3, "new": 4})
    assert (second["old"], second["specs"]) == ("v2", {"old": 3, "new": 4})
    assert [stack["stack"] for stack in first["stacks"]] == ["cpu", "site"]
    assert [stack["stack"] for stack in second["stacks"]] == ["cpu", "site", "x"]


def test_a_folder_within_another_one_that_is_counted_is_not_counted_again(tmp_path: Path) -> None:
    app = Item("app", "1.0", explicit=True)
    for side, version in (("old", "1.1"), ("new", "1.2")):
        changed = to_bytes(lock([Item("tool", version, explicit=True)]))
        files = {"envs/a/spack.lock": changed, "envs/more/b/spack.lock": changed}
        same = {f"envs/{name}/spack.lock": to_bytes(lock([app])) for name in ("c", "more/d")}
        write_files(tmp_path / side, files | same)
    tags = run_json("-C", tmp_path, "old", "new")["tags"]
    assert [
        (tag["new"], {it["stack"]: it["specs"]["new"] for it in tag["stacks"]}) for tag in tags
    ] == [("envs", {"a": 1, "c": 1}), ("envs/more", {"b": 1, "d": 1})]


def test_what_two_folders_of_a_tag_list_is_an_error_though_neither_page_differs(
    tmp_path: Path,
) -> None:
    both = {f"{folder}/develop/zlib/specs.md": usual_page([spec("b")]) for folder in "AB"}
    for side, letter in (("old", "c"), ("new", "d")):
        others = {
            "A/develop/hdf5/specs.md": usual_page([spec(letter, package="hdf5")]),
            "B/develop/m4/specs.md": usual_page([spec(letter, package="m4")]),
        }
        write_files(tmp_path / side, both | others)
    found = run_cli(tmp_path / "old", tmp_path / "new")
    assert found.status == 2
    assert "B/develop/zlib/specs.md" in found.err
    assert "package zlib of tag develop is already in A/develop/zlib/specs.md" in found.err


def test_counts_of_several_folders_add_up() -> None:
    both = SpecCounts()
    for _ in range(2):
        stacks = Counter(e4s=1, hep=1, ml=0)  # of which the last was taken out again
        both.merge(SpecCounts(5, Counter(zlib=1, hdf5=0), Counter(e4s=4, hep=2, ml=0), stacks))
    assert (both.specs, both.packages) == (10, {"zlib": 2})
    assert (both.specs_in, both.packages_in) == ({"e4s": 8, "hep": 4}, {"e4s": 2, "hep": 2})


def test_what_more_than_one_file_lists_is_known() -> None:
    counted, elsewhere = CountedFiles(Scope(Filters())), CountedFiles(Scope(Filters()))
    for path in ("b", "a"):
        counted.put(path, page(spec("b")))
    elsewhere.put("c", page(spec("b")))
    elsewhere.put("d", page(spec("b", package="hdf5")))
    claim = Claim("develop", "package", "zlib")
    assert repeated_claims([counted], "develop") == {claim: ["a", "b"]}
    assert repeated_claims([elsewhere, counted], "develop") == {claim: ["a", "b", "c"]}
    counted.take("a")
    assert repeated_claims([counted], "develop") == {}
    assert repeated_claims([counted, elsewhere], "develop") == {claim: ["b", "c"]}


def test_unchanged_counts_join_those_of_packages_that_were_compared() -> None:
    hdf5 = page(spec("c", package="hdf5"), spec("d", package="hdf5", stacks="e4s hep"))
    files = Asked(
        file_pair(ZLIB, page(spec("b")), page(spec("p"))), unchanged={"x/hdf5/specs.md": hdf5}
    )
    [tag] = compared(files).tags
    assert (tag.specs, tag.packages) == (Count(3, 3), PackageCount(old=2, new=2))
    assert {stack.stack: (stack.specs, stack.packages) for stack in tag.stacks} == {
        "e4s": (Count(3, 3), PackageCount(old=2, new=2)),
        "hep": (Count(1, 1), PackageCount(old=1, new=1)),
    }


def test_six_times_as_many_tags_take_about_six_times_as_much_work(tmp_path: Path) -> None:
    zlib, hdf5 = Item("zlib", explicit=True), Item("hdf5", explicit=True)
    newer = Item("zlib", "1.3", explicit=True)
    found = []
    for number in (8, 48):
        for side, items in (("old", [zlib, hdf5]), ("new", [newer, hdf5])):
            files = {
                "changed/spack.lock": lock(items),
                "mirror/build_cache/index.json": database(items),
                "same/spack.lock": lock([zlib, hdf5]),
                "bad/spack.lock": lock(items, roots=[{"hash": side}]),
            }
            write_files(
                tmp_path / str(number) / side,
                {
                    f"tag-{tag}/{path}": to_bytes(document)
                    for path, document in files.items()
                    for tag in range(number)
                },
            )
        old, new = (load_catalog(tmp_path / str(number) / side) for side in ("old", "new"))
        diff = diff_catalogs(old, new, skip_bad_pages=True)  # what is imported late is not counted
        assert {tuple(stack.stack for stack in tag.stacks) for tag in diff.tags} == {
            ("changed", "mirror", "same")
        }
        assert len(diff.tags) == number
        assert len(diff.skipped) == 2 * number
        found.append(work(partial(diff_catalogs, old, new, skip_bad_pages=True)))
    assert found[1] < 6.3 * found[0]
