"""Why specs were rebuilt: of each the nearest event, of a stack how much each event explains.

Every pair of nodes is compared once, and every changed edge is followed a fixed number of times,
whatever the number of specs that lead there (specification, section 11).
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple, cast

from snapdiff.diff.changed_pairs import ChangedPairs, packages_of
from snapdiff.diff.events import HashPair
from snapdiff.diff.reach import BitCounts, Nearest, all_above, parents, unite_below
from snapdiff.result import Field
from snapdiff.result.causes import WHATS, Cause, Event, StackCause, What, event_of

_POSITION: dict[What, int] = {what: position for position, what in enumerate(WHATS)}

_OF_THE_NODE_BELOW: tuple[What, ...] = ("replaced", "added", "removed", "edge", "compilers")
"""Events that do not name the node where they are found."""

REHASH = Event(None, "rehash")
"""Nothing differs but hashes: Spack changed how it hashes."""

LONGEST_PATH = 100
"""How many names a path has: in a chain of 100,000 specs all paths together would have billions."""


class _Choice(NamedTuple):
    """The nearest event of a spec: linked or not, and the names on the way to it."""

    event: Event
    path: tuple[str, ...]
    build_only: bool


class Explanation:
    """Why the rebuilt specs of a stack were rebuilt, each given as its old and its new hash.

    `causes` and `same_to_use` are in the order of the specs. `same_to_use` says whether a spec and
    all it links and runs differ in nothing but hashes and in what is needed for building alone.
    """

    def __init__(self, rebuilt: Sequence[HashPair], changes: ChangedPairs) -> None:
        """Find the causes; raises FormatError where there are too many pairs of specs below."""
        self._changes = changes
        self._specs = changes.add(rebuilt)
        wanted = set(self._specs)
        pairs: list[int] = []
        others: dict[int, int] = {}
        counts = BitCounts()
        for pair, bits in self._reached(wanted):
            pairs.append(pair)
            if pair in wanted:
                others[pair] = max((bits & changes.packages).bit_count() - 1, 0)
                counts.add(bits)
        self.reach = self._by_event(counts)
        linked_above = parents(pairs, changes.linked_below)
        changed = all_above(
            (pair for pair in pairs if not changes.is_same_to_use(pair)), linked_above
        )
        self.same_to_use = [spec not in changed for spec in self._specs]
        choices = self._choices(pairs, linked_above)
        self.causes = [
            Cause(
                choice.event.package,
                choice.event.what,
                choice.event.old,
                choice.event.new,
                path=choice.path,
                build_only=choice.build_only,
                others=others[spec],
            )
            for spec, choice in zip(self._specs, choices, strict=True)
        ]

    def _reached(self, specs: Iterable[int]) -> Iterator[tuple[int, int]]:
        """Yield the bits of all that is in reach of some specs, and of all pairs below them."""
        changes = self._changes
        return unite_below(specs, changes.below.__getitem__, changes.own_bits, known={})

    def _by_event(self, counts: BitCounts) -> dict[Event, int]:
        bits = self._changes.bits
        numbers = counts.numbers(max(bits, default=0) + 1)
        found = zip(self._changes.events, bits, strict=True)
        return {event: numbers[bit] for event, bit in found if numbers[bit]}

    def _choices(
        self, pairs: Collection[int], linked_above: Mapping[int, Sequence[int]]
    ) -> Iterator[_Choice]:
        """Yield the cause of each spec.

        What it links goes before what it only needs to be built, both before any recipe.
        """
        changes, reach = self._changes, self.reach
        ranked = sorted(
            reach, key=lambda event: (_POSITION[event.what], -reach[event], event_words(event))
        )
        linked, every = _lowest_ranks(pairs, changes, ranked)
        above = parents(pairs, changes.below)
        left = dict.fromkeys(self._specs)
        chosen: dict[int, _Choice] = {}
        for recipes in (False, True):
            for build_only in (False, True):
                if not left:
                    break
                nearest = (
                    Nearest(changes.below, above, every[recipes])
                    if build_only
                    else Nearest(changes.linked_below, linked_above, linked[recipes])
                )
                for spec in [spec for spec in left if spec in nearest]:
                    event = ranked[nearest.rank(spec)]
                    path = self._path(nearest.way(spec, LONGEST_PATH + 2), event)
                    chosen[spec] = _Choice(event, path, build_only)
                    del left[spec]
        for spec in self._specs:
            yield chosen.get(spec, _Choice(REHASH, (), build_only=False))

    def _path(self, way: Iterable[int], event: Event) -> tuple[str, ...]:
        path = [self._changes.names[pair] for pair in way]
        if event.what not in _OF_THE_NODE_BELOW:
            del path[-1:]
        if len(path) > LONGEST_PATH:
            path[LONGEST_PATH:] = ["…"]
        return tuple(path)

    def because_of(self, is_wanted: Callable[[str], bool]) -> list[bool]:
        """Return of each spec whether a wanted package is its cause or has an event in its reach.

        Recipes count only as causes; what was replaced names both packages.
        """
        wanted = 0
        for event, bit in zip(self._changes.events, self._changes.bits, strict=True):
            if event.what != "recipe" and any(map(is_wanted, packages_of(event))):
                wanted |= 1 << bit
        reached = {pair: bool(bits & wanted) for pair, bits in self._reached(self._specs)}
        return [
            reached[spec] or any(map(is_wanted, packages_of(cause)))
            for spec, cause in zip(self._specs, self.causes, strict=True)
        ]

    def stack_causes(self, places: Collection[int] | None = None) -> list[StackCause]:
        """Return how much each event explains of the specs, or of those at some places."""
        reach = self.reach
        if places is None:
            places = range(len(self._specs))
        else:
            counts = BitCounts()
            wanted = {self._specs[place] for place in places}
            for pair, bits in self._reached(wanted):
                if pair in wanted:
                    counts.add(bits)
            reach = self._by_event(counts)
        names = self._changes.names
        return count_causes(
            ((names[self._specs[place]], self.causes[place]) for place in places), reach
        )


_Ranks = tuple[dict[int, int], dict[int, int]]
"""The lowest rank of the events of those pairs that have one: of all but recipes, and of these."""


def _lowest_ranks(
    pairs: Iterable[int], changes: ChangedPairs, ranked: Iterable[Event]
) -> tuple[_Ranks, _Ranks]:
    """Return the lowest ranks, without and with dependencies needed for building alone."""
    by_event = {event: rank for rank, event in enumerate(ranked)}
    ranks = [by_event.get(event, 0) for event in changes.events]  # some are in reach of no spec
    is_recipe = [event.what == "recipe" for event in changes.events]
    linked: _Ranks = {}, {}
    every: _Ranks = {}, {}
    for pair in pairs:
        for place, build_only in changes.own[pair]:
            rank = ranks[place]
            for lowest in (every,) if build_only else (linked, every):
                found = lowest[is_recipe[place]]
                found[pair] = min(rank, found.get(pair, rank))
    return linked, every


# --- How much of a stack each event explains ---


def is_shared(specs: int, of: int) -> bool:
    """Return whether so many specs are enough for a line above a stack: 30% (section 11).

    >>> is_shared(3, 10), is_shared(2, 7)
    (True, False)
    """
    return 10 * specs >= 3 * of


def count_causes(
    causes: Iterable[tuple[str, Cause]], reach: Mapping[Event, int]
) -> list[StackCause]:
    """Return the events of a stack, most specs first, of the cause of each rebuilt spec.

    Each cause comes with the spec's package. `reach` says how many specs reach each event: what
    30% or more of them reach is there even where something else is always nearer, recipes aside.
    """
    packages: dict[Event, list[str]] = {}
    number = 0
    for package, cause in causes:
        packages.setdefault(event_of(cause), []).append(package)
        number += 1
    for event, specs in reach.items():
        if event.what != "recipe" and specs and is_shared(specs, number):
            packages.setdefault(event, [])
    return sort_most_first(
        # What nothing leads to, a rehash, explains those specs that have it as their cause.
        _stack_cause(event, names, reach.get(event, len(names)))
        for event, names in packages.items()
    )


def shared_changes(reconfigured: Iterable[tuple[str, Iterable[Field]]]) -> list[StackCause]:
    """Return the changes of a field that 30% or more of a stack's reconfigured specs share.

    Each spec is given as its package and the fields in which it differs. Such a cause has no
    package: all of the stack moved, from one compiler to the next.
    """
    packages: dict[Event, list[str]] = {}
    number = 0
    for package, fields in reconfigured:
        number += 1
        for field in fields:
            event = Event(None, cast(What, field.name), field.old, field.new)
            packages.setdefault(event, []).append(package)
    return sort_most_first(
        _stack_cause(event, names, len(names))
        for event, names in packages.items()
        if is_shared(len(names), number)
    )


def _stack_cause(event: Event, packages: list[str], reach: int) -> StackCause:
    return StackCause(
        event.package,
        event.what,
        event.old,
        event.new,
        specs=len(packages),
        packages=len(set(packages)),
        reach=reach,
    )


def sort_most_first(causes: Iterable[StackCause]) -> list[StackCause]:
    """Return the causes of a stack, most specs first, then most in reach."""
    return sorted(causes, key=lambda cause: (-cause.specs, -cause.reach, event_words(cause)))


def event_words(event: Event) -> tuple[str, ...]:
    """Return what decides between events that are equal in all else: the name, then the values."""
    values = (event.old, event.new)
    words = (" ".join(value) if isinstance(value, tuple) else value or "" for value in values)
    return event.package or "", event.what, *words
