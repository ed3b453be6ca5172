"""A temporary file without a name, and a file of a mirror as it arrives there."""

import hashlib
import os
import tempfile
import weakref
import zlib
from collections.abc import Iterator

from snapdiff.errors import RevisionError
from snapdiff.sources.transport import TransferError

_GZIP = b"\x1f\x8b"
_GZIP_BITS = zlib.MAX_WBITS | 16
_PIECE = 1 << 20

_MOST_UNFOLDED = 1000
"""How many times its size a gzipped body may unfold to; honest indexes unfold to ten times."""


class TemporaryStore:
    """Many files, one after the other, in a temporary file that has no name.

    It is gone when the process ends, however it ends, and takes one open file for thousands.
    """

    def __init__(self) -> None:
        """Make the file in the folder for temporary files; raises RevisionError."""
        try:
            file = tempfile.TemporaryFile()  # noqa: SIM115 - closed as soon as this is gone
        except OSError as error:
            raise _unwritable(error) from error
        weakref.finalize(self, file.close)
        self._descriptor = file.fileno()

    def size(self) -> int:
        """Return the number of bytes that are written."""
        return os.fstat(self._descriptor).st_size

    def cut(self, size: int) -> None:
        """Take away all but the first bytes."""
        os.ftruncate(self._descriptor, size)

    def append(self, content: bytes) -> None:
        """Write some more bytes; raises RevisionError where there is no room for them."""
        rest, end = memoryview(content), self.size()
        try:
            while rest:
                written = os.pwrite(self._descriptor, rest, end)
                rest, end = rest[written:], end + written
        except OSError as error:
            raise _unwritable(error) from error

    def read(self, start: int, size: int) -> bytes:
        """Return some bytes from `start` on."""
        pieces = []
        while size:  # one call reads two gigabytes at most
            piece = os.pread(self._descriptor, size, start)
            assert piece, "what was written is there"
            pieces.append(piece)
            start, size = start + len(piece), size - len(piece)
        return pieces[0] if len(pieces) == 1 else b"".join(pieces)


class IncomingFile:
    """A file as it arrives: unfolded where it is gzipped, stored, its checksum computed."""

    def __init__(self, store: TemporaryStore, *, as_is: bool) -> None:
        """Take where to store it; `as_is` leaves gzip as it is."""
        self._store = store
        self._as_is = as_is
        self.start = store.size()
        """Where it begins in the store."""
        self.begin(0)

    def begin(self, start: int) -> None:
        """Make ready for the bytes from `start` on: the rest of the file, or all of it."""
        if start:
            return
        self._store.cut(self.start)
        self.received = 0
        """How many bytes have arrived."""
        self.size = 0
        """How many bytes the file has so far."""
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
                self._decoder = zlib.decompressobj(_GZIP_BITS)
        for piece in self._unfold(chunk) if self._decoder else (chunk,):
            self._write(piece)
            yield

    def _unfold(self, chunk: bytes) -> Iterator[bytes]:
        assert self._decoder is not None
        while chunk:
            try:
                if self._decoder.eof:  # another member follows, as gzip allows
                    self._decoder = zlib.decompressobj(_GZIP_BITS)
                piece = self._decoder.decompress(chunk, _PIECE)
            except zlib.error as error:
                raise TransferError("its gzip cannot be read") from error
            chunk = self._decoder.unconsumed_tail or self._decoder.unused_data
            if self.size + len(piece) > _MOST_UNFOLDED * self.received:
                message = f"its gzip unfolds to more than {_MOST_UNFOLDED:,} times its size"
                raise TransferError(message)
            yield piece

    def _write(self, piece: bytes) -> None:
        self._store.append(piece)
        self._checksum.update(piece)
        self.size += len(piece)

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


def _unwritable(error: OSError) -> RevisionError:
    folder = tempfile.tempdir or "the temporary folder"
    reason = error.strerror or "there is no folder that can be written"
    message = f"{folder}: a download cannot be stored: {reason}; TMPDIR names another folder"
    return RevisionError(message)
