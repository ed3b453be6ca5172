"""Changes that a configuration accepts: what the gate lets pass, and what it says of that."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snapdiff import diff_catalogs, load_catalog
from snapdiff.cli.gate import judge
from snapdiff.reports.annotations import Offender
from snapdiff.result import CatalogDiff, Kind
from snapdiff.settings import AcceptedChange
from snapdiff.sources.source import SETTINGS_FILE
from tests.support.documents import Item, lock, to_bytes
from tests.support.environments import after, before, write_locks
from tests.support.example import NEW, OLD
from tests.support.helpers import Result, catalog_folders, pages_of, run_cli, spec, write_files
from tests.support.oracle import Record
from tests.support.repositories import GitRepository

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
    accepted = "old/.snapdiff.toml: accepted downgraded any package in hep until 2026-12-01"
    assert lines(result) == [
        f"warning: {accepted}; that day is over: remove it, or set a later one",
        "ignored: removed: py-torch 6.0 in develop, ml-cuda (old/.snapdiff.toml)",
        DOWNGRADED,
    ]


def test_one_that_matches_nothing_is_a_warning(tmp_path: Path) -> None:
    other = '[[gate.ignore]]\nkind = "downgraded"\npackage = "hipblas"\nstack = "e4s"\n'
    result = gate(tmp_path, GATE + other)
    warning = (
        "warning: old/.snapdiff.toml: accepts downgraded hipblas in e4s, and no change is like "
        "that; remove it where it is no longer needed"
    )
    assert warning in lines(result)
    # Where the command line narrows the report, or asks for less, nobody knows that.
    assert warning not in lines(gate(tmp_path, GATE + other, "-p", "zlib"))
    assert warning not in lines(gate(tmp_path, GATE + other, "-q"))
    assert lines(gate(tmp_path, GATE + other, "--fail-on", "none")) == []
    assert warning in lines(gate(tmp_path, f"{GATE}{other}[diff]\nstacks = ['e4s']"))


def test_one_for_another_folder_is_not_called_needless_in_this_one(tmp_path: Path) -> None:
    repository = GitRepository(tmp_path)
    other = '[[gate.ignore]]\nkind = "downgraded"\nstack = "gpu"\npackage = "app"\n'
    item = Item("lib")
    files: dict[str, str | bytes] = {SETTINGS_FILE: GATE + other}
    repository.commit({**files, "envs/cpu/spack.lock": to_bytes(lock([item]))})
    repository.commit({**files, "envs/cpu/spack.lock": to_bytes(lock([item, Item("new")]))})

    def warnings(path: str) -> list[str]:
        result = run_cli("-C", tmp_path, f"HEAD~1{path}", f"HEAD{path}", "-f", "json")
        assert result.status == 0, result.err
        return lines(result)

    needless = "accepts downgraded app in gpu, and no change is like that; remove it where it is"
    [warning] = warnings("")
    assert needless in warning
    assert warnings(":") == [warning]
    for path in (":envs", ":envs/cpu", ":envs/cpu/spack.lock"):
        assert warnings(path) == []
    repository.git("mv", SETTINGS_FILE, "envs")
    repository.git("commit", "--quiet", "--amend", "--message=Move")
    repository.git("commit", "--quiet", "--allow-empty", "--message=Nothing else")
    [warning] = warnings(":envs")
    assert needless in warning


def test_what_came_along_is_not_called_needless_where_it_is_not_looked_at(tmp_path: Path) -> None:
    old, new = write_locks(tmp_path, before(), after())
    file = tmp_path / "gate.toml"
    file.write_text("[gate]\nfail-on = ['removed']\n[[gate.ignore]]\nkind='removed'\npackage='a'\n")
    arguments = ("-C", tmp_path, "--config", file, old, new)
    assert "accepts removed a, and no change" in run_cli(*arguments).err
    assert "accepts removed a, and no change" not in run_cli("--explicit", *arguments).err


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
    assert verdict.unused == []


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
    by_any = [item for item in accepted if item not in verdict.unused and item.kind in kinds]
    assert bool(ignored) == bool(by_any)
