"""Files of a mirror, each downloaded once: retries, limits, and what was kept before."""

import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from snapdiff.errors import RevisionError
from snapdiff.limits import DEFAULT_LIMITS
from snapdiff.sources.mirror_address import MirrorAddress, without_secrets
from snapdiff.sources.temporary_store import IncomingFile, TemporaryStore
from snapdiff.sources.transport import (
    Answer,
    FileRequest,
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


class Downloads:
    """The files of one mirror that were downloaded, for as long as this is there."""

    def __init__(
        self,
        address: MirrorAddress,
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
        self._address = address
        self._transport = transport
        self._max_download = max_download
        self._patience = patience
        self._progress = progress
        self._kept = kept or {}
        self._files: dict[str, Downloaded | None] = {}
        self._arrived = 0
        self._heard = 0.0
        self._store = TemporaryStore()

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
        if not isinstance(file.place, Path):
            return self._store.read(*file.place)
        try:
            return file.place.read_bytes()
        except OSError as error:
            raise RevisionError(f"{file.place}: cannot be read: {error.strerror}") from error

    def _kept_as(self, path: str, sha256: str | None) -> Downloaded | None:
        kept = self._kept.get(path)
        if kept is None or kept.sha256 != sha256:
            return None
        return Downloaded(kept.sha256, kept.validators, kept.place)

    def _download(self, path: str, as_is: bool, most: int | None) -> Downloaded | None:
        url = self._address.url(path)
        kept = self._kept.get(path)
        known = kept.validators if kept else Validators()
        file = IncomingFile(self._store, as_is=as_is)
        pauses = iter(self._patience.pauses)
        self._heard = time.monotonic()
        etag = None
        while True:
            try:
                with self._transport.open(FileRequest(url, known, file.received, etag)) as answer:
                    if answer.unchanged:
                        assert kept is not None
                        return Downloaded(kept.sha256, kept.validators, kept.place)
                    etag = _strong(answer.validators.etag)
                    self._receive(answer, file, without_secrets(url), most)
                    place = file.start, file.size
                    return Downloaded(file.sha256, answer.validators, place)
            except NotThereError as error:
                if error.refused:
                    self.refused.add(error.refused)
                return None
            except TransferError as error:
                pause = max(next(pauses, 0.0), error.pause or 0.0)
                is_late = time.monotonic() + pause > self._heard + self._patience.altogether
                if not error.again or not pause or is_late:
                    raise RevisionError(f"{without_secrets(url)}: {error}") from error
                time.sleep(pause)

    def _receive(self, answer: Answer, file: IncomingFile, url: str, most: int | None) -> None:
        file.begin(answer.start)
        before, size = self._arrived, answer.size or 0
        self._check(url, file, size, most)
        for chunk in _not_too_slow(answer.chunks, self._patience.silence):
            self._heard = time.monotonic()
            self._arrived += len(chunk)
            self._progress(self._arrived, max(before + size, self._arrived))
            for _ in file.add(chunk):
                self._check(url, file, 0, most)
        file.end()

    def _check(self, url: str, file: IncomingFile, more: int, most: int | None) -> None:
        """Raise RevisionError where a file is too large, with `more` bytes yet to come."""
        if most is not None and file.size + more > most:
            raise RevisionError(f"{url}: has more than {most:,} bytes, which no such file needs")
        if file.start + file.size + more > self._max_download:
            raise RevisionError(
                f"{url}: with it, more than {self._max_download:,} bytes of the mirror would be "
                "taken; --max-download raises the limit"
            )


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
    """Return an ETag if it is one of the exact bytes, as asking for a part of a file takes."""
    return None if etag is None or etag.startswith("W/") else etag
