"""Two catalogs become one CatalogDiff: tags find their counterpart, packages theirs."""

from collections.abc import Callable, Iterable, Iterator
from typing import Literal, NamedTuple, Protocol

from snapdiff import __version__
from snapdiff.catalog.opening import Catalog, CatalogPair, PagePair, Progress, Read, folder_of_tag
from snapdiff.catalog.shelf import Shelf
from snapdiff.diff.tally import TagTally
from snapdiff.diff.totals import Totals
from snapdiff.errors import BadPage, BadPagesError, FormatError
from snapdiff.filters import Scope, narrowed_to_kinds
from snapdiff.model import Package
from snapdiff.result import CatalogDiff, Filters, Revision, SkippedPage, Summary, TagDiff
from snapdiff.sources.base import printable_path

Warn = Callable[[str], None]


def diff_catalogs(
    old: Catalog,
    new: Catalog,
    *,
    filters: Filters | None = None,
    allow_empty: bool = False,
    skip_bad_pages: bool = False,
    warn: Warn = lambda _: None,
    progress: Progress = lambda _done, _all: None,
) -> CatalogDiff:
    """Return what changed from `old` to `new`.

    `warn` is told where a page contradicts itself, `progress` how many of the pages that may have
    changed are compared. Raises RevisionError where a side has no page
    at all (unless `allow_empty`), and BadPagesError where pages cannot be read (unless
    `skip_bad_pages`, which leaves them out on both sides and lists them).
    """
    return diff_pages(
        CatalogPair(old, new, progress),
        End(old.revision, old.source.prefix),
        End(new.revision, new.source.prefix),
        filters=filters,
        allow_empty=allow_empty,
        skip_bad_pages=skip_bad_pages,
        warn=warn,
    )


class End(NamedTuple):
    """One side of a comparison: the revision, and the folders above its pages, as far as known."""

    revision: Revision
    prefix: str


class Pages(Protocol):
    """Two revisions page by page, as `CatalogPair` has them."""

    def changed(self) -> Iterator[PagePair]:
        """Yield every page whose bytes differ between the two, or that one side only has."""
        ...

    def unchanged(self, folders: Iterable[str]) -> Iterator[PagePair]:
        """Yield the pages in some folders that are the same on both sides."""
        ...

    def unchanged_totals(self, folders: Iterable[str], scope: Scope) -> dict[str, Totals] | None:
        """Return by tag what those pages come to, or None where each has to be looked at."""
        ...

    def folders_of(self, tags: set[str]) -> set[str]:
        """Return the folders of such a name that hold pages which are the same on both sides."""
        ...

    def has_unchanged(self) -> bool:
        """Return whether any page at all is the same on both sides."""
        ...

    def require_pages(self) -> None:
        """Raise RevisionError where a side has not a single page."""
        ...


def diff_pages(
    pages: Pages,
    old: End,
    new: End,
    *,
    filters: Filters | None = None,
    allow_empty: bool = False,
    skip_bad_pages: bool = False,
    warn: Warn = lambda _: None,
) -> CatalogDiff:
    """Return what changed between two revisions whose pages are given, as `diff_catalogs` does."""
    scope = Scope(filters or Filters())
    comparison = _Comparison(pages, old, new, scope, warn)
    comparison.run(allow_empty=allow_empty)
    tags = tuple(comparison.tag_diffs())
    bad_pages = comparison.bad_pages()
    if bad_pages and not skip_bad_pages:
        raise BadPagesError(bad_pages)
    everything = CatalogDiff(
        snapdiff=__version__,
        old=old.revision,
        new=new.revision,
        filters=scope.filters,
        summary=Summary.total(stack.summary for tag in tags for stack in tag.stacks),
        tags=tags,
        skipped=tuple(
            SkippedPage(side=page.side, path=page.path, error=page.reason) for page in bad_pages
        ),
    )
    return narrowed_to_kinds(everything)


class _Comparison:
    """The run of a comparison: pages in, tag diffs out."""

    def __init__(self, pages: Pages, old: End, new: End, scope: Scope, warn: Warn) -> None:
        self._pages = pages
        self._scope = scope
        self._warn = warn
        self._tallies: dict[str, TagTally] = {}
        self._old = Shelf(old.prefix)
        self._new = Shelf(new.prefix)
        self._folders: dict[str, set[str]] = {}
        self._bad_pages: list[BadPage] = []

    def run(self, *, allow_empty: bool) -> None:
        """Read all that has to be read; what has its counterpart on the same path is compared."""
        seen = [False, False]
        for pair in self._pages.changed():
            seen = [seen[0] or pair.old is not None, seen[1] or pair.new is not None]
            old, new = self._accept(pair.path, pair.old, pair.new)
            if old and new and (old.tag, old.name) == (new.tag, new.name):
                if self._scope.has_tag(old.tag) and self._scope.has_package(old.name):
                    self._compare(self._tally(old.tag), old, new)
                continue
            if old:
                self._old.put(old)
            if new:
                self._new.put(new)
        if not allow_empty and not all(seen):
            self._pages.require_pages()
        self._count_unchanged()

    def _compare(self, tally: TagTally, old: Package | None, new: Package | None) -> None:
        """Find out what happened to a package; a pair that costs too much is a bad new page."""
        try:
            tally.compare(old, new)
        except FormatError as error:
            if new:
                path = self._new.paths[new.tag, new.name]
                self._bad_pages.append(BadPage(path, "new", str(error)))

    def _accept(self, path: str, old: Read, new: Read) -> tuple[Package | None, Package | None]:
        """Return the packages of a pair of pages, or neither where one of them is bad."""
        if isinstance(old, Package):
            old = self._old.register(old, printable_path(path), "old") or old
        if isinstance(new, Package):
            new = self._new.register(new, printable_path(path), "new") or new
        for page, shelf in ((old, self._old), (new, self._new)):
            if isinstance(page, BadPage):
                self._bad_pages.append(page)
                tag = shelf.leave_out(printable_path(path))
                self._folders.setdefault(tag, set()).add(folder_of_tag(path, tag))
            elif page:
                self._folders.setdefault(page.tag, set()).add(folder_of_tag(path, page.tag))
                if page.warning:
                    self._warn(f"{printable_path(path)}: {page.warning}")
        if isinstance(old, BadPage) or isinstance(new, BadPage):
            # What the one side says the page is, it is on the other too.
            for package in (old, new):
                if isinstance(package, Package):
                    self._old.bad.add((package.tag, package.name))
                    self._new.bad.add((package.tag, package.name))
            return None, None
        return old, new

    def _count_unchanged(self) -> None:
        """Count the packages that did not change, in those tags where something did."""
        touched = {tag for tag, tally in self._tallies.items() if tally.has_changes()}
        touched.update(self._old.waiting, self._new.waiting)
        touched.update(self._old.bad_tags(), self._new.bad_tags())
        folders = {folder for tag in touched for folder in self._folders.get(tag, ())}
        # What seems to have come or gone may stand untouched in another folder of its name.
        one_sided = self._old.tags() ^ self._new.tags()
        if one_sided:
            folders |= self._pages.folders_of(one_sided)
        totals = self._pages.unchanged_totals(folders, self._scope)
        if totals is not None:
            for tag, total in totals.items():
                self._old.standing_tags.add(tag)
                self._new.standing_tags.add(tag)
                if tag in touched:
                    self._tally(tag).add_unchanged_totals(total)
            return
        for path, old, new in self._pages.unchanged(folders):
            package, _ = self._accept(path, old, new)
            if package and package.tag in touched and self._scope.has_package(package.name):
                self._tally(package.tag).add_unchanged(package)

    def _tally(self, tag: str) -> TagTally:
        tally = self._tallies.get(tag)
        if tally is None:
            tally = self._tallies[tag] = TagTally(self._scope)
        return tally

    def bad_pages(self) -> list[BadPage]:
        """Return the pages that cannot be read, in the order of their paths."""
        return sorted(self._bad_pages, key=lambda page: (page.path, page.side != "old"))

    def tag_diffs(self) -> Iterator[TagDiff]:
        """Yield the diff of every tag that changed, came or went, in the order of their names."""
        for old, new in self._tag_pairs():
            if not self._scope.has_tag(old, new):
                continue
            if old is not None and new is not None:
                diff = self._two_sided(old, new)
            elif old is not None:
                diff = self._one_sided(old, "removed", self._old)
            elif new is not None:
                diff = self._one_sided(new, "added", self._new)
            if diff:
                yield diff

    def _tag_pairs(self) -> list[tuple[str | None, str | None]]:
        """Return which tag is compared with which (contract, section 2)."""
        old_tags, new_tags = self._old.tags(), self._new.tags()
        one_each = len(old_tags) == len(new_tags) == 1
        if one_each and old_tags != new_tags and not self._pages.has_unchanged():
            return [(old_tags.pop(), new_tags.pop())]
        # A tag whose pages cannot be read on one side has neither come nor gone.
        old_tags, new_tags = (
            old_tags | (new_tags & self._old.bad_tags()),
            new_tags | (old_tags & self._new.bad_tags()),
        )
        return [
            (tag if tag in old_tags else None, tag if tag in new_tags else None)
            for tag in sorted(old_tags | new_tags)
        ]

    def _two_sided(self, old: str, new: str) -> TagDiff | None:
        tally = self._tally(old)
        left, right = self._old.waiting.get(old, {}), self._new.waiting.get(new, {})
        bad = {name for tag, name in self._old.bad if tag == old}
        bad |= {name for tag, name in self._new.bad if tag == new}
        for name in sorted((left.keys() | right.keys()) - bad):
            if self._scope.has_package(name):
                self._compare(tally, left.get(name), right.get(name))
        return tally.two_sided(old, new) if tally.has_changes() else None

    def _one_sided(
        self, tag: str, status: Literal["added", "removed"], shelf: Shelf
    ) -> TagDiff | None:
        """Return a tag that came or went: counted, but its specs not listed."""
        tally = self._tally(tag)
        for package in shelf.waiting.get(tag, {}).values():
            if self._scope.has_package(package.name):
                tally.count(*((None, package) if status == "added" else (package, None)))
        narrowed = self._scope.filters.package or self._scope.filters.stack
        if narrowed and not tally.has_specs():
            return None
        return tally.one_sided(tag, status)
