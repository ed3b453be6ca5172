"""Specs: how they were built, which stacks they count in, and what they depend on."""

from collections.abc import Collection, Mapping
from functools import cached_property, lru_cache
from typing import NamedTuple, Protocol

from msgspec import UNSET, Raw, Struct, UnsetType

from snapdiff.spack import Configuration, Version, parse_configuration, parse_version, target_family

EMPTY_PART = "."
"""What a stack or tag is called whose part of the path is empty."""

ROOT = "root"
"""The aggregate of all stacks, not a stack (specification, section 3)."""


class Revision(Struct, frozen=True, kw_only=True):
    """One side of the comparison: what was asked for, and the commit it is, if it is one.

    - `source`: what was asked for, as it was written; of `.` and `..` the name of that folder
    - `commit`: the full id of the commit, null where it is none
    - `date`: when it was committed, in ISO 8601; null where it is no commit
    - `subject`: the first line of the commit's message; there where it is a commit
    """

    source: str
    commit: str | None
    date: str | None
    subject: str | UnsetType = UNSET


class Spec(Struct, frozen=True, gc=False, omit_defaults=True):
    """One built binary, as its document writes it, in the shape of the JSON report.

    - `compiler`: its compiler, `none` where it has none
    - `os`, `platform`, `target`: the system and the processors that it was built for
    - `variants`: its variants and flags
    - `explicit`: whether somebody asked for it, a root or installed by hand: there where true
    - `external`: whether Spack did not build it: there where true
    """

    hash: str
    version: str
    compiler: str
    os: str
    platform: str
    target: str
    variants: tuple[str, ...]
    explicit: bool = False
    external: bool = False


class Build(Struct, eq=False, dict=True):
    """How specs were built, as their document writes it: like specs share one object.

    Any text has a meaning, and is parsed when it is needed. `stacks` are those the specs count in:
    every listed one but `root`, or `root` alone. Two builds are equal only if they are the same
    object: readers share them as far as they can, and where they cannot, a comparison takes longer
    and gives the same result.
    """

    version_text: str
    compiler: str
    os: str
    platform: str
    target: str
    variants: tuple[str, ...]
    stacks: frozenset[str]
    explicit: bool = False
    external: bool = False

    @cached_property
    def version(self) -> Version:
        """The version as it orders."""
        return parse_version(self.version_text)

    @cached_property
    def configuration(self) -> Configuration:
        """Compiler, os, platform, target and variants in the common notation."""
        words = self.compiler, self.os, self.platform, self.target, self.variants
        return parse_configuration(*words)

    @property
    def target_family(self) -> str:
        """The family of its target: `x86_64` for `zen4`."""
        return target_family(self.target)

    def spec(self, spec_hash: str) -> Spec:
        """Return the spec that was built like this and has the given hash."""
        words = self.version_text, self.compiler, self.os, self.platform, self.target, self.variants
        return Spec(spec_hash, *words, self.explicit, self.external)


@lru_cache(maxsize=4096)
def counting_stacks(stacks: tuple[str, ...]) -> frozenset[str]:
    """Return the stacks a spec counts in: the listed ones but `root`, or `root` if none is left."""
    # An empty name names no stack.
    return frozenset(stacks).difference([ROOT, ""]) or frozenset([ROOT])


class Edge(NamedTuple):
    """A dependency of a spec: what Spack calls a `DependencySpec`.

    `types` are among build, link, run and test; `virtuals` are the virtual packages that the
    dependency provides here, such as `mpi`.
    """

    name: str
    hash: str
    types: tuple[str, ...]
    virtuals: tuple[str, ...]


class Node(Struct, frozen=True, kw_only=True):
    """A spec of a document with dependencies (specification, section 10).

    `recipe` is Spack's `package_hash`, None in documents that do not have it; `namespace` is the
    package repository, such as `builtin`. `external` is where Spack found what it did not build:
    the path and the modules, nothing where it built it.
    """

    name: str
    build: Build
    namespace: str
    recipe: str | None
    edges: tuple[Edge, ...]
    external: tuple[str, ...] = ()


class SpecName(Struct, frozen=True):
    """What a spec is called: its package and version."""

    package: str
    version: str


def packages_asked_for(graph: "Graph") -> frozenset[str] | None:
    """Return the packages that somebody asked for; None where the document does not say which."""
    if graph.roots is None:
        return None
    return frozenset(root.package for root in graph.roots.values())


class Graph(Protocol):
    """The nodes of one document by hash, each decoded when it is first asked for."""

    @property
    def roots(self) -> Mapping[str, SpecName] | None:
        """What somebody asked for, by hash; None where the document does not say it."""

    @property
    def compilers(self) -> Mapping[str, int]:
        """How many of the document's specs have which compiler, as they write it."""

    @property
    def names(self) -> Mapping[str, str]:
        """The package of each spec that the document lists, by hash."""

    @property
    def hashes(self) -> Collection[str]:
        """The hashes of all nodes."""

    def node(self, spec_hash: str) -> Node | None:
        """Return a node, or None where an edge leads to no node of the document."""

    def record(self, spec_hash: str) -> Mapping[str, Raw]:
        """Return all that the document says of a node: each key with its value as JSON text."""


def edges_of(graph: Graph, spec_hash: str) -> tuple[Edge, ...]:
    """Return the dependencies of a node; of one that the document does not have, none."""
    node = graph.node(spec_hash)
    return node.edges if node else ()


StackGraphs = Mapping[str | None, Graph]
"""The dependencies of one side's documents, by the stack that each of them lists."""


def asked_for_on_one_side(old: StackGraphs, new: StackGraphs) -> dict[str | None, frozenset[str]]:
    """Return by stack what somebody asked for on one side alone, where both say what they want."""
    found = {}
    for stack in old.keys() & new.keys():
        before, after = packages_asked_for(old[stack]), packages_asked_for(new[stack])
        if before is not None and after is not None:
            found[stack] = before ^ after
    return found


NO_GRAPHS: tuple[StackGraphs, StackGraphs] = ({}, {})
"""Both sides have no document with dependencies."""
