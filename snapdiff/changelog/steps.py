"""The steps from one snapshot to the next: two revisions and their pages, ready to be compared."""

from collections.abc import Callable, Iterable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from snapdiff.catalog.opening import Catalog, CatalogPair
from snapdiff.changelog.pages import Listing, PageMemory
from snapdiff.changelog.periods import SHORT, Period
from snapdiff.changelog.standing import Standing
from snapdiff.changelog.step_pages import StepPages, without_moves
from snapdiff.diff.comparison import End, Pages
from snapdiff.result import Revision
from snapdiff.sources.base import EntryPair, printable_path
from snapdiff.sources.directory import DirectorySource
from snapdiff.sources.git import Repository
from snapdiff.sources.history import Commit, changes_between, open_objects


class Step(NamedTuple):
    """One section to be: what it is called, its ends, and their pages while it is the current one.

    `is_open` says that what is still to come may belong to it.
    """

    name: str
    is_open: bool
    old: End
    new: End
    pages: Pages


class GitSteps(Struct, frozen=True):
    """Steps through a git history; a value that another process can take.

    `first_source` is what the commit before the first step is called, `folder` the one that holds
    the catalog.
    """

    repository: str
    folder: str
    first: Commit
    first_source: str
    periods: tuple[Period, ...]

    def most_sections(self) -> int:
        """Return the number of sections there are at the most."""
        return len(self.periods)

    def parts(self, size: int) -> Iterator["GitSteps"]:
        """Yield the same steps in parts of at most `size`."""
        previous, source = self.first, self.first_source
        for start in range(0, len(self.periods), size):
            part = self.periods[start : start + size]
            yield replace(self, first=previous, first_source=source, periods=part)
            previous = part[-1].commits[-1]
            source = self._source(part[-1], previous)

    def steps(self, passed: Callable[[], object] = lambda: None) -> Iterator[Step]:
        """Yield every step in which pages changed; `passed` is told when a period is done."""
        repository = Repository(Path(self.repository))
        last_use: dict[str, int] = {}
        for position, stretch in enumerate(self._stretches(repository)):
            for pair in stretch.compared:
                last_use.update((str(entry.content_id), position) for entry in pair if entry)
        with open_objects(repository) as objects:
            memory = PageMemory(objects, printable_path(self.folder), last_use)
            listing = Listing(repository)
            standing = Standing(memory, listing)
            old = self._end(self.first, self.first_source)
            for position, (stretch, following) in enumerate(
                _with_next(self._stretches(repository))
            ):
                listing.advance(stretch.pairs)
                memory.ask(entry for pair in stretch.compared for entry in pair)
                memory.ask(entry for pair in following for entry in pair)
                if stretch.compared:
                    new = self._end(stretch.end, self._source(stretch.period, stretch.end))
                    pages = StepPages(memory, standing, listing, stretch.end.tree, stretch.compared)
                    yield Step(stretch.period.name, stretch.period.is_open, old, new, pages)
                    old = new
                standing.advance(stretch.pairs, stretch.end.tree)
                if stretch.compared:
                    memory.settle(stretch.compared, position, listing)
                passed()

    def _end(self, commit: Commit, source: str) -> End:
        revision = Revision(source=source, commit=commit.id, date=commit.date)
        return End(revision, printable_path(self.folder))

    def _source(self, period: Period, end: Commit) -> str:
        name = period.tag or end.id[:SHORT]
        return f"{name}:{printable_path(self.folder)}" if self.folder else name

    def _stretches(self, repository: Repository) -> Iterator["_Stretch"]:
        """Yield what differs between the ends of each period."""
        commits = [self.first, *(commit for period in self.periods for commit in period.commits)]
        changes = changes_between(repository, [commit.tree for commit in commits])
        for period in self.periods:
            net: dict[str, EntryPair] = {}
            end = period.commits[-1]
            for commit in period.commits:
                pairs = next(changes)
                if pairs and not period.tag:
                    end = commit  # what came after it touched no page
                _add(net, pairs)
            yield _Stretch(period, end, list(net.values()), without_moves(net.values()))


class _Stretch(NamedTuple):
    """A period with its last commit, what differs, and what of that is to be compared."""

    period: Period
    end: Commit
    pairs: list[EntryPair]
    compared: list[EntryPair]


def _add(net: dict[str, EntryPair], pairs: Iterable[EntryPair]) -> None:
    """Add what a commit changed to what those before it did; what is as it was goes."""
    for old, new in pairs:
        entry = old or new
        assert entry is not None
        path = entry.path
        first = net.pop(path, (old, new))[0]
        if first != new:
            net[path] = (first, new)


def _with_next(stretches: Iterator[_Stretch]) -> Iterator[tuple[_Stretch, list[EntryPair]]]:
    """Yield each stretch with what is compared in the one after it."""
    current = next(stretches, None)
    while current is not None:
        following = next(stretches, None)
        yield current, following.compared if following else []
        current = following


class FolderSteps(Struct, frozen=True):
    """Steps through a folder of snapshots; a value that another process can take.

    `names` are the snapshots in their order: the first is where the first step begins.
    """

    folder: str
    names: tuple[str, ...]

    def most_sections(self) -> int:
        """Return the number of sections there are at the most."""
        return max(len(self.names) - 1, 0)

    def parts(self, size: int) -> Iterator["FolderSteps"]:
        """Yield the same steps in parts of at most `size`."""
        for start in range(0, self.most_sections(), size):
            yield replace(self, names=self.names[start : start + size + 1])

    def steps(self, passed: Callable[[], object] = lambda: None) -> Iterator[Step]:
        """Yield every step; `passed` is told when one is done."""
        catalogs = [Catalog(DirectorySource(name, Path(self.folder, name))) for name in self.names]
        for old, new in pairwise(catalogs):
            pages = CatalogPair(old, new)
            before, after = (End(side.revision, side.source.prefix) for side in (old, new))
            yield Step(new.source.name, False, before, after, pages)
            passed()


Steps = GitSteps | FolderSteps
