"""What a way to ask for files of a mirror offers: an answer, and what can go wrong."""

import contextlib
from collections.abc import Callable, Iterator
from typing import NamedTuple, Protocol

CHUNK = 1 << 20
"""How many bytes are taken at once."""

REFUSED = frozenset({401, 403})
"""The statuses with which a server does not say whether there is a file."""

Progress = Callable[[int, int], None]
"""Is called with the number of bytes that have arrived, and of those that are known to come."""


class Validators(NamedTuple):
    """What a server sends with a file, to be asked later whether the file has changed."""

    etag: str | None = None
    last_modified: str | None = None


class Answer(NamedTuple):
    """What came back: None in place of chunks where the file is the one that is known.

    `size` is the number of bytes to come, where it is known.
    """

    validators: Validators
    chunks: Iterator[bytes] | None
    size: int | None = None


class NotThereError(Exception):
    """There is no such file, or the server does not say whether there is.

    `refused` is the status with which it did not say: a store that may not be listed answers 403
    for what it does not have.
    """

    def __init__(self, refused: int | None = None) -> None:
        """Take the status of a refusal."""
        super().__init__("is not there")
        self.refused = refused


class TransferError(Exception):
    """A try that failed: `again` says whether the next may succeed, `pause` when at the earliest.

    `pause` is in seconds, where the server named it.
    """

    def __init__(self, message: str, *, again: bool = False, pause: float | None = None) -> None:
        """Take what to say of it."""
        super().__init__(message)
        self.again = again
        self.pause = pause


class Transport(Protocol):
    """A way to ask for files."""

    def open(self, url: str, known: Validators) -> contextlib.AbstractContextManager[Answer]:
        """Yield the answer, to be read as long as the block runs.

        Raises NotThereError and TransferError, also while the chunks are read. No error repeats
        what a server, a proxy or a library says: it could hold secrets of the URL.
        """
        ...
