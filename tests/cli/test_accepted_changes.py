"""Changes that a configuration accepts: what the gate lets pass, and what it says of that."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snapdiff import diff_catalogs, load_catalog
from snapdiff.cli.gate import judge
from snapdiff.reports.annotations import Offender
from snapdiff.result.changes import CatalogDiff
from snapdiff.result.packages import Kind
from snapdiff.settings import AcceptedChange
from snapdiff.sources.source import SETTINGS_FILE
from tests.support.documents import Item
from tests.support.environments import write_locks
from tests.support.example import NEW, OLD
from tests.support.helpers import Result, catalog_folders, pages_of, run_cli, spec, write_files
from tests.support.oracle import Record

GATE = '[gate]\nfail-on = ["removed", "downgraded"]\n'
TORCH = '[[gate.ignore]]\nkind = "removed"\npackage = "py-torch"\n'
MPICH = '[[gate.ignore]]\nkind = "downgraded"\nstack = "hep"\nuntil = 2026-12-01\n'
DOWNGRADED = "downgraded: mpich 3.0 → 2.9 in develop, hep"
DEVELOP = ("-t", "develop", "-q")


@pytest.fixture(autouse=True)
def _today(monkeypatch: pytest.MonkeyPatch) -> None:
    """The last day of the acceptance in these tests: 1 December 2026, the last second of it."""
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1796169599")


def gate(folder: Path, settings: str, *arguments: str) -> Result:
    """What a gate says of the example."""
    write_files(folder / "old", {**pages_of(OLD), SETTINGS_FILE: settings})
    write_files(folder / "new", pages_of(NEW))
    return run_cli("-C", folder, "old", "new", "-f", "json", *arguments)


def lines(result: Result) -> list[str]:
    """What a run said."""
    return [line.removeprefix("snapdiff: ") for line in result.err.splitlines()]


def test_what_is_accepted_passes_and_is_said(tmp_path: Path) -> None:
    result = gate(tmp_path, GATE + TORCH + MPICH, *DEVELOP)
    assert result.status == 0
    assert lines(result) == [
        "ignored: removed: py-torch 6.0 in develop, ml-cuda (old/.snapdiff.toml)",
        f"ignored: {DOWNGRADED} (old/.snapdiff.toml, until 2026-12-01)",
    ]


def test_what_is_not_accepted_fails(tmp_path: Path) -> None:
    result = gate(tmp_path, GATE + TORCH + 'reason = "gone\\nfor good"\n', *DEVELOP)
    assert result.status == 1
    assert lines(result) == [
        "ignored: removed: py-torch 6.0 in develop, ml-cuda (old/.snapdiff.toml: gone\\nfor good)",
        DOWNGRADED,
    ]


def test_after_its_day_it_counts_no_more(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1796169600")
    result = gate(tmp_path, GATE + TORCH + MPICH, "-t", "develop", "--no-pager")
    assert result.status == 1
    assert lines(result) == [
        "ignored: removed: py-torch 6.0 in develop, ml-cuda (old/.snapdiff.toml)",
        DOWNGRADED,
    ]


def test_a_day_that_nobody_knows_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "tomorrow")
    assert gate(tmp_path, GATE).status == 1
    result = gate(tmp_path, GATE + MPICH, "-o", str(tmp_path / "report"))
    assert (result.status, (tmp_path / "report").exists()) == (2, False)
    assert "SOURCE_DATE_EPOCH: tomorrow is no number of seconds since 1970" in result.err


def diff_of(old: list[Record], new: list[Record]) -> CatalogDiff:
    """The diff of two catalogs."""
    with catalog_folders(pages_of(old), pages_of(new)) as (before, after):
        return diff_catalogs(load_catalog(str(before)), load_catalog(str(after)))


EXAMPLE = diff_of(OLD, NEW)


def texts(accepted: list[AcceptedChange], diff: CatalogDiff = EXAMPLE) -> list[str]:
    """The offenders that are left."""
    return [offender.text for offender in judge(diff, tuple(Kind), accepted).offenders]


def test_a_stack_as_a_whole_is_accepted_by_its_name_alone() -> None:
    old = [spec("b", stacks="e4s root"), spec("c", package="hdf5", stacks="hep root")]
    diff = diff_of(old, old[:1])
    assert texts([], diff) == ["removed: stack hep in develop"]
    assert texts([AcceptedChange(kind=Kind.REMOVED, package="*")], diff) == texts([], diff)
    assert texts([AcceptedChange(kind=Kind.REMOVED, stack="h?p")], diff) == []


def test_a_tag_as_a_whole_is_never_accepted() -> None:
    accepted = [AcceptedChange(kind=kind, stack="*") for kind in Kind]
    assert texts(accepted) == ["removed: tag v0.22", "added: tag v0.23"]


def test_of_several_stacks_some_can_be_accepted() -> None:
    accepted = AcceptedChange(kind=Kind.RECONFIGURED, package="py-*,!py-torch", stack="ml-cpu")
    verdict = judge(EXAMPLE, (Kind.RECONFIGURED,), [accepted])
    assert [offender.stacks for offender in verdict.offenders] == [("ml-cuda",)]
    assert [(found.stacks, by) for found, by in verdict.ignored] == [(("ml-cpu",), accepted)]


def test_what_is_left_out_behind_a_blank_is_not_accepted() -> None:
    old = [spec("b", package="zlib"), spec("c", package="hdf5")]
    diff = diff_of([*old, spec("d", package="cmake")], [spec("d", package="cmake")])
    for globs in ("*,!hdf5", "*, !hdf5", " * , ! hdf5 ", "zlib, cmake"):
        accepted = AcceptedChange(kind=Kind.REMOVED, package=globs)
        assert texts([accepted], diff) == ["removed: hdf5 1.0 in develop, e4s"]


def test_what_is_accepted_of_one_package_hides_nothing_of_another(tmp_path: Path) -> None:
    def items(zlib: str) -> list[Item]:
        return [Item("app", explicit=True, parameters={"zlib": zlib})]

    old = [*items("old"), Item("gone", explicit=True)]
    locks = write_locks(tmp_path / "hep", old, items("new"))
    diff = diff_catalogs(*(load_catalog(str(file)) for file in locks))
    gone, app = "removed: gone 1.0 in hep", "reconfigured: app 1.0 in hep"
    for accepted, left in {
        AcceptedChange(kind=Kind.REMOVED, package="gone"): [app],
        AcceptedChange(kind=Kind.RECONFIGURED, package="app"): [gone],
        AcceptedChange(kind=Kind.REMOVED, stack="hep"): [app],
        AcceptedChange(kind=Kind.REMOVED, stack="gpu"): [gone, app],
    }.items():
        verdict = judge(diff, (Kind.RECONFIGURED, Kind.REMOVED), [accepted])
        assert [offender.text for offender in verdict.offenders] == left
        assert len(verdict.ignored) == 2 - len(left)


UPGRADED, REMOVED = (Kind.UPGRADED,), (Kind.REMOVED,)


@pytest.mark.parametrize(
    ("kinds", "accepted", "left"),
    [
        (UPGRADED + REMOVED, (), ["upgraded"]),
        (UPGRADED + REMOVED, UPGRADED, ["removed"]),
        (UPGRADED + REMOVED, REMOVED, ["upgraded"]),
        (UPGRADED + REMOVED, REMOVED + UPGRADED, []),
        # What the gate was not asked for is no offender, accepted or not.
        (UPGRADED, (), ["upgraded"]),
        (UPGRADED, UPGRADED, []),
        (REMOVED, (), ["removed"]),
        (REMOVED, REMOVED, []),
    ],
)
def test_a_step_and_a_lost_build_of_one_package_are_accepted_each_by_its_kind(
    kinds: tuple[Kind, ...], accepted: tuple[Kind, ...], left: list[str]
) -> None:
    lost = [spec("b", target="zen3"), spec("c", variants="+y")]
    diff = diff_of([spec("a"), *lost], [spec("a"), spec("d", version="2.0")])
    items = [AcceptedChange(kind=kind, package="zlib") for kind in accepted]
    verdict = judge(diff, kinds, items)
    assert [offender.text.partition(":")[0] for offender in verdict.offenders] == left
    assert [offender.kind for offender, _ in verdict.ignored] == list(accepted)


ACCEPTED = st.builds(
    AcceptedChange,
    kind=st.sampled_from(Kind),
    package=st.sampled_from(["*", "py-*", "mpich", "!py-*", "none"]),
    stack=st.sampled_from(["*", "ml-*", "hep", "!e4s", "none"]),
)


@given(st.lists(ACCEPTED, max_size=4), st.sets(st.sampled_from(Kind)))
def test_every_offender_is_ignored_or_left(
    accepted: list[AcceptedChange], kinds: set[Kind]
) -> None:
    def places(offenders: list[Offender]) -> set[tuple[object, ...]]:
        return {
            (offender.kind, offender.tag, package, stack)
            for offender in offenders
            for package in offender.packages or (None,)
            for stack in offender.stacks or (None,)
        }

    chosen = tuple(sorted(kinds))
    verdict = judge(EXAMPLE, chosen, accepted)
    left = places(verdict.offenders)
    ignored = places([offender for offender, _ in verdict.ignored])
    assert left | ignored == places(judge(EXAMPLE, chosen, []).offenders)
    assert not left & ignored
