"""What packages of a stack have more builds with: a new compiler or MPI in a column each."""

from collections import Counter
from collections.abc import Container, Mapping, Sequence
from typing import Literal, NamedTuple

from snapdiff.reports.moves.statuses import Status, Versions
from snapdiff.reports.outline.lines import PackageLine
from snapdiff.result.causes import SharedTrait, Trait
from snapdiff.result.changes import StackDiff
from snapdiff.spack import BLAS, MPI

_LEAST_PACKAGES = 3
"""Of how many packages a table says all, where it is shorter than their lines."""

About = Literal["products", "dependencies", "packages"]
"""What lines are about: packages where nobody knows which of them are products."""


class NewBuilds(NamedTuple):
    """How many more builds packages have with each of several traits, by name and versions.

    `told` are the lines of packages of which nothing else is to be said.
    """

    traits: tuple[SharedTrait, ...]
    rows: Mapping[tuple[str, Versions], Sequence[int]]
    told: tuple[PackageLine, ...]

    @property
    def may_overlap(self) -> bool:
        """Whether one build may have two of the traits; none has two MPIs."""
        return any(it.trait.name not in MPI for it in self.traits)


def new_builds_of(stack: StackDiff, lines: Sequence[PackageLine], about: About) -> NewBuilds | None:
    """Return what packages of some lines of a stack have more builds with, if it is worth a table.

    It is where it is all there is to say of several of them. Of a product each root is a build.
    """
    traits = tuple(stack.gained_with or ())
    numbers = [_numbers(trait, about) for trait in traits]
    known = {trait.trait for trait in traits}
    moves = {name: move for line in lines for name in line.packages for move in line.moves_of(name)}
    tools = {trait.trait.name for trait in traits}  # of these there is a column
    # Where more builds have a trait than are new, others had something else before.
    more = {
        name
        for name in (set().union(*numbers) & moves.keys()) - tools
        if not (gained := moves[name].gained)
        or max(some.get(name, 0) for some in numbers) <= gained.number
    }
    told = tuple(it for it in lines if more.issuperset(it.packages) and _is_told(it, known))
    if len(traits) < 2 or sum(len(line.packages) for line in told) < _LEAST_PACKAGES:
        return None
    rows = {}
    for name in sorted(more):
        move = moves[name]
        versions = (move.gained and move.gained.versions) or move.own
        rows[name, versions] = [some.get(name, 0) for some in numbers]
    return NewBuilds(traits, rows, told)


def _numbers(trait: SharedTrait, about: str) -> Mapping[str, int]:
    """Return how many more builds of each package have a trait, of the roots or of the others."""
    roots = trait.asked_for or {}
    if about == "packages":
        return trait.packages
    return roots if about == "products" else +(Counter(trait.packages) - Counter(roots))


def _is_told(line: PackageLine, known: Container[Trait]) -> bool:
    """Return whether all that is said of packages is that builds are new which the table has.

    Of which MPI or BLAS a build is, beside those of the table, is not worth a line of its own.
    """
    return all(
        move.status is Status.MORE
        and move.is_builds
        and move.gained is not None
        and move.gained.number == move.gained.in_table
        and all(it.trait in known or it.trait.name in (*MPI, *BLAS) for it in move.gained.parts)
        and not (move.beside or move.asked_for or move.needed_by)
        for name in line.packages
        for move in line.moves_of(name)
    )
