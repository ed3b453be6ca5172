"""Which builds stacks lost or got, and which packages have none with something any more."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from msgspec import UNSET
from msgspec.structs import replace

from snapdiff.reports.moves.of_stacks import Moves
from snapdiff.reports.moves.places import Place, Places
from snapdiff.reports.moves.products import products_of
from snapdiff.reports.moves.shares import tool_of
from snapdiff.result.causes import TraitCount
from snapdiff.result.changes import StackDiff
from snapdiff.result.packages import Count, Kind

LEAST_TOGETHER = 3
"""How many packages make one reason worth a sentence: of fewer, their own lines say it."""

_MOST_NAMED = 5
"""How many packages a sentence names of which no build has something any more."""


class StackBuilds(NamedTuple):
    """How many builds a stack has on each side, how many are as before, and only rebuilt.

    Those that have another version now are gone and new: the lines of packages say which.
    """

    in_all: Count
    unchanged: int
    rebuilt: int
    in_other_version: int

    @property
    def gone(self) -> int:
        """How many there were beside these."""
        return self.in_all.old - self.unchanged - self.rebuilt

    @property
    def came(self) -> int:
        """How many there are now beside these."""
        return self.in_all.new - self.unchanged - self.rebuilt


class LostPart(NamedTuple):
    """Packages that have no build with something any more in the same stacks.

    `are_dependencies` says that nobody asked for them. Of one version alone it is so: `only_other`
    is there where each has but one other.
    """

    packages: tuple[str, ...]
    place: Place
    are_dependencies: bool = False
    only_other: str = ""


class LostTogether(NamedTuple):
    """What packages have no build with any more, and which these are, by where."""

    trait: TraitCount
    parts: tuple[LostPart, ...]

    @property
    def of_products(self) -> list[LostPart]:
        """Its parts without dependencies."""
        return [part for part in self.parts if not part.are_dependencies]

    @property
    def products(self) -> list[str]:
        """The packages of these."""
        return list(dict.fromkeys(name for part in self.of_products for name in part.packages))

    @property
    def is_short(self) -> bool:
        """Whether a sentence has room for their names."""
        return len(self.products) <= _MOST_NAMED

    @property
    def beside_sentence(self) -> "LostTogether":
        """What is left to say where the first sentence names the products, if it has room."""
        left = (it for it in self.parts if it.are_dependencies or not self.is_short)
        return self._replace(parts=tuple(left))


def builds_of(stack: StackDiff) -> StackBuilds | None:
    """Return how many builds a stack has, None where lines about whole packages or one say it."""
    both = (Kind.REMOVED, Kind.ADDED)
    some = [it for it in stack.package_changes if any(map(it.builds_alone, both))]
    if stack.status != "changed" or len(some) < 2 or all(it.whole for it in some):
        return None
    counts = stack.summary
    in_other_version = counts.upgraded + counts.downgraded
    return StackBuilds(stack.specs, counts.unchanged, counts.rebuilt, in_other_version)


def lost_together(
    stacks: Sequence[StackDiff], moves: Moves, places: Places
) -> tuple[LostTogether, ...]:
    """Return what packages have no build with any more.

    That is a trait of builds that several products lost, or a compiler, MPI or BLAS that the stack
    still has.
    """
    left = list(_no_longer(stacks, moves, places))
    known = {(tool_of(trait.trait), it.place, name) for trait, it in left for name in it.packages}
    found: dict[TraitCount, list[LostPart]] = {}
    for trait, part in _lost_by_several(moves, places):
        if not known.issuperset((tool_of(trait.trait), part.place, it) for it in part.packages):
            found.setdefault(trait, []).append(part)
    for trait, part in left:
        found.setdefault(trait, []).append(part)
    return tuple(LostTogether(trait, tuple(parts)) for trait, parts in found.items())


def _lost_by_several(moves: Moves, places: Places) -> Iterator[tuple[TraitCount, LostPart]]:
    """Yield the products that lost builds of one trait, if no other build of them has it."""
    found: dict[TraitCount, dict[tuple[str, str], None]] = {}
    for (name, is_dependency), some in moves.items():
        for move in some:
            if is_dependency or move.lost is None or not move.lost.is_theirs_alone:
                continue
            for part in move.lost.parts:
                here = found.setdefault(part.without_numbers(), {})
                here.update(dict.fromkeys((name, stack) for stack in move.stacks))
    for trait, some_lost in found.items():
        for names, place in places.by_place(some_lost):
            # Where all that happened to them is that, they share a line.
            if len(names) >= LEAST_TOGETHER and any(len(moves[it, False]) > 1 for it in names):
                yield trait, LostPart(tuple(sorted(names)), place)


def _no_longer(
    stacks: Sequence[StackDiff], moves: Moves, places: Places
) -> Iterator[tuple[TraitCount, LostPart]]:
    """Yield the packages that have no build any more with a compiler, MPI or BLAS that is there.

    Nothing is said of one that the lines of all these packages name, nor of a version of which the
    builds have another one now.
    """
    left: dict[str, list[tuple[TraitCount, str]]] = {}
    versions: dict[tuple[str, str], set[str]] = {}
    for diff in stacks:
        for change in diff.package_changes:
            lost_here = ((it, diff.stack) for it in change.no_longer_with or ())
            left.setdefault(change.package, []).extend(lost_here)
            versions.setdefault((change.package, diff.stack), set()).update(change.versions_now)
    stepped = {
        (name, move.versions.went[0].version, stack)
        for (name, _), of_name in moves.items()
        for move in of_name
        if move.versions.went and not move.versions.comes_with_more
        for stack in move.stacks
    }
    found: dict[TraitCount, dict[bool, dict[tuple[str, str], None]]] = {}
    untold: set[TraitCount] = set()
    products = products_of(stacks)
    for (name, _), of_name in moves.items():
        told = {  # by the line of the package
            (tool_of(part.trait), part.specs, stack)
            for move in of_name
            for part in (move.lost.parts if move.lost and not move.versions.counts else ())
            for stack in move.stacks
        }
        for lost, stack in left.get(name, ()):
            if (name, lost.version, stack) in stepped:
                continue
            trait = replace(lost.without_numbers(), also=UNSET)
            is_dependency = name not in products
            found.setdefault(trait, {False: {}, True: {}})[is_dependency][name, stack] = None
            untold |= {trait} if (tool_of(lost.trait), lost.specs, stack) not in told else set()
    for trait, both in found.items():
        for is_dependency, some in both.items() if trait in untold else ():
            for names, place in places.by_place(some):
                here = (versions[key] for key in some if key[0] in names)
                others = {it for those in here for it in those if it != trait.version}
                other = others.pop() if trait.version and len(others) == 1 else ""
                yield trait, LostPart(names, place, is_dependency, other)
