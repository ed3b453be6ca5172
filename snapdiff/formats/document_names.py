"""What documents are called, by kind."""

import re

from snapdiff.buildcache_layout import LAYOUT_2, LAYOUT_3, VIEW

MARKDOWN = ".md"
PAGE_NAME = "specs.md"
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


def mirror_folder(path: str) -> str | None:
    """Return the folder of a mirror, which is above the place of its index; None for no index."""
    for index in (LAYOUT_2, LAYOUT_3):
        if is_called(path, index):
            return path.removesuffix(index).removesuffix("/")
    view = VIEW.fullmatch(path)
    return view[1].removesuffix("/") if view else None


def mirror_or_folder(path: str) -> str:
    """Return the folder of a mirror, or the one that holds an index with a name of its own."""
    mirror = mirror_folder(path)
    return path.rpartition("/")[0] if mirror is None else mirror
