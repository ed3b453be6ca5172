"""The kinds of documents: what each is called, what its path says, and what reads it.

A reader is imported when there is a file for it: to import all of them takes a twelfth of what it
takes to compare two small locks.
"""

import re
from collections.abc import Callable, Iterable
from functools import partial
from typing import NamedTuple

from snapdiff.buildcache_layout import (
    BLOB,
    FOLDERS,
    LAYOUT_2,
    LAYOUT_3,
    NO_MIRRORS,
    VIEW,
    Mirrors,
    find_mirrors,
    mirror_folder,
)
from snapdiff.formats.document import Claim, Document, DocumentReader, File
from snapdiff.limits import Limits
from snapdiff.model import EMPTY_PART, ROOT

MARKDOWN = ".md"
PAGE_NAME = "specs.md"
OLDEST_PAGE_NAME = "index.md"
LOCK_NAME = "spack.lock"

NOT_CONCRETE = "spack.yaml"
"""What an environment has before it is concretized: no lock yet."""

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


def is_named_by_folder(path: str) -> bool:
    """Return whether a page has the name of all pages, and its folder that of the package."""
    return is_called(path, PAGE_NAME) or is_called(path, OLDEST_PAGE_NAME)


def names_in_path(path: str) -> tuple[str, str]:
    """Return tag and package as the path has them: `_cache/<tag>/<package>/specs.md`."""
    parts = ("", "", *path.split("/"))
    if is_named_by_folder(path):
        return parts[-3], parts[-2]
    return parts[-2], parts[-1].removesuffix(MARKDOWN)


def naming_end(path: str) -> str:
    """Return the end of a document's path that its content may need to say what it lists.

    A page may be named by its folder and the one above. What the other kinds list is in a tag that
    is the whole path above it: a lock that moves from `v1/x/cpu` to `v2/x/cpu` is another document.

    >>> naming_end("site/_cache/develop/zlib/specs.md")
    'develop/zlib/specs.md'
    """
    return "/".join(path.rsplit("/", 3)[-3:]) if path.endswith(MARKDOWN) else path


class Place(NamedTuple):
    """What a document's path says: the folder above everything in its tag, and what it lists."""

    tag_folder: str
    claim: Claim


def _place_of(folder: str) -> Place:
    """Return the place of a document whose stack is a folder, and its tag the path above it."""
    above, _, last = folder.rpartition("/")
    return Place(above, Claim(above or EMPTY_PART, "stack", last or EMPTY_PART))


class Format:
    """A kind of document: which files are some, what their paths say, and what reads them."""

    name: str = ""
    """The end of the path of a file of this kind, where all end alike."""

    def documents_of(self, path: str) -> tuple[str, ...]:
        """Return the paths of the documents that a file is, or is a part of, by its name."""
        return (path,) if is_called(path, self.name) else ()

    def place(self, path: str) -> Place:
        """Return what the path of a document says; its content may say more."""
        return _place_of(path.removesuffix(self.name).removesuffix("/"))

    def open(self, file: File, limits: Limits) -> Document | None:
        """Return a file as a document, or None where its content is of another kind.

        Raises FormatError with the key path, such as `concrete_specs.<hash>.arch.target`.
        """
        raise NotImplementedError

    def reader(self, limits: Limits) -> DocumentReader:
        """Return a reader of the versions of a document, which knows nothing yet."""
        return partial(self.open, limits=limits)


class SitePages(Format):
    """The site's pages: `specs.md`, and other Markdown by its layout.

    Those of 2021 and 2022 have files beside them, and were called `index.md` at first.
    """

    def documents_of(self, path: str) -> tuple[str, ...]:
        """Return the path of any Markdown, or of the pages that a file may be beside."""
        if path.endswith(MARKDOWN):
            return (path,)
        folder, slash, name = path.rpartition("/")
        if not SPEC_FILE.fullmatch(name):
            return ()
        return f"{folder}{slash}{PAGE_NAME}", f"{folder}{slash}{OLDEST_PAGE_NAME}"

    def place(self, path: str) -> Place:
        """Return the package that the folders of a page name."""
        tag, name = names_in_path(path)
        folder = path.rpartition("/")[0]
        tag_folder = folder.rpartition("/")[0] if is_named_by_folder(path) else folder
        return Place(tag_folder, Claim(tag or EMPTY_PART, "package", name))

    def reader(self, limits: Limits) -> DocumentReader:
        """Return a reader of two versions of a page, or more."""
        from snapdiff.formats.site_page import SitePageReader

        return SitePageReader(limits).read


class EnvironmentLocks(Format):
    """The locks of environments: the stack is the folder that holds one, the tag the path above."""

    name = LOCK_NAME

    def open(self, file: File, limits: Limits) -> Document:  # noqa: ARG002 - of others
        """Return the specs of a lock."""
        from snapdiff.formats.environment_lock import LockListing

        return LockListing(self.place(file.path).claim, file.content)


class InstallDatabases(Format):
    """The databases of install trees: the stack is the tree's folder, the tag the path above."""

    name = DATABASE

    def open(self, file: File, limits: Limits) -> Document:  # noqa: ARG002 - of others
        """Return what is installed."""
        from snapdiff.formats.spack_database import open_database

        return open_database("database", self.place(file.path).claim, file.content)


class BuildcacheIndexes(Format):
    """The indexes of build caches: the stack is the mirror's folder, the tag the path above it.

    Of a mirror that holds others, the path is the tag of these, and its own stack `root`, which has
    what no stack of the tag has.
    """

    def __init__(self, mirrors: Mirrors = NO_MIRRORS) -> None:
        self.mirrors = mirrors

    def documents_of(self, path: str) -> tuple[str, ...]:
        """Return the path of the index or manifest that a file is, or may belong to.

        Then the views of its mirror, and the indexes above that of a stack, as far as known.
        """
        mirror = mirror_folder(path)
        if blob := BLOB.fullmatch(path):
            mirror = blob[1].removesuffix("/")
            found = [f"{blob[1]}{LAYOUT_3}"]
        elif mirror is None:
            return ()
        else:
            found = [path]
            if is_called(path, LAYOUT_3):
                found.append(f"{path.removesuffix(LAYOUT_3)}{LAYOUT_2}")
        # A blob may be a view's. A main index puts views out of use, and in again where it goes.
        found += self.mirrors.views.get(mirror, ())
        above = mirror.rpartition("/")[0]
        if not set(found).isdisjoint(self.mirrors.stacks.get(above, ())):  # it changes with them
            found += [f"{above}/{index}" if above else index for index in (LAYOUT_3, LAYOUT_2)]
        return tuple(found)

    def place(self, path: str) -> Place:
        """Return the mirror that has an index of this path.

        A view is a stack of its own name in the tag of its mirror.
        """
        folder = mirror_folder(path) or ""
        tag_folder, claim = _place_of(folder)
        if view := VIEW.fullmatch(path):
            claim = claim._replace(name=view[2])
        elif folder in self.mirrors.stacks:
            claim = Claim(folder or claim.tag, "stack", ROOT)
        return Place(folder if folder in self.mirrors.stacks else tag_folder, claim)

    def open(self, file: File, limits: Limits) -> Document | None:
        """Return what an index lists, or None where another index of the mirror has it all."""
        from snapdiff.formats.spack_database import open_index

        stacks = self.mirrors.stacks.get(mirror_folder(file.path) or "", ())
        return open_index(file, self.place(file.path).claim, stacks, limits)


class SiteData(Format):
    """The data of the 2026 site: which stacks and releases it lists, only its records say."""

    def documents_of(self, path: str) -> tuple[str, ...]:
        """Return the path of the `specs_data.json` that a file is, or belongs to, or with `.gz`."""
        folder, slash, name = path.rpartition("/")
        if name.removesuffix(COMPRESSED) not in (SPECS_DATA, PACKAGE_DATA):
            return ()
        return (folder + slash + name.replace(PACKAGE_DATA, SPECS_DATA),)

    def place(self, path: str) -> Place:
        """Return the folder that holds the data of all releases."""
        folder = path.rpartition("/")[0]
        return _place_of(folder)._replace(tag_folder=folder)

    def open(self, file: File, limits: Limits) -> Document:
        """Return the specs of the site's data."""
        from snapdiff.formats.site_data import open_site_data

        return open_site_data(file, limits)


class Documents:
    """The kinds of documents, as what a source is asked for and as what reads its files."""

    def __init__(self, mirrors: Mirrors = NO_MIRRORS) -> None:
        self._mirrors = mirrors
        indexes = BuildcacheIndexes(mirrors)
        self._kinds = (SitePages(), EnvironmentLocks(), InstallDatabases(), indexes, SiteData())

    names = (
        "specs.md (or *.md with layout: cache), spack.lock, an index of a build cache, "
        ".spack-db/index.json or specs_data.json"
    )
    """The files that are read, for messages: the usual one of each kind."""

    inner_paths = ((DATABASE_FOLDER, DATABASE), *FOLDERS.items(), (LAYOUT_3, LAYOUT_3))
    """Ends of paths that mean the mirror or install tree around, and what that has to have."""

    def way_out(self, holds: Callable[[str], bool]) -> str:
        """Return what to do about a folder without a document; empty where it says nothing.

        `holds` says whether there is a file or a folder of some path in it.
        """
        if holds(NOT_CONCRETE) and not holds(LOCK_NAME):
            return f"{NOT_CONCRETE} is here, {LOCK_NAME} is not: run `spack concretize`"
        if holds("build_cache") or holds("v3/manifests"):
            return "a build cache is here, its index is not: run `spack buildcache update-index`"
        return ""

    def is_searched(self, folder: str) -> bool:
        """Return whether files are looked for in folders of this name: not in hidden ones.

        The one hidden folder with a document in it is that of an install database.
        """
        return not folder.startswith(".") or folder == DATABASE_FOLDER

    def is_document(self, path: str) -> bool:
        """Return whether a file's name alone says that it is a document."""
        return is_called(path, PAGE_NAME) if path.endswith(MARKDOWN) else self.is_read(path)

    def may_be_document(self, path: str) -> bool:
        """Return whether a file has to be looked at: a document, or a part of one."""
        return path.endswith(MARKDOWN) or bool(self.documents_of(path))

    def size_limit(self, path: str, limits: Limits) -> int:
        """Return how many bytes a file may have: pages are small, all else can be large."""
        return limits.page_size if path.endswith(MARKDOWN) else limits.document_size

    def is_read(self, path: str) -> bool:
        """Return whether a file may be a document itself, not just a part of another one."""
        return path in self.documents_of(path)

    def documents_of(self, path: str) -> tuple[str, ...]:
        """Return the paths of the documents that change where a file does, its own included."""
        return next(filter(None, (kind.documents_of(path) for kind in self._kinds)), ())

    def _kind(self, path: str) -> Format:
        return next(kind for kind in self._kinds if kind.documents_of(path))

    def place(self, path: str, above: str = "") -> Place:
        """Return the folder of a document's tag, and what it lists as far as its path says.

        A page may be named by the folders `above` what is compared, too.
        """
        is_page = path.endswith(MARKDOWN)
        return self._kind(path).place(f"{above}/{path}" if above and is_page else path)

    def reader(self, path: str, limits: Limits) -> DocumentReader:
        """Return a reader for the versions of one file; it knows nothing yet."""
        return self._kind(path).reader(limits)

    def with_mirrors(self, paths: Iterable[str]) -> "Documents":
        """Return the kinds for a catalog with files of these paths.

        Of a build cache that holds others below it, the path is the tag of the others. These kinds
        themselves are returned where they are right for such a catalog.
        """
        mirrors = find_mirrors(paths)
        return self if mirrors == self._mirrors else Documents(mirrors)

    def is_index(self, path: str) -> bool:
        """Return whether a file is the index of a build cache: then `with_mirrors` matters."""
        return mirror_folder(path) is not None


DOCUMENTS = Documents()
"""All kinds, for catalogs whose build caches do not hold others."""
