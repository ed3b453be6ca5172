"""A progress bar for long work: on a terminal, after two seconds, and gone when it is done."""

import contextlib
import time
from types import TracebackType
from typing import TYPE_CHECKING, Self

from snapdiff.cli.console import is_on_terminal
from snapdiff.output.signals import UndoneBySignals

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

PATIENCE = 2.0
"""Seconds of work before anybody is told of it."""


class ProgressBar:
    """Tells how far the work is, on standard error, and only where that is a terminal."""

    def __init__(self, words: str, *, wanted: bool = True) -> None:
        """Take what the work is called; `wanted` says whether to show it at all."""
        self._words = words
        self._visible = wanted and is_on_terminal()
        self._begin = time.monotonic()
        self._bar: Progress | None = None
        self._shown = contextlib.ExitStack()
        self._tasks: dict[str, TaskID] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._shown.close()

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
            self._bar = _bar()
            self._bar.start()
            self._shown.callback(self._bar.stop)
            self._shown.enter_context(UndoneBySignals(self._bar.stop))
        if words not in self._tasks:
            self._tasks[words] = self._bar.add_task(words)
        self._bar.update(self._tasks[words], completed=done, total=total)


def _bar() -> "Progress":
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )

    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        transient=True,
    )
