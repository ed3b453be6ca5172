"""What is compressed with gzip, unfolded piece by piece as it arrives, and within bounds."""

import io
import itertools
import zlib
from collections.abc import Iterable, Iterator

from snapdiff.errors import FormatError
from snapdiff.limits import SizeLimit

_MAGIC = b"\x1f\x8b"
_GZIP = 16 + zlib.MAX_WBITS
_PIECE = 1 << 20
_SLICE = 1 << 16  # what is not unfolded yet is copied for each piece

_MOST_FOLDED = 200
"""How many times its size a file may unfold to; an index unfolds to 10 to 30 times its size."""

_ALWAYS_TAKEN = 1 << 20
"""What a small file may unfold to, in bytes, however many times its size that is."""

_MOST_MEMBERS = 1000
"""Of how many members a file may consist: each takes time, even one that holds nothing."""


def unfold(chunks: Iterable[bytes]) -> Iterator[bytes]:
    """Yield what gzip holds, in pieces of a megabyte at most, whatever the size of its chunks.

    Raises FormatError where it is damaged, ends early, or unfolds to too much.
    """
    decoder: zlib._Decompress | None = None
    members = taken = given = 0
    for chunk in _slices(chunks):
        taken += len(chunk)
        rest = chunk
        while rest:
            if decoder is None:
                rest = rest.lstrip(b"\0") if members else rest  # zeros fill up a block of a tape
                if not rest:
                    break
                decoder = zlib.decompressobj(_GZIP)
                members += 1
            piece = _decompress(decoder, rest)
            given += len(piece)
            _check(members, taken, given)
            if piece:
                yield piece
            rest = decoder.unconsumed_tail or decoder.unused_data
            if decoder.eof:
                decoder = None
    if decoder or not members:
        raise FormatError("the gzip data ends early")


def unfold_whole(content: bytes, limit: SizeLimit) -> bytes:
    """Return all that gzip holds; raises FormatError, also where it is larger than the limit."""
    text = io.BytesIO()
    for piece in unfold([content]):
        text.write(piece)
        if text.tell() > limit.size:
            raise limit.error("is too large")
    return text.getvalue()


def plain_chunks(chunks: Iterator[bytes]) -> Iterator[bytes]:
    """Return what is in the chunks, unfolded where it begins as gzip does, whatever its name says.

    Raises FormatError while they are read, as `unfold` does.
    """
    beginning = b""
    for chunk in chunks:
        beginning += chunk
        if len(beginning) >= len(_MAGIC):
            break
    content = itertools.chain([beginning], chunks)
    return unfold(content) if beginning.startswith(_MAGIC) else content


def plain_content(content: bytes, limit: SizeLimit) -> bytes:
    """Return content, unfolded where it begins as gzip does; raises FormatError."""
    return unfold_whole(content, limit) if content.startswith(_MAGIC) else content


def _slices(chunks: Iterable[bytes]) -> Iterator[bytes]:
    for chunk in chunks:
        for start in range(0, len(chunk), _SLICE):
            yield chunk[start : start + _SLICE]


def _decompress(decoder: "zlib._Decompress", chunk: bytes) -> bytes:
    try:
        return decoder.decompress(chunk, _PIECE)
    except zlib.error as error:
        raise FormatError("the gzip data is damaged") from error


def _check(members: int, taken: int, given: int) -> None:
    if members > _MOST_MEMBERS:
        raise FormatError(f"the gzip data has over {_MOST_MEMBERS:,} members")
    if given > max(_ALWAYS_TAKEN, _MOST_FOLDED * taken):
        times = f"{_MOST_FOLDED} times its size"
        raise FormatError(f"the gzip data unfolds to over {times}, which no document does")
