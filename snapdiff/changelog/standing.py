"""What the pages of a revision come to, kept up to date from one step to the next.

Most pages stand as they are in most steps. To count each of them again would cost more than all the
rest, so what they come to is added up once, and then only what changed is taken out and put in.
"""

from collections.abc import Iterable
from typing import NamedTuple

from snapdiff.changelog.pages import Listing, PageMemory
from snapdiff.diff.totals import Totals, specs_by_stack
from snapdiff.filters import Scope
from snapdiff.model import Package
from snapdiff.sources.base import Entry, EntryPair


class _Counted(NamedTuple):
    """A page as it is counted: `by_stack` is empty where its package is not asked for."""

    tag: str
    name: str
    by_stack: dict[str, int]
    in_any: int


class _Folder:
    """The pages of a folder by path, and what those of each tag come to.

    `is_sound` says that no page is bad and no package is on two pages: what is not sound is looked
    at page by page.
    """

    def __init__(self) -> None:
        self.pages: dict[str, _Counted] = {}
        self.paths: dict[tuple[str, str], str] = {}
        self.totals: dict[str, Totals] = {}
        self.numbers: dict[str, int] = {}
        self.is_sound = True

    def put(self, path: str, page: _Counted) -> None:
        """Count a page."""
        self.pages[path] = page
        if self.paths.setdefault((page.tag, page.name), path) != path:
            self.is_sound = False
        self.totals.setdefault(page.tag, Totals()).add(page.by_stack, page.in_any)
        self.numbers[page.tag] = self.numbers.get(page.tag, 0) + 1

    def take(self, path: str) -> None:
        """Count a page no longer."""
        page = self.pages.pop(path, None)
        if page is not None:
            self.paths.pop((page.tag, page.name), None)
            self.totals[page.tag].add(page.by_stack, page.in_any, -1)
            self.numbers[page.tag] -= 1


class Standing:
    """The counts of the revision before the current step, in the folders that were asked for."""

    def __init__(self, memory: PageMemory, listing: Listing) -> None:
        """Begin with no folder."""
        self._memory = memory
        self._listing = listing
        self._folders: dict[str, _Folder] = {}
        self._wanted: set[str] = set()
        self._scope: Scope | None = None

    def totals(
        self, folders: Iterable[str], scope: Scope, pairs: Iterable[EntryPair]
    ) -> dict[str, Totals] | None:
        """Return by tag what the pages come to that are not in `pairs`, the current step.

        None where that is not known yet, or where a page is not as it should be.
        """
        wanted = set(folders)
        self._wanted |= wanted
        self._scope = scope
        known = [self._folders.get(folder) for folder in wanted]
        found: dict[str, Totals] = {}
        numbers: dict[str, int] = {}
        for folder in known:
            if folder is None or not folder.is_sound:
                return None
            for tag, total in folder.totals.items():
                if tag in found:
                    return None
                found[tag] = Totals(total)
                numbers[tag] = folder.numbers[tag]
        if not self._take_out(found, numbers, wanted, list(pairs)):
            return None
        return {tag: total for tag, total in found.items() if numbers[tag]}

    def _take_out(
        self,
        found: dict[str, Totals],
        numbers: dict[str, int],
        folders: set[str],
        pairs: list[EntryPair],
    ) -> bool:
        """Take the pages of the step out of the totals; return whether they are as they should."""
        changed = {entry.path for pair in pairs for entry in pair if entry}
        for name in folders:
            folder = self._folders[name]
            for path in changed:
                page = folder.pages.get(path)
                if page is not None:
                    found[page.tag].add(page.by_stack, page.in_any, -1)
                    numbers[page.tag] -= 1
            for pair in pairs:
                for entry in pair:
                    package = self._memory.read(entry, "new") if entry else None
                    if isinstance(package, Package):
                        place = folder.paths.get((package.tag, package.name))
                        if place is not None and place not in changed:
                            return False
                    elif package is not None:
                        return False
        return True

    def advance(self, pairs: Iterable[EntryPair], tree: str) -> None:
        """Go on to the next revision, which differs in these entries; `tree` is its tree."""
        pairs = list(pairs)
        for name, folder in self._folders.items():
            within = f"{name}/" if name else ""
            for old, _ in pairs:
                if old and old.path.startswith(within):
                    folder.take(old.path)
            for _, new in pairs:
                if new and new.path.startswith(within):
                    self._put(folder, new)
        for name in self._wanted:
            if name not in self._folders or not self._folders[name].is_sound:
                folder = self._folders[name] = _Folder()
                for entry in self._listing.files(name, tree).values():
                    self._put(folder, entry)

    def _put(self, folder: _Folder, entry: Entry) -> None:
        page = self._memory.read(entry, "new")
        if isinstance(page, Package):
            assert self._scope is not None
            counts: tuple[dict[str, int], int] = {}, 0
            if self._scope.has_package(page.name):
                counts = specs_by_stack(page, self._scope)
            folder.put(entry.path, _Counted(page.tag, page.name, *counts))
        elif page is not None:
            folder.is_sound = False
