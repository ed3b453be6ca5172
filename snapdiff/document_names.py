"""What the files of a catalog are called that are documents, or parts of some (section 10)."""

import re
from collections.abc import Callable

from snapdiff.buildcache_layout import BLOB, FOLDERS, LAYOUT_3, mirror_folder
from snapdiff.limits import Limits

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

FILE_ENDINGS = (MARKDOWN, ".lock", ".json", COMPRESSED, ".sig")
"""How the names of files end that are read, and of what lies beside them."""

USUAL_NAMES = (
    "specs.md (or *.md with layout: cache), spack.lock, an index of a build cache, "
    ".spack-db/index.json or specs_data.json"
)
"""The files that are read, for messages: the usual one of each kind."""

INNER_PATHS = ((DATABASE_FOLDER, DATABASE), *FOLDERS.items(), (LAYOUT_3, LAYOUT_3))
"""Ends of paths that mean the mirror or install tree around, and what that has to have."""


def is_called(path: str, name: str) -> bool:
    """Return whether a path ends in a name of one part or more."""
    return path == name or path.endswith(f"/{name}")


def is_site_data(path: str, name: str = SPECS_DATA) -> bool:
    """Return whether a file is one of the two of the site's data, compressed or not."""
    return is_called(path.removesuffix(COMPRESSED), name)


def is_named_by_folder(path: str) -> bool:
    """Return whether a page has the name of all pages, and its folder that of the package."""
    return is_called(path, PAGE_NAME) or is_called(path, OLDEST_PAGE_NAME)


def names_in_path(path: str) -> tuple[str, str]:
    """Return tag and package as the path has them: `_cache/<tag>/<package>/specs.md`."""
    parts = ("", "", *path.split("/"))
    if is_named_by_folder(path):
        return parts[-3], parts[-2]
    return parts[-2], parts[-1].removesuffix(MARKDOWN)


def is_read(path: str) -> bool:
    """Return whether a file may be a document itself, not just a part of another one."""
    return path.endswith(MARKDOWN) or is_document(path)


def is_document(path: str) -> bool:
    """Return whether a file's name alone says that it is a document."""
    if not path.endswith(FILE_ENDINGS):
        return False  # as nearly all the files of a repository of another kind
    is_one = any(is_called(path, name) for name in (PAGE_NAME, LOCK_NAME, DATABASE))
    return is_one or mirror_folder(path) is not None or is_site_data(path)


def may_be_document(path: str) -> bool:
    """Return whether a file has to be looked at: a document, or a part of one."""
    is_part = SPEC_FILE.fullmatch(path.rpartition("/")[2]) or is_site_data(path, PACKAGE_DATA)
    return is_read(path) or bool(is_part or BLOB.fullmatch(path))


def is_searched(folder: str) -> bool:
    """Return whether files are looked for in such folders: in no hidden one but a database's."""
    return not folder.startswith(".") or folder == DATABASE_FOLDER


def size_limit(path: str, limits: Limits) -> int:
    """Return how many bytes a file may have: pages are small, all else can be large."""
    return limits.page_size if path.endswith(MARKDOWN) else limits.document_size


def way_out(holds: Callable[[str], bool]) -> str:
    """Return what to do about a folder without a document; empty where its files say nothing.

    `holds` says whether there is a file or a folder of some path in it.
    """
    if holds(NOT_CONCRETE) and not holds(LOCK_NAME):
        return f"{NOT_CONCRETE} is here, {LOCK_NAME} is not: run `spack concretize`"
    if holds("build_cache") or holds("v3/manifests"):
        return "a build cache is here, its index is not: run `spack buildcache update-index`"
    return ""
