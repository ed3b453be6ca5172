"""Processes to spread work over; they end when this one does, however it ends."""

import contextlib
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


@contextlib.contextmanager
def open_workers(number: int) -> Iterator[Executor | None]:
    """Yield processes to spread work over, or nothing where one is enough.

    Raises SnapdiffError where one of them was ended from outside.
    """
    if number == 1:
        yield None
        return
    # Where a signal ends this process, locks are left to a helper of Python's, which tells of them.
    os.environ["PYTHONWARNINGS"] = "ignore:resource_tracker:UserWarning"
    workers = _Workers(
        number,
        # A process that is started afresh shares no lock and no open pipe with this one.
        mp_context=multiprocessing.get_context("spawn"),
        initializer=_begin,
    )
    try:
        yield workers
    except BrokenProcessPool as error:
        raise SnapdiffError(
            "a process of --jobs was ended from outside, as a system does where memory is short; "
            "run again with fewer jobs"
        ) from error
    finally:
        workers.shutdown(cancel_futures=True)


class _Workers(ProcessPoolExecutor):
    """Processes that know nothing of Ctrl-C, which a terminal sends to all of them."""

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
            return super().submit(function, *args, **kwargs)
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _begin() -> None:
    """Make a process that was started one that can be ended, and that ends with its parent."""
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGTERM})
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    assert parent is not None
    parent.join()
    os._exit(1)
