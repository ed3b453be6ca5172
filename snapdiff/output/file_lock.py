"""One run at a time on a file that is read, added to and written: a second one would double it."""

import contextlib
import fcntl
import os
from collections.abc import Iterator
from pathlib import Path

from snapdiff.errors import ReportError


@contextlib.contextmanager
def held_alone(path: Path | None) -> Iterator[bool]:
    """Hold a file as long as the block runs; yield whether it is still to be made.

    A file that is not there cannot be held: whoever makes it has to be the first to do so. Raises
    ReportError where another run holds the file.
    """
    if path is None or not os.path.isfile(path):
        yield path is not None and not os.path.exists(path)
        return
    with _opened(path) as handle:
        hold(path, handle)
        # What was replaced meanwhile, by a run that has just ended, is not the file any more.
        if not os.path.samestat(os.fstat(handle), os.stat(path)):
            raise _busy(path)
        yield False


def hold(path: Path, handle: int) -> None:
    """Hold an open file for as long as it is open; raises ReportError where another run does."""
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        raise _busy(path) from error
    except OSError:
        return  # a file system without locks: nothing more can be done there


@contextlib.contextmanager
def _opened(path: Path) -> Iterator[int]:
    try:
        handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError as error:
        raise ReportError(f"{path}: cannot be read: {error.strerror}") from error
    try:
        yield handle
    finally:
        os.close(handle)


def made_meanwhile(path: Path) -> ReportError:
    """Return the error for a file that was to be new, and that another run has made by now."""
    return ReportError(
        f"{path}: another run has made it meanwhile; run again, to go on from where that one ended"
    )


def _busy(path: Path) -> ReportError:
    return ReportError(f"{path}: another run is writing it; wait for its end, and run again")
