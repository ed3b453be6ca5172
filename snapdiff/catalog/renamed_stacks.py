"""Stacks of the old side under their new names: as an option says, or as they are found to be."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet

from msgspec.structs import replace

from snapdiff.filters import Scope
from snapdiff.model import (
    EMPTY_PART,
    ROOT,
    Build,
    Package,
    PackagePair,
    StackGraphs,
    pair_like_stacks,
)

StackNames = Mapping[str, str]
"""The new names of stacks of the old side, by their old ones."""

_DIGITS_AND_SEPARATORS = re.compile(r"[\d\W_]+")

Packages = Mapping[str, Sequence[Package]]
"""The packages of a tag by name, as several documents list them."""


class _SideOfTag:
    """What one side of a tag has in each stack, as far as it differs from the other side."""

    def __init__(self, packages: Iterable[tuple[str, Mapping[str, Build]]]) -> None:
        """Take the names of packages, each with its specs."""
        self._builds = [(name, set(specs.values())) for name, specs in packages]

    def stacks(self) -> set[str]:
        """Return the names of all stacks."""
        listed = {build.stacks for _, builds in self._builds for build in builds}
        return set().union(*listed)

    def packages_of(self, stacks: AbstractSet[str]) -> dict[str, set[str]]:
        """Return the packages of some stacks."""
        found: dict[str, set[str]] = {stack: set() for stack in stacks}
        for name, builds in self._builds:
            for build in builds:
                for stack in build.stacks & stacks:
                    found[stack].add(name)
        return found

    def families_of(self, stack: str) -> set[str]:
        """Return the target families of the specs of a stack."""
        builds = (build for _, builds in self._builds for build in builds)
        return {build.target_family for build in builds if stack in build.stacks}


def find_renamed(
    pairs: Sequence[PackagePair],
    waiting: tuple[Packages, Packages],
    elsewhere: Callable[[], set[str]],
    scope: Scope,
) -> dict[str, str]:
    """Return the new names of those stacks of a tag that were renamed (specification, section 2).

    `pairs` are the packages whose documents have one path on both sides, `waiting` those of all
    other documents. `elsewhere` returns the stacks of what does not differ or cannot be read.
    """
    sides = [
        _SideOfTag(
            [
                *((pair.name, pair.new if is_new else pair.old) for pair in pairs),
                *((package.name, package.specs) for some in known.values() for package in some),
            ]
        )
        for is_new, known in enumerate(waiting)
    ]
    old, new = (side.stacks() for side in sides)
    gone, came = old - new, new - old
    if gone and came:  # there is a chance
        common = {stack for pair in pairs for key in pair.common for stack in key.stacks}
        both = elsewhere() | common | {ROOT, EMPTY_PART}
        gone, came = (
            {stack for stack in side - both if scope.has_stack(stack)} for side in (gone, came)
        )
    if not gone or not came:
        return {}

    def may_be_one(before: str, after: str) -> bool:
        if _letters(before) != _letters(after):
            return False
        return len(sides[0].families_of(before) | sides[1].families_of(after)) == 1

    like = pair_like_stacks(sides[0].packages_of(gone), sides[1].packages_of(came), may_be_one)
    return {pair.old: pair.new for pair in like}


def _letters(name: str) -> str:
    return _DIGITS_AND_SEPARATORS.sub("", name)


def rename_specs(specs: Mapping[str, Build], names: StackNames) -> Mapping[str, Build]:
    """Return specs by hash, each counted in its stacks under their new names."""
    builds = {
        build: build.with_stacks(frozenset(names.get(stack, stack) for stack in build.stacks))
        for build in set(specs.values())
        if not names.keys().isdisjoint(build.stacks)
    }
    if not builds:
        return specs
    return {spec_hash: builds.get(build, build) for spec_hash, build in specs.items()}


def rename_package(package: Package, names: StackNames) -> Package:
    """Return a package of the old side with its stacks under their new names."""
    if not names:
        return package
    stack = names.get(package.stack, package.stack) if package.stack is not None else None
    return replace(package, stack=stack, specs=rename_specs(package.specs, names))


def rename_pair(pair: PackagePair, names: StackNames) -> PackagePair:
    """Return a pair with the stacks of its old side under their new names."""
    return replace(pair, old=rename_specs(pair.old, names)) if names else pair


def rename_graphs(graphs: StackGraphs, names: StackNames) -> StackGraphs:
    """Return the dependencies of the old side by the new names of its stacks."""
    if not names:
        return graphs
    return {stack and names.get(stack, stack): graph for stack, graph in graphs.items()}
