"""The index of a build cache, in layout 2 and in layout 3 (docs/specification.md, section 10)."""

import hashlib
from collections.abc import Iterator
from functools import partial
from itertools import chain
from typing import Literal

import msgspec
from msgspec import Struct

from snapdiff.buildcache_layout import (
    BLOB,
    LAYOUT_2,
    LAYOUT_3,
    VIEW,
    Manifest,
    blob_path,
    index_blob,
)
from snapdiff.errors import FormatError, NoSuchFile
from snapdiff.formats.aggregates import Aggregates
from snapdiff.formats.base import Claim, File
from snapdiff.formats.content_limits import check_document_size
from snapdiff.formats.document_names import is_called, mirror_or_folder
from snapdiff.formats.install_records import open_database
from snapdiff.formats.json_text import decode_json
from snapdiff.formats.listing import Listing, Place, place_of
from snapdiff.formats.spec_document import Opening, SpecDocumentReader
from snapdiff.gzip_stream import is_gzip, unfold_whole
from snapdiff.limits import Limits, SizeLimit
from snapdiff.model import ROOT

Layout = Literal[2, 3]

_INDEX = {2: LAYOUT_2, 3: LAYOUT_3}

_MANIFEST = msgspec.json.Decoder(Manifest)


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
        """Return whether the path is that of an index in a mirror of this layout, or of a view."""
        is_view = self.layout == 3 and VIEW.fullmatch(path) is not None
        return is_view or is_called(path, _INDEX[self.layout])

    def tag_folder(self, path: str) -> str:
        """Return the folder above the mirror, or that of an aggregate itself."""
        folder = mirror_or_folder(path)
        return folder if folder in self.aggregates else folder.rpartition("/")[0]

    def claim_of_path(self, path: str) -> Claim:
        """Return the stack that the folder of the mirror is."""
        return self.place_of(path).claim

    def place_of(self, path: str) -> Place:
        """Return the stack and the tag of the mirror that has an index of this path.

        A view is a stack of its own name in the tag of its mirror.
        """
        folder = mirror_or_folder(path)
        place = place_of(folder)
        if view := VIEW.fullmatch(path):
            return Place(place.tag, view[2])
        return Place(folder or place.tag, ROOT) if folder in self.aggregates else place

    def reader(self, limits: Limits) -> SpecDocumentReader:
        """Return a reader that knows nothing yet."""
        return SpecDocumentReader(limits, partial(_open, self))


def _open(kind: BuildcacheIndex, opening: Opening) -> Listing | None:
    file = opening.file
    place = kind.place_of(file.path)
    content = file.content
    if VIEW.fullmatch(file.path) and any(_is_beside(index, file) for index in _INDEX.values()):
        return None  # what a mirror has in all is in its main index
    if kind.layout == 3:
        content = _read_blob(file, mirror_or_folder(file.path), opening.limits.document)
    elif is_called(file.path, LAYOUT_2) and _is_beside(LAYOUT_3, file):
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


def _is_beside(name: str, index: File) -> bool:
    """Return whether a mirror has another index, too."""
    folder = mirror_or_folder(index.path)
    try:
        index.read_beside(f"{folder}/{name}" if folder else name)
    except FormatError:
        return False
    return True


def _read_blob(manifest: File, folder: str, limit: SizeLimit) -> bytes:
    """Return the index that a manifest names; raises FormatError where it is not that index."""
    place, blob = index_blob(decode_json(manifest.content, _MANIFEST))
    path = blob_path(blob.checksum)
    content = manifest.read_beside(f"{folder}/{path}" if folder else path)
    check_document_size(content, limit)
    if hashlib.sha256(content).hexdigest() != blob.checksum:
        raise FormatError(f"{place}.checksum: the content of {path} has another checksum")
    if blob.compression not in ("none", "gzip"):
        raise FormatError(f"{place}.compression: {blob.compression!r}; only gzip is known")
    if blob.compression == "gzip" or is_gzip(content):
        return unfold_whole(content, limit)
    return content
