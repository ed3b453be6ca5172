"""Where a report goes: standard output, or a file that is written whole or not at all."""

import contextlib
import errno
import os
import secrets
import shutil
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import BinaryIO

import msgspec

from snapdiff.cli.file_lock import made_meanwhile
from snapdiff.cli.signals import undone_by_signals
from snapdiff.errors import ReportError
from snapdiff.reports import checked_format, format_of_file, render_pieces
from snapdiff.reports.options import ReportOptions
from snapdiff.result import CatalogDiff

_BYTES = "surrogateescape"
"""A file that is kept up to date keeps what is not UTF-8 in it."""


class ReportWriter:
    """A report to be: its format, its looks and where it goes, all checked before any work."""

    def __init__(
        self,
        *,
        format_name: str | None,
        target: Path | None,
        color: str,
        quiet_if_empty: bool,
        options: ReportOptions,
    ) -> None:
        """Take what was asked for; raises ReportError where that cannot be written.

        `color` is `auto`, `always` or `never`; a `target` of None is standard output.
        """
        if target:
            check_output(target)
        if options.template and format_name not in (None, "template"):
            raise ReportError(f"--template replaces the format, so -f {format_name} has no meaning")
        on_terminal = target is None and sys.stdout is not None and sys.stdout.isatty()
        if format_name is None and options.template:
            format_name = "template"
        elif format_name is None and target:
            format_name = format_of_file(target)
        elif format_name is None and on_terminal:
            format_name = "text"
        self._format = checked_format(format_name or "markdown")
        self._target = target
        self._quiet_if_empty = quiet_if_empty
        auto = on_terminal and not os.environ.get("NO_COLOR")
        self._options = msgspec.structs.replace(
            options,
            color=color == "always" or (color == "auto" and auto),
            width=shutil.get_terminal_size().columns if on_terminal else None,
        )

    def write(self, diff: CatalogDiff) -> None:
        """Write the report; raises ReportError where it cannot be rendered or written."""
        pieces: Iterable[str] = ()
        if not self._quiet_if_empty or not diff.is_empty() or diff.skipped:
            pieces = render_pieces(diff, self._format, self._options)
        if self._target:
            write_file(self._target, pieces)
        else:
            write_stdout(pieces)


def check_output(path: Path) -> None:
    """Raise ReportError where a file cannot be written, before any work goes into it."""
    if os.path.isdir(path):  # a Path does not bear a name that is too long
        raise ReportError(f"{path}: is a directory; name a file in it")
    folder = path.parent
    if not os.path.isdir(folder):
        if os.path.lexists(folder):
            raise ReportError(f"{path}: {folder} is no folder")
        raise ReportError(f"{path}: the folder {folder} does not exist; make it first")
    with _told_of(path), contextlib.suppress(FileNotFoundError):
        os.stat(path)  # a symbolic link that leads in a circle, a name that is too long


@contextlib.contextmanager
def _told_of(path: Path) -> Iterator[None]:
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
    with _told_of(path):
        target = Path(os.path.realpath(path))
        if target.exists() and not target.is_file():
            with open(target, "w", encoding="utf-8", errors=_BYTES, newline="") as file:
                file.writelines(pieces)
            return
        _replace(target, pieces, is_new=is_new)


def _replace(target: Path, pieces: Iterable[str], *, is_new: bool) -> None:
    beginning = os.fsdecode(os.fsencode(target.name)[:200])
    name = target.with_name(f".{beginning}.{secrets.token_hex(4)}")

    def remove() -> None:
        with contextlib.suppress(OSError):
            os.unlink(name)

    with undone_by_signals(remove):  # from before it is there: a signal could come right after
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


def _write_all(stream: BinaryIO, content: bytes) -> None:
    """Write to a stream that may take a part at a time, as one without a buffer does."""
    rest = memoryview(content)
    while rest:
        written = stream.write(rest)
        if not written:
            raise BlockingIOError(errno.EAGAIN, "it does not wait for its reader")
        rest = rest[written:]


def write_stdout(pieces: Iterable[str]) -> None:
    """Write to standard output in UTF-8; a reader that has gone away ends it without a word.

    Raises ReportError where standard output cannot be written for another reason.
    """
    if sys.stdout is None:
        raise ReportError("standard output is closed; write to a file with -o")
    try:
        for piece in pieces:
            _write_all(sys.stdout.buffer, piece.encode("utf-8"))
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        # What is still buffered would fail again when Python flushes at its end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except OSError as error:
        raise ReportError(f"standard output: cannot be written: {error.strerror}") from error
