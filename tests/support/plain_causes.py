"""Why specs were rebuilt, read slowly and plainly: what the package finds is held against this.

Written from the specification, section 11, with nothing of the package in it: a breadth-first
search of its own for every rebuilt spec, over plain nodes.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any

from tests.support.graphs import PlainEdge, PlainGraph, PlainNode
from tests.support.oracle import compare_versions

Pair = tuple[str, str]
"""An old and a new hash."""

PlainEvent = tuple[str | None, str, Any, Any]
"""Package, what, old, new."""

FIELDS = ("compiler", "os", "platform", "target")
OF_DEPENDENCIES = ("replaced", "added", "removed")
ORDER = ("version", *FIELDS, "variants", "external", "namespace", *OF_DEPENDENCIES)


def in_common_notation(variant: str) -> str:
    return variant.replace(":=", "=", 1)


def match_edges(
    old: Iterable[PlainEdge], new: Iterable[PlainEdge]
) -> tuple[list[tuple[PlainEdge, PlainEdge]], list[PlainEdge], list[PlainEdge]]:
    """Changed dependencies in pairs, what left, what came: by name, used before build-only."""
    old_hashes, new_hashes = {edge.hash for edge in old}, {edge.hash for edge in new}
    sides: tuple[dict[str, list[PlainEdge]], ...] = (defaultdict(list), defaultdict(list))
    for side, edges, others in ((0, old, new_hashes), (1, new, old_hashes)):
        for edge in sorted(edges, key=lambda edge: edge.hash):
            if edge.hash in others:
                continue
            same = [other for other in sides[side][edge.name] if other.hash == edge.hash]
            for other in same:
                sides[side][edge.name].remove(other)
                edge = PlainEdge(
                    edge.name,
                    edge.hash,
                    f"{other.types} {edge.types}",
                    f"{other.virtuals} {edge.virtuals}",
                )
            sides[side][edge.name].append(edge)
    pairs = []
    for name in {*sides[0], *sides[1]}:
        left, came = sides[0][name], sides[1][name]
        for build_only in (False, True, None):
            for before in list(left):
                for after in list(came):
                    kinds = {before.build_only, after.build_only}
                    if before in left and (build_only is None or kinds == {build_only}):
                        pairs.append((before, after))
                        left.remove(before)
                        came.remove(after)
    left_over = [edge for edges in sides[0].values() for edge in edges]
    return pairs, left_over, [edge for edges in sides[1].values() for edge in edges]


class PlainReading:
    """What two graphs say of their pairs of nodes."""

    def __init__(self, old: PlainGraph, new: PlainGraph) -> None:
        self._graphs = old, new
        self.changed = cache(self._changed)
        self.events = cache(self._events)

    def nodes(self, pair: Pair) -> tuple[PlainNode | None, PlainNode | None]:
        return self._graphs[0].get(pair[0]), self._graphs[1].get(pair[1])

    def _changed(self, pair: Pair) -> list[tuple[str, Pair, bool]]:
        """The changed dependencies of a pair: name, hashes, whether only for building."""
        old, new = self.nodes(pair)
        if old is None or new is None:
            return []
        pairs, _, _ = match_edges(old.edges, new.edges)
        return [
            (before.name, (before.hash, after.hash), before.build_only and after.build_only)
            for before, after in pairs
        ]

    def _events(self, pair: Pair) -> dict[PlainEvent, bool]:
        """The events of a pair, each with whether the dependency in it is only for building."""
        old, new = self.nodes(pair)
        if old is None or new is None:
            return {}
        name = old.name
        found: dict[PlainEvent, bool] = {}
        same_version = compare_versions(old.version, new.version) == 0
        if not same_version:
            found[name, "version", old.version, new.version] = False
        for what in FIELDS:
            before, after = getattr(old, what), getattr(new, what)
            if before != after:
                found[name, what, before, after] = False
        mine, theirs = ({in_common_notation(v) for v in side.variants} for side in (old, new))
        if mine != theirs:
            gone, come = tuple(sorted(mine - theirs)), tuple(sorted(theirs - mine))
            found[name, "variants", gone, come] = False
        if old.external != new.external:
            found[name, "external", None, None] = False
        if old.namespace != new.namespace:
            found[name, "namespace", old.namespace, new.namespace] = False
        if same_version and None not in (old.recipe, new.recipe) and old.recipe != new.recipe:
            found[name, "recipe", None, None] = False
        for event, build_only in self._dependency_events(old, new):
            found[event] = found.get(event, True) and build_only
        return found

    def _dependency_events(
        self, old: PlainNode, new: PlainNode
    ) -> Iterable[tuple[PlainEvent, bool]]:
        _, left, came = match_edges(old.edges, new.edges)
        replaced_old, replaced_new = set(), set()
        for virtual in {word for edge in left for word in edge.virtuals.split()}:
            before = sorted((e for e in left if virtual in e.virtuals.split()), key=by_name)
            after = sorted((e for e in came if virtual in e.virtuals.split()), key=by_name)
            if not after:
                continue
            longer = max(len(before), len(after))
            before += [before[-1]] * (longer - len(before))
            after += [after[-1]] * (longer - len(after))
            for one, other in zip(before, after, strict=True):
                replaced_old.add(one.name)
                replaced_new.add(other.name)
                event = (other.name, "replaced", one.name, other.name)
                yield event, one.build_only and other.build_only
        for edge in came:
            if edge.name not in replaced_new:
                yield (edge.name, "added", None, None), edge.build_only
        for edge in left:
            if edge.name not in replaced_old:
                yield (edge.name, "removed", None, None), edge.build_only

    def distances(self, root: Pair, *, build_only: bool) -> dict[Pair, int]:
        """How far every pair is that changed edges lead to, build-only ones or not."""
        found = {root: 0}
        queue = [root]
        for pair in queue:
            for _, below, only_for_building in self.changed(pair):
                if below not in found and (build_only or not only_for_building):
                    found[below] = found[pair] + 1
                    queue.append(below)
        return found

    def way_is_there(
        self, root: Pair, path: Iterable[str], event: PlainEvent, *, build_only: bool
    ) -> bool:
        """Whether changed edges of those names lead from the root to a pair with the event."""
        package, what, _, _ = event
        names = list(path)
        if event in self.events(root):
            return not names
        if what not in OF_DEPENDENCIES:
            names.append(str(package))
        places = {root}
        for name in names:
            places = {
                below
                for place in places
                for found, below, only_for_building in self.changed(place)
                if found == name and (build_only or not only_for_building)
            }
        return any(event in self.events(place) for place in places)

    def name(self, pair: Pair) -> str:
        old, new = self.nodes(pair)
        node = new or old
        return node.name if node else ""


def by_name(edge: PlainEdge) -> tuple[str, str]:
    return edge.name, edge.hash


def without_recipes(events: Iterable[PlainEvent]) -> set[PlainEvent]:
    return {event for event in events if event[1] != "recipe"}


def plain_pairs(old: PlainGraph, new: PlainGraph) -> list[Pair]:
    """Rebuilt specs by a plain rule: one class of like specs, then equal direct dependencies."""
    classes: tuple[Mapping[object, list[str]], ...] = (defaultdict(list), defaultdict(list))
    for side, mine, other in ((0, old, new), (1, new, old)):
        for node_hash in sorted(mine):
            if node_hash not in other:
                classes[side][like(mine[node_hash])].append(node_hash)
    pairs = []
    for key, left in classes[0].items():
        came = list(classes[1].get(key, ()))
        for same_dependencies in (True, False):
            for before in list(left):
                for after in came:
                    if not same_dependencies or versions_below(old, before) == versions_below(
                        new, after
                    ):
                        pairs.append((before, after))
                        left.remove(before)
                        came.remove(after)
                        break
    return pairs


def like(node: PlainNode) -> object:
    return (
        *(node.name, node.version, node.compiler, node.os, node.platform, node.target),
        frozenset(map(in_common_notation, node.variants)),
    )


def versions_below(graph: PlainGraph, node_hash: str) -> set[tuple[str, str]]:
    edges = [edge for edge in graph[node_hash].edges if edge.hash in graph]
    return {(edge.name, graph[edge.hash].version) for edge in edges}
