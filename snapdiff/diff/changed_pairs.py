"""The pairs of nodes that changed edges lead to, each compared once however often it is reached."""

from collections.abc import Iterable

from snapdiff.diff.dependencies import DependencySets, Graphs, HashPair, is_build_only
from snapdiff.diff.events import compare_nodes
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

    `events` are all that were found, and `own` has for each pair the places of its own, each with
    whether it is about a dependency that is needed for building alone. `unknown` says whether a
    pair has a difference that is no event of it.

    Sets of events in reach of a pair are kept as the bits of an integer: `bits` numbers the events,
    and the packages that have any; `packages` are the bits of the packages.
    """

    def __init__(self, graphs: Graphs, *, few: int = FEW_PAIRS) -> None:
        """Begin with no pair; `few` is how many may be compared however small the graphs are."""
        self._graphs = graphs
        self._most = few + PAIRS_A_NODE * sum(graph.size for graph in graphs)
        self._numbers: dict[HashPair, int] = {}
        self.hashes: list[HashPair] = []
        self.names: list[str] = []
        self.events: list[Event] = []
        self.own: list[list[tuple[int, bool]]] = []
        self.below: list[list[int]] = []
        self.linked_below: list[list[int]] = []
        self.unknown: list[bool] = []
        self.bits: list[int] = []
        self.packages = 0
        self._places: dict[Event, int] = {}
        self._package_bits: dict[str | None, int] = {}

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
        self.names.append(differences.name)
        self.own.append(
            [(self._place(event), alone) for event, alone in differences.events.items()]
        )
        self.below.append(below)
        self.linked_below.append(linked_below)
        self.unknown.append(differences.unknown)

    def all_events(self, pair: int) -> dict[Event, bool]:
        """Return the events of a pair, and all else that the documents say of it."""
        return compare_nodes(self.hashes[pair], self._graphs, all_of=True).events

    def _place(self, event: Event) -> int:
        """Return the place of an event; recipes do not count for a package."""
        place = self._places.get(event)
        if place is None:
            place = self._places[event] = len(self.events)
            self.events.append(event)
            self.bits.append(self._new_bit())
            if event.what != "recipe" and event.package not in self._package_bits:
                self._package_bits[event.package] = self._new_bit()
                self.packages |= 1 << self._package_bits[event.package]
        return place

    def _new_bit(self) -> int:
        return len(self.bits) + len(self._package_bits) + UNKNOWN.bit_length()

    def own_bits(self, pair: int) -> int:
        """Return the bits of a pair's own events and of their packages."""
        bits = UNKNOWN if self.unknown[pair] else 0
        for place, _ in self.own[pair]:
            bits |= 1 << self.bits[place]
            if self.events[place].what != "recipe":
                bits |= 1 << self._package_bits[self.events[place].package]
        return bits

    def is_same_to_use(self, pair: int) -> bool:
        """Return whether nothing differs in a pair itself but what is needed for building alone."""
        return not self.unknown[pair] and all(build_only for _, build_only in self.own[pair])


class KnownGraphs:
    """What was found out about the graphs of documents: once for all packages and stacks."""

    def __init__(self) -> None:
        """Begin with no graph."""
        self._changes: dict[Graphs, ChangedPairs] = {}
        self._dependencies: dict[Graphs, DependencySets] = {}

    def changes(self, graphs: Graphs) -> ChangedPairs:
        """Return what differs between two graphs."""
        if graphs not in self._changes:
            self._changes[graphs] = ChangedPairs(graphs)
        return self._changes[graphs]

    def dependencies(self, graphs: Graphs) -> DependencySets:
        """Return what the specs of two graphs depend on."""
        if graphs not in self._dependencies:
            self._dependencies[graphs] = DependencySets(graphs)
        return self._dependencies[graphs]

    def packages(self) -> set[str]:
        """Return the packages of all nodes that were compared, and of their events."""
        found: set[str] = set()
        for changes in self._changes.values():
            found.update(changes.names)
            for event in changes.events:
                found.update(packages_of(event))
        return found


def packages_of(event: Event) -> tuple[str, ...]:
    """Return the names of the packages that an event is about."""
    if event.what == "replaced":
        return str(event.old), str(event.new)
    return () if event.package is None else (event.package,)
