"""Ended from outside: a line, the right status, and nothing left behind."""

import json
import os
import random
import signal
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from subprocess import DEVNULL

import pytest

from snapdiff.cli.changelog_command import open_workers
from tests.support.faults import git_that, wait_until
from tests.support.helpers import pages_of, spec
from tests.support.nightly import nightly_but
from tests.support.processes import is_one_line_error, run_process, run_python, start
from tests.support.repositories import GitRepository

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("kills", nightly_but([12, 200], [12]))
def test_killed_at_any_moment_the_output_file_is_the_old_one_or_the_new_one(
    kills: int, example: Path, tmp_path: Path
) -> None:
    before = b"the old report\n"
    after = run_process("-C", example, "-f", "json", "old", "new").out
    began = time.monotonic()
    run_process("-C", example, "-f", "json", "old", "new")
    usual = time.monotonic() - began

    def kill_one(number: int) -> tuple[bool, bytes]:
        file = tmp_path / f"report-{number}.json"
        file.write_bytes(before)
        chance = random.Random(number)  # noqa: S311 - the same moments every time
        process = start("-C", example, "-o", file, "old", "new", out=DEVNULL, err=DEVNULL)
        time.sleep(usual * chance.uniform(0.1, 1.3))
        process.kill()
        return process.wait() != 0, file.read_bytes()

    with ThreadPoolExecutor(max_workers=2) as pool:
        ends = list(pool.map(kill_one, range(kills)))
    assert {content for _, content in ends} <= {before, after}
    assert all(content == after for killed, content in ends if not killed)
    assert any(killed for killed, _ in ends)


ENDLESS = "{% for a in range(99999) %}{% for b in range(99999) %}x{% endfor %}{% endfor %}"


@pytest.mark.parametrize(
    ("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)], ids=["SIGINT", "SIGTERM"]
)
def test_interrupted_while_it_writes_it_says_so_and_leaves_nothing_behind(
    number: signal.Signals, status: int, example: Path
) -> None:
    folder = example / "out"
    folder.mkdir()
    file = folder / "report.md"
    file.write_text("the old report\n")
    template = example / "endless.j2"
    template.write_text(ENDLESS)
    with start("-C", example, "--template", template, "-o", file, "old", "new") as process:
        assert process.stderr
        wait_until(lambda: len(list(folder.iterdir())) == 2, process)
        process.send_signal(number)
        assert process.wait() == status
        assert process.stderr.read() == b"snapdiff: error: interrupted\n"
    assert [item.name for item in folder.iterdir()] == ["report.md"]
    assert file.read_text() == "the old report\n"


@pytest.mark.parametrize(
    ("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)], ids=["SIGINT", "SIGTERM"]
)
def test_interrupted_while_git_works_it_says_so(
    number: signal.Signals, status: int, repository: GitRepository, tmp_path: Path
) -> None:
    note = tmp_path / "process of git"
    env = git_that(
        tmp_path, "diff-tree", f"echo $$ > '{note}.new'; mv '{note}.new' '{note}'; exec sleep 60"
    )
    file = tmp_path / "report.json"
    file.write_text("the old report\n")
    words = ("-C", repository.folder, "-o", file, "HEAD~1", "HEAD")
    with start(*words, env=env, in_own_session=True) as process:
        assert process.stderr
        wait_until(note.exists, process)
        process.send_signal(number)
        child = int(note.read_text())
        try:
            assert process.wait() == status
            assert process.stderr.read() == b"snapdiff: error: interrupted\n"
        finally:
            os.kill(child, signal.SIGKILL)
    assert file.read_text() == "the old report\n"


@pytest.mark.parametrize("first", nightly_but([signal.SIGINT, signal.SIGTERM], [signal.SIGTERM]))
def test_a_second_signal_at_any_moment_changes_nothing(
    first: signal.Signals, example: Path
) -> None:
    folder = example / "out"
    folder.mkdir()
    template = example / "endless.j2"
    template.write_text(ENDLESS)
    chance = random.Random(first)  # noqa: S311 - the same moments every time
    words = ("-C", example, "--template", template, "-o", folder / "x.md", "old", "new")
    for _ in range(4):
        with start(*words) as process:
            assert process.stderr
            wait_until(lambda: list(folder.iterdir()), process)
            process.send_signal(first)
            time.sleep(chance.random() * 0.002)
            process.send_signal(signal.SIGTERM)
            assert process.wait() in (128 + first, 128 + signal.SIGTERM)
            assert process.stderr.read() == b"snapdiff: error: interrupted\n"
        assert list(folder.iterdir()) == []


def test_a_signal_that_is_ignored_stays_ignored(example: Path) -> None:
    def ignore() -> None:
        signal.signal(signal.SIGINT, signal.SIG_IGN)

    fifo = example / "report"
    os.mkfifo(fifo)
    with start("-C", example, "-f", "json", "-o", fifo, "old", "new", before=ignore) as process:
        time.sleep(1)  # by then it waits for a reader
        process.send_signal(signal.SIGINT)
        assert json.loads(fifo.read_text())["tags"]
        assert process.wait() == 0


# --- While it starts ---

INTERRUPTED_AT_IMPORT = """
import os, signal, sys
number = int(sys.argv.pop(1))
def interrupt(event, _):
    global number
    if event == "import":
        number -= 1
        if not number:
            os.kill(os.getpid(), signal.SIGINT)
sys.addaudithook(interrupt)
from snapdiff.__main__ import main
sys.exit(main())
"""
"""Ctrl-C at the import of a module that is not loaded yet, by its number; `os` and `sys` are."""

OWN_MODULES = ["snapdiff", "snapdiff.__main__", "snapdiff.output", "snapdiff.output.signals"]


@pytest.mark.parametrize("later", nightly_but([1, 2, 10, 100, 200], [1, 100]))
def test_from_the_first_import_of_its_own_on_it_says_that_it_is_interrupted(
    later: int, example: Path
) -> None:
    number = str(len(OWN_MODULES) + later)
    done = run_python(INTERRUPTED_AT_IMPORT, number, "-C", example, "old", "new")
    assert done == (130, b"", b"snapdiff: error: interrupted\n")


def test_until_then_it_imports_nothing_but_what_answers_signals() -> None:
    program = (
        "import sys; before = set(sys.modules); import snapdiff.__main__; "
        "print(*sorted(set(sys.modules) - before))"
    )
    assert run_python(program).out.decode().split() == OWN_MODULES


# --- With --jobs ---


@pytest.fixture(scope="module")
def long_story(tmp_path_factory: pytest.TempPathFactory) -> GitRepository:
    """A repository with commits that take seconds to compare."""
    repository = GitRepository(tmp_path_factory.mktemp("story"))
    letters = "bcdefghijk"
    for number in range(24):
        repository.commit(
            pages_of(
                spec(f"{letters[number % 10]}{first}{second}", f"1.{number}", package=f"p{package}")
                for package in range(12)
                for first in letters
                for second in letters
            )
        )
    return repository


@pytest.mark.parametrize("number", nightly_but([signal.SIGINT, signal.SIGTERM], [signal.SIGINT]))
def test_a_signal_to_all_processes_of_a_changelog_ends_them_with_one_line(
    number: signal.Signals, long_story: GitRepository
) -> None:
    arguments = ("changelog", "-C", long_story.folder, "HEAD~23..HEAD", "--jobs", "2", "-f", "json")
    for tenths in range(0, 12, 3):
        # Nobody reads what it prints, so the command cannot end before the signal.
        with start(*arguments, in_own_session=True) as process:
            assert process.stderr
            children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
            wait_until(children.read_text, process)  # Python is ready by then
            time.sleep(tenths / 10)
            os.killpg(process.pid, number)
            assert process.wait() == 128 + number
            # Nobody is left who could say more.
            assert process.stderr.read() == b"snapdiff: error: interrupted\n"


def command_line(process: str) -> bytes:
    """What a process was started with; nothing where it has ended meanwhile."""
    try:
        return Path(f"/proc/{process}/cmdline").read_bytes()
    except OSError:
        return b""


def test_a_worker_that_is_killed_is_an_error(long_story: GitRepository) -> None:
    words = ("changelog", "-C", long_story.folder, "HEAD~23..HEAD", "--jobs", "2")
    with start(*words, out=DEVNULL) as process:
        assert process.stderr
        children = Path(f"/proc/{process.pid}/task/{process.pid}/children")

        def workers() -> list[str]:
            found = children.read_text().split()
            return [child for child in found if b"spawn_main" in command_line(child)]

        wait_until(workers, process)
        os.kill(int(workers()[0]), signal.SIGKILL)
        assert process.wait() == 2
        said = process.stderr.read()
    assert is_one_line_error(said), said
    assert b"a process of --jobs was ended from outside" in said
    assert b"fewer jobs" in said


def test_where_the_command_is_killed_the_processes_of_jobs_end_too(
    long_story: GitRepository,
) -> None:
    words = ("changelog", "-C", long_story.folder, "HEAD~23..HEAD", "--jobs", "2")
    with start(*words, out=DEVNULL, err=DEVNULL) as process:
        children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
        workers: list[str] = []

        def are_two() -> bool:
            found = children.read_text().split()
            workers[:] = [child for child in found if b"spawn_main" in command_line(child)]
            return len(workers) == 2

        wait_until(are_two, process)
        process.kill()
    while any(b"spawn_main" in command_line(worker) for worker in workers):
        time.sleep(0.005)


def asked_of_this_process(_number: int) -> list[str]:
    """The warnings that Python was asked for when it was started."""
    return list(sys.warnoptions)


@pytest.mark.parametrize("warnings", [None, "error::SyntaxWarning"])
def test_the_warnings_that_the_user_asked_for_are_asked_of_the_processes_of_jobs_too(
    warnings: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    if warnings:
        monkeypatch.setenv("PYTHONWARNINGS", warnings)
    else:
        monkeypatch.delenv("PYTHONWARNINGS", raising=False)
    before = list(sys.warnoptions)
    expected = [*filter(None, [warnings]), *before, "ignore:resource_tracker:UserWarning"]
    with open_workers(2) as workers:
        assert workers
        assert list(workers.map(asked_of_this_process, range(2))) == [expected] * 2
    assert sys.warnoptions == before
