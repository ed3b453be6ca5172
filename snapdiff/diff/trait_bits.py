"""Everything that may be a trait as bits of integers: what builds link or run, and how they are."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from functools import cached_property
from typing import Literal

from snapdiff.diff.events import is_build_only
from snapdiff.diff.reach import each_bit, unite_below
from snapdiff.model import Graph
from snapdiff.result import Trait
from snapdiff.spack.configuration import Configuration

_What = Literal["dependency", "compiler", "target", "os", "variant"]

_FIELDS: tuple[_What, ...] = ("compiler", "target", "os", "variant")
"""What may be a trait beside a dependency, the first one first."""

_NEAR = 100
"""So many nodes below the lost builds of a package are looked at, one package after the other.

Nearly always what they have in common is among them. Else what is nearest is looked for from below,
once for all packages that have the same in common.
"""

_FAR = 50
"""How often that is done, at most; then the first by name is taken for the nearest."""

_Like = tuple[_What, str, str]
"""What a trait is, its name, and its value but for the version of a dependency."""


class TraitBits:
    """Everything that may be a trait as a bit of integers, and every version of a dependency.

    `traits` are the bits of all but versions, `of_what` those of each kind of trait.
    """

    def __init__(self) -> None:
        """Begin with none."""
        self.traits = 0
        self.of_what: dict[_What, int] = dict.fromkeys(("dependency", *_FIELDS), 0)
        self._bits: dict[_Like, int] = {}
        self._likes: dict[int, _Like] = {}
        self._versions: dict[str, dict[str | None, int]] = defaultdict(dict)
        self._dependencies: dict[tuple[str, str | None], int] = {}
        self._configurations: dict[Configuration, int] = {}
        self._size = 0

    @property
    def fields(self) -> int:
        """The bits of all compilers, targets and systems."""
        return self.of_what["compiler"] | self.of_what["target"] | self.of_what["os"]

    def of_dependency(self, name: str, version: str | None) -> int:
        """Return the bit of a package and that of its version, of like dependencies one object."""
        found = self._dependencies.get((name, version))
        if found is None:
            self._versions[name][version] = self._new()
            found = self._versions[name][version] | self._of("dependency", name)
            self._dependencies[name, version] = found
        return found

    def of_names(self, names: Iterable[str]) -> int:
        """Return the bits of those packages that some build links or runs, or is."""
        found = 0
        for name in names:
            found |= self._bits.get(("dependency", name, ""), 0)
        return found

    def of_configuration(self, configuration: Configuration) -> int:
        """Return the bits of compiler, target, os and variants."""
        found = self._configurations.get(configuration)
        if found is None:
            found = 0
            for what in ("compiler", "target", "os"):
                found |= self._of(what, "", getattr(configuration, what))
            for variant in configuration.variants:
                found |= self._of("variant", _name_of_variant(variant), variant)
            self._configurations[configuration] = found
        return found

    def of_trait(self, trait: Trait) -> int:
        """Return the bit of a trait that some build has."""
        value = trait.value if trait.what != "dependency" else None
        return self._bits[trait.what, trait.name or "", value or ""]

    def only(self, bits: int, names: int) -> int:
        """Return the bits of some packages and of all versions, without any other trait."""
        return bits & (names | ~self.traits)

    def first(self, bits: int) -> int:
        """Return the first of some traits that are no dependencies: by kind, then by value."""
        wanted = next(bits & self.of_what[what] for what in _FIELDS if bits & self.of_what[what])
        return min(each_bit(wanted), key=lambda bit: self._like(bit)[2])

    def order(self, bit: int) -> tuple[int, str, str]:
        """Return what decides between traits: the kind, the name, the value."""
        what, name, value = self._like(bit)
        return list(self.of_what).index(what), name, value

    def name(self, bit: int) -> str:
        """Return the name of a dependency."""
        return self._like(bit)[1]

    def trait(self, bit: int, having: int) -> Trait:
        """Return a trait; `having` are the bits of the builds that have it."""
        what, name, value = self._like(bit)
        if what != "dependency":
            return Trait(what, name if what == "variant" else None, value)
        versions = [version for version, its in self._versions[name].items() if its & having]
        return Trait(what, name, versions[0] if len(versions) == 1 else None)

    def _of(self, what: _What, name: str, value: str = "") -> int:
        like = what, name, value
        bit = self._bits.get(like)
        if bit is None:
            bit = self._bits[like] = self._new()
            self._likes[bit.bit_length()] = like
            self.of_what[what] |= bit
            self.traits |= bit
        return bit

    def _like(self, bit: int) -> _Like:
        return self._likes[bit.bit_length()]

    def _new(self) -> int:
        self._size += 1
        return 1 << self._size


def _name_of_variant(variant: str) -> str:
    """Return the name of a variant.

    >>> [_name_of_variant(text) for text in ("+mpi", "~~shared", "build_type=Release")]
    ['mpi', 'shared', 'build_type']
    """
    return variant.lstrip("+~-").partition("=")[0]


_Place = tuple[int, str]
"""How far a dependency is, and its name."""


class LinkedNames:
    """What builds of one document link or run, at any depth, by the names of the packages."""

    def __init__(self, graph: Graph, bits: TraitBits) -> None:
        """Take the dependencies, and what gives each package its bit."""
        self._graph = graph
        self._bits = bits
        self._below: dict[str, list[str]] = {}
        self._names: dict[str, str] = {}
        self._own: dict[str, int] = {}
        self._nearest_below: dict[int, dict[str, _Place]] = {}

    def read(self, hashes: Iterable[str]) -> dict[str, int]:
        """Return the bits of each build: of its own package, and of all that it links or runs."""
        found = dict.fromkeys(hashes, 0)
        for spec_hash, bits in unite_below(found, self._linked, self._own.__getitem__, known={}):
            if spec_hash in found:
                found[spec_hash] = bits
        return found

    def _linked(self, spec_hash: str) -> list[str]:
        node = self._graph.node(spec_hash)
        edges = [edge for edge in node.edges if not is_build_only(edge)] if node else []
        for edge in edges:
            self._names.setdefault(edge.hash, edge.name)
        name = self._names[spec_hash] = node.name if node else self._names[spec_hash]
        version = node.build.version_text if node else None
        self._own[spec_hash] = self._bits.of_dependency(name, version)
        found = self._below[spec_hash] = [edge.hash for edge in edges]
        return found

    def nearest(self, builds: Collection[str], wanted: int) -> str:
        """Return which of some packages that builds of one package have is nearest to them."""
        if wanted.bit_count() == 1:  # as mostly: nothing has to be looked for
            return self._bits.name(wanted)
        found = self.search(builds, wanted, most=_NEAR)
        if found:
            return found[1]
        if wanted not in self._nearest_below:
            if len(self._nearest_below) == _FAR:
                return min(map(self._bits.name, each_bit(wanted)))
            self._nearest_below[wanted] = self._nearest_of_all(wanted)
        known = self._nearest_below[wanted]
        return min(known[build] for build in builds if build in known)[1]

    def search(self, builds: Iterable[str], wanted: int, most: int | None = None) -> _Place | None:
        """Return the nearest of some packages to builds, which may be of it; None if it is far.

        It is far where `most` nodes are nearer.
        """
        level = dict.fromkeys(builds)
        seen = dict(level)
        distance = 0
        while level and (most is None or len(seen) < most):
            names = {self._names[node] for node in level}
            found = [name for name in names if self._bits.of_names([name]) & wanted]
            if found:
                return distance, min(found)
            below = (child for node in level for child in self._below[node])
            level = {child: None for child in below if child not in seen}
            seen |= level
            distance += 1
        return None

    def _nearest_of_all(self, wanted: int) -> dict[str, _Place]:
        """Return for each node how far the nearest of some packages is, and which one it is."""
        level = {
            node: (0, name)
            for node, name in self._names.items()
            if self._bits.of_names([name]) & wanted
        }
        found = dict(level)
        while level:
            following: dict[str, _Place] = {}
            for node, (distance, name) in level.items():
                for parent in self._above.get(node, ()):
                    if parent not in found:
                        way = distance + 1, name
                        following[parent] = min(way, following.get(parent, way))
            found |= following
            level = following
        return found

    @cached_property
    def _above(self) -> Mapping[str, list[str]]:
        above: dict[str, list[str]] = {}
        for node, children in self._below.items():
            for child in children:
                above.setdefault(child, []).append(node)
        return above
