"""What lost builds have in common, and what tells them from those that stayed; also of gained ones.

The dependencies of all builds of the packages that lost one are read, on both sides: the cost is in
proportion to what changed (specification, section 9).
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import reduce
from operator import and_, or_
from typing import NamedTuple

from msgspec import UNSET, Struct
from msgspec.structs import astuple, replace

from snapdiff.diff.dependencies import SideDependencies, Sides
from snapdiff.diff.packages import Loss
from snapdiff.diff.reach import BitCounts, each_bit
from snapdiff.diff.trait_bits import LinkedBits, TraitBits
from snapdiff.result.causes import StackTrait, Trait, TraitCount
from snapdiff.spack import Version

MOST_TRAITS = 3
"""So many traits are told of lost builds that have no single one in common."""


class Traits(NamedTuple):
    """The traits of the lost builds of a stack, package by package and in all.

    `common` has the trait that all lost builds of a package have, where there is one, and `stack`
    that of the stack; `packages` has what tells those from others that are no duplicates.
    `merged` has the variant by which all builds of a package are one on the other side.
    """

    common: Mapping[str, Trait]
    merged: Mapping[str, Trait]
    packages: Mapping[str, tuple[TraitCount, ...]]
    stack: StackTrait | None


def read_linked(losses: Iterable[Loss], bits: TraitBits) -> None:
    """Find out what all builds of packages that lost or gained one link and run.

    Each document is read once.
    """
    hashes: dict[SideDependencies, list[str]] = defaultdict(list)
    for loss in losses:
        if loss.sides:
            mine, theirs = loss.sides
            hashes[mine] += [*loss.lost, *(key for key, _ in loss.stayed)]
            hashes[theirs] += [key for key, _ in loss.others]
    bits.linked = {side: LinkedBits(side, some, bits) for side, some in hashes.items()}


def find_traits(
    losses: Iterable[Loss], gone: Iterable[str] | None, bits: TraitBits, *, are_lost: bool
) -> Traits:
    """Return what the lost builds of a stack have in common, package by package and in all.

    `gone` are the packages that the stack has on the side of the lost builds alone, None where only
    its documents say that; `bits` know what these builds link and run, and may know of others.
    Of those that `are_lost` it may be what they had that is gone, too, and few others had.
    """
    gone_from: dict[Sides | None, int] = {None: 0}
    found = []
    merged = {}
    for loss in losses:
        if trait := _merged(loss, bits):
            merged[loss.package] = trait
        if loss.sides and loss.sides not in gone_from:
            mine, theirs = (set(side.graph.names.values()) for side in loss.sides)
            gone_from[loss.sides] = bits.of_names(mine - theirs if gone is None else gone)
        found.append(_read(loss, gone_from[loss.sides], bits, are_lost=are_lost))
    packages = {lost.package: tuple(_traits_of_package(lost, bits)) for lost in found}
    every = [replace(lost, builds=lost.every) for lost in found if lost.every]
    common = {lost.package: trait for lost in every if (trait := _common_trait(lost, bits))}
    stack = _trait_of_stack(every, common, reduce(or_, (it.there for it in every), 0), bits)
    return Traits(common, merged, packages, stack)


def _merged(loss: Loss, bits: TraitBits) -> Trait | None:
    """Return the variant of the only build there is now that lists what all builds before had.

    Each of these had another part of its values: `dims=2`, `dims=3`, and now `dims=2,3`.
    """
    mine = [*loss.lost.items(), *loss.stayed]
    if len(loss.others) != 1 or len(mine) < 2:
        return None
    before, after = (bits.linked[side] for side in loss.sides) if loss.sides else (None, None)
    [now] = (bits.of_build(*build, after) for build in loss.others)
    olds = [bits.of_build(*build, before) for build in mine]
    listed = now & bits.lists & ~reduce(or_, olds)  # few, where what is linked has thousands
    for bit in sorted(each_bit(listed), key=bits.order):
        variant, values = bits.variant(bit)
        found = [old & bits.values_of[variant] for old in olds]
        if all(it.bit_count() == 1 for it in found):
            parts = [bits.variant(it)[1] for it in found]
            if len(set(parts)) == len(parts) and all(part < values for part in parts):
                what, name, key = variant
                return Trait(what, name, f"{key}={','.join(sorted(values))}")
    return None


class _Lost(Struct, frozen=True, gc=False):
    """The builds that a package lost, as bits; `builds` are those that are no duplicates.

    `others` has under 0 what any other build on either side has, and under the bit of a compiler,
    target or os what those have that have this, too; `there` is what any on the other side has.
    Of what they have `told` may be told, `fields` are those compilers, targets and systems that
    may be told beside it, and `gone` is what left the document; `gone_with` is what of this all of
    them had, and few others. `linked` is what they link and run.
    """

    package: str
    builds: Mapping[str, int]
    every: Mapping[str, int]
    others: Mapping[int, int]
    there: int
    told: int
    fields: int
    gone: int
    gone_with: int
    linked: LinkedBits | None


def _read(loss: Loss, gone: int, bits: TraitBits, *, are_lost: bool) -> _Lost:
    mine, theirs = (bits.linked[side] for side in loss.sides) if loss.sides else (None, None)
    over_there = [bits.of_build(*build, theirs) for build in loss.others]
    stayed = [bits.of_build(*build, mine) for build in loss.stayed]
    others: dict[int, int] = {}
    for has in {*over_there, *stayed}:
        for place in (0, *each_bit(has & bits.fields)):
            others[place] = others.get(place, 0) | has
    same = (place for place, has in others.items() if place and has == others[0])
    fields = bits.fields & ~sum(same) if others else 0
    twins = [item for item in loss.stayed if item[0] in loss.duplicates]
    every = {key: bits.of_build(key, build, mine) for key, build in (*loss.lost.items(), *twins)}
    lost = {key: every[key] for key in loss.lost}
    every = {key: has for key, has in every.items() if key not in loss.paired}
    told = ~(bits.told_last | bits.of_names([loss.package]) | _of_versions(loss, lost, bits))
    gone_with = 0
    for bit in each_bit(reduce(and_, lost.values(), gone & told)) if are_lost else ():
        having = sum(bool(has & bit) for has in stayed)
        # What all builds had tells none from another, whatever became of it.
        gone_with |= bit if 0 < having < min(len(lost), len(stayed)) else 0
    there = reduce(or_, over_there, 0)
    return _Lost(loss.package, lost, every, others, there, told, fields, gone, gone_with, mine)


def _of_versions(loss: Loss, lost: Mapping[str, int], bits: TraitBits) -> int:
    """Return the variants that tell no more than a version of some that no other build has."""
    elsewhere = {build.version for _, build in (*loss.stayed, *loss.others)}
    by_version: dict[Version, list[int]] = {}
    for key, build in loss.lost.items():
        by_version.setdefault(build.version, []).append(lost[key])
    found = 0
    for version in by_version.keys() - elsewhere if len(by_version) > 1 else ():
        rest = (has for other, some in by_version.items() if other != version for has in some)
        found |= reduce(and_, by_version[version]) & ~reduce(or_, rest)
    return found & bits.of_what["variant"]


def _traits_of_package(lost: _Lost, bits: TraitBits) -> list[TraitCount]:
    """Return what tells the lost builds of a package from the others.

    That is a dependency that is gone itself, which most of them that had it lost with it, or what
    they depend on themselves, where it tells all of them. Where nothing tells some, it is the
    versions of what all stands on, then variants of dependencies, or build tools.
    """
    if lost.gone_with:
        return [TraitCount(_first_trait(lost, lost.gone_with, bits), len(lost.builds))]
    last = bits.last_resort() & ~bits.of_package[lost.package]
    toolchain = bits.of_toolchain() & ~bits.of_package[lost.package]
    left = {key: has & lost.told & ~last for key, has in lost.builds.items()}
    if lost.linked and lost.others:
        others = ~bits.of_dependencies
        near = {key: told & (lost.linked.direct(key) | others) for key, told in left.items()}
        found = list(_most_common(near, lost, bits))
        if not near:
            return found
    found = list(_most_common(left, lost, bits))
    for told in (toolchain, last) if lost.others else ():
        left = {key: lost.builds[key] & told for key in left}
        found += _most_common(left, lost, bits, MOST_TRAITS - len(found))
    return found


def _common_trait(lost: _Lost, bits: TraitBits) -> Trait | None:
    """Return what all lost builds of a package have, and none on the other side."""
    common = reduce(and_, lost.builds.values()) & lost.told & ~lost.there
    return _first_trait(lost, common, bits) if common else None


def _first_trait(lost: _Lost, some: int, bits: TraitBits) -> Trait:
    """Return the first of some traits that the lost builds of a package have."""
    bit = _first(lost.builds, some, lost, bits)
    return bits.trait(bit, reduce(or_, lost.builds.values()))


def _most_common(
    left: dict[str, int], lost: _Lost, bits: TraitBits, most: int = MOST_TRAITS
) -> Iterator[TraitCount]:
    """Yield the trait that most builds have, then what most of the others have, and so on.

    A compiler, target or os goes with the trait where more builds have both. `left` has what may be
    told of each build; those that have a trait are taken out.
    """
    for _ in range(most):
        number, tied, beside = _tied_for_most(left, lost, bits)
        if not number:
            return
        having = [key for key in left if not beside or lost.builds[key] & beside]
        if not tied & bits.of_dependencies:
            foreign = (bits.of_foreign_targets(lost.builds[key], lost.there) for key in having)
            tied = tied & reduce(or_, foreign) or tied
        bit = _first(having, tied, lost, bits)
        those = [key for key in having if left[key] & bit]
        united = reduce(or_, (lost.builds[key] for key in those))
        for key in those:
            del left[key]
        trait = bits.trait(bit, united)
        also = bits.trait(beside, united) if beside else UNSET
        yield TraitCount(trait, number, also)


def _first(builds: Iterable[str], tied: int, lost: _Lost, bits: TraitBits) -> int:
    """Return the first of some traits: of dependencies the nearest, those first that are gone."""
    wanted = tied & lost.gone or tied & bits.of_dependencies or tied
    if wanted.bit_count() == 1:  # as mostly: nothing has to be looked for
        return wanted
    near = 0
    if lost.linked and wanted & bits.of_dependencies:
        near = lost.linked.search(builds, wanted)
    return min(each_bit(near or wanted), key=bits.order)


def _tied_for_most(left: Mapping[str, int], lost: _Lost, bits: TraitBits) -> tuple[int, int, int]:
    """Return how many builds have what most have, the bits of that, and the field beside it.

    No other build has that; beside a field, none that has this one.
    """
    fields = reduce(or_, left.values(), 0) & lost.fields
    best = 0, 0, 0
    for beside in (0, *sorted(each_bit(fields), key=bits.order)):
        counts = BitCounts()
        alone = ~lost.others.get(beside, 0)
        some = [told for key, told in left.items() if not beside or lost.builds[key] & beside]
        if len(some) > best[0]:
            for told in some:
                counts.add(told & alone)
            number, tied = counts.most()
            if number > best[0]:
                best = number, tied, beside
    return best


def _trait_of_stack(
    losses: Sequence[_Lost], common: Mapping[str, Trait], others: int, bits: TraitBits
) -> StackTrait | None:
    """Return the trait of packages that most lost builds are of, and how many builds have it.

    More than half of them have it, and none of the `others` of packages that lost one. A package
    that is wholly gone speaks for dependencies alone that are gone, too.
    """
    builds = [(lost.package, has) for lost in losses for has in lost.builds.values()]
    counts = BitCounts()
    for _, has in builds:
        counts.add(has)
    votes: Counter[int] = Counter()
    for lost in losses:
        bit = bits.of_trait(common[lost.package]) if lost.package in common else 0
        if bit & ~(bits.told_last | others) and (lost.there or bit & lost.gone):
            votes[bit] += len(lost.builds)
    for bit in sorted(votes, key=lambda bit: (-votes[bit], bits.order(bit))):
        specs = counts.number(bit)
        if 2 * specs > len(builds):
            trait = bits.trait(bit, reduce(or_, (has for _, has in builds if has & bit)))
            packages = len({package for package, has in builds if has & bit})
            return StackTrait(*astuple(trait), specs=specs, packages=packages)
    return None
