"""Which commits make a section, where some have no date, and snapshots of any name."""

import os
from functools import partial
from pathlib import Path

import pytest

from snapdiff.changelog.periods import UNDATED, periods_of
from snapdiff.changelog.ranges import open_range
from snapdiff.sources.source import Commit
from tests.support.helpers import run_cli, spec, usual_page, write_files
from tests.support.work import work


@pytest.mark.parametrize(
    ("days", "sections"),
    [
        ([1, 1, 2], {"2025-07-01": 2, "2025-07-02": 1}),
        ([1, None, 2], {"2025-07-01": 2, "2025-07-02": 1}),
        ([None, None, 2, 3], {"2025-07-02": 3, "2025-07-03": 1}),
        ([2, 1, None, 3], {"2025-07-02": 3, "2025-07-03": 1}),
        ([None, None], {UNDATED: 2}),
        ([], {}),
    ],
)
def test_a_commit_without_a_date_belongs_to_the_period_around_it(
    days: list[int | None], sections: dict[str, int]
) -> None:
    commits = [
        Commit(str(number), None if day is None else f"2025-07-0{day}T12:00:00+00:00", "")
        for number, day in enumerate(days)
    ]
    found = periods_of(commits, "day")
    assert {period.name: len(period.commits) for period in found} == sections
    assert [commit for period in found for commit in period.commits] == commits
    assert all(period.name for period in periods_of(commits, "week"))


@pytest.mark.parametrize("days", [[1, 4, 3, 2, None, 5], [1, 4, None, 3], [1, None, 2]])
@pytest.mark.parametrize("place", [2, 3])
def test_a_clock_that_goes_back_between_two_runs_begins_no_period_again(
    days: list[int | None], place: int
) -> None:
    commits = [
        Commit(str(number), None if day is None else f"2025-07-0{day}T12:00:00+00:00", "")
        for number, day in enumerate(days)
    ]
    every = {
        commit: period.name for period in periods_of(commits, "day") for commit in period.commits
    }
    later = periods_of(commits[place:], "day", told=set(commits[:place]))
    assert [(it, period.name) for period in later for it in period.commits] == [*every.items()][
        place:
    ]


@pytest.mark.parametrize("suffix", ["md", "ndjson"])
def test_a_snapshot_whose_name_is_not_utf_8_is_gone_on_from(suffix: str, tmp_path: Path) -> None:
    file = tmp_path / f"changelog.{suffix}"
    odd = os.fsdecode(b"2\xff")
    folder = tmp_path / "snapshots"

    def add(name: str, letter: str, version: str) -> None:
        write_files(folder / name, {"develop/p/specs.md": usual_page([spec(letter, version)])})

    add("1", "b", "1.0")
    add(odd, "c", "1.1")
    run = ("changelog", folder, "-o", file)
    assert run_cli(*run) == (0, "", "")
    before = file.read_bytes()
    assert run_cli(*run) == (0, "", "")
    assert file.read_bytes() == before
    add("3", "d", "1.2")
    assert run_cli(*run) == (0, "", "")
    assert file.read_bytes() != before
    assert before in file.read_bytes() or suffix == "md"


def test_four_times_as_many_snapshots_are_found_in_about_four_times_as_much_work(
    tmp_path: Path,
) -> None:
    page = usual_page([spec("b")])
    found = []
    for number in (20, 80):
        folder = tmp_path / str(number)
        write_files(folder, {f"{day}/develop/p/specs.md": page for day in range(number)})
        open_range("20", tmp_path)  # what is imported late is not counted
        found.append(work(partial(open_range, str(number), tmp_path)))
    assert found[1] < 6 * found[0]


def test_a_quiet_folder_names_its_snapshots_whatever_they_are_called(tmp_path: Path) -> None:
    page = {"develop/p/specs.md": usual_page([spec("b")])}
    for name in (b"1", b"2\xff"):
        write_files(tmp_path / "snapshots" / os.fsdecode(name), page)
    result = run_cli("changelog", tmp_path / "snapshots")
    assert (result.status, result.err) == (0, "")
    assert r"2\xff" in result.out
