"""The pairs of nodes that changed edges lead to, each compared once however often it is reached."""

from collections.abc import Iterable, Iterator

from snapdiff.diff.events import FoundEvent, compare_nodes
from snapdiff.diff.matched_dependencies import is_build_only
from snapdiff.errors import FormatError
from snapdiff.model import Graph
from snapdiff.result.causes import Event

FEW_PAIRS, PAIRS_A_NODE = 100_000, 4
"""How many pairs of nodes are compared: so many, and more where the graphs have many nodes.

E4S 23.08 and 23.11 have 0.7 pairs a node. Two graphs made for it could have a pair for each old and
each new node of a package: a million in a lock of a megabyte, which take half a minute.
"""

UNKNOWN = 1
"""The bit of what is behind an edge that leads to no node of its document."""


class ChangedPairs:
    """Pairs of nodes of two graphs by number: their events, and the changed pairs below them.

    `below` has for each pair the numbers of its changed dependencies by name, `used_below` those
    that are linked or run.

    Events in reach of a pair are sets with many members in common. They are kept as the bits of an
    integer: `bits` numbers the events, and the packages that have any. `own` are the bits of a
    pair's own events; `own_used` leaves out dependencies that are needed for building alone.
    """

    def __init__(self, graphs: tuple[Graph, Graph], *, few: int = FEW_PAIRS) -> None:
        """Begin with no pair; `few` is how many may be compared however small the graphs are."""
        self._graphs = graphs
        self._most = few + PAIRS_A_NODE * sum(graph.size for graph in graphs)
        self._numbers: dict[tuple[str, str], int] = {}
        self.hashes: list[tuple[str, str]] = []
        self.names: list[str] = []
        self.events: list[list[FoundEvent]] = []
        self.below: list[list[int]] = []
        self.used_below: list[list[int]] = []
        self.own: list[int] = []
        self.own_used: list[int] = []
        self.bits: dict[Event | str | None, int] = {None: UNKNOWN.bit_length() - 1}
        self.packages = 0

    def add(self, pairs: Iterable[tuple[str, str]]) -> list[int]:
        """Return the numbers of pairs of hashes, once all that is below them is compared.

        Raises FormatError where there are too many pairs below them.
        """
        found = [self._number(old, new) for old, new in pairs]
        while len(self.below) < len(self.hashes):
            self._compare(*self.hashes[len(self.below)])
        return found

    def _number(self, old: str, new: str) -> int:
        number = self._numbers.get((old, new))
        if number is None:
            number = self._numbers[old, new] = len(self.hashes)
            if number >= self._most:
                raise FormatError(
                    f"its changed dependencies make more than {self._most:,} pairs of specs"
                )
            self.hashes.append((old, new))
        return number

    def _compare(self, old_hash: str, new_hash: str) -> None:
        """Find out what differs between the nodes of the next pair."""
        old, new = self._graphs[0].node(old_hash), self._graphs[1].node(new_hash)
        known = new or old
        self.names.append(known.name if known else "")
        events, changed = compare_nodes(old, new) if old and new else ([], [])
        below: list[int] = []
        used_below: list[int] = []
        for before, after in changed:
            number = self._number(before.hash, after.hash)
            below.append(number)
            if not (is_build_only(before) and is_build_only(after)):
                used_below.append(number)
        own = own_used = 0 if old and new else UNKNOWN
        for event, build_only in events:
            bits = self._bits_of(event)
            own |= bits
            if not build_only:
                own_used |= bits
        self.events.append(events)
        self.below.append(below)
        self.used_below.append(used_below)
        self.own.append(own)
        self.own_used.append(own_used)

    def _bits_of(self, event: Event) -> int:
        """Return the bit of an event and of its package; recipes do not count for a package."""
        bits = 1 << self.bits.setdefault(event, len(self.bits))
        if event.what != "recipe":
            package = 1 << self.bits.setdefault(event.package, len(self.bits))
            self.packages |= package
            bits |= package
        return bits

    def event_bits(self) -> Iterator[tuple[Event, int]]:
        """Yield the events found so far with their bits."""
        return ((key, bit) for key, bit in self.bits.items() if isinstance(key, Event))
