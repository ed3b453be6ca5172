"""The command as a process of its own: its environment, and what it costs."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from tests.support.helpers import PROJECT

_MEASURE = """
import json, resource, subprocess, sys
status = subprocess.call(sys.argv[2:])
usage = resource.getrusage(resource.RUSAGE_CHILDREN)
with open(sys.argv[1], "w") as file:
    json.dump([status, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024], file)
"""
"""A small parent: a child's peak of memory begins with that of the process it was forked from."""


class Ended(NamedTuple):
    """What a process left behind."""

    status: int
    out: bytes
    err: bytes


class Measured(NamedTuple):
    """What a process left behind and what it took: seconds of processor time, megabytes."""

    status: int
    out: bytes
    err: str
    seconds: float
    megabytes: float


def command(*arguments: str | bytes | Path, python: tuple[str, ...] = ()) -> list[str | bytes]:
    """The words that start the command in a process of its own."""
    words = [os.fspath(argument) for argument in arguments]
    return [sys.executable, *python, "-m", "snapdiff", *words]


def environment(changes: Mapping[str, str | None] | None) -> dict[str, str]:
    """Our own environment with some variables changed, or removed where they are None."""
    values: dict[str, str | None] = {**os.environ, "PYTHONPATH": str(PROJECT), **(changes or {})}
    return {name: value for name, value in values.items() if value is not None}


def run_process(
    *arguments: str | bytes | Path,
    env: Mapping[str, str | None] | None = None,
    cwd: Path = PROJECT,
    before: Callable[[], Any] | None = None,
    python: tuple[str, ...] = (),
) -> Ended:
    """Run the command in a process of its own.

    `before` is called in it before it begins; `python` are options of the interpreter.
    """
    done = subprocess.run(
        command(*arguments, python=python),
        cwd=cwd,
        env=environment(env),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
        preexec_fn=before,
    )
    return Ended(done.returncode, done.stdout, done.stderr)


def measure(folder: Path, *arguments: str | Path) -> Measured:
    """Run the command; return what it took, git and all. `folder` holds what was measured."""
    numbers = folder / "measured.json"
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", _MEASURE, numbers, *command(*arguments)],
        cwd=PROJECT,
        env=environment(None),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
    )
    status, seconds, megabytes = json.loads(numbers.read_text())
    return Measured(status, done.stdout, done.stderr.decode("utf-8"), seconds, megabytes)


def is_one_line_error(err: bytes | str) -> bool:
    """Whether this is one line that says what went wrong, and nothing else."""
    text = err if isinstance(err, str) else err.decode("utf-8")
    return (
        text.startswith("snapdiff: error: ")
        and text.endswith("\n")
        and text.count("\n") == 1
        and "Traceback" not in text
        and "internal fault" not in text
    )
