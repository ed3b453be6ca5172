"""What happened to packages, as the lines that people read: the one grouping of all reports."""

from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import NamedTuple

from msgspec import UNSET, Struct

from snapdiff.reports.lost_builds import BuildChanges, build_changes
from snapdiff.reports.severity import SYMBOLS, rank
from snapdiff.reports.stack_reasons import event_of
from snapdiff.result import Kind, PackageChange, StackDiff, TagDiff
from snapdiff.result.causes import Cause, Event
from snapdiff.spack.version import parse_version

_SAME_VERSIONS = (Kind.RECONFIGURED, Kind.REBUILT)
"""Kinds with which no version is gone or new: which ones there are is no part of what happened."""


class PackageMove(NamedTuple):
    """One package and one change of it, as several stacks may share it.

    `in_tag` says of a package that is wholly removed or added that no other stack of the tag has it
    (any more). `builds` were lost or gained where versions stayed. `because` is the main cause of
    one that was only rebuilt, where it is known.
    """

    kind: Kind
    package: str
    whole: bool
    in_tag: bool
    gone: tuple[str, ...]
    came: tuple[str, ...]
    kept: tuple[str, ...]
    builds: BuildChanges | None
    because: Event | None


class PackageLine(Struct, frozen=True, kw_only=True):
    """One line of a report: packages that made the same move in the same stacks.

    `everywhere` says that these are all stacks of the tag, and more than one. `because` is why
    packages were only rebuilt: of one package the cause with the way to it, of several what they
    have in common; None where it is not known. `builds` as in `PackageMove`. `is_dependency` says
    that nobody asked for them in any of these stacks.
    """

    kind: Kind
    symbol: str
    packages: tuple[str, ...]
    whole: bool
    in_tag: bool
    gone: tuple[str, ...]
    came: tuple[str, ...]
    kept: tuple[str, ...]
    stacks: tuple[str, ...]
    everywhere: bool
    builds: BuildChanges | None
    because: Event | None
    is_dependency: bool

    @property
    def lost_a_build(self) -> bool:
        """Whether packages kept a version and lost a build, whatever the kind of the line is."""
        return bool(self.kept and self.builds and self.builds.removed)

    @property
    def is_major(self) -> bool:
        """Whether the first part of the highest version rose."""
        old, new = (
            max(map(parse_version, (*versions, *self.kept)), default=None)
            for versions in (self.gone, self.came)
        )
        if self.kind is not Kind.UPGRADED or old is None or new is None:
            return False
        return old.release[:1] < new.release[:1]


def moves_of(tag: TagDiff, stacks: Iterable[StackDiff]) -> dict[PackageMove, list[str]]:
    """Return every move in some stacks of a tag, with the stacks that share it."""
    names = {
        Kind.ADDED: frozenset(tag.packages.added),
        Kind.REMOVED: frozenset(tag.packages.removed),
    }
    found: dict[PackageMove, list[str]] = {}
    for stack in stacks:
        for change in stack.package_changes:
            in_tag = change.whole and change.package in names[change.kind]
            found.setdefault(_move(change, in_tag=in_tag), []).append(stack.stack)
    return found


def _move(change: PackageChange, *, in_tag: bool) -> PackageMove:
    kept = () if change.kind in _SAME_VERSIONS else change.kept
    cause = change.cause if change.kind is Kind.REBUILT else UNSET
    because = event_of(cause) if isinstance(cause, Cause) else None
    return PackageMove(
        change.kind,
        change.package,
        change.whole,
        in_tag,
        change.gone,
        change.came,
        kept,
        build_changes(change),
        because,
    )


def package_lines(tag: TagDiff, stacks: Sequence[StackDiff]) -> list[PackageLine]:
    """Return what happened to packages in some stacks of a tag, worst first.

    Of one kind, packages that somebody asked for come first, then those that the whole tag lost or
    got, then by name.
    """
    versions = unchanged_versions(stacks)
    causes = _causes(stacks)
    asked_for = AskedForPackages(stacks)
    families: dict[tuple[object, ...], list[PackageMove]] = {}
    moves = moves_of(tag, stacks)
    for move, names in moves.items():
        is_dependency = asked_for.is_dependency(move.package, names)
        families.setdefault((*move._replace(package=""), is_dependency, *names), []).append(move)
    lines = []
    for members in families.values():
        members.sort(key=lambda move: move.package)
        first, names = members[0], moves[members[0]]
        alone = len(members) == 1 and first.kind in _SAME_VERSIONS
        lines.append(
            PackageLine(
                kind=first.kind,
                symbol=SYMBOLS[first.kind],
                packages=tuple(move.package for move in members),
                whole=first.whole,
                in_tag=first.in_tag,
                gone=first.gone,
                came=first.came,
                kept=versions[first.package] if alone else first.kept,
                stacks=tuple(names),
                everywhere=1 < len(names) == len(tag.stacks),
                builds=first.builds,
                because=causes.get((first.package, names[0])) if alone else first.because,
                is_dependency=asked_for.is_dependency(first.package, names),
            )
        )
    lines.sort(key=_order)
    return lines


class AskedForPackages:
    """Which packages of some stacks somebody asked for."""

    def __init__(self, stacks: Iterable[StackDiff]) -> None:
        """Take the stacks."""
        self._dependencies = {
            (stack.stack, change.package)
            for stack in stacks
            for change in stack.package_changes
            if change.is_dependency
        }

    def is_dependency(self, package: str, stacks: Iterable[str]) -> bool:
        """Return whether it is known that nobody asked for a package in any of some stacks."""
        return all((stack, package) in self._dependencies for stack in stacks)


def _causes(stacks: Iterable[StackDiff]) -> dict[tuple[str, str], Cause]:
    """Return the main cause of the packages that were only rebuilt, by package and stack."""
    return {
        (change.package, stack.stack): change.cause
        for stack in stacks
        for change in stack.package_changes
        if change.kind is Kind.REBUILT and isinstance(change.cause, Cause)
    }


def unchanged_versions(stacks: Iterable[StackDiff]) -> dict[str, tuple[str, ...]]:
    """Return the versions of the packages of which none is gone or new, all stacks together."""
    found: dict[str, set[str]] = {}
    for stack in stacks:
        for change in stack.package_changes:
            if change.kind in _SAME_VERSIONS:
                found.setdefault(change.package, set()).update(change.kept)
    return {name: tuple(sorted(texts, key=parse_version)) for name, texts in found.items()}


def _order(line: PackageLine) -> tuple[int, bool, bool, bool, tuple[str, ...]]:
    return rank(line.kind), line.is_dependency, not line.in_tag, not line.whole, line.packages


def by_kind(lines: Iterable[PackageLine]) -> dict[Kind, tuple[PackageLine, ...]]:
    """Return lines that are in order, kind by kind."""
    return {kind: tuple(some) for kind, some in groupby(lines, key=lambda line: line.kind)}
