"""Files of a mirror, each downloaded once: tries, limits, and what was kept before.

How files are asked for is a `Transport`: of web servers, object stores, registries.
"""

import contextlib
import hashlib
import io
import tempfile
import time
import weakref
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple, TypeVar

import msgspec

from snapdiff.errors import FormatError, RevisionError
from snapdiff.limits import DEFAULT_LIMITS, Progress, ignored, plain_content
from snapdiff.sources.names import MirrorAddress, RegistryAddress, without_secrets
from snapdiff.sources.source import Validators

_Value = TypeVar("_Value")

CHUNK = 1 << 20
"""How many bytes are taken at once."""

_SLOWEST = 1024
"""How many bytes a second have to arrive; a body that drips in would have no end."""

REFUSED = frozenset({401, 403})
"""The statuses with which a server does not say whether there is a file."""


class Answer(NamedTuple):
    """What came back: no chunks where the file is the one that is known; `size` where that is."""

    validators: Validators
    chunks: Iterator[bytes] | None
    size: int | None = None


class NotThereError(Exception):
    """There is no such file, or the server does not say whether there is: then with a status.

    A store that may not be listed refuses with 403 what it does not have.
    """

    def __init__(self, refused: int | None = None) -> None:
        super().__init__("is not there")
        self.refused = refused


class TransferError(Exception):
    """A try that failed: `again` says whether the next may succeed, `pause` after which seconds."""

    def __init__(self, message: str, *, again: bool = False, pause: float = 0.0) -> None:
        super().__init__(message)
        self.again = again
        self.pause = pause


Transport = Callable[[str, Validators], contextlib.AbstractContextManager[Answer]]
"""Asks for the file of a URL, and hands over the answer, to be read as long as the block runs.

Raises NotThereError and TransferError, also while the chunks are read. No error repeats what a
server, a proxy or a library says: it could hold secrets of the URL.
"""


def decoded(content: bytes, kind: type[_Value]) -> _Value:
    """Return the value of a type that JSON gives; raises FormatError with what is wrong."""
    try:
        return msgspec.json.decode(content, type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise FormatError(str(error)) from error


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


class Downloaded(NamedTuple):
    """A file that is here: downloaded now, or kept from before and unharmed since."""

    sha256: str
    """The checksum of what it holds, in hexadecimal."""

    validators: Validators
    place: Path | tuple[int, int]
    """The kept file, or where in the temporary file it begins and how many bytes it has."""


class Downloads:
    """The files of one mirror that were downloaded, for as long as this is there."""

    def __init__(
        self,
        address: MirrorAddress | RegistryAddress,
        transport: Transport,
        max_download: int = DEFAULT_LIMITS.document_size,
        patience: Patience = PATIENCE,
        progress: Progress = ignored,
        kept: Mapping[str, Downloaded] | None = None,
    ) -> None:
        """Take where the mirror is; `kept` are files of earlier by path, which are unharmed."""
        self.address = address
        """Where files are taken from: it may become another place on the same server."""
        self._refused: set[int] = set()
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
            self._store = tempfile.TemporaryFile()  # noqa: SIM115 - closed with this
        except OSError as error:
            raise _unwritable(error) from error
        weakref.finalize(self, self._store.close)

    def take(
        self,
        path: str,
        *,
        sha256: str | None = None,
        as_is: bool = False,
        most: int | None = None,
        anew: bool = False,
    ) -> Downloaded | None:
        """Return a file, downloaded where it is not here yet, or None where there is none.

        A kept file of the checksum `sha256` is taken without asking. A gzipped body is unfolded,
        unless the file is to be taken `as_is`. It may have `most` bytes. `anew` asks again.

        Raises RevisionError where it cannot be downloaded.
        """
        url = self.address.url(path)
        if anew or url not in self._files:
            kept = self._kept.get(path)
            is_kept = kept and kept.sha256 == sha256
            self._files[url] = kept if is_kept else self._download(url, kept, as_is, most)
        return self._files[url]

    def refused_with(self) -> str:
        """Return the statuses with which the server refused to say whether there is a file."""
        return " and ".join(map(str, sorted(self._refused)))

    def content(self, file: Downloaded) -> bytes:
        """Return the bytes of a file."""
        if isinstance(file.place, Path):
            try:
                return file.place.read_bytes()
            except OSError as error:
                raise RevisionError(f"{file.place}: cannot be read: {error.strerror}") from error
        start, size = file.place
        self._store.seek(start)
        return self._store.read(size)

    def _download(
        self, url: str, kept: Downloaded | None, as_is: bool, most: int | None
    ) -> Downloaded | None:
        known = kept.validators if kept else Validators()
        pauses = iter(self._patience.pauses)
        self._heard = time.monotonic()
        while True:
            try:
                with self._transport(url, known) as answer:
                    is_same = answer.chunks is None
                    return kept if is_same else self._stored(answer, as_is, most)
            except NotThereError as error:
                if error.refused:
                    self._refused.add(error.refused)
                return None
            except FormatError as error:
                raise RevisionError(f"{without_secrets(url)}: {error}") from error
            except TransferError as error:
                pause = max(next(pauses, 0.0), error.pause)
                is_late = time.monotonic() + pause > self._heard + self._patience.altogether
                if not error.again or not pause or is_late:
                    wish = f", and asks to wait {error.pause:,.0f} seconds" if error.pause else ""
                    raise RevisionError(f"{without_secrets(url)}: {error}{wish}") from error
                time.sleep(pause)

    def _stored(self, answer: Answer, as_is: bool, most: int | None) -> Downloaded:
        """Store a file after the others; the next takes the place of one that breaks off."""
        content = self._received(answer, most)
        content = content if as_is else plain_content(content, self._max_download)
        start, end = self._end, self._end + len(content)
        self._check(most, start, end)
        try:
            self._store.seek(start)
            self._store.write(content)
            self._store.flush()
        except OSError as error:
            with contextlib.suppress(OSError):  # it would write the rest when the process ends
                self._store.close()
            raise _unwritable(error) from error
        self._end = end
        checksum = hashlib.sha256(content).hexdigest()
        return Downloaded(checksum, answer.validators, (start, len(content)))

    def _received(self, answer: Answer, most: int | None) -> bytes:
        """Return what arrives; raises FormatError for too much, TransferError for too slow."""
        content = io.BytesIO()
        before, size = self._arrived, answer.size or 0
        self._check(most, before, before + size)
        begin, mark = time.monotonic(), 0
        for chunk in answer.chunks or ():
            content.write(chunk)
            arrived = content.tell()
            self._check(most, before, before + arrived)
            self._progress(before + arrived, before + max(size, arrived))
            self._heard = time.monotonic()
            if self._heard - begin > self._patience.silence:
                if arrived - mark < _SLOWEST * self._patience.silence:
                    raise TransferError("the server sends it too slowly", again=True)
                begin, mark = self._heard, arrived
        self._arrived = before + content.tell()
        return content.getvalue()

    def _check(self, most: int | None, before: int, end: int) -> None:
        if most is not None and end - before > most:
            raise FormatError(f"has more than {most:,} bytes, which no such file needs")
        if end > self._max_download:
            raise FormatError(
                f"with it, more than {self._max_download:,} bytes of the mirror would be taken; "
                "--max-size raises the limit"
            )


def _unwritable(error: OSError) -> RevisionError:
    folder = tempfile.tempdir or "the temporary folder"
    reason = error.strerror or "there is no folder that can be written"
    message = f"{folder}: a download cannot be stored: {reason}; TMPDIR names another folder"
    return RevisionError(message)
