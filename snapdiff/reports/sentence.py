"""What a colleague would say in one sentence: how many packages, each once, and the toolchain."""

from collections.abc import Iterable, Sequence
from enum import IntEnum
from typing import NamedTuple

from msgspec import Struct

from snapdiff.reports.names import Place, Places
from snapdiff.reports.package_lines import PackageLine
from snapdiff.reports.version_steps import highest
from snapdiff.result import Kind, StackDiff
from snapdiff.spack.notation import canonical_compiler

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
"""What everything stands on: compilers, providers of mpi, blas and lapack, and three more."""


class Fate(IntEnum):
    """What happened to a package in all its stacks together, the worst first."""

    GONE = 0
    GONE_FROM_SOME = 1
    DOWNGRADED = 2
    LESS = 3
    NEW = 4
    UPGRADED = 5
    NEW_IN_SOME = 6
    MORE = 7
    OTHER_SCHEME = 8
    RECONFIGURED = 9
    REBUILT = 10
    DEPENDENCY_NOW = 11


_ORDER = (
    *(Fate.GONE, Fate.GONE_FROM_SOME, Fate.NEW, Fate.NEW_IN_SOME, Fate.DOWNGRADED, Fate.UPGRADED),
    *(Fate.LESS, Fate.MORE, Fate.RECONFIGURED, Fate.REBUILT, Fate.OTHER_SCHEME),
    Fate.DEPENDENCY_NOW,
)
"""The order in which a sentence has them: lost, new, downgraded, upgraded, and the rest."""

_KINDS = {
    Fate.GONE: Kind.REMOVED,
    Fate.GONE_FROM_SOME: Kind.REMOVED,
    Fate.LESS: Kind.REMOVED,
    Fate.NEW: Kind.ADDED,
    Fate.NEW_IN_SOME: Kind.ADDED,
    Fate.MORE: Kind.ADDED,
    Fate.DEPENDENCY_NOW: Kind.ADDED,
    Fate.DOWNGRADED: Kind.DOWNGRADED,
    Fate.UPGRADED: Kind.UPGRADED,
    Fate.OTHER_SCHEME: Kind.UPGRADED,
    Fate.RECONFIGURED: Kind.RECONFIGURED,
    Fate.REBUILT: Kind.REBUILT,
}


_TELLING = {fate.name.lower() for fate in _ORDER[:6]}
"""What a sentence says each alone; several of the others are one number beside them."""


class Tally(Struct, frozen=True, kw_only=True):
    """How many packages had one fate; `major` is how many of them got another major version.

    The fate `otherwise` is all of the less telling ones together.
    """

    fate: str
    kind: Kind
    number: int
    major: int


class ToolStep(NamedTuple):
    """A part of the toolchain in some stacks, before and after; no version where it was not."""

    name: str
    old: str
    new: str
    place: Place


class Toolchain(Struct, frozen=True, kw_only=True):
    """What changed of what everything stands on, and what is known to be as before."""

    as_before: tuple[str, ...]
    steps: tuple[ToolStep, ...]


def fate_of(line: PackageLine) -> Fate:
    """Return what a line says of its packages."""
    if line.is_other_scheme:
        return Fate.OTHER_SCHEME
    if line.kind is Kind.REMOVED:
        return Fate.GONE if line.in_tag else Fate.GONE_FROM_SOME if line.whole else Fate.LESS
    if line.was_compiler:
        return Fate.DEPENDENCY_NOW
    if line.kind is Kind.ADDED:
        return Fate.NEW if line.in_tag else Fate.NEW_IN_SOME if line.whole else Fate.MORE
    return Fate[line.kind.name]


def tallies(lines: Iterable[PackageLine]) -> tuple[Tally, ...]:
    """Return how many packages had which fate, each counted once, by the worst of its lines."""
    fates: dict[str, Fate] = {}
    major: set[str] = set()
    for line in lines:
        fate = fate_of(line)
        for package in line.packages:
            fates[package] = min(fates.get(package, fate), fate)
            if line.is_major:
                major.add(package)
    found = []
    for fate in _ORDER:
        names = {name for name, its in fates.items() if its is fate}
        if names:
            among = len(names & major) if fate is Fate.UPGRADED else 0
            found.append(
                Tally(fate=fate.name.lower(), kind=_KINDS[fate], number=len(names), major=among)
            )
    telling = [tally for tally in found if tally.fate in _TELLING]
    others = [tally for tally in found if tally.fate not in _TELLING]
    if telling and len(others) > 1:
        number = sum(tally.number for tally in others)
        others = [Tally(fate="otherwise", kind=Kind.RECONFIGURED, number=number, major=0)]
    return (*telling, *others)


def toolchain_of(
    lines: Sequence[PackageLine], stacks: Iterable[StackDiff], places: Places
) -> Toolchain | None:
    """Return the toolchain of a tag, or None where no part of it is known to have changed.

    Compilers are what the specs say that they were built with, the rest are packages; of several
    versions the highest counts.
    """
    steps: dict[tuple[str, str, str], set[str]] = {}
    same: dict[str, set[str]] = {}
    for line in lines:
        for name in set(line.packages).intersection(_PACKAGES):
            if line.gone or line.came:
                before, after = (*line.gone, *line.kept), (*line.came, *line.kept)
                step = name, highest(before if line.gone else ()), highest(line.came and after)
                steps.setdefault(step, set()).update(line.stacks)
            elif name in MPI:
                same.setdefault(name, set()).update(line.kept)
    for stack in stacks:
        old, new = _compilers(stack)
        for name in {*old, *new}:
            step = name, highest(old.get(name, ())), highest(new.get(name, ()))
            if step[1] == step[2]:
                same.setdefault(name, set()).add(step[2])
            else:
                steps.setdefault(step, set()).add(stack.stack)
    if not steps:
        return None
    changed = {name for name, *_ in steps}
    return Toolchain(
        as_before=tuple(sorted(set(same) - changed, key=TOOLCHAIN.index)),
        steps=tuple(
            ToolStep(name, old, new, places.place(some))
            for (name, old, new), some in sorted(steps.items(), key=_order_of_steps)
            if old != new
        ),
    )


def _order_of_steps(item: tuple[tuple[str, str, str], set[str]]) -> tuple[int, int, str, str]:
    (name, old, new), stacks = item
    return TOOLCHAIN.index(name), -len(stacks), old, new


def _compilers(stack: StackDiff) -> tuple[dict[str, list[str]], dict[str, list[str]]]:
    """Return the versions of the compilers of both sides by name, as far as changes say them."""
    pairs = [(it.old.compiler, it.new.compiler) for it in stack.changes if it.old and it.new]
    return _by_name({old for old, _ in pairs}), _by_name({new for _, new in pairs})


def _by_name(compilers: Iterable[str]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for compiler in compilers:
        name, _, version = canonical_compiler(compiler).partition("@")
        if name in COMPILERS and version:
            found.setdefault(name, []).append(version)
    return found
