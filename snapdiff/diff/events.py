"""What differs between two nodes of a package, and which of their dependencies belong together."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import starmap
from typing import NamedTuple, cast

from snapdiff.diff.fields import differing_fields
from snapdiff.diff.matched_dependencies import is_build_only, match_dependencies
from snapdiff.model import Build, Edge, Node
from snapdiff.result.causes import Event, What


class FoundEvent(NamedTuple):
    """An event, and whether the dependency it is about is needed for building alone."""

    event: Event
    build_only: bool = False


class Differences(NamedTuple):
    """The events of a pair of nodes, and the dependencies that both have under other hashes.

    These lead on from the pair; they are in the order of their names.
    """

    events: list[FoundEvent]
    changed: list[tuple[Edge, Edge]]


def compare_nodes(old: Node, new: Node) -> Differences:
    """Return what differs between two nodes of one package (specification, section 11).

    Only dependencies whose hash differs are looked at: below equal hashes everything is equal.
    """
    changed, removed, added = match_dependencies(old.edges, new.edges)
    events = _own_events(old, new)
    if added or removed:
        events += _dependency_events(removed, added)
    return Differences(events, sorted(changed))


def _own_events(old: Node, new: Node) -> list[FoundEvent]:
    """Return what differs between two nodes, their dependencies aside."""
    name = old.name
    events: list[Event] = []
    same_version = True
    if old.build is not new.build:  # it mostly is: a reader shares the builds of both sides
        if _as_written(old.build) != _as_written(new.build):
            for field in differing_fields(old.build, new.build):
                events.append(Event(name, cast(What, field.name), field.old, field.new))
                same_version = same_version and field.name != "version"
        if old.build.external != new.build.external:
            events.append(Event(name, "external"))
    if old.namespace != new.namespace:
        events.append(Event(name, "namespace", old.namespace, new.namespace))
    if same_version and old.recipe != new.recipe and old.recipe and new.recipe:
        events.append(Event(name, "recipe"))
    return [FoundEvent(event) for event in events]


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


def _dependency_events(removed: Sequence[Edge], added: Sequence[Edge]) -> list[FoundEvent]:
    """Return which dependencies took the place of others, and which were only added or removed.

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
    for edge in sorted(edges):
        for virtual in dict.fromkeys(edge.virtuals):
            found.setdefault(virtual, []).append(edge)
    return found
