"""The index of a build cache, in layout 2 and in layout 3 (docs/specification.md, section 10).

Layout 2 has the index in the mirror, `build_cache/index.json`. In layout 3 a manifest names the
blob that holds it by its checksum, `blobs/sha256/<first two characters>/<checksum>`.
"""

import hashlib
import re
from collections.abc import Iterator
from functools import partial
from itertools import chain
from typing import Literal

import msgspec
from msgspec import Struct

from snapdiff.errors import FormatError, NoSuchFile
from snapdiff.formats.aggregates import Aggregates
from snapdiff.formats.base import Claim, File
from snapdiff.formats.document_limits import check_document_size
from snapdiff.formats.document_names import (
    BLOB,
    LAYOUT_2,
    LAYOUT_3,
    is_called,
    mirror_or_folder,
)
from snapdiff.formats.install_records import open_database
from snapdiff.formats.json_text import decode_json
from snapdiff.formats.listing import Listing, Place, place_of
from snapdiff.formats.spec_document import Opening, SpecDocumentReader
from snapdiff.gzip_stream import is_gzip, unfold_whole
from snapdiff.limits import Limits, SizeLimit
from snapdiff.model import ROOT

Layout = Literal[2, 3]

_INDEX = {2: LAYOUT_2, 3: LAYOUT_3}

_CHECKSUM = re.compile("[0-9a-f]{64}")
_MEDIA_TYPE = re.compile(r"application/vnd\.spack\.db\.v([0-9]{1,4})\+json")


class _Blob(Struct, gc=False):
    """An entry of a manifest; the size and the checksum are those of the blob as it is stored."""

    checksum: str
    algorithm: str = msgspec.field(name="checksumAlgorithm", default="sha256")
    media_type: str = msgspec.field(name="mediaType", default="")
    compression: str = "none"
    length: int | None = msgspec.field(name="contentLength", default=None)


class _Manifest(Struct, gc=False):
    data: list[_Blob]


_MANIFEST = msgspec.json.Decoder(_Manifest)


class BuildcacheIndex(Struct, frozen=True):
    """The format of an index: the stack is the mirror's folder, the tag the path above it.

    `aggregates` are the folders of mirrors that hold other mirrors: the path of such a mirror is
    the tag of the mirrors in it, and its own stack `root`, which has what no stack of the tag has.
    Each comes with the indexes of these stacks (see `aggregate_mirrors`).
    """

    layout: Layout
    aggregates: Aggregates = {}

    @property
    def name(self) -> str:
        """What the kind is called in messages."""
        return f"build cache index of layout {self.layout}"

    @property
    def files(self) -> str:
        """The files that the format reads, for messages."""
        return _INDEX[self.layout]

    def document_path(self, path: str) -> str | None:
        """Return the path of the index or manifest that a file belongs to, or None."""
        if self.is_named(path):
            return path
        if self.layout == 2:  # a manifest that is new, or gone, puts an index out of use or in
            is_manifest = is_called(path, LAYOUT_3)
            return f"{path.removesuffix(LAYOUT_3)}{LAYOUT_2}" if is_manifest else None
        blob = BLOB.fullmatch(path)
        return f"{blob[1]}{LAYOUT_3}" if blob else None

    def is_named(self, path: str) -> bool:
        """Return whether the path is that of an index in a mirror of this layout."""
        return is_called(path, _INDEX[self.layout])

    def tag_folder(self, path: str) -> str:
        """Return the folder above the mirror, or that of an aggregate itself."""
        folder = mirror_or_folder(path)
        return folder if folder in self.aggregates else folder.rpartition("/")[0]

    def claim_of_path(self, path: str) -> Claim:
        """Return the stack that the folder of the mirror is."""
        return self.place_of(path).claim

    def place_of(self, path: str) -> Place:
        """Return the stack and the tag of the mirror that has an index of this path."""
        folder = mirror_or_folder(path)
        place = place_of(folder)
        return Place(folder or place.tag, ROOT) if folder in self.aggregates else place

    def reader(self, limits: Limits) -> SpecDocumentReader:
        """Return a reader that knows nothing yet."""
        return SpecDocumentReader(limits, partial(_open, self))


def _open(kind: BuildcacheIndex, opening: Opening) -> Listing | None:
    file = opening.file
    place = kind.place_of(file.path)
    content = file.content
    if kind.layout == 3:
        content = _read_blob(file, mirror_or_folder(file.path), opening.limits.document)
    elif _has_layout_3(file):
        return None  # of two indexes of one mirror the newer layout's is taken
    stacks = kind.aggregates.get(mirror_or_folder(file.path), ())
    elsewhere = frozenset(chain.from_iterable(_hashes(path, opening) for path in stacks))
    return open_database(content, place, opening.builds, elsewhere, counts_installed=False)


def _hashes(path: str, aggregate: Opening) -> Iterator[str]:
    """Yield what the index of a stack lists; raises FormatError, as its aggregate needs all."""
    file = aggregate.file
    try:
        index = file._replace(path=path, content=file.read_beside(path))
    except NoSuchFile:
        return  # the other side has this stack
    kind = BuildcacheIndex(2 if path.endswith(LAYOUT_2) else 3)
    try:
        listing = _open(kind, aggregate._replace(file=index))
        if listing:
            yield from (found for found in listing.records if listing.entry(found).tags)
    except FormatError as error:
        raise FormatError(f"its stack {path} cannot be read: {error}") from error


def _has_layout_3(index: File) -> bool:
    if not index.path.endswith(LAYOUT_2):
        return False
    try:
        index.read_beside(f"{index.path.removesuffix(LAYOUT_2)}{LAYOUT_3}")
    except FormatError:
        return False
    return True


def _read_blob(manifest: File, folder: str, limit: SizeLimit) -> bytes:
    """Return the index that a manifest names; raises FormatError where it is not that index."""
    place, blob = _index_blob(decode_json(manifest.content, _MANIFEST))
    if blob.algorithm != "sha256":
        raise FormatError(f"{place}.checksumAlgorithm: {blob.algorithm!r}; only sha256 is known")
    if not _CHECKSUM.fullmatch(blob.checksum):
        raise FormatError(f"{place}.checksum: no sha256 checksum, 64 characters of 0-9 and a-f")
    path = f"blobs/sha256/{blob.checksum[:2]}/{blob.checksum}"
    content = manifest.read_beside(f"{folder}/{path}" if folder else path)
    check_document_size(content, limit)
    if hashlib.sha256(content).hexdigest() != blob.checksum:
        raise FormatError(f"{place}.checksum: the content of {path} has another checksum")
    if blob.compression not in ("none", "gzip"):
        raise FormatError(f"{place}.compression: {blob.compression!r}; only gzip is known")
    if blob.compression == "gzip" or is_gzip(content):
        return unfold_whole(content, limit)
    return content


def _index_blob(manifest: _Manifest) -> tuple[str, _Blob]:
    """Return the entry of the index, of the newest version, and the key path of the entry."""
    found: dict[int, tuple[str, _Blob]] = {}
    for position, blob in enumerate(manifest.data):
        if media_type := _MEDIA_TYPE.fullmatch(blob.media_type):
            found[int(media_type[1])] = (f"data[{position}]", blob)
    if not found:
        raise FormatError("data: names no index, a blob of type application/vnd.spack.db.vN+json")
    return found[max(found)]
