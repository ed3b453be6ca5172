"""What happened to packages, as the lines that people read: the one grouping of all reports."""

from collections.abc import Iterable, Sequence
from typing import cast

from msgspec import Struct
from msgspec.structs import replace

from snapdiff.filters import wanted_kinds
from snapdiff.reports.lost_builds import BuildChanges, BuildMoves, StackBuilds
from snapdiff.reports.names import NOWHERE, Place, Places
from snapdiff.reports.statuses import Status, Step, severity, step_of
from snapdiff.result import CatalogDiff, Change, Kind, PackageChange, StackDiff, TagDiff
from snapdiff.result.causes import Cause, Event, StackCause, What, event_of
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

SHARED_BY_PACKAGES = 10
"""How many packages make a change of a field one line: of fewer, each is worth its own."""


_SAME_VERSIONS = (Kind.RECONFIGURED, Kind.REBUILT)
"""Kinds with which no version is gone or new: which ones there are is no part of what happened."""

_COMES_WITH_COMPILERS = ("compiler-wrapper", "-runtime")
"""How packages end that came to a stack because its compilers became dependencies."""


def rank(kind: Kind) -> int:
    """Return how far down a report a kind comes: 0 for the first."""
    return WORST_FIRST.index(kind)


def worst_rank(kinds: Iterable[Kind]) -> int:
    """Return the rank of the first of some kinds, and one beyond all where there is none."""
    return min(map(rank, kinds), default=len(WORST_FIRST))


def reported_kinds(diff: CatalogDiff) -> tuple[Kind, ...]:
    """Return the kinds of change that a report was not narrowed away from, in their order."""
    wanted = wanted_kinds(diff.filters)
    return tuple(kind for kind in WORST_FIRST if kind in wanted)


class PackageLine(Struct, frozen=True, kw_only=True):
    """One line of a report: packages that made the same move in the same stacks.

    `in_tag` says of packages that are wholly removed or added that no other stack of the tag has
    them (any more), and `place` where this is. `builds` were lost or gained. `because` is why
    packages were only rebuilt: of one package the cause with the way to it, of several what they
    have in common; None where it is not known. `each` has of several packages what is of each
    alone: its versions, of how many builds some are lost or gained, or 0, and whether these are
    of more versions. `moves` are builds that have another version. `differs` is in what
    they were reconfigured, and `shared` in what all around them was, too; `some_builds` says of how
    many builds how many were, where these are not all. `needed_by` are new there and depend on the
    older version that came. `is_dependency` says that nobody asked for
    them, where it is known what somebody asked for. `worst` is the worst that happened to them in
    any of the stacks that are looked at.
    """

    kind: Kind
    packages: tuple[str, ...]
    whole: bool
    in_tag: bool
    gone: tuple[str, ...]
    came: tuple[str, ...]
    kept: tuple[str, ...]
    each: tuple[tuple[tuple[str, ...], int, bool], ...] = ()
    step: Step
    builds: BuildChanges | None
    because: Event | None
    differs: tuple[Event, ...]
    shared: tuple[Event, ...] = ()
    some_builds: tuple[int, int] | None = None
    moves: BuildMoves | None = None
    needed_by: tuple[str, ...] = ()
    is_dependency: bool
    stacks: tuple[str, ...]
    place: Place
    status: Status
    worst: Status

    @property
    def lost_a_build(self) -> bool:
        """Whether packages kept a version and lost a build, whatever the kind of the line is."""
        lost = self.builds.lost if self.builds else None
        return bool(self.kept and lost and (lost.number or lost.duplicates))

    @property
    def is_major(self) -> bool:
        """Whether packages rose to another major version."""
        return self.status is Status.UPGRADED and self.step == "major"

    @property
    def is_elsewhere(self) -> bool:
        """Whether something worse happened to its packages in other stacks, as a group says."""
        return self.status is not self.worst

    @property
    def symbol(self) -> str:
        """The sign of its class."""
        return SYMBOLS[self.status.kind]


def status_of(
    change: PackageChange,
    step: Step,
    builds: BuildChanges | None,
    moves: BuildMoves | None,
    *,
    is_dependency_now: bool,
) -> Status:
    """Return the class of a package by what happened to it in one stack."""
    if change.whole:
        if is_dependency_now:
            return Status.DEPENDENCY_NOW
        return Status.GONE if change.kind is Kind.REMOVED else Status.NEW
    if change.kind is Kind.DOWNGRADED and not step:
        return Status.DOWNGRADED
    if builds and builds.is_kind and not (builds.lost.number or builds.gained.number):
        return Status.DUPLICATES
    if change.kind is Kind.REMOVED or (builds and builds.lost.number):
        return Status.LOST
    if step in ("scheme", "release", "branch"):
        return Status.SCHEME
    if moves and moves.is_all:
        return Status.DOWNGRADED if moves.is_down else Status.UPGRADED
    if change.kind is Kind.ADDED or (change.came and not change.gone):
        return Status.MORE
    return Status[change.kind.name]


def package_lines(
    tag: TagDiff,
    stacks: Sequence[StackDiff],
    places: Places | None = None,
    *,
    together: bool = True,
) -> list[PackageLine]:
    """Return what happened to packages in some stacks of a tag, in the order of reading.

    Products come before dependencies, then the worst that happened to a package in any of the
    stacks, then what most stacks share, then names. Packages that made the same move share a line,
    unless they are not to be `together`.
    """
    places = places or Places(stack.stack for stack in tag.stacks)
    lines = _merged(
        [line for stack in stacks for line in _lines_of_stack(tag, stack)],
        "stacks",
    )
    worst: dict[object, Status] = {}
    for line in lines:
        what = line.packages, line.is_dependency
        worst[what] = min(worst.get(what, line.status), line.status, key=severity)
    lines = [replace(line, worst=worst[line.packages, line.is_dependency]) for line in lines]
    lines.sort(key=lambda line: (line.packages, line.is_dependency))
    alone = {(line.packages, line.is_dependency, line.stacks): line for line in lines}
    if together:
        lines = _merged(map(_as_on_one_line, lines), "packages")
    versions, causes = _unchanged_versions(stacks), _causes(stacks)
    for position, line in enumerate(lines):
        first, *others = (
            alone[(package,), line.is_dependency, line.stacks] for package in line.packages
        )
        kept, each, because, builds = line.kept, line.each, line.because, line.builds
        if line.kind in _SAME_VERSIONS and not (line.some_builds or line.moves):
            if others:
                each = tuple((versions[it, line.is_dependency], 0, False) for it in line.packages)
            else:
                [package] = line.packages
                kept = versions[package, line.is_dependency]
                because = causes.get((package, line.stacks[0]))
        elif not others:
            kept, builds = first.kept, first.builds
        elif builds and builds.is_kind and not kept:
            each = tuple(
                (it.builds.versions or it.kept, share.of if share.number else 0, share.has_others)
                for it in (first, *others)
                if it.builds and (share := it.builds.main)
            )
        place = places.place(line.stacks)
        lines[position] = replace(
            line, kept=kept, each=each, because=because, builds=builds, place=place
        )
    lines.sort(key=order_of_reading)
    return lines


def _as_on_one_line(line: PackageLine) -> PackageLine:
    """Return a line as others are that say the same of other packages."""
    alike = line.builds.alike if line.builds else None
    return replace(line, builds=alike, kept=()) if alike else line


def _lines_of_stack(tag: TagDiff, stack: StackDiff) -> Iterable[PackageLine]:
    """Yield a line a package; nothing in it says in which order the specs of the package are."""
    whole = {Kind.ADDED: set(tag.packages.added), Kind.REMOVED: set(tag.packages.removed)}
    now_dependencies = dependencies_now(stack)
    stack_builds = StackBuilds(stack)
    shared = set(map(event_of, shared_fields(stack)))
    for change in stack.package_changes:
        cause = change.cause if change.kind is Kind.REBUILT else None
        builds = stack_builds.changes(change)
        step = step_of(change.gone, change.came, change.kept) if change.came else ""
        moves = stack_builds.moves(change)
        specs = stack_builds.specs(change) if change.kind is Kind.RECONFIGURED else ()
        own = [spec for spec in specs if not _is_told(spec, shared)]
        events = {event for spec in own or specs for event in field_events(spec)}
        number = sum(spec.kind is Kind.RECONFIGURED for spec in own)
        some = (number, change.builds.new) if 0 < number < change.builds.new else None
        kept = change.kept
        if builds and builds.is_kind and builds.main.has_others:
            kept = ()
        elif change.kind in _SAME_VERSIONS:  # told by all stacks together, unless some builds alone
            kept = _versions_of(own) if some else ()
        is_now = change.package in now_dependencies
        status = status_of(change, step, builds, moves, is_dependency_now=is_now)
        yield PackageLine(
            kind=change.kind,
            packages=(change.package,),
            whole=change.whole,
            in_tag=change.whole and change.package in whole[change.kind],
            gone=change.gone,
            came=change.came,
            kept=kept,
            step=step,
            builds=builds,
            because=event_of(cause) if isinstance(cause, Cause) else None,
            differs=tuple(sorted(events - shared, key=str)) if own else (),
            shared=() if own else tuple(sorted(events, key=str)),
            some_builds=some,
            moves=moves,
            needed_by=(change.came and change.needed_by) or (),
            is_dependency=change.is_dependency,
            stacks=(stack.stack,),
            place=NOWHERE,
            status=Status.SHARED if status is Status.RECONFIGURED and not own else status,
            worst=Status.REBUILT,
        )


def _versions_of(changes: Iterable[Change]) -> tuple[str, ...]:
    versions = {change.new.version for change in changes if change.new}
    return tuple(sorted(versions, key=parse_version))


def _is_told(change: Change, shared: set[Event]) -> bool:
    """Return whether what is said once of all of a stack says what happened to a spec.

    A root without a partner has its version still: another root was paired with a dependency.
    """
    if change.kind is Kind.RECONFIGURED:
        return shared.issuperset(field_events(change))
    return change.kind in (Kind.REBUILT, Kind.ADDED, Kind.REMOVED)


def dependencies_now(stack: StackDiff) -> set[str]:
    """Return the packages that came as compilers became dependencies: compilers and their parts."""
    found = {it.package for it in stack.package_changes if it.was_compiler is True}
    if found or any(cause.what == "compilers" for cause in stack.causes):
        found |= {name for name in stack.packages.added if name.endswith(_COMES_WITH_COMPILERS)}
    return found


def field_events(change: Change) -> list[Event]:
    """Return in what a reconfigured spec differs; of another change nothing."""
    if change.kind is not Kind.RECONFIGURED:
        return []
    return [Event(None, cast(What, field.name), field.old, field.new) for field in change.fields]


def shared_fields(stack: StackDiff) -> tuple[StackCause, ...]:
    """Return the changes of a field that many packages of a stack share: one line says it best."""
    return tuple(
        cause
        for cause in stack.causes
        if is_shared_field(cause)
        and cause.packages >= SHARED_BY_PACKAGES
        and stack.summary.reconfigured
    )


def is_shared_field(cause: StackCause) -> bool:
    """Return whether a cause of a stack is a field of many reconfigured specs."""
    return cause.package is None and cause.what != "rehash"


def _merged(lines: Iterable[PackageLine], name: str) -> list[PackageLine]:
    """Return lines that differ in one field alone as one with all its values, in order."""
    values: dict[PackageLine, list[str]] = {}
    for line in lines:
        values.setdefault(replace(line, **{name: ()}), []).extend(getattr(line, name))
    return [replace(line, **{name: tuple(some)}) for line, some in values.items()]


def _causes(stacks: Iterable[StackDiff]) -> dict[tuple[str, str], Cause]:
    """Return the main cause of the packages that were only rebuilt, by package and stack."""
    return {
        (change.package, stack.stack): change.cause
        for stack in stacks
        for change in stack.package_changes
        if change.kind is Kind.REBUILT and isinstance(change.cause, Cause)
    }


def _unchanged_versions(stacks: Iterable[StackDiff]) -> dict[tuple[str, bool], tuple[str, ...]]:
    """Return the versions of packages and of their parts of which none is gone or new, together."""
    found: dict[tuple[str, bool], set[str]] = {}
    for stack in stacks:
        for change in stack.package_changes:
            if change.kind in _SAME_VERSIONS:
                part = change.package, change.is_dependency
                found.setdefault(part, set()).update(change.kept)
    return {part: tuple(sorted(texts, key=parse_version)) for part, texts in found.items()}


def order_of_reading(line: PackageLine) -> tuple[object, ...]:
    """Return what lines are sorted by."""
    return (
        line.is_dependency,
        line.worst,
        line.is_elsewhere,
        line.status,
        not line.is_major,
        -len(line.stacks),
        line.packages,
    )
