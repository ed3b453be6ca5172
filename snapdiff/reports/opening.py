"""What begins the report of a tag, in a few sentences: what many packages have as one reason."""

from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet

from msgspec import Struct
from msgspec.structs import replace

from snapdiff.reports.builds import StackLoss, losses_of
from snapdiff.reports.moves import Moves
from snapdiff.reports.names import Place, Places
from snapdiff.reports.stack_reasons import SharedChange
from snapdiff.reports.statuses import Status
from snapdiff.result import StackDiff, TraitCount

_LEAST_TOGETHER = 3
"""How many packages make one reason worth a sentence: of fewer, their own lines say it."""


class RootsChange(Struct, frozen=True, kw_only=True):
    """Packages that are on both sides of some stacks, and roots on one of them alone: now, or not.

    `lines` have the packages of each place. `needed_by` are roots on the new side alone that depend
    on all of them directly.
    """

    is_now: bool
    needed_by: tuple[str, ...]
    lines: tuple[tuple[tuple[str, ...], Place], ...]


class NewRoots(Struct, frozen=True, kw_only=True):
    """New roots, and what they brought: `taken` are roots no more, `older` are downgraded.

    All of these are direct dependencies of the new roots in the stacks of `place`.
    """

    names: tuple[str, ...]
    place: Place
    taken: tuple[str, ...]
    older: tuple[str, ...]


class LostTogether(Struct, frozen=True, kw_only=True):
    """Packages that lost builds of one trait in the same stacks, and how many builds."""

    packages: tuple[str, ...]
    builds: int
    trait: TraitCount
    place: Place


class Opening(Struct, frozen=True, kw_only=True):
    """The reasons that many packages of a tag share, as far as there are any."""

    shared: tuple[SharedChange, ...] = ()
    new_roots: tuple[NewRoots, ...] = ()
    losses: tuple[StackLoss, ...] = ()
    lost_together: tuple[LostTogether, ...] = ()


def opening_of(
    stacks: Sequence[StackDiff],
    moves: Moves,
    shared: Sequence[SharedChange],
    places: Places,
    *,
    with_losses: bool,
) -> Opening:
    """Return what many packages of some stacks share; `with_losses` tells of lost builds, too."""
    losses = losses_of(stacks, places) if with_losses else ()
    told = {stack for loss in losses for stack in loss.stacks}
    return Opening(
        shared=tuple(shared),
        new_roots=_new_roots_of(stacks, moves, places),
        losses=losses,
        lost_together=_lost_together(moves, told) if with_losses else (),
    )


def _new_roots_of(
    stacks: Iterable[StackDiff], moves: Moves, places: Places
) -> tuple[NewRoots, ...]:
    """Return the new roots that brought a change to enough packages, those of most first."""
    taken: dict[tuple[str, ...], list[tuple[str, str]]] = {}
    for stack in stacks:
        for name, roots in _needed_by_new(stack).items():
            taken.setdefault(roots, []).append((name, stack.stack))
    older: dict[tuple[str, ...], list[tuple[str, str]]] = {}
    for (name, _), some in moves.items():
        for move in some:
            if move.status is Status.DOWNGRADED:
                older.setdefault(move.needed_by, []).extend((name, it) for it in move.stacks)
    told = [
        NewRoots(
            names=roots,
            place=places.place(sorted({stack for _, stack in found})),
            taken=tuple(sorted({name for name, _ in taken.get(roots, ())})),
            older=tuple(sorted({name for name, _ in older.get(roots, ())})),
        )
        for roots in {**taken, **older}
        if roots and (found := taken.get(roots, []) + older.get(roots, []))
    ]
    told = [it for it in told if len({*it.taken, *it.older}) >= _LEAST_TOGETHER]
    return tuple(sorted(told, key=lambda it: (-len(it.taken), it.names)))


def _lost_together(moves: Moves, told: AbstractSet[str]) -> tuple[LostTogether, ...]:
    """Return the products that lost builds of one trait in stacks of which nothing is `told`.

    Nothing is said where all that happened to them is that: they share a line.
    """
    found: dict[tuple[TraitCount, Place], dict[str, int]] = {}
    for (name, is_dependency), some in moves.items():
        for move in some:
            lost = move.lost
            if is_dependency or lost is None or not told.isdisjoint(move.stacks):
                continue
            for part in lost.parts:
                builds = found.setdefault((replace(part, specs=0), move.place), {})
                builds[name] = builds.get(name, 0) + part.specs
    return tuple(
        LostTogether(
            packages=tuple(sorted(builds)), builds=sum(builds.values()), trait=trait, place=place
        )
        for (trait, place), builds in found.items()
        if len(builds) >= _LEAST_TOGETHER and any(len(moves[name, False]) > 1 for name in builds)
    )


def roots_of(stacks: Iterable[StackDiff], places: Places) -> tuple[RootsChange, ...]:
    """Return what is asked for no longer, and what is now, without being gone or new."""
    found: dict[tuple[bool, tuple[str, ...]], dict[str, list[str]]] = {}
    for stack in stacks:
        if stack.asked_for is None:
            continue
        needed_by = _needed_by_new(stack)
        sides = ((False, stack.asked_for.no_longer), (True, stack.asked_for.now))
        for is_now, name in ((is_now, name) for is_now, names in sides for name in names):
            change = found.setdefault((is_now, needed_by.get(name, ())), {})
            change.setdefault(name, []).append(stack.stack)
    changes = []
    for is_now, roots in sorted(found, key=lambda it: (it[0], not it[1], it[1])):
        packages: dict[tuple[str, ...], list[str]] = {}
        for name, some in sorted(found[is_now, roots].items()):
            packages.setdefault(tuple(some), []).append(name)
        lines = sorted(packages.items(), key=lambda it: -len(it[1]))
        told = tuple((tuple(names), places.place(some)) for some, names in lines)
        changes.append(RootsChange(is_now=is_now, needed_by=roots, lines=told))
    return tuple(changes)


def _needed_by_new(stack: StackDiff) -> dict[str, tuple[str, ...]]:
    """Return what is asked for no longer by name, with the new roots that depend on it directly."""
    if stack.asked_for is None:
        return {}
    asked_for = ((change.package, change.asked_for) for change in stack.package_changes)
    new = {name for name, sides in asked_for if sides and sides.new and not sides.old}
    new.update(stack.asked_for.now)
    return {
        name: tuple(root for root in roots if root in new)
        for name, roots in stack.asked_for.needed_by.items()
    }
