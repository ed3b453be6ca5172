"""The kinds of documents: what the path of each says, what reads it, and how its content begins.

A reader is imported when there is a file for it: to import all of them takes a twelfth of what it
takes to compare two small locks.
"""

import re
from collections.abc import Iterable

from snapdiff.buildcache_layout import (
    BLOB,
    LAYOUT_2,
    LAYOUT_3,
    VIEW,
    Mirrors,
    find_mirrors,
    mirror_folder,
)
from snapdiff.document_names import (
    DATABASE,
    LOCK_NAME,
    MARKDOWN,
    OLDEST_PAGE_NAME,
    PACKAGE_DATA,
    PAGE_NAME,
    SPEC_FILE,
    SPECS_DATA,
    is_called,
    is_named_by_folder,
    is_read,
    is_site_data,
    names_in_path,
)
from snapdiff.formats.document import Claim, DocumentReader
from snapdiff.limits import Limits, plain_content
from snapdiff.model.specs import EMPTY_PART, ROOT


def naming_end(path: str) -> str:
    """Return the end of a document's path that its content may need to say what it lists.

    A page may be named by its folder and the one above. What the other kinds list is in a tag that
    is the whole path above it: a lock that moves from `v1/x/cpu` to `v2/x/cpu` is another document.
    """
    return "/".join(path.rsplit("/", 3)[-3:]) if path.endswith(MARKDOWN) else path


class Documents:
    """The documents of a catalog, by what is known of its mirrors: some of these hold others.

    Of a lock, a database and an index the folder is the stack, and the path above it the tag. Of a
    mirror that holds others, the path is the tag of these, and its own stack `root`, which has what
    no stack of the tag has. A view is a stack of its own name in the tag of its mirror.
    """

    def __init__(self, mirrors: Mirrors) -> None:
        self._mirrors = mirrors

    def with_mirrors(self, paths: Iterable[str]) -> "Documents":
        """Return the documents of a catalog with files of these paths, itself where it is right."""
        mirrors = find_mirrors(paths)
        return self if mirrors == self._mirrors else Documents(mirrors)

    def documents_of(self, path: str) -> tuple[str, ...]:
        """Return the paths of the documents that change where a file does, its own included."""
        folder, slash, name = path.rpartition("/")
        if SPEC_FILE.fullmatch(name):
            return f"{folder}{slash}{PAGE_NAME}", f"{folder}{slash}{OLDEST_PAGE_NAME}"
        if is_site_data(path, PACKAGE_DATA):
            return (folder + slash + name.replace(PACKAGE_DATA, SPECS_DATA),)
        mirror = mirror_folder(path)
        if blob := BLOB.fullmatch(path):
            mirror = blob[1].removesuffix("/")
            found = [f"{blob[1]}{LAYOUT_3}"]
        elif mirror is None:
            return (path,) if is_read(path) else ()
        else:
            found = [path]
            if is_called(path, LAYOUT_3):
                found.append(f"{path.removesuffix(LAYOUT_3)}{LAYOUT_2}")
        # A blob may be a view's. A main index puts views out of use, and in again where it goes.
        found += self._mirrors.views.get(mirror, ())
        above = mirror.rpartition("/")[0]
        if not set(found).isdisjoint(self._mirrors.stacks.get(above, ())):  # it changes with them
            found += [f"{above}/{index}" if above else index for index in (LAYOUT_3, LAYOUT_2)]
        return tuple(found)

    def tag_folder(self, path: str) -> str:
        """Return the folder above everything in the tag of a document."""
        if path.endswith(MARKDOWN):
            folder = path.rpartition("/")[0]
            return folder.rpartition("/")[0] if is_named_by_folder(path) else folder
        folder = _stack_folder(path)
        is_tag = is_site_data(path) or mirror_folder(path) in self._mirrors.stacks
        return folder if is_tag else folder.rpartition("/")[0]

    def claim(self, path: str, above: str = "") -> Claim:
        """Return what a document lists as far as its path says; its content may say more.

        A page may be named by the folders `above` what is compared, too.
        """
        if path.endswith(MARKDOWN):
            tag, name = names_in_path(f"{above}/{path}")
            return Claim(tag or EMPTY_PART, "package", name)
        folder = _stack_folder(path)
        tag, _, stack = folder.rpartition("/")
        if view := VIEW.fullmatch(path):
            stack = view[2]
        elif mirror_folder(path) in self._mirrors.stacks:
            tag, stack = folder, ROOT
        return Claim(tag or EMPTY_PART, "stack", stack or EMPTY_PART)

    def reader(self, path: str, limits: Limits) -> DocumentReader:
        """Return a reader for the versions of one document; it knows nothing yet."""
        if path.endswith(MARKDOWN):
            from snapdiff.formats.site_page import SitePageReader

            return SitePageReader(limits).read
        claim, mirror = self.claim(path), mirror_folder(path)
        if is_called(path, LOCK_NAME):
            from snapdiff.formats.environment_lock import LockListing

            return lambda file: LockListing(claim, file.content)
        if is_called(path, DATABASE):
            from snapdiff.formats.spack_database import open_database

            return lambda file: open_database("database", claim, file.content)
        if mirror is None:
            from snapdiff.formats.site_data import open_site_data

            return lambda file: open_site_data(file, limits)
        from snapdiff.formats.spack_database import open_index

        stacks = self._mirrors.stacks.get(mirror, ())
        return lambda file: open_index(file, claim, stacks, limits)


DOCUMENTS = Documents(Mirrors())
"""Those of catalogs whose mirrors do not hold others."""


def _stack_folder(path: str) -> str:
    """Return the folder that is the stack of a document, or has the data of a site in it."""
    mirror = mirror_folder(path)
    return path.removesuffix(DATABASE).rpartition("/")[0] if mirror is None else mirror


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
    content = plain_content(content, limits.document_size)
    if signed := _SIGNED.match(content):
        content = signed[1]
    if usual_name(content) is None and _SPEC.match(content[:_HEAD].lstrip()):
        from snapdiff.formats.environment_lock import lock_of_specs  # late: few are named as such

        return lock_of_specs(content)
    return content
