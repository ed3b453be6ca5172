"""Why the specs of a stack changed: the cause of each, and what the stack has in common."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from msgspec.structs import replace

from snapdiff.diff.causes import explain
from snapdiff.diff.changed_pairs import ChangedPairs
from snapdiff.diff.known_graphs import Graphs, KnownGraphs
from snapdiff.diff.stack_causes import event_words, shared_changes, sort_most_first
from snapdiff.result import Change, Kind, PackageChange
from snapdiff.result_causes import Cause, Event, StackCause


def explain_changes(
    changes: Sequence[Change], graphs: Mapping[str, Graphs], known: KnownGraphs
) -> tuple[list[Change], list[StackCause]]:
    """Return the changes of a stack with their causes, and the causes of the stack.

    `graphs` has the dependencies by package, where both sides have them: then every change has a
    cause, null but for a rebuilt spec (specification, section 11). Raises FormatError where a
    document has too much to compare, or a node that cannot be read.
    """
    explained = [replace(change, cause=None) for change in changes] if graphs else list(changes)
    groups: dict[ChangedPairs, list[int]] = {}
    for position, change in enumerate(changes):
        if change.kind is Kind.REBUILT and change.package in graphs:
            pairs = known.changes(graphs[change.package])
            groups.setdefault(pairs, []).append(position)
    stack_causes = shared_changes(
        (change.package, change.fields) for change in changes if change.kind is Kind.RECONFIGURED
    )
    for pairs, positions in groups.items():
        found = explain([_hashes(changes[position]) for position in positions], pairs)
        stack_causes += found.stack_causes
        causes = zip(positions, found.causes, found.same_to_use, strict=True)
        for position, cause, same_to_use in causes:
            explained[position] = replace(
                changes[position], cause=cause, **({"same_to_use": True} if same_to_use else {})
            )
    return explained, sort_most_first(stack_causes)


def _hashes(change: Change) -> tuple[str, str]:
    assert change.old is not None
    assert change.new is not None
    return change.old.hash, change.new.hash


def with_main_cause(package: PackageChange, changes: Iterable[Change]) -> PackageChange:
    """Return a package's change with the cause that most of its rebuilt specs have."""
    causes = [change.cause for change in changes if isinstance(change.cause, Cause)]
    if not causes:
        return package
    numbers = Counter(map(_event, causes))
    main = min(causes, key=lambda cause: (-numbers[_event(cause)], _order(cause)))
    return replace(package, cause=main)


def _event(cause: Cause) -> Event:
    return Event(cause.package, cause.what, cause.old, cause.new)


def _order(cause: Cause) -> tuple[object, ...]:
    return event_words(cause), len(cause.path), cause.path, cause.build_only, cause.others
