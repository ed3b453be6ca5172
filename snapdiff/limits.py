"""How much is taken of a page, a document and a mirror: bounds that only hostile ones run into.

`--max-size` sets both sizes; the others follow from the size of a page. The largest
page of the public catalog had 720 kB in July 2025. What is compressed with gzip is unfolded piece
by piece, within bounds of its own.
"""

import gzip
import io
import re
import zlib
from collections.abc import Callable
from typing import NamedTuple

from snapdiff.errors import FormatError

DEPTH = 100
"""How many lists and mappings may stand in each other; a page needs four."""

VERSION_PARTS = 64
"""How many runs of letters or digits a version may have; Spack's longest have about a dozen."""

DIGITS = 4300
"""How many digits a number may have: as many as Python takes."""

SETTINGS_SIZE = 64 << 10
"""How many bytes a configuration file may have: room for some 600 accepted changes."""

KEY_PARTS = 16
"""How many parts a key of a configuration may have; its own have three, or a few in a stack's name.

Without a bound, 64 KiB of `[a.a.a` take tomllib two minutes.
"""


Progress = Callable[[int, int], None]
"""Is called with how much is done, and how much there is to do as far as that is known."""


def ignored(*_told: object) -> None:
    """Show no progress, and warn nobody."""


class Limits(NamedTuple):
    """What one page or document may cost, and what is taken of one mirror.

    `document_size` is for a document with dependencies, unfolded where it is compressed, and for
    all that is taken of a mirror, as it arrives; an index of 378,000 specs has 0.6 GB. What
    concerns pages follows from `page_size`. All sizes are in bytes.
    """

    page_size: int = 16 << 20
    document_size: int = 2 << 30

    @property
    def values(self) -> int:
        """How many values (entries of lists and mappings) a page may hold, aliases written out.

        A spec has eight at least, and the largest page of the public catalog nine times fewer: what
        comparing two pages costs grows with their number, and not with a page's bytes.
        """
        return self.page_size // 64

    @property
    def yaml_size(self) -> int:
        """How long a page may be, in characters, that only a YAML reader can read."""
        return self.page_size // 8

    @property
    def text(self) -> int:
        """How many characters the specs of a page may take, each once for each of its stacks."""
        return self.page_size * 4

    @property
    def comparisons(self) -> int:
        """How many fields and variants may have to be compared to pair a package in a stack."""
        return self.page_size * 2


DEFAULT_LIMITS = Limits()
"""What is taken where nobody says otherwise."""


def over_limit(what: str, limit: int, unit: str) -> FormatError:
    """Return the error for something that is over a limit that the page's size sets."""
    unit = unit.removesuffix("s") if limit == 1 else unit
    return FormatError(f"{what}, and the limit is {limit:,} {unit}; --max-size raises it")


_PART = re.compile("[0-9]+|[^0-9._-]+")


def check_version(version: str, key: str) -> None:
    """Raise FormatError where a version has more parts than can be compared at little cost."""
    if has_too_many_parts(version):
        raise FormatError(
            f"{key}: a version of over {VERSION_PARTS} parts, {version[:64]!r} and so on"
        )


def has_too_many_parts(version: str) -> bool:
    """Return whether a version has more parts than can be compared at little cost."""
    return len(version) > VERSION_PARTS and len(_PART.findall(version)) > VERSION_PARTS


# --- What is compressed with gzip ---

_MAGIC = b"\x1f\x8b"
_PIECE = 1 << 20

_MOST_FOLDED = 200
"""How many times its size a file may unfold to; an index unfolds to 10 to 30 times its size."""

_ALWAYS_TAKEN = 1 << 20
"""What a small file may unfold to, in bytes, however many times its size that is."""

_MOST_MEMBERS = 1000
"""Of how many members a file may consist: each takes time, even one that holds nothing."""


def unfold(content: bytes, most: int) -> bytes:
    """Return what gzip holds.

    Raises FormatError where it is damaged, ends early, or unfolds to too much: to more than `most`
    bytes, or to many times its size.
    """
    if content.count(_MAGIC + b"\x08") > _MOST_MEMBERS:
        raise FormatError(f"the gzip data has over {_MOST_MEMBERS:,} members")
    text, file = io.BytesIO(), gzip.GzipFile(fileobj=io.BytesIO(content))
    try:
        while piece := file.read1(_PIECE):
            text.write(piece)
            if text.tell() > max(_ALWAYS_TAKEN, _MOST_FOLDED * len(content)):
                times = f"{_MOST_FOLDED} times its size"
                raise FormatError(f"the gzip data unfolds to over {times}, which no document does")
            if text.tell() > most:
                raise over_limit("is too large", most, "bytes")
    except EOFError as error:
        raise FormatError("the gzip data ends early") from error
    except (OSError, zlib.error) as error:
        raise FormatError("the gzip data is damaged") from error
    if not content:
        raise FormatError("the gzip data ends early")
    return text.getvalue()


def plain_content(content: bytes, most: int) -> bytes:
    """Return content, unfolded where it begins as gzip does; raises FormatError."""
    return unfold(content, most) if content.startswith(_MAGIC) else content
