"""Stacks that have another name on the new side: which these are, and the old side under it.

Who compares says it of some stacks, and others are found (specification, section 2).
"""

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet

from msgspec.structs import replace

from snapdiff.filters import Scope
from snapdiff.formats.document import Claim
from snapdiff.model.packages import LikeStacks, Package, PackageCounts, PackagePair, like_stacks
from snapdiff.model.specs import EMPTY_PART, ROOT, Build, Graph, StackGraphs

StackNames = Mapping[str, str]
"""The new names of stacks of the old side, by their old ones."""

Packages = Mapping[str, Sequence[Package]]
"""The packages of a tag by name, as several documents list them."""


# --- Which stacks these are ---


def followed_stack(old: Sequence[Claim], new: Sequence[Claim], scope: Scope) -> StackNames:
    """Return the new name of the only stack of the old side, where one of the two has no name."""
    if any(len(claims) != 1 or claims[0].what != "stack" for claims in (old, new)):
        return {}
    before, after = old[0].name, new[0].name
    are_asked_for = scope.has_stack(before) and scope.has_stack(after)
    # A lock that is named itself is in no folder, so its stack has no name.
    return {before: after} if are_asked_for and EMPTY_PART in {before} ^ {after} else {}


_DIGITS_AND_SEPARATORS = re.compile(r"[\d\W_]+")


def find_renamed(
    pairs: Sequence[PackagePair],
    waiting: tuple[Packages, Packages],
    in_both: Iterable[PackageCounts],
    left_out: AbstractSet[str],
    scope: Scope,
    whole: Collection[str] | None = None,
) -> dict[str, str]:
    """Return the new names of those stacks of a tag that were renamed (specification, section 2).

    `pairs` are the packages whose documents have one path on both sides, `waiting` those of all
    other documents, `in_both` what does not differ, and `left_out` the stacks with a bad document.
    Where there is more of a tag than is compared, no stack can be renamed but the `whole` ones.
    """
    if scope.filters.no_renames:
        return {}
    sides = (
        [(pair.name, set(pair.old.values())) for pair in pairs],
        [(pair.name, set(pair.new.values())) for pair in pairs],
    )
    for side, known in zip(sides, waiting, strict=True):
        side.extend((it.name, set(it.specs.values())) for some in known.values() for it in some)
    old, new = (
        set().union(*{build.stacks for _, builds in side for build in builds}) for side in sides
    )
    gone, came = old - new, new - old
    if gone and came:  # there is a chance
        common = {stack for pair in pairs for key in pair.common for stack in key.stacks}
        common.update(*(stacks for package in in_both for stacks in package.by_stacks))
        both = common | left_out | {ROOT, EMPTY_PART}
        gone, came = (
            {it for it in side - both if scope.has_stack(it) and (whole is None or it in whole)}
            for side in (gone, came)
        )
    if not gone or not came:
        return {}

    packages: dict[str, set[str]] = defaultdict(set)
    families: dict[str, set[str]] = defaultdict(set)
    for side, stacks in zip(sides, (gone, came), strict=True):
        for name, builds in side:
            for build in builds:
                for stack in stacks & build.stacks:
                    packages[stack].add(name)
                    families[stack].add(build.target_family)

    def may_be_one(before: str, after: str) -> bool:
        names = {_DIGITS_AND_SEPARATORS.sub("", name) for name in (before, after)}
        return len(names) == len(families[before] | families[after]) == 1

    of_old, of_new = ({stack: packages[stack] for stack in stacks} for stacks in (gone, came))
    return best_names(like_stacks(of_old, of_new, may_be_one))


def best_names(pairs: Iterable[LikeStacks]) -> dict[str, str]:
    """Return the new names of the old stacks in some pairs, the first pairs first, each once."""
    names: dict[str, str] = {}
    taken: set[str] = set()
    for pair in pairs:
        if pair.old not in names and pair.new not in taken:
            names[pair.old] = pair.new
            taken.add(pair.new)
    return names


# --- The old side under the new names ---


def rename_specs(specs: Mapping[str, Build], names: StackNames) -> Mapping[str, Build]:
    """Return specs of the old side with their stacks under their new names."""
    if not names:
        return specs
    builds = {
        build: replace(build, stacks=frozenset(names.get(stack, stack) for stack in build.stacks))
        for build in set(specs.values())
        if not names.keys().isdisjoint(build.stacks)
    }
    return {spec_hash: builds.get(build, build) for spec_hash, build in specs.items()}


def rename_package(package: Package, names: StackNames) -> Package:
    """Return a package of the old side with its stacks under their new names."""
    stack = names.get(package.stack or "", package.stack)
    return replace(package, stack=stack, specs=rename_specs(package.specs, names))


def rename_graphs(graphs: StackGraphs, names: StackNames) -> dict[str | None, Graph]:
    """Return the dependencies of the old side by the new names of its stacks."""
    return {names.get(stack or "", stack): graph for stack, graph in graphs.items()}
