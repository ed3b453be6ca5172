"""Files and folders that are written whole or not at all, with nothing lost that was there.

A file that is kept up to date is held meanwhile: a second run would add to it twice.
"""

import contextlib
import fcntl
import os
import re
import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

from snapdiff.errors import ReportError, SnapdiffError
from snapdiff.output.signals import UndoneAtEnd

_BYTES = "surrogateescape"
"""A file that is kept up to date keeps what is not UTF-8 in it."""


def check_output(path: Path) -> None:
    """Raise ReportError where a file cannot be written, before any work goes into it."""
    if os.path.isdir(path):  # a Path does not bear a name that is too long
        raise ReportError(f"{path}: is a directory; name a file in it")
    folder = path.parent
    if not os.path.isdir(folder):
        raise ReportError(f"{path}: there is no folder {folder}; make it first")
    with errors_named(path), contextlib.suppress(FileNotFoundError):
        os.stat(path)  # a symbolic link that leads in a circle, a name that is too long


def require_files_of_their_own(paths: Sequence[Path | None]) -> None:
    """Raise ReportError where two of some files are one, or None, which is standard output.

    A device may be named twice: it keeps nothing anyway.
    """
    kept = [path for path in paths if path is None or not _keeps_nothing(path)]
    targets = [path and os.path.realpath(path) for path in kept]
    for path, target in zip(kept, targets, strict=True):
        if targets.count(target) > 1:
            raise ReportError(f"{path or 'standard output'}: is named twice, and takes one report")


def _keeps_nothing(path: Path) -> bool:
    """Return whether there is a device or a pipe, such as `/dev/stdout` or that of `>(gzip)`."""
    return os.path.exists(path) and not os.path.isfile(path)  # where links lead may have no path


@contextlib.contextmanager
def errors_named(place: Path | str, *, cannot_be: str = "written") -> Iterator[None]:
    """Raise ReportError, which names a place, where the block raises an error of the system."""
    try:
        yield
    except OSError as error:
        reason = error.strerror or error
        is_race = isinstance(error, FileExistsError)
        way_out = "; another run has made it, run again" if is_race else ""
        raise ReportError(f"{place}: cannot be {cannot_be}: {reason}{way_out}") from error


def write_file(path: Path, pieces: Iterable[str], *, is_new: bool = False) -> None:
    """Write a file whole or not at all: a reader sees the old content until the new is complete.

    A device or a FIFO, which cannot be replaced, is written to. Raises ReportError, also where the
    file was to be new (`is_new`) and something else has made it meanwhile.
    """
    with errors_named(path):
        if _keeps_nothing(path):
            with open(path, "w", encoding="utf-8", errors=_BYTES, newline="") as file:
                file.writelines(pieces)
            return
        target = Path(os.path.realpath(path))
        kept_mode = None
        with contextlib.suppress(FileNotFoundError):
            kept_mode = target.stat().st_mode & 0o7777
        complete = target.with_name(_hidden(target) + os.urandom(4).hex())
        # From before it is there: a signal could come right after.
        with UndoneAtEnd(lambda: complete.unlink(missing_ok=True)):
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
            handle = os.open(complete, flags, 0o666 if kept_mode is None else 0o600)
            with open(handle, "w", encoding="utf-8", errors=_BYTES, newline="") as file:
                file.writelines(pieces)
                file.flush()
                os.fsync(file.fileno())
            if kept_mode is not None:
                os.chmod(complete, kept_mode)
            if not is_new:
                os.replace(complete, target)
                return
            try:
                os.link(complete, target)
            except FileExistsError:
                raise
            except OSError:  # a file system without links
                os.replace(complete, target)


def _hidden(target: Path) -> str:
    """Return the beginning of a hidden name beside a file or folder, which is not too long."""
    return f".{os.fsdecode(os.fsencode(target.name)[:200])}."


@contextlib.contextmanager
def held_alone(path: Path | None) -> Iterator[bool]:
    """Hold a file as long as the block runs; yield whether it is still to be made.

    A file that is not there cannot be held: whoever makes it has to be the first to do so. Raises
    ReportError where another run holds the file.
    """
    if path is None or not os.path.isfile(path):
        yield path is not None and not os.path.exists(path)
        return
    with errors_named(path, cannot_be="read"):
        file = open(path, "rb")  # noqa: SIM115 - closed below
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


def _busy(path: Path) -> ReportError:
    return ReportError(f"{path}: another run is writing it; wait for its end, and run again")


# --- A folder ---

Check = Callable[[Path], object]
"""Raises SnapdiffError where a folder holds anything that may not be removed."""

_NEW, _OLD = "new", "old"
"""What the hidden folder beside another holds: what is to take its place, or was taken away."""


@contextlib.contextmanager
def replaced_folder(target: Path, check: Check) -> Iterator[Path]:
    """Yield an empty folder, which takes the place of `target` where the block ends well.

    Between two renames nothing is in the place; what a run that is killed there has taken away, the
    next one puts back. What was there is checked once more when nobody finds it by its name any
    more; where the check raises, it is put back. Raises OSError where the folder cannot be written.
    """
    beside = target.with_name(_hidden(target) + os.urandom(4).hex())
    # From before it is there: a signal could come right after.
    with UndoneAtEnd(lambda: _undo(target, beside, check)):
        beside.mkdir()
        with _held(beside):
            new, old = beside / _NEW, beside / _OLD
            new.mkdir()
            yield new
            if target.exists():
                target.rename(old)
            new.rename(target)
            try:
                check(old)
            except SnapdiffError:
                target.rename(new)  # so that the old one is put back
                raise


def remove_remains(target: Path, check: Check) -> None:
    """Remove what runs that were killed have left beside a folder, if the check lets it pass.

    What such a run had just taken away is put back first.
    """
    hidden = re.compile(rf"{re.escape(_hidden(target))}[0-9a-f]{{8}}", re.DOTALL)
    with contextlib.suppress(OSError):  # who may not look there will hear of it when writing
        for name in filter(hidden.fullmatch, os.listdir(target.parent)):
            beside = target.with_name(name)
            # One that is empty is just being made by another run, and not held yet; a file of such
            # a name is the beginning of a report.
            if beside.is_dir() and os.listdir(beside):
                with _held(beside) as is_held:
                    if is_held:
                        _undo(target, beside, check)


def _undo(target: Path, beside: Path, check: Check) -> None:
    """Put back what was taken away, and remove the hidden folder with all that may be removed."""
    old = beside / _OLD
    if old.exists() and not target.exists():
        old.rename(target)
    for folder in (beside / _NEW, old):
        with contextlib.suppress(SnapdiffError, OSError):
            check(folder)
            shutil.rmtree(folder)
    with contextlib.suppress(OSError):  # something is in it still
        beside.rmdir()


@contextlib.contextmanager
def _held(folder: Path) -> Iterator[bool]:
    """Hold a folder while the block runs, and yield whether no other process that lives does."""
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    is_held = False  # nor is it on a file system without locks
    try:
        with contextlib.suppress(OSError):
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            is_held = True
        yield is_held
    finally:
        os.close(handle)
