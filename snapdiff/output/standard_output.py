"""Standard output, written in UTF-8 whatever the locale, and left quietly where the reader is."""

import errno
import os
import sys
from collections.abc import Iterable
from typing import BinaryIO

from snapdiff.errors import ReportError


def _write_all(stream: BinaryIO, content: bytes) -> None:
    """Write to a stream that may take a part at a time, as one without a buffer does."""
    rest = memoryview(content)
    while rest:
        written = stream.write(rest)
        if not written:
            raise BlockingIOError(errno.EAGAIN, "it does not wait for its reader")
        rest = rest[written:]


def write_stdout(pieces: Iterable[str]) -> None:
    """Write to standard output in UTF-8; a reader that has gone away ends it without a word.

    Raises ReportError where standard output cannot be written for another reason.
    """
    if sys.stdout is None:
        raise ReportError("standard output is closed; write to a file with -o")
    try:
        for piece in pieces:
            _write_all(sys.stdout.buffer, piece.encode("utf-8"))
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        # What is still buffered would fail again when Python flushes at its end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except OSError as error:
        raise ReportError(f"standard output: cannot be written: {error.strerror}") from error
