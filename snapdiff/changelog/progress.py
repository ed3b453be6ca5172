"""What a long run says on standard error: how far it is, and where pages contradict themselves."""

import contextlib
import sys
from collections.abc import Callable, Iterator

from snapdiff.changelog.sections import Watcher

_WORTH_SHOWING = 5
"""Below so many sections a run is over before anybody could read how far it is."""


class _Reporter(Watcher):
    """Says a warning once, and tells a progress bar how far the run is."""

    def __init__(self, advance: Callable[[int], object], say: Callable[[str], None]) -> None:
        self._advance = advance
        self._say = say
        self._said: set[str] = set()

    def passed(self, periods: int) -> None:
        """Move the progress bar on."""
        self._advance(periods)

    def warn(self, message: str) -> None:
        """Say of each page once that it contradicts itself, however many sections have it."""
        page = message.partition(": ")[0]
        if page not in self._said:
            self._said.add(page)
            self._say(f"warning: {message}")


@contextlib.contextmanager
def watching(total: int, say: Callable[[str], None], *, quiet: bool) -> Iterator[Watcher]:
    """Yield what watches a run of so many sections; it shows progress on a terminal alone."""
    if quiet:
        yield Watcher()
        return
    if total < _WORTH_SHOWING or sys.stderr is None or not sys.stderr.isatty():
        yield _Reporter(lambda _: None, say)
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )

    columns = (TextColumn("sections"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("", total=total)
        yield _Reporter(lambda number: progress.advance(task, number), say)
