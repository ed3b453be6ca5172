"""What lies below a node in a graph that may be deep or go in circles: unions, and the nearest."""

from collections import defaultdict
from collections.abc import (
    Callable,
    Collection,
    Hashable,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
)
from typing import Generic, NamedTuple, TypeVar

Key = TypeVar("Key", bound=Hashable)


def unite_below(
    roots: Iterable[Key],
    children: Callable[[Key], Iterable[Key]],
    own: Callable[[Key], int],
    united: dict[Key, int],
) -> None:
    """Put into `united` the bits of each root and of all below it, and those of each on the way.

    What is in `united` already is not visited again. Every node and edge is visited once: a node
    gets its bits when all below it have theirs, and nodes that lie in a circle get them together.
    This is Tarjan's algorithm for strongly connected components, with a list in place of its
    recursion, since a graph may be deep.
    """
    shared: dict[int, int] = {}  # many nodes reach the same; each such set is held once
    numbers: dict[Key, int] = {}
    waiting: list[Key] = []  # what was entered and has no bits yet

    def enter(node: Key) -> _Entered[Key]:
        number = numbers[node] = len(numbers)
        waiting.append(node)
        return _Entered(number, iter(children(node)), own(node))

    for root in roots:
        way = [enter(root)] if root not in united else []
        while way:
            last = way[-1]
            for child in last.rest:
                known = united.get(child)
                if known is not None:
                    last.bits |= known
                elif child in numbers:
                    last.lowest = min(last.lowest, numbers[child])
                else:
                    way.append(enter(child))
                    break
            else:
                way.pop()
                if last.lowest == last.number:  # its circle is complete, mostly it alone
                    bits = shared.setdefault(last.bits, last.bits)
                    while numbers[waiting[-1]] > last.number:
                        united[waiting.pop()] = bits
                    united[waiting.pop()] = bits
                if way:
                    above = way[-1]
                    above.bits |= last.bits
                    above.lowest = min(above.lowest, last.lowest)


class _Entered(Generic[Key]):
    """A node on the way from a root to where the walk is, and the children of it that are left.

    `bits` are its own and those of what was found below it, `lowest` the lowest number of a node
    that a circle through it leads back to.
    """

    __slots__ = ("bits", "lowest", "number", "rest")

    def __init__(self, number: int, rest: Iterator[Key], bits: int) -> None:
        self.number = self.lowest = number
        self.rest = rest
        self.bits = bits


class Way(NamedTuple):
    """How the nearest event is reached: its rank, and the next pair; None where it is there."""

    rank: int
    next: int | None


class Nearest:
    """The nearest event of each pair that reaches one.

    At the same distance an event that linked and run dependencies alone lead to goes before others
    (`used`, where there is one), then the lower rank (`either`); equal events are reached by the
    first dependencies by name.
    """

    def __init__(
        self,
        pairs: Collection[int],
        below: Sequence[Sequence[int]],
        used_below: Sequence[Sequence[int]],
        ranks: Mapping[int, int],
    ) -> None:
        """Take the pairs to look at, and the lowest rank of those that have events themselves."""
        self._used: dict[int, Way] = {}
        self._either: dict[int, Way] = {}
        above: defaultdict[int, list[int]] = defaultdict(list)
        for pair in pairs if ranks else ():
            for child in below[pair]:
                above[child].append(pair)
        for pair, rank in ranks.items():
            self._used[pair] = self._either[pair] = Way(rank, None)
        level = list(ranks)
        while level:
            level = list(
                dict.fromkeys(
                    pair
                    for child in level
                    for pair in above.get(child, ())
                    if pair not in self._either
                )
            )
            either = _best_ways(level, below, self._either)
            used = _best_ways(level, used_below, self._used)
            self._either |= either
            self._used |= used

    def __contains__(self, pair: int) -> bool:
        """Return whether a pair reaches an event."""
        return pair in self._either

    def rank(self, pair: int) -> int:
        """Return the rank of the nearest event of a pair that reaches one."""
        return self._ways(pair)[pair].rank

    def way(self, pair: int, most: int) -> list[int]:
        """Return the pairs that lead from a pair to its nearest event, at most so many of them.

        The pair itself is not among them.
        """
        ways = self._ways(pair)
        found: list[int] = []
        following = ways[pair].next
        while following is not None and len(found) < most:
            found.append(following)
            following = ways[following].next
        return found

    def _ways(self, pair: int) -> Mapping[int, Way]:
        return self._used if pair in self._used else self._either


def _best_ways(
    level: Iterable[int], below: Sequence[Sequence[int]], known: Mapping[int, Way]
) -> dict[int, Way]:
    """Return for each pair of a level the best of the ways of those below it, if any has one."""
    found: dict[int, Way] = {}
    for pair in level:
        best = None
        for child in below[pair]:
            way = known.get(child)
            if way and (best is None or way.rank < best.rank):
                best, nearest = way, child
        if best:
            found[pair] = Way(best.rank, nearest)
    return found
