"""The pages of a range of commits, each version read once and kept while it is of use."""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from snapdiff.catalog.opening import Read
from snapdiff.errors import BadPage, FormatError, Side
from snapdiff.formats.site_page import SitePageReader
from snapdiff.model import Package
from snapdiff.sources.base import Entry, EntryPair, printable_path
from snapdiff.sources.git import Repository
from snapdiff.sources.history import PageObjects

_MOST_READINGS = 24
"""After how many versions of a page what its reader remembers of them is dropped."""


class _Key(NamedTuple):
    """What a page says depends on: its content, and the end of its path, which can name it."""

    content_id: str
    end: str


class _Reader:
    """Reads the versions of one page; it remembers what they have in common."""

    __slots__ = ("reader", "readings")

    def __init__(self) -> None:
        self.reader = SitePageReader()
        self.readings = 0


def _counts_alone(page: Package | FormatError | None) -> Package | FormatError | None:
    if not isinstance(page, Package):
        return page
    return Package(page.tag, page.name, {}, page.counts, page.warning)


class Listing:
    """The files of a revision that may be pages, in those folders that were asked for."""

    def __init__(self, repository: Repository) -> None:
        """Begin with no folder."""
        self._repository = repository
        self._folders: dict[str, dict[str, Entry]] = {}
        self._standing: Counter[str] = Counter()

    def files(self, folder: str, tree: str) -> dict[str, Entry]:
        """Return the files of a folder by path; `tree` is the revision that is listed now."""
        known = self._folders.get(folder)
        if known is None:
            entries = self._repository.entries(tree, folder)
            known = self._folders[folder] = {entry.path: entry for entry in entries}
            self._standing.update(entry.content_id or "" for entry in known.values())
        return known

    def paths(self, tree: str) -> set[str]:
        """Return the paths of all files that may be pages; `tree` is as for `files`."""
        return {entry.path for entry in self._repository.entries(tree)}

    def advance(self, pairs: Iterable[EntryPair]) -> None:
        """Go on to the next revision, which differs in these entries."""
        for old, new in pairs:
            for folder, files in self._folders.items():
                within = f"{folder}/" if folder else ""
                if old and old.path.startswith(within):
                    del files[old.path]
                    self._standing[old.content_id or ""] -= 1
                if new and new.path.startswith(within):
                    files[new.path] = new
                    self._standing[new.content_id or ""] += 1

    def has(self, content_id: str) -> bool:
        """Return whether a file with this content is in one of the folders."""
        return self._standing[content_id] > 0


class PageMemory:
    """Reads pages, each version once, and keeps of each what is still needed.

    That is all of a page that a later section compares, the counts of one that merely stands, and
    nothing of the others: what is kept does not grow with the number of sections.
    """

    def __init__(self, objects: PageObjects, prefix: str, last_use: Mapping[str, int]) -> None:
        """Take where pages come from, and in which section each content is compared last."""
        self._objects = objects
        self._prefix = prefix
        self._last_use = last_use
        self._known: dict[_Key, Package | FormatError | None] = {}
        self._readers: dict[str, _Reader] = {}

    def ask(self, entries: Iterable[Entry | None]) -> None:
        """Let git work ahead on the pages that are not known."""
        self._objects.ask(
            entry
            for entry in entries
            if entry and not entry.fault and self._key(entry) not in self._known
        )

    def read(self, entry: Entry, side: Side) -> Read:
        """Return what a file turned out to be."""
        known: Package | FormatError | None
        if entry.fault:
            known = FormatError(entry.fault)
        else:
            key = self._key(entry)
            known = self._known[key] if key in self._known else self._read(entry, key)
        if isinstance(known, FormatError):
            return BadPage(printable_path(entry.path), side, str(known))
        return known

    def _read(self, entry: Entry, key: _Key) -> Package | FormatError | None:
        is_compared = key.content_id in self._last_use
        content = self._objects.take(entry)
        reader = self._reader(key.end) if is_compared else SitePageReader()
        found: Package | FormatError | None
        try:
            if isinstance(content, FormatError):
                raise content
            found = reader.read(f"{self._prefix}/{printable_path(entry.path)}", content)
        except FormatError as error:
            found = error
        self._known[key] = found if is_compared else _counts_alone(found)
        return found

    def _reader(self, end: str) -> SitePageReader:
        reader = self._readers.get(end)
        if reader is None or reader.readings == _MOST_READINGS:
            reader = self._readers[end] = _Reader()
        reader.readings += 1
        return reader.reader

    def settle(self, pairs: Iterable[EntryPair], section: int, listing: Listing) -> None:
        """Keep of compared pages what sections after this one need."""
        for old, new in pairs:
            for entry in (old, new):
                if entry and self._last_use.get(str(entry.content_id), -1) <= section:
                    self._forget(self._key(entry), listing)
            last = new or old
            if last and self._last_use.get(str(last.content_id), -1) <= section:
                self._readers.pop(self._key(last).end, None)

    def _forget(self, key: _Key, listing: Listing) -> None:
        if not listing.has(key.content_id):
            self._known.pop(key, None)
        elif key in self._known:
            self._known[key] = _counts_alone(self._known[key])

    def _key(self, entry: Entry) -> _Key:
        return _Key(str(entry.content_id), "/".join(entry.path.rsplit("/", 3)[-3:]))
