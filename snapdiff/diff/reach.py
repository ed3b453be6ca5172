"""What lies below a node in a graph that may be deep or go in circles: unions, and the nearest."""

from collections import defaultdict
from collections.abc import (
    Callable,
    Collection,
    Container,
    Hashable,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
)
from typing import NamedTuple, TypeVar

Key = TypeVar("Key", bound=Hashable)


def unite_below(
    roots: Iterable[Key],
    children: Callable[[Key], Sequence[Key]],
    own: Callable[[Key], int],
    known: Mapping[Key, int],
) -> Iterator[tuple[Key, int]]:
    """Yield each root and all below it with its bits and those of what is below it.

    What is below comes first. What is `known` has its bits already, and is not visited. Bits are
    dropped when the last node above has them: in a chain of 40,000 nodes, each with a bit of its
    own, all of them together would take 200 MB.
    """
    circles, below = _circles(roots, children, known)
    last_above = {child: node for circle in circles for node in circle for child in below[node]}
    united: dict[Key, int] = {}  # as long as something above waits for it
    for circle in circles:
        bits = 0
        for node in circle:
            bits |= own(node)
            for child in below[node]:
                found = united.get(child)
                bits |= known.get(child, 0) if found is None else found
        for node in circle:
            yield node, bits
            if node in last_above:
                united[node] = bits
        for node in circle:
            for child in below[node]:
                if last_above[child] == node:
                    united.pop(child, None)


def _circles(
    roots: Iterable[Key], children: Callable[[Key], Sequence[Key]], known: Container[Key]
) -> tuple[list[list[Key]], dict[Key, Sequence[Key]]]:
    """Return roots and all below them, what lies in a circle together, what is below first.

    Behind these is what each of them has below. Every node and edge is visited once, as in Gabow's
    algorithm for strongly connected components, with a list in place of its recursion, since a
    graph may be deep.
    """
    circles: list[list[Key]] = []
    below: dict[Key, Sequence[Key]] = {}
    way: list[tuple[Key, Iterator[Key]]] = []
    places: dict[Key, int] = {}  # of what is in no circle yet, in the order of `waiting`
    waiting: list[Key] = []
    first: list[int] = []  # the places where a circle may begin
    for root in roots:
        entered: Key | None = root if root not in below and root not in known else None
        while way or entered is not None:
            if entered is not None:
                places[entered] = len(waiting)
                first.append(len(waiting))
                waiting.append(entered)
                below[entered] = children(entered)
                way.append((entered, iter(below[entered])))
                entered = None
            node, rest = way[-1]
            for child in rest:
                if child in places:  # which leads to this node: all since then is one circle
                    while first[-1] > places[child]:
                        first.pop()
                elif child not in below and child not in known:
                    entered = child
                    break
            else:
                way.pop()
                if first[-1] == places[node]:
                    circle = waiting[first.pop() :]
                    del waiting[-len(circle) :]
                    for it in circle:
                        del places[it]
                    circles.append(circle)
    return circles, below


class Way(NamedTuple):
    """How the nearest event is reached: its rank, and the next pair; None where it is there."""

    rank: int
    next: int | None


def parents(nodes: Iterable[int], below: Sequence[Sequence[int]]) -> dict[int, list[int]]:
    """Return of each node what it is below of, among some nodes."""
    above: defaultdict[int, list[int]] = defaultdict(list)
    for node in nodes:
        for child in below[node]:
            above[child].append(node)
    return above


def all_above(nodes: Iterable[int], above: Mapping[int, Sequence[int]]) -> set[int]:
    """Return some nodes and all that lead to them."""
    found = set(nodes)
    waiting = list(found)
    while waiting:
        for parent in above.get(waiting.pop(), ()):
            if parent not in found:
                found.add(parent)
                waiting.append(parent)
    return found


def nearest_ways(
    below: Sequence[Sequence[int]], above: Mapping[int, Sequence[int]], ranks: Mapping[int, int]
) -> dict[int, Way]:
    """Return how each pair that reaches an event reaches the nearest one.

    `ranks` has the lowest rank of each pair that has events. At the same distance the lower rank
    goes first; equal events are reached by the first dependencies by name.
    """
    ways = {pair: Way(rank, None) for pair, rank in ranks.items()}
    level: Collection[int] = ranks
    while level:
        found: dict[int, Way] = {}
        for child in level:
            for pair in above.get(child, ()):
                if pair not in ways and pair not in found:
                    next_pair = min(
                        (it for it in below[pair] if it in ways), key=lambda it: ways[it].rank
                    )
                    found[pair] = Way(ways[next_pair].rank, next_pair)
        ways |= found
        level = found
    return ways


class BitCounts:
    """In how many of some sets each member is, where sets are the bits of integers.

    The counts are kept as columns: bit i of `columns[k]` is bit k of the count of member i. So a
    set is added to all counts at once, carries and all, in place of one member after the other.
    """

    def __init__(self) -> None:
        """Begin with no set."""
        self._columns: list[int] = []

    def add(self, members: int) -> None:
        """Count a set.

        >>> counts = BitCounts()
        >>> for members in (0b011, 0b001, 0b001):
        ...     counts.add(members)
        >>> counts.numbers(3)
        [3, 1, 0]
        """
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
    """Yield the bits of an integer, each by itself, the lowest first.

    >>> list(each_bit(0b1101))
    [1, 4, 8]
    """
    while bits:
        bit = bits & -bits
        yield bit
        bits ^= bit
