"""What a way to ask for files of a mirror offers: an answer, and what can go wrong."""

import contextlib
from collections.abc import Callable, Iterator
from typing import NamedTuple, Protocol

Progress = Callable[[int, int], None]
"""Is called with the number of bytes that have arrived, and of those that are known to come."""


class Validators(NamedTuple):
    """What a server sends with a file, to be asked later whether the file has changed."""

    etag: str | None = None
    last_modified: str | None = None


class FileRequest(NamedTuple):
    """What is asked for: a file, unless it is still the known one; or the rest of a file.

    The rest begins after `start` bytes, and only if the file is still the one with the ETag.
    """

    url: str
    known: Validators = Validators()
    start: int = 0
    etag: str | None = None


class Answer(NamedTuple):
    """What came back: nothing where the file is unchanged, else its bytes from `start` on.

    `size` is the number of bytes to come, where it is known.
    """

    unchanged: bool
    validators: Validators
    chunks: Iterator[bytes]
    start: int = 0
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

    def open(self, request: FileRequest) -> contextlib.AbstractContextManager[Answer]:
        """Yield the answer, to be read as long as the block runs.

        Raises NotThereError and TransferError, also while the chunks are read.
        """
        ...
