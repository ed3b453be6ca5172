"""What happened to one package in each stack: to its specs, and to the package as a whole."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial

from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import replace

from snapdiff.diff.changed_pairs import KnownGraphs
from snapdiff.diff.dependencies import SideDependencies, Sides, match_members
from snapdiff.diff.fields import differing_fields
from snapdiff.diff.package_kinds import change_of_package, kind_of_pair
from snapdiff.diff.pairing import Effort, MatchHashes, Pairing, match_in_order, pair_specs
from snapdiff.diff.pairs_apart import Apart, pairs_apart
from snapdiff.filters import Scope
from snapdiff.limits import Limits
from snapdiff.model.packages import Counted, PackagePair
from snapdiff.model.specs import Build, Spec
from snapdiff.result.changes import Change, TwoBuilds
from snapdiff.result.packages import Kind, PackageChange
from snapdiff.spack import Configuration, Version, parse_version

Builds = Sequence[tuple[str, Build]]
"""Builds of a package by hash, which those of pages need not have."""


class Loss(Struct, frozen=True, gc=False):
    """The builds that a package lost in a stack, by hash, and all others that it has or had there.

    `stayed` are on the side of the lost ones, duplicates of these among them, `others` on the other
    side. `sides` are the dependencies of the side of the lost ones and of the other, where both are
    known. The `paired` ones have a partner that is another build.
    """

    package: str
    lost: Mapping[str, Build]
    stayed: Builds
    others: Builds
    sides: Sides | None
    duplicates: frozenset[str] = frozenset()
    paired: frozenset[str] = frozenset()


def narrowed_losses(losses: Iterable[Loss], wanted: Collection[str]) -> Iterator[Loss]:
    """Yield what packages lost of some builds, given by hash."""
    for loss in losses:
        lost = {key: build for key, build in loss.lost.items() if key in wanted}
        duplicates = loss.duplicates.intersection(wanted)
        if lost or duplicates:
            yield replace(loss, lost=lost, duplicates=duplicates)


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
        for spec_hash in hashes:
            twin = other.get(spec_hash)
            for stack in stacks - twin.stacks if twin else stacks:
                side.setdefault(stack, {}).setdefault(build, []).append(spec_hash)
    return side


def _changes(
    pair: PackagePair, pairing: Pairing, apart: Apart, losses: Mapping[Kind, Loss]
) -> tuple[list[Change], list[Change]]:
    """Return what happened to the specs of a package in a stack, by kind, version and hash.

    Behind it is what reports say in place of the pairs that are two builds; of these, what is not
    lost, or gained, is equal to others.
    """
    name = pair.name
    found = []
    told = [
        Change(Kind.REBUILT, name, pair.old[old].spec(old), pair.new[new].spec(new))
        for old, new in apart.followed.items()
    ]
    for old_hash, new_hash in pairing.pairs:
        old, new = pair.old[old_hash], pair.new[new_hash]
        fields = differing_fields(old, new)
        kind = kind_of_pair(old.version, new.version, is_alike=not fields)
        specs = old.spec(old_hash), new.spec(new_hash)
        two_builds: TwoBuilds | UnsetType = UNSET
        if old_hash in apart.hashes:
            is_lost = old_hash in losses[Kind.REMOVED].lost
            is_gained = new_hash in losses[Kind.ADDED].lost
            two_builds = TwoBuilds(lost=is_lost, gained=is_gained)
            if old_hash not in apart.followed:
                told.append(_removed(name, specs[0], duplicate=not is_lost))
            if new_hash not in apart.followed.values():
                told.append(_added(name, specs[1], duplicate=not is_gained))
        found.append(Change(kind, name, *specs, fields, two_builds=two_builds))
    for key in pairing.removed:
        duplicate = key in losses[Kind.REMOVED].duplicates
        found.append(_removed(name, pair.old[key].spec(key), duplicate=duplicate))
    for key in pairing.added:
        duplicate = key in losses[Kind.ADDED].duplicates
        found.append(_added(name, pair.new[key].spec(key), duplicate=duplicate))
    return sorted(found, key=_order), told


def _removed(package: str, spec: Spec, *, duplicate: bool) -> Change:
    return Change(Kind.REMOVED, package, spec, None, duplicate=duplicate or UNSET)


def _added(package: str, spec: Spec, *, duplicate: bool) -> Change:
    return Change(Kind.ADDED, package, None, spec, duplicate=duplicate or UNSET)


def _order(change: Change) -> tuple[Kind, Version, Version, str, str]:
    old, new = change.specs[0], change.specs[-1]
    versions = parse_version(old.version), parse_version(new.version)
    return change.kind, *versions, old.hash, new.hash


class SideCounts(Struct, frozen=True, gc=False):
    """How many specs a package has on one side: of each version by stack, and in any stack."""

    versions: Mapping[str, Mapping[str, int]]
    in_any: int

    def in_stack(self, name: str) -> int:
        """Return how many specs it has in a stack."""
        return sum(self.versions.get(name, {}).values())


class StackChanges(Struct, frozen=True, gc=False):
    """What happened to a package in one stack, as a whole and spec by spec.

    `apart` has what reports say in place of the pairs that are two builds. `losses` has what it
    lost there (`removed`), what it gained (`added`), and, where a version stays, which of its
    builds have another one now (`upgraded`, whatever the direction).
    """

    package: PackageChange
    specs: list[Change]
    apart: list[Change]
    losses: Mapping[Kind, Loss]


class PackageDiff(Struct, frozen=True, gc=False):
    """What happened to one package of one tag."""

    pair: PackagePair
    old: SideCounts
    new: SideCounts
    stacks: dict[str, StackChanges]


def diff_package(
    pair: PackagePair, scope: Scope, limits: Limits, graphs: KnownGraphs
) -> PackageDiff:
    """Return what happened to a package in the stacks that are compared.

    Raises FormatError where pairing its specs would cost too much.
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
    both = _count(pair.common, scope)
    old, new = (_count(Counter(it.values()), scope, both) for it in (pair.old, pair.new))
    apart = pairs_apart(pair, pairings, sides)
    losses = _losses(pair, pairings, apart, sides)
    found = {}
    for stack, pairing in pairings.items():
        lost = losses.get(stack, {})
        changes, told = _changes(pair, pairing, apart[stack], lost)
        versions = old.versions.get(stack, {}), new.versions.get(stack, {})
        equal: tuple[Mapping[Version, int], Mapping[Version, int]] = ({}, {})
        if sides and any(change.kind is not Kind.REBUILT for change in changes):
            equal = _count_equal(pair, stack, sides)
            changes = _mark_equal(changes, sides[1], pair.new)
        package = change_of_package(pair.name, *versions, changes, equal)
        found[stack] = StackChanges(package, changes, told, lost)
    return PackageDiff(pair, old, new, found)


def _count_equal(
    pair: PackagePair, stack: str, sides: Sides
) -> tuple[Counter[Version], Counter[Version]]:
    """Return how many specs of each version a stack has beyond one of each different build."""
    both = list(pair.kept())

    def count(side: SideDependencies, specs: Mapping[str, Build]) -> Counter[Version]:
        looks = {key: _look(it) for key, it in (*both, *specs.items()) if stack in it.stacks}
        return Counter(looks[key][0] for key in side.duplicates(looks, looks.keys()))

    return count(sides[0], pair.old), count(sides[1], pair.new)


def _look(build: Build) -> tuple[Version, Configuration]:
    return build.version, build.configuration


def _mark_equal(
    changes: Iterable[Change], side: SideDependencies, specs: Mapping[str, Build]
) -> list[Change]:
    """Return changes, those reconfigured marked whose new specs are equal to that of another."""
    moved = (it.new.hash for it in changes if it.kind is Kind.RECONFIGURED and it.new)
    looks = {key: _look(specs[key]) for key in moved}
    equal = side.duplicates(looks, looks.keys())
    return [
        replace(it, duplicate=True) if it.new and it.new.hash in equal else it for it in changes
    ]


def _losses(
    pair: PackagePair,
    pairings: Mapping[str, Pairing],
    apart: Mapping[str, Apart],
    both: Sides | None,
) -> dict[str, dict[Kind, Loss]]:
    """Return by stack what a package lost, what it gained, and what moved to another version."""
    moved = {stack: _moved(pair, pairing) for stack, pairing in pairings.items()}
    lost = {
        stack: bool(pairing.removed or pairing.added or apart[stack].hashes)
        for stack, pairing in pairings.items()
    }
    found: dict[str, dict[Kind, Loss]] = {
        stack: {} for stack in pairings if lost[stack] or moved[stack]
    }
    if not found:
        return {}
    is_lost = any(lost.values())
    left = {pair.old[key].version_text for keys in moved.values() for key in keys}
    # To read what both sides have takes long; mostly none of it has a version that others left.
    is_read = is_lost or any(it.version_text in left for it in pair.common)
    kept = list(pair.kept()) if is_read else []
    old, new = (_builds_by_stack(found, [*it.items(), *kept]) for it in (pair.old, pair.new))
    swapped = both and (both[1], both[0])
    for stack, losses in found.items():
        for kind, hashes, here, there, sides in (
            (Kind.REMOVED, pairings[stack].removed, old[stack], new[stack], both),
            (Kind.ADDED, pairings[stack].added, new[stack], old[stack], swapped),
        ):
            paired, equal = apart[stack].of_side(key for key, _ in here)
            if hashes or paired:
                losses[kind] = _loss(pair.name, {*hashes}, paired, equal, here, there, sides)
        if moved[stack]:
            builds = {key: pair.old[key] for key in moved[stack]}
            versions = {build.version for build in builds.values()}
            before = (it for it in old[stack] if it[0] not in builds)
            stayed = [it for it in before if it[1].version in versions]
            if any(key not in pairings[stack].removed for key, _ in stayed):
                losses[Kind.UPGRADED] = Loss(pair.name, builds, stayed, (), both)
    return found


def _moved(pair: PackagePair, pairing: Pairing) -> set[str]:
    """Return which specs of the old side have another version now; not of mere dependencies."""
    moved = {old for old, new in pairing.pairs if pair.old[old].version != pair.new[new].version}
    # Nobody asks which of those: to tell, all that both sides have would have to be read.
    return moved if not pair.graphs or any(pair.old[key].explicit for key in moved) else set()


def _loss(
    package: str,
    hashes: set[str],
    paired: frozenset[str],
    equal: frozenset[str],
    mine: Builds,
    others: Builds,
    sides: Sides | None,
) -> Loss:
    looks = {key: _look(build) for key, build in mine}
    duplicates = frozenset[str]()
    if sides:
        duplicates = sides[0].duplicates(looks, hashes)
        with_partner = {key: look for key, look in looks.items() if key not in hashes}
        equal |= sides[0].duplicates(with_partner, paired - equal) if paired else equal
    lost = hashes - duplicates | (paired - equal)
    return Loss(
        package=package,
        lost={key: build for key, build in mine if key in lost},
        stayed=[(key, build) for key, build in mine if key not in lost],
        others=others,
        sides=sides,
        duplicates=duplicates,
        paired=paired,
    )


def _builds_by_stack(
    stacks: Collection[str], specs: Iterable[tuple[str, Build]]
) -> dict[str, list[tuple[str, Build]]]:
    found: dict[str, list[tuple[str, Build]]] = {stack: [] for stack in stacks}
    for key, build in specs:
        for stack in found.keys() & build.stacks:
            found[stack].append((key, build))
    return found


_NOTHING = SideCounts({}, 0)


def _count(
    numbers: Mapping[Build | Counted, int], scope: Scope, beside: SideCounts = _NOTHING
) -> SideCounts:
    """Return how many specs there are, given the numbers of like ones, beside those counted."""
    versions = {stack: {**counted} for stack, counted in beside.versions.items()}
    in_any = beside.in_any
    for specs, number in numbers.items():
        stacks = scope.stacks(specs.stacks)
        for stack in stacks:
            counted = versions.setdefault(stack, {})
            counted[specs.version_text] = counted.get(specs.version_text, 0) + number
        in_any += number if stacks else 0
    return SideCounts(versions, in_any)
