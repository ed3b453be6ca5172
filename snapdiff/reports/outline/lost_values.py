"""What packages lost that are still there: versions, and options that are off or gone."""

from collections.abc import Mapping, Sequence

from snapdiff.reports.cause_words import off_or_gone
from snapdiff.reports.moves.of_stacks import StackMoves
from snapdiff.reports.moves.places import Placed
from snapdiff.reports.moves.products import products_of, versions_in
from snapdiff.reports.moves.statuses import highest
from snapdiff.result.changes import StackDiff, changes_by_package

_MANY_BELOW = 40
"""Below how many builds of a stack a version of a dependency was that somebody may miss."""

Lost = tuple[tuple[str, tuple[str, ...], tuple[str, ...] | None], str]
"""A package with versions, or variants, that it lost or got, and the stack where.

Behind versions that it lost is the highest that is there now, behind an empty one where there are
others; None of a dependency that has these elsewhere.
"""

Losses = Placed[tuple[str, tuple[str, ...], tuple[str, ...] | None]]


def lost_versions(stacks: Sequence[StackDiff], told: Mapping[str, StackMoves]) -> list[list[Lost]]:
    """Return the versions that packages lost.

    In the stacks packages are whole, `told` has what became of each part of one. The lists are of
    products, then of dependencies: of these the versions that many builds had below them, or that a
    product has elsewhere.
    """
    there = {stack.stack: versions_in(stack) for stack in stacks} if told else {}
    products = products_of(stacks)
    causes = (it for stack in stacks for it in stack.causes if it.reach >= _MANY_BELOW)
    many_below = {(it.package, it.old) for it in causes if it.what == "version"}
    left = {(name, it) for some in there.values() for name in some for it in some[name]}
    gone: list[list[Lost]] = [[], []]
    for stack, some in told.items():
        for change, move in some:
            name, is_dependency = change.package, change.is_dependency
            here = sorted(there[stack].get(name, ()))
            lost = tuple(it for it in move.versions.lost if it not in here)
            if is_dependency and (name not in products or change.parts):
                lost = tuple(it for it in lost if (name, it) in many_below)
            if lost:
                is_elsewhere = is_dependency and left.issuperset((name, it) for it in lost)
                now = ("", highest(here)) if len(here) > 1 else tuple(here)
                gone[is_dependency].append(((name, lost, None if is_elsewhere else now), stack))
    return gone


def lost_options(stacks: Sequence[StackDiff]) -> tuple[list[list[Lost]], list[Lost]]:
    """Return each option that was on in all builds of a package, and is off now in all; or gone.

    Those that are off of products, then of dependencies; of these nobody asks for an option that a
    recipe has no more. Of a stack in which a build is as before nothing is said: that has it still.
    """
    products = products_of(stacks)
    turned: list[list[Lost]] = [[], []]
    gone: list[Lost] = []
    for stack in stacks:
        builds = {it.package: (it.builds.old, it.builds.new) for it in stack.package_changes}
        for name, changes in changes_by_package(stack.changes).items():
            old = [it.old.variants for it in changes if it.old]
            new = [it.new.variants for it in changes if it.new]
            if builds.get(name) != (len(old), len(new)):
                continue
            off, left = off_or_gone(old, new)
            turned[name not in products] += (((name, (it,), ()), stack.stack) for it in off)
            gone += (((name, (it,), ()), stack.stack) for it in left if name in products)
    return turned, gone
