"""What differs between two nodes of a package, and which of their dependencies belong together."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import compress, product, starmap
from typing import NamedTuple, cast

from snapdiff.diff.compilers import comes_with_compilers, has_own_compiler
from snapdiff.diff.fields import Record, differing_fields, other_differences
from snapdiff.model import Build, Edge, Graph, Node
from snapdiff.result.causes import Event, What
from snapdiff.spack.node import NO_COMPILER

Graphs = tuple[Graph, Graph]
"""The dependencies of the old side and of the new one."""

HashPair = tuple[str, str]
"""A node of the old graph and one of the new graph, by hash."""

EdgePair = tuple[Edge, Edge]
"""A dependency of an old node, and that of the new node which belongs to it."""


class FoundEvent(NamedTuple):
    """An event, and whether the dependency it is about is needed for building alone."""

    event: Event
    build_only: bool = False


class Differences(NamedTuple):
    """The events of a pair of nodes, and the dependencies that both have under other hashes.

    These lead on from the pair; they are in the order of their names. `name` is the package's.
    `unknown` says that there is a difference which is no event of the pair: a document does not
    have its node, or another compiler is an event of the dependency that is the compiler.
    """

    name: str
    events: list[FoundEvent]
    changed: list[EdgePair]
    unknown: bool


def is_build_only(edge: Edge) -> bool:
    """Return whether a dependency is neither linked nor run."""
    return "link" not in edge.types and "run" not in edge.types


def compare_nodes(hashes: HashPair, graphs: Graphs, *, all_of: bool = False) -> Differences:
    """Return what differs between two nodes of one package (specification, section 11).

    Below equal hashes everything is equal. All that the documents say of the two is compared where
    nothing else was found, or where `all_of` it is wanted. Nothing differs where a document does
    not have its node.
    """
    old, new = graphs[0].node(hashes[0]), graphs[1].node(hashes[1])
    if old is None or new is None:
        known = new or old
        return Differences(known.name if known else "", [], [], unknown=True)
    changed, same, removed, added = match_dependencies(old.edges, new.edges, graphs)
    same = _unlike_edges(same, hashes, graphs)
    own = _own_events(old, new)
    other_compiler = False
    found: list[FoundEvent] = []
    if added or old.build.compiler != new.build.compiler:
        had, has = has_own_compiler(old), has_own_compiler(new)
        if not has and (not had or new.build.compiler == NO_COMPILER):
            told = [event for event in own if event.what != "compiler"]
            own, other_compiler = told, not had and told != own
        if had and not has:
            came = [edge for edge in added if comes_with_compilers(edge, old)]
            added = [edge for edge in added if edge not in came]
            found.append(FoundEvent(Event(None, "compilers"), all(map(is_build_only, came))))
    found += map(FoundEvent, own)
    if added or removed or same:
        found += _dependency_events(removed, added, same)
    if all_of or not found:
        records = graphs[0].record(hashes[0]), graphs[1].record(hashes[1])
        whats = {event.what for event, _ in found}
        edges = _unlike_edges(changed, hashes, graphs)
        found += map(FoundEvent, other_events(old.name, records, edges, whats))
    return Differences(new.name, found, sorted(changed), other_compiler)


def _own_events(old: Node, new: Node) -> list[Event]:
    """Return what differs between two nodes, their dependencies aside."""
    name = old.name
    events: list[Event] = []
    # The builds mostly are one: a reader shares those of both sides.
    if old.build is not new.build and _as_written(old.build) != _as_written(new.build):
        events += [
            Event(name, cast(What, field.name), field.old, field.new)
            for field in differing_fields(old.build, new.build)
        ]
    same_version = not events or events[0].what != "version"
    if old.external != new.external:
        events.append(Event(name, "external", old.external or None, new.external or None))
    if old.namespace != new.namespace:
        events.append(Event(name, "namespace", old.namespace, new.namespace))
    if same_version and old.recipe != new.recipe:
        events.append(Event(name, "recipe"))
    return events


def _as_written(build: Build) -> tuple[object, ...]:
    """Return what need not be parsed where it is the same text on both sides, as it mostly is."""
    return (
        build.version_text,
        build.compiler,
        build.os,
        build.platform,
        build.target,
        build.variants,
    )


def other_events(
    name: str, records: tuple[Record, Record], edges: Iterable[EdgePair], told: Collection[What]
) -> list[Event]:
    """Return what differs in all that the documents say of two nodes, whatever it may be.

    Hashes differ wherever anything below does; what leads there is compared without them, and
    `edges` are those that differ so. What the events `told` say is left out.
    """
    return [
        Event(name, "other", difference.old, difference.new)
        for difference in other_differences(*records, told)
    ] + [
        Event(name, "other", *(f"dependencies.{it.name}={' '.join(edge_words(it))}" for it in both))
        for both in sorted(edges)
    ]


def _unlike_edges(pairs: Iterable[EdgePair], hashes: HashPair, graphs: Graphs) -> list[EdgePair]:
    """Return the dependencies that have other types or virtuals.

    Documents before 2023 name no virtuals: that is no difference to those that do.
    """
    unlike = [
        (before, after)
        for before, after in pairs
        if before.types != after.types or before.virtuals != after.virtuals
    ]
    if unlike and not all(_names_virtuals(*side) for side in zip(graphs, hashes, strict=True)):
        return [(before, after) for before, after in unlike if before.types != after.types]
    return unlike


def _names_virtuals(graph: Graph, spec_hash: str) -> bool:
    return b'"virtuals"' in bytes(graph.record(spec_hash).get("dependencies", b""))


def edge_words(edge: Edge) -> tuple[str, ...]:
    """Return the types of an edge, and what it provides: `build`, `link`, `virtuals=mpi`."""
    provided = ",".join(edge.virtuals)
    return (*edge.types, f"virtuals={provided}") if provided else edge.types


# --- Events of dependencies ---


def _dependency_events(
    removed: Sequence[Edge], added: Sequence[Edge], same: Iterable[EdgePair]
) -> list[FoundEvent]:
    """Return which dependencies were replaced, added, removed, or have other types or virtuals.

    What left and what came belong together where they provide a virtual package in common. Of each
    virtual the first goes with the first, by name, and so on; where one side has fewer, its last
    one goes with all that are left. So `intel-mkl` is replaced by `openblas` and also by
    `netlib-scalapack`, and no number of providers makes more events than there are edges.
    """
    replaced = list(_replacements(_providers(removed), _providers(added)))
    old_names = {before.name for before, _ in replaced}
    new_names = {after.name for _, after in replaced}
    events = [
        FoundEvent(
            Event(after.name, "replaced", before.name, after.name),
            is_build_only(before) and is_build_only(after),
        )
        for before, after in replaced
    ]
    events += [
        FoundEvent(Event(edge.name, "added"), is_build_only(edge))
        for edge in added
        if edge.name not in new_names
    ]
    events += [
        FoundEvent(Event(edge.name, "removed"), is_build_only(edge))
        for edge in removed
        if edge.name not in old_names
    ]
    events += [
        FoundEvent(
            Event(before.name, "edge", edge_words(before), edge_words(after)),
            is_build_only(before) and is_build_only(after),
        )
        for before, after in same
    ]
    # Two of one name may have come, one for building and one for linking: that is one event.
    build_only: dict[Event, bool] = {}
    for found in events:
        build_only[found.event] = found.build_only and build_only.get(found.event, True)
    return list(starmap(FoundEvent, build_only.items()))


def _replacements(
    removed: Mapping[str, Sequence[Edge]], added: Mapping[str, Sequence[Edge]]
) -> Iterator[tuple[Edge, Edge]]:
    """Yield what left with what came in its place, given by the virtuals that they provide."""
    for virtual, left in removed.items():
        came = added.get(virtual, ())
        for position in range(max(len(left), len(came)) if came else 0):
            yield left[min(position, len(left) - 1)], came[min(position, len(came) - 1)]


def _providers(edges: Iterable[Edge]) -> dict[str, list[Edge]]:
    """Return by virtual package the dependencies that provide it, by name and hash."""
    found: dict[str, list[Edge]] = {}
    for edge in sorted(edge for edge in edges if edge.virtuals):
        for virtual in dict.fromkeys(edge.virtuals):
            found.setdefault(virtual, []).append(edge)
    return found


# --- Dependencies of both sides ---


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
    for agreeing in product((True, False), repeat=_EVIDENCE):
        if not left or not came:
            break
        waiting: dict[tuple[object, ...], list[str]] = {}
        for key in reversed(came):
            waiting.setdefault(_agree_in(came[key], agreeing), []).append(key)
        for key in list(left):
            partners = waiting.get(_agree_in(left[key], agreeing))
            if partners:
                partner = partners.pop()
                changed.append((old[key], new[partner]))
                del left[key], came[partner]
    return Matched(changed, same, [old[key] for key in left], [new[key] for key in came])


_EVIDENCE = 5
"""How much tells a dependency from others of its name."""


def _evidence(edge: Edge, graph: Graph) -> tuple[object, ...]:
    """Return the name of a dependency, and what tells it from others of the name."""
    node = graph.node(edge.hash)
    build = (node.build.version, node.build.configuration) if node else (None, None)
    return (edge.name, *build, edge.virtuals, is_build_only(edge), edge.types)


def _agree_in(evidence: tuple[object, ...], wanted: tuple[bool, ...]) -> tuple[object, ...]:
    return tuple(compress(evidence, (True, *wanted)))
