"""A file that is written whole or not at all, by one run at a time."""

import contextlib
import fcntl
import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from snapdiff.errors import ReportError
from snapdiff.output.signals import UndoneBySignals

_BYTES = "surrogateescape"
"""A file that is kept up to date keeps what is not UTF-8 in it."""


def check_output(path: Path) -> None:
    """Raise ReportError where a file cannot be written, before any work goes into it."""
    if os.path.isdir(path):  # a Path does not bear a name that is too long
        raise ReportError(f"{path}: is a directory; name a file in it")
    folder = path.parent
    if not os.path.isdir(folder):
        if os.path.lexists(folder):
            raise ReportError(f"{path}: {folder} is no folder")
        raise ReportError(f"{path}: the folder {folder} does not exist; make it first")
    with _errors_named(path), contextlib.suppress(FileNotFoundError):
        os.stat(path)  # a symbolic link that leads in a circle, a name that is too long


def require_files_of_their_own(paths: Iterable[Path | None]) -> None:
    """Raise ReportError where two of some files are one, whatever leads there.

    What is written last would be all that is left. A device keeps nothing anyway. None is standard
    output, where nobody could tell two reports from each other.
    """
    seen = set()
    is_printed = False
    for path in paths:
        if path is None:
            if is_printed:
                raise ReportError("standard output: takes one report; write the others to files")
            is_printed = True
            continue
        target = os.path.realpath(path)
        if os.path.exists(target) and not os.path.isfile(target):
            continue
        if target in seen:
            raise ReportError(f"{path}: is named twice; a file holds one report")
        seen.add(target)


@contextlib.contextmanager
def _errors_named(path: Path) -> Iterator[None]:
    """Raise ReportError for whatever the system has against writing a file."""
    try:
        yield
    except OSError as error:
        raise ReportError(f"{path}: cannot be written: {error.strerror or error}") from error


def write_file(path: Path, pieces: Iterable[str], *, is_new: bool = False) -> None:
    """Write a file whole or not at all: a reader sees the old content until the new is complete.

    A device or a FIFO, which cannot be replaced, is written to. Raises ReportError, also where the
    file was to be new (`is_new`) and something else has made it meanwhile.
    """
    with _errors_named(path):
        target = Path(os.path.realpath(path))
        if target.exists() and not target.is_file():
            with open(target, "w", encoding="utf-8", errors=_BYTES, newline="") as file:
                file.writelines(pieces)
            return
        _replace(target, pieces, is_new=is_new)


def _replace(target: Path, pieces: Iterable[str], *, is_new: bool) -> None:
    beginning = os.fsdecode(os.fsencode(target.name)[:200])
    name = target.with_name(f".{beginning}.{os.urandom(4).hex()}")

    def remove() -> None:
        with contextlib.suppress(OSError):
            os.unlink(name)

    with UndoneBySignals(remove):  # from before it is there: a signal could come right after
        handle = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        try:
            with open(handle, "w", encoding="utf-8", errors=_BYTES, newline="") as file:
                file.writelines(pieces)
                file.flush()
                os.fsync(file.fileno())
            os.chmod(name, _mode(target))
            if is_new:
                _move_to_new(name, target)
            else:
                os.replace(name, target)
        except BaseException:
            remove()
            raise


def _move_to_new(complete: Path, target: Path) -> None:
    """Give a file a name that no file has; raises ReportError where one has it by now."""
    try:
        os.link(complete, target)
    except FileExistsError as error:
        raise made_meanwhile(target) from error
    except OSError:  # a file system without links
        os.replace(complete, target)
    else:
        os.unlink(complete)


def _mode(target: Path) -> int:
    """Return the permissions of the file to be replaced, or those that a new one would get."""
    with contextlib.suppress(FileNotFoundError):
        return target.stat().st_mode & 0o7777
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask


# --- One run at a time on a file that is read, added to and written: a second would double it ---


@contextlib.contextmanager
def held_alone(path: Path | None) -> Iterator[bool]:
    """Hold a file as long as the block runs; yield whether it is still to be made.

    A file that is not there cannot be held: whoever makes it has to be the first to do so. Raises
    ReportError where another run holds the file.
    """
    if path is None or not os.path.isfile(path):
        yield path is not None and not os.path.exists(path)
        return
    try:
        file = open(path, "rb")  # noqa: SIM115 - closed below
    except OSError as error:
        raise ReportError(f"{path}: cannot be read: {error.strerror}") from error
    with file:
        hold(path, file.fileno())
        # What was replaced meanwhile, by a run that has just ended, is not the file any more.
        if not os.path.samestat(os.fstat(file.fileno()), os.stat(path)):
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


def made_meanwhile(path: Path) -> ReportError:
    """Return the error for a file that was to be new, and that another run has made by now."""
    return ReportError(
        f"{path}: another run has made it meanwhile; run again, to go on from where that one ended"
    )


def _busy(path: Path) -> ReportError:
    return ReportError(f"{path}: another run is writing it; wait for its end, and run again")
