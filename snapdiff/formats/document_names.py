"""What documents are called, by kind; which build caches hold others, as far as paths say it."""

import re
from collections.abc import Iterable, Mapping, Sequence

from snapdiff.buildcache_layout import LAYOUT_2, LAYOUT_3, VIEW

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


Aggregates = Mapping[str, Sequence[str]]
"""The folders of mirrors that hold other mirrors, each with the indexes of its stacks."""


def aggregate_paths(path: str, aggregates: Aggregates) -> list[str]:
    """Return the paths of the index, in any layout, above that of a stack: it changes with it."""
    folder = mirror_or_folder(path).rpartition("/")[0]
    if path not in aggregates.get(folder, ()):
        return []
    return [f"{folder}/{index}" if folder else index for index in (LAYOUT_3, LAYOUT_2)]


def views_of_mirrors(paths: Iterable[str]) -> dict[str, list[str]]:
    """Return the folders of mirrors with views, each with these: they count where no index is.

    >>> views_of_mirrors(["v1/v3/manifests/index/small/index.manifest.json"])
    {'v1': ['v1/v3/manifests/index/small/index.manifest.json']}
    """
    found: dict[str, list[str]] = {}
    for path in sorted(paths):
        if view := VIEW.fullmatch(path):
            found.setdefault(view[1].removesuffix("/"), []).append(path)
    return found


def aggregate_mirrors(paths: Iterable[str]) -> dict[str, list[str]]:
    """Return the folders of mirrors that hold other mirrors, each with its stacks' indexes.

    >>> aggregate_mirrors(["v1/build_cache/index.json", "v1/e4s/build_cache/index.json"])
    {'v1': ['v1/e4s/build_cache/index.json']}
    """
    mirrors = {path: folder for path in paths if (folder := mirror_folder(path)) is not None}
    folders = set(mirrors.values())
    found: dict[str, list[str]] = {}
    for folder in folders:
        above = folder
        while above:
            above = above.rpartition("/")[0]
            if above in folders:
                found[above] = []
    for path, folder in sorted(mirrors.items()):
        above = folder.rpartition("/")[0]
        if folder and folder not in found and above in found:
            found[above].append(path)
    return found
