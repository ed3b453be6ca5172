"""Why the specs of a stack changed: the cause of each, and what the stack has in common."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain, repeat

from msgspec.structs import replace

from snapdiff.diff.causes import (
    Explanation,
    event_words,
    shared_changes,
    sort_most_first,
)
from snapdiff.diff.changed_pairs import ChangedPairs, KnownGraphs
from snapdiff.diff.dependencies import linked_by
from snapdiff.diff.events import Graphs
from snapdiff.diff.reach import unite_below
from snapdiff.filters import Scope
from snapdiff.model import Graph
from snapdiff.result import Change, Kind, PackageChange
from snapdiff.result.causes import Cause, Event, StackCause, event_of


def explain_changes(
    changes: Sequence[Change],
    graphs: Mapping[str, Graphs],
    known: KnownGraphs,
    scope: Scope,
    is_reported: Callable[[Change], bool],
) -> tuple[list[Change], list[StackCause]]:
    """Return the changes of a stack with their causes, and the causes of the stack.

    `graphs` has the dependencies by package, where both sides have them: there every change has a
    cause, null but for a rebuilt spec (specification, section 11). Where only some causes are
    wanted, only what was rebuilt or lost because of them is returned; where only explicit ones are,
    only what `is_reported`. Raises FormatError where a document has too much to compare, or a node
    that cannot be read.
    """
    if scope.filters.because or scope.filters.explicit:
        return _wanted_changes(changes, graphs, known, scope, is_reported)
    explained = [_unexplained(change, graphs) for change in changes]
    stack_causes = shared_changes(
        (change.package, change.fields) for change in changes if change.kind is Kind.RECONFIGURED
    )
    for positions, found in _explanations(changes, graphs, known):
        stack_causes += found.stack_causes()
        for place, position in enumerate(positions):
            explained[position] = _explained(changes[position], found, place)
    return explained, sort_most_first(stack_causes)


def _wanted_changes(
    changes: Sequence[Change],
    graphs: Mapping[str, Graphs],
    known: KnownGraphs,
    scope: Scope,
    is_reported: Callable[[Change], bool],
) -> tuple[list[Change], list[StackCause]]:
    """Return the changes that a report is narrowed to, by cause or to explicit specs.

    Which event is the cause of a spec is decided among all of the stack.
    """
    because = bool(scope.filters.because)
    kept: dict[int, Change] = {}
    lost = _lost_because(changes, graphs, scope.is_wanted_cause) if because else set()
    for position, change in enumerate(changes):
        if (not because or position in lost) and is_reported(change):
            kept[position] = _unexplained(change, graphs)
    stack_causes = shared_changes(
        (change.package, change.fields)
        for change in kept.values()
        if change.kind is Kind.RECONFIGURED
    )
    for positions, found in _explanations(changes, graphs, known):
        wanted = found.because_of(scope.is_wanted_cause) if because else repeat(True)
        places: list[int] = []
        for place, (position, is_wanted) in enumerate(zip(positions, wanted, strict=False)):
            change = changes[position]
            if is_wanted and is_reported(change):
                places.append(place)
                kept[position] = _explained(change, found, place)
        stack_causes += found.stack_causes(places)
    return [kept[position] for position in sorted(kept)], sort_most_first(stack_causes)


def _lost_because(
    changes: Sequence[Change], graphs: Mapping[str, Graphs], is_wanted: Callable[[str], bool]
) -> set[int]:
    """Return the places of specs that were removed with a wanted package: it, and what used it."""
    removed: dict[Graph, dict[str, int]] = {}
    gone: set[str] = set()
    for position, change in enumerate(changes):
        if change.kind is Kind.REMOVED and change.old and change.package in graphs:
            removed.setdefault(graphs[change.package][0], {})[change.old.hash] = position
            if is_wanted(change.package):
                gone.add(change.old.hash)
    return {
        specs[spec_hash]
        for graph, specs in removed.items()
        for spec_hash, reaches in unite_below(
            specs, partial(linked_by, graph), gone.__contains__, known={}
        )
        if reaches and spec_hash in specs
    }


def _explanations(
    changes: Sequence[Change], graphs: Mapping[str, Graphs], known: KnownGraphs
) -> Iterator[tuple[list[int], Explanation]]:
    """Yield why the rebuilt specs of each document were rebuilt, behind their positions."""
    groups: dict[ChangedPairs, list[int]] = {}
    for position, change in enumerate(changes):
        if change.kind is Kind.REBUILT and change.package in graphs:
            pairs = known.changes(graphs[change.package])
            groups.setdefault(pairs, []).append(position)
    for pairs, positions in groups.items():
        rebuilt = [_hashes(changes[position]) for position in positions]
        yield positions, Explanation(rebuilt, pairs)


def _unexplained(change: Change, graphs: Mapping[str, Graphs]) -> Change:
    """Return a change without a cause: null where its package has dependencies on both sides."""
    return replace(change, cause=None) if change.package in graphs else change


def _explained(change: Change, found: Explanation, place: int) -> Change:
    """Return a change with the cause at a place of an explanation."""
    if found.same_to_use[place]:
        return replace(change, cause=found.causes[place], same_to_use=True)
    return replace(change, cause=found.causes[place])


def _hashes(change: Change) -> tuple[str, str]:
    assert change.old is not None
    assert change.new is not None
    return change.old.hash, change.new.hash


def with_main_cause(package: PackageChange, changes: Iterable[Change]) -> PackageChange:
    """Return a package's change with the cause that most of its rebuilt specs have."""
    causes: dict[Event, list[Cause]] = {}
    for change in changes:
        if isinstance(change.cause, Cause):
            causes.setdefault(event_of(change.cause), []).append(change.cause)
    most = max(map(len, causes.values()), default=0)
    alike = chain.from_iterable(some for some in causes.values() if len(some) == most)
    main = min(alike, key=_order, default=None)
    return replace(package, cause=main) if main else package


def _order(cause: Cause) -> tuple[object, ...]:
    return event_words(cause), len(cause.path), cause.path, cause.build_only, cause.others
