"""A mirror as a source: the indexes of build caches, and the site's data, by URL.

Of a build cache the index alone is downloaded, never a package. What a mirror has is found out by
asking for a few names, because a web server lists nothing.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from urllib.parse import unquote

from msgspec import DecodeError, Struct, ValidationError
from msgspec.json import decode

from snapdiff.errors import FormatError, RevisionError
from snapdiff.sources.base import Content, ContentPair, Entry, EntryPair, Source, read_side_by_side
from snapdiff.sources.download import (
    MAX_DOWNLOAD,
    PATIENCE,
    Downloaded,
    Downloads,
    KeptFile,
    Patience,
    Progress,
)
from snapdiff.sources.mirror_address import (
    INDEX,
    LISTING,
    MANIFEST,
    SITE_DATA,
    MirrorAddress,
    parse_address,
)
from snapdiff.sources.transport import Validators

_SMALL = 16 << 20
"""How many bytes a file may have that only says where others are."""

_EXTRAS = {"s3": "s3", "gs": "gcs"}
"""What to install for a scheme; for every other it is `mirror`."""

_INDEX_TYPE = "application/vnd.spack.db."
_BLOB = re.compile("(?:(?P<folder>.*)/)?blobs/sha256/[0-9a-f]{2}/(?P<sha256>[0-9a-f]{64})")
_SHA256 = re.compile("[0-9a-f]{64}")


class _Blob(Struct, rename="camel"):
    """A record of a manifest."""

    media_type: str
    checksum_algorithm: str
    checksum: str


class _Manifest(Struct):
    """The file that names the index of a build cache of layout 3."""

    data: list[_Blob]


class _Mirror(Struct):
    """A record of what a mirror of mirrors begins with; the URL leads to the mirror's index."""

    url: str


class MirrorSource:
    """The documents of a mirror, each downloaded when it is first needed, and once."""

    commit: str | None = None
    date: str | None = None

    def __init__(self, address: MirrorAddress, downloads: Downloads) -> None:
        """Take the address, and what downloads from there; nothing is asked for yet."""
        self.name = str(address)
        self.prefix = address.folder
        self._downloads = downloads
        self._entries: list[Entry] | None = None
        self._declared: dict[str, str] = {}

    def entries(self, folder: str = "") -> Iterator[Entry]:
        """Yield every document below a folder, in the order of their paths.

        The mirror is asked what it has once, when this is first called. Raises RevisionError.
        """
        if self._entries is None:
            self._entries = sorted(self._find())
        for entry in self._entries:
            if not folder or entry.path.startswith(f"{folder}/"):
                yield entry

    def read(self, entries: Iterable[Entry]) -> Iterator[Content]:
        """Yield the content of each entry, in the order given."""
        for entry in entries:
            if entry.fault:
                yield FormatError(entry.fault)
                continue
            try:
                yield self._downloads.content(self._verified(entry.path))
            except FormatError as error:
                yield error

    def read_both(self, new: Source, pairs: Sequence[EntryPair]) -> Iterator[ContentPair]:
        """Yield old and new content of each pair, in the order given."""
        return read_side_by_side(self, new, pairs)

    def changed_entries(self, new: Source) -> None:
        """Return None: the entries' checksums tell."""

    def validators(self, path: str) -> Validators:
        """Return what the server gave with a document that was read."""
        return self._verified(path).validators

    def _find(self) -> list[Entry]:
        for found in (self._build_cache(""), self._mirrors(), self._site_data()):
            entries = list(found)
            if entries:
                return entries
        asked_for = f"{MANIFEST}, {INDEX}, {LISTING} or {SITE_DATA[0]}"
        message = f"{self.name}: holds no {asked_for}, so there is nothing to compare"
        if self._downloads.refused:
            statuses = " and ".join(str(status) for status in sorted(self._downloads.refused))
            message += f"; the server refused access (status {statuses}), it may want credentials"
        raise RevisionError(message)

    def _build_cache(self, folder: str) -> Iterator[Entry]:
        """Yield the documents of the build cache in a folder: of layout 3, else of layout 2."""
        manifest = self._take_small(_joined(folder, MANIFEST))
        if manifest:
            yield _entry(_joined(folder, MANIFEST), manifest.sha256)
            for sha256 in self._indexes(manifest):
                path = f"blobs/sha256/{sha256[:2]}/{sha256}"
                yield _entry(_joined(folder, path), sha256)
            return
        path = _joined(folder, INDEX)
        declared = self._declared_checksum(path)
        if declared:
            yield _entry(path, declared)
            return
        index = self._downloads.take(path)
        if index:
            yield _entry(path, index.sha256)

    def _indexes(self, manifest: Downloaded) -> list[str]:
        """Return the checksums of the blobs that are indexes; who reads the manifest says more."""
        try:
            blobs = decode(self._downloads.content(manifest), type=_Manifest).data
        except (DecodeError, ValidationError):
            return []
        return [
            blob.checksum
            for blob in blobs
            if blob.media_type.startswith(_INDEX_TYPE)
            and blob.checksum_algorithm == "sha256"
            and _SHA256.fullmatch(blob.checksum)
        ]

    def _mirrors(self) -> Iterator[Entry]:
        """Yield the documents of all mirrors that a mirror of mirrors lists."""
        listing = self._take_small(LISTING)
        if listing is None:
            return
        try:
            tags = decode(self._downloads.content(listing), type=dict[str, list[_Mirror]])
        except (DecodeError, ValidationError) as error:
            message = f"{self.name}/{LISTING}: is no listing of mirrors: {error}"
            raise RevisionError(message) from error
        folders = {_folder(tag, mirror.url) for tag, mirrors in tags.items() for mirror in mirrors}
        for folder in sorted(folders):
            entries = list(self._build_cache(folder))
            fault = f"is listed in {LISTING}, and is not there"
            yield from entries or [Entry(_joined(folder, MANIFEST), None, fault)]

    def _site_data(self) -> Iterator[Entry]:
        for name in SITE_DATA:
            for path in (f"{name}.gz", name):
                file = self._downloads.take(path, as_is=path.endswith(".gz"))
                if file:
                    yield _entry(path, file.sha256)
                    break

    def _verified(self, path: str) -> Downloaded:
        """Return a document with the checksum that is expected of it; raises FormatError."""
        blob = _BLOB.fullmatch(path)
        expected = blob["sha256"] if blob else self._declared.get(path)
        is_as_is = blob is not None or path.endswith(".gz")
        file = self._downloads.take(path, sha256=expected, as_is=is_as_is)
        if file is None:
            raise FormatError("is missing on the mirror")
        if expected in (None, file.sha256):
            return file
        if blob is None and self._declared_checksum(path) == file.sha256:
            return file  # the index was replaced after its checksum was read
        raise FormatError(
            f"its SHA-256 is {file.sha256}, and should be {expected}; "
            "if the mirror is just being updated, try again later"
        )

    def _declared_checksum(self, path: str) -> str | None:
        """Return the checksum that the file beside an index of layout 2 gives, asked for anew."""
        beside = f"{path}.hash"
        self._downloads.forget(beside)
        file = self._take_small(beside)
        text = self._downloads.content(file).decode("ascii", "replace").strip() if file else ""
        if not _SHA256.fullmatch(text):
            return None
        self._declared[path] = text
        return text

    def _take_small(self, path: str) -> Downloaded | None:
        return self._downloads.take(path, most=_SMALL)


def open_mirror(
    name: str,
    *,
    max_download: int = MAX_DOWNLOAD,
    patience: Patience = PATIENCE,
    progress: Progress = lambda _done, _total: None,
    kept: Mapping[str, KeptFile] | None = None,
) -> MirrorSource:
    """Return the mirror that a URL names; nothing is asked for yet.

    At most `max_download` bytes are taken of it. `kept` are documents of an earlier download by
    path: a server that says they are the same still does not have to send them.

    Raises RevisionError where the name is none, or a library for its scheme is not installed.
    """
    address = parse_address(name)
    try:
        from snapdiff.sources.remote_files import open_transport

        transport = open_transport(address.scheme, patience.silence)
    except ImportError as error:
        install = f"pip install 'snapdiff[{_EXTRAS.get(address.scheme, 'mirror')}]'"
        raise RevisionError(f"{address}: takes a library that is not here: {install}") from error
    downloads = Downloads(
        address,
        transport,
        max_download=max_download,
        patience=patience,
        progress=progress,
        kept=kept,
    )
    return MirrorSource(address, downloads)


def _entry(path: str, sha256: str) -> Entry:
    return Entry(path, f"sha256:{sha256}")


def _joined(folder: str, path: str) -> str:
    return f"{folder}/{path}" if folder else path


def _folder(tag: str, url: str) -> str:
    """Return the folder of a listed mirror, of which the URL names the index.

    Only the part from the tag on counts. The listing names a store, and who reads it over HTTP, or
    from a copy, reads the mirrors at the same place; and no listing leads to another server.
    """
    path = unquote(url.partition("://")[2].partition("/")[2])
    for end in (MANIFEST, INDEX):
        path = path.removesuffix(f"/{end}")
    blob = _BLOB.fullmatch(path)
    parts = (blob["folder"] or "" if blob else path).split("/")
    if tag not in parts or not all(part.isprintable() and part.strip(".") for part in parts):
        raise RevisionError(f"{LISTING}: tag {tag!r} lists {url!r}, which has no folder {tag!r}")
    return "/".join(parts[parts.index(tag) :])
