"""Pairs that are two builds: one is told as gone, one as new (specification, section 9)."""

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
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
        summary=_counts_apart(stack.summary, pairs),
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
        one = replace(
            change, fields=(), cause=change.cause and None
        )  # as of all that is lost or new
        yield replace(one, kind=Kind.REMOVED, new=None, duplicate=not builds.lost or UNSET)
        yield replace(one, kind=Kind.ADDED, old=None, duplicate=not builds.gained or UNSET)


def _counts_apart(counts: _Counts, pairs: Collection[Change]) -> _Counts:
    rebuilt = sum(it.kind is Kind.REBUILT for it in pairs)
    return replace(
        counts,
        added=counts.added + len(pairs),
        removed=counts.removed + len(pairs),
        rebuilt=counts.rebuilt - rebuilt,
        reconfigured=counts.reconfigured - (len(pairs) - rebuilt),
    )


def _package_apart(change: PackageChange, pairs: Sequence[Change]) -> PackageChange:
    found = _with_pairs_apart(change, pairs)
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
    of_roots = [it for it in pairs if it.is_explicit]
    of_others = [it for it in pairs if not it.is_explicit]
    asked_for, others = change.parts.asked_for, change.parts.others
    parts = replace(
        change.parts,
        asked_for=asked_for and _with_pairs_apart(asked_for, of_roots),
        others=others and _with_pairs_apart(others, of_others),
    )
    return replace(found, parts=parts)


def _with_pairs_apart(change: _Changed, pairs: Collection[Change]) -> _Changed:
    """Return what happened to a package, or a part of it, of which some pairs are two builds."""
    if not pairs:
        return change
    is_of_builds = not (change.gone or change.came)  # and then the first kind that holds
    kind = Kind.REMOVED if is_of_builds else change.kind
    return replace(change, kind=kind, specs=_counts_apart(change.specs, pairs))


def _causes_apart(stack: StackDiff, pairs: Sequence[Change]) -> Iterator[StackCause]:
    """Yield the causes of a stack, and fields that changed, without the pairs that are two builds.

    What no other spec reaches, or has in its fields, is none.
    """
    others = [it for it in stack.changes if not it.two_builds]
    specs = Counter(event for it in others for event in _events(it))
    packages = Counter(
        event for event, _ in {(e, it.package) for it in others for e in _events(it)}
    )
    changed = {event for it in pairs for event in _events(it)}
    for cause in stack.causes:
        event = event_of(cause)
        if event not in changed:
            yield cause
        elif reach := cause.reach - (cause.specs - specs[event]):
            number = {"specs": specs[event], "packages": packages[event], "reach": reach}
            yield replace(cause, **number)


def _events(change: Change) -> list[Event]:
    """Return why a spec was rebuilt, or what of it was reconfigured."""
    fields = change.fields if change.kind is Kind.RECONFIGURED else ()
    return [event_of(it) for it in (change.cause,) if it] + [field.event() for field in fields]
