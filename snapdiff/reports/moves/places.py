"""Sets of stacks as people read them: `all 5`, `the 3 cuda-*`, `all but e4s`, `set A`."""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from functools import cached_property
from itertools import chain, count, product
from string import ascii_uppercase
from typing import TypeVar

from msgspec import Struct

from snapdiff.result.changes import StackDiff

FEW_STACKS = 3
"""How many stacks are named one by one, and how many that are missing."""

_MOST_NAMED = 20
"""How many stacks are listed where a text says `all` of them."""

_SEPARATORS = re.compile("[-_.]")

_Item = TypeVar("_Item")


class Place(Struct):
    """Some stacks in the fewest words: `before`, then `names` (globs, where `before` says so).

    `all 5`; `the 18 removed`; `all but oneapi-x86_64`; `the 3 cuda-*`; `e4s, hep`; `14, set A`
    where they have no shorter name and more than one line is about them: such a set has a `letter`,
    and is listed once, in full. Of many names `short` has a glob for all that it matches: `e4s,
    ml-*`.
    """

    before: str
    names: tuple[str, ...]
    short: tuple[str, ...] = ()
    letter: str = ""

    __hash__ = object.__hash__  # one set of stacks is one object, which may get a letter later


Placed = tuple[tuple[tuple[_Item, ...], Place], ...]
"""Packages, or others, by the stacks in which the same happened to them."""


NOWHERE = Place("", ())
"""The place of what is not said to be anywhere."""

HERE = Place("this one", ())
"""The place of what is said below the name of its stack."""


class Places:
    """Says in which stacks of a tag something is: of one set always the same place."""

    def __init__(self, stacks: Mapping[str, str], of_pages: Collection[str] = ()) -> None:
        """Take all stacks of the tag, with what happened to each as a whole.

        What those `of_pages` name now may have been there before, without those packages.
        """
        self._all = frozenset(stacks)
        self._whole = {
            status: frozenset(name for name, it in stacks.items() if it == status)
            for status in ("removed", "added")
        }
        self._of_pages = of_pages
        self._known: dict[frozenset[str], Place] = {}
        self._others: dict[frozenset[str], Place] = {}

    def place(self, stacks: Iterable[str]) -> Place:
        """Return some stacks of the tag in words; of the only one there are none."""
        some = frozenset(stacks)
        if some not in self._known:
            self._known[some] = self._place(some)
        return self._known[some]

    def besides(self, stacks: Collection[str], others: Collection[str]) -> Place | None:
        """Return some other stacks than those: `the 4 others` where these are all."""
        is_all = len(stacks) + len(others) == len(self._all)
        if is_all and self.place(stacks).before.startswith("all but"):  # that says it already
            return None
        if not is_all or len(others) == 1:
            return self.place(others)
        return self._others.setdefault(frozenset(others), Place(f"the {len(others)} others", ()))

    def by_place(self, found: Iterable[tuple[_Item, str]]) -> Placed[_Item]:
        """Return items, each with a stack, by all stacks that they have, those of most first."""
        stacks: dict[_Item, list[str]] = {}
        for item, stack in found:
            stacks.setdefault(item, []).append(stack)
        together: dict[tuple[str, ...], list[_Item]] = {}
        for item, some in stacks.items():
            together.setdefault(tuple(sorted(some)), []).append(item)
        most_first = sorted(together.items(), key=lambda it: (-len(it[0]), -len(it[1])))
        return tuple((tuple(items), self.place(some)) for some, items in most_first)

    def named_sets(self, used: Iterable[Place]) -> dict[str, tuple[str, ...]]:
        """Give letters to long sets that are used more than once, in this order.

        Return the names of each, `set A`, and of `all 5` where these are not many.
        """
        letters = chain.from_iterable(product(ascii_uppercase, repeat=it) for it in count(1))
        found: dict[str, tuple[str, ...]] = {}
        if FEW_STACKS < len(self._all) <= _MOST_NAMED:
            found[f"all {len(self._all)}"] = tuple(sorted(self._all))
        for place, number in Counter(used).items():
            if number > 1 and len(place.names) > FEW_STACKS:
                place.letter = "".join(next(letters))
                found[f"set {place.letter}"] = place.names
        return found

    def _place(self, some: frozenset[str]) -> Place:
        if len(self._all) == 1 or not some:
            return NOWHERE
        if some == self._all:
            sure = {**self._whole, "added": self._whole["added"].difference(self._of_pages)}
            whole = ((len(names), status) for status, names in sure.items() if names)
            among = "".join(f", {number} of them {status}" for number, status in whole)
            return Place("both" if len(some) == 2 else f"all {len(some)}{among}", ())
        if len(some) == 1:
            return Place("", tuple(some))
        for words, others in (("the", some), ("all but the", self._all - some)):
            for status, names in self._whole.items():
                if others == names and len(names) > FEW_STACKS:
                    return Place(f"{words} {len(names)} {status}", ())
        glob = self._glob(some)
        if glob:
            return Place("both" if len(some) == 2 else f"the {len(some)}", (glob,))
        others = self._all - some
        if len(others) > 1 and len(some) > 2 and (glob := self._glob(others)):
            return Place("all but", (glob,))
        if len(others) == 1 or (len(others) * FEW_STACKS < len(some) and len(others) <= FEW_STACKS):
            return Place("all but", tuple(sorted(others)))
        return Place("", tuple(sorted(some)), self._with_globs(some))

    def _with_globs(self, some: frozenset[str]) -> tuple[str, ...]:
        """Return many names, of which as few globs as may be stand for several; else none."""
        left, globs = set(some), []
        for head, these in self._heads.items() if len(some) > FEW_STACKS else ():
            if these <= left:
                left -= these
                globs.append(f"{head}*")
        return tuple(sorted([*left, *globs])) if globs else ()

    @cached_property
    def _heads(self) -> dict[str, set[str]]:
        """The stacks of which several begin alike up to a separator, by that, shortest first."""
        found: dict[str, set[str]] = {}
        for name in self._all:
            for separator in _SEPARATORS.finditer(name):
                found.setdefault(name[: separator.end()], set()).add(name)
        return {it: found[it] for it in sorted(found, key=len) if len(found[it]) >= FEW_STACKS}

    def _glob(self, some: frozenset[str]) -> str:
        """Return a glob that only these stacks of the tag match, or nothing."""
        example = min(some)
        for found in _SEPARATORS.finditer(example):
            head, tail = example[: found.end()], example[found.start() :]
            if some == {name for name in self._all if name.startswith(head)}:
                return f"{head}*"
            if some == {name for name in self._all if name.endswith(tail)}:
                return f"*{tail}"
        return ""


def places_of(stacks: Iterable[StackDiff]) -> Places:
    """Return what says in which of these stacks, all of a tag, something is."""
    stacks = list(stacks)
    of_pages = {it.stack for it in stacks if it.document == "page"}
    return Places({it.stack: it.status for it in stacks}, of_pages)


def sets_in(listed: Mapping[str, tuple[str, ...]], text: str) -> list[tuple[str, tuple[str, ...]]]:
    """Return those of the sets that a text names: `all but one` does so with `all 5`."""
    words = {name: f"{name}|all but" if name.startswith("all") else name for name in listed}
    return [it for it in listed.items() if re.search(rf"\b({words[it[0]]})\b", text)]
