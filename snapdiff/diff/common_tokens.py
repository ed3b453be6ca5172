"""Versions that share leading tokens, most tokens first: the order of passes 2 and 4.

The versions of a group form a tree of their tokens. Of 5.1.2, 5.1.4, 5.2 and 6.0 it is

    (all)
    ├── 5
    │   ├── 5.1
    │   │   ├── 5.1.2
    │   │   └── 5.1.4
    │   └── 5.2
    └── 6.0

Two specs share as many leading tokens as the deepest branch has that holds both. So the branches
are paired from the leaves to the root: first what is in 5.1 (two tokens in common), then what is
left of that with 5.2 (one token), then with 6.0 (none). Branches of which neither holds the other
have no spec in common, so their order does not matter.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Generic, TypeVar

from snapdiff.spack.version import Token

_Item = TypeVar("_Item")
_Tokens = tuple[Token, ...]
_BothSides = tuple[list[_Item], list[_Item]]


class _Branch(Generic[_Item]):
    """What shares the first `length` tokens, as far as it has been added."""

    __slots__ = ("length", "new", "old")

    def __init__(self, length: int) -> None:
        self.length = length
        self.old: list[_Item] = []
        self.new: list[_Item] = []


def by_common_tokens(
    old: Sequence[_Item],
    new: Sequence[_Item],
    tokens_of: Callable[[_Item], _Tokens],
    is_left: Callable[[_Item], bool],
) -> Iterator[_BothSides[_Item]]:
    """Yield both sides of every branch that has both, a branch after those within it.

    The caller pairs what it is given; `is_left` says whether an item still has something to pair,
    and what has not is not given again.
    """
    rows = [(tokens_of(item), True, item) for item in old]
    rows += [(tokens_of(item), False, item) for item in new]
    rows.sort(key=lambda row: row[0])  # a branch's items are now next to each other
    path: list[_Branch[_Item]] = []  # from the root to the current item's branch
    previous: _Tokens = ()
    for tokens, is_old, item in rows:
        yield from _leave(path, _leading_in_common(previous, tokens), is_left)
        if not path or path[-1].length < len(tokens):
            path.append(_Branch(len(tokens)))
        (path[-1].old if is_old else path[-1].new).append(item)
        previous = tokens
    yield from _leave(path, -1, is_left)


def _leave(
    path: list[_Branch[_Item]], length: int, is_left: Callable[[_Item], bool]
) -> Iterator[_BothSides[_Item]]:
    """Leave every branch of more than `length` tokens; what is left there joins the one around."""
    while path and path[-1].length > length:
        branch = path.pop()
        if branch.old and branch.new:
            yield branch.old, branch.new
        if length < 0 and not path:
            return
        if not path or path[-1].length < length:
            path.append(_Branch(length))  # no version is as short as this branch
        around = path[-1]
        around.old += filter(is_left, branch.old)
        around.new += filter(is_left, branch.new)


def _leading_in_common(one: _Tokens, other: _Tokens) -> int:
    pairs = enumerate(zip(one, other, strict=False))
    shorter = min(len(one), len(other))
    return next((count for count, (mine, theirs) in pairs if mine != theirs), shorter)
