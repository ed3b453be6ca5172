"""What specs depend on, and what of two sides belongs together because of it.

Specs that agree in all their own fields may be built on different dependencies; a third of the
specs of a real environment have such a twin (specification, section 10).
"""

from collections import deque
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from itertools import compress, product
from typing import Literal, NamedTuple

from snapdiff.diff.node_bits import NodeBits
from snapdiff.diff.pairing import COMPARISON, Effort
from snapdiff.diff.reach import unite_below
from snapdiff.errors import FormatError
from snapdiff.model.specs import Edge, Graph, edges_of
from snapdiff.spack import Version

Graphs = tuple[Graph, Graph]
"""The dependencies of the old side and of the new one."""

NodePair = tuple[str, str]
"""A node of the old graph and one of the new graph, by hash."""

EdgePair = tuple[Edge, Edge]
"""A dependency of an old node, and that of the new node which belongs to it."""


def is_build_only(edge: Edge) -> bool:
    """Return whether a dependency is neither linked nor run."""
    return "link" not in edge.types and "run" not in edge.types


class DependsOn(NamedTuple):
    """What a spec depends on.

    `linked` is its link and run closure, itself included, as the bits of an integer, one for each
    (name, version, configuration); `direct` has the numbers of such bits of its own dependencies of
    any type, with their types and virtuals. `explicit` is whether somebody asked for it.
    """

    linked: int
    direct: frozenset[tuple[int, tuple[str, ...], tuple[str, ...]]]
    explicit: bool


_Groups = dict[DependsOn, deque[str]]
"""The hashes of some specs by what they depend on, lowest first."""


class SideDependencies:
    """What the nodes of one graph depend on, found when first asked for.

    `names` has what edges call those that the graph does not have.
    """

    def __init__(self, graph: Graph, bits: NodeBits) -> None:
        """Take the graph; `bits` numbers its nodes, like ones of both sides as one."""
        self.graph = graph
        self.bits = bits
        self.names: dict[str, str] = {}
        self._own: dict[str, int] = {}
        self._below: dict[str, tuple[str, ...]] = {}
        self._linked: dict[str, int] = {}

    def below(self, spec_hash: str) -> tuple[str, ...]:
        """Return the hashes of what a node links or runs; of no node, nothing."""
        found = self._below.get(spec_hash)
        if found is None:
            linked = []
            for edge in edges_of(self.graph, spec_hash):
                if not is_build_only(edge):
                    linked.append(edge.hash)
                    if edge.hash not in self.graph.hashes:
                        self.names[edge.hash] = edge.name
            found = self._below[spec_hash] = tuple(linked)
        return found

    def group(self, hashes: Iterable[str]) -> _Groups:
        """Return nodes by what they depend on."""
        hashes = sorted(hashes)
        linked = self._closures(hashes)
        groups: _Groups = {}
        for spec_hash in hashes:
            node = self.graph.node(spec_hash)
            direct = frozenset(
                (number, edge.types, edge.virtuals)
                for edge in edges_of(self.graph, spec_hash)
                if (number := self._number(edge.hash)) is not None
            )
            depends_on = DependsOn(linked[spec_hash], direct, bool(node and node.build.explicit))
            groups.setdefault(depends_on, deque()).append(spec_hash)
        return groups

    def duplicates(self, looks: Mapping[str, Hashable], wanted: Collection[str]) -> frozenset[str]:
        """Return which specs of a package have the version, configuration and closure of another.

        Of those `wanted` it is one that is not, or that has a lower hash. `looks` has for each spec
        what those have alike that may be equal: to read the nodes of all takes longer than to
        compare two indexes.
        """
        if len(looks) < 2:  # as mostly
            return frozenset()
        alike: dict[Hashable, list[str]] = {}
        for spec_hash in sorted(looks, key=lambda it: (it in wanted, it)):
            alike.setdefault(looks[spec_hash], []).append(spec_hash)
        found: set[str] = set()
        for some in alike.values():
            if len(some) > 1 and some[-1] in wanted:
                linked = self._closures(some)
                first: dict[tuple[int | None, int], str] = {}
                for it in some:
                    if first.setdefault((self._number(it), linked[it]), it) != it:
                        found.add(it)
        return frozenset(found.intersection(wanted))

    def _closures(self, hashes: Iterable[str]) -> Mapping[str, int]:
        """Return the link and run closures of all nodes that are known, some among them.

        What is not in the document is in no set.
        """
        self._linked.update(unite_below(hashes, self.below, self._bit, self._linked))
        return self._linked

    def mpi(self, spec_hash: str) -> str:
        """Return the name of the MPI that a node links or runs; of none, or several, nothing."""
        linked = self._closures([spec_hash])[spec_hash]
        found = [name for name, bits in self.bits.mpis.items() if linked & bits]
        return found[0] if len(found) == 1 else ""

    def roots_above(
        self, versions: Mapping[str, Collection[Version]], roots: Mapping[str, str]
    ) -> dict[str, tuple[str, ...]]:
        """Return which roots link or run, at any depth, some versions of packages.

        `roots` has the package of each root by hash.
        """
        bits = dict.fromkeys(versions, 0)
        for spec_hash, name in self.graph.names.items():
            node = self.graph.node(spec_hash) if name in versions else None
            if node and node.build.version in versions[name]:
                bits[name] |= self._bit(spec_hash)
        linked = self._closures(roots)
        above = {
            name: {package for root, package in roots.items() if linked[root] & bit}
            for name, bit in bits.items()
        }
        return {name: tuple(sorted(packages)) for name, packages in above.items() if packages}

    def _bit(self, spec_hash: str) -> int:
        number = self._number(spec_hash)
        return 0 if number is None else 1 << number

    def _number(self, spec_hash: str) -> int | None:
        """Return the number of a node's name, version and configuration."""
        number = self._own.get(spec_hash)
        if number is None:
            node = self.graph.node(spec_hash)
            if node is None:
                return None
            number = self._own[spec_hash] = self.bits.number(node.name, node.build)
        return number


Sides = tuple[SideDependencies, SideDependencies]
"""The dependencies of one side and of the other."""


def both_sides(graphs: Graphs) -> Sides:
    """Return the dependencies of an old and a new graph, whose sets can be compared."""
    bits = NodeBits()
    return SideDependencies(graphs[0], bits), SideDependencies(graphs[1], bits)


def match_members(
    old: Iterable[str], new: Iterable[str], sides: Sides, effort: Effort
) -> list[tuple[str, str]]:
    """Return the hashes of two classes in pairs, as many as the smaller class has members.

    Fewest differences between the link and run closures go first, then fewest between the direct
    dependencies, then what is asked for on both sides or on none, then the nearest versions below,
    then the lower old hash, then the lower new one. What is built on equal dependencies is treated
    as one: for n members with d different dependencies a side the time goes with n log n + d * n.
    Raises FormatError where that is too much.
    """
    before, after = sides[0].group(old), sides[1].group(new)
    pairs: list[tuple[str, str]] = []
    _pair_level({alike: [alike] for alike in before.keys() & after.keys()}, before, after, pairs)
    before = {alike: members for alike, members in before.items() if members}
    after = {alike: members for alike, members in after.items() if members}
    effort.spend(COMPARISON * len(before) * len(after))
    is_open = len(before) * len(after) > 1
    leading = {it: sides[0].bits.leading(it.linked) for it in (*before, *after) if is_open}
    levels: dict[tuple[int, int, bool, int], dict[DependsOn, list[DependsOn]]] = {}
    for mine in before:
        for theirs in after:
            differences = (
                (mine.linked ^ theirs.linked).bit_count(),
                len(mine.direct ^ theirs.direct),
                mine.explicit != theirs.explicit,
                -(leading[mine] & leading[theirs]).bit_count() if is_open else 0,
            )
            levels.setdefault(differences, {}).setdefault(mine, []).append(theirs)
    for _, level in sorted(levels.items()):
        _pair_level(level, before, after, pairs)
    return pairs


def _pair_level(
    level: Mapping[DependsOn, Iterable[DependsOn]],
    before: _Groups,
    after: _Groups,
    pairs: list[tuple[str, str]],
) -> None:
    """Pair what has equally many differences: each old hash with the lowest new one left."""
    waiting = sorted((member, alike) for alike in level for member in before[alike])
    for old_hash, mine in waiting:
        candidates = [after[theirs] for theirs in level[mine] if after[theirs]]
        if candidates:
            new_hash = min(candidates, key=lambda members: members[0]).popleft()
            before[mine].popleft()
            pairs.append((old_hash, new_hash))


def unreadable_side(graphs: tuple[Graph | None, Graph | None]) -> Literal["old", "new"]:
    """Return which of two documents a fault is in: the new one, if it has any."""
    old, new = graphs
    return "old" if not _is_unreadable(new) and _is_unreadable(old) else "new"


def _is_unreadable(graph: Graph | None) -> bool:
    try:
        deque(map(graph.node, graph.hashes) if graph else (), maxlen=0)
    except FormatError:
        return True
    return False


def direct_dependents(packages: Collection[str], graph: Graph) -> dict[str, tuple[str, ...]]:
    """Return which packages of a stack depend on each of some itself."""
    if not packages:
        return {}
    found: dict[str, set[str]] = {name: set() for name in packages}
    for spec_hash, name in graph.names.items():
        for edge in edges_of(graph, spec_hash):
            below = graph.names.get(edge.hash, "")
            if below in found:
                found[below].add(name)
    return {name: tuple(sorted(found[name] - {name})) for name in packages}


# --- The dependencies of two nodes ---


class Matched(NamedTuple):
    """Which dependencies of two nodes belong together, and what is on one side only.

    `changed` have other hashes, `same` have one hash and other types or virtuals.
    """

    changed: list[EdgePair]
    same: list[EdgePair]
    removed: list[Edge]
    added: list[Edge]


def match_dependencies(old: Sequence[Edge], new: Sequence[Edge], graphs: Graphs) -> Matched:
    """Match dependencies by name; those that are the same on both sides are left out."""
    before = {edge.name: edge for edge in old}
    after = {edge.name: edge for edge in new}
    if len(before) < len(old) or len(after) < len(new):
        return _match_several(_united(old), _united(new), graphs)
    found = Matched([], [], [], [])
    for name, edge in before.items():
        other = after.pop(name, None)
        if other is None:
            found.removed.append(edge)
        elif other.hash != edge.hash:
            found.changed.append((edge, other))
        elif other != edge:
            found.same.append((edge, other))
    found.added.extend(after.values())
    return found


def _united(edges: Iterable[Edge]) -> dict[str, Edge]:
    """Return edges by hash: one that is listed twice, to build and to link, is one dependency."""
    listed: dict[str, list[Edge]] = {}
    for edge in edges:
        listed.setdefault(edge.hash, []).append(edge)
    return {
        spec_hash: some[0]
        if len(some) == 1
        else some[0]._replace(
            types=tuple(sorted({kind for edge in some for kind in edge.types})),
            virtuals=tuple(sorted({virtual for edge in some for virtual in edge.virtuals})),
        )
        for spec_hash, some in listed.items()
    }


def _match_several(old: Mapping[str, Edge], new: Mapping[str, Edge], graphs: Graphs) -> Matched:
    """Match dependencies, by hash, where a node has several of one name, which is rare.

    The same hash is the same dependency. The others belong together that agree in version,
    configuration, virtuals, use and types, then in all but the last of these, and so on: what is
    first counts most. The hash decides only between those that agree in the same.
    """
    same = [(old[key], new[key]) for key in old if key in new and old[key] != new[key]]
    left = {key: _evidence(old[key], graphs[0]) for key in sorted(old) if key not in new}
    came = {key: _evidence(new[key], graphs[1]) for key in sorted(new) if key not in old}
    changed: list[EdgePair] = []
    for agreeing in product([True], *[(True, False)] * 5):  # the name always, then what else
        if not left or not came:
            break
        waiting: dict[tuple[object, ...], list[str]] = {}
        for key in reversed(came):
            waiting.setdefault(tuple(compress(came[key], agreeing)), []).append(key)
        for key in list(left):
            partners = waiting.get(tuple(compress(left[key], agreeing)))
            if partners:
                partner = partners.pop()
                changed.append((old[key], new[partner]))
                del left[key], came[partner]
    return Matched(changed, same, [old[key] for key in left], [new[key] for key in came])


def _evidence(edge: Edge, graph: Graph) -> tuple[object, ...]:
    """Return the name of a dependency, and five facts that tell it from others of the name."""
    node = graph.node(edge.hash)
    build = (node.build.version, node.build.configuration) if node else (None, None)
    return (edge.name, *build, edge.virtuals, is_build_only(edge), edge.types)
