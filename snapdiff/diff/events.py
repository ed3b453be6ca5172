"""What differs between two nodes of a package, and which of their dependencies belong together."""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from snapdiff.model import Build, Edge, Node
from snapdiff.result_causes import Event, What

_FIELDS: tuple[What, ...] = ("compiler", "os", "platform", "target")
"""The fields of a configuration that hold one word, in its own order."""


class FoundEvent(NamedTuple):
    """An event, and whether the dependency it is about is needed for building alone."""

    event: Event
    build_only: bool = False


class Step(NamedTuple):
    """A dependency that both nodes have, under different hashes."""

    name: str
    old: str
    new: str
    build_only: bool


class Differences(NamedTuple):
    """The events of a pair of nodes, and the changed dependencies that lead on from it."""

    events: tuple[FoundEvent, ...]
    steps: tuple[Step, ...]


def compare_nodes(old: Node, new: Node) -> Differences:
    """Return what differs between two nodes of one package (specification, section 11).

    Only dependencies whose hash differs are looked at: below equal hashes everything is equal.
    """
    before = {edge.hash for edge in old.edges}
    after = {edge.hash for edge in new.edges}
    matched, removed, added = _match(
        [edge for edge in old.edges if edge.hash not in after],
        [edge for edge in new.edges if edge.hash not in before],
    )
    steps = [
        Step(mine.name, mine.hash, theirs.hash, is_build_only(mine, theirs))
        for mine, theirs in matched
    ]
    steps.sort()
    events = [FoundEvent(event) for event in _own_events(old, new)]
    if added or removed:
        events += _dependency_events(removed, added)
    return Differences(tuple(events), tuple(steps))


def is_build_only(edge: Edge, other: Edge | None = None) -> bool:
    """Return whether a dependency is neither linked nor run, nor what it is on the other side."""
    if "link" in edge.types or "run" in edge.types:
        return False
    return other is None or is_build_only(other)


class _Matched(NamedTuple):
    """Which dependencies of two nodes belong together, and what is on one side only."""

    pairs: list[tuple[Edge, Edge]]
    removed: list[Edge]
    added: list[Edge]


def _match(old: Sequence[Edge], new: Sequence[Edge]) -> _Matched:
    """Match dependencies whose hash differs, by name."""
    before = {edge.name: edge for edge in old}
    after = {edge.name: edge for edge in new}
    if len(before) < len(old) or len(after) < len(new):
        return _match_several(old, new)
    return _Matched(
        [(edge, after[name]) for name, edge in before.items() if name in after],
        [edge for name, edge in before.items() if name not in after],
        [edge for name, edge in after.items() if name not in before],
    )


def _match_several(old: Iterable[Edge], new: Iterable[Edge]) -> _Matched:
    """Match dependencies where a node has several of one name, which is rare.

    Linked and run ones go together first, then build-only ones, then the rest, always by hash:
    Spack may build with one `python` and run with another.
    """
    found = _Matched([], [], [])
    before, after = _by_name_and_kind(old), _by_name_and_kind(new)
    rest_old: dict[str, list[Edge]] = {}
    rest_new: dict[str, list[Edge]] = {}
    for key in sorted(before.keys() | after.keys()):
        mine, theirs = before.get(key, []), after.get(key, [])
        found.pairs.extend(zip(mine, theirs, strict=False))
        rest_old.setdefault(key[0], []).extend(mine[len(theirs) :])
        rest_new.setdefault(key[0], []).extend(theirs[len(mine) :])
    for name, mine in rest_old.items():
        theirs = rest_new[name]
        found.pairs.extend(zip(mine, theirs, strict=False))
        found.removed.extend(mine[len(theirs) :])
        found.added.extend(theirs[len(mine) :])
    return found


def _by_name_and_kind(edges: Iterable[Edge]) -> dict[tuple[str, bool], list[Edge]]:
    """Return edges by their name and whether they are build-only, each list by hash."""
    by_hash: dict[str, Edge] = {}
    for edge in edges:
        known = by_hash.get(edge.hash)
        # What is listed twice, once for building and once for linking, is one dependency.
        by_hash[edge.hash] = _united(known, edge) if known else edge
    found: dict[tuple[str, bool], list[Edge]] = {}
    for _, edge in sorted(by_hash.items()):
        found.setdefault((edge.name, is_build_only(edge)), []).append(edge)
    return found


def _united(one: Edge, other: Edge) -> Edge:
    return one._replace(types=one.types + other.types, virtuals=one.virtuals + other.virtuals)


def _own_events(old: Node, new: Node) -> Iterator[Event]:
    """Yield what differs between two nodes, their dependencies aside."""
    name = old.name
    same_version = True
    if _as_written(old.build) != _as_written(new.build):
        same_version = old.build.version == new.build.version
        if not same_version:
            yield Event(name, "version", old.build.version_text, new.build.version_text)
        yield from _configuration_events(name, old.build, new.build)
    if old.build.external != new.build.external:
        yield Event(name, "external")
    if old.namespace != new.namespace:
        yield Event(name, "namespace", old.namespace, new.namespace)
    if same_version and old.recipe and new.recipe and old.recipe != new.recipe:
        yield Event(name, "recipe")


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


def _configuration_events(name: str, old: Build, new: Build) -> Iterator[Event]:
    before, after = old.configuration, new.configuration
    for what, mine, theirs in zip(_FIELDS, before, after, strict=False):
        if mine != theirs:
            yield Event(name, what, str(mine), str(theirs))
    gone, come = before.variants - after.variants, after.variants - before.variants
    if gone or come:
        yield Event(name, "variants", tuple(sorted(gone)), tuple(sorted(come)))


def _dependency_events(removed: Sequence[Edge], added: Sequence[Edge]) -> Iterator[FoundEvent]:
    """Yield which dependencies took the place of others, and which were only added or removed.

    What left and what came belong together where they provide a virtual package in common. Of each
    virtual the first goes with the first, by name, and so on; where one side has fewer, its last
    one goes with all that are left. So `intel-mkl` is replaced by `openblas` and also by
    `netlib-scalapack`, and no number of providers makes more events than there are edges.
    """
    providers = _providers(removed), _providers(added)
    replaced: dict[tuple[str, str], bool] = {}
    for virtual in sorted(providers[0].keys() & providers[1].keys()):
        left, came = providers[0][virtual], providers[1][virtual]
        for position in range(max(len(left), len(came))):
            before = left[min(position, len(left) - 1)]
            after = came[min(position, len(came) - 1)]
            pair = before.name, after.name
            replaced[pair] = replaced.get(pair, True) and is_build_only(before, after)
    for (old_name, new_name), build_only in replaced.items():
        yield FoundEvent(Event(new_name, "replaced", old_name, new_name), build_only)
    old_names, new_names = ({pair[side] for pair in replaced} for side in (0, 1))
    for edge in added:
        if edge.name not in new_names:
            yield FoundEvent(Event(edge.name, "added"), is_build_only(edge))
    for edge in removed:
        if edge.name not in old_names:
            yield FoundEvent(Event(edge.name, "removed"), is_build_only(edge))


def _providers(edges: Iterable[Edge]) -> dict[str, list[Edge]]:
    """Return by virtual package the dependencies that provide it, by name and hash."""
    found: dict[str, list[Edge]] = {}
    for edge in sorted(edges):
        for virtual in dict.fromkeys(edge.virtuals):
            found.setdefault(virtual, []).append(edge)
    return found
