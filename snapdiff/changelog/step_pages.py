"""One step of a history, page by page."""

from collections.abc import Iterable, Iterator

from snapdiff.catalog.opening import PagePair, folders_named
from snapdiff.changelog.pages import Listing, PageMemory
from snapdiff.changelog.standing import Standing
from snapdiff.diff.totals import Totals
from snapdiff.errors import BadPage
from snapdiff.filters import Scope
from snapdiff.model import Package
from snapdiff.sources.base import Entry, EntryPair


class StepPages:
    """Two revisions of a history, page by page, as `CatalogPair` has them."""

    def __init__(
        self,
        memory: PageMemory,
        standing: Standing,
        listing: Listing,
        tree: str,
        pairs: Iterable[EntryPair],
    ) -> None:
        """Take the newer revision's tree and listing, and what differs; nothing is read yet."""
        self._memory = memory
        self._standing_counts = standing
        self._listing = listing
        self._tree = tree
        self._pairs = tuple(pairs)
        self._changed = {entry.path for pair in self._pairs for entry in pair if entry}

    def changed(self) -> Iterator[PagePair]:
        """Yield every page that differs between the two, or that one side only has."""
        for old, new in self._pairs:
            before = self._memory.read(old, "old") if old else None
            after = self._memory.read(new, "new") if new else None
            if before is not None or after is not None:
                yield PagePair((old or new or _NOTHING).path, before, after)

    def unchanged(self, folders: Iterable[str]) -> Iterator[PagePair]:
        """Yield the pages in some folders that are the same on both sides."""
        seen: set[str] = set(self._changed)
        for folder in sorted(set(folders)):
            entries = [
                entry
                for path, entry in self._listing.files(folder, self._tree).items()
                if path not in seen
            ]
            seen.update(entry.path for entry in entries)
            yield from self._standing(entries)

    def _standing(self, entries: list[Entry]) -> Iterator[PagePair]:
        for position, entry in enumerate(entries):
            if position % _ASK_AHEAD == 0:
                self._memory.ask(entries[position : position + 2 * _ASK_AHEAD])
            old = self._memory.read(entry, "old")
            if old is not None:
                new = old if isinstance(old, Package) else BadPage(old.path, "new", old.reason)
                yield PagePair(entry.path, old, new)

    def unchanged_totals(self, folders: Iterable[str], scope: Scope) -> dict[str, Totals] | None:
        """Return by tag what those pages come to, or None where each has to be looked at."""
        return self._standing_counts.totals(folders, scope, self._pairs)

    def folders_of(self, tags: set[str]) -> set[str]:
        """Return the folders of such a name that hold pages which are the same on both sides."""
        return folders_named(tags, self._listing.paths(self._tree) - self._changed)

    def has_unchanged(self) -> bool:
        """Return whether any page at all is the same on both sides."""
        return any(True for _ in self.unchanged([""]))

    def require_pages(self) -> None:
        """Do nothing: a history may pass through a revision without a page."""


_ASK_AHEAD = 64
_NOTHING = Entry("", None)


def without_moves(pairs: Iterable[EntryPair]) -> list[EntryPair]:
    """Return what differs, less the pages that merely moved with the folder they are in."""
    pairs = list(pairs)
    gone = {_end(old): old for old, new in pairs if old and not new}
    come = {_end(new): new for old, new in pairs if new and not old}
    moved = {entry.path for end, old in gone.items() if end in come for entry in (old, come[end])}
    return [pair for pair in pairs if (pair[0] or pair[1] or _NOTHING).path not in moved]


def _end(entry: Entry) -> tuple[str | None, str | None, str]:
    return entry.content_id, entry.fault, "/".join(entry.path.rsplit("/", 3)[-3:])
