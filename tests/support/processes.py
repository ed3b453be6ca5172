"""The command as a process of its own: its environment, and what it costs."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import IO, Any, NamedTuple

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


def run_process(*arguments: str | bytes | Path, **options: Any) -> Ended:
    """Run the command in a process of its own, with the options of `start`, until it ends.

    What goes to a file in place of `out` or `err` is not in what is returned.
    """
    with start(*arguments, **options) as process:
        said = process.communicate()
    return Ended(process.returncode, *(text or b"" for text in said))


def start(
    *arguments: str | bytes | Path,
    env: Mapping[str, str | None] | None = None,
    cwd: Path = PROJECT,
    before: Callable[[], Any] | None = None,
    python: tuple[str, ...] = (),
    out: int | IO[bytes] = subprocess.PIPE,
    err: int | IO[bytes] = subprocess.PIPE,
    in_own_session: bool = False,
) -> subprocess.Popen[bytes]:
    """Start the command in a process of its own, with nothing on standard input.

    `before` is called in it before it begins; `python` are options of the interpreter.
    """
    return subprocess.Popen(
        command(*arguments, python=python),
        cwd=cwd,
        env=environment(env),
        stdin=subprocess.DEVNULL,
        stdout=out,
        stderr=err,
        preexec_fn=before,
        start_new_session=in_own_session,
    )


def run_python(program: str, *arguments: str | Path, cwd: Path = PROJECT) -> Ended:
    """Run a program in a Python of its own, which finds the package."""
    words = [sys.executable, "-B", "-c", program, *arguments]
    done = subprocess.run(words, cwd=cwd, env=environment(None), capture_output=True, check=False)
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
