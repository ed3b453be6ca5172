"""The packages that builds link or run, at any depth, by name: which lost builds have in common."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property

from snapdiff.diff.events import is_build_only
from snapdiff.diff.reach import unite_below
from snapdiff.model import Graph
from snapdiff.result import Trait

_NEAR = 100
"""So many nodes below the lost builds of a package are looked at, one package after the other.

Nearly always what they have in common is among them. Else what is nearest is looked for from below,
once for all packages that have the same in common.
"""

_FAR = 50
"""How often that is done, at most; then the first by name is taken for the nearest."""


class LinkedNames:
    """What the builds that packages of a document lost link and run, and their other builds do not.

    Names are the bits of integers, each with a bit for every version that it has.
    """

    def __init__(self, graphs: tuple[Graph, Graph], gone: frozenset[str]) -> None:
        """Take the dependencies of the lost builds and of the others, and what is `gone` itself."""
        self.gone = gone
        self._graphs = graphs
        self._bits: dict[str, int] = {}
        self._named: dict[int, str] = {}
        self._versions: dict[str, dict[str | None, int]] = defaultdict(dict)
        self._size = 0
        self._below: dict[str, list[str]] = {}
        self._names: dict[str, str] = {}
        self._lost: dict[str, str] = {}
        self._mine: dict[str, list[str]] = {}
        self._all: dict[str, int] = {}
        self._any: dict[str, int] = defaultdict(int)
        self._others: dict[str, int] = defaultdict(int)
        self._every_other = 0
        self._nearest_below: dict[int, dict[str, tuple[int, str]]] = {}

    def add(self, losses: Iterable[tuple[str, Iterable[str], Iterable[str]]]) -> None:
        """Read all losses, each as its package, the lost hashes and those of the others."""
        others: dict[str, str] = {}
        for package, lost, there in losses:
            self._mine[package] = list(lost)
            self._lost |= dict.fromkeys(self._mine[package], package)
            others |= dict.fromkeys(there, package)
        for spec_hash, bits in self._united(0, self._lost):
            if spec_hash in self._lost:
                package = self._lost[spec_hash]
                self._all[package] = self._all.get(package, bits) & bits
                self._any[package] |= bits
        for spec_hash, bits in self._united(1, others):
            if spec_hash in others:
                self._others[others[spec_hash]] |= bits
                self._every_other |= bits

    def _united(self, side: int, hashes: Iterable[str]) -> Iterator[tuple[str, int]]:
        graph = self._graphs[side]
        below: dict[str, list[str]] = {} if side else self._below

        def children(spec_hash: str) -> list[str]:
            found = below.get(spec_hash)
            if found is None:
                node = graph.node(spec_hash)
                edges = [edge for edge in node.edges if not is_build_only(edge)] if node else []
                for edge in edges:
                    self._names.setdefault(edge.hash, edge.name)
                found = below[spec_hash] = [edge.hash for edge in edges]
            return found

        def own(spec_hash: str) -> int:
            node = graph.node(spec_hash)
            name = node.name if node else self._names[spec_hash]
            self._names[spec_hash] = name
            return self._bits_of(name, node.build.version_text if node else None)

        return unite_below(hashes, children, own, known={})

    def _bits_of(self, name: str, version: str | None) -> int:
        versions = self._versions[name]
        if version not in versions:
            versions[version] = self._new_bit()
        return self._bit_of(name) | versions[version]

    def _bit_of(self, name: str) -> int:
        if name not in self._bits:
            self._bits[name] = self._new_bit()
            self._named[self._bits[name].bit_length()] = name
        return self._bits[name]

    def _new_bit(self) -> int:
        self._size += 1
        return 1 << self._size

    def trait(self, package: str) -> Trait | None:
        """Return the dependency that all lost builds of a package have, and no other of it."""
        found = self._all[package] & ~self._others[package] & ~self._bits[package]
        wanted = found & self._gone_bits or found & self._name_bits
        if not wanted:
            return None
        name = self._nearest(package, wanted)
        return Trait("dependency", name, self._version(name, self._any[package]))

    @cached_property
    def _gone_bits(self) -> int:
        return self._bits_of_names(self.gone)

    @cached_property
    def _name_bits(self) -> int:
        return self._bits_of_names(self._bits)

    def _bits_of_names(self, names: Iterable[str]) -> int:
        bits = 0
        for name in names:
            bits |= self._bits.get(name, 0)
        return bits

    def _version(self, name: str, bits: int) -> str | None:
        """Return the version of a dependency, None where there are several or it is not known."""
        versions = [version for version, bit in self._versions[name].items() if bits & bit]
        return versions[0] if len(versions) == 1 else None

    def _nearest(self, package: str, wanted: int) -> str:
        """Return which of some packages is nearest to the lost builds of a package."""
        if wanted.bit_count() == 1:  # as mostly: nothing has to be looked for
            return self._named[wanted.bit_length()]
        level = dict.fromkeys(self._mine[package])
        seen = dict(level)
        while level and len(seen) < _NEAR:
            level = dict.fromkeys(child for node in level for child in self._below[node])
            names = {self._names[node] for node in level}
            found = [name for name in names if self._bits[name] & wanted]
            if found:
                return min(found)
            level = {node: None for node in level if node not in seen}
            seen |= level
        if wanted not in self._nearest_below:
            if len(self._nearest_below) == _FAR:
                return min(name for name, bit in self._bits.items() if bit & wanted)
            self._nearest_below[wanted] = self._nearest_of_all(wanted)
        known = self._nearest_below[wanted]
        below = {child for node in self._mine[package] for child in self._below[node]}
        return min(known[child] for child in below if child in known)[1]

    def _nearest_of_all(self, wanted: int) -> dict[str, tuple[int, str]]:
        """Return for each node how far the nearest of some packages is, and which one it is."""
        level = {
            node: (0, name)
            for node, name in self._names.items()
            if node in self._below and self._bits[name] & wanted
        }
        found = dict(level)
        while level:
            following: dict[str, tuple[int, str]] = {}
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
        """The nodes above each node, on the side of the lost builds."""
        above: dict[str, list[str]] = {}
        for node, children in self._below.items():
            for child in children:
                above.setdefault(child, []).append(node)
        return above

    def is_there(self, name: str) -> bool:
        """Return whether another build of the packages that lost one has a dependency, or is it."""
        return bool(self._every_other & self._bits.get(name, 0))

    def versions(self, name: str) -> set[str | None]:
        """Return the versions of a dependency that lost builds have."""
        bits = 0
        for found in self._any.values():
            bits |= found
        return {version for version, bit in self._versions.get(name, {}).items() if bits & bit}

    def lost_with(self, name: str) -> list[tuple[str, str]]:
        """Return the lost builds that have a dependency, or are it: package and hash."""
        waiting = [node for node, known in self._names.items() if known == name]
        found = set(waiting)
        while waiting:
            for parent in self._above.get(waiting.pop(), ()):
                if parent not in found:
                    found.add(parent)
                    waiting.append(parent)
        return [(package, node) for node, package in self._lost.items() if node in found]
