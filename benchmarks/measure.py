"""Seconds and memory of commands, measured from outside."""

from __future__ import annotations

import os
import subprocess
import tempfile
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from benchmarks.store import git_environment

POLL_SECONDS = 0.005
ROOT = Path(__file__).resolve().parents[1]


class CommandError(Exception):
    """A measured command ended with a status other than 0, or printed what it should not."""


@dataclass(frozen=True, slots=True)
class Memory:
    """Peak resident memory of a command's process tree, in bytes.

    own: high-water mark of the command's own process (`VmHWM`).
    children: greatest sum over all its descendants at one instant, without mapped files
    (`RssAnon`).
    mapped: greatest sum of the descendants' mapped files (`RssFile`): with git mostly the pack,
    which the kernel shares.
    largest: `ru_maxrss` of `os.wait4`, the largest single process of the tree; the only figure
    where there is no `/proc`. It is never less than the runner's own size, with which the kernel
    starts a child's count.
    """

    own: int
    children: int
    mapped: int
    largest: int


def seconds(argv: Sequence[str | Path]) -> float:
    """Wall-clock seconds of a command, with its output thrown away.

    Raises:
        CommandError: it ended with a status other than 0.

    """
    with tempfile.TemporaryFile() as errors:
        start = time.perf_counter()
        process = _start(argv, errors)
        status = process.wait()
        elapsed = time.perf_counter() - start
        _check(argv, status, errors)
    return elapsed


def memory(argv: Sequence[str | Path]) -> Memory:
    """Peak memory of a command and of what it starts, looked at every 5 ms (so never timed).

    Raises:
        CommandError: it ended with a status other than 0.

    """
    with tempfile.TemporaryFile() as errors:
        process = _start(argv, errors)
        peaks = [0, 0, 0]
        ended = threading.Event()
        watcher = threading.Thread(target=_watch, args=(process.pid, peaks, ended))
        watcher.start()
        _, status, usage = os.wait4(process.pid, 0)
        ended.set()
        watcher.join()
        process.returncode = os.waitstatus_to_exitcode(status)
        _check(argv, process.returncode, errors)
    largest = usage.ru_maxrss * (1 if os.uname().sysname == "Darwin" else 1024)
    return Memory(own=peaks[0] or largest, children=peaks[1], mapped=peaks[2], largest=largest)


def git_pipe_seconds(repository: Path, old: str, new: str) -> float:
    """Seconds that git alone needs to hand over the blobs that differ between two commits.

    `git diff-tree -r` names them, old and new, and `git cat-file --batch --buffer` writes them to
    nowhere; this process only passes the names on.
    """
    git = ["git", "-C", str(repository)]
    environment = git_environment()
    start = time.perf_counter()
    listing = subprocess.run(
        [*git, "diff-tree", "-r", old, new], env=environment, check=True, stdout=subprocess.PIPE
    )
    names = []
    for line in listing.stdout.splitlines():
        names += [name for name in line.split()[2:4] if name.strip(b"0")]
    subprocess.run(
        [*git, "cat-file", "--batch", "--buffer"],
        input=b"\n".join(names) + b"\n",
        env=environment,
        check=True,
        stdout=subprocess.DEVNULL,
    )
    return time.perf_counter() - start


def orjson_seconds(python: str, *arguments: str | Path) -> float:
    """Seconds that `orjson.loads` needs for some files, or for every version of a history.

    Raises:
        CommandError: orjson is not installed, or cannot read a file.

    """
    command = [python, "-m", "benchmarks.json_yardstick", *map(str, arguments)]
    done = subprocess.run(command, cwd=ROOT, check=False, capture_output=True, text=True)
    if done.returncode:
        raise CommandError(f"the yardstick failed: {done.stderr.strip().splitlines()[-1]}")
    return float(done.stdout)


def write_file_list(target: Path, *roots: Path) -> None:
    """A list of all pages below the folders, in the form that `xargs -0` reads."""
    files = sorted(path for root in roots for path in root.rglob("*.md"))
    target.write_bytes(b"\0".join(os.fsencode(path) for path in files))


def cat_seconds(file_list: Path) -> float:
    """Seconds that `cat` needs for all files of a list, to nowhere."""
    with file_list.open("rb") as names:
        start = time.perf_counter()
        subprocess.run(["xargs", "-0", "cat"], stdin=names, stdout=subprocess.DEVNULL, check=True)
        return time.perf_counter() - start


def _start(argv: Sequence[str | Path], errors: IO[bytes]) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [str(part) for part in argv],
        env=_environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=errors,
    )


def _environment() -> dict[str, str]:
    """The environment without what keeps Python from storing compiled modules.

    An installed package has them; without, every run would compile a hundred modules anew. The run
    whose memory is measured stores them, before any is timed.
    """
    unwanted = "PYTHONDONTWRITEBYTECODE"
    return {name: value for name, value in git_environment().items() if name != unwanted}


def _check(argv: Sequence[str | Path], status: int, errors: IO[bytes]) -> None:
    if status != 0:
        errors.seek(0)
        said = errors.read().decode(errors="replace").strip().splitlines()
        command = " ".join(str(part) for part in argv)
        raise CommandError(f"exit status {status}: {command}: {said[-1] if said else 'no message'}")


def _watch(pid: int, peaks: list[int], ended: threading.Event) -> None:
    """Raise the three peaks (own, children, mapped) until the process has ended."""
    while True:
        own = _status(pid)
        peaks[0] = max(peaks[0], own.get("VmHWM", 0))
        descendants = [_status(child) for child in _descendants(pid)]
        peaks[1] = max(peaks[1], sum(child.get("RssAnon", 0) for child in descendants))
        peaks[2] = max(peaks[2], sum(child.get("RssFile", 0) for child in descendants))
        if ended.wait(POLL_SECONDS):
            return


def _descendants(pid: int) -> list[int]:
    """The processes started by a process and, in turn, by those."""
    found: list[int] = []
    for children in Path(f"/proc/{pid}/task").glob("*/children"):
        try:
            direct = [int(child) for child in children.read_text().split()]
        except OSError:  # the thread is gone
            continue
        for child in direct:
            found += [child, *_descendants(child)]
    return found


def _status(pid: int) -> dict[str, int]:
    """The memory figures of a process in bytes; none where it has ended or `/proc` is missing."""
    try:
        text = Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return {}
    figures = {}
    for line in text.splitlines():
        name, _, value = line.partition(":")
        if value.endswith(" kB"):
            figures[name] = int(value.split()[0]) * 1024
    return figures
