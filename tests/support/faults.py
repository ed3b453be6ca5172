"""What faults are made of: limits, permissions, a git that does something else first."""

import ctypes
import os
import resource
import shutil
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

from tests.support.processes import Ended, is_one_line_error


def failed(done: Ended) -> str:
    """The one line that a failed run printed."""
    assert (done.status, done.out) == (2, b""), done
    assert is_one_line_error(done.err), done.err
    return done.err.decode("utf-8")


def wait_until(condition: Callable[[], object], process: subprocess.Popen[bytes]) -> None:
    """Return once a condition holds, which a process that runs makes true."""
    while not condition():
        assert process.poll() is None, "it has ended, and it never came true"
        time.sleep(0.005)


def limit_file_size() -> None:
    """Let a process write no file of more than 200 bytes."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (200, 200))


_DROP_FROM_BOUNDING_SET, _DAC_OVERRIDE, _DAC_READ_SEARCH = 24, 1, 2


def obey_permissions() -> None:
    """Take from a process the right of root to read and write whatever it likes."""
    for capability in (_DAC_OVERRIDE, _DAC_READ_SEARCH):
        ctypes.CDLL(None).prctl(_DROP_FROM_BOUNDING_SET, capability, 0, 0, 0)


def git_that(folder: Path, asked: str, action: str) -> dict[str, str]:
    """An environment in which git does something else before it does what it is `asked` for."""
    real = shutil.which("git")
    program = folder / "programs" / "git"
    program.parent.mkdir(exist_ok=True)
    program.write_text(f'#!/bin/sh\ncase "$*" in *{asked}*) {action};; esac\nexec {real} "$@"\n')
    program.chmod(0o755)
    return {"PATH": f"{program.parent}:{os.environ['PATH']}"}
