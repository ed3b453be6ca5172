"""Where a build cache has its index, and what its manifest says (specification, section 10).

Layout 2 has the index in the mirror, `build_cache/index.json`. In layout 3 a manifest names the
blob that holds it by its checksum, `blobs/sha256/<first two characters>/<checksum>`.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from msgspec import Struct, field

from snapdiff.errors import FormatError

LAYOUT_2 = "build_cache/index.json"
LAYOUT_3 = "v3/manifests/index/index.manifest.json"
"""Where the index of a mirror is found, by layout."""

FOLDERS = {
    "v3/manifests/index": LAYOUT_3,
    "v3/manifests": LAYOUT_3,
    "v3": LAYOUT_3,
    "build_cache": LAYOUT_2,
}
"""The folders of a mirror that people name in its place, each with the index that it has."""

_INDEX = re.compile(rf"(|.*/)(?:{re.escape(LAYOUT_2)}|{re.escape(LAYOUT_3)})", re.DOTALL)

VIEW = re.compile(r"(|.*/)v3/manifests/index/([^/]+)/index\.manifest\.json", re.DOTALL)
"""The path of a view, an index of some of a mirror's specs: the mirror's folder, its own name."""

BLOB = re.compile("(|.*/)blobs/sha256/[0-9a-f]{2}/([0-9a-f]{64})", re.DOTALL)
"""The path of a blob of layout 3: the folder of the mirror, and the checksum."""

SHA256 = re.compile("[0-9a-f]{64}")

_MEDIA_TYPE = re.compile(r"application/vnd\.spack\.db\.v([0-9]{1,4})\+json")


class Blob(Struct, gc=False):
    """An entry of a manifest; the checksum is that of the blob as it is stored."""

    checksum: str
    algorithm: str = field(name="checksumAlgorithm", default="sha256")
    media_type: str = field(name="mediaType", default="")
    compression: str = "none"


class Manifest(Struct, gc=False):
    """The file that names the blobs of something, here of an index."""

    data: list[Blob]


def view_path(name: str) -> str:
    """Return where a build cache of layout 3 has the manifest of a view."""
    return f"v3/manifests/index/{name}/index.manifest.json"


def blob_path(checksum: str) -> str:
    """Return where a build cache of layout 3 has the blob of a checksum."""
    return f"blobs/sha256/{checksum[:2]}/{checksum}"


def index_blob(manifest: Manifest) -> tuple[str, Blob]:
    """Return the key path and the entry of the index of the newest version; raises FormatError."""
    found = {
        int(media_type[1]): position
        for position, blob in enumerate(manifest.data)
        if (media_type := _MEDIA_TYPE.fullmatch(blob.media_type))
    }
    if not found:
        raise FormatError("data: names no index, a blob of type application/vnd.spack.db.vN+json")
    position = found[max(found)]
    blob = manifest.data[position]
    place = f"data[{position}]"
    if blob.algorithm != "sha256":
        raise FormatError(f"{place}.checksumAlgorithm: {blob.algorithm!r}; only sha256 is known")
    if not SHA256.fullmatch(blob.checksum):
        raise FormatError(f"{place}.checksum: no sha256 checksum, 64 characters of 0-9 and a-f")
    return place, blob


def mirror_folder(path: str) -> str | None:
    """Return the folder of a mirror, which is above the place of its index; None for no index."""
    if not path.endswith(".json"):
        return None  # nearly all files of a catalog are pages
    found = _INDEX.fullmatch(path) or VIEW.fullmatch(path)
    return found[1].removesuffix("/") if found else None


def is_index(path: str) -> bool:
    """Return whether a file is the index of a mirror, or of a view of one."""
    return mirror_folder(path) is not None


class Mirrors(NamedTuple):
    """The mirrors of a catalog on which other indexes depend, each by its folder.

    `views` has the paths of a mirror's views: they count where it has no index. `stacks` has the
    mirrors that hold other mirrors, each with the indexes of its stacks.
    """

    views: Mapping[str, Sequence[str]] = {}
    stacks: Mapping[str, Sequence[str]] = {}


def find_mirrors(paths: Iterable[str]) -> Mirrors:
    """Return which mirrors have views, and which hold others, given the paths of all files.

    >>> find_mirrors(["v1/build_cache/index.json", "v1/e4s/build_cache/index.json"]).stacks
    {'v1': ['v1/e4s/build_cache/index.json']}
    """
    mirrors = {path: folder for path in paths if (folder := mirror_folder(path)) is not None}
    folders = set(mirrors.values())
    views: dict[str, list[str]] = {}
    stacks: dict[str, list[str]] = {}
    for folder in folders:
        above = folder
        while above:
            above = above.rpartition("/")[0]
            if above in folders:
                stacks[above] = []
    for path, folder in sorted(mirrors.items()):
        above = folder.rpartition("/")[0]
        if VIEW.fullmatch(path):
            views.setdefault(folder, []).append(path)
        if folder and folder not in stacks and above in stacks:
            stacks[above].append(path)
    return Mirrors(views, stacks)
