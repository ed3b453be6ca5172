"""Long lists cut short, and long values: what people read of them."""

import re
from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

from msgspec import Struct

from snapdiff.result import TagDiff

_Item = TypeVar("_Item")

Mark = Callable[[str], str]
"""How a name or value of a catalog is written: `shown` for a terminal, `code` for Markdown."""

SHORT_HASH = 7
"""How many characters of a commit, a spec's hash or a patch's hash people are shown."""

_PATCH = re.compile(r"(?<=[=,])[0-9a-f]{8,}")


class ShortList(Struct, Generic[_Item], frozen=True):
    """The first items of a list, and how many more there are."""

    first: tuple[_Item, ...]
    more: int


def shortened(items: Sequence[_Item], most: int) -> ShortList[_Item]:
    """Return the first `most` items; where only one more would be left, that one too."""
    kept = most if len(items) > most + 1 else len(items)
    return ShortList(tuple(items[:kept]), len(items) - kept)


def short_hash(text: str) -> str:
    """Return the first characters of a hash or commit."""
    return text[:SHORT_HASH]


def short_patches(variant: str) -> str:
    """Return a variant with the hashes of its patches cut short.

    >>> short_patches("patches=0123456789abcdef,fedcba9876543210")
    'patches=0123456,fedcba9'
    """
    if not variant.startswith(("patches=", "patches:=")):
        return variant
    return _PATCH.sub(lambda found: short_hash(found[0]), variant)


def tag_names(tag: TagDiff) -> tuple[str, ...]:
    """Return a tag's name, both where two tags are compared, or none where it is not named."""
    return tuple(dict.fromkeys(name for name in (tag.old, tag.new) if name))
