"""Build caches that hold other build caches: which ones, and with which indexes."""

from collections.abc import Iterable, Mapping, Sequence

from snapdiff.buildcache_layout import LAYOUT_2, LAYOUT_3, VIEW
from snapdiff.formats.document_names import mirror_folder, mirror_or_folder

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
