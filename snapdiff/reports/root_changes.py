"""Which packages somebody asks for no longer, or only now, that are there before and after."""

from collections.abc import Container, Iterable

from msgspec import Struct

from snapdiff.reports.names import Place, Places
from snapdiff.result import StackDiff

PlacedPackages = tuple[tuple[tuple[str, ...], Place], ...]
"""Packages by the stacks in which the same happened to them."""


class RootsChange(Struct, frozen=True, kw_only=True):
    """Packages that are on both sides of some stacks, and roots on one of them alone: now, or not.

    `lines` have the packages of each place. `needed_by` are roots on the new side alone that depend
    on all of them directly; `needed_by_new` says that none of these was there before.
    """

    is_now: bool
    needed_by: tuple[str, ...]
    needed_by_new: bool
    lines: PlacedPackages


def roots_of(
    stacks: Iterable[StackDiff], places: Places, told: Container[tuple[str, ...]]
) -> tuple[RootsChange, ...]:
    """Return what is asked for no longer, and what is now, without being gone or new.

    Of what new roots need nothing is said again that is `told` of these.
    """
    found: dict[tuple[bool, tuple[str, ...], bool], list[tuple[str, str]]] = {}
    for stack in stacks:
        if stack.asked_for is None:
            continue
        needed_by = needed_by_new(stack)
        sides = ((False, stack.asked_for.no_longer), (True, stack.asked_for.now))
        for is_now, name in ((is_now, name) for is_now, names in sides for name in names):
            roots = needed_by.get(name, ())
            are_new = set(roots).isdisjoint(stack.asked_for.now)
            if roots not in told:
                found.setdefault((is_now, roots, are_new), []).append((name, stack.stack))
    return tuple(
        RootsChange(
            is_now=is_now,
            needed_by=roots,
            needed_by_new=are_new,
            lines=by_place(found[is_now, roots, are_new], places),
        )
        for is_now, roots, are_new in sorted(found, key=lambda it: (it[0], not it[1], it[1], it[2]))
    )


def by_place(found: Iterable[tuple[str, str]], places: Places) -> PlacedPackages:
    """Return packages, each with a stack, by all stacks that they have, those of most first."""
    stacks: dict[str, list[str]] = {}
    for name, stack in found:
        stacks.setdefault(name, []).append(stack)
    together: dict[tuple[str, ...], list[str]] = {}
    for name, some in sorted(stacks.items()):
        together.setdefault(tuple(dict.fromkeys(some)), []).append(name)
    most_first = sorted(together.items(), key=lambda it: (-len(it[0]), -len(it[1])))
    return tuple((tuple(names), places.place(some)) for some, names in most_first)


def needed_by_new(stack: StackDiff) -> dict[str, tuple[str, ...]]:
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
