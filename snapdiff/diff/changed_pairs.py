"""What differs between nodes, each pair compared once: the events of specification, section 11."""

from collections.abc import Iterable, Sequence
from functools import cache
from itertools import chain

from msgspec import Struct

from snapdiff.diff.compilers import comes_with_compilers, has_own_compiler
from snapdiff.diff.dependencies import (
    EdgePair,
    Graphs,
    NodePair,
    both_sides,
    is_build_only,
    match_dependencies,
)
from snapdiff.diff.fields import differing_fields, other_differences
from snapdiff.errors import FormatError
from snapdiff.model.specs import Edge, Node
from snapdiff.result.causes import Event
from snapdiff.spack import NO_COMPILER

FEW_PAIRS, PAIRS_A_NODE = 100_000, 4
"""How many pairs of nodes are compared: so many, and more where the graphs have many nodes.

E4S 23.08 and 23.11 have 0.7 pairs a node. Two graphs made for it could have a pair for each old and
each new node of a package: a million in a lock of a megabyte, which take half a minute.
"""


class ChangedPair(Struct, eq=False):
    """Two nodes of one package with different hashes, and the changed pairs below them.

    `events` has each of its own with whether it is about a dependency that is needed for building
    alone, `linked_below` what of `below` is linked or run. `is_same_to_use` is where nothing
    differs but what is needed for building alone.
    """

    hashes: NodePair
    name: str = ""
    events: dict[Event, bool] = {}
    below: list["ChangedPair"] = []
    linked_below: list["ChangedPair"] = []
    is_same_to_use: bool = True


class ChangedPairs:
    """All changed pairs of two graphs that were asked for, and those below them."""

    def __init__(self, graphs: Graphs, *, few: int = FEW_PAIRS) -> None:
        """Begin with no pair; `few` is how many may be compared however small the graphs are."""
        self.graphs = graphs
        self.pairs: dict[NodePair, ChangedPair] = {}
        self._most = few + PAIRS_A_NODE * sum(len(graph.hashes) for graph in graphs)
        self._waiting: list[ChangedPair] = []

    def add(self, pairs: Iterable[NodePair]) -> list[ChangedPair]:
        """Return pairs of hashes, once all below is compared; raises FormatError for too many."""
        found = [self._pair(hashes, "") for hashes in pairs]
        for pair in self._waiting:  # which grows
            self._compare(pair)
        self._waiting.clear()  # unless one cannot be compared: who asks again is told again
        return found

    def _pair(self, hashes: NodePair, name: str) -> ChangedPair:
        pair = self.pairs.get(hashes)
        if pair is None:
            if len(self.pairs) >= self._most:
                raise FormatError(
                    f"its changed dependencies make more than {self._most:,} pairs of specs"
                )
            pair = self.pairs[hashes] = ChangedPair(hashes, name)
            self._waiting.append(pair)
        return pair

    def _compare(self, pair: ChangedPair) -> None:
        pair.below, pair.linked_below = [], []
        for before, after in compare_nodes(pair, self.graphs):
            below = self._pair((before.hash, after.hash), after.name)
            pair.below.append(below)
            if not (is_build_only(before) and is_build_only(after)):
                pair.linked_below.append(below)


class KnownGraphs:
    """What was found out about the graphs of documents: once for all packages and stacks."""

    def __init__(self) -> None:
        self.dependencies = cache(both_sides)
        self._changes: dict[Graphs, ChangedPairs] = {}

    def changes(self, graphs: Graphs) -> ChangedPairs:
        """Return what differs between two graphs."""
        if graphs not in self._changes:
            self._changes[graphs] = ChangedPairs(graphs)
        return self._changes[graphs]

    def packages(self) -> set[str]:
        """Return the packages of all nodes that were compared, and of their events."""
        found: set[str] = set()
        for pair in chain.from_iterable(it.pairs.values() for it in self._changes.values()):
            found.add(pair.name)
            found.update(name for event in pair.events for name in packages_of(event))
        return found


def packages_of(event: Event) -> tuple[str, ...]:
    """Return the names of the packages that an event is about."""
    if event.what == "replaced":
        return str(event.old), str(event.new)
    return () if event.package is None else (event.package,)


# --- Two nodes ---


def compare_nodes(pair: ChangedPair, graphs: Graphs, *, all_of: bool = False) -> list[EdgePair]:
    """Find what differs between the two nodes of a pair (specification, section 11).

    Returns the dependencies that both have under other hashes, in the order of the names. Below
    equal hashes everything is equal. All that the documents say of the two is compared where
    nothing else was found, or where `all_of` it is wanted. Nothing is known where a document does
    not have its node.
    """
    hashes = pair.hashes
    old, new = graphs[0].node(hashes[0]), graphs[1].node(hashes[1])
    if old is None or new is None:
        pair.events = {Event(pair.name, "unlisted"): False}
        pair.is_same_to_use = False
        return []
    changed, same, removed, added = match_dependencies(old.edges, new.edges, graphs)
    same = _unlike_edges(same, hashes, graphs)
    own = _own_events(old, new)
    other_compiler = False
    found: dict[Event, bool] = {}
    if added or old.build.compiler != new.build.compiler:
        had, has = has_own_compiler(old), has_own_compiler(new)
        if not has and (not had or new.build.compiler == NO_COMPILER):
            told = [event for event in own if event.what != "compiler"]
            own, other_compiler = told, not had and told != own
        if had and not has:
            came = [edge for edge in added if comes_with_compilers(edge, old)]
            added = [edge for edge in added if edge not in came]
            found[Event(None, "compilers")] = all(map(is_build_only, came))
    found |= dict.fromkeys(own, False)
    if added or removed or same:
        found |= _dependency_events(removed, added, same)
    if all_of or not found:
        # Whatever else the documents say of the two, and of the edges whose hashes differ.
        records = graphs[0].record(hashes[0]), graphs[1].record(hashes[1])
        others = other_differences(*records, {event.what for event in found})
        for edges in sorted(_unlike_edges(changed, hashes, graphs)):
            before, after = (f"dependencies.{it.name}={' '.join(_edge_words(it))}" for it in edges)
            others.append((before, after))
        found |= {Event(old.name, "other", *values): False for values in others}
    pair.name, pair.events = new.name, found
    # Another compiler is an event of the dependency that is the compiler.
    pair.is_same_to_use = not other_compiler and all(found.values())
    return sorted(changed)


def _own_events(old: Node, new: Node) -> list[Event]:
    name = old.name
    events = [field.event(name) for field in differing_fields(old.build, new.build)]
    same_version = not events or events[0].what != "version"
    if old.external != new.external:
        events.append(Event(name, "external", old.external or None, new.external or None))
    if old.namespace != new.namespace:
        events.append(Event(name, "namespace", old.namespace, new.namespace))
    # Documents before 2022 have no recipes, and what one side does not say did not change.
    if same_version and None not in (old.recipe, new.recipe) and old.recipe != new.recipe:
        events.append(Event(name, "recipe"))
    return events


def _unlike_edges(pairs: Iterable[EdgePair], hashes: NodePair, graphs: Graphs) -> list[EdgePair]:
    """Return the dependencies that have other types or virtuals.

    Documents before 2023 name no virtuals: that is no difference to those that do.
    """
    unlike = [
        (before, after)
        for before, after in pairs
        if before.types != after.types or before.virtuals != after.virtuals
    ]
    if unlike and not all(
        b'"virtuals"' in bytes(graph.record(spec_hash).get("dependencies", b""))
        for graph, spec_hash in zip(graphs, hashes, strict=True)
    ):
        return [(before, after) for before, after in unlike if before.types != after.types]
    return unlike


def _edge_words(edge: Edge) -> tuple[str, ...]:
    """Return the types of an edge, and what it provides: `build`, `link`, `virtuals=mpi`."""
    provided = ",".join(edge.virtuals)
    return (*edge.types, f"virtuals={provided}") if provided else edge.types


def _dependency_events(
    removed: Sequence[Edge], added: Sequence[Edge], same: Iterable[EdgePair]
) -> dict[Event, bool]:
    """Return which dependencies were replaced, added, removed, or have other types or virtuals.

    What left and what came belong together where they provide a virtual package in common. Of each
    virtual the first goes with the first, by name, and so on; where one side has fewer, its last
    one goes with all that are left. So `intel-mkl` is replaced by `openblas` and also by
    `netlib-scalapack`, and no number of providers makes more events than there are edges.
    """
    providers = _providers(added)
    replaced = [
        (left[min(place, len(left) - 1)], came[min(place, len(came) - 1)])
        for virtual, left in _providers(removed).items()
        if (came := providers.get(virtual))
        for place in range(max(len(left), len(came)))
    ]
    old_names = {before.name for before, _ in replaced}
    new_names = {after.name for _, after in replaced}
    found: list[tuple[Event, tuple[Edge, ...]]] = [
        (Event(after.name, "replaced", before.name, after.name), (before, after))
        for before, after in replaced
    ]
    found += [(Event(it.name, "added"), (it,)) for it in added if it.name not in new_names]
    found += [(Event(it.name, "removed"), (it,)) for it in removed if it.name not in old_names]
    found += [
        (Event(before.name, "edge", _edge_words(before), _edge_words(after)), (before, after))
        for before, after in same
    ]
    # Two of one name may have come, one for building and one for linking: that is one event.
    events: dict[Event, bool] = {}
    for event, edges in found:
        events[event] = all(map(is_build_only, edges)) and events.get(event, True)
    return events


def _providers(edges: Iterable[Edge]) -> dict[str, list[Edge]]:
    """Return by virtual package the dependencies that provide it, by name and hash."""
    found: dict[str, list[Edge]] = {}
    for edge in sorted(edge for edge in edges if edge.virtuals):
        for virtual in dict.fromkeys(edge.virtuals):
            found.setdefault(virtual, []).append(edge)
    return found
