"""Tags that are compared with their successors: week by week another name, and still one tag."""

from collections import Counter

from snapdiff.catalog.reading import FilePair
from snapdiff.filters import Scope
from snapdiff.formats.base import Document
from snapdiff.model import Package


class FollowedTags:
    """Knows the tags of the newest snapshot, and which of them are looked at.

    Where each of two snapshots has exactly one tag, the one is compared with the other, whatever
    they are called (docs/specification.md, section 2): `develop-2025-06-01` is followed by
    `develop-2025-06-08`. A filter that lets one of them in lets in what follows it.
    """

    def __init__(self, scope: Scope) -> None:
        """Begin with no tag; `scope` says which are looked at."""
        self._scope = scope
        self._packages: Counter[str] = Counter()
        self._before: set[str] = set()
        self._followed: set[str] = set()

    def begin(self, package: Package) -> None:
        """Take a package of the first snapshot."""
        self._packages[package.tag] += 1
        self._before.add(package.tag)

    def add(self, files: FilePair) -> None:
        """Take a file that differs in the snapshot that comes next."""
        if files.packages:
            for pair in files.packages.pairs:
                tag = pair.tags[0] or ""
                has = [bool(side or pair.common) for side in (pair.old, pair.new)]
                self._packages[tag] += has[1] - has[0]
            return
        for document, sign in ((files.old, -1), (files.new, 1)):
            if isinstance(document, Document):
                for package in document.packages:
                    self._packages[package.tag] += sign

    def end_snapshot(self) -> tuple[str, str] | None:
        """Return the only tag of the snapshot before and its successor, where there is one."""
        before, after = self._before, {tag for tag, number in self._packages.items() if number > 0}
        self._before = after
        if len(before) != 1 or len(after) != 1 or before == after:
            return None
        [old], [new] = before, after
        if self.is_wanted(old) or self._scope.has_tag(new):
            self._followed |= {old, new}
        return old, new

    def is_wanted(self, tag: str) -> bool:
        """Return whether a tag is looked at."""
        return self._scope.has_tag(tag) or tag in self._followed
