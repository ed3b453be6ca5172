"""What was loaded: specs and how they were built, dependencies, packages, counts, revisions."""

from collections import Counter
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import NamedTuple, Protocol

from msgspec import Struct

from snapdiff.spack.configuration import Configuration, parse_configuration
from snapdiff.spack.version import Version, parse_version

ROOT = "root"
"""The aggregate of all stacks, not a stack (specification, section 3)."""

Tags = tuple[str | None, str | None]
"""The tag of the old side and of the new one; None where a side has none."""


class Revision(Struct, frozen=True, kw_only=True):
    """One side of the comparison: what was asked for, and the commit it is, if it is one.

    `commit` is the full object id in hexadecimal, `date` the committer's, in ISO 8601.
    """

    source: str
    commit: str | None
    date: str | None


class Spec(Struct, frozen=True, gc=False, omit_defaults=True):
    """One built binary, as its document writes it, in the shape of the JSON report.

    `explicit` and `external` are known of documents with dependencies only, and reported only
    where true (specification, sections 7 and 10).
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


class Build:
    """How specs were built, as their document writes it: like specs share one object.

    `stacks` are those the specs count in: every listed one but `root`, or `root` alone. Two builds
    are equal only if they are the same object: readers share them as far as they can, and where
    they cannot, a comparison takes longer and gives the same result.
    """

    __slots__ = (
        "_configuration",
        "_version",
        "compiler",
        "explicit",
        "external",
        "os",
        "platform",
        "stacks",
        "target",
        "variants",
        "version_text",
    )

    def __init__(
        self,
        version_text: str,
        compiler: str,
        os: str,
        platform: str,
        target: str,
        variants: tuple[str, ...],
        stacks: frozenset[str],
        *,
        explicit: bool = False,
        external: bool = False,
    ) -> None:
        """Take the values as written; any text has a meaning, and is parsed when it is needed."""
        self.version_text = version_text
        self.compiler = compiler
        self.os = os
        self.platform = platform
        self.target = target
        self.variants = variants
        self.stacks = stacks
        self.explicit = explicit
        self.external = external
        self._version: Version | None = None
        self._configuration: Configuration | None = None

    @property
    def version(self) -> Version:
        """The version as it orders."""
        if self._version is None:
            self._version = parse_version(self.version_text)
        return self._version

    @property
    def configuration(self) -> Configuration:
        """Compiler, os, platform, target and variants in the common notation."""
        if self._configuration is None:
            self._configuration = parse_configuration(
                self.compiler, self.os, self.platform, self.target, self.variants
            )
        return self._configuration

    def in_stacks(self, stacks: frozenset[str]) -> "Build":
        """Return the same build, counted in more stacks."""
        return Build(
            self.version_text,
            self.compiler,
            self.os,
            self.platform,
            self.target,
            self.variants,
            self.stacks | stacks,
            explicit=self.explicit,
            external=self.external,
        )

    def spec(self, spec_hash: str) -> Spec:
        """Return the spec that was built like this and has the given hash."""
        return Spec(
            spec_hash,
            self.version_text,
            self.compiler,
            self.os,
            self.platform,
            self.target,
            self.variants,
            self.explicit,
            self.external,
        )


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
    package repository, such as `builtin`.
    """

    name: str
    build: Build
    namespace: str
    recipe: str | None
    edges: tuple[Edge, ...]


class Graph(Protocol):
    """The nodes of one document by hash, each decoded when it is first asked for."""

    def node(self, spec_hash: str) -> Node | None:
        """Return a node, or None where an edge leads to no node of the document."""
        ...


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


class PackagePair(Struct, frozen=True, gc=False, kw_only=True):
    """One package on both sides: the only type that a diff is made of.

    `old` and `new` hold by hash what the other side does not have in the same words, `common` the
    number of specs that both sides have. `document` is how an error names where the package is
    listed. `graphs` are there where both sides have dependencies.
    """

    tags: Tags
    name: str
    old: Mapping[str, Build]
    new: Mapping[str, Build]
    common: Mapping[InCommon, int]
    document: str = ""
    graphs: tuple[Graph, Graph] | None = None


StackCounts = dict[frozenset[str], int]
"""The number of a package's specs by the set of stacks they count in."""


class PackageCounts(Struct, frozen=True, gc=False):
    """How many specs a package has in a tag, where nobody asks how they were built."""

    tag: str
    name: str
    by_stacks: StackCounts


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
    several documents of a tag may list one spec.
    """

    tags: Tags
    counts: Counts
    left_out: frozenset[str] = frozenset()
    left_out_stacks: frozenset[str] = frozenset()
    repeated: tuple[int, int] = (0, 0)


def counted_in_common(builds: Mapping[Build, int]) -> dict[InCommon, int]:
    """Return the number of specs of each build by version and stacks alone."""
    numbers: dict[InCommon, int] = {}
    for build, number in builds.items():
        if number:
            key = InCommon(build.version_text, build.stacks)
            numbers[key] = numbers.get(key, 0) + number
    return numbers


def count_by_stacks(builds: Iterable[Build], common: Mapping[InCommon, int]) -> StackCounts:
    """Return the number of specs by the set of stacks they count in."""
    numbers: StackCounts = {}
    for build, number in Counter(builds).items():
        numbers[build.stacks] = numbers.get(build.stacks, 0) + number
    for shared, number in common.items():
        numbers[shared.stacks] = numbers.get(shared.stacks, 0) + number
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
