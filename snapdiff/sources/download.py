"""Files of a mirror, each downloaded once: retries, limits, gzip, and what was kept before."""

import hashlib
import os
import tempfile
import time
import weakref
import zlib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from snapdiff.errors import RevisionError
from snapdiff.sources.mirror_address import MirrorAddress, without_secrets
from snapdiff.sources.transport import (
    Answer,
    FileRequest,
    NotThereError,
    TransferError,
    Transport,
    Validators,
)

MAX_DOWNLOAD = 2 << 30
"""How many bytes are taken of a mirror, unless another number is given."""

_GZIP = b"\x1f\x8b"
_MOST_UNFOLDED = 1000
"""How many times its size a gzipped body may unfold to; honest indexes unfold to ten times."""

_PIECE = 1 << 20
_SLOWEST = 1024
"""How many bytes a second have to arrive; a body that drips in would have no end."""

Progress = Callable[[int, int], None]
"""Is called with the number of bytes that have arrived, and of those that are known to come."""


class Patience(NamedTuple):
    """How long a server is waited for, all in seconds.

    `pauses` lie between one try and the next, `silence` is how long it may say nothing, and no
    try begins later than `altogether` after the first.
    """

    pauses: tuple[float, ...] = (1.0, 2.0, 4.0, 8.0, 16.0)
    silence: float = 20.0
    altogether: float = 60.0


PATIENCE = Patience()
"""How long a server is waited for, unless a test has less time."""


class KeptFile(NamedTuple):
    """A file that was downloaded before: where it is now, its checksum, what the server gave."""

    place: Path
    sha256: str
    validators: Validators


class Downloaded(NamedTuple):
    """A file that is here now; `sha256` is the checksum of what it holds, in hexadecimal."""

    sha256: str
    validators: Validators
    place: Path | tuple[int, int]
    """The kept file, or where in the temporary file it begins and how many bytes it has."""


class Downloads:
    """The files of one mirror that were downloaded, in a temporary file without a name.

    Such a file is gone when the process ends, however it ends, and takes one open file for
    thousands of downloads.
    """

    def __init__(
        self,
        address: MirrorAddress,
        transport: Transport,
        *,
        max_download: int = MAX_DOWNLOAD,
        patience: Patience = PATIENCE,
        progress: Progress = lambda _done, _total: None,
        kept: Mapping[str, KeptFile] | None = None,
    ) -> None:
        """Take where the mirror is; `kept` are files of earlier by path, which are unharmed."""
        self.refused: set[int] = set()
        """The statuses with which the server refused to say whether there is a file."""
        self._address = address
        self._transport = transport
        self._max_download = max_download
        self._patience = patience
        self._progress = progress
        self._kept = kept or {}
        self._files: dict[str, Downloaded | None] = {}
        self._arrived = 0
        self._spool = tempfile.TemporaryFile()  # noqa: SIM115 - closed by the line below
        weakref.finalize(self, self._spool.close)

    def take(
        self, path: str, *, sha256: str | None = None, as_is: bool = False, most: int | None = None
    ) -> Downloaded | None:
        """Return a file, downloaded where it is not here yet, or None where there is none.

        A kept file of the checksum `sha256` is taken without asking. A gzipped body is unfolded,
        unless the file is to be taken `as_is`. It may have `most` bytes.

        Raises RevisionError where it cannot be downloaded.
        """
        if path not in self._files:
            self._files[path] = self._kept_as(path, sha256) or self._download(path, as_is, most)
        return self._files[path]

    def forget(self, path: str) -> None:
        """Make the next `take` of a file ask for it again."""
        self._files.pop(path, None)

    def content(self, file: Downloaded) -> bytes:
        """Return the bytes of a file."""
        if isinstance(file.place, Path):
            return file.place.read_bytes()
        start, size = file.place
        pieces = []
        while size:  # one call reads two gigabytes at most
            piece = os.pread(self._spool.fileno(), size, start)
            pieces.append(piece)
            start, size = start + len(piece), size - len(piece)
        return pieces[0] if len(pieces) == 1 else b"".join(pieces)

    def _kept_as(self, path: str, sha256: str | None) -> Downloaded | None:
        kept = self._kept.get(path)
        if kept is None or kept.sha256 != sha256:
            return None
        return Downloaded(kept.sha256, kept.validators, kept.place)

    def _download(self, path: str, as_is: bool, most: int | None) -> Downloaded | None:
        url = self._address.url(path)
        kept = self._kept.get(path)
        body = _Body(self._spool.fileno(), as_is=as_is)
        last_begin = time.monotonic() + self._patience.altogether
        pauses = iter(self._patience.pauses)
        etag = None
        while True:
            request = FileRequest(
                url, kept.validators if kept else Validators(), body.received, etag
            )
            try:
                with self._transport.open(request) as answer:
                    if answer.unchanged:
                        assert kept is not None
                        return Downloaded(kept.sha256, kept.validators, kept.place)
                    etag = _strong(answer.validators.etag)
                    self._receive(answer, body, without_secrets(url), most)
                    return Downloaded(body.sha256, answer.validators, body.place)
            except NotThereError as error:
                if error.refused:
                    self.refused.add(error.refused)
                return None
            except TransferError as error:
                pause = max(next(pauses, 0.0), error.pause or 0.0)
                if not (error.again and pause and time.monotonic() + pause < last_begin):
                    raise RevisionError(f"{without_secrets(url)}: {error}") from error
                time.sleep(pause)

    def _receive(self, answer: Answer, body: "_Body", url: str, most: int | None) -> None:
        body.begin(answer.start)
        before, size = self._arrived, answer.size or 0
        self._check(url, body, size, most)
        for chunk in _not_too_slow(answer.chunks, self._patience.silence):
            self._arrived += len(chunk)
            self._progress(self._arrived, max(before + size, self._arrived))
            for _ in body.add(chunk):
                self._check(url, body, 0, most)
        body.end()

    def _check(self, url: str, body: "_Body", more: int, most: int | None) -> None:
        """Raise RevisionError where a file is too large, with `more` bytes yet to come."""
        start, size = body.place
        if most is not None and size + more > most:
            raise RevisionError(f"{url}: has more than {most:,} bytes, which no such file needs")
        if start + size + more > self._max_download:
            raise RevisionError(
                f"{url}: with it, more than {self._max_download:,} bytes of the mirror would be "
                "taken; --max-download raises the limit"
            )


class _Body:
    """A file as it arrives: unfolded where it is gzipped, written, its checksum reckoned."""

    def __init__(self, spool: int, *, as_is: bool) -> None:
        """Take the descriptor of the file to append to."""
        self._spool = spool
        self._begin = os.lseek(spool, 0, os.SEEK_END)
        self._as_is = as_is
        self.begin(0)

    def begin(self, start: int) -> None:
        """Make ready for the bytes from `start` on: the rest of the body, or a new one."""
        if start:
            return
        os.ftruncate(self._spool, self._begin)
        self.received = 0
        self._size = 0
        self._checksum = hashlib.sha256()
        self._head: bytes | None = None if self._as_is else b""
        self._decoder: zlib._Decompress | None = None

    def add(self, chunk: bytes) -> Iterator[None]:
        """Write some more, and yield after each piece written, for limits to be looked at."""
        self.received += len(chunk)
        if self._head is not None:
            self._head += chunk
            if len(self._head) < len(_GZIP):
                return
            chunk, self._head = self._head, None
            if chunk.startswith(_GZIP):
                self._decoder = zlib.decompressobj(zlib.MAX_WBITS | 16)
        for piece in self._unfold(chunk) if self._decoder else (chunk,):
            self._write(piece)
            yield

    def _unfold(self, chunk: bytes) -> Iterator[bytes]:
        assert self._decoder is not None
        while chunk:
            try:
                if self._decoder.eof:  # another member follows, as gzip allows
                    self._decoder = zlib.decompressobj(zlib.MAX_WBITS | 16)
                piece = self._decoder.decompress(chunk, _PIECE)
            except zlib.error as error:
                raise TransferError("its gzip cannot be read") from error
            chunk = self._decoder.unconsumed_tail or self._decoder.unused_data
            if self._size + len(piece) > _MOST_UNFOLDED * self.received:
                message = f"its gzip unfolds to more than {_MOST_UNFOLDED:,} times its size"
                raise TransferError(message)
            yield piece

    def _write(self, piece: bytes) -> None:
        self._checksum.update(piece)
        view = memoryview(piece)
        while view:
            written = os.pwrite(self._spool, view, self._begin + self._size)
            self._size += written
            view = view[written:]

    def end(self) -> None:
        """Check that nothing is missing; raises TransferError."""
        if self._head:
            self._write(self._head)
        if self._decoder and not self._decoder.eof:
            raise TransferError("its gzip ends early")

    @property
    def sha256(self) -> str:
        """The checksum of the file, in hexadecimal."""
        return self._checksum.hexdigest()

    @property
    def place(self) -> tuple[int, int]:
        """Where the file begins, and how many bytes it has."""
        return self._begin, self._size


def _not_too_slow(chunks: Iterator[bytes], silence: float) -> Iterator[bytes]:
    """Yield the chunks; raises TransferError where too few bytes arrive for too long."""
    begin, arrived = time.monotonic(), 0
    for chunk in chunks:
        yield chunk
        arrived += len(chunk)
        now = time.monotonic()
        if now - begin > silence:
            if arrived < _SLOWEST * silence:
                raise TransferError("the server sends it too slowly", again=True)
            begin, arrived = now, 0


def _strong(etag: str | None) -> str | None:
    """Return an ETag that stands for the very bytes, which a part of a file can be asked with."""
    return None if etag is None or etag.startswith("W/") else etag
