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
    """
    shared: dict[int, int] = {}
    for circle in _circles(roots, children, united):
        union = 0
        for node in circle:
            union |= own(node)
            for child in children(node):
                union |= united.get(child, 0)
        # Many nodes reach the same; each such set is held once.
        union = shared.setdefault(union, union)
        for node in circle:
            united[node] = union


def _circles(
    roots: Iterable[Key], children: Callable[[Key], Iterable[Key]], done: Container[Key]
) -> Iterator[list[Key]]:
    """Yield the nodes that lie in one circle together, mostly one alone, what is below it first.

    Each has to be in `done` when the next is asked for.
    """
    walk = _Walk(children, done)
    for root in roots:
        if root not in done:
            walk.enter(root)
        while walk.way:
            child = walk.next_child()
            if child is not None:
                walk.enter(child)
                continue
            circle = walk.leave()
            if circle:
                yield circle


class _Walk(Generic[Key]):
    """A walk through a graph by Tarjan's algorithm for strongly connected components.

    `way` has the nodes from the root to where the walk is, each with the children that are left: a
    list in place of the algorithm's recursion, since a graph may be deep.
    """

    def __init__(self, children: Callable[[Key], Iterable[Key]], done: Container[Key]) -> None:
        self._children = children
        self._done = done
        self._order: dict[Key, int] = {}
        self._lowest: dict[Key, int] = {}
        self._waiting: list[Key] = []
        self.way: list[tuple[Key, Iterator[Key]]] = []

    def enter(self, node: Key) -> None:
        self._order[node] = self._lowest[node] = len(self._order)
        self._waiting.append(node)
        self.way.append((node, iter(self._children(node))))

    def next_child(self) -> Key | None:
        """Return the next child of the last node that was not entered before, or None."""
        node, rest = self.way[-1]
        for child in rest:
            if child in self._done:
                continue
            if child not in self._order:
                return child
            self._lowest[node] = min(self._lowest[node], self._order[child])
        return None

    def leave(self) -> list[Key]:
        """Go back from the last node; return its circle if that is complete, else nothing."""
        node, _ = self.way.pop()
        lowest = self._lowest[node]
        if lowest < self._order[node]:
            above, _ = self.way[-1]
            self._lowest[above] = min(self._lowest[above], lowest)
            return []
        circle = [self._waiting.pop()]
        while circle[-1] != node:
            circle.append(self._waiting.pop())
        return circle


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

    def way(self, pair: int) -> Iterator[int]:
        """Yield the pairs that lead from a pair to its nearest event, that pair itself aside."""
        ways = self._ways(pair)
        following = ways[pair].next
        while following is not None:
            yield following
            following = ways[following].next

    def _ways(self, pair: int) -> Mapping[int, Way]:
        return self._used if pair in self._used else self._either


def _best_ways(
    level: Iterable[int], below: Sequence[Sequence[int]], known: Mapping[int, Way]
) -> dict[int, Way]:
    """Return for each pair of a level the best of the ways of those below it, if any has one."""
    best: dict[int, Way] = {}
    for pair in level:
        for child in below[pair]:
            way = known.get(child)
            if way and (pair not in best or way.rank < best[pair].rank):
                best[pair] = Way(way.rank, child)
    return best
