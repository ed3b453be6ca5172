"""Specs and packages counted: what a tag has, where nobody asks how it was built."""

from collections.abc import Mapping
from typing import Literal

from msgspec import Struct

from snapdiff.model.graph import NO_GRAPHS, StackGraphs
from snapdiff.model.packages import Tags

DocumentKind = Literal["lock", "index", "database", "page", "site data"]
"""What a stack is listed in: an environment's lock, the index of a build cache, the database of an
install tree, pages of the site or its data."""

StackDocuments = Mapping[str, DocumentKind]
"""The documents of a tag that each list a whole stack; any other stack is listed in pages."""


class Counts:
    """How many specs there are, in all and by stack, and of which packages.

    `packages` has the number of documents that list a package, `stacks` the number of specs and of
    packages by stack.
    """

    __slots__ = ("packages", "specs", "stacks")

    def __init__(self) -> None:
        """Begin with nothing."""
        self.specs = 0
        self.packages: dict[str, int] = {}
        self.stacks: dict[str, tuple[int, int]] = {}

    def add(self, name: str, by_stack: Mapping[str, int], in_any: int, times: int = 1) -> None:
        """Count a package with its specs by stack; `times` is -1 to take it out again."""
        if not in_any:
            return
        self.specs += times * in_any
        listed = self.packages.get(name, 0) + times
        if listed:
            self.packages[name] = listed
        else:
            del self.packages[name]
        for stack, number in by_stack.items():
            specs, packages = self.stacks.get(stack, (0, 0))
            if packages + times:
                self.stacks[stack] = specs + times * number, packages + times
            else:
                del self.stacks[stack]

    def merge(self, other: "Counts") -> None:
        """Count all that was counted elsewhere."""
        self.specs += other.specs
        for name, listed in other.packages.items():
            self.packages[name] = self.packages.get(name, 0) + listed
        for stack, (specs, packages) in other.stacks.items():
            known_specs, known_packages = self.stacks.get(stack, (0, 0))
            self.stacks[stack] = known_specs + specs, known_packages + packages


class TagPair(Struct, frozen=True, kw_only=True):
    """Two tags that are compared, or one that a side has alone, once all its packages are known.

    `counts` are of what no `PackagePair` holds: what is the same on both sides, or all of a tag
    that one side has alone. `left_out` are packages and stacks with a bad document: nothing is
    reported of them. `repeated` is how many of the specs counted are counted twice, old and new:
    several documents of a tag may list one spec. `graphs` are the dependencies of both sides'
    documents in which something differs, `documents` the kinds of both sides' documents. `renamed`
    has the old name of each stack of the new side that was found to be one of the old side.
    """

    tags: Tags
    counts: Counts
    left_out: frozenset[str] = frozenset()
    left_out_stacks: frozenset[str] = frozenset()
    repeated: tuple[int, int] = (0, 0)
    graphs: tuple[StackGraphs, StackGraphs] = NO_GRAPHS
    documents: tuple[StackDocuments, StackDocuments] = ({}, {})
    renamed: Mapping[str, str] = {}

    def document_of(self, stack: str, *, on_new_side: bool) -> DocumentKind:
        """Return what kind of document lists a stack on one side."""
        return self.documents[on_new_side].get(stack, "page")
