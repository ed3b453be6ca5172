"""A mirror as a source: indexes, with their checksums verified, and the site's data, by URL.

Of a build cache the index alone is downloaded, never a package. What a mirror has is found out by
asking for a few names, because a web server lists nothing.
"""

import contextlib
from collections.abc import Iterator, Mapping
from urllib.parse import unquote

from msgspec import Struct

from snapdiff.buildcache_layout import (
    BLOB,
    LAYOUT_2,
    LAYOUT_3,
    SHA256,
    Manifest,
    blob_path,
    index_blob,
    view_path,
)
from snapdiff.errors import FormatError, RevisionError
from snapdiff.limits import DEFAULT_LIMITS, Limits, Progress, unseen
from snapdiff.safe_text import hidden, shown
from snapdiff.sources.download import (
    PATIENCE,
    Downloaded,
    Downloads,
    Patience,
    Transport,
    decoded,
)
from snapdiff.sources.names import (
    LISTING,
    SITE_DATA,
    MirrorAddress,
    Scheme,
    parse_address,
    without_secrets,
)
from snapdiff.sources.source import Entry, Source, Validators, joined

_SMALL = 16 << 20
"""How many bytes a file may have that only says where others are."""

_EXTRAS = {"s3": "s3", "gs": "gcs"}
"""What to install for a scheme; for every other it is `mirror`."""


class MirrorSource(Source):
    """The documents of a mirror: indexes of build caches, or the site's data.

    Each is downloaded when it is first needed, and once.
    """

    def __init__(self, address: MirrorAddress, downloads: Downloads) -> None:
        """Take the address, and what downloads from there; nothing is asked for yet."""
        self.name = str(address)
        self.prefix = address.folder
        self._address = address
        self._downloads = downloads
        self._declared: dict[str, str] = {}

    def location(self, entry: Entry) -> str:
        """Return the file's address, without what is secret in it."""
        return f"{self._address}/{entry.path}"

    def _content(self, entry: Entry) -> bytes:
        return self._downloads.content(self._verified(entry.path))

    def validators(self, path: str) -> Validators:
        """Return what the server gave with a document that was read."""
        return self._verified(path).validators

    def _list(self) -> list[Entry]:
        """Ask the server what it has; raises RevisionError."""
        above = self._address.above()
        entries = self._documents()
        if not entries and above:
            self._move(above)
            entries = self._documents()
        entries = entries or list(self._view())
        if entries:
            return sorted(entries)
        asked_for = f"{LAYOUT_3}, {LAYOUT_2}, {LISTING} or {SITE_DATA[0]}"
        message = f"{self.name}: holds no {asked_for}, so there is nothing to compare"
        if self._downloads.refused:
            statuses = " and ".join(str(status) for status in sorted(self._downloads.refused))
            message += f"; the server refused access (status {statuses}), it may want credentials"
        else:
            message += (
                "; name the mirror itself: folders below a URL are not searched, and "
                "`spack buildcache update-index` writes the index of a build cache"
            )
        raise RevisionError(message)

    def _move(self, address: MirrorAddress) -> None:
        self._address = address
        self.prefix = address.folder
        self._downloads.move(address)

    def _documents(self) -> list[Entry]:
        return [*self._build_cache(""), *self._mirrors()] or list(self._site_data())

    def _build_cache(self, folder: str) -> Iterator[Entry]:
        """Yield the documents of the build cache in a folder: of layout 3, else of layout 2."""
        found = list(self._layout_3(folder, LAYOUT_3))
        yield from found
        if found:
            return
        path = joined(folder, LAYOUT_2)
        declared = self._declared_checksum(path)
        if declared:
            yield _entry(path, declared)
            return
        index = self._downloads.take(path)
        if index:
            yield _entry(path, index.sha256)

    def _layout_3(self, folder: str, path: str) -> Iterator[Entry]:
        """Yield a manifest and the blob that it names, if there is such a manifest."""
        manifest = self._take_small(joined(folder, path))
        if manifest:
            yield _entry(joined(folder, path), manifest.sha256)
            # What is wrong with a manifest, its format says when it reads it.
            with contextlib.suppress(FormatError):
                _, blob = index_blob(decoded(self._downloads.content(manifest), Manifest))
                yield _entry(joined(folder, blob_path(blob.checksum)), blob.checksum)

    def _view(self) -> Iterator[Entry]:
        """Yield what a view has, where the address is that of a mirror and the name of a view."""
        above, _, view = self._address.base.rpartition("/")
        if above.partition("://")[2]:
            self._move(self._address._replace(base=above))
            yield from self._layout_3("", view_path(view))

    def _mirrors(self) -> Iterator[Entry]:
        """Yield the documents of all mirrors that a mirror of mirrors lists."""
        listing = self._take_small(LISTING)
        if listing is None:
            return
        try:
            folders = listed_folders(self._downloads.content(listing))
        except FormatError as error:
            words = hidden(str(error), *self._address.secrets)
            raise RevisionError(f"{self.name}/{LISTING}: {words}") from error
        for folder in folders:
            entries = list(self._build_cache(folder))
            fault = f"is listed in {LISTING}, and is not there"
            yield from entries or [Entry(joined(folder, LAYOUT_3), None, fault)]

    def _site_data(self) -> Iterator[Entry]:
        for name in SITE_DATA:
            for path in (f"{name}.gz", name):
                file = self._downloads.take(path, as_is=path.endswith(".gz"))
                if file:
                    yield _entry(path, file.sha256)
                    break

    def _verified(self, path: str) -> Downloaded:
        """Return a document with the checksum that is expected of it; raises FormatError."""
        blob = BLOB.fullmatch(path)
        in_name = blob[2] if blob else None
        expected = in_name or self._declared.get(path)
        is_as_is = in_name is not None or path.endswith(".gz")
        file = self._downloads.take(path, sha256=expected, as_is=is_as_is)
        if file is None:
            raise FormatError("is missing on the mirror")
        if expected in (None, file.sha256):
            return file
        if in_name is None and self._declared_checksum(path) == file.sha256:
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
        if not SHA256.fullmatch(text):
            return None
        self._declared[path] = text
        return text

    def _take_small(self, path: str) -> Downloaded | None:
        return self._downloads.take(path, most=_SMALL)


def open_mirror(
    name: str,
    *,
    limits: Limits = DEFAULT_LIMITS,
    patience: Patience = PATIENCE,
    progress: Progress = unseen,
    kept: Mapping[str, Downloaded] | None = None,
) -> Source:
    """Return the mirror that a URL names; nothing is asked for yet.

    No more is taken of it than the limits allow. `kept` are documents of an earlier download by
    path: a server that says they are the same still does not have to send them.

    Raises RevisionError if the name is not a URL, or a library for its scheme is not installed.
    """
    address = parse_address(name)

    def downloads(transport: Transport) -> Downloads:
        return Downloads(
            address,
            transport,
            max_download=limits.download,
            patience=patience,
            progress=progress,
            kept=kept,
        )

    try:
        if isinstance(address, MirrorAddress):
            return MirrorSource(address, downloads(_transport(address.scheme, patience.silence)))
        from snapdiff.sources.registry import RegistrySource, RegistryTransport

        kept = {f"blobs/sha256:{file.sha256}": file for file in (kept or {}).values()}
        transport = RegistryTransport(address, patience.silence)
        return RegistrySource(address, downloads(transport), limits)
    except ImportError as error:
        install = f"pip install 'spack-snapdiff[{_EXTRAS.get(name[:2], 'mirror')}]'"
        raise RevisionError(
            f"{without_secrets(name)}: takes a library that is not here: {install}"
        ) from error


def _transport(scheme: Scheme, silence: float) -> Transport:
    """Return the way to ask for files of a scheme; raises ImportError where its library is away."""
    if scheme in ("http", "https"):
        from snapdiff.sources.web import WebTransport

        return WebTransport(silence)
    from snapdiff.sources.object_store import FileTransport, StoreTransport

    return FileTransport() if scheme == "file" else StoreTransport(scheme, silence)


def _entry(path: str, sha256: str) -> Entry:
    return Entry(path, f"sha256:{sha256}")


class _Mirror(Struct):
    """A record of a listing; the URL leads to the mirror's index."""

    url: str


def listed_folders(content: bytes) -> list[str]:
    """Return the folders of the mirrors that a mirror of mirrors lists, in order, each once.

    Raises FormatError.
    """
    try:
        tags = decoded(content, dict[str, list[_Mirror]])
    except FormatError as error:
        raise FormatError(f"is no listing of mirrors: {error}") from error
    return sorted({_folder(tag, mirror.url) for tag, found in tags.items() for mirror in found})


def _folder(tag: str, url: str) -> str:
    """Return the folder of a listed mirror, of which the URL names the index.

    Only the part from the tag on counts. The listing names a store, and who reads it over HTTP, or
    from a copy, reads the mirrors at the same place; and no listing leads to another server.
    """
    path = unquote(url.partition("://")[2].partition("/")[2])
    for end in (LAYOUT_3, LAYOUT_2):
        path = path.removesuffix(f"/{end}")
    blob = BLOB.fullmatch(path)
    parts = (blob[1] if blob else path).rstrip("/").split("/")
    if tag not in parts or not all(part.isprintable() and part.strip(".") for part in parts):
        raise FormatError(f"tag {shown(tag)} lists {shown(url)}, which has no folder of the tag")
    return "/".join(parts[parts.index(tag) :])
