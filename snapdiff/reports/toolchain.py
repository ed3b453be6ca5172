"""What everything stands on: compilers, providers of mpi, blas and lapack; where they changed."""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from msgspec import Struct

from snapdiff.reports.names import Place, Places
from snapdiff.reports.package_lines import PackageLine
from snapdiff.reports.statuses import Versions
from snapdiff.result import StackDiff
from snapdiff.spack.configuration import canonical_compiler
from snapdiff.spack.version import parse_version

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


def toolchain_of(
    lines: Sequence[PackageLine], stacks: Iterable[StackDiff], places: Places
) -> Toolchain | None:
    """Return the toolchain of a tag, or None where no part of it is known to have changed.

    Compilers are what the specs say that they were built with, the rest are packages.
    """
    changed: dict[str, dict[Move, set[str]]] = {}
    same: dict[str, set[str]] = {}
    for line in lines:
        for name in set(line.packages).intersection(_PACKAGES):
            for move in _moves(line.gone, line.came):
                changed.setdefault(name, {}).setdefault(move, set()).update(line.stacks)
            if name in MPI and not (line.gone or line.came):
                same.setdefault(name, set()).update(line.kept)
    for stack in stacks:
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
    """Return the versions of the compilers of both sides by name, as far as changes say them."""
    pairs = [(it.old.compiler, it.new.compiler) for it in stack.changes if it.old and it.new]
    return _by_name({old for old, _ in pairs}), _by_name({new for _, new in pairs})


def _by_name(compilers: Iterable[str]) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for compiler in compilers:
        name, _, version = canonical_compiler(compiler).partition("@")
        if name in COMPILERS and version:
            found.setdefault(name, set()).add(version)
    return found
