"""What happened to packages, as the lines that people read: the one grouping of all reports."""

from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import NamedTuple

from msgspec import UNSET, Struct

from snapdiff.filters import wanted_kinds
from snapdiff.reports.lost_builds import BuildChanges, build_changes
from snapdiff.reports.names import Place, Places
from snapdiff.reports.version_steps import is_major, is_other_scheme
from snapdiff.result import CatalogDiff, Kind, PackageChange, StackDiff, TagDiff
from snapdiff.result.causes import Cause, Event, event_of
from snapdiff.spack.version import parse_version

WORST_FIRST = (
    Kind.REMOVED,
    Kind.ADDED,
    Kind.DOWNGRADED,
    Kind.UPGRADED,
    Kind.RECONFIGURED,
    Kind.REBUILT,
)
"""The kinds of change in the order in which people read them: lost, new, then the others."""

SYMBOLS = {
    Kind.REMOVED: "−",
    Kind.DOWNGRADED: "↓",
    Kind.ADDED: "+",
    Kind.UPGRADED: "↑",
    Kind.RECONFIGURED: "≠",
    Kind.REBUILT: "=",
}

_RANKS = {kind: rank for rank, kind in enumerate(WORST_FIRST)}

_SAME_VERSIONS = (Kind.RECONFIGURED, Kind.REBUILT)
"""Kinds with which no version is gone or new: which ones there are is no part of what happened."""


def rank(kind: Kind) -> int:
    """Return how far down a report a kind comes: 0 for the first."""
    return _RANKS[kind]


def worst_rank(kinds: Iterable[Kind]) -> int:
    """Return the rank of the first of some kinds, and one beyond all where there is none."""
    return min(map(rank, kinds), default=len(WORST_FIRST))


def reported_kinds(diff: CatalogDiff) -> tuple[Kind, ...]:
    """Return the kinds of change that a report was not narrowed away from, in their order."""
    wanted = wanted_kinds(diff.filters)
    return tuple(kind for kind in WORST_FIRST if kind in wanted)


class PackageMove(NamedTuple):
    """One package and one change of it, as several stacks may share it.

    `in_tag` says of a package that is wholly removed or added that no other stack of the tag has it
    (any more). `builds` were lost or gained where versions stayed. `because` is the main cause of
    one that was only rebuilt, where it is known. `was_compiler` says of an added package that specs
    had it as their compiler before, and have it as a dependency now: it is not new.
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
    was_compiler: bool


class PackageLine(Struct, frozen=True, kw_only=True):
    """One line of a report: packages that made the same move in the same stacks.

    Its fields are those of `PackageMove`, and `place` says where. `because` is why packages were
    only rebuilt: of one package the cause with the way to it, of several what they have in common;
    None where it is not known. `is_dependency` says that nobody asked for them, where it is known
    what somebody asked for. `is_major` and `is_other_scheme` are about the step of the version.
    """

    kind: Kind
    packages: tuple[str, ...]
    whole: bool
    in_tag: bool
    gone: tuple[str, ...]
    came: tuple[str, ...]
    kept: tuple[str, ...]
    builds: BuildChanges | None
    stacks: tuple[str, ...]
    place: Place
    because: Event | None
    was_compiler: bool
    is_dependency: bool
    is_major: bool
    is_other_scheme: bool

    @property
    def lost_a_build(self) -> bool:
        """Whether packages kept a version and lost a build, whatever the kind of the line is."""
        return bool(self.kept and self.builds and self.builds.removed)

    @property
    def kinds(self) -> tuple[Kind, ...]:
        """What `-k` finds it by: its own kind, and `removed` where it lost a build."""
        lost_too = self.lost_a_build and self.kind is not Kind.REMOVED
        return (self.kind, Kind.REMOVED) if lost_too else (self.kind,)

    @property
    def symbol(self) -> str:
        """The sign of its kind."""
        return SYMBOLS[self.kind]


class Products:
    """Which packages of a tag somebody asked for, where it is known: of any stack."""

    def __init__(self, stacks: Iterable[StackDiff]) -> None:
        """Take all stacks of the tag."""
        self.are_known = False
        self._names: set[str] = set()
        for stack in stacks:
            self.are_known = self.are_known or stack.asked_for is not None
            for change in stack.package_changes:
                if change.asked_for is not None:
                    self.are_known = True
                    if not change.is_dependency:
                        self._names.add(change.package)

    def is_dependency(self, package: str) -> bool:
        """Return whether nobody asked for a package, though it is known what somebody asked for."""
        return self.are_known and package not in self._names


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
        change.was_compiler is True,
    )


def package_lines(
    tag: TagDiff,
    stacks: Sequence[StackDiff],
    places: Places | None = None,
    products: Products | None = None,
    *,
    together: bool = True,
) -> list[PackageLine]:
    """Return what happened to packages in some stacks of a tag, in the order of reading.

    Products come before dependencies, then kinds in their order, then what the whole tag lost or
    got, then what most stacks share, then names; a change of the way to number comes last.
    Packages that made the same move share a line, unless they are not to be `together`.
    """
    versions = unchanged_versions(stacks)
    causes = _causes(stacks)
    products = products or Products(tag.stacks)
    places = places or Places(stack.stack for stack in tag.stacks)
    families: dict[tuple[object, ...], list[PackageMove]] = {}
    moves = moves_of(tag, stacks)
    for move, names in moves.items():
        alike = (*move._replace(package=""), products.is_dependency(move.package), *names)
        families.setdefault(alike if together else (move,), []).append(move)
    lines = []
    for members in families.values():
        members.sort(key=lambda move: move.package)
        first, names = members[0], moves[members[0]]
        alone = len(members) == 1 and first.kind in _SAME_VERSIONS
        lines.append(
            PackageLine(
                kind=first.kind,
                packages=tuple(move.package for move in members),
                whole=first.whole,
                in_tag=first.in_tag,
                gone=first.gone,
                came=first.came,
                kept=versions[first.package] if alone else first.kept,
                builds=first.builds,
                stacks=tuple(names),
                place=places.place(names),
                because=causes.get((first.package, names[0])) if alone else first.because,
                was_compiler=first.was_compiler,
                is_dependency=products.is_dependency(first.package),
                is_major=first.kind is Kind.UPGRADED
                and is_major((*first.gone, *first.kept), (*first.came, *first.kept)),
                is_other_scheme=is_other_scheme(first.gone, first.came),
            )
        )
    lines.sort(key=order_of_reading)
    return lines


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


def order_of_reading(line: PackageLine) -> tuple[object, ...]:
    """Return what lines are sorted by."""
    return (
        line.is_dependency,
        line.is_other_scheme,
        rank(line.kind),
        not line.in_tag,
        not line.whole,
        not line.is_major,
        -len(line.stacks),
        line.packages,
    )


def by_kind(lines: Iterable[PackageLine]) -> dict[Kind | None, tuple[PackageLine, ...]]:
    """Return lines that are in order, kind by kind, and under None another way to number."""
    grouped = groupby(lines, key=lambda line: None if line.is_other_scheme else line.kind)
    return {kind: tuple(some) for kind, some in grouped}
