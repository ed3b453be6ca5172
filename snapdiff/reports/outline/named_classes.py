"""What is named below the first sentence: packages of each class, and what new roots brought."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from msgspec.structs import replace

from snapdiff.reports.moves.move import Move
from snapdiff.reports.moves.places import Place
from snapdiff.reports.moves.statuses import Status
from snapdiff.reports.outline.groups import Group
from snapdiff.reports.outline.lines import PackageLine
from snapdiff.reports.outline.opening import NewRoots
from snapdiff.reports.outline.tallies import Named, Tally


class NamedClass(NamedTuple):
    """Packages of a class with what happened to each: those in some stacks alone, or the others."""

    tally: Tally
    in_some: bool
    packages: Named


class ToldNames(NamedTuple):
    """All that is named: the new roots that brought something, and the classes without these."""

    roots: list[NewRoots]
    classes: list[NamedClass]


def told_names(tallies: Iterable[Tally], new_roots: Sequence[NewRoots]) -> ToldNames:
    """Return what is named of some classes; what a package lost is said with its name."""
    classes = []
    for it in tallies:
        if it.status is not Status.LOST:
            classes.append(NamedClass(it, it.in_some == it.number, it.few))
        if it.in_more:
            classes.append(NamedClass(it, True, it.few_in_some))
    roots = [_roots_told(it, classes) for it in new_roots]
    named = {name for it in roots for name, versions in it.names if versions}
    told = [
        it._replace(packages=tuple(p for p in it.packages if p[0] not in named)) for it in classes
    ]
    if any(it.downgraded for it in roots):
        told = [it for it in told if it.tally.status is not Status.DOWNGRADED]
    return ToldNames(roots, [it for it in told if it.packages])


def _roots_told(roots: NewRoots, classes: Iterable[NamedClass]) -> NewRoots:
    """Return what is told of new roots: of the products that are downgraded if they need all."""
    names = dict(roots.names)
    for it in classes:
        some = [(name, moves) for name, moves in it.packages if name in names]
        places = {move.place for _, moves in some for move in moves}
        if it.tally.status is Status.NEW and len(some) == len(names) and len(places) == 1:
            versions = tuple((name, moves[0].own) for name, moves in some)
            roots = replace(roots, names=versions, place=places.pop())
        if it.tally.status is Status.DOWNGRADED:
            fell = {(name, at) for name, moves in it.packages for m in moves for at in m.stacks}
            if it.packages and fell <= roots.fell:
                roots = replace(roots, older=roots.beside, downgraded=it.packages)
    return roots


def named_steps(group: Group, lines: Iterable[PackageLine]) -> Named:
    """Return the packages of a group with the worst that happened to each, the same step once.

    A step in stacks that no line of all these `lines` is about has their names as its place.
    """
    places = {move.stacks: move.place for line in lines for move in line.moves}
    found = []
    for name, worst in ((name, line) for line in group.lines for name in line.packages):
        steps: dict[str, Move] = {}
        told = (it for it in worst.moves_of(name) if not it.is_beside)
        for move in (it for it in told if it.status is worst.status):
            before = steps.get(step := move.now_in_words(str))
            stacks = tuple(sorted({*before.stacks, *move.stacks} if before else move.stacks))
            place = places.setdefault(stacks, Place("", stacks))
            steps[step] = replace(move, stacks=stacks, place=place)
        found.append((name, tuple(steps.values())))
    return tuple(found)
