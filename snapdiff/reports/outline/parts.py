"""What happened to the products, or the dependencies, of a tag or of one stack: groups in order."""

from collections import Counter
from collections.abc import Collection, Container, Mapping, Sequence
from typing import Literal, NamedTuple

from msgspec import Struct

from snapdiff.reports.moves.statuses import Status, Versions
from snapdiff.reports.outline.class_counts import Numbers
from snapdiff.reports.outline.groups import FEW, Group
from snapdiff.reports.outline.lines import PackageLine, SpecLines
from snapdiff.reports.outline.reasons import Reasons
from snapdiff.result.causes import SharedTrait, Trait
from snapdiff.result.changes import StackDiff
from snapdiff.spack import BLAS, MPI

SHORT = 8
"""How many lines of packages are read at a glance."""

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


class Layout(NamedTuple):
    """The groups of a part as they stand: nobody should miss the first, the rest may be folded."""

    in_sight: list[Group]
    in_table: list[Group]
    rest: list[Group]

    @property
    def listed(self) -> list[Group]:
        """Those of the rest of which there are lines; of the others there are names."""
        return [it for it in self.rest if it.is_listed]

    @property
    def after_new_builds(self) -> Group | None:
        """The first of these below the packages with more builds, of which there may be a table."""
        return next((it for it in self.listed if it.status > Status.MORE), None)

    @property
    def lists_rebuilt(self) -> bool:
        """Whether packages have lines of which only the hash changed."""
        return any(it.status is Status.REBUILT for it in self.listed)


class Part(Struct, frozen=True, kw_only=True):
    """What happened to the products, or to the dependencies, of one stack or of all of a tag.

    They are packages where nobody knows which is which. `stack` is None where it is about all of
    them, and empty for one without a name. `numbers` count all that changed, but for what the
    toolchain tells, if it `is_beside_toolchain`.
    """

    about: About
    stack: str | None
    reasons: Reasons | None = None
    groups: tuple[Group, ...] = ()
    new_builds: NewBuilds | None = None
    numbers: Numbers
    is_beside_toolchain: bool = False
    details: SpecLines = ()

    @property
    def one(self) -> str:
        """What one of them is called."""
        return "dependency" if self.about == "dependencies" else self.about.removesuffix("s")

    @property
    def lines(self) -> list[PackageLine]:
        """The lines of all its groups."""
        return [line for group in self.groups for line in group.lines]

    @property
    def has_table(self) -> bool:
        """Whether some of its groups are in a table."""
        return any(group.table for group in self.groups)

    @property
    def quiet(self) -> list[Group]:
        """The groups of which names are enough."""
        return [group for group in self.groups if group.names and not group.lines]

    @property
    def size(self) -> int:
        """How many lines and rows it has."""
        rows = len(self.new_builds.rows) if self.new_builds else 0
        return rows + sum(group.size for group in self.groups)

    @property
    def has_headings(self) -> bool:
        """Whether its groups have headings: of few lines everybody sees what they are."""
        return self.has_table or (self.size > SHORT and len(self.groups) > 1)

    @property
    def is_long(self) -> bool:
        """Whether it has more lines than are read beside others."""
        return self.size > FEW

    def layout(self, named: Collection[Status]) -> Layout:
        """Return how its groups stand below one another, where some classes are `named` above."""
        in_sight = [it for it in self.groups if it.status.is_news and it.status not in named]
        return Layout(
            # What came or went with whole stacks is in no column.
            in_sight=[it for it in in_sight if it.is_listed],
            in_table=[it for it in self.groups if it.table],
            rest=[it for it in self.groups if not (it in in_sight or it.table or it.is_told_above)],
        )


# --- What packages of a stack have more builds with: a new compiler or MPI in a column each ---


def new_builds_of(stack: StackDiff, lines: Sequence[PackageLine], about: About) -> NewBuilds | None:
    """Return what packages of some lines of a stack have more builds with, if worth a table."""
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
        or (max(it.get(name, 0) for it in numbers) <= gained.number and not moves[name].loses)
    }
    told = tuple(it for it in lines if more.issuperset(it.packages) and _is_told(it, known))
    # It is where it is all there is to say of several packages.
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
    """Return whether all that is said of packages is that builds are new which the table has."""
    return all(
        move.status is Status.MORE
        and move.is_builds
        and move.gained is not None
        and move.gained.number == move.gained.in_table
        # Of which other MPI or BLAS a build is, is not worth a line of its own.
        and all(it.trait in known or it.trait.name in (*MPI, *BLAS) for it in move.gained.parts)
        and not (move.beside or move.asked_for or move.needed_by)
        for name in line.packages
        for move in line.moves_of(name)
    )
