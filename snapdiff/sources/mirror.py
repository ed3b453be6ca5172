"""A mirror as a source: indexes, with their checksums verified, and the site's data, by URL.

Of a build cache the index alone is downloaded, never a package. What a mirror has is found out by
asking for a few names, because a web server lists nothing. The only home of fsspec.
"""

import contextlib
import functools
import logging
import os
from collections.abc import Iterator, Mapping
from typing import Any
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
from snapdiff.document_names import COMPRESSED, PACKAGE_DATA, SPECS_DATA
from snapdiff.errors import FormatError, RevisionError
from snapdiff.limits import DEFAULT_LIMITS, Limits, Progress, ignored
from snapdiff.sources.download import (
    CHUNK,
    PATIENCE,
    REFUSED,
    Answer,
    Downloaded,
    Downloads,
    NotThereError,
    Patience,
    TransferError,
    Transport,
    decoded,
)
from snapdiff.sources.names import (
    LISTING,
    MirrorAddress,
    RegistryAddress,
    parse_address,
    without_secrets,
)
from snapdiff.sources.source import Entry, Source, Validators, join_path

_SMALL = 16 << 20
"""How many bytes a file may have that only says where others are."""


class MirrorSource(Source):
    """The documents of a mirror, each downloaded when it is first needed, and once."""

    def __init__(self, address: MirrorAddress, downloads: Downloads, limits: Limits) -> None:
        self.name = str(address)
        self.limits = limits
        self._downloads = downloads
        self._declared: dict[str, str] = {}
        self._move(address)

    def _move(self, address: MirrorAddress) -> None:
        self._address = self._downloads.address = address
        self.prefix = str(address).partition("://")[2].rstrip("/").rpartition("/")[2]

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
        entries = self._documents()
        if not entries and (above := self._address.above()):
            self._move(above)
            entries = self._documents()
        base, _, view = self._address.base.rpartition("/")
        if not entries and base.partition("://")[2]:
            self._move(self._address._replace(base=base))
            entries = self._layout_3("", view_path(view))
        if entries:
            return entries
        asked_for = f"{LAYOUT_3}, {LAYOUT_2}, {LISTING} or {SPECS_DATA}"
        way_out = (
            "name the mirror itself: folders below a URL are not searched, and "
            "`spack buildcache update-index` writes the index of a build cache"
        )
        if statuses := self._downloads.refused_with():
            way_out = f"the server refused access (status {statuses}), it may want credentials"
        message = f"holds no {asked_for}, so there is nothing to compare; {way_out}"
        raise RevisionError(f"{self.name}: {message}")

    def _documents(self) -> list[Entry]:
        entries = self._build_cache("")
        listing = self._downloads.take(LISTING, most=_SMALL)
        try:
            folders = listed_folders(self._downloads.content(listing)) if listing else []
        except FormatError as error:
            raise RevisionError(f"{self.name}/{LISTING}: {error}") from error
        for folder in folders:
            fault = f"is listed in {LISTING}, and is not there"
            missing = Entry(join_path(folder, LAYOUT_3), None, fault)
            entries += self._build_cache(folder) or [missing]
        for name in () if entries else (SPECS_DATA, PACKAGE_DATA):
            for path in (f"{name}{COMPRESSED}", name):
                if file := self._downloads.take(path, as_is=path.endswith(COMPRESSED)):
                    entries.append(Entry(path, f"sha256:{file.sha256}"))
                    break
        return entries

    def _build_cache(self, folder: str) -> list[Entry]:
        """Return the documents of the build cache in a folder: of layout 3, else of layout 2."""
        if found := self._layout_3(folder, LAYOUT_3):
            return found
        path = join_path(folder, LAYOUT_2)
        if declared := self._declared_checksum(path):
            return [Entry(path, f"sha256:{declared}")]
        index = self._downloads.take(path)
        return [Entry(path, f"sha256:{index.sha256}")] if index else []

    def _layout_3(self, folder: str, path: str) -> list[Entry]:
        manifest = self._downloads.take(join_path(folder, path), most=_SMALL)
        if manifest is None:
            return []
        entries = [Entry(join_path(folder, path), f"sha256:{manifest.sha256}")]
        # What is wrong with a manifest, its format says when it reads it.
        with contextlib.suppress(FormatError):
            _, blob = index_blob(decoded(self._downloads.content(manifest), Manifest))
            path_of_blob = join_path(folder, blob_path(blob.checksum))
            entries.append(Entry(path_of_blob, f"sha256:{blob.checksum}"))
        return entries

    def _verified(self, path: str) -> Downloaded:
        """Return a document with the checksum that is expected of it; raises FormatError."""
        blob = BLOB.fullmatch(path)
        in_name = blob[2] if blob else None
        expected = in_name or self._declared.get(path)
        is_as_is = blob is not None or path.endswith(COMPRESSED)
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
        file = self._downloads.take(f"{path}.hash", most=_SMALL, anew=True)
        text = self._downloads.content(file).decode("ascii", "replace").strip() if file else ""
        if not SHA256.fullmatch(text):
            return None
        self._declared[path] = text
        return text


def open_mirror(
    name: str,
    *,
    limits: Limits = DEFAULT_LIMITS,
    patience: Patience = PATIENCE,
    progress: Progress = ignored,
    kept: Mapping[str, Downloaded] | None = None,
) -> Source:
    """Return the mirror that a URL names; nothing is asked for yet.

    `kept` are documents of an earlier download by path: a server that says they are the same still
    does not have to send them. Raises RevisionError if the name is not a URL, or a library for its
    scheme is not installed.
    """
    address = parse_address(name)
    transport: Transport
    try:
        if isinstance(address, RegistryAddress):
            from snapdiff.sources.registry import RegistrySource, RegistryTransport

            transport = RegistryTransport(address, patience.silence).open
            kept = {f"blobs/sha256:{file.sha256}": file for file in (kept or {}).values()}
        elif address.scheme in ("http", "https"):
            from snapdiff.sources.web import WebTransport

            transport = WebTransport(patience.silence).open
        elif address.scheme == "file":
            transport = open_file
        else:
            transport = StoreTransport(address.scheme, patience.silence).open
    except ImportError as error:
        extra = {"s3": "s3", "gs": "gcs"}.get(name[:2], "mirror")
        message = f"takes a library that an extra brings: in a clone, pip install '.[{extra}]'"
        raise RevisionError(f"{without_secrets(name)}: {message}") from error
    downloads = Downloads(address, transport, limits.document_size, patience, progress, kept)
    if isinstance(address, RegistryAddress):
        return RegistrySource(address, downloads, limits)
    return MirrorSource(address, downloads, limits)


class _Mirror(Struct):
    """A record of a listing; the URL leads to the mirror's index."""

    url: str


def listed_folders(content: bytes) -> list[str]:
    """Return the folders of the mirrors that a mirror of mirrors lists, in order, each once.

    Only the part of a URL from the tag on counts. The listing names a store, and who reads it over
    HTTP, or from a copy, reads the mirrors at the same place; and no listing leads to another
    server. Raises FormatError.
    """
    try:
        tags = decoded(content, dict[str, list[_Mirror]])
    except FormatError as error:
        raise FormatError(f"is no listing of mirrors: {error}") from error
    folders = set()
    for number, (tag, mirrors) in enumerate(tags.items(), 1):
        for mirror in mirrors:
            path = unquote(mirror.url.partition("://")[2].partition("/")[2])
            for end in (LAYOUT_3, LAYOUT_2):
                path = path.removesuffix(f"/{end}")
            blob = BLOB.fullmatch(path)
            parts = (blob[1] if blob else path).rstrip("/").split("/")
            if tag not in parts or not all(it.isprintable() and it.strip(".") for it in parts):
                raise FormatError(f"tag number {number} lists a mirror that is not in its folder")
            folders.add("/".join(parts[parts.index(tag) :]))
    return sorted(folders)


# --- Files of object stores, and of this machine ---

for _library in ("aiohttp", "asyncio", "botocore", "fsspec", "gcsfs", "google", "s3fs"):
    # Log messages would be printed to standard error otherwise.
    logging.getLogger(_library).addHandler(logging.NullHandler())
_STORE_CHUNK = 8 * CHUNK  # each is a request of its own


@contextlib.contextmanager
def open_file(url: str, _known: Validators) -> Iterator[Answer]:
    """Yield a file of this machine, to be read as long as the block runs."""
    path = url.removeprefix("file://")
    if not os.path.isfile(path):
        raise NotThereError
    with _in_own_words():
        file = open(path, "rb")  # noqa: SIM115 - closed below
    with file:
        size = os.fstat(file.fileno()).st_size
        yield Answer(Validators(), _chunks_of_file(file, size), size)


class StoreTransport:
    """Files of an object store, which may be `silence` seconds silent; raises ImportError."""

    def __init__(self, scheme: str, silence: float) -> None:
        import fsspec

        self._is_s3 = scheme == "s3"
        self._silence = silence
        self._kind = fsspec.get_filesystem_class(scheme)

    @functools.cached_property
    def _filesystem(self) -> Any:
        if not self._is_s3:
            return self._kind()
        from aiobotocore.session import AioSession
        from fsspec.asyn import get_loop, sync

        session = AioSession()  # it asks for credentials once, a program of the user's for one
        try:
            # Who has no credentials at all is a guest; a public mirror needs none.
            is_guest = sync(get_loop(), session.get_credentials) is None
        except Exception as error:
            message = "the credentials that ~/.aws or the variables AWS_... name cannot be had"
            raise TransferError(f"{message} ({type(error).__name__})") from error
        times = {"connect_timeout": self._silence, "read_timeout": self._silence}
        filesystem = self._kind(
            anon=is_guest, session=session, config_kwargs={**times, "retries": {"max_attempts": 0}}
        )
        filesystem.retries = 1  # how often to try again is decided in one place for all
        return filesystem

    @contextlib.contextmanager
    def open(self, url: str, known: Validators) -> Iterator[Answer]:
        """Yield the answer, to be read as long as the block runs."""
        with _in_own_words():
            facts = self._filesystem.info(url)
        if facts["type"] != "file":
            raise NotThereError
        etag = facts.get("ETag") or facts.get("etag")
        if etag and etag == known.etag:
            yield Answer(known, None)
            return
        with _in_own_words():
            file = self._filesystem.open(url, "rb", block_size=_STORE_CHUNK, cache_type="none")
        with file:
            chunks = _chunks_of_file(file, facts["size"])
            yield Answer(Validators(etag), chunks, facts["size"])


def _chunks_of_file(file: Any, size: int) -> Iterator[bytes]:
    while size > 0:
        with _in_own_words():
            chunk: bytes = file.read(min(_STORE_CHUNK, size))
        if not chunk:
            raise TransferError("it broke off in the middle", again=True)
        size -= len(chunk)
        yield chunk


@contextlib.contextmanager
def _in_own_words() -> Iterator[None]:
    """Turn what a store's library raises, whatever that is, into one of our own errors."""
    try:
        yield
    except TransferError:
        raise
    except FileNotFoundError as error:
        raise NotThereError from error
    except PermissionError as error:
        raise NotThereError(403) from error
    except TimeoutError as error:
        raise TransferError("the server was silent for too long", again=True) from error
    except Exception as error:
        status = getattr(error, "code", None)  # gcsfs refuses a guest with an error of its own
        if status in REFUSED:
            raise NotThereError(status) from error
        reason = getattr(error, "strerror", None) or type(error).__name__
        raise TransferError(f"the server cannot be reached ({reason})", again=True) from error
