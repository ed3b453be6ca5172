"""The index of a build cache, in layout 2 and in layout 3 (docs/specification.md, section 10)."""

import hashlib
from collections.abc import Iterator
from itertools import chain

import msgspec

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
from snapdiff.formats.base import Claim, File, Format
from snapdiff.formats.content_limits import check_document_size
from snapdiff.formats.document_names import Aggregates, is_called, mirror_folder, mirror_or_folder
from snapdiff.formats.install_database import open_database
from snapdiff.formats.json_text import decode_json
from snapdiff.formats.listing import Listing, ListingReader
from snapdiff.formats.node_parts import SharedBuilds
from snapdiff.gzip_stream import is_gzip, unfold_whole
from snapdiff.limits import Limits, SizeLimit
from snapdiff.model import ROOT

_LAYOUTS = (LAYOUT_3, LAYOUT_2)

_MANIFEST = msgspec.json.Decoder(Manifest)


class BuildcacheIndex(Format):
    """The format of an index: the stack is the mirror's folder, the tag the path above it."""

    def __init__(self, aggregates: Aggregates | None = None) -> None:
        """Take the folders of mirrors that hold other mirrors, each with these.

        The path of such a mirror is the tag of the mirrors in it, and its own stack `root`, which
        has what no stack of the tag has (see `aggregate_mirrors`).
        """
        self._aggregates = aggregates or {}

    def is_named(self, path: str) -> bool:
        """Return whether the path is that of an index in a mirror, of its manifest or of a view."""
        return mirror_folder(path) is not None

    def documents_of(self, path: str) -> tuple[str, ...]:
        """Return the path of the index or manifest that a file is, or belongs to."""
        if is_called(path, LAYOUT_3):
            # A manifest that is new, or gone, puts an index of layout 2 out of use or in.
            return path, f"{path.removesuffix(LAYOUT_3)}{LAYOUT_2}"
        blob = BLOB.fullmatch(path)
        return (f"{blob[1]}{LAYOUT_3}",) if blob else super().documents_of(path)

    def folder(self, path: str) -> str:
        """Return the folder of the mirror."""
        return mirror_or_folder(path)

    def tag_folder(self, path: str) -> str:
        """Return the folder above the mirror, or that of an aggregate itself."""
        folder = self.folder(path)
        return folder if folder in self._aggregates else super().tag_folder(path)

    def claim_of_path(self, path: str) -> Claim:
        """Return the stack and the tag of the mirror that has an index of this path.

        A view is a stack of its own name in the tag of its mirror.
        """
        claim = super().claim_of_path(path)
        if view := VIEW.fullmatch(path):
            return claim._replace(name=view[2])
        folder = self.folder(path)
        return Claim(folder or claim.tag, "stack", ROOT) if folder in self._aggregates else claim

    def reader(self, limits: Limits) -> ListingReader:
        """Return a reader that knows nothing yet."""
        return ListingReader(limits, self._open)

    def _open(self, file: File, limits: Limits, builds: SharedBuilds) -> Listing | None:
        is_view = VIEW.fullmatch(file.path) is not None
        if is_view and any(_is_beside(index, file) for index in _LAYOUTS):
            return None  # what a mirror has in all is in its main index
        if is_called(file.path, LAYOUT_2) and _is_beside(LAYOUT_3, file):
            return None  # of two indexes of one mirror the newer layout's is taken
        content, folder = file.content, mirror_or_folder(file.path)
        if is_view or is_called(file.path, LAYOUT_3):
            content = _read_blob(file, folder, limits.document)
        stacks = (
            self._hashes(file, path, limits, builds) for path in self._aggregates.get(folder, ())
        )
        elsewhere = frozenset(chain.from_iterable(stacks))
        return open_database("index", self.claim_of_path(file.path), content, builds, elsewhere)

    def _hashes(
        self, aggregate: File, path: str, limits: Limits, builds: SharedBuilds
    ) -> Iterator[str]:
        """Yield what the index of a stack lists; raises FormatError, as its aggregate needs all."""
        try:
            index = aggregate._replace(path=path, content=aggregate.read_beside(path))
        except NoSuchFile:
            return  # the other side has this stack
        try:
            listing = self._open(index, limits, builds)
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
