"""The specs of one package: of one document, of both sides, or only counted."""

from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from msgspec import Struct

from snapdiff.model.graph import Graph
from snapdiff.model.specs import Build

Tags = tuple[str | None, str | None]
"""The tag of the old side and of the new one; None where a side has none."""


class Package(Struct, frozen=True, gc=False):
    """The specs of a package in a tag, by hash, as one document lists them.

    `stack` is there where the document lists one whole stack, `graph` where it has dependencies.
    """

    tag: str
    name: str
    specs: Mapping[str, Build]
    stack: str | None = None
    graph: Graph | None = None


class InCommon(NamedTuple):
    """What is counted of specs that both sides have in the same words."""

    version_text: str
    stacks: frozenset[str]


KeptSpecs = Callable[[], Iterable[tuple[str, Build]]]
"""Returns specs with their hashes; of a page like specs once, without a hash."""


def none_kept() -> Iterable[tuple[str, Build]]:
    """Return no spec."""
    return ()


class PackagePair(Struct, frozen=True, gc=False, kw_only=True):
    """One package on both sides: the only type that a diff is made of.

    `old` and `new` hold by hash what the other side does not have in the same words, `common` the
    number of specs that both sides have, and `kept` reads these when it is called. `document` is
    how an error names where the package is listed. `graphs` are there where both sides have
    dependencies.
    """

    tags: Tags
    name: str
    old: Mapping[str, Build]
    new: Mapping[str, Build]
    common: Mapping[InCommon, int]
    document: str = ""
    kept: KeptSpecs = none_kept
    graphs: tuple[Graph, Graph] | None = None


StackCounts = dict[frozenset[str], int]
"""The number of a package's specs by the set of stacks they count in."""


class PackageCounts(Struct, frozen=True, gc=False):
    """How many specs a package has in a tag, where nobody asks how they were built."""

    tag: str
    name: str
    by_stacks: StackCounts


def counted_in_common(
    builds: Mapping[Build, int], others: Mapping[InCommon, int] = {}
) -> dict[InCommon, int]:
    """Return the number of specs of each build by version and stacks alone, and of others."""
    numbers = dict(others)
    for build, number in builds.items():
        if number:
            key = InCommon(build.version_text, build.stacks)
            numbers[key] = numbers.get(key, 0) + number
    return numbers


def count_by_stacks(builds: Mapping[Build, int], common: Mapping[InCommon, int]) -> StackCounts:
    """Return the number of specs by the set of stacks they count in.

    `builds` has the number of specs of each build.
    """
    numbers: StackCounts = {}
    for build, number in builds.items():
        numbers[build.stacks] = numbers.get(build.stacks, 0) + number
    for shared, number in common.items():
        numbers[shared.stacks] = numbers.get(shared.stacks, 0) + number
    return numbers
