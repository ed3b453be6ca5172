"""What begins the report of a tag, in a few sentences: what many packages have as one reason."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import NamedTuple, TypeVar

from msgspec import UNSET, Struct
from msgspec.structs import replace

from snapdiff.reports.cause_words import (
    dependency_in_words,
    trait_in_words,
    traits_in_words,
    turned_off,
)
from snapdiff.reports.names import Mark, Place, Places, counted
from snapdiff.reports.products import needed_by_roots_now
from snapdiff.reports.stack_moves import Moves, StackMoves
from snapdiff.reports.stack_reasons import SharedChange
from snapdiff.reports.statuses import Status
from snapdiff.result.causes import Event, Trait, TraitCount, event_of
from snapdiff.result.changes import StackDiff, TagDiff
from snapdiff.result.packages import Because, Kind
from snapdiff.spack import TOOLCHAIN

_LEAST_TOGETHER = 3
"""How many packages make one reason worth a sentence: of fewer, their own lines say it."""

_LEAST_DEPENDENCIES = 8
"""With how many others gone because of it a dependency is told, too, where it lost a variant."""

_MANY_BELOW = 40
"""Below how many builds of a stack a version of a dependency was that somebody may miss."""


_Name = TypeVar("_Name")
"""A package, or a package with versions."""

Placed = tuple[tuple[tuple[_Name, ...], Place], ...]
"""Packages by the stacks in which the same happened to them."""

_Lost = tuple[tuple[str, tuple[str, ...]], str]
"""A package with the versions, or variants, that it lost, and the stack where."""

_Losses = Placed[tuple[str, tuple[str, ...]]]


class NewRoots(Struct, frozen=True, kw_only=True):
    """New roots, and what they brought in the stacks of `place`.

    `taken` says how many products are asked for no longer, on which they depend, and where. `older`
    are those that are downgraded, by the stacks in which they are.
    `in_tag` says that no other stack has any of the new roots, `were_there` that some of them were
    dependencies in these stacks before.
    """

    in_tag: bool
    were_there: bool
    names: tuple[str, ...]
    place: Place
    taken: Placed[int]
    older: Placed[str]


class StackLoss(Struct, frozen=True, kw_only=True):
    """How many builds stacks lost, `of` how many, and which traits many of them have.

    It is `of` 0 where nothing says how many were asked for, or how many are equal to others.
    """

    stacks: tuple[str, ...]
    place: Place
    builds: int
    of: int
    parts: tuple[TraitCount, ...]

    def in_words(self, mark: Mark) -> str:
        """Return what is said: `24 of 80 builds gone: 15 built with mvapich 3.0b`.

        A dependency that lost builds of its own is `mvapich 3.0b and 14 builds that use it`.
        """
        parts = [self._part_in_words(part, mark) for part in self.parts]
        if others := self.builds - sum(part.specs for part in self.parts):
            parts.append(counted(others, "other"))
        of = f" of {self.of:,}" if self.of else ""
        return f"{self.builds:,}{of} builds gone: {'; '.join(parts)}"

    def _part_in_words(self, part: TraitCount, mark: Mark) -> str:
        number = "all" if part.specs == self.builds else f"{part.specs:,}"
        if not part.own:
            return f"{number} {traits_in_words(part, mark)}"
        named = dependency_in_words(part.trait, mark)
        also = f" ({trait_in_words(part.also, mark)})" if part.also else ""
        words = f"{counted(part.own, 'build')} of {named}{also}"
        if above := part.specs - part.own:
            words += f" and {counted(above, 'build')} that {'uses' if above == 1 else 'use'} it"
        return words


class LostTogether(NamedTuple):
    """Packages that have no build with one trait any more in the same stacks.

    `are_dependencies` says that none of them is asked for there any more; `compiler` is that of all
    builds that had it.
    """

    packages: tuple[str, ...]
    trait: TraitCount
    place: Place
    are_dependencies: bool = False
    compiler: Trait | None = None


class Opening(Struct, frozen=True, kw_only=True):
    """The reasons that many packages of a tag share, as far as there are any.

    `versions_gone` are those of which none of their series came, and `turned_off` the variants that
    were on in all builds: first of products, then of dependencies where others went with them.
    """

    shared: tuple[SharedChange, ...] = ()
    replaced: tuple[tuple[Event, Place], ...] = ()
    new_roots: tuple[NewRoots, ...] = ()
    losses: tuple[StackLoss, ...] = ()
    lost_together: tuple[LostTogether, ...] = ()
    versions_gone: tuple[_Losses, _Losses] = ((), ())
    turned_off: tuple[_Losses, _Losses] = ((), ())


def opening_of(
    stacks: Sequence[StackDiff],
    moves: Moves,
    shared: Sequence[SharedChange],
    new_roots: Sequence[NewRoots],
    places: Places,
    *,
    with_losses: bool,
    of_roots: bool,
    told: Mapping[str, StackMoves],
) -> Opening:
    """Return what many packages of some stacks share; `with_losses` tells of lost builds, too.

    `of_roots` says that nothing is reported but what was asked for.

    What was lost is named of those stacks that are `told`: not of the toolchain, which has lines of
    its own, and of dependencies the versions that many builds had below them.
    """
    gone_with = {
        (move.because.package, name)
        for (name, _), some in moves.items()
        for move in some
        if isinstance(move.because, Because) and move.status is Status.GONE
    }
    reasons = Counter(package for package, _ in gone_with)
    causes = (it for stack in stacks for it in stack.causes if it.reach >= _MANY_BELOW)
    many_below = {(it.package, it.old) for it in causes if it.what == "version"}
    gone: tuple[list[_Lost], list[_Lost]] = ([], [])
    losing: tuple[list[_Lost], list[_Lost]] = ([], [])
    for stack, some in told.items():
        for change, move in some:
            name, lost = change.package, move.versions.lost
            is_dependency = change.is_dependency
            if is_dependency:
                is_product = (name, False) in moves and not change.parts  # in other stacks
                lost = tuple(it for it in lost if is_product or (name, it) in many_below)
            if lost and name not in TOOLCHAIN:
                gone[is_dependency].append(((name, lost), stack))
            is_told = not is_dependency or reasons[name] >= _LEAST_DEPENDENCIES
            # An older version may not have the option; what a package got with it stands there.
            if (
                is_told
                and move.status is not Status.DOWNGRADED
                and (off := turned_off(move.now_with))
            ):
                losing[is_dependency].append(((name, off), stack))
    losses = _losses_of(stacks, places, of_roots=of_roots) if with_losses else ()
    of_builds = {stack for loss in losses for stack in loss.stacks}
    return Opening(
        shared=tuple(shared),
        replaced=_replaced(stacks, places),
        new_roots=tuple(new_roots),
        losses=losses,
        lost_together=(
            *_lost_together(moves, of_builds, places),
            *_no_longer(stacks, moves, places),
        )
        if with_losses
        else (),
        versions_gone=(_by_place(gone[0], places), _by_place(gone[1], places)),
        turned_off=(_by_place(losing[0], places), _by_place(losing[1], places)),
    )


def _replaced(stacks: Iterable[StackDiff], places: Places) -> tuple[tuple[Event, Place], ...]:
    """Return which package took the place of which, where it made others change, and where."""
    causes = [it for stack in stacks for it in stack.causes if it.what == "replaced"]
    many = dict.fromkeys(event_of(it) for it in causes if it.packages >= _LEAST_TOGETHER)
    found: dict[Event, list[str]] = {}
    for stack in stacks:
        whole = {(it.kind, it.package) for it in stack.package_changes if it.whole}
        for event in many:
            if {(Kind.REMOVED, event.old), (Kind.ADDED, event.new)} <= whole:
                found.setdefault(event, []).append(stack.stack)
    return tuple((event, places.place(some)) for event, some in found.items())


def new_roots_of(tag: TagDiff, moves: Mapping[str, StackMoves], places: Places) -> list[NewRoots]:
    """Return the new roots that brought a change to enough packages, those of most first."""
    now = {stack.stack: stack.asked_for.now if stack.asked_for else () for stack in tag.stacks}
    taken: dict[tuple[str, ...], list[tuple[str, str]]] = {}
    older: dict[tuple[str, ...], list[tuple[str, str]]] = {}
    every = [(stack, change, move) for stack, some in moves.items() for change, move in some]
    without_roots = {  # what fell in the same way where no new root needs it
        (change.package, move.versions) for _, change, move in every if not change.needed_by
    }
    for stack in tag.stacks:
        for package, roots in needed_by_roots_now(stack).items():
            taken.setdefault(roots, []).append((package, stack.stack))
    for name, change, move in every:
        is_alone = (change.package, move.versions) not in without_roots
        if move.status is Status.DOWNGRADED and change.needed_by and is_alone:
            older.setdefault(change.needed_by, []).append((change.package, name))
    told = []
    for roots in (it for it in {**taken, **older} if it):
        found = taken.get(roots, []) + older.get(roots, [])
        if len({name for name, _ in found}) < _LEAST_TOGETHER:
            continue
        of_stack = Counter(stack for _, stack in taken.get(roots, ()))
        told.append(
            NewRoots(
                names=roots,
                in_tag=set(roots).issubset(tag.packages.added),
                were_there=any(not set(roots).isdisjoint(now[stack]) for _, stack in found),
                place=places.place(stack for _, stack in found),
                taken=_by_place(((number, stack) for stack, number in of_stack.items()), places),
                older=_by_place(older.get(roots, ()), places),
            )
        )
    return sorted(told, key=lambda it: (-max((max(n) for n, _ in it.taken), default=0), it.names))


def _by_place(found: Iterable[tuple[_Name, str]], places: Places) -> Placed[_Name]:
    """Return packages, each with a stack, by all stacks that they have, those of most first."""
    stacks: dict[_Name, list[str]] = {}
    for name, stack in found:
        stacks.setdefault(name, []).append(stack)
    together: dict[tuple[str, ...], list[_Name]] = {}
    for name, some in stacks.items():
        together.setdefault(tuple(sorted(some)), []).append(name)
    most_first = sorted(together.items(), key=lambda it: (-len(it[0]), -len(it[1])))
    return tuple((tuple(names), places.place(some)) for some, names in most_first)


def _losses_of(
    stacks: Sequence[StackDiff], places: Places, *, of_roots: bool
) -> tuple[StackLoss, ...]:
    """Return what stacks lost, those together that lost builds with the same first trait.

    Nothing is said of a stack where the lines of its packages say it as well: where only whole
    packages are gone, or one, or half of the builds or more have no trait that is told.
    """
    alike: dict[Trait, list[StackDiff]] = {}
    for stack in stacks:
        lost = [change for change in stack.package_changes if change.builds_lost]
        if stack.status == "changed" and len(lost) > 1 and not all(it.whole for it in lost):
            loss = _loss([stack], places, of_roots=of_roots)
            if 2 * sum(part.specs for part in loss.parts) > loss.builds:
                alike.setdefault(loss.parts[0].trait, []).append(stack)
    return tuple(_loss(some, places, of_roots=of_roots) for some in alike.values())


def _loss(stacks: Sequence[StackDiff], places: Places, *, of_roots: bool) -> StackLoss:
    """Return what stacks lost together; a trait is told that a tenth of the builds has.

    Builds are counted one by one: with `-k removed` an upgraded package that lost one is left out.
    """
    changes = (change for stack in stacks for change in stack.changes)
    removed = [change for change in changes if change.kind is Kind.REMOVED]
    number = sum(change.duplicate is UNSET for change in removed)
    is_all = number == len(removed) and not of_roots
    numbers: Counter[TraitCount] = Counter()
    own: Counter[TraitCount] = Counter()
    for stack in stacks:
        for part in stack.lost_by:
            alike = replace(part, specs=0, own=UNSET)
            numbers[alike] += part.specs
            own[alike] += part.own or 0
    told = ((part, specs) for part, specs in numbers.items() if 10 * specs >= number)
    return StackLoss(
        stacks=tuple(stack.stack for stack in stacks),
        place=places.place(stack.stack for stack in stacks),
        builds=number,
        of=sum(stack.specs.old for stack in stacks) if is_all else 0,
        parts=tuple(replace(it, specs=specs, own=own[it] or UNSET) for it, specs in told),
    )


def _lost_together(
    moves: Moves, told: AbstractSet[str], places: Places
) -> tuple[LostTogether, ...]:
    """Return the products that lost builds of one trait in stacks of which nothing is `told`.

    Nothing is said where all that happened to them is that: they share a line.
    """
    found: dict[tuple[TraitCount, tuple[str, ...]], dict[str, bool]] = {}
    for (name, is_dependency), some in moves.items():
        for move in some:
            if is_dependency or move.lost is None or not told.isdisjoint(move.stacks):
                continue
            for part in move.lost.parts:
                names = found.setdefault((_without_numbers(part), move.stacks), {})
                names[name] = move.asked_for is not None and not move.asked_for.new
    return tuple(
        LostTogether(tuple(sorted(names)), trait, places.place(some), all(names.values()))
        for (trait, some), names in found.items()
        if len(names) >= _LEAST_TOGETHER and any(len(moves[name, False]) > 1 for name in names)
    )


def _no_longer(stacks: Iterable[StackDiff], moves: Moves, places: Places) -> Iterator[LostTogether]:
    """Yield the packages that have no build any more with a compiler, MPI or BLAS that is there.

    Products come first. What the line of a package says of its lost builds is left out.
    """
    left: dict[str, dict[TraitCount, dict[str, None]]] = {}
    for stack in stacks:
        for change in stack.package_changes:
            for lost in change.no_longer_with or ():
                trait = _without_numbers(lost)
                left.setdefault(change.package, {}).setdefault(trait, {})[stack.stack] = None
    found: dict[tuple[TraitCount, tuple[str, ...]], dict[str, None]] = {}
    for (name, _), of_name in moves.items():
        parts = (part for move in of_name if move.lost for part in move.lost.parts)
        told = {_tool(part.trait) for part in parts}
        for trait, some in left.get(name, {}).items():
            if _tool(trait.trait) not in told:
                found.setdefault((trait, tuple(some)), {})[name] = None
    for (trait, where), names in found.items():
        alone, place = replace(trait, also=UNSET), places.place(where)
        yield LostTogether(tuple(names), alone, place, compiler=trait.also or None)


def _without_numbers(count: TraitCount) -> TraitCount:
    return replace(count, specs=0, own=UNSET)


def _tool(trait: Trait) -> str:
    """Return the package that a trait is, or the compiler."""
    return trait.name or (trait.value or "").partition("@")[0]
