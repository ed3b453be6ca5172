"""Which files a source lists: formats say what they read, and a source asks them."""

from collections.abc import Callable, Sequence
from typing import Protocol

from snapdiff.limits import Limits, SizeLimit
from snapdiff.sources.paths import EVERYWHERE, Paths
from snapdiff.sources.source import Entry


class Wanted(Protocol):
    """What is looked for. A path has `/` between its parts, as far as they are known."""

    @property
    def names(self) -> str:
        """The files that are read, in words, for an error that has to say so."""
        ...

    @property
    def inner_paths(self) -> Sequence[tuple[str, str]]:
        """Ends of paths that mean the folder around them, and what has to be in that."""
        ...

    def way_out(self, holds: Callable[[str], bool]) -> str:
        """Return what to do about a folder without a document; `holds` says what is in it."""
        ...

    def is_searched(self, folder: str) -> bool:
        """Return whether files are looked for in folders of this name."""
        ...

    def is_document(self, path: str) -> bool:
        """Return whether a file has to be readable, because it is called like a document."""
        ...

    def size_limit(self, path: str, limits: Limits) -> SizeLimit:
        """Return how large a file may be to be read."""
        ...

    def may_be_document(self, path: str) -> bool:
        """Return whether a file has to be looked at; every document is one of these."""
        ...


class Selection:
    """Picks the entries of a source out of all its files."""

    def __init__(self, wanted: Wanted, paths: Paths = EVERYWHERE) -> None:
        """Take what is looked for, and where."""
        self._wanted = wanted
        self._paths = paths
        self._searched: dict[str, bool] = {"": True}

    def has(self, entry: Entry) -> bool:
        """Return whether a file is wanted.

        Of those that cannot be read, a symbolic link for instance, only one that is called like a
        document is missed.
        """
        is_wanted = self._wanted.is_document if entry.fault else self._wanted.may_be_document
        path = entry.path
        return (
            is_wanted(path)
            and self._is_searched(path.rpartition("/")[0])
            and (self._paths is EVERYWHERE or self._paths.has(path))
        )

    def _is_searched(self, folder: str) -> bool:
        known = self._searched.get(folder)
        if known is None:
            known = all(map(self._wanted.is_searched, folder.split("/")))
            self._searched[folder] = known
        return known
