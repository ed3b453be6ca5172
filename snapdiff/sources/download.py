"""Files of a mirror, each downloaded once: tries, limits, and what was kept before."""

import hashlib
import itertools
import os
import tempfile
import time
import weakref
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple, Protocol

from snapdiff.errors import FormatError, RevisionError
from snapdiff.gzip_stream import is_gzip, unfold
from snapdiff.limits import DEFAULT_LIMITS
from snapdiff.sources.mirror_address import without_secrets
from snapdiff.sources.transport import (
    Answer,
    NotThereError,
    Progress,
    TransferError,
    Transport,
    Validators,
)

_SLOWEST = 1024
"""How many bytes a second have to arrive; a body that drips in would have no end."""


class Patience(NamedTuple):
    """How long a server is waited for, all in seconds.

    `pauses` lie between one try and the next, `silence` is how long it may say nothing, and no
    try begins later than `altogether` after the last byte that arrived.
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


class Address(Protocol):
    """Where files are."""

    def url(self, path: str) -> str:
        """Return the URL of a file, to be asked for and never to be shown."""
        ...


class Downloads:
    """The files of one mirror that were downloaded, for as long as this is there."""

    def __init__(
        self,
        address: Address,
        transport: Transport,
        *,
        max_download: int = DEFAULT_LIMITS.download,
        patience: Patience = PATIENCE,
        progress: Progress = lambda _done, _total: None,
        kept: Mapping[str, KeptFile] | None = None,
    ) -> None:
        """Take where the mirror is; `kept` are files of earlier by path, which are unharmed."""
        self.refused: set[int] = set()
        """The statuses with which the server refused to say whether there is a file."""
        self.address = address
        """Where the files are that are asked for next."""
        self._transport = transport
        self._max_download = max_download
        self._patience = patience
        self._progress = progress
        self._kept = kept or {}
        self._files: dict[str, Downloaded | None] = {}
        self._arrived = 0
        self._end = 0
        self._heard = 0.0
        # One file without a name for all: it is gone when the process ends, however it ends.
        try:
            self._store = tempfile.TemporaryFile(buffering=0)  # noqa: SIM115 - closed with this
        except OSError as error:
            raise _unwritable(error) from error
        weakref.finalize(self, self._store.close)

    def take(
        self, path: str, *, sha256: str | None = None, as_is: bool = False, most: int | None = None
    ) -> Downloaded | None:
        """Return a file, downloaded where it is not here yet, or None where there is none.

        A kept file of the checksum `sha256` is taken without asking. A gzipped body is unfolded,
        unless the file is to be taken `as_is`. It may have `most` bytes.

        Raises RevisionError where it cannot be downloaded.
        """
        if path not in self._files:
            kept = self._kept.get(path)
            if kept and kept.sha256 == sha256:
                self._files[path] = _as_it_was(kept)
            else:
                self._files[path] = self._download(path, kept, as_is, most)
        return self._files[path]

    def forget(self, path: str) -> None:
        """Make the next `take` of a file ask for it again."""
        self._files.pop(path, None)

    def content(self, file: Downloaded) -> bytes:
        """Return the bytes of a file."""
        if isinstance(file.place, Path):
            try:
                return file.place.read_bytes()
            except OSError as error:
                raise RevisionError(f"{file.place}: cannot be read: {error.strerror}") from error
        start, size = file.place
        with os.fdopen(os.dup(self._store.fileno()), "rb") as store:
            store.seek(start)
            return store.read(size)

    def _download(
        self, path: str, kept: KeptFile | None, as_is: bool, most: int | None
    ) -> Downloaded | None:
        url = self.address.url(path)
        known = kept.validators if kept else Validators()
        pauses = iter(self._patience.pauses)
        self._heard = time.monotonic()
        while True:
            try:
                with self._transport.open(url, known) as answer:
                    if answer.chunks is None:
                        assert kept is not None
                        return _as_it_was(kept)
                    return self._stored(answer, answer.chunks, url, as_is, most)
            except NotThereError as error:
                if error.refused:
                    self.refused.add(error.refused)
                return None
            except FormatError as error:
                raise RevisionError(f"{without_secrets(url)}: {error}") from error
            except TransferError as error:
                pause = max(next(pauses, 0.0), error.pause or 0.0)
                is_late = time.monotonic() + pause > self._heard + self._patience.altogether
                if not error.again or not pause or is_late:
                    raise RevisionError(f"{without_secrets(url)}: {error}") from error
                time.sleep(pause)

    def _stored(
        self, answer: Answer, chunks: Iterator[bytes], url: str, as_is: bool, most: int | None
    ) -> Downloaded:
        """Store a file after the others; the next takes the place of one that breaks off."""
        start = end = self._end
        room = _Room(without_secrets(url), self._max_download, most)
        checksum = hashlib.sha256()
        arriving = self._arriving(answer.size or 0, chunks, room)
        try:
            self._store.seek(start)
            for piece in arriving if as_is else _unfolded(arriving):
                end += len(piece)
                room.check(start, end)
                checksum.update(piece)
                rest = memoryview(piece)
                while rest:
                    rest = rest[self._store.write(rest) :]
        except OSError as error:
            raise _unwritable(error) from error
        self._end = end
        return Downloaded(checksum.hexdigest(), answer.validators, (start, end - start))

    def _arriving(self, size: int, chunks: Iterator[bytes], room: "_Room") -> Iterator[bytes]:
        """Yield the chunks; raises RevisionError for too many and TransferError for too slow ones.

        What counts is what arrives: gzip may unfold to nothing.
        """
        before, arrived = self._arrived, 0
        room.check(before, before + size)
        begin, mark = time.monotonic(), 0
        for chunk in chunks:
            arrived += len(chunk)
            room.check(before, before + arrived)
            self._progress(before + arrived, before + max(size, arrived))
            yield chunk
            self._heard = time.monotonic()
            if self._heard - begin > self._patience.silence:
                if arrived - mark < _SLOWEST * self._patience.silence:
                    raise TransferError("the server sends it too slowly", again=True)
                begin, mark = self._heard, arrived
        self._arrived = before + arrived


class _Room(NamedTuple):
    """How many bytes may be taken: of one file, and of all with it."""

    url: str
    altogether: int
    most: int | None

    def check(self, before: int, end: int) -> None:
        """Raise RevisionError where a file is too large that takes the bytes up to `end`."""
        if self.most is not None and end - before > self.most:
            message = f"has more than {self.most:,} bytes, which no such file needs"
            raise RevisionError(f"{self.url}: {message}")
        if end > self.altogether:
            raise RevisionError(
                f"{self.url}: with it, more than {self.altogether:,} bytes of the mirror would be "
                "taken; --max-size raises the limit"
            )


def _unfolded(chunks: Iterator[bytes]) -> Iterator[bytes]:
    """Return what is in the chunks, unfolded where it is gzip."""
    beginning = b""
    for chunk in chunks:
        beginning += chunk
        if len(beginning) > 1:
            break
    content = itertools.chain([beginning], chunks)
    return unfold(content) if is_gzip(beginning) else content


def _as_it_was(kept: KeptFile) -> Downloaded:
    return Downloaded(kept.sha256, kept.validators, kept.place)


def _unwritable(error: OSError) -> RevisionError:
    folder = tempfile.tempdir or "the temporary folder"
    reason = error.strerror or "there is no folder that can be written"
    message = f"{folder}: a download cannot be stored: {reason}; TMPDIR names another folder"
    return RevisionError(message)
