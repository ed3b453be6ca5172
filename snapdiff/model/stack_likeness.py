"""Which stack of one side may be one of the other side under another name: one to one."""

from collections.abc import Callable, Mapping
from collections.abc import Set as AbstractSet
from difflib import SequenceMatcher
from typing import NamedTuple

SHARED = 0.8
"""The share of the packages of the smaller stack that both have (specification, section 2)."""

MOST_STACKS = 100
"""Of how many stacks a side each is held against each; like `git diff` with files, not of more."""

_LONGEST = 64
"""So many characters of a name are compared: what that costs grows with their square."""


class LikeStacks(NamedTuple):
    """A stack of the old side and one of the new side, and how many packages both have."""

    old: str
    new: str
    shared: int


def pair_like_stacks(
    old: Mapping[str, AbstractSet[str]],
    new: Mapping[str, AbstractSet[str]],
    may_pair: Callable[[str, str], bool] = lambda _old, _new: True,
) -> list[LikeStacks]:
    """Return pairs of stacks that share most packages, the most alike first, each stack once.

    `old` and `new` have the packages of each stack; `may_pair` says which two can be one at all.
    The most alike have the largest share of packages and of their names in common; what ties is in
    the order of the names. Where a side has too many stacks to hold each against each, there is no
    pair.
    """
    if max(len(old), len(new)) > MOST_STACKS:
        return []
    found = []
    for before, mine in old.items():
        for after, theirs in new.items():
            shared = len(mine & theirs)
            is_likely = shared and shared >= SHARED * min(len(mine), len(theirs))
            if is_likely and may_pair(before, after):
                likeness = shared / len(mine | theirs) + _name_likeness(before, after)
                found.append((-likeness, LikeStacks(before, after, shared)))
    pairs: dict[str, LikeStacks] = {}
    taken: set[str] = set()
    for _, pair in sorted(found):
        if pair.old not in pairs and pair.new not in taken:
            pairs[pair.old] = pair
            taken.add(pair.new)
    return list(pairs.values())


def _name_likeness(one: str, other: str) -> float:
    return SequenceMatcher(None, one[:_LONGEST], other[:_LONGEST], autojunk=False).ratio()
