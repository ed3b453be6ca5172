"""What a report is narrowed to: tags, stacks, packages and kinds by glob."""

import re
from collections.abc import Iterable
from fnmatch import fnmatchcase, translate

from snapdiff.errors import SnapdiffError
from snapdiff.result import Filters, Kind


class Scope:
    """Tells what of two catalogs is compared (tags, packages, stacks) and told of (kinds)."""

    def __init__(self, filters: Filters) -> None:
        """Take globs as a shell writes them, case and all; none means everything.

        Raises SnapdiffError where a glob matches no kind of change, or is not UTF-8 and so matches
        nothing that a page can hold: it can only be a slip.
        """
        self.filters = filters
        for glob in (*filters.tag, *filters.stack, *filters.package, *filters.kind):
            if not _is_unicode(glob):
                raise SnapdiffError(f"{glob}: is not UTF-8, and nothing in a catalog is called so")
        self._tag = _any_of(filters.tag)
        self._stack = _any_of(filters.stack)
        self._package = _any_of(filters.package)
        for glob in filters.kind:
            if not any(fnmatchcase(kind, glob) for kind in Kind):
                raise SnapdiffError(f"{glob}: no kind of change; there are {', '.join(Kind)}")
        kind = _any_of(filters.kind)
        self.kinds = frozenset(item for item in Kind if kind.match(item.value))
        self._stacks: dict[str, bool] = {}

    def has_tag(self, *names: str | None) -> bool:
        """Return whether a tag of one of these names is compared."""
        return any(name is not None and self._tag.match(name) for name in names)

    def has_package(self, name: str) -> bool:
        """Return whether the package is compared."""
        return self._package.match(name) is not None

    def has_stack(self, name: str) -> bool:
        """Return whether the stack is compared."""
        known = self._stacks.get(name)
        if known is None:
            known = self._stacks[name] = self._stack.match(name) is not None
        return known

    def stacks(self, stacks: frozenset[str]) -> Iterable[str]:
        """Return those of some stacks that are compared."""
        if not self.filters.stack:
            return stacks
        return [stack for stack in stacks if self.has_stack(stack)]


def _is_unicode(text: str) -> bool:
    return not any("\ud800" <= char <= "\udfff" for char in text)


def _any_of(globs: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile("|".join(map(translate, globs or ("*",))))
