"""What was loaded: descriptions, specs, packages."""

from collections import Counter
from functools import lru_cache

from msgspec import Struct

ROOT = "root"
"""The aggregate of all stacks, not a stack (contract, section 3)."""


class Spec(Struct, frozen=True, gc=False):
    """One built binary, as its page writes it, in the shape of the contract's section 7."""

    hash: str
    version: str
    compiler: str
    os: str
    platform: str
    target: str
    variants: tuple[str, ...]


class Description(Struct, frozen=True, gc=False):
    """All that a page says of a spec but its hash and stacks; many specs share one."""

    version: str
    compiler: str
    os: str
    platform: str
    target: str
    variants: tuple[str, ...]

    def spec(self, spec_hash: str) -> Spec:
        """Return the spec of this description with the given hash."""
        return Spec(
            spec_hash,
            self.version,
            self.compiler,
            self.os,
            self.platform,
            self.target,
            self.variants,
        )


class SpecClass:
    """What a page says of a spec beside its hash: many specs share one object.

    `stacks` are those the specs count in: every listed one but `root`, or `root` alone. Two classes
    are equal only if they are the same object: readers share them as far as they can, and where
    they cannot, a comparison takes longer and comes to the same.
    """

    __slots__ = ("description", "stacks")

    def __init__(self, description: Description, stacks: frozenset[str]) -> None:
        """Take what a record says."""
        self.description = description
        self.stacks = stacks


class Package(Struct, frozen=True, gc=False):
    """One page: the specs of a package in a tag, by their hash.

    `counts` is the number of specs by the set of stacks they count in. `warning` says where the
    page contradicts itself without being unreadable. A page read together with another version of
    itself has only those specs in `specs` that do not stand in both in the same words; of the rest
    `shared` says how many there are of each class. A page read alone has them all in `specs`.
    """

    tag: str
    name: str
    specs: dict[str, SpecClass]
    counts: dict[frozenset[str], int]
    warning: str | None = None
    shared: dict[SpecClass, int] = {}


def count_by_stacks(
    specs: dict[str, SpecClass], shared: dict[SpecClass, int]
) -> dict[frozenset[str], int]:
    """Return the number of a package's specs by the set of stacks they count in."""
    numbers: dict[frozenset[str], int] = {}
    for classes in (Counter(specs.values()), shared):
        for spec_class, number in classes.items():
            numbers[spec_class.stacks] = numbers.get(spec_class.stacks, 0) + number
    return numbers


@lru_cache(maxsize=4096)
def counting_stacks(stacks: tuple[str, ...]) -> frozenset[str]:
    """Return the stacks a spec counts in: the listed ones but `root`, or `root` where none is left.

    >>> sorted(counting_stacks(("e4s", "root")))
    ['e4s']
    >>> sorted(counting_stacks(()))
    ['root']
    """
    return frozenset(stacks).difference([ROOT]) or frozenset([ROOT])
