"""A pager, as git has one: for a report that is longer than the screen."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterable

from snapdiff.output.standard_output import write_stdout

_ENVIRONMENT = {"LESS": "FRX", "LV": "-c"}
"""What git sets too, where it is not set: show colours, and end where all fits on the screen."""


def write_paged(pieces: Iterable[str], *, wanted: bool) -> None:
    """Write to standard output, through a pager where that is wanted and the screen too short.

    The pager is $PAGER, and `less` where that is not set; empty or `cat` is none. One that cannot
    be started is none either. Raises ReportError where standard output cannot be written.
    """
    text = "".join(pieces) if wanted else ""
    if not wanted:
        write_stdout(pieces)
    elif text.count("\n") < shutil.get_terminal_size().lines or not _paged(text):
        write_stdout([text])


def _paged(text: str) -> bool:
    """Return whether a pager took the text."""
    command = os.environ.get("PAGER", shutil.which("less") or "")
    if command in ("", "cat"):
        return False
    environment = _ENVIRONMENT | dict(os.environ)
    sys.stdout.flush()
    try:
        # As git does: the value may have arguments, and is the user's own.
        pager = subprocess.Popen(  # noqa: S602
            command, shell=True, stdin=subprocess.PIPE, env=environment
        )
    except OSError:
        return False
    pager.communicate(text.encode("utf-8"))  # a reader who has seen enough ends it quietly
    return pager.wait() != _NOT_FOUND


_NOT_FOUND = 127
"""What a shell says of a command that there is none of."""
