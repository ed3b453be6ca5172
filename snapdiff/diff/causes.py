"""Why specs were rebuilt: of each the nearest event, of a stack how much each event explains.

Every pair of nodes is compared once, and every changed edge is followed a fixed number of times,
whatever the number of specs that lead there (specification, section 11).
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import cached_property
from itertools import count, product
from operator import attrgetter

from msgspec import UNSET
from msgspec.structs import astuple, replace

from snapdiff.diff.changed_pairs import ChangedPair, KnownGraphs, packages_of
from snapdiff.diff.dependencies import Graphs, NodePair
from snapdiff.diff.reach import BitCounts, nearest_ways, parents, unite_below
from snapdiff.filters import Scope
from snapdiff.result.causes import LAST_RESORTS, WHATS, Cause, Event, StackCause, What, event_of
from snapdiff.result.changes import Change, changes_by_package
from snapdiff.result.packages import Field, Kind

_OF_THE_NODE_BELOW: tuple[What, ...] = ("replaced", "added", "removed", "edge", "compilers")
"""Events that do not name the node where they are found."""

REHASH = Event(None, "rehash")
"""Nothing differs but hashes: Spack changed how it hashes."""

LONGEST_PATH = 100
"""How many names a path has: in a chain of 100,000 specs all paths together would have billions."""

_BELOW: Callable[[ChangedPair], list[ChangedPair]] = attrgetter("below")
_LINKED_BELOW: Callable[[ChangedPair], list[ChangedPair]] = attrgetter("linked_below")


class Explanation:
    """Why the rebuilt specs of a stack were rebuilt.

    `same_to_use` are those that differ, with all they link and run, in nothing but hashes and in
    what is needed for building alone. `reach` has how many of the specs reach each event.
    """

    def __init__(self, rebuilt: Iterable[ChangedPair]) -> None:
        """Find what is below the specs, each given as the pair of its old and its new node."""
        self._specs = list(rebuilt)
        # The place of the bit of each event, and of each package that has any.
        self._places: defaultdict[Event | str | None, int] = defaultdict(count().__next__)
        self._packages = 0  # the bits of the latter
        wanted = set(self._specs)
        self._pairs: list[ChangedPair] = []
        self._others: dict[ChangedPair, int] = {}
        counts = BitCounts()
        for pair, bits in unite_below(wanted, _BELOW, self._bits):
            self._pairs.append(pair)
            if pair in wanted:
                self._others[pair] = max((bits & self._packages).bit_count() - 1, 0)
                counts.add(bits)
        self.reach = self._by_event(counts)
        self._linked_above = parents(self._pairs, _LINKED_BELOW)
        unlike = {pair: 0 for pair in self._pairs if not pair.is_same_to_use}
        changed = nearest_ways(_LINKED_BELOW, self._linked_above, unlike)
        self.same_to_use = {spec.hashes for spec in self._specs if spec not in changed}

    def _bits(self, pair: ChangedPair) -> int:
        """Return the bits of a pair's own events, and of their packages but of last resorts."""
        bits = 0
        for event in pair.events:
            bits |= 1 << self._places[event]
            if event.what not in LAST_RESORTS:
                package = 1 << self._places[event.package]
                self._packages |= package
                bits |= package
        return bits

    def _by_event(self, counts: BitCounts) -> dict[Event, int]:
        numbers = counts.numbers(len(self._places))
        places = self._places.items()
        return {key: numbers[at] for key, at in places if isinstance(key, Event) and numbers[at]}

    @cached_property
    def causes(self) -> dict[NodePair, Cause]:
        """The cause of each spec, by its two hashes.

        What it links goes before what it only needs to be built, both before any last resort.
        """
        reach = self.reach
        ranked = sorted(
            reach, key=lambda event: (WHATS.index(event.what), -reach[event], event_words(event))
        )
        ranks = {event: rank for rank, event in enumerate(ranked)}
        events = [
            (pair, ranks[event], event.what if event.what in LAST_RESORTS else None, alone)
            for pair in self._pairs
            for event, alone in pair.events.items()
        ]
        above = parents(self._pairs, _BELOW)
        chosen: dict[ChangedPair, tuple[Event, tuple[str, ...], bool]] = {}
        for last_resort, build_only in product((None, *LAST_RESORTS), (False, True)):
            left = [spec for spec in self._specs if spec not in chosen]
            if not left:
                break
            lowest: dict[ChangedPair, int] = {}
            for pair, rank, resort, alone in events:
                if resort == last_resort and (build_only or not alone):
                    lowest[pair] = min(rank, lowest.get(pair, rank))
            edges = (_BELOW, above) if build_only else (_LINKED_BELOW, self._linked_above)
            ways = nearest_ways(*edges, lowest)
            for spec in left:
                if spec in ways:
                    event = ranked[ways[spec][0]]
                    chosen[spec] = event, _path(ways, spec, event), build_only
        causes = {}
        for spec in self._specs:
            event, path, build_only = chosen.get(spec, (REHASH, (), False))
            others = self._others[spec]
            cause = Cause(*astuple(event), path=path, build_only=build_only, others=others)
            causes[spec.hashes] = cause
        return causes

    def because_of(self, is_wanted: Callable[[str], bool]) -> set[NodePair]:
        """Return the specs that have a wanted package as cause, or an event of it in reach.

        Recipes count only as causes; what was replaced names both packages.
        """
        wanted = 0
        for event in self.reach:
            if event.what not in LAST_RESORTS and any(map(is_wanted, packages_of(event))):
                wanted |= 1 << self._places[event]
        every = unite_below(self._specs, _BELOW, self._bits)
        reached = {pair for pair, bits in every if bits & wanted}
        return {
            spec.hashes
            for spec in self._specs
            if spec in reached or any(map(is_wanted, packages_of(self.causes[spec.hashes])))
        }

    def of_stack(self, wanted: Collection[NodePair]) -> list[StackCause]:
        """Return how much each event explains of some of the specs.

        Most specs go first. What 30% or more of the specs reach is there even where something else
        is always nearer, last resorts aside.
        """
        specs = dict.fromkeys(spec for spec in self._specs if spec.hashes in wanted)
        reach = self.reach
        if len(specs) < len(self._specs):
            counts = BitCounts()
            for pair, bits in unite_below(specs, _BELOW, self._bits):
                if pair in specs:
                    counts.add(bits)
            reach = self._by_event(counts)
        packages: dict[Event, list[str]] = {}
        for spec in specs:
            packages.setdefault(event_of(self.causes[spec.hashes]), []).append(spec.name)
        for event, number in reach.items():
            if event.what not in LAST_RESORTS and is_shared(number, len(specs)):
                packages.setdefault(event, [])
        return sort_most_first(
            # What nothing leads to, a rehash, explains those specs that have it as their cause.
            _stack_cause(event, names, reach.get(event) or len(names))
            for event, names in packages.items()
        )


def _path(
    ways: Mapping[ChangedPair, tuple[int, ChangedPair | None]], spec: ChangedPair, event: Event
) -> tuple[str, ...]:
    path: list[str] = []
    _, following = ways[spec]
    while following is not None and len(path) < LONGEST_PATH + 2:
        path.append(following.name)
        _, following = ways[following]
    if event.what not in _OF_THE_NODE_BELOW:
        del path[-1:]
    if len(path) > LONGEST_PATH:
        path[LONGEST_PATH:] = ["…"]
    return tuple(path)


# --- How much of a stack each event explains ---


def is_shared(specs: int, of: int) -> bool:
    """Return whether so many specs are enough for a line above a stack: 30% (section 11)."""
    return 10 * specs >= 3 * of


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
            packages.setdefault(field.event(), []).append(package)
    return sort_most_first(
        _stack_cause(event, names, len(names))
        for event, names in packages.items()
        if is_shared(len(names), number)
    )


def _stack_cause(event: Event, packages: list[str], reach: int) -> StackCause:
    return StackCause(
        *astuple(event), specs=len(packages), packages=len(set(packages)), reach=reach
    )


def sort_most_first(causes: Iterable[StackCause]) -> list[StackCause]:
    """Return the causes of a stack, most specs first, then most in reach."""
    return sorted(causes, key=lambda cause: (-cause.specs, -cause.reach, event_words(cause)))


def event_words(event: Event) -> tuple[str, ...]:
    """Return what decides between events that are equal in all else: the name, then the values."""
    values = (event.old, event.new)
    words = (" ".join(value) if isinstance(value, tuple) else value or "" for value in values)
    return event.package or "", event.what, *words


# --- All changes of a stack ---


def explain_changes(
    changes: Sequence[Change],
    graphs: Mapping[str, Graphs],
    known: KnownGraphs,
    scope: Scope,
    is_reported: Callable[[Change], bool],
) -> tuple[list[Change], list[StackCause]]:
    """Return the changes of a stack with their causes, and the causes of the stack.

    `graphs` has the dependencies by package, where both sides have them: there every change has a
    cause, null but for a rebuilt spec (specification, section 11). Only what `is_reported` is
    returned, and where only some causes are wanted, only what was rebuilt or lost because of them;
    which event is the cause of a spec is decided among all of the stack. Raises FormatError where a
    document has too much to compare.
    """
    because = bool(scope.filters.because)
    lost = _lost_because(changes, graphs, known, scope.is_wanted_cause) if because else set()
    rebuilt: dict[Graphs, list[NodePair]] = {}
    wanted: set[NodePair] = set()
    for change in changes:
        if change.kind is Kind.REBUILT and change.package in graphs:
            rebuilt.setdefault(graphs[change.package], []).append(_hashes(change))
            if is_reported(change):
                wanted.add(_hashes(change))
    found = Explanation(
        pair for both, hashes in rebuilt.items() for pair in known.changes(both).add(hashes)
    )
    if because:
        wanted &= found.because_of(scope.is_wanted_cause)
    reported = []
    for change in filter(is_reported, changes):
        hashes = _hashes(change)
        if hashes in wanted:
            is_same = hashes in found.same_to_use or UNSET
            reported.append(replace(change, cause=found.causes[hashes], same_to_use=is_same))
        elif not because or hashes[0] in lost:
            reported.append(replace(change, cause=None) if change.package in graphs else change)
    fields = shared_changes(
        (change.package, change.fields) for change in reported if change.kind is Kind.RECONFIGURED
    )
    return reported, sort_most_first([*found.of_stack(wanted), *fields])


def _hashes(change: Change) -> NodePair:
    """Return the old and the new hash, empty where there is none."""
    return change.old.hash if change.old else "", change.new.hash if change.new else ""


def _lost_because(
    changes: Iterable[Change],
    graphs: Mapping[str, Graphs],
    known: KnownGraphs,
    is_wanted: Callable[[str], bool],
) -> set[str]:
    """Return the specs that were removed with a wanted package: it, and what used it."""
    removed: dict[Graphs, set[str]] = {}
    gone: set[str] = set()
    for change in changes:
        if change.kind is Kind.REMOVED and change.old and change.package in graphs:
            removed.setdefault(graphs[change.package], set()).add(change.old.hash)
            if is_wanted(change.package):
                gone.add(change.old.hash)
    return {
        spec_hash
        for both, hashes in removed.items()
        for spec_hash, reaches in unite_below(
            hashes, known.dependencies(both)[0].below, gone.__contains__
        )
        if reaches and spec_hash in hashes
    }


def main_causes(changes: Iterable[Change]) -> dict[str, Cause]:
    """Return by package the cause that most of its rebuilt specs have."""
    found = {}
    for package, some in changes_by_package(it for it in changes if it.cause).items():
        causes = [change.cause for change in some if change.cause]
        specs = Counter(map(event_of, causes))
        most = max(specs.values())
        found[package] = min(
            (it for it in causes if specs[event_of(it)] == most),
            key=lambda it: (event_words(it), len(it.path), it.path, it.build_only, it.others),
        )
    return found
