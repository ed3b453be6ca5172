"""Everything that may be a trait as bits of integers: what builds link or run, and how they are."""

from collections import defaultdict
from collections.abc import Iterable
from functools import reduce
from operator import or_
from typing import get_args

from msgspec.structs import astuple

from snapdiff.diff.dependencies import SideDependencies
from snapdiff.diff.reach import each_bit, unite_below
from snapdiff.model.specs import Build, Node
from snapdiff.result.causes import Trait, TraitWhat
from snapdiff.spack import STOOD_ON, Configuration, is_patches, target_family

_ORDER: tuple[TraitWhat, ...] = get_args(TraitWhat)

_FIELDS: tuple[TraitWhat, ...] = ("compiler", "target", "os")
"""What may be a trait beside another one, the first one first."""

_MOST_STEPS = 1_000_000
"""So many nodes are looked at to find which packages are nearest to lost builds of a document.

After that the first by name is taken for the nearest: where thousands of packages lost a build, and
what those have in common is far below all of them, to look for it would take minutes.
"""

_TOOLS = ("py-setuptools", "py-setuptools-scm", "py-pip", "py-wheel", "py-cython")
"""What Python packages are built with, and some list as needed to run."""


class TraitBits:
    """Everything that may be a trait as a bit of integers, and every version of a dependency.

    `of_what` has the bits of each kind of trait: `fields` are all compilers, targets and systems,
    `of_dependencies` all dependencies and their variants, `told_last` these variants, and versions.
    `of_package` has the bits of a package as a dependency, `values_of` those of a variant with its
    different values, `lists` those of all that list several. `linked` is what builds of documents
    link and run.
    """

    def __init__(self) -> None:
        self.of_what: dict[TraitWhat, int] = dict.fromkeys(_ORDER, 0)
        self.fields = self.of_dependencies = self.told_last = 0
        self.of_package: dict[str, int] = defaultdict(int)
        self.values_of: dict[tuple[TraitWhat, str | None, str], int] = defaultdict(int)
        self.lists = 0
        self.linked: dict[SideDependencies, LinkedBits] = {}
        self._bits: dict[tuple[TraitWhat, str | None, str | None], int] = {}
        self._traits: dict[int, Trait] = {}
        self._nodes: dict[tuple[str, str, frozenset[str]], int] = {}
        self._configurations: dict[Configuration, int] = {}

    def last_resort(self) -> int:
        """Return the bits of what tells least: variants of dependencies, and their build tools."""
        return self.of_what["dependency variant"] | self.of_names(_TOOLS)

    def of_toolchain(self) -> int:
        """Return the bits of the versions of what most builds of a site stand on."""
        names = reduce(or_, (self.of_package.get(name, 0) for name in STOOD_ON), 0)
        return names & self.of_what["dependency"] & self.told_last

    def of_node(self, name: str, node: Node | None) -> int:
        """Return the bits of a package, its version and its variants, of like nodes one object."""
        version = node.build.version_text if node else ""
        variants = node.build.configuration.variants if node else frozenset()
        key = name, version, variants
        found = self._nodes.get(key)
        if found is None:
            found = self._of("dependency", name, None) | self._of("dependency", name, version)
            for variant in variants:
                if not is_patches(variant):  # hashes tell nobody anything
                    found |= self._of("dependency variant", name, variant)
            self._nodes[key] = found
            self.of_package[name] |= found
        return found

    def of_build(self, key: str, build: Build, linked: "LinkedBits | None") -> int:
        """Return the bits of what a build is, and of all that it links or runs, where known."""
        own = self._configurations.get(build.configuration)
        if own is None:
            own = 0
            for what in _FIELDS:
                own |= self._of(what, None, getattr(build.configuration, what))
            for variant in build.configuration.variants:
                name = variant.lstrip("+~-").partition("=")[0]
                own |= self._of("variant", name, variant)
            self._configurations[build.configuration] = own
        return own | linked.found[key] if linked else own

    def of_names(self, names: Iterable[str]) -> int:
        """Return the bits of those packages that some build links or runs, or is."""
        return reduce(or_, (self._bits.get(("dependency", it, None), 0) for it in names), 0)

    def of_foreign_targets(self, has: int, there: int) -> int:
        """Return the targets among some bits of whose family there is no other bit."""
        targets = self.of_what["target"]
        mine, theirs = has & targets & ~there, there & targets
        if not mine or not theirs:  # as mostly: no family has to be looked up
            return 0

        def family(bit: int) -> str:
            return target_family(str(self._traits[bit].value))

        families = set(map(family, each_bit(theirs)))
        return sum(bit for bit in each_bit(mine) if family(bit) not in families)

    def of_trait(self, trait: Trait) -> int:
        """Return the bit of a trait that some build has."""
        value = trait.value if trait.what != "dependency" else None
        return self._bits[trait.what, trait.name, value]

    def variant(self, bit: int) -> tuple[tuple[TraitWhat, str | None, str], frozenset[str]]:
        """Return the kind, package and name of a variant that has values, and these."""
        trait = self._traits[bit]
        key, _, values = (trait.value or "").partition("=")
        return (trait.what, trait.name, key), frozenset(values.split(","))

    def order(self, bit: int) -> tuple[int, str, str]:
        """Return what decides between traits: the kind, of a dependency the name, the value."""
        what, name, value = astuple(self._traits[bit])
        return _ORDER.index(what), "" if what == "variant" else name or "", value or ""

    def trait(self, bit: int, having: int) -> Trait:
        """Return a trait; `having` are the bits of the builds that have it."""
        trait = self._traits[bit]
        if trait.what != "dependency":
            return trait
        own = having & self.of_package[trait.name or ""] & self.of_what["dependency"] & ~bit
        version = self._traits.get(own)  # where there is one alone
        return version if version and version.value else trait

    def _of(self, what: TraitWhat, name: str | None, value: str | None) -> int:
        words = what, name, value
        bit = self._bits.get(words)
        if bit is None:
            bit = self._bits[words] = 1 << len(self._bits)
            self._traits[bit] = Trait(*words)
            self.of_what[what] |= bit
            if what in _FIELDS:
                self.fields |= bit
            if what in ("dependency", "dependency variant"):
                self.of_dependencies |= bit
                self.told_last |= bit if value is not None else 0
            key, _, values = (value or "").partition("=")
            if what in ("variant", "dependency variant") and values and key != "patches":
                self.values_of[what, name, key] |= bit
                self.lists |= bit if "," in values else 0
        return bit


class LinkedBits:
    """What builds of one document link or run, at any depth, as bits.

    `found` has them for each build: its own, and those of all that it links or runs.
    """

    def __init__(self, side: SideDependencies, hashes: Iterable[str], bits: TraitBits) -> None:
        """Read the builds; `bits` gives each dependency its own."""
        self._side = side
        self._own: dict[str, int] = {}
        self._steps = 0

        def read_own(spec_hash: str) -> int:
            node = side.graph.node(spec_hash)
            name = node.name if node else side.names[spec_hash]
            own = self._own[spec_hash] = bits.of_node(name, node)
            return own

        self.found = dict.fromkeys(hashes, 0)
        for spec_hash, linked in unite_below(self.found, side.below, read_own):
            if spec_hash in self.found:
                self.found[spec_hash] = linked

    def direct(self, build: str) -> int:
        """Return the bits of those dependencies that a build has itself."""
        return reduce(or_, map(self._own.__getitem__, self._side.below(build)), 0)

    def search(self, builds: Iterable[str], wanted: int) -> int:
        """Return which of some bits the nearest nodes have that have any.

        A build may itself have them. There is none where it is too far, or below none of them.
        """
        level = dict.fromkeys(builds)
        seen = dict(level)
        while level and self._steps < _MOST_STEPS:
            self._steps += len(level)
            found = reduce(or_, map(self._own.__getitem__, level)) & wanted
            if found:
                return found
            below = (child for node in level for child in self._side.below(node))
            level = {child: None for child in below if child not in seen}
            seen |= level
        return 0
