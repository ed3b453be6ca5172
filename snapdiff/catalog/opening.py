"""A revision as packages: a source read through a format, and two of them page by page."""

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from snapdiff.errors import BadPage, FormatError, RevisionError, Side
from snapdiff.formats.site_page import SitePageReader
from snapdiff.model import Package
from snapdiff.result import Revision
from snapdiff.sources.base import PAGE_NAME, Content, Entry, Source, pair_entries, printable_path
from snapdiff.sources.revisions import SourceOpener

Read = Package | BadPage | None
"""What a file turned out to be: a package, a page that cannot be read, or no page at all."""


Progress = Callable[[int, int], None]
"""Is told how many of how many steps are done."""


class PagePair(NamedTuple):
    """The same path on both sides; None where there is no such page."""

    path: str
    old: Read
    new: Read


class Catalog:
    """One revision of a catalog; its pages are read when they are compared."""

    def __init__(self, source: Source) -> None:
        """Take the source that `open_catalogs` or `load_catalog` found."""
        self.source = source

    @property
    def revision(self) -> Revision:
        """What was asked for, and the commit it is, if it is one."""
        return Revision(source=self.source.name, commit=self.source.commit, date=self.source.date)

    def packages(self) -> Iterator[Package | BadPage]:
        """Yield every page, in the order of their paths."""
        entries = list(self.source.entries())
        for entry, content in zip(entries, self.source.read(entries), strict=True):
            page = self.read(entry, content, "old", SitePageReader())
            if page is not None:
                yield page

    def read(self, entry: Entry, content: Content, side: Side, reader: SitePageReader) -> Read:
        """Return what a file turned out to be."""
        return self._found(entry, content, side, reader.read)

    def count(self, entry: Entry, content: Content) -> Read:
        """Return what a file turned out to be that is the same on both sides."""
        return self._found(entry, content, "old", SitePageReader().count)

    def _found(
        self,
        entry: Entry,
        content: Content,
        side: Side,
        read: Callable[[str, bytes], Package | None],
    ) -> Read:
        try:
            if isinstance(content, FormatError):
                raise content
            return read(self.path(entry), content)
        except FormatError as error:
            return BadPage(printable_path(entry.path), side, str(error))

    def path(self, entry: Entry) -> str:
        """Return the path of a file with the folders above it, as far as they are known."""
        return f"{self.source.prefix}/{printable_path(entry.path)}"


def load_catalog(name: str | Path, *, repository: str | Path = ".") -> Catalog:
    """Return the revision or directory called `name`, looked up in the repository.

    Raises RevisionError where there is no such thing.
    """
    return Catalog(SourceOpener(Path(repository)).open(str(name)))


def open_catalogs(arguments: tuple[str, ...], repository: Path) -> tuple[Catalog, Catalog]:
    """Return the old and the new catalog that none, one or two arguments stand for.

    Raises RevisionError where one does not exist or could be two things.
    """
    old, new = SourceOpener(repository).open_pair(arguments)
    return Catalog(old), Catalog(new)


class CatalogPair:
    """Two revisions, page by page: first what differs, then, where asked, what does not."""

    def __init__(
        self, old: Catalog, new: Catalog, progress: Progress = lambda _done, _all: None
    ) -> None:
        """Take the two revisions; nothing is read yet. `progress` is told of each page compared."""
        self._old = old
        self._new = new
        self._progress = progress
        self._changed_paths: set[str] = set()

    def changed(self) -> Iterator[PagePair]:
        """Yield every page whose bytes differ between the two, or that one side only has."""
        known = self._old.source.changed_entries(self._new.source)
        pairs = known if known is not None else pair_entries(self._old.source, self._new.source)
        contents = self._old.source.read_both(self._new.source, pairs)
        for done, ((old, new), (before, after)) in enumerate(zip(pairs, contents, strict=True)):
            self._progress(done, len(pairs))
            if isinstance(before, bytes) and before == after:
                continue
            pair = self._read_pair(old, before, new, after)
            self._changed_paths.add(pair.path)
            if pair.old is not None or pair.new is not None:
                yield pair

    def _read_pair(
        self, old: Entry | None, before: Content | None, new: Entry | None, after: Content | None
    ) -> PagePair:
        reader = SitePageReader()
        if old and new and isinstance(before, bytes) and isinstance(after, bytes):
            both = reader.read_both(self._old.path(old), before, self._new.path(new), after)
            if both:
                return PagePair(old.path, *both)
        return PagePair(
            _path(old, new),
            self._old.read(old, before, "old", reader) if old and before is not None else None,
            self._new.read(new, after, "new", reader) if new and after is not None else None,
        )

    def unchanged(self, folders: Iterable[str]) -> Iterator[PagePair]:
        """Yield the pages in some folders that are the same on both sides; call `changed` first."""
        source = self._new.source
        paths: dict[str, Entry] = {}
        for folder in sorted(set(folders)):
            for entry in source.entries(folder):
                if entry.path not in self._changed_paths:
                    paths.setdefault(entry.path, entry)
        entries = list(paths.values())
        for entry, content in zip(entries, source.read(entries), strict=True):
            old = self._old.count(entry, content)
            if old is not None:
                new = old if isinstance(old, Package) else BadPage(old.path, "new", old.reason)
                yield PagePair(entry.path, old, new)

    def unchanged_totals(self, _folders: Iterable[str], _scope: object) -> None:
        """Return None: each page has to be looked at."""

    def folders_of(self, tags: set[str]) -> set[str]:
        """Return the folders of such a name that hold pages which are the same on both sides."""
        paths = {entry.path for entry in self._new.source.entries()}
        return folders_named(tags, paths - self._changed_paths)

    def has_unchanged(self) -> bool:
        """Return whether any page at all is the same on both sides; call `changed` first."""
        return any(True for _ in self.unchanged([""]))

    def require_pages(self) -> None:
        """Raise RevisionError where a side has not a single page."""
        for catalog in (self._old, self._new):
            if not _has_page(catalog):
                raise RevisionError(
                    f"{catalog.source.name}: holds no catalog page "
                    f"({PAGE_NAME}, or *.md with layout: cache); "
                    "name a folder that does, or pass --allow-empty"
                )


def folder_of_tag(path: str, tag: str) -> str:
    """Return the folder on a page's path that carries the tag's name, or the topmost one."""
    folders = path.split("/")[:-1]
    while folders and folders[-1] != tag:
        folders.pop()
    return "/".join(folders)


def folders_named(tags: set[str], paths: Iterable[str]) -> set[str]:
    """Return the folders on some paths that carry the name of one of the tags."""
    return {
        folder_of_tag(path, tag)
        for path in paths
        for tag in tags.intersection(path.split("/")[:-1])
    }


def _has_page(catalog: Catalog) -> bool:
    entries = list(catalog.source.entries())
    if any(entry.path.rpartition("/")[2] == PAGE_NAME for entry in entries):
        return True
    contents = catalog.source.read(entries)
    return any(
        catalog.read(entry, content, "new", SitePageReader()) is not None
        for entry, content in zip(entries, contents, strict=True)
    )


def _path(old: Entry | None, new: Entry | None) -> str:
    entry = old or new
    assert entry is not None
    return entry.path
