"""What happened to specs, like ones on one line: the detail below the lines of packages."""

from collections.abc import Sequence
from typing import NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from snapdiff.model import Spec
from snapdiff.reports.package_lines import WORST_FIRST
from snapdiff.reports.products import dependencies_now
from snapdiff.result import Change, Field, Kind, StackDiff
from snapdiff.result.causes import Cause

LISTED_HASHES = 2
"""How many specs of a line are named by their hashes."""

HashPair = tuple[str | None, str | None]
"""The hash of a spec before and after; None on a side without one."""


class SpecLine(Struct, frozen=True, kw_only=True):
    """Like changes of one package: how many specs they are, and which stacks have them.

    `is_whole` says that the package was added to or removed from these stacks with them,
    `is_dependency_now` that it came there as compilers became dependencies. `hashes`
    are those of the first few specs. `cause` is None where it is not known; `same_to_use` as in
    `result.Change`.
    """

    kind: Kind
    package: str
    old: str | None
    new: str | None
    fields: tuple[Field, ...]
    cause: Cause | None
    same_to_use: bool
    is_whole: bool
    is_dependency_now: bool
    specs: int = 0
    stacks: tuple[str, ...] = ()
    in_all_stacks: bool = False
    hashes: tuple[HashPair, ...] = ()


class SpecSection(NamedTuple):
    """The spec changes of one kind: so many specs."""

    kind: Kind
    lines: tuple[SpecLine, ...]
    specs: int


def spec_sections(stacks: Sequence[StackDiff]) -> tuple[SpecSection, ...]:
    """Return the spec changes of some stacks, a section a kind, worst first."""
    specs: dict[SpecLine, dict[HashPair, None]] = {}
    places: dict[SpecLine, dict[str, None]] = {}
    for stack in stacks:
        now_dependencies = dependencies_now(stack)
        for change in stack.changes:
            line = _line(change, stack, now_dependencies)
            specs.setdefault(line, {})[_hash(change.old), _hash(change.new)] = None
            places.setdefault(line, {})[stack.stack] = None
    lines = [
        replace(
            line,
            specs=len(pairs),
            stacks=tuple(places[line]),
            in_all_stacks=1 < len(stacks) == len(places[line]),
            hashes=tuple(pairs)[:LISTED_HASHES],
        )
        for line, pairs in sorted(specs.items(), key=lambda item: item[0].package)
    ]
    by_kind = {kind: tuple(line for line in lines if line.kind is kind) for kind in WORST_FIRST}
    return tuple(
        SpecSection(kind, some, sum(line.specs for line in some))
        for kind, some in by_kind.items()
        if some
    )


def _line(change: Change, stack: StackDiff, now_dependencies: set[str]) -> SpecLine:
    """Return what the changes on one line have in common."""
    old, new = change.old, change.new
    names = stack.packages.added if change.kind is Kind.ADDED else stack.packages.removed
    return SpecLine(
        kind=change.kind,
        package=change.package,
        old=old.version if old else None,
        new=new.version if new else None,
        fields=tuple([item for item in change.fields if item.name != "version"]),
        cause=change.cause if isinstance(change.cause, Cause) else None,
        same_to_use=change.same_to_use is True,
        is_whole=change.package in names,
        is_dependency_now=change.kind is Kind.ADDED and change.package in now_dependencies,
    )


def _hash(spec: Spec | None) -> str | None:
    return spec.hash if spec else None
