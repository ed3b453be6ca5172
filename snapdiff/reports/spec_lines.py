"""What happened to specs, like ones on one line: the detail below the lines of packages."""

from collections.abc import Sequence
from typing import NamedTuple

from msgspec import Struct

from snapdiff.model import Spec
from snapdiff.reports.package_lines import SYMBOLS, WORST_FIRST, dependencies_now
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
    specs: int
    is_whole: bool
    is_dependency_now: bool
    stacks: tuple[str, ...]
    in_all_stacks: bool
    hashes: tuple[HashPair, ...]


class SpecSection(Struct, frozen=True, kw_only=True):
    """The spec changes of one kind: so many specs of so many packages."""

    kind: Kind
    symbol: str
    lines: tuple[SpecLine, ...]
    specs: int
    packages: int


class _Likeness(NamedTuple):
    """What the changes on one line have in common."""

    kind: Kind
    package: str
    old: str | None
    new: str | None
    fields: tuple[Field, ...]
    cause: Cause | None
    same_to_use: bool
    is_whole: bool
    is_dependency_now: bool


class _Members:
    """The changes on one line: their specs, each once, and their stacks."""

    __slots__ = ("specs", "stacks")

    def __init__(self) -> None:
        self.specs: dict[HashPair, None] = {}
        self.stacks: dict[str, None] = {}


def spec_sections(stacks: Sequence[StackDiff]) -> tuple[SpecSection, ...]:
    """Return the spec changes of some stacks, a section a kind, worst first."""
    alike: dict[Kind, dict[_Likeness, _Members]] = {kind: {} for kind in WORST_FIRST}
    for stack in stacks:
        now_dependencies = dependencies_now(stack)
        for change in stack.changes:
            likeness = _likeness(change, stack, now_dependencies)
            members = alike[change.kind].setdefault(likeness, _Members())
            members.specs[_hash(change.old), _hash(change.new)] = None
            members.stacks[stack.stack] = None
    return tuple(_section(kind, found, len(stacks)) for kind, found in alike.items() if found)


def _likeness(change: Change, stack: StackDiff, now_dependencies: set[str]) -> _Likeness:
    old, new = change.old, change.new
    names = stack.packages.added if change.kind is Kind.ADDED else stack.packages.removed
    return _Likeness(
        change.kind,
        change.package,
        old.version if old else None,
        new.version if new else None,
        tuple([item for item in change.fields if item.name != "version"]),
        change.cause if isinstance(change.cause, Cause) else None,
        change.same_to_use is True,
        change.package in names,
        change.kind is Kind.ADDED and change.package in now_dependencies,
    )


def _section(kind: Kind, alike: dict[_Likeness, _Members], among: int) -> SpecSection:
    lines = [
        SpecLine(
            kind=kind,
            package=likeness.package,
            old=likeness.old,
            new=likeness.new,
            fields=likeness.fields,
            cause=likeness.cause,
            same_to_use=likeness.same_to_use,
            specs=len(members.specs),
            is_whole=likeness.is_whole,
            is_dependency_now=likeness.is_dependency_now,
            stacks=tuple(members.stacks),
            in_all_stacks=among > 1 and len(members.stacks) == among,
            hashes=tuple(members.specs)[:LISTED_HASHES],
        )
        for likeness, members in alike.items()
    ]
    lines.sort(key=lambda line: line.package)
    return SpecSection(
        kind=kind,
        symbol=SYMBOLS[kind],
        lines=tuple(lines),
        specs=sum(line.specs for line in lines),
        packages=len({line.package for line in lines}),
    )


def _hash(spec: Spec | None) -> str | None:
    return spec.hash if spec else None
