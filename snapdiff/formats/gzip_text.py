"""What is compressed with gzip, unfolded within bounds."""

import zlib

from snapdiff.errors import FormatError
from snapdiff.limits import SizeLimit

_GZIP = 16 + zlib.MAX_WBITS

_MOST_FOLDED = 200
"""How many times its size a file may unfold to; an index unfolds to 10 to 30 times its size."""

_ALWAYS_TAKEN = 1 << 20
"""What a small file may unfold to, in bytes, however many times its size that is."""


def is_gzip(content: bytes) -> bool:
    """Return whether content begins as gzip does, whatever its name says."""
    return content.startswith(b"\x1f\x8b")


def unfold_gzip(content: bytes, limit: SizeLimit) -> bytes:
    """Return what gzip holds; raises FormatError where it is damaged or unfolds to too much."""
    most = max(_ALWAYS_TAKEN, _MOST_FOLDED * len(content))
    unfolding = zlib.decompressobj(_GZIP)
    try:
        text = unfolding.decompress(content, min(most, limit.size) + 1)
    except zlib.error as error:
        raise FormatError(f"the gzip data is damaged: {error}") from error
    if len(text) > limit.size:
        raise limit.error("is too large")
    if len(text) > most:
        times = f"{_MOST_FOLDED} times its size"
        raise FormatError(f"the gzip data unfolds to over {times}, which no document does")
    if not unfolding.eof:
        raise FormatError("the gzip data ends early")
    if unfolding.unused_data.strip(b"\0"):
        raise FormatError("the gzip data is followed by something else")
    return text
