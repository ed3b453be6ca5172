"""What a request to end does: Ctrl-C, or a SIGTERM as `timeout` sends it.

The run ends where it is, with a line on standard error. Nothing is unwound on the way: an exception
could be raised in any line, in one that tidies up after another for instance, and a second signal
could follow within a millisecond. What must not be left behind is put down in a list beforehand.

Until `end_on_signals` is called, Ctrl-C prints a traceback of Python's. So this module is imported
before all others, and imports only what Python has imported at its own start.
"""

import os
import sys

TYPE_CHECKING = False  # typing.TYPE_CHECKING, without the time that importing typing takes
if TYPE_CHECKING:
    import signal
    from collections.abc import Callable
else:
    import _signal as signal  # the same functions, without the enumerations, which take 10 ms

_to_undo: "list[Callable[[], object]]" = []
_is_ending = False


class UndoneAtEnd:
    """Has something undone when the `with` block ends, or when a signal ends the process in it.

    `undo` is called wherever the process is by then, before anything of it is there, or half of it.
    """

    def __init__(self, undo: "Callable[[], object]") -> None:
        self._undo = undo

    def __enter__(self) -> None:
        _to_undo.append(self._undo)

    def __exit__(self, *_error: object) -> None:
        try:
            self._undo()
        finally:
            _to_undo.remove(self._undo)


def end_on_signals() -> None:
    """Make Ctrl-C and a request to terminate end the process, unless they are to be ignored."""
    for number in (signal.SIGINT, signal.SIGTERM):
        if signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, _end)


def _end(number: int, _frame: object) -> None:
    global _is_ending
    if _is_ending:
        return  # the first signal has all of this in hand
    _is_ending = True
    for undo in reversed(_to_undo):
        try:
            undo()
        except Exception:  # noqa: BLE001, S112 - the others are undone all the same
            continue
    try:
        if sys.stderr is not None:  # its buffer may be in the middle of a word
            os.write(sys.stderr.fileno(), b"snapdiff: error: interrupted\n")
    finally:
        os._exit(128 + number)
