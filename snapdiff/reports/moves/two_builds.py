"""Pairs that are two builds: one is told as gone, one as new (specification, section 9)."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TypeVar

from msgspec import UNSET
from msgspec.structs import replace

from snapdiff.result.causes import Event, StackCause, event_of
from snapdiff.result.changes import CatalogDiff, Change, StackDiff, Summary, changes_by_package
from snapdiff.result.packages import ChangeCounts, Duplicates, Kind, PackageChange, PartChange

_Counts = TypeVar("_Counts", bound=ChangeCounts)
_Changed = TypeVar("_Changed", PackageChange, PartChange)


def with_builds_apart(diff: CatalogDiff) -> CatalogDiff:
    """Return a diff in which a build that is paired with another one is gone, and that one new.

    So people say it of a package that is built with several compilers: section 6 pairs what is left
    over, whatever it is.
    """
    tags = tuple(
        replace(tag, stacks=tuple(_stack_apart(stack) for stack in tag.stacks)) for tag in diff.tags
    )
    summary = Summary.total(stack.summary for tag in tags for stack in tag.stacks)
    return replace(diff, tags=tags, summary=summary)


def _stack_apart(stack: StackDiff) -> StackDiff:
    pairs = [change for change in stack.changes if change.two_builds]
    if not pairs:
        return stack
    by_package = changes_by_package(pairs)
    return replace(
        stack,
        summary=_counts_apart(stack.summary, len(pairs)),
        package_changes=tuple(
            _package_apart(change, by_package[change.package])
            if change.package in by_package
            else change
            for change in stack.package_changes
        ),
        changes=tuple(one for change in stack.changes for one in _builds_of(change)),
        causes=tuple(_causes_apart(stack, pairs)),
    )


def _builds_of(change: Change) -> Iterator[Change]:
    builds = change.two_builds
    if not builds:
        yield change
    else:
        one = replace(change, fields=())
        yield replace(one, kind=Kind.REMOVED, new=None, duplicate=not builds.lost or UNSET)
        yield replace(one, kind=Kind.ADDED, old=None, duplicate=not builds.gained or UNSET)


def _counts_apart(counts: _Counts, number: int) -> _Counts:
    return replace(
        counts,
        added=counts.added + number,
        removed=counts.removed + number,
        reconfigured=counts.reconfigured - number,
    )


def _package_apart(change: PackageChange, pairs: Sequence[Change]) -> PackageChange:
    found = _with_pairs_apart(change, len(pairs))
    builds = [pair.two_builds for pair in pairs if pair.two_builds]
    before = change.duplicates or Duplicates(lost=0, gained=0)
    equal = Duplicates(
        lost=before.lost + sum(not it.lost for it in builds),
        gained=before.gained + sum(not it.gained for it in builds),
    )
    if equal.lost or equal.gained:
        found = replace(found, duplicates=equal)
    if not change.parts:
        return found
    of_roots = sum(pair.is_explicit for pair in pairs)
    asked_for, others = change.parts.asked_for, change.parts.others
    parts = replace(
        change.parts,
        asked_for=asked_for and _with_pairs_apart(asked_for, of_roots),
        others=others and _with_pairs_apart(others, len(pairs) - of_roots),
    )
    return replace(found, parts=parts)


def _with_pairs_apart(change: _Changed, number: int) -> _Changed:
    """Return what happened to a package, or a part of it, of which so many pairs are two builds."""
    if not number:
        return change
    is_of_builds = not (change.gone or change.came)  # and then the first kind that holds
    kind = Kind.REMOVED if is_of_builds else change.kind
    return replace(change, kind=kind, specs=_counts_apart(change.specs, number))


def _causes_apart(stack: StackDiff, pairs: Sequence[Change]) -> Iterator[StackCause]:
    """Yield the causes of a stack, fields that changed without the pairs that are two builds."""
    others = [it for it in stack.changes if it.kind is Kind.RECONFIGURED and not it.two_builds]
    specs: Counter[Event] = Counter()
    packages: dict[Event, set[str]] = {}
    for change in others:
        for event in (field.event() for field in change.fields):
            specs[event] += 1
            packages.setdefault(event, set()).add(change.package)
    changed = {field.event() for pair in pairs for field in pair.fields}
    for cause in stack.causes:
        event = event_of(cause)
        if event not in changed:
            yield cause
        elif specs[event]:
            yield replace(cause, specs=specs[event], packages=len(packages[event]))
