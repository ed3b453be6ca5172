"""Sets of the nodes of two sides, like ones as one, as the bits of integers."""

from collections.abc import Hashable

from snapdiff.diff.reach import each_bit
from snapdiff.model.specs import Build
from snapdiff.spack import MPI, Configuration, Version


class NodeBits:
    """Numbers for the nodes of both sides, like ones as one, and sets of these as integers.

    A set has the bit of each of its nodes. `mpis` has those of each MPI that were numbered so far.
    """

    def __init__(self) -> None:
        self.mpis: dict[str, int] = {}
        self._numbers: dict[tuple[str, Version, Configuration], int] = {}
        self._leading: list[int] = []
        self._parts: dict[Hashable, int] = {}

    def number(self, name: str, build: Build) -> int:
        """Return the number of a name, version and configuration."""
        key = name, build.version, build.configuration
        number = self._numbers.get(key)
        if number is None:
            number = self._numbers[key] = len(self._numbers)
            if name in MPI:
                self.mpis[name] = self.mpis.get(name, 0) | 1 << number
            tokens = build.version.release
            parts = [(name, tokens[:end]) for end in range(1, len(tokens) + 1)]
            places = (self._parts.setdefault(it, len(self._parts)) for it in parts)
            self._leading.append(sum(1 << place for place in places))
        return number

    def leading(self, nodes: int) -> int:
        """Return the versions of a set of nodes as a set of their leading tokens: of 3.11.6 three.

        Two sets have many in common where their versions are near to each other.
        """
        found = 0
        for bit in each_bit(nodes):
            found |= self._leading[bit.bit_length() - 1]
        return found
