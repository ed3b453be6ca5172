"""What lost builds have in common, and no build that is still there has; the same of gained ones.

The dependencies of the lost builds are read, and those of the other builds of the packages that
lost one: the cost is in proportion to what changed (specification, section 9).
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from snapdiff.diff.reach import BitCounts
from snapdiff.diff.trait_bits import LinkedNames, TraitBits
from snapdiff.model import Graph
from snapdiff.result import StackTrait, Trait, TraitCount
from snapdiff.spack.configuration import Configuration

MOST_TRAITS = 3
"""So many traits are told of lost builds that have no single one in common."""

Graphs = tuple[Graph, Graph]
"""The dependencies of the lost builds' side and of the other."""


class Loss(NamedTuple):
    """The builds that a package lost in a stack, and those that it has there on the other side.

    Both are given by hash, which builds of pages need not have.

    `graphs` are the dependencies of the lost builds' side and of the other, where both are known.
    """

    package: str
    lost: Mapping[str, Configuration]
    others: Sequence[tuple[str, Configuration]]
    graphs: Graphs | None


class Traits(NamedTuple):
    """The traits of the lost builds of a stack, package by package and in all.

    `common` has the trait that all lost builds of a package have, where there is one.
    """

    common: Mapping[str, Trait]
    packages: Mapping[str, tuple[TraitCount, ...]]
    stack: StackTrait | None
    of_stack: tuple[TraitCount, ...]


def find_traits(losses: Sequence[Loss], gone: Callable[[Graphs], frozenset[str]]) -> Traits:
    """Return what the lost builds of a stack have in common, package by package and in all.

    `gone` says of a document which packages are in the stack on the side of the lost builds alone.
    Raises FormatError where a node cannot be read.
    """
    bits = TraitBits()
    by_document: dict[tuple[int, int], list[Loss]] = defaultdict(list)
    for loss in losses:
        key = (id(loss.graphs[0]), id(loss.graphs[1])) if loss.graphs else (0, 0)
        by_document[key].append(loss)
    found = [
        lost
        for some in by_document.values()
        for lost in _read(some, bits, gone(some[0].graphs) if some[0].graphs else frozenset())
    ]
    packages = {lost.package: tuple(_traits_of_package(lost, bits)) for lost in found}
    common = {
        lost.package: packages[lost.package][0].trait
        for lost in found
        if packages[lost.package] and packages[lost.package][0].specs == len(lost.builds)
    }
    stack = _trait_of_stack(found, common, bits)
    return Traits(common, packages, stack, tuple(_traits_of_stack(found, stack, bits)))


class _Lost(NamedTuple):
    """The builds that a package lost, as bits of what each has and no build there of the package.

    `there` is what these have, nothing where there are none; `linked` is there with a document
    that has dependencies, and `gone` are the bits of the packages that left it.
    """

    package: str
    builds: Mapping[str, int]
    there: int
    has_others: bool
    linked: LinkedNames | None
    gone: int


def _read(losses: Sequence[Loss], bits: TraitBits, gone: Iterable[str]) -> Iterator[_Lost]:
    """Yield what packages of one document lost."""
    linked, mine, theirs = None, dict[str, int](), dict[str, int]()
    if losses[0].graphs:
        linked = LinkedNames(losses[0].graphs[0], bits)
        mine = linked.read(key for loss in losses for key in loss.lost)
        others = LinkedNames(losses[0].graphs[1], bits)
        theirs = others.read(key for loss in losses for key, _ in loss.others)
    bits_of_gone = bits.of_names(gone)
    for loss in losses:
        there = 0
        for key, configuration in loss.others:
            there |= theirs.get(key, 0) | bits.of_configuration(configuration)
        lost = {
            key: (mine.get(key, 0) | bits.of_configuration(configuration)) & ~there
            for key, configuration in loss.lost.items()
        }
        yield _Lost(loss.package, lost, there, bool(loss.others), linked, bits_of_gone)


def _traits_of_package(lost: _Lost, bits: TraitBits) -> Iterator[TraitCount]:
    def nearest(builds: Collection[str], wanted: int) -> str:
        assert lost.linked
        return lost.linked.nearest(builds, wanted)

    itself = bits.of_names([lost.package])
    builds = {key: found & ~itself for key, found in lost.builds.items()}
    return _most_common(builds, lost.gone, bits, nearest)


def _traits_of_stack(
    losses: Sequence[_Lost], first: StackTrait | None, bits: TraitBits
) -> Iterator[TraitCount]:
    """Yield the trait that the stack has, and those of the builds that do not have it.

    A package that is wholly gone has no build to tell its lost ones from, so it speaks for
    dependencies alone that are gone, too.
    """
    left: dict[str, int] = {}
    linked: dict[str, LinkedNames] = {}
    gone = 0
    bit = bits.of_trait(first) if first else 0
    for lost in losses:
        gone |= lost.gone
        for key, found in lost.builds.items():
            if not found & bit:
                left[key] = found if lost.has_others else bits.only(found, lost.gone)
                if lost.linked:
                    linked[key] = lost.linked

    def nearest(builds: Collection[str], wanted: int) -> str:
        by_document: dict[LinkedNames, list[str]] = {}
        for key in builds:
            if key in linked:
                by_document.setdefault(linked[key], []).append(key)
        places = [document.search(some, wanted) for document, some in by_document.items()]
        return min(place for place in places if place)[1]

    if first:
        yield TraitCount(Trait(first.what, first.name, first.value), first.specs)
    yield from _most_common(left, gone, bits, nearest, MOST_TRAITS - bool(first))


def _most_common(
    builds: Mapping[str, int],
    gone: int,
    bits: TraitBits,
    nearest: Callable[[Collection[str], int], str],
    most: int = MOST_TRAITS,
) -> Iterator[TraitCount]:
    """Yield the trait that most builds have, then what most of the others have, and so on."""
    left = dict(builds)
    for _ in range(most):
        counts = BitCounts()
        for found in left.values():
            counts.add(found & bits.traits)
        number, tied = counts.most()
        if not number:
            return
        wanted = tied & gone or tied & bits.of_what["dependency"]
        bit = bits.of_names([nearest(left, wanted)]) if wanted else bits.first(tied)
        having = 0
        for key in [key for key, found in left.items() if found & bit]:
            having |= left.pop(key)
        yield TraitCount(bits.trait(bit, having), number)


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
        there |= lost.there
        gone |= lost.gone
        for found in lost.builds.values():
            counts.add(found)
    for lost in losses:
        bit = bits.of_trait(common[lost.package]) if lost.package in common else 0
        if bit & ~there and (lost.has_others or bit & gone):
            votes[bit] += len(lost.builds)
    for bit in sorted(votes, key=lambda bit: (-votes[bit], bits.order(bit))):
        specs = counts.number(bit)
        if 2 * specs > sum(len(lost.builds) for lost in losses):
            having = [
                (lost.package, found)
                for lost in losses
                for found in lost.builds.values()
                if found & bit
            ]
            united = 0
            for _, found in having:
                united |= found
            trait = bits.trait(bit, united)
            return StackTrait(
                trait.what,
                trait.name,
                trait.value,
                specs=specs,
                packages=len({package for package, _ in having}),
            )
    return None
