"""Pairs that are two builds: one is told as gone, one as new (specification, section 9)."""

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from itertools import chain
from typing import TypeVar

from msgspec.structs import asdict, replace

from snapdiff.result.changes import CatalogDiff, Change, StackDiff, Summary, changes_by_package
from snapdiff.result.packages import ChangeCounts, Duplicates, Kind, PackageChange, PartChange

_Counts = TypeVar("_Counts", bound=ChangeCounts)
_Changed = TypeVar("_Changed", PackageChange, PartChange)


def with_builds_apart(diff: CatalogDiff) -> CatalogDiff:
    """Return a diff in which a build that is paired with another one is gone, and that one new.

    So people say it of a package that is built with several compilers or MPIs: section 6 pairs what
    is left over, whatever it is.
    """
    tags = tuple(
        replace(tag, stacks=tuple(_stack_apart(stack) for stack in tag.stacks)) for tag in diff.tags
    )
    summary = Summary.total(stack.summary for tag in tags for stack in tag.stacks)
    return replace(diff, tags=tags, summary=summary)


def _stack_apart(stack: StackDiff) -> StackDiff:
    apart = stack.builds_apart
    if not apart:
        return stack
    pairs = changes_by_package(it for it in stack.changes if it.two_builds)
    builds = changes_by_package(apart.changes)
    changes = apart.of_all(stack.changes)
    return replace(
        stack,
        summary=_recounted(stack.summary, chain(*pairs.values()), apart.changes),
        package_changes=tuple(
            _package_apart(it, pairs[it.package], builds[it.package]) if it.package in pairs else it
            for it in stack.package_changes
        ),
        changes=tuple(sorted(changes, key=lambda change: change.package)),
        causes=apart.causes,
    )


def _package_apart(
    change: PackageChange, pairs: Sequence[Change], builds: Sequence[Change]
) -> PackageChange:
    found = _part_apart(change, pairs, builds)
    before = change.duplicates or Duplicates(lost=0, gained=0)
    equal = Counter(it.kind for it in builds if it.duplicate)
    lost, gained = before.lost + equal[Kind.REMOVED], before.gained + equal[Kind.ADDED]
    if lost or gained:
        found = replace(found, duplicates=Duplicates(lost=lost, gained=gained))
    if not change.parts:
        return found

    def part(of: PartChange | None, *, of_roots: bool) -> PartChange | None:
        own = ([it for it in some if it.is_explicit is of_roots] for some in (pairs, builds))
        return of and _part_apart(of, *own)

    asked_for = part(change.parts.asked_for, of_roots=True)
    others = part(change.parts.others, of_roots=False)
    return replace(found, parts=replace(change.parts, asked_for=asked_for, others=others))


def _part_apart(
    change: _Changed, pairs: Collection[Change], builds: Collection[Change]
) -> _Changed:
    """Return what happened to a package, or a part of it, with builds in place of pairs."""
    if not pairs:
        return change
    specs = _recounted(change.specs, pairs, builds)
    has_versions = change.gone or change.came
    return replace(
        change, kind=change.kind if has_versions else specs.kind_of_same_versions, specs=specs
    )


def _recounted(counts: _Counts, pairs: Iterable[Change], builds: Iterable[Change]) -> _Counts:
    numbers = Counter(asdict(counts))
    numbers.subtract(it.kind.value for it in pairs)
    numbers.update(it.kind.value for it in builds)
    return replace(counts, **numbers)
