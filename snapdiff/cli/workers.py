"""Processes to spread work over; they end when this one does, however it ends."""

import contextlib
import itertools
import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from typing import ParamSpec, TypeVar

from snapdiff.errors import SnapdiffError

_Arguments = ParamSpec("_Arguments")
_Result = TypeVar("_Result")

_WARNINGS = "PYTHONWARNINGS"
_QUIET_TRACKER = "ignore:resource_tracker:UserWarning"
"""Where a signal ends this process, locks are left to a helper of Python's, which tells of them."""


@contextlib.contextmanager
def open_workers(number: int) -> Iterator[Executor | None]:
    """Yield processes to spread work over, or nothing where one is enough.

    Raises SnapdiffError where one of them was ended from outside.
    """
    if number == 1:
        yield None
        return
    of_the_user = os.environ.get(_WARNINGS)
    os.environ[_WARNINGS] = f"{of_the_user},{_QUIET_TRACKER}" if of_the_user else _QUIET_TRACKER
    workers = _Workers(number)
    try:
        yield workers
    except BrokenProcessPool as error:
        raise SnapdiffError(
            "a process of --jobs was ended from outside, as a system does where memory is short; "
            "run again with fewer jobs"
        ) from error
    finally:
        workers.shutdown(cancel_futures=True)
        del os.environ[_WARNINGS]
        if of_the_user is not None:
            os.environ[_WARNINGS] = of_the_user


class _Workers(Executor):
    """Processes that know nothing of Ctrl-C, which a terminal sends to all of them.

    Each is a pool of its own, and they take turns. Python 3.11 does not end a process that a pool
    is starting while it finds another one dead, and then waits for it without end.
    """

    def __init__(self, number: int) -> None:
        """Take how many there are to be; each starts with its first piece of work."""
        # A process that is started afresh shares no lock and no open pipe with this one.
        context = multiprocessing.get_context("spawn")
        self._pools = [
            ProcessPoolExecutor(1, mp_context=context, initializer=_begin) for _ in range(number)
        ]
        self._turns = itertools.cycle(self._pools)

    def submit(
        self,
        function: Callable[_Arguments, _Result],
        /,
        *args: _Arguments.args,
        **kwargs: _Arguments.kwargs,
    ) -> Future[_Result]:
        """Start a process if need be, one that does not hear signals while it gets ready."""
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM})
        try:
            return next(self._turns).submit(function, *args, **kwargs)
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Let the processes end."""
        for pool in self._pools:
            pool.shutdown(wait=False, cancel_futures=cancel_futures)
        for pool in self._pools:
            pool.shutdown(wait, cancel_futures=cancel_futures)


def _begin() -> None:
    """Make a process that was started one that can be ended, and that ends with its parent."""
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGTERM})
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    assert parent is not None
    parent.join()
    os._exit(1)
