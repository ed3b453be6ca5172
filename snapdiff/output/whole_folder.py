"""A folder that is replaced whole or not at all, with nothing lost that somebody put into it."""

import contextlib
import ctypes
import errno
import fcntl
import os
import re
import secrets
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

from snapdiff.errors import SnapdiffError
from snapdiff.output.signals import UndoneBySignals

Check = Callable[[Path], object]
"""Raises SnapdiffError where a folder holds anything that may not be removed."""

_EXCHANGE = 2  # RENAME_EXCHANGE of Linux
_HERE = -100  # AT_FDCWD
_CANNOT = (errno.EINVAL, errno.ENOSYS, errno.ENOTSUP)

_NEW, _OLD = "new", "old"
"""What the hidden folder beside another holds: what is to take its place, or was taken away."""


@contextlib.contextmanager
def replaced_folder(target: Path, check: Check) -> Iterator[Path]:
    """Yield an empty folder, which takes the place of `target` where the block ends well.

    What was there is checked once more when nobody finds it by its name any more; where the check
    raises, it is put back. Raises OSError where the folder cannot be written.
    """
    beside = target.with_name(f".{_beginning(target)}.{secrets.token_hex(4)}")
    # From before it is there: a signal could come right after.
    with UndoneBySignals(lambda: _undo(target, beside, check)), contextlib.ExitStack() as at_end:
        at_end.callback(_undo, target, beside, check)
        beside.mkdir()
        at_end.enter_context(_held(beside))
        new = beside / _NEW
        new.mkdir()
        yield new
        if not target.exists():
            new.rename(target)
            return
        old = _exchange(new, target)
        try:
            check(old)
        except SnapdiffError:
            _exchange(old, target)
            raise


def remove_remains(target: Path, check: Check) -> None:
    """Remove what runs that were killed have left beside a folder, if the check lets it pass.

    What such a run had just taken away is put back first.
    """
    hidden = re.compile(rf"\.{re.escape(_beginning(target))}\.[0-9a-f]{{8}}", re.DOTALL)
    with contextlib.suppress(OSError):  # who may not look there will hear of it when writing
        for name in filter(hidden.fullmatch, os.listdir(target.parent)):
            beside = target.with_name(name)
            # One that is empty is just being made by another run, and not held yet.
            if os.listdir(beside):
                with _held(beside) as is_held:
                    if is_held:
                        _undo(target, beside, check)


def _exchange(new: Path, target: Path) -> Path:
    """Put a folder in the place of another, and return where the other is then.

    Linux exchanges the two in one step. Where the system or the file system cannot do that, there
    is nothing in the place for a moment.
    """
    call = getattr(ctypes.CDLL(None, use_errno=True), "renameat2", None)
    if call:
        if call(_HERE, os.fsencode(new), _HERE, os.fsencode(target), _EXCHANGE) == 0:
            return new
        reason = ctypes.get_errno()
        if reason not in _CANNOT:
            raise OSError(reason, os.strerror(reason), str(target))
    other = new.with_name(_OLD if new.name == _NEW else _NEW)
    target.rename(other)
    new.rename(target)
    return other


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
    """Hold a folder while the block runs, and yield whether no other process holds it.

    Whoever dies lets go of it.
    """
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:  # a file system without locks, too
            yield False
        else:
            yield True
    finally:
        os.close(handle)


def _beginning(target: Path) -> str:
    return os.fsdecode(os.fsencode(target.name)[:200])
