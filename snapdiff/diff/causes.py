"""Why specs were rebuilt: of each the nearest event, of a stack how much each event explains.

Every pair of nodes is compared once, and every changed edge is followed a fixed number of times,
whatever the number of specs that lead there (specification, section 11).
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

from msgspec import Struct

from snapdiff.diff.bit_counts import count_bits
from snapdiff.diff.changed_pairs import ChangedPairs
from snapdiff.diff.reach import Nearest, unite_below
from snapdiff.diff.stack_causes import count_causes, event_words
from snapdiff.result.causes import WHATS, Cause, Event, StackCause, What

_POSITION: dict[What, int] = {what: position for position, what in enumerate(WHATS)}

_OF_A_DEPENDENCY = ("replaced", "added", "removed")
"""Events that name a dependency of the node where they are found, not the node itself."""

REHASH = Event(None, "rehash")
"""Nothing differs but hashes: Spack changed how it hashes."""

LONGEST_PATH = 100
"""How many names a path has: in a chain of 100,000 specs all paths together would have billions."""


class Explanation(Struct, frozen=True):
    """Why the rebuilt specs of a stack were rebuilt.

    `causes` and `same_to_use` are in the order of the specs, `stack_causes` the most frequent
    first. `same_to_use` says whether a spec and all it links and runs differ in nothing but hashes
    and in what is needed for building alone.
    """

    causes: tuple[Cause, ...]
    stack_causes: tuple[StackCause, ...]
    same_to_use: tuple[bool, ...]
    reached: tuple[int, ...]
    bits: Mapping[Event, int]

    def because_of(self, wanted: Callable[[str], bool]) -> list[bool]:
        """Return of each spec whether a wanted package is its cause or has an event in its reach.

        Recipes count only as causes; what was replaced names both packages.
        """
        bits = 0
        for event, bit in self.bits.items():
            if event.what != "recipe" and any(map(wanted, packages_of(event))):
                bits |= 1 << bit
        return [
            bool(reached & bits) or any(map(wanted, packages_of(cause)))
            for reached, cause in zip(self.reached, self.causes, strict=True)
        ]

    def causes_of_stack(self, packages: Mapping[int, str]) -> list[StackCause]:
        """Return how much each event explains of some of the specs: their names by position."""
        size = max(self.bits.values(), default=0) + 1
        counted = count_bits([self.reached[spec] for spec in packages], size)
        reach = {event: counted[bit] for event, bit in self.bits.items() if counted[bit]}
        return count_causes(((name, self.causes[spec]) for spec, name in packages.items()), reach)


def packages_of(event: Event) -> tuple[str, ...]:
    """Return the names of the packages that an event is about."""
    if event.what == "replaced":
        return str(event.old), str(event.new)
    return () if event.package is None else (event.package,)


def explain(rebuilt: Sequence[tuple[str, str]], changes: ChangedPairs) -> Explanation:
    """Return why the specs of one stack were rebuilt, each given as its old and its new hash.

    Raises FormatError where there are too many pairs of specs below them.
    """
    specs = changes.add(rebuilt)
    reached: dict[int, int] = {}
    unite_below(specs, changes.below.__getitem__, changes.own.__getitem__, reached)
    used: dict[int, int] = {}
    unite_below(specs, changes.used_below.__getitem__, changes.own_used.__getitem__, used)

    counted = count_bits([reached[spec] for spec in specs], len(changes.bits))
    bits = {event: bit for event, bit in changes.event_bits() if counted[bit]}
    reach = {event: counted[bit] for event, bit in bits.items()}
    causes = [
        Cause(
            event.package,
            event.what,
            event.old,
            event.new,
            path=path,
            build_only=event != REHASH and not used[spec] >> bits[event] & 1,
            others=max((reached[spec] & changes.packages).bit_count() - 1, 0),
        )
        for spec, (event, path) in zip(
            specs, _nearest_events(specs, reached, reach, changes), strict=True
        )
    ]
    names = [changes.names[spec] for spec in specs]
    return Explanation(
        tuple(causes),
        tuple(count_causes(zip(names, causes, strict=True), reach)),
        tuple(not used[spec] for spec in specs),
        tuple(reached[spec] for spec in specs),
        bits,
    )


def _nearest_events(
    specs: Iterable[int], pairs: Collection[int], reach: Mapping[Event, int], changes: ChangedPairs
) -> Iterator[tuple[Event, tuple[str, ...]]]:
    """Yield the event that is the cause of each spec, and the path to it."""
    ranked = sorted(
        reach, key=lambda event: (_POSITION[event.what], -reach[event], event_words(event))
    )
    ranks = {event: rank for rank, event in enumerate(ranked)}
    nearest_event = _nearest(pairs, changes, ranks, recipes=False)
    # What reaches no event has nothing below it that does.
    without = [pair for pair in pairs if pair not in nearest_event]
    nearest_recipe = _nearest(without, changes, ranks, recipes=True)
    for spec in specs:
        nearest = nearest_event if spec in nearest_event else nearest_recipe
        if spec not in nearest:
            yield REHASH, ()
            continue
        event = ranked[nearest.rank(spec)]
        path = [changes.names[pair] for pair in nearest.way(spec, LONGEST_PATH + 2)]
        if event.what not in _OF_A_DEPENDENCY:
            del path[-1:]
        if len(path) > LONGEST_PATH:
            path[LONGEST_PATH:] = ["…"]
        yield event, tuple(path)


def _nearest(
    pairs: Collection[int], changes: ChangedPairs, ranks: Mapping[Event, int], *, recipes: bool
) -> Nearest:
    """Return the nearest events of some pairs, either recipes or all others."""
    lowest: dict[int, int] = {}
    for pair in pairs:
        for event, _ in changes.events[pair]:
            if (event.what == "recipe") == recipes:
                lowest[pair] = min(ranks[event], lowest.get(pair, len(ranks)))
    return Nearest(pairs, changes.below, changes.used_below, lowest)
