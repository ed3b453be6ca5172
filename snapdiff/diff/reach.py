"""What lies below a node in a graph that may be deep or go in circles: unions, and the nearest."""

from collections import defaultdict
from collections.abc import Callable, Container, Hashable, Iterable, Iterator, Mapping, Sequence
from typing import TypeVar

Item = TypeVar("Item", bound=Hashable)


def unite_below(
    roots: Iterable[Item],
    children: Callable[[Item], Sequence[Item]],
    own: Callable[[Item], int],
    known: Mapping[Item, int] = {},
) -> Iterator[tuple[Item, int]]:
    """Yield each root and all below it with its bits and those of what is below it.

    What is below comes first; what is `known` is left out. Bits are dropped when the last node
    above has them: in a chain of 40,000 nodes, each with a bit of its own, all of them together
    would take 200 MB.
    """
    circles, below = circles_below(roots, children, known)
    last_above = {child: node for circle in circles for node in circle for child in below[node]}
    united: dict[Item, int] = {}  # as long as something above waits for it
    for circle in circles:
        bits = 0
        for node in circle:
            bits |= own(node)
            for child in below[node]:
                bits |= united.get(child) or known.get(child, 0)
        for node in circle:
            yield node, bits
            if node in last_above:
                united[node] = bits
        for node in circle:
            for child in below[node]:
                if last_above[child] == node:
                    united.pop(child, None)


def circles_below(
    roots: Iterable[Item], children: Callable[[Item], Sequence[Item]], known: Container[Item] = ()
) -> tuple[Sequence[tuple[Item, ...]], Mapping[Item, Sequence[Item]]]:
    """Return roots and all below them, what is below first, and what each has below.

    What lies in a circle is together, all else by itself; what is `known` is left out. This is
    Gabow's algorithm: every node and edge is visited once, with a list in place of recursion, since
    a graph may be deep.
    """
    below: dict[Item, Sequence[Item]] = {}
    circles: list[tuple[Item, ...]] = []
    path: list[Item] = []  # what is in no circle yet
    places: dict[Item, int] = {}  # where on the path it is
    starts = [-1]  # where on the path what may be circles begins
    waiting = [root for root in roots if root not in known]
    while waiting:
        node = waiting[-1]
        if node not in below:
            place = places[node] = len(path)
            starts.append(place)
            path.append(node)
            below[node] = children(node)
            for child in below[node]:
                if child not in below:
                    if child not in known:
                        waiting.append(child)
                elif child in places:
                    while starts[-1] > places[child]:
                        starts.pop()
        else:
            waiting.pop()
            if places.get(node) == starts[-1]:
                start = starts.pop()
                circles.append(tuple(path[start:]))
                for member in circles[-1]:
                    del places[member]
                del path[start:]
    return circles, below


def parents(
    nodes: Iterable[Item], children: Callable[[Item], Sequence[Item]]
) -> Mapping[Item, Sequence[Item]]:
    """Return of each node what it is below of, among some nodes."""
    above: defaultdict[Item, list[Item]] = defaultdict(list)
    for node in nodes:
        for child in children(node):
            above[child].append(node)
    return above


def nearest_ways(
    children: Callable[[Item], Sequence[Item]],
    above: Mapping[Item, Sequence[Item]],
    ranks: Mapping[Item, int],
) -> dict[Item, tuple[int, Item | None]]:
    """Return the rank of the nearest event of each node that reaches one, and the next node there.

    `ranks` has the lowest rank of each node that has events: from there nothing is next. At the
    same distance the lower rank goes first; equal events are reached by the first dependencies by
    name.
    """
    ways: dict[Item, tuple[int, Item | None]] = {node: (rank, None) for node, rank in ranks.items()}
    level: Mapping[Item, object] = ranks
    while level:
        found: dict[Item, tuple[int, Item | None]] = {}
        for child in level:
            for node in above.get(child, ()):
                if node not in ways and node not in found:
                    on_the_way = (it for it in children(node) if it in ways)
                    following = min(on_the_way, key=lambda it: ways[it][0])
                    found[node] = ways[following][0], following
        ways |= found
        level = found
    return ways


class BitCounts:
    """In how many of some sets each member is, where sets are the bits of integers.

    The counts are kept as columns: bit i of `columns[k]` is bit k of the count of member i. So a
    set is added to all counts at once, carries and all, in place of one member after the other.
    """

    def __init__(self) -> None:
        self._columns: list[int] = []

    def add(self, members: int) -> None:
        """Count each member of a set."""
        carry = members
        for place, column in enumerate(self._columns):
            if not carry:
                return
            self._columns[place] = column ^ carry
            carry &= column
        if carry:
            self._columns.append(carry)

    def numbers(self, size: int) -> list[int]:
        """Return for each of the first `size` members in how many of the sets it is."""
        digits = [f"{column:0{size}b}"[::-1] for column in self._columns]
        return [
            sum((column[bit] == "1") << place for place, column in enumerate(digits))
            for bit in range(size)
        ]

    def number(self, member: int) -> int:
        """Return in how many of the sets one member is, given as its bit."""
        return sum(1 << place for place, column in enumerate(self._columns) if column & member)

    def most(self) -> tuple[int, int]:
        """Return in how many sets those members are that are in most, and their bits.

        >>> counts = BitCounts()
        >>> for members in (0b0111, 0b0101, 0b1001):
        ...     counts.add(members)
        >>> counts.most()
        (3, 1)
        """
        number, members = 0, -1
        for place, column in reversed(list(enumerate(self._columns))):
            if members & column:
                members &= column
                number += 1 << place
        return number, members if number else 0


def each_bit(bits: int) -> Iterator[int]:
    """Yield the bits of an integer, each by itself, the lowest first: 1, 4 and 8 of 13."""
    while bits:
        bit = bits & -bits
        yield bit
        bits ^= bit
