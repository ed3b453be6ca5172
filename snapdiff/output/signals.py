"""What a request to end does: Ctrl-C, or a SIGTERM as `timeout` sends it.

The run ends where it is, with a line on standard error. Nothing is unwound on the way: an exception
could be raised in any line, in one that tidies up after another for instance, and a second signal
could follow within a millisecond. What must not be left behind is put down in a list beforehand.
"""

import contextlib
import os
import signal
import sys
from collections.abc import Callable, Iterator

_to_undo: list[Callable[[], object]] = []
_is_ending = False


@contextlib.contextmanager
def undone_by_signals(undo: Callable[[], object]) -> Iterator[None]:
    """Have something undone if a signal ends the process while the block runs.

    `undo` is called wherever the process is by then, before anything of it is there, or half of it.
    """
    _to_undo.append(undo)
    try:
        yield
    finally:
        _to_undo.remove(undo)


def end_on_signals() -> None:
    """Make Ctrl-C and a request to terminate end the process, unless they are to be ignored."""
    for number in (signal.SIGINT, signal.SIGTERM):
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, _end)


def _end(number: int, _frame: object) -> None:
    global _is_ending
    if _is_ending:
        return  # the first signal has all of this in hand
    _is_ending = True
    for undo in reversed(_to_undo):
        with contextlib.suppress(Exception):
            undo()
    if sys.stderr is not None:
        with contextlib.suppress(OSError, ValueError):  # its buffer may be in the middle of a word
            os.write(sys.stderr.fileno(), b"snapdiff: error: interrupted\n")
    os._exit(128 + number)
