"""What a long run says on standard error: how far it is, and where pages contradict themselves."""

import contextlib
from collections.abc import Callable, Iterator

from snapdiff.changelog.sections import Watcher
from snapdiff.cli.progress import ProgressBar


class _Reporter(Watcher):
    """Says a warning once, and tells a progress bar how far the run is."""

    def __init__(self, total: int, bar: ProgressBar, say: Callable[[str], None]) -> None:
        self._done = 0
        self._total = total
        self._bar = bar
        self._say = say
        self._said: set[str] = set()

    def passed(self, periods: int) -> None:
        """Move the progress bar on."""
        self._done += periods
        self._bar(self._done, self._total)

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
    with ProgressBar("sections") as bar:
        yield _Reporter(total, bar, say)
