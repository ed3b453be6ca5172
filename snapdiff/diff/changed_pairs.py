"""The pairs of nodes that changed edges lead to, each compared once however often it is reached."""

from collections.abc import Iterable

from snapdiff.diff.dependencies import DependencySets
from snapdiff.diff.events import (
    FoundEvent,
    Graphs,
    HashPair,
    compare_nodes,
    is_build_only,
)
from snapdiff.errors import FormatError
from snapdiff.result.causes import Event

FEW_PAIRS, PAIRS_A_NODE = 100_000, 4
"""How many pairs of nodes are compared: so many, and more where the graphs have many nodes.

E4S 23.08 and 23.11 have 0.7 pairs a node. Two graphs made for it could have a pair for each old and
each new node of a package: a million in a lock of a megabyte, which take half a minute.
"""

UNKNOWN = 1
"""The bit of a difference that is no event of the pair: what is behind an edge that leads to no
node of its document, or another compiler, which is an event of the compiler itself."""


class ChangedPairs:
    """Pairs of nodes of two graphs by number: their events, and the changed pairs below them.

    `below` has for each pair the numbers of its changed dependencies by name, `linked_below` those
    that are linked or run.

    Sets of events in reach of a pair are kept as the bits of an integer: `bits` numbers the events,
    and the packages that have any; `packages` are the bits of the packages. `unknown` says whether
    a pair has a difference that is no event of it.
    """

    def __init__(self, graphs: Graphs, *, few: int = FEW_PAIRS) -> None:
        """Begin with no pair; `few` is how many may be compared however small the graphs are."""
        self._graphs = graphs
        self._most = few + PAIRS_A_NODE * sum(graph.size for graph in graphs)
        self._numbers: dict[HashPair, int] = {}
        self.hashes: list[HashPair] = []
        self.names: list[str] = []
        self.events: list[list[FoundEvent]] = []
        self.below: list[list[int]] = []
        self.linked_below: list[list[int]] = []
        self.unknown: list[bool] = []
        self.bits: dict[Event | str | None, int] = {}
        self.packages = 0

    def add(self, pairs: Iterable[HashPair]) -> list[int]:
        """Return the numbers of pairs of hashes, once all that is below them is compared.

        Raises FormatError where there are too many pairs below them.
        """
        found = [self._number(pair) for pair in pairs]
        while len(self.below) < len(self.hashes):
            self._compare(self.hashes[len(self.below)])
        return found

    def _number(self, pair: HashPair) -> int:
        number = self._numbers.get(pair)
        if number is None:
            number = self._numbers[pair] = len(self.hashes)
            if number >= self._most:
                raise FormatError(
                    f"its changed dependencies make more than {self._most:,} pairs of specs"
                )
            self.hashes.append(pair)
        return number

    def _compare(self, hashes: HashPair) -> None:
        """Find out what differs between the nodes of the next pair."""
        differences = compare_nodes(hashes, self._graphs)
        below: list[int] = []
        linked_below: list[int] = []
        for before, after in differences.changed:
            number = self._number((before.hash, after.hash))
            below.append(number)
            if not (is_build_only(before) and is_build_only(after)):
                linked_below.append(number)
        for event, _ in differences.events:
            if event not in self.bits:
                self._give_bits(event)
        self.names.append(differences.name)
        self.events.append(differences.events)
        self.below.append(below)
        self.linked_below.append(linked_below)
        self.unknown.append(differences.unknown)

    def all_events(self, pair: int) -> list[FoundEvent]:
        """Return the events of a pair, and all else that the documents say of it."""
        return compare_nodes(self.hashes[pair], self._graphs, all_of=True).events

    def _give_bits(self, event: Event) -> None:
        """Give a bit to a new event and to its package; recipes do not count for a package."""
        self.bits[event] = len(self.bits) + UNKNOWN.bit_length()
        if event.what != "recipe":
            bit = self.bits.setdefault(event.package, len(self.bits) + UNKNOWN.bit_length())
            self.packages |= 1 << bit

    def own_bits(self, pair: int) -> int:
        """Return the bits of a pair's own events and of their packages."""
        bits = UNKNOWN if self.unknown[pair] else 0
        for event, _ in self.events[pair]:
            bits |= 1 << self.bits[event]
            if event.what != "recipe":
                bits |= 1 << self.bits[event.package]
        return bits

    def is_same_to_use(self, pair: int) -> bool:
        """Return whether nothing differs in a pair itself but what is needed for building alone."""
        return not self.unknown[pair] and all(build_only for _, build_only in self.events[pair])

    def event_bits(self) -> dict[Event, int]:
        """Return the events found so far with their bits."""
        return {key: bit for key, bit in self.bits.items() if isinstance(key, Event)}


class KnownGraphs:
    """What was found out about the graphs of documents: once for all packages and stacks."""

    def __init__(self) -> None:
        """Begin with no graph."""
        self._known: dict[tuple[int, int], _Known] = {}

    def changes(self, graphs: Graphs) -> ChangedPairs:
        """Return what differs between two graphs."""
        return self._get(graphs).changes

    def packages(self) -> set[str]:
        """Return the packages of all nodes that were compared, and of their events."""
        found: set[str] = set()
        for known in self._known.values():
            found.update(known.changes.names)
            for event in known.changes.event_bits():
                found.update(packages_of(event))
        return found

    def dependencies(self, graphs: Graphs) -> DependencySets:
        """Return what the specs of two graphs depend on."""
        return self._get(graphs).dependencies

    def _get(self, graphs: Graphs) -> "_Known":
        key = (id(graphs[0]), id(graphs[1]))
        known = self._known.get(key)
        if known is None:  # it holds the graphs, so their ids stay theirs
            known = self._known[key] = _Known(graphs)
        return known


class _Known:
    def __init__(self, graphs: Graphs) -> None:
        self.graphs = graphs
        self.changes = ChangedPairs(graphs)
        self.dependencies = DependencySets(graphs)


def packages_of(event: Event) -> tuple[str, ...]:
    """Return the names of the packages that an event is about."""
    if event.what == "replaced":
        return str(event.old), str(event.new)
    return () if event.package is None else (event.package,)
