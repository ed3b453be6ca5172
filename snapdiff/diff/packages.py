"""What happened to one package in each stack: to its specs, and to the package as a whole."""

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping
from functools import cache, partial
from operator import itemgetter
from typing import NamedTuple

from msgspec import UNSET
from msgspec.structs import replace

from snapdiff.diff.changed_pairs import KnownGraphs
from snapdiff.diff.dependencies import SideDependencies, Sides, match_members
from snapdiff.diff.fields import differing_fields
from snapdiff.diff.package_kinds import change_of_package
from snapdiff.diff.pairing import Effort, MatchHashes, Pairing, match_in_order, pair_specs
from snapdiff.diff.traits import Loss
from snapdiff.filters import Scope
from snapdiff.limits import Limits
from snapdiff.model import Build, InCommon, KeptSpecs, PackagePair, counted_in_common
from snapdiff.result import Change, Kind, PackageChange
from snapdiff.spack import Version

BuildHashes = dict[Build, list[str]]
"""Some specs as their builds, each with the hashes of those that were built like this."""


def hashes_of_builds(side: Mapping[str, Build]) -> BuildHashes:
    """Return the specs that a side of a package has as builds with their hashes."""
    found: BuildHashes = {}
    for spec_hash, build in side.items():
        found.setdefault(build, []).append(spec_hash)
    return found


def _one_sided(
    mine: BuildHashes, other: Mapping[str, Build], scope: Scope
) -> dict[str, BuildHashes]:
    """Return by stack the specs that only one side has: the hash decides."""
    side: dict[str, BuildHashes] = {}
    for build, hashes in mine.items():
        stacks = scope.stacks(build.stacks)
        alone: dict[frozenset[str], list[str]] = {}
        for spec_hash in hashes:
            twin = other.get(spec_hash)
            alone.setdefault(stacks - twin.stacks if twin else stacks, []).append(spec_hash)
        for in_stacks, some in alone.items():
            for stack in in_stacks:
                side.setdefault(stack, {}).setdefault(build, []).extend(some)
    return side


def _changes(pair: PackagePair, pairing: Pairing, losses: Mapping[Kind, Loss]) -> list[Change]:
    """Return what happened to the specs of a package in a stack, by kind, version and hash."""
    rows: list[tuple[tuple[Kind, Version, Version, str, str], Change]] = []
    for old_hash, new_hash in pairing.pairs:
        old, new = pair.old[old_hash], pair.new[new_hash]
        before, after = old.version, new.version
        fields = differing_fields(old, new)
        if before != after:
            kind = Kind.UPGRADED if before < after else Kind.DOWNGRADED
        else:
            kind = Kind.RECONFIGURED if fields else Kind.REBUILT
        change = Change(kind, pair.name, old.spec(old_hash), new.spec(new_hash), fields)
        rows.append(((kind, before, after, old_hash, new_hash), change))
    for kind, hashes, side in (
        (Kind.REMOVED, pairing.removed, pair.old),
        (Kind.ADDED, pairing.added, pair.new),
    ):
        for spec_hash in hashes:
            build = side[spec_hash]
            spec = build.spec(spec_hash)
            lost, gained = (spec, None) if kind is Kind.REMOVED else (None, spec)
            duplicate = spec_hash in losses[kind].duplicates or UNSET
            change = Change(kind, pair.name, lost, gained, duplicate=duplicate)
            rows.append(((kind, build.version, build.version, spec_hash, spec_hash), change))
    rows.sort(key=itemgetter(0))
    return [change for _, change in rows]


class SideCounts(NamedTuple):
    """The specs of one package on one side: by stack, and how many are in any."""

    by_stack: Mapping[str, int]
    in_any: int


class StackChanges(NamedTuple):
    """What happened to a package in one stack, as a whole and spec by spec.

    `losses` has what it lost there (`removed`), and what it gained (`added`).
    """

    package: PackageChange
    specs: list[Change]
    losses: Mapping[Kind, Loss]


class PackageDiff(NamedTuple):
    """What happened to one package of one tag."""

    pair: PackagePair
    old: SideCounts
    new: SideCounts
    stacks: dict[str, StackChanges]


def diff_package(
    pair: PackagePair, scope: Scope, limits: Limits, graphs: KnownGraphs
) -> PackageDiff:
    """Return what happened to a package in the stacks that are compared.

    Raises FormatError where pairing its specs would cost too much, or a spec cannot be read.
    """
    effort = Effort(limits)
    match_hashes: MatchHashes = match_in_order
    sides = graphs.dependencies(pair.graphs) if pair.graphs else None
    if sides:
        match_hashes = partial(match_members, sides=sides, effort=effort)
    builds = hashes_of_builds(pair.old), hashes_of_builds(pair.new)
    removed, added = _one_sided(builds[0], pair.new, scope), _one_sided(builds[1], pair.old, scope)
    pairings = {
        stack: pair_specs(removed.get(stack, {}), added.get(stack, {}), effort, match_hashes)
        for stack in sorted(removed.keys() | added.keys())
    }
    kept = cache(lambda: [*pair.kept()])  # read once for all stacks, and not where nobody asks
    losses = _losses(pair, pairings, sides, kept)
    old, old_versions = _count(builds[0], pair.common, scope)
    new, new_versions = _count(builds[1], pair.common, scope)
    has_several = pair.common or max(len(pair.old), len(pair.new)) > 1  # mostly it has not
    found = {}
    for stack, pairing in pairings.items():
        changes = _changes(pair, pairing, losses.get(stack, {}))
        versions = old_versions.get(stack, {}), new_versions.get(stack, {})
        equal: tuple[Counter[Version], Counter[Version]] = (Counter(), Counter())
        if sides and has_several and any(change.kind is not Kind.REBUILT for change in changes):
            equal = _count_equal(pair, stack, sides)
            changes = _mark_equal(changes, pair.new, sides[1])
        package = change_of_package(pair.name, *versions, changes, equal)
        found[stack] = StackChanges(package, changes, losses.get(stack, {}))
    return PackageDiff(pair, old, new, found)


def _count_equal(
    pair: PackagePair, stack: str, sides: Sides
) -> tuple[Counter[Version], Counter[Version]]:
    """Return how many specs of each version a stack has beyond one of each different build.

    Of specs that look like no other one no node is read. What both sides have looks the same.
    """
    new = sides[1].graph
    both: dict[Hashable, list[str]] = {}
    for key, stacks in pair.kept_hashes():
        if stack in stacks:
            both.setdefault(new.likeness(key), []).append(key)
    numbers: tuple[Counter[Version], Counter[Version]] = (Counter(), Counter())
    for counted, side, specs in zip(numbers, sides, (pair.old, pair.new), strict=True):
        own: dict[Hashable, dict[str, Build]] = {}
        for key, build in specs.items():
            if stack in build.stacks:
                own.setdefault(side.graph.likeness(key), {})[key] = build
        for looks in own.keys() | both.keys():
            builds, others = own.get(looks, {}), both.get(looks, ())
            if len(builds) + len(others) > 1:
                builds |= {key: node.build for key in others if (node := new.node(key))}
                counted.update(builds[key].version for key in side.duplicates(builds))
    return numbers


def _mark_equal(
    changes: Iterable[Change], new: Mapping[str, Build], side: SideDependencies
) -> list[Change]:
    """Return changes, those reconfigured marked whose new specs are equal to that of another."""
    moved = {it.new.hash for it in changes if it.kind is Kind.RECONFIGURED and it.new}
    equal = side.duplicates({key: new[key] for key in moved}) if len(moved) > 1 else ()
    return [
        replace(it, duplicate=True) if it.new and it.new.hash in equal else it for it in changes
    ]


def _losses(
    pair: PackagePair, pairings: Mapping[str, Pairing], both: Sides | None, kept: KeptSpecs
) -> dict[str, dict[Kind, Loss]]:
    """Return by stack what a package lost, and what it gained, given what both sides have."""
    removed = {stack: found.removed for stack, found in pairings.items() if found.removed}
    added = {stack: found.added for stack, found in pairings.items() if found.added}
    if not removed and not added:
        return {}
    on_both = _builds_by_stack(removed.keys() | added.keys(), kept())
    found: dict[str, dict[Kind, Loss]] = {}
    for kind, lost, mine, theirs, sides in (
        (Kind.REMOVED, removed, pair.old, pair.new, both),
        (Kind.ADDED, added, pair.new, pair.old, both and (both[1], both[0])),
    ):
        there = _builds_by_stack(lost, theirs.items())
        here = _builds_by_stack(lost, mine.items())
        for stack, hashes in lost.items():
            # Only dependencies tell what both sides have of one side from the same of the other.
            stayed = dict((*here[stack], *(on_both[stack] if sides else ())))
            builds = {key: stayed.pop(key) for key in hashes}
            duplicates = sides[0].duplicates(builds, stayed) if sides else frozenset[str]()
            stayed |= {key: builds.pop(key) for key in duplicates}
            found.setdefault(stack, {})[kind] = Loss(
                package=pair.name,
                lost={key: build.configuration for key, build in builds.items()},
                stayed=[(key, build.configuration) for key, build in stayed.items()],
                others=[
                    (key, build.configuration) for key, build in (*there[stack], *on_both[stack])
                ],
                sides=sides,
                duplicates=duplicates,
            )
    return found


def _builds_by_stack(
    stacks: Iterable[str], specs: Iterable[tuple[str, Build]]
) -> dict[str, list[tuple[str, Build]]]:
    found: dict[str, list[tuple[str, Build]]] = {stack: [] for stack in stacks}
    for key, build in specs:
        for stack in found.keys() & build.stacks:
            found[stack].append((key, build))
    return found


def _count(
    side: BuildHashes, common: Mapping[InCommon, int], scope: Scope
) -> tuple[SideCounts, Mapping[str, Mapping[str, int]]]:
    """Return how many specs one side of a package has, and how many of each version by stack."""
    numbers = counted_in_common({build: len(hashes) for build, hashes in side.items()}, common)
    versions: dict[str, dict[str, int]] = {}
    in_any = 0
    for (version, listed), number in numbers.items():
        stacks = scope.stacks(listed)
        for stack in stacks:
            counted = versions.setdefault(stack, {})
            counted[version] = counted.get(version, 0) + number
        in_any += number if stacks else 0
    by_stack = {stack: sum(counted.values()) for stack, counted in versions.items()}
    return SideCounts(by_stack, in_any), versions
