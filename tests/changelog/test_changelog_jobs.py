"""Sections spread over processes, by whatever kind of executor, are the same to the byte."""

import multiprocessing
import resource
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from snapdiff.changelog.ranges import open_range
from snapdiff.changelog.sections import compute_sections
from snapdiff.errors import SnapdiffError
from snapdiff.reports import render_report
from tests.changelog.test_changelog_laws import make_history
from tests.support.helpers import pages_of, spec, write_files
from tests.support.nightly import nightly_but
from tests.support.processes import run_process
from tests.support.story import ZLIB, History, markdown, run_changelog, write_story
from tests.support.tools import needs

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def story(tmp_path_factory: pytest.TempPathFactory) -> History:
    return write_story(tmp_path_factory.mktemp("story"))


def lines(folder: Path, story_range: str, executor: Executor | None, jobs: int = 2) -> list[str]:
    """The sections of a range as lines of JSON."""
    steps = open_range(story_range, folder).steps()
    sections = compute_sections(steps, executor=executor, jobs=jobs)
    return [render_report(section.diff, "json") for section in sections]


@pytest.mark.parametrize(
    "options",
    nightly_but([[], ["--by", "week"], ["-f", "json"], ["-p", "zlib"]], [["--by", "week"]]),
)
def test_jobs_give_the_same_bytes(options: list[str], story: History) -> None:
    arguments: list[str | Path] = ["-C", story.folder, "start..HEAD", *options]
    assert markdown(*arguments, "--jobs", "3") == markdown(*arguments)


@pytest.mark.parametrize("jobs", nightly_but([1, 2, 3, 5, 40], [2, 40]))
def test_any_executor_gives_the_same_sections(jobs: int, tmp_path: Path) -> None:
    history, _ = make_history(tmp_path, 3, days=15)
    expected = lines(history.folder, "HEAD~14..HEAD", None)
    with ThreadPoolExecutor(2) as executor:
        assert lines(history.folder, "HEAD~14..HEAD", executor, jobs) == expected


def test_a_folder_of_snapshots_is_spread_too(tmp_path: Path) -> None:
    for number in range(5):
        item = spec("a", f"1.{number}") | {"hash": f"{number + 2}" * 32}
        write_files(tmp_path / f"{number}", pages_of([item]))
    with ThreadPoolExecutor(2) as executor:
        assert lines(tmp_path, "./", executor) == lines(tmp_path, "./", None)


def test_a_fault_in_another_process_is_told_as_in_this_one(tmp_path: Path) -> None:
    history = History(tmp_path)
    for number in range(3):
        item = spec("a", f"1.{number}") | {"hash": f"{number + 2}" * 32}
        history.commit(pages_of([item]))
    history.commit(pages_of([ZLIB]) | {"_cache/develop/bad/specs.md": "---\ntitle: x\n---\n"})
    arguments = ("-C", tmp_path, "HEAD~3..HEAD")
    assert run_changelog(*arguments, "--jobs", "2") == run_changelog(*arguments)
    with ThreadPoolExecutor(1) as executor, pytest.raises(SnapdiffError, match="cannot be read"):
        lines(tmp_path, "HEAD~3..HEAD", executor)


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_a_page_that_is_bad_in_two_snapshots_is_one_fault(jobs: str, tmp_path: Path) -> None:
    history = History(tmp_path)
    bad = {"_cache/develop/bad/specs.md": "---\ntitle: x\n"}
    commits = [
        history.commit(pages_of([spec("a", f"1.{number}") | {"hash": f"{number + 2}" * 32}]) | bad)
        for number in range(2)
    ]
    done = run_changelog("-C", tmp_path, f"{commits[0]}..{commits[1]}", "--jobs", jobs)
    assert (done.status, done.out) == (2, "")
    assert done.err.count("\n") == 1
    place = f"_cache/develop/bad/specs.md in {commits[0]} and in {commits[1][:10]}: "
    assert done.err.startswith(f"snapdiff: error: {place}")


def test_more_processes_than_there_is_room_for_are_an_error(tmp_path: Path) -> None:
    def little_room() -> None:
        resource.setrlimit(resource.RLIMIT_NOFILE, (40, 40))

    history = History(tmp_path)
    for letter in "bcdefghijk":
        history.commit(pages_of([spec(letter, "1.0")]))
    words = ("changelog", "-C", tmp_path, "HEAD~9..HEAD", "--jobs", "9")
    done = run_process(*words, before=little_room)
    message = b"snapdiff: error: --jobs 9: Too many open files; run again with fewer jobs\n"
    assert (done.status, done.err) == (2, message)


def test_a_dask_cluster_gives_the_same_bytes(story: History) -> None:
    needs("distributed", "dask")
    distributed: Any = import_module("distributed")  # takes seconds, for this test alone

    expected = lines(story.folder, "start..HEAD", None)
    with (
        distributed.LocalCluster(  # two real processes, and no web page
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        assert lines(story.folder, "start..HEAD", client.get_executor(), 2) == expected
        assert lines(story.folder, "start..HEAD", client.get_executor(), 6) == expected


@pytest.mark.nightly
def test_a_pool_of_processes_is_an_executor_as_any_other(story: History) -> None:
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(2, mp_context=context) as executor:
        assert lines(story.folder, "start..HEAD", executor) == lines(
            story.folder, "start..HEAD", None
        )


@pytest.mark.parametrize("jobs", [1, 2])
def test_progress_ends_with_all_steps(jobs: int, tmp_path: Path) -> None:
    for number in range(5):
        item = spec("a", f"1.{number}") | {"hash": f"{number + 2}" * 32}
        write_files(tmp_path / f"{number}", pages_of([item]))
    seen: list[tuple[int, int]] = []
    with ThreadPoolExecutor(2) as executor:
        sections = compute_sections(
            open_range("./", tmp_path).steps(),
            executor=executor if jobs > 1 else None,
            jobs=jobs,
            progress=lambda done, total: seen.append((done, total)),
        )
        assert len(list(sections)) == 4
    assert seen == [(done, 4) for done in ([1, 2, 3, 4] if jobs == 1 else [2, 4])]
