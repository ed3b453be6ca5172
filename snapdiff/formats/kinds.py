"""The kinds of documents: what each is called, what its path says, and what reads it.

A reader is imported when there is a file for it: to import all of them takes a twelfth of what it
takes to compare two small locks.
"""

import re
from abc import ABC, abstractmethod

from snapdiff.buildcache_layout import (
    BLOB,
    LAYOUT_2,
    LAYOUT_3,
    VIEW,
    Aggregates,
    mirror_folder,
    mirror_or_folder,
)
from snapdiff.formats.document import Claim, DocumentReader
from snapdiff.limits import Limits
from snapdiff.model import EMPTY_PART, ROOT

MARKDOWN = ".md"
PAGE_NAME = "specs.md"
OLDEST_PAGE_NAME = "index.md"
LOCK_NAME = "spack.lock"

DATABASE_FOLDER = ".spack-db"
DATABASE = f"{DATABASE_FOLDER}/index.json"

SPEC_FILE = re.compile(r"spec-[0-9]+\.json")
"""What the files beside a page of 2021 or 2022 are called."""

SPECS_DATA = "specs_data.json"
PACKAGE_DATA = "package_data.json"
COMPRESSED = ".gz"


def is_called(path: str, name: str) -> bool:
    """Return whether a path ends in a name of one part or more."""
    return path == name or path.endswith(f"/{name}")


class Format(ABC):
    """A kind of document: which files are some, and what their paths say."""

    @abstractmethod
    def is_named(self, path: str) -> bool:
        """Return whether the name alone says that a file is of this kind."""

    def documents_of(self, path: str) -> tuple[str, ...]:
        """Return the paths of the documents that a file is, or is a part of, by its name."""
        return (path,) if self.is_named(path) else ()

    def folder(self, path: str) -> str:
        """Return the folder that is the stack which a document lists."""
        return path.rpartition("/")[0]

    def tag_folder(self, path: str) -> str:
        """Return the folder above everything that is in the tag of a document."""
        return self.folder(path).rpartition("/")[0]

    def claim_of_path(self, path: str) -> Claim:
        """Return what a document lists, as far as its path says.

        The stack is the folder, the tag the path above it.
        """
        above, _, last = self.folder(path).rpartition("/")
        return Claim(above or EMPTY_PART, "stack", last or EMPTY_PART)

    @abstractmethod
    def reader(self, limits: Limits) -> DocumentReader:
        """Return a reader that knows nothing yet."""


class SitePages(Format):
    """The site's pages: `specs.md`, and other Markdown by its layout.

    Those of 2021 and 2022 have files beside them, and were called `index.md` at first.
    """

    def is_named(self, path: str) -> bool:
        """Return whether a file is a page whatever it holds."""
        return is_called(path, PAGE_NAME)

    def documents_of(self, path: str) -> tuple[str, ...]:
        """Return the path of any Markdown, or of the pages that a file may be beside."""
        if path.endswith(MARKDOWN):
            return (path,)
        folder, slash, name = path.rpartition("/")
        if not SPEC_FILE.fullmatch(name):
            return ()
        return f"{folder}{slash}{PAGE_NAME}", f"{folder}{slash}{OLDEST_PAGE_NAME}"

    def tag_folder(self, path: str) -> str:
        """Return the folder above the package's, whatever it is called."""
        folder = self.folder(path)
        return folder.rpartition("/")[0] if is_named_by_folder(path) else folder

    def claim_of_path(self, path: str) -> Claim:
        """Return the package that the folders of a page name."""
        tag, name = names_in_path(path)
        return Claim(tag or EMPTY_PART, "package", name)

    def reader(self, limits: Limits) -> DocumentReader:
        """Return a reader of two versions of a page, or more."""
        from snapdiff.formats.site_page import SitePageReader

        return SitePageReader(limits).read


def is_named_by_folder(path: str) -> bool:
    """Return whether a page has the name of all pages, and its folder that of the package."""
    return is_called(path, PAGE_NAME) or is_called(path, OLDEST_PAGE_NAME)


def names_in_path(path: str) -> tuple[str, str]:
    """Return tag and package as the path has them: `_cache/<tag>/<package>/specs.md`."""
    parts = ("", "", *path.split("/"))
    if is_named_by_folder(path):
        return parts[-3], parts[-2]
    return parts[-2], parts[-1].removesuffix(MARKDOWN)


class EnvironmentLocks(Format):
    """The locks of environments: the stack is the folder that holds one, the tag the path above."""

    def is_named(self, path: str) -> bool:
        """Return whether a file is called `spack.lock`."""
        return is_called(path, LOCK_NAME)

    def reader(self, limits: Limits) -> DocumentReader:
        """Return a reader of the versions of a lock."""
        from snapdiff.formats.environment_lock import open_lock
        from snapdiff.formats.listing import listing_reader

        return listing_reader(
            limits,
            lambda file, builds: open_lock(file, self.claim_of_path(file.path), builds),
        )


class InstallDatabases(Format):
    """The databases of install trees: the stack is the tree's folder, the tag the path above."""

    def is_named(self, path: str) -> bool:
        """Return whether a file is `.spack-db/index.json` in some folder."""
        return is_called(path, DATABASE)

    def folder(self, path: str) -> str:
        """Return the folder of the tree, which is above that of its database."""
        folder = super().folder(path)
        if is_called(folder, DATABASE_FOLDER):
            return folder.removesuffix(DATABASE_FOLDER).removesuffix("/")
        return folder

    def reader(self, limits: Limits) -> DocumentReader:
        """Return a reader of the versions of a database."""
        from snapdiff.formats.listing import listing_reader
        from snapdiff.formats.spack_database import open_database

        return listing_reader(
            limits,
            lambda file, builds: open_database(
                "database", self.claim_of_path(file.path), file.content, builds
            ),
        )


class BuildcacheIndexes(Format):
    """The indexes of build caches: the stack is the mirror's folder, the tag the path above it."""

    def __init__(self, aggregates: Aggregates) -> None:
        """Take the folders of mirrors that hold other mirrors, each with these.

        The path of such a mirror is the tag of the mirrors in it, and its own stack `root`, which
        has what no stack of the tag has (see `aggregate_mirrors`).
        """
        self._aggregates = aggregates

    def is_named(self, path: str) -> bool:
        """Return whether the path is that of an index in a mirror, of its manifest or of a view."""
        return mirror_folder(path) is not None

    def documents_of(self, path: str) -> tuple[str, ...]:
        """Return the path of the index or manifest that a file is, or belongs to."""
        if is_called(path, LAYOUT_3):
            # A manifest that is new, or gone, puts an index of layout 2 out of use or in.
            return path, f"{path.removesuffix(LAYOUT_3)}{LAYOUT_2}"
        blob = BLOB.fullmatch(path)
        return (f"{blob[1]}{LAYOUT_3}",) if blob else super().documents_of(path)

    def folder(self, path: str) -> str:
        """Return the folder of the mirror."""
        return mirror_or_folder(path)

    def tag_folder(self, path: str) -> str:
        """Return the folder above the mirror, or that of an aggregate itself."""
        folder = self.folder(path)
        return folder if folder in self._aggregates else super().tag_folder(path)

    def claim_of_path(self, path: str) -> Claim:
        """Return the stack and the tag of the mirror that has an index of this path.

        A view is a stack of its own name in the tag of its mirror.
        """
        claim = super().claim_of_path(path)
        if view := VIEW.fullmatch(path):
            return claim._replace(name=view[2])
        folder = self.folder(path)
        return Claim(folder or claim.tag, "stack", ROOT) if folder in self._aggregates else claim

    def reader(self, limits: Limits) -> DocumentReader:
        """Return a reader of the versions of an index."""
        from snapdiff.formats.listing import listing_reader
        from snapdiff.formats.spack_database import open_index

        return listing_reader(
            limits,
            lambda file, builds: open_index(
                file,
                self.claim_of_path(file.path),
                self._aggregates.get(self.folder(file.path), ()),
                limits,
                builds,
            ),
        )


class SiteData(Format):
    """The data of the 2026 site: which stacks and releases it lists, only its records say."""

    def is_named(self, path: str) -> bool:
        """Return whether a file is called `specs_data.json`, or that with `.gz`."""
        return is_called(path.removesuffix(COMPRESSED), SPECS_DATA)

    def documents_of(self, path: str) -> tuple[str, ...]:
        """Return the path of the `specs_data.json` that a file is, or belongs to."""
        folder, slash, name = path.rpartition("/")
        if name.removesuffix(COMPRESSED) == PACKAGE_DATA:
            return (folder + slash + name.replace(PACKAGE_DATA, SPECS_DATA),)
        return super().documents_of(path)

    def tag_folder(self, path: str) -> str:
        """Return the folder that holds the data of all releases."""
        return self.folder(path)

    def reader(self, limits: Limits) -> DocumentReader:
        """Return a reader of the versions of the data."""
        from snapdiff.formats.listing import listing_reader
        from snapdiff.formats.site_data import open_site_data

        return listing_reader(limits, lambda file, builds: open_site_data(file, limits, builds))
