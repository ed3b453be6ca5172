"""What lost builds have in common, and no build that is still there has; the same of gained ones.

The dependencies of the lost builds are read, and those of the other builds of the packages that
lost one: the cost is in proportion to what changed (specification, section 9).
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Literal, NamedTuple

from snapdiff.diff.linked_names import LinkedNames
from snapdiff.model import Graph
from snapdiff.result import StackTrait, Trait
from snapdiff.spack.configuration import Configuration

_FIELDS: tuple[Literal["compiler", "target", "os"], ...] = ("compiler", "target", "os")
"""The fields of a configuration that may be a trait, the first one first."""


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
    """The traits of the packages of a stack that have one, and that of the stack."""

    packages: Mapping[str, Trait]
    stack: StackTrait | None


def find_traits(losses: Sequence[Loss], gone: Callable[[Graphs], frozenset[str]]) -> Traits:
    """Return what the lost builds of a stack have in common, package by package and in all.

    `gone` says of a document which packages are in the stack on the side of the lost builds alone.
    Raises FormatError where a node cannot be read.
    """
    found: dict[str, Trait] = {}
    names: list[LinkedNames] = []
    by_document: dict[tuple[int, int], list[Loss]] = defaultdict(list)
    for loss in losses:
        if loss.graphs:
            by_document[id(loss.graphs[0]), id(loss.graphs[1])].append(loss)
    for some in by_document.values():
        assert some[0].graphs
        linked = LinkedNames(some[0].graphs, gone(some[0].graphs))
        linked.add((loss.package, loss.lost, (key for key, _ in loss.others)) for loss in some)
        names.append(linked)
        for loss in some:
            trait = linked.trait(loss.package)
            if trait:
                found[loss.package] = trait
    for loss in losses:
        if loss.package not in found:
            trait = _trait_of_configurations(
                loss.lost.values(), (configuration for _, configuration in loss.others)
            )
            if trait:
                found[loss.package] = trait
    return Traits(found, _trait_of_stack(losses, found, names))


def _trait_of_configurations(
    lost: Iterable[Configuration], others: Iterable[Configuration]
) -> Trait | None:
    mine, theirs = set(lost), set(others)
    for field in _FIELDS:
        values = {getattr(configuration, field) for configuration in mine}
        if len(values) == 1 and values.isdisjoint(getattr(other, field) for other in theirs):
            return Trait(field, None, values.pop())
    variants = frozenset.intersection(*(configuration.variants for configuration in mine))
    variants = variants.difference(*(other.variants for other in theirs))
    return Trait("variant", _name_of_variant(min(variants)), min(variants)) if variants else None


def _name_of_variant(variant: str) -> str:
    """Return the name of a variant.

    >>> [_name_of_variant(text) for text in ("+mpi", "~~shared", "build_type=Release")]
    ['mpi', 'shared', 'build_type']
    """
    return variant.lstrip("+~-").partition("=")[0]


def _trait_of_stack(
    losses: Sequence[Loss], found: Mapping[str, Trait], names: Sequence[LinkedNames]
) -> StackTrait | None:
    """Return the trait of packages that most lost builds are of, and how many builds have it.

    More than half of them have it, and none of the builds that are still there of the packages that
    lost one. A package that is wholly gone has no build to tell its lost ones from, so it speaks
    for dependencies alone that are gone, too.
    """
    votes: Counter[tuple[str, str | None, str | None]] = Counter()
    gone = frozenset[str]().union(*(linked.gone for linked in names))
    for loss in losses:
        trait = found.get(loss.package)
        if trait and (loss.others or (trait.name in gone and trait.what == "dependency")):
            votes[_like(trait)] += len(loss.lost)
    for like in sorted(votes, key=lambda like: (-votes[like], _order(like))):
        having = _having(like, losses, names)
        if having and 2 * having.specs > sum(len(loss.lost) for loss in losses):
            return having
    return None


_Like = tuple[str, str | None, str | None]
"""What a trait is, its name, and its value but for the version of a dependency."""

_ORDER = ("dependency", *_FIELDS, "variant")


def _like(trait: Trait) -> _Like:
    return trait.what, trait.name, None if trait.what == "dependency" else trait.value


def _order(like: _Like) -> tuple[int, str, str]:
    return _ORDER.index(like[0]), like[1] or "", like[2] or ""


def _having(like: _Like, losses: Sequence[Loss], names: Sequence[LinkedNames]) -> StackTrait | None:
    """Return a trait with how many lost builds have it, None where one that is there has it."""
    what, name, value = like
    if what == "dependency":
        assert name is not None
        if any(linked.is_there(name) for linked in names):
            return None
        lost = [found for linked in names for found in linked.lost_with(name)]
        versions = {version for linked in names for version in linked.versions(name)}
        version = versions.pop() if len(versions) == 1 else None
        return StackTrait(
            "dependency", name, version, specs=len(lost), packages=len({p for p, _ in lost})
        )

    def has(configuration: Configuration) -> bool:
        if what == "variant":
            return value in configuration.variants
        return bool(getattr(configuration, what) == value)

    if any(has(other) for loss in losses for _, other in loss.others):
        return None
    numbers = [sum(map(has, loss.lost.values())) for loss in losses]
    return StackTrait(
        what,  # type: ignore[arg-type]
        name,
        value,
        specs=sum(numbers),
        packages=sum(map(bool, numbers)),
    )
