"""What lost builds have in common, and no build that is still there has; the same of gained ones.

The dependencies of the lost builds are read, and those of the other builds of the packages that
lost one: the cost is in proportion to what changed (specification, section 9).
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from msgspec import UNSET

from snapdiff.diff.dependencies import Graphs
from snapdiff.diff.reach import BitCounts, each_bit
from snapdiff.diff.trait_bits import LinkedNames, TraitBits
from snapdiff.result import StackTrait, Trait, TraitCount
from snapdiff.spack.configuration import Configuration

MOST_TRAITS = 3
"""So many traits are told of lost builds that have no single one in common."""


class Loss(NamedTuple):
    """The builds that a package lost in a stack, and those that it has there on the other side.

    Both are given by hash, which builds of pages need not have. `duplicates` of builds that it did
    not lose are not among the lost ones. `graphs` are the dependencies of the lost builds' side and
    of the other, where both are known.
    """

    package: str
    lost: Mapping[str, Configuration]
    others: Sequence[tuple[str, Configuration]]
    graphs: Graphs | None
    duplicates: frozenset[str] = frozenset()


def narrowed_losses(losses: Iterable[Loss], wanted: Collection[str]) -> Iterator[Loss]:
    """Yield what packages lost of some builds, given by hash."""
    for loss in losses:
        lost = {key: configuration for key, configuration in loss.lost.items() if key in wanted}
        if lost:
            yield loss._replace(lost=lost)


class Traits(NamedTuple):
    """The traits of the lost builds of a stack, package by package and in all.

    `common` has the trait that all lost builds of a package have, where there is one.
    """

    common: Mapping[str, Trait]
    packages: Mapping[str, tuple[TraitCount, ...]]
    stack: StackTrait | None
    of_stack: tuple[TraitCount, ...]


def find_traits(losses: Iterable[Loss], gone: Callable[[Graphs], Iterable[str]]) -> Traits:
    """Return what the lost builds of a stack have in common, package by package and in all.

    `gone` says of a document which packages are in the stack on the side of the lost builds alone.
    Raises FormatError where a node cannot be read.
    """
    bits = TraitBits()
    by_document: dict[Graphs | None, list[Loss]] = defaultdict(list)
    for loss in losses:
        by_document[loss.graphs].append(loss)
    found = [
        lost
        for graphs, some in by_document.items()
        for lost in _read(some, graphs, bits, gone(graphs) if graphs else ())
    ]
    packages = {lost.package: tuple(_traits_of_package(lost, bits)) for lost in found}
    common = {
        lost.package: first.trait
        for lost in found
        for first in packages[lost.package][:1]
        if first.specs == len(lost.builds) and not first.also
    }
    stack = _trait_of_stack(found, common, bits)
    return Traits(common, packages, stack, tuple(_traits_of_stack(found, stack, bits)))


class _Build(NamedTuple):
    """What a lost build has, and what the builds have that are there of its package, as bits.

    `there` has under 0 what any of these has, and under the bit of a compiler, target or os what
    those have that have this, too; `fields` are the bits of these that tell more than 0. `linked`
    is there with a document that has dependencies.
    """

    has: int
    there: Mapping[int, int]
    fields: int
    linked: LinkedNames | None

    def alone(self, beside: int) -> int:
        """Return what it has and no build there; `beside` a field, what none there has with it."""
        return self.has & ~self.there.get(beside, 0)


class _Lost(NamedTuple):
    """The builds that a package lost; `gone` are the bits of what left their document."""

    package: str
    builds: Mapping[str, _Build]
    there: Mapping[int, int]
    gone: int


def _read(
    losses: Sequence[Loss], graphs: Graphs | None, bits: TraitBits, gone: Iterable[str]
) -> Iterator[_Lost]:
    """Yield what packages of one document lost."""
    linked, mine, theirs = None, dict[str, int](), dict[str, int]()
    if graphs:
        linked = LinkedNames(graphs[0], bits)
        mine = linked.read(key for loss in losses for key in loss.lost)
        others = LinkedNames(graphs[1], bits)
        theirs = others.read(key for loss in losses for key, _ in loss.others)
    bits_of_gone = bits.of_names(gone)
    for loss in losses:
        alike: dict[int, int] = {}
        for key, configuration in loss.others:
            own = bits.of_configuration(configuration)
            alike[own] = alike.get(own, own) | theirs.get(key, 0)
        there: dict[int, int] = {}
        for own, found in alike.items():
            for place in (0, *each_bit(own & bits.fields)):
                there[place] = there.get(place, 0) | found
        lost = {}
        for key, configuration in loss.lost.items():
            own = bits.of_configuration(configuration)
            some = each_bit(own & bits.fields) if there else ()
            fields = sum(bit for bit in some if there.get(bit) != there[0])
            lost[key] = _Build(mine.get(key, 0) | own, there, fields, linked)
        yield _Lost(loss.package, lost, there, bits_of_gone)


def _traits_of_package(lost: _Lost, bits: TraitBits) -> Iterator[TraitCount]:
    itself = bits.of_names([lost.package])
    builds = {key: build._replace(has=build.has & ~itself) for key, build in lost.builds.items()}
    return _most_common(builds, lost.gone, bits)


def _traits_of_stack(
    losses: Sequence[_Lost], first: StackTrait | None, bits: TraitBits
) -> Iterator[TraitCount]:
    """Yield the trait that the stack has, and those of the builds that do not have it.

    A package that is wholly gone has no build to tell its lost ones from, so it speaks for
    dependencies alone that are gone, too.
    """
    left: dict[str, _Build] = {}
    gone = 0
    bit = bits.of_trait(first) if first else 0
    for lost in losses:
        gone |= lost.gone
        told = ~0 if lost.there else lost.gone | ~bits.traits
        for key, build in lost.builds.items():
            if not build.has & bit:
                left[key] = build._replace(has=build.has & told)
    if first:
        yield TraitCount(Trait(first.what, first.name, first.value), first.specs)
    yield from _most_common(left, gone, bits, MOST_TRAITS - bool(first))


def _most_common(
    builds: Mapping[str, _Build],
    gone: int,
    bits: TraitBits,
    most: int = MOST_TRAITS,
) -> Iterator[TraitCount]:
    """Yield the trait that most builds have, then what most of the others have, and so on.

    A compiler, target or os goes with the trait where more builds have both.
    """
    left = dict(builds)
    for _ in range(most):
        number, tied, beside = _tied_for_most(left.values(), bits)
        if not number:
            return
        having = {key: build for key, build in left.items() if not beside or build.has & beside}
        wanted = tied & gone or tied & bits.of_what["dependency"]
        bit = _nearest(having, wanted, bits) if wanted else bits.first(tied)
        united = 0
        for key, build in having.items():
            if build.alone(beside) & bit:
                united |= build.has
                del left[key]
        also = bits.trait(beside, united) if beside else UNSET
        yield TraitCount(bits.trait(bit, united), number, also)


def _nearest(builds: Mapping[str, _Build], wanted: int, bits: TraitBits) -> int:
    """Return which of some packages is nearest to builds."""
    if wanted.bit_count() == 1:  # as mostly: nothing has to be looked for
        return wanted
    by_document: dict[LinkedNames, list[str]] = defaultdict(list)
    for key, build in builds.items():
        if build.linked:
            by_document[build.linked].append(key)
    found = filter(None, (linked.search(some, wanted) for linked, some in by_document.items()))
    nearest = min(found, default=None)
    return bits.of_names([nearest[1]]) if nearest else min(each_bit(wanted), key=bits.name)


def _tied_for_most(builds: Collection[_Build], bits: TraitBits) -> tuple[int, int, int]:
    """Return how many builds have what most have, the bits of that, and the field beside it."""
    fields = 0
    for build in builds:
        fields |= build.fields
    best = 0, 0, 0
    for beside in (0, *sorted(each_bit(fields), key=bits.order)):
        counts = BitCounts()
        some = [build for build in builds if build.has & beside] if beside else builds
        if len(some) > best[0]:
            for build in some:
                counts.add(build.alone(beside) & bits.traits)
            number, tied = counts.most()
            if number > best[0]:
                best = number, tied, beside
    return best


def _trait_of_stack(
    losses: Sequence[_Lost], common: Mapping[str, Trait], bits: TraitBits
) -> StackTrait | None:
    """Return the trait of packages that most lost builds are of, and how many builds have it.

    More than half of them have it, and none of the builds that are still there of the packages that
    lost one. A package that is wholly gone speaks for dependencies alone that are gone, too.
    """
    votes: Counter[int] = Counter()
    counts = BitCounts()
    there = gone = 0
    for lost in losses:
        there |= lost.there.get(0, 0)
        gone |= lost.gone
        for build in lost.builds.values():
            counts.add(build.has)
    for lost in losses:
        bit = bits.of_trait(common[lost.package]) if lost.package in common else 0
        if bit & ~there and (lost.there or bit & gone):
            votes[bit] += len(lost.builds)
    for bit in sorted(votes, key=lambda bit: (-votes[bit], bits.order(bit))):
        specs = counts.number(bit)
        if 2 * specs > sum(len(lost.builds) for lost in losses):
            having = [
                (lost.package, build.has)
                for lost in losses
                for build in lost.builds.values()
                if build.has & bit
            ]
            united = 0
            for _, has in having:
                united |= has
            trait = bits.trait(bit, united)
            return StackTrait(
                trait.what,
                trait.name,
                trait.value,
                specs=specs,
                packages=len({package for package, _ in having}),
            )
    return None
