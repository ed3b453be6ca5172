"""What happened to one package: its changes stack by stack, and the counts of both sides."""

from collections.abc import Mapping
from functools import partial
from typing import NamedTuple

from snapdiff.diff.changed_pairs import KnownGraphs
from snapdiff.diff.dependencies import match_members
from snapdiff.diff.package_changes import change_of_package
from snapdiff.diff.pairing import Effort, MatchHashes, match_in_order
from snapdiff.diff.specs import BuildHashes, changes_by_stack, hashes_of_builds
from snapdiff.filters import Scope
from snapdiff.limits import Limits
from snapdiff.model import InCommon, PackagePair
from snapdiff.result import Change, Count, PackageChange


class SideCounts(NamedTuple):
    """The specs of one package on one side: by stack, and how many are in any."""

    by_stack: dict[str, int]
    in_any: int


class StackChanges(NamedTuple):
    """What happened to a package in one stack, as a whole and spec by spec."""

    package: PackageChange
    specs: list[Change]


class PackageDiff(NamedTuple):
    """What happened to one package of one tag."""

    pair: PackagePair
    old: SideCounts
    new: SideCounts
    stacks: dict[str, StackChanges]

    @property
    def name(self) -> str:
        """The package's name."""
        return self.pair.name


def diff_package(
    pair: PackagePair, scope: Scope, limits: Limits, graphs: KnownGraphs
) -> PackageDiff:
    """Return what happened to a package in the stacks that are compared.

    Raises FormatError where pairing its specs would cost too much.
    """
    effort = Effort(limits)
    match_hashes: MatchHashes = match_in_order
    if pair.graphs:
        sets = graphs.dependencies(pair.graphs)
        match_hashes = partial(match_members, sets=sets, effort=effort)
    builds = hashes_of_builds(pair.old), hashes_of_builds(pair.new)
    found = changes_by_stack(pair, builds, scope, effort, match_hashes)
    old, old_versions = _count(builds[0], pair.common, scope)
    new, new_versions = _count(builds[1], pair.common, scope)
    return PackageDiff(
        pair,
        old,
        new,
        {
            stack: StackChanges(
                change_of_package(
                    pair.name,
                    old_versions.get(stack, ()),
                    new_versions.get(stack, ()),
                    changes,
                    Count(old.by_stack.get(stack, 0), new.by_stack.get(stack, 0)),
                ),
                changes,
            )
            for stack, changes in found.items()
        },
    )


def _count(
    side: BuildHashes, common: Mapping[InCommon, int], scope: Scope
) -> tuple[SideCounts, Mapping[str, set[str]]]:
    """Return how many specs one side of a package has, and the versions in each stack."""
    numbers = dict(common)
    for build, hashes in side.items():
        key = InCommon(build.version_text, build.stacks)
        numbers[key] = numbers.get(key, 0) + len(hashes)
    by_stack: dict[str, int] = {}
    versions: dict[str, set[str]] = {}
    in_any = 0
    for (version, listed), number in numbers.items():
        stacks = scope.stacks(listed)
        for stack in stacks:
            by_stack[stack] = by_stack.get(stack, 0) + number
            versions.setdefault(stack, set()).add(version)
        in_any += number if stacks else 0
    return SideCounts(by_stack, in_any), versions
