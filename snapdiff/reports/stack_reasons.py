"""What is said once for the stacks of a tag: why specs changed, and what all of them stand on."""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from msgspec import UNSET, Struct
from msgspec.structs import replace

from snapdiff.reports.names import Place, Places
from snapdiff.reports.package_lines import is_shared_field, shared_fields
from snapdiff.reports.statuses import Versions
from snapdiff.result import Change, Kind, StackDiff
from snapdiff.result.causes import Cause, Event, StackCause, event_of
from snapdiff.spack.configuration import canonical_compiler
from snapdiff.spack.version import parse_version


class CountedCause(Struct, frozen=True, kw_only=True):
    """A cause of some specs, and of how many; a package may have made several steps.

    `events` differ in the versions alone. `build_only` says that no spec links or runs it.
    """

    specs: int
    events: tuple[Event, ...]
    build_only: bool


class SharedChange(Struct, frozen=True, kw_only=True):
    """A change of a field that many of the `of` reconfigured specs of some stacks share."""

    event: Event
    specs: int
    of: int
    place: Place


class Reasons(Struct, frozen=True, kw_only=True):
    """Why the specs of some stacks changed: what is said once for all of them.

    `specs` is how many were rebuilt, each once, in the stacks of `place`; `causes` are theirs,
    those of most first, and `unexplained` have no known dependencies. `widest` is the event that
    most of them reach, where that is many more than have it as their cause: something else is
    nearer to them.
    """

    specs: int
    place: Place
    causes: tuple[CountedCause, ...]
    unexplained: int
    widest: StackCause | None
    shared: tuple[SharedChange, ...]

    @property
    def is_one(self) -> bool:
        """Whether all rebuilt specs have one cause."""
        return len(self.causes) == 1 and not self.unexplained


def reasons_of(stacks: Sequence[StackDiff], places: Places) -> Reasons | None:
    """Return what is to be said of some stacks of a tag, or None where nothing is known."""
    rebuilt = [stack for stack in stacks if stack.summary.rebuilt]
    changes = {
        (change.old, change.new): change
        for stack in rebuilt
        for change in stack.changes
        if change.kind is Kind.REBUILT
    }
    counted = counted_causes(changes.values())
    shared = _shared_changes(stacks, places)
    if not counted and not shared:
        return None
    is_each_once = len(changes) == sum(stack.summary.rebuilt for stack in rebuilt)
    return Reasons(
        specs=len(changes) if counted else 0,
        place=places.place(stack.stack for stack in rebuilt),
        causes=tuple(counted),
        unexplained=max(len(changes) - sum(item.specs for item in counted), 0),
        widest=_widest(rebuilt) if is_each_once else None,
        shared=shared,
    )


def _widest(stacks: Iterable[StackDiff]) -> StackCause | None:
    """Return the event that most rebuilt specs reach, where few of them have it as their cause."""
    together: dict[Event, StackCause] = {}
    for stack in stacks:
        for cause in stack.causes:
            if not is_shared_field(cause):
                event = event_of(cause)
                found = together.get(event)
                together[event] = _sum(found, cause) if found else cause
    widest = max(together.values(), key=lambda cause: cause.reach, default=None)
    return widest if widest and widest.reach >= 2 * max(widest.specs, 1) else None


def _sum(one: StackCause, other: StackCause) -> StackCause:
    return replace(
        one,
        specs=one.specs + other.specs,
        packages=one.packages + other.packages,
        reach=one.reach + other.reach,
    )


def _shared_changes(stacks: Iterable[StackDiff], places: Places) -> tuple[SharedChange, ...]:
    found: dict[Event, list[tuple[StackCause, StackDiff]]] = {}
    for stack in stacks:
        for cause in shared_fields(stack):
            found.setdefault(event_of(cause), []).append((cause, stack))
    return tuple(
        SharedChange(
            event=event,
            specs=sum(cause.specs for cause, _ in members),
            of=sum(stack.summary.reconfigured for _, stack in members),
            place=places.place(stack.stack for _, stack in members),
        )
        for event, members in found.items()
    )


def counted_causes(changes: Iterable[Change]) -> list[CountedCause]:
    """Return the causes of some changes, those of most specs first.

    All steps of a package from one version to another are one cause.
    """
    together: dict[object, list[Cause]] = {}
    for change in changes:
        if isinstance(change.cause, Cause):
            cause = change.cause
            key = cause.package if cause.what == "version" else event_of(cause)
            together.setdefault(key, []).append(cause)
    counted = [
        CountedCause(
            specs=len(causes),
            events=tuple(dict.fromkeys(map(event_of, causes))),
            build_only=all(cause.build_only for cause in causes),
        )
        for causes in together.values()
    ]
    return sorted(counted, key=lambda item: (-item.specs, item.events[0].package or ""))


# --- The toolchain: compilers, providers of mpi, blas and lapack; where they changed ---

COMPILERS = (
    *("gcc", "llvm", "llvm-amdgpu", "intel-oneapi-compilers", "intel-oneapi-compilers-classic"),
    *("nvhpc", "aocc", "acfl", "cce", "xl", "fj", "nag", "apple-clang"),
)
MPI = (
    *("openmpi", "mpich", "mvapich", "mvapich2", "mvapich-plus", "intel-oneapi-mpi", "cray-mpich"),
    *("hpcx-mpi", "intel-mpi", "spectrum-mpi", "fujitsu-mpi", "mpt"),
)
BLAS = (
    *("openblas", "intel-oneapi-mkl", "intel-mkl", "amdblis", "amdlibflame", "blis", "libflame"),
    *("netlib-lapack", "nvpl-blas", "nvpl-lapack", "armpl-gcc", "cray-libsci", "essl", "atlas"),
)
_PACKAGES = (*MPI, *BLAS, "cuda", "hip", "python")

TOOLCHAIN = (*COMPILERS, *_PACKAGES)
"""All of it; no result says which package provides mpi, so the ones that do are listed here."""

Move = tuple[str | None, str | None]


class ToolChange(NamedTuple):
    """A part of the toolchain: what each version became, and in which stacks, most of these first.

    A version that nothing became is gone, one that was nothing before is new.
    """

    name: str
    moves: tuple[tuple[Move, Place], ...]


class Toolchain(Struct, frozen=True, kw_only=True):
    """What changed of what everything stands on, and what is known to be as before."""

    as_before: tuple[tuple[str, Versions], ...]
    changes: tuple[ToolChange, ...]


def toolchain_of(stacks: Iterable[StackDiff], places: Places) -> Toolchain | None:
    """Return the toolchain of a tag, or None where no part of it is known to have changed.

    Compilers are what the specs say that they were built with, the rest are packages.
    """
    changed: dict[str, dict[Move, set[str]]] = {}
    same: dict[str, set[str]] = {}
    for stack in stacks:
        for change in stack.package_changes:
            name = change.package
            if name in _PACKAGES:
                for move in _moves(change.gone, change.came):
                    changed.setdefault(name, {}).setdefault(move, set()).add(stack.stack)
                if name in MPI and not (change.gone or change.came):
                    same.setdefault(name, set()).update(change.kept)
        old, new = _compilers(stack)
        for name in {*old, *new}:
            before, after = old.get(name, set()), new.get(name, set())
            for move in _moves(before - after, after - before):
                changed.setdefault(name, {}).setdefault(move, set()).add(stack.stack)
            if before == after:
                same.setdefault(name, set()).update(after)
    if not changed:
        return None
    in_order = sorted({*changed, *same}, key=TOOLCHAIN.index)
    return Toolchain(
        as_before=tuple((name, _in_order(same[name])) for name in in_order if name not in changed),
        changes=tuple(
            ToolChange(name, _in_places(changed[name], places))
            for name in in_order
            if name in changed
        ),
    )


def _in_places(stacks: Mapping[Move, set[str]], places: Places) -> tuple[tuple[Move, Place], ...]:
    def order(move: Move) -> tuple[int, object]:
        return len(stacks[move]), parse_version(move[1] or move[0] or "")

    return tuple(
        (move, places.place(stacks[move])) for move in sorted(stacks, key=order, reverse=True)
    )


def _moves(gone: Iterable[str], came: Iterable[str]) -> tuple[Move, ...]:
    """Return what each version became: one of its series (3.10.12, 3.10.13), or the only other."""
    old, new = _in_order(gone), _in_order(came)
    if len(old) == len(new) == 1:
        return ((old[0], new[0]),)
    left: dict[str, list[str]] = {}
    for version in old:
        left.setdefault(_series(version), []).append(version)
    moves: list[Move] = []
    for version in reversed(new):
        before = left.get(_series(version))
        moves.append((before.pop() if before else None, version))
    still = {version for versions in left.values() for version in versions}
    return (*moves, *((version, None) for version in reversed(old) if version in still))


def _series(version: str) -> str:
    return ".".join(version.split(".", 2)[:2])


def _in_order(versions: Iterable[str]) -> Versions:
    return tuple(sorted(versions, key=parse_version))


def _compilers(stack: StackDiff) -> tuple[dict[str, set[str]], dict[str, set[str]]]:
    """Return the versions of the compilers of both sides by name, as far as they are known."""
    if stack.compilers is not UNSET:
        old = _by_name(count.compiler for count in stack.compilers if count.old)
        new = _by_name(count.compiler for count in stack.compilers if count.new)
        return (old, new) if old and new else ({}, {})  # else a side does not name them
    pairs = [(it.old.compiler, it.new.compiler) for it in stack.changes if it.old and it.new]
    return _by_name({old for old, _ in pairs}), _by_name({new for _, new in pairs})


def _by_name(compilers: Iterable[str]) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for compiler in compilers:
        name, _, version = canonical_compiler(compiler).partition("@")
        if name in COMPILERS and version:
            found.setdefault(name, set()).add(version)
    return found
