"""What packages of a stack have more builds with: a new compiler or MPI in a column each."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from snapdiff.reports.package_lines import PackageLine
from snapdiff.reports.statuses import Status, Versions
from snapdiff.result.causes import SharedTrait
from snapdiff.result.changes import StackDiff

_LEAST_PACKAGES = 3
"""Of how many packages a table says all, where it is shorter than their lines."""


class NewBuilds(NamedTuple):
    """How many more builds packages have with each of several traits, by name and versions.

    `told` are the lines of packages of which nothing else is to be said.
    """

    traits: tuple[SharedTrait, ...]
    rows: Mapping[tuple[str, Versions], Sequence[int]]
    told: tuple[PackageLine, ...]


def new_builds_of(stack: StackDiff, lines: Sequence[PackageLine]) -> NewBuilds | None:
    """Return what packages of some lines of a stack have more builds with, if it is worth a table.

    It is where it is all there is to say of several of them.
    """
    traits = tuple(stack.gained_with or ())
    more: Counter[str] = Counter()
    for trait in traits:
        more.update(trait.packages)
    told = tuple(line for line in lines if _is_told(line, more))
    if len(traits) < 2 or sum(len(line.packages) for line in told) < _LEAST_PACKAGES:
        return None
    versions = {
        name: (move.gained and move.gained.versions) or move.own
        for line in lines
        for name in line.packages
        for move in line.moves_of(name)
    }
    rows = {
        (name, versions[name]): [trait.packages.get(name, 0) for trait in traits]
        for name in sorted(versions.keys() & more.keys())
    }
    return NewBuilds(traits, rows, told)


def _is_told(line: PackageLine, more: Mapping[str, int]) -> bool:
    """Return whether all that a line says is that there are new builds, and there are `more`."""
    return all(
        move.status is Status.MORE
        and move.is_builds
        and 0 < (move.gained.number if move.gained else 0) <= more.get(name, 0)
        for name in line.packages
        for move in line.moves_of(name)
    )
