"""What differs between two nodes of a package: the events of specification, section 11."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple, cast

from snapdiff.diff.compilers import comes_with_compilers, has_own_compiler
from snapdiff.diff.dependencies import (
    EdgePair,
    Graphs,
    HashPair,
    is_build_only,
    match_dependencies,
)
from snapdiff.diff.fields import Record, differing_fields, other_differences
from snapdiff.model import Build, Edge, Graph, Node
from snapdiff.result.causes import Event, What
from snapdiff.spack.node import NO_COMPILER


class Differences(NamedTuple):
    """The events of a pair of nodes, and the dependencies that both have under other hashes.

    With each event there is whether the dependency that it is about is needed for building alone.
    What is `changed` leads on from the pair, in the order of the names. `name` is the package's.
    `unknown` says that there is a difference which is no event of the pair: a document does not
    have its node, or another compiler is an event of the dependency that is the compiler.
    """

    name: str
    events: dict[Event, bool]
    changed: list[EdgePair]
    unknown: bool


def compare_nodes(hashes: HashPair, graphs: Graphs, *, all_of: bool = False) -> Differences:
    """Return what differs between two nodes of one package (specification, section 11).

    Below equal hashes everything is equal. All that the documents say of the two is compared where
    nothing else was found, or where `all_of` it is wanted. Nothing differs where a document does
    not have its node.
    """
    old, new = graphs[0].node(hashes[0]), graphs[1].node(hashes[1])
    if old is None or new is None:
        known = new or old
        return Differences(known.name if known else "", {}, [], unknown=True)
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
        records = graphs[0].record(hashes[0]), graphs[1].record(hashes[1])
        whats = {event.what for event in found}
        edges = _unlike_edges(changed, hashes, graphs)
        found |= dict.fromkeys(other_events(old.name, records, edges, whats), False)
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
        Event(name, "other", before, after) for before, after in other_differences(*records, told)
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
) -> dict[Event, bool]:
    """Return which dependencies were replaced, added, removed, or have other types or virtuals.

    What left and what came belong together where they provide a virtual package in common. Of each
    virtual the first goes with the first, by name, and so on; where one side has fewer, its last
    one goes with all that are left. So `intel-mkl` is replaced by `openblas` and also by
    `netlib-scalapack`, and no number of providers makes more events than there are edges.
    """
    replaced = list(_replacements(_providers(removed), _providers(added)))
    old_names = {before.name for before, _ in replaced}
    new_names = {after.name for _, after in replaced}
    found: list[tuple[Event, tuple[Edge, ...]]] = [
        (Event(after.name, "replaced", before.name, after.name), (before, after))
        for before, after in replaced
    ]
    found += [(Event(it.name, "added"), (it,)) for it in added if it.name not in new_names]
    found += [(Event(it.name, "removed"), (it,)) for it in removed if it.name not in old_names]
    found += [
        (Event(before.name, "edge", edge_words(before), edge_words(after)), (before, after))
        for before, after in same
    ]
    # Two of one name may have come, one for building and one for linking: that is one event.
    events: dict[Event, bool] = {}
    for event, edges in found:
        events[event] = all(map(is_build_only, edges)) and events.get(event, True)
    return events


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
