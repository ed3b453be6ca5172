"""How long a run waits for a host that is busy: a minute, all pauses together."""

import time

from snapdiff.posting.base import TryLaterError

LONGEST_RUN = 60.0
"""Seconds after which nothing is tried again. A job that waits costs more than a late comment."""


class Pauses:
    """Waits before each new try, longer every time, until the time is over."""

    def __init__(self, seconds: float = LONGEST_RUN, *, first: float = 1.0) -> None:
        """Let the time begin; the first pause has `first` seconds."""
        self._end = time.monotonic() + seconds
        self._next = first

    def wait(self, fault: TryLaterError) -> None:
        """Wait a second, the next time two, then four, or as long as the host asks.

        Raises the fault where the new try would be too late.
        """
        seconds = max(self._next, fault.seconds or 0.0)
        self._next *= 2
        if time.monotonic() + seconds > self._end:
            raise fault
        time.sleep(seconds)
