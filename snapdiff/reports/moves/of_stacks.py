"""What happened to all packages of some stacks: the same in several of them is said once."""

from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet

from msgspec.structs import replace

from snapdiff.reports.moves.move import Move, alike_because
from snapdiff.reports.moves.of_package import move_of
from snapdiff.reports.moves.places import Place, Places, places_of
from snapdiff.reports.moves.products import (
    dependencies_now,
    needed_by_roots_now,
    no_dependencies,
    specs_by_part,
    versions_in,
)
from snapdiff.reports.moves.statuses import Status, Versions, shared_fields
from snapdiff.result.causes import event_of
from snapdiff.result.changes import StackDiff, TagDiff
from snapdiff.result.packages import Because, Kind, PackageChange
from snapdiff.spack import versions_in_order

StackMoves = Sequence[tuple[PackageChange, Move]]
"""What happened to the packages of a stack: changes, each with what is said of it."""

Moves = Mapping[tuple[str, bool], tuple[Move, ...]]
"""What happened to packages, the worst first, by name and by whether nobody asked for them."""


Back = Mapping[tuple[tuple[str, ...], str], Mapping[str, str]]
"""Packages that are new in stacks, by the names of their tag and by name, and since when they were
gone: a day, or a section of a changelog."""


def moves_in(tag: TagDiff, stacks: Sequence[StackDiff]) -> Moves:
    """Return what happened to packages in some stacks of a tag, of those that are looked at."""
    said = {stack.stack: stack_moves(tag, stack) for stack in stacks}
    return moves_of(said, places_of(stacks))


def moves_of(stacks: Mapping[str, StackMoves], places: Places) -> Moves:
    """Return what happened to packages in some stacks, the same in several as one, as it is read.

    What happened to a product where nobody asks for it is told with it, behind the rest, or first
    if it fell; what else is news there is a line among dependencies, which says why. So is another
    hash, and what happened to builds that a stack has beside its roots.
    """
    found: dict[tuple[str, bool], dict[Move, tuple[Move, list[str]]]] = {}
    own = [it for in_stack in stacks.values() for it in in_stack if not it[0].is_dependency]
    products = {change.package for change, _ in own}
    told = {change.package for change, it in own if not (it.status.is_quiet or it.whole)}
    for stack, in_stack in stacks.items():
        for change, said in in_stack:
            is_dependency, move = _as_told(change, said, products if said.fell else told)
            alike = found.setdefault((change.package, is_dependency), {})
            key = replace(move, builds=0, compilers=(), because=alike_because(move.because))
            alike.setdefault(key, (move, []))[1].append(stack)
    moves = {}
    for package, alike in found.items():
        in_all = [
            replace(
                move,
                stacks=tuple(names),
                place=places.place(names),
                builds=move.builds if len(names) == 1 else 0,
                compilers=move.compilers if len(names) == 1 else (),
            )
            for move, names in alike.values()
        ]
        in_all.sort(key=lambda it: (it.status.severity, -len(it.stacks), it.stacks))
        if not package[1]:
            in_all.sort(key=lambda it: it.is_beside)
        moves[package] = tuple(in_all)

    def order_of_reading(package: tuple[str, bool]) -> tuple[object, ...]:
        (name, is_dependency), worst = package, moves[package][0]
        alike = [it for it in moves[package] if it.status is worst.status]
        if not is_dependency:
            alike = [it for it in alike if not it.is_beside]
        stacks = sum(len(move.stacks) for move in alike)
        # New builds may be those with a version that is new of another package.
        is_builds = worst.status is Status.MORE and not worst.has_step
        return is_dependency, worst.status, -stacks, is_builds, name

    return {package: moves[package] for package in sorted(moves, key=order_of_reading)}


def _as_told(change: PackageChange, move: Move, products: AbstractSet[str]) -> tuple[bool, Move]:
    """Return whether a change is told among dependencies, not with `products`, and what is said."""
    if not change.is_dependency:
        return False, move
    is_apart = move.status.is_news or move.status.is_quiet or move.lost
    is_with_product = not change.parts and (move.fell or not is_apart)
    is_product = is_with_product and change.package in products
    if is_product or (change.parts and move.has_step):
        move = replace(move, as_dependency=True)
    return not is_product, move


def stack_moves(tag: TagDiff, stack: StackDiff) -> StackMoves:
    """Return what happened to the packages of a stack of a tag that is `in_parts`."""
    specs = specs_by_part(stack)
    shared = set(map(event_of, shared_fields(stack)))
    in_tag = {Kind.ADDED: set(tag.packages.added), Kind.REMOVED: set(tag.packages.removed)}
    whole = dict.fromkeys(dependencies_now(stack), Status.DEPENDENCY_NOW)
    whole |= dict.fromkeys(no_dependencies(stack), Status.NO_DEPENDENCY)
    needed_by = needed_by_roots_now(stack)
    found = []
    for change in stack.package_changes:
        move = move_of(change, specs[change.package, change.is_dependency], shared)
        if change.whole:
            status = whole.get(change.package, move.status)
            is_in_tag = change.package in in_tag[change.kind]
            move = replace(move, in_tag=is_in_tag, status=status)
        if move.asked_for and not move.needed_by:
            move = replace(move, needed_by=needed_by.get(change.package, ()))
        found.append((change, move))
    return found


def with_roots(moves: StackMoves) -> StackMoves:
    """Return what happened in a stack with who asks for a package, where else all is quiet."""
    # For people alone: a gate looks at what happened to the package itself.
    return [
        (change, _as_root(move) if move.status.is_quiet and move.asked_for else move)
        for change, move in moves
    ]


def _as_root(move: Move) -> Move:
    """Return the move of a package that is a root on one side alone, told as that."""
    if move.beside:  # of its builds one was reconfigured, and there is another number of equal ones
        return replace(move, status=Status.RECONFIGURED)
    if move.status is Status.DUPLICATES:
        return replace(move, status=Status.ROOTS)
    # Another hash, and what changed in all of a stack, is told elsewhere, once for all.
    return replace(
        move, status=Status.ROOTS, kind=Kind.RECONFIGURED, own=(), because=None, shared=()
    )


def back_again(move: Move, since: str, gone: Mapping[str, str]) -> Move:
    """Return the move of a package that is back; that the reason for it is, too, it says itself."""
    because = move.because
    if isinstance(because, Because) and because.package in gone:
        because = replace(because, status="changed", fields=())
    return replace(move, gone_since=since, because=because)


def with_own_reasons(stack: StackDiff) -> StackDiff:
    """Return a stack in which no reason tells of a step from a version that stays, or to one.

    Only the version with what is gone, or new, is told then; so it is of a package that is left out
    of the report, of which nobody knows what stays.
    """
    kept = {it.package: it.kept for it in stack.package_changes}

    def told(because: Because, kind: Kind) -> Because:
        stays = kept.get(because.package)
        side = "old" if kind is Kind.ADDED else "new"  # the other one has what is alone
        alone = [
            replace(it, **{side: ""})
            for it in because.fields
            if it.name == "version" and (stays is None or getattr(it, side) in stays)
        ]
        return replace(because, fields=tuple(alone)) if alone else because

    changes = (
        replace(it, because=told(it.because, it.kind)) if it.because else it
        for it in stack.package_changes
    )
    return replace(stack, package_changes=tuple(changes))


def still_in(
    said: Mapping[str, StackMoves], stacks: Iterable[StackDiff], places: Places
) -> dict[str, tuple[Place, Versions | None] | None]:
    """Return where the products are still that are gone from some stacks, and no line says it.

    With it are the versions that are there, if none of these is one that is gone, and None where
    they are not known.
    """
    gone: dict[str, set[str]] = {}
    versions_gone: dict[str, set[str]] = {}
    for name, moves in said.items():
        for change, move in moves:
            if move.is_partly_gone and not change.is_dependency:
                gone.setdefault(change.package, set()).add(name)
                versions_gone.setdefault(change.package, set()).update(change.gone)
    found: dict[str, list[str]] = {}
    there: dict[str, list[set[str]]] = {}
    for stack in stacks if gone else ():
        moves = said.get(stack.stack, ())
        told = {it.package for it, move in moves if not move.status.is_quiet}
        quiet = {it.package for it, move in moves if move.status.is_quiet}
        for name in gone.keys() & {*stack.still_there, *quiet} - told:
            found.setdefault(name, []).append(stack.stack)
            there.setdefault(name, []).append(versions_in(stack).get(name, set()))
    elsewhere: dict[str, tuple[Place, Versions | None] | None] = {}
    for name, some in found.items():
        versions = set[str]().union(*there[name])
        others: Versions | None = None
        if all(there[name]):
            is_other = versions.isdisjoint(versions_gone[name])
            others = versions_in_order(versions) if is_other else ()
        place = places.besides(gone[name], some) or (None if others == () else places.place(some))
        elsewhere[name] = (place, others) if place is not None else None
    return elsewhere


def told_stacks(tag: TagDiff) -> list[StackDiff]:
    """Return the stacks of a tag whose packages are listed.

    Of a stack that is removed or added as a whole, only those packages are that the whole tag lost
    or got with it: the others would repeat one piece of news line by line.
    """
    names = {*tag.packages.added, *tag.packages.removed}
    told = []
    for stack in tag.stacks:
        if stack.status in ("changed", "unchanged"):
            told.append(stack)
        elif any(change.package in names for change in stack.package_changes):
            some = tuple(change for change in stack.package_changes if change.package in names)
            told.append(replace(stack, package_changes=some))
    return told
