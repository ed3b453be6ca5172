"""The kinds of documents that a file may be of, each imported when such a file is found.

To import all of them takes a twelfth of what it takes to compare two small locks.
"""

from collections.abc import Sequence
from functools import cache

from snapdiff.buildcache_layout import BLOB
from snapdiff.formats.aggregates import Aggregates
from snapdiff.formats.base import Format
from snapdiff.formats.document_names import (
    COMPRESSED,
    LOCK_NAME,
    MARKDOWN,
    PACKAGE_DATA,
    SPEC_FILE,
    SPECS_DATA,
)

_INDEX_NAMES = ("index.json", "index.manifest.json")
_SITE_NAMES = (SPECS_DATA, PACKAGE_DATA)


class Kinds:
    """The kinds of documents, in the order in which they are asked what a file is."""

    def __init__(self, aggregates: Aggregates, views: Aggregates) -> None:
        """Take the aggregates among the build caches, and the views; nothing is imported yet."""
        self.aggregates = aggregates
        self.views = views
        self._of_indexes: tuple[Format, ...] = ()

    def of(self, path: str) -> Sequence[Format]:
        """Return the kinds that a file may be of, or a part of, by the end of its name."""
        if path.endswith(MARKDOWN):
            return _pages()
        name = path.rpartition("/")[2]
        if name == LOCK_NAME:
            return _locks()
        if name in _INDEX_NAMES or BLOB.fullmatch(path):
            return self._indexes()
        if name.removesuffix(COMPRESSED) in _SITE_NAMES:
            return _site_data()
        return _pages() if SPEC_FILE.fullmatch(name) else ()

    def all(self) -> tuple[Format, ...]:
        """Return all kinds there are."""
        return (*_locks(), *self._indexes(), *_site_data(), *_pages())

    def _indexes(self) -> tuple[Format, ...]:
        if not self._of_indexes:
            from snapdiff.formats.buildcache_index import BuildcacheIndex
            from snapdiff.formats.install_database import InstallDatabase

            layouts = (BuildcacheIndex(3, self.aggregates), BuildcacheIndex(2, self.aggregates))
            self._of_indexes = (*layouts, InstallDatabase())
        return self._of_indexes


@cache
def _pages() -> tuple[Format, ...]:
    from snapdiff.formats.old_pages import OldPage
    from snapdiff.formats.site_page import SitePages

    return (OldPage("specs.md"), OldPage("index.md"), SitePages())


@cache
def _locks() -> tuple[Format, ...]:
    from snapdiff.formats.environment_lock import EnvironmentLock

    return (EnvironmentLock(),)


@cache
def _site_data() -> tuple[Format, ...]:
    from snapdiff.formats.site_data import SiteData

    return (SiteData(),)
