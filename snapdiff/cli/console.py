"""What a run says on standard error: lines, errors, and a progress bar for long work."""

import contextlib
import os
import sys
import time
from typing import TYPE_CHECKING

import click

from snapdiff.errors import SnapdiffError
from snapdiff.output.signals import UndoneBySignals
from snapdiff.safe_text import visible

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

PATIENCE = 2.0
"""Seconds of work before anybody is told how far it is."""


def say(message: str) -> None:
    """Print a line to standard error, whatever its text is made of."""
    say_command(f"snapdiff: {visible(message)}")


def say_command(line: str) -> None:
    """Print a line to standard error as it is, for a CI system that reads it."""
    try:
        if sys.stderr is not None:
            click.echo(line, err=True)
    except OSError:
        sys.stderr = None  # full or gone: what is said there is lost, and the report need not be


def is_on_terminal() -> bool:
    """Return whether somebody looks at what is said."""
    return sys.stderr is not None and sys.stderr.isatty()


def error_lines(error: Exception) -> list[str]:
    """Return what is said of an error, a line a fault: where it is, what is wrong, the way out."""
    if isinstance(error, SnapdiffError):
        return error.lines()
    if isinstance(error, click.ClickException):
        return [error.format_message()]
    if isinstance(error, OSError):  # without a file: of help and version, which click writes
        place = os.fsdecode(error.filename) if error.filename else "standard output"
        return [f"{place}: {'' if error.filename else 'cannot be written: '}{error.strerror}"]
    return [f"internal fault, please report it: {type(error).__name__}: {error}"]


class ProgressBar(contextlib.ExitStack):
    """Tells how far the work is on a terminal, after two seconds; it is gone when that is done."""

    def __init__(self, words: str, *, wanted: bool = True) -> None:
        """Take what the work is called; `wanted` says whether to show it at all."""
        super().__init__()
        self._words = words
        self._visible = wanted and is_on_terminal()
        self._begin = time.monotonic()
        self._bar: Progress | None = None
        self._tasks: dict[str, TaskID] = {}

    def __call__(self, done: int, total: int) -> None:
        """Say how many of how many steps are done."""
        self._show(self._words, done, total)

    def downloaded(self, done: int, total: int) -> None:
        """Say how many of how many bytes have arrived."""
        self._show("MiB downloaded", done >> 20, total >> 20)

    def _show(self, words: str, done: int, total: int) -> None:
        if not self._visible or time.monotonic() - self._begin < PATIENCE:
            return
        if self._bar is None:
            from rich import progress
            from rich.console import Console

            self._bar = progress.Progress(
                progress.TextColumn("{task.description}"),
                progress.BarColumn(),
                progress.MofNCompleteColumn(),
                progress.TimeRemainingColumn(),
                console=Console(stderr=True),
                transient=True,
            )
            self._bar.start()
            self.callback(self._bar.stop)
            self.enter_context(UndoneBySignals(self._bar.stop))
        if words not in self._tasks:
            self._tasks[words] = self._bar.add_task(words)
        self._bar.update(self._tasks[words], completed=done, total=total)
