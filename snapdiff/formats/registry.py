"""Which of the kinds of documents a file may be: by its path, or by what is in it."""

import re
from collections.abc import Callable, Iterable

from snapdiff.buildcache_layout import (
    FOLDERS,
    LAYOUT_2,
    LAYOUT_3,
    NO_MIRRORS,
    Mirrors,
    find_mirrors,
    mirror_folder,
)
from snapdiff.formats.document import DocumentReader
from snapdiff.formats.kinds import (
    DATABASE,
    DATABASE_FOLDER,
    LOCK_NAME,
    MARKDOWN,
    PAGE_NAME,
    BuildcacheIndexes,
    EnvironmentLocks,
    Format,
    InstallDatabases,
    Place,
    SiteData,
    SitePages,
    is_called,
)
from snapdiff.limits import Limits, SizeLimit, plain_content


def naming_end(path: str) -> str:
    """Return the end of a document's path that its content may need to say what it lists.

    A page may be named by its folder and the one above. What the other kinds list is in a tag that
    is the whole path above it: a lock that moves from `v1/x/cpu` to `v2/x/cpu` is another document.

    >>> naming_end("site/_cache/develop/zlib/specs.md")
    'develop/zlib/specs.md'
    """
    return "/".join(path.rsplit("/", 3)[-3:]) if path.endswith(MARKDOWN) else path


NOT_CONCRETE = "spack.yaml"
"""What an environment has before it is concretized: no lock yet."""


class Documents:
    """The kinds of documents, as what a source is asked for and as what reads its files."""

    def __init__(self, mirrors: Mirrors = NO_MIRRORS) -> None:
        self._mirrors = mirrors
        others: tuple[Format, ...] = (SitePages(), EnvironmentLocks(), InstallDatabases())
        self._kinds = (*others, BuildcacheIndexes(mirrors), SiteData())

    names = (
        "specs.md (or *.md with layout: cache), spack.lock, an index of a build cache, "
        ".spack-db/index.json or specs_data.json"
    )
    """The files that are read, for messages: the usual one of each kind."""

    inner_paths = (
        (DATABASE_FOLDER, DATABASE),
        *FOLDERS.items(),
        (LAYOUT_3, LAYOUT_3),
    )
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

    def size_limit(self, path: str, limits: Limits) -> SizeLimit:
        """Return how large a file may be: pages are small, all else can be large."""
        return limits.page if path.endswith(MARKDOWN) else limits.document

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


# --- A document that was named itself, in any of the forms in which people keep one ---

_HEAD = 4096
"""Within how many bytes a document says what it is; Spack does so at once."""

_SIGNED = re.compile(
    rb"-----BEGIN PGP SIGNED MESSAGE-----\r?\n.*?\r?\n\r?\n(.*?)\r?\n-----BEGIN PGP SIGNATURE-----",
    re.DOTALL,
)
_SPEC = re.compile(rb'\{.{0,2000}?"spec"\s*:\s*[\[{]', re.DOTALL)


def usual_name(content: bytes) -> str | None:
    """Return the name that a document like this has in a catalog: `spack.lock` for `old.lock`.

    None where it is no such document. Only what is likely is said here: the kind's reader finds out
    whether the document is one.
    """
    if b'"concrete_specs"' in content:
        return LOCK_NAME
    if b'"database"' in content[:_HEAD]:
        # The records of both kinds are of one shape; each says where its specs are.
        return DATABASE if b'"installed"' in content else LAYOUT_2
    return PAGE_NAME if content.startswith(b"---") else None


def plain_document(content: bytes, limits: Limits) -> bytes:
    """Return a document as it is in a catalog: unfolded, without a signature, specs as a lock.

    Raises FormatError where it cannot be read.
    """
    content = plain_content(content, limits.document)
    if signed := _SIGNED.match(content):
        content = signed[1]
    if usual_name(content) is None and _SPEC.match(content[:_HEAD].lstrip()):
        from snapdiff.formats.environment_lock import lock_of_specs  # late: few are named as such

        return lock_of_specs(content)
    return content
