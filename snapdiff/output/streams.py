"""Where reports go, a file or standard output in a pager; what standard error says meanwhile."""

import contextlib
import errno
import math
import os
import shutil
import sys
import time
from collections.abc import Iterable
from pathlib import Path
from typing import ClassVar, NamedTuple

import click

from snapdiff.errors import ReportError
from snapdiff.output.signals import UndoneAtEnd
from snapdiff.output.whole_files import write_file
from snapdiff.safe_text import visible


class Destination(NamedTuple):
    """A file, or standard output where there is no file."""

    file: Path | None
    has_pager: bool  # where standard output is a terminal
    is_new: bool = False  # the file was not there before, and nobody else is to make it

    @property
    def is_terminal(self) -> bool:
        """Whether somebody looks at what is written."""
        return self.file is None and sys.stdout is not None and sys.stdout.isatty()

    def write(self, pieces: Iterable[str]) -> None:
        """Write a report.

        What is longer than the screen goes through the pager: $PAGER, and `less` where that is not
        set; empty or `cat` is none, and so is one that cannot be started. Raises ReportError where
        the report cannot be written.
        """
        if self.file:
            write_file(self.file, pieces, is_new=self.is_new)
            return
        if self.has_pager and self.is_terminal:
            text = "".join(pieces)
            say_command("", ends=False)  # a progress bar is not to stand before it
            if text.count("\n") >= shutil.get_terminal_size().lines and _paged(text):
                return
            pieces = [text]
        write_stdout(pieces)


def write_stdout(pieces: Iterable[str]) -> None:
    """Write to standard output in UTF-8; raises ReportError, but not for a reader who has gone."""
    if sys.stdout is None:
        raise ReportError("standard output is closed; write to a file with -o")
    try:
        for piece in pieces:
            has_bar = bool(ProgressBar.erased)
            if has_bar:
                say_command("", ends=False)
            rest = memoryview(piece.encode("utf-8"))
            while rest:  # a stream without a buffer may take a part at a time
                written = sys.stdout.buffer.write(rest)
                if not written:
                    raise BlockingIOError(errno.EAGAIN, "it does not wait for its reader")
                rest = rest[written:]
            if has_bar:
                sys.stdout.buffer.flush()  # before the bar has this line again
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        # What is still buffered would fail again when Python flushes at its end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except OSError as error:
        raise ReportError(f"standard output: cannot be written: {error.strerror}") from error


def _paged(text: str) -> bool:
    import subprocess  # late: help and completion do without it, and few reports are that long

    command = os.environ.get("PAGER", shutil.which("less") or "")
    if command in ("", "cat"):
        return False
    sys.stdout.flush()
    try:
        # As git does: the value may have arguments, and is the user's own. Colours are shown, and
        # it ends where all fits on the screen.
        environment = {"LESS": "FRX", "LV": "-c", **os.environ}
        pager = subprocess.Popen(  # noqa: S602
            command, shell=True, stdin=subprocess.PIPE, env=environment
        )
    except OSError:
        return False
    pager.communicate(text.encode("utf-8"))  # a reader who has seen enough ends it quietly
    return pager.wait() != 127  # what a shell says of a command that there is none of


# --- Standard error ---

SHOWN_AFTER, SHOWN_EVERY = 2.0, 0.1
"""Seconds of work before anybody is told how far it is, and until that is told again."""


def say(message: str) -> None:
    """Print a line to standard error, whatever its text is made of."""
    say_command(f"snapdiff: {visible(message)}")


def say_command(line: str, *, ends: bool = True) -> None:
    """Print a line to standard error as it is, in the place of a progress bar."""
    try:
        if sys.stderr is not None:
            click.echo(f"{ProgressBar.erased}{line}", err=True, nl=ends)
    except OSError:
        sys.stderr = None  # full or gone: what is said there is lost, and the report need not be


def is_on_terminal() -> bool:
    """Return whether somebody looks at what is said."""
    return sys.stderr is not None and sys.stderr.isatty()


class ProgressBar(contextlib.ExitStack):
    """Tells how far the work is on a terminal, after two seconds; it is gone when that is done."""

    erased: ClassVar[str] = ""  # what takes the bar off the screen, where one is on it

    def __init__(self, words: str, *, wanted: bool = True) -> None:
        super().__init__()
        self._words = words
        is_seen = wanted and is_on_terminal() and os.environ.get("TERM") != "dumb"
        self._next = time.monotonic() + SHOWN_AFTER if is_seen else math.inf

    def __call__(self, done: int, total: int) -> None:
        """Say how many of how many steps are done."""
        self._show(self._words, done, total)

    def downloaded(self, done: int, total: int) -> None:
        """Say how many of how many bytes have arrived."""
        self._show("bytes downloaded", done, total)

    def _show(self, words: str, done: int, total: int) -> None:
        now = time.monotonic()
        if now < self._next:
            return
        self._next = now + SHOWN_EVERY
        if not ProgressBar.erased:
            ProgressBar.erased = "\r\x1b[2K"
            self.enter_context(UndoneAtEnd(self._erase))
        say_command(f"{words}: {100 * done // max(total, 1)}% ({done:,}/{total:,})", ends=False)

    def _erase(self) -> None:
        say_command("", ends=False)
        ProgressBar.erased = ""
