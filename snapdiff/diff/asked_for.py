"""Which packages of a stack somebody asked for: roots of environments, and what was installed."""

from collections.abc import Collection, Mapping
from typing import NamedTuple

from snapdiff.filters import Scope
from snapdiff.model import Graph, TagPair
from snapdiff.result import AskedFor, RootChanges

SideNames = frozenset[str] | None
"""The packages of a stack that are asked for on one side; None where nothing says which."""


class AskedForNames(NamedTuple):
    """The packages of a stack that are asked for, on each side."""

    old: frozenset[str]
    new: frozenset[str]

    def of(self, package: str) -> AskedFor:
        """Return on which sides a package is asked for."""
        return AskedFor(package in self.old, package in self.new)

    @property
    def on_one_side(self) -> frozenset[str]:
        """The packages that are asked for on one side alone."""
        return self.old ^ self.new

    def changes(self, scope: Scope, one_sided: Collection[str]) -> RootChanges | None:
        """Return what is asked for now or no longer, less what is `one_sided` itself, or None."""
        flipped = {
            name for name in self.on_one_side if scope.has_package(name) and name not in one_sided
        }
        if not flipped or scope.filters.because:
            return None
        return RootChanges(
            now=tuple(sorted(flipped & self.new)), no_longer=tuple(sorted(flipped & self.old))
        )


class AskedForInTag:
    """What is asked for in the stacks of a tag, as documents say in which something differs."""

    def __init__(self, tag: TagPair) -> None:
        """Take the documents of a tag."""
        self._old, self._new = (
            {name: graph for name, graph in graphs.items() if name is not None}
            for graphs in tag.graphs
        )

    def stacks(self) -> set[str]:
        """Return the stacks of which both sides have a document, and what they ask for differs."""
        return {
            name
            for name in self._old.keys() & self._new.keys()
            if self._old[name].asked_for != self._new[name].asked_for
        }

    def names(self, stack: str, specs: tuple[int, int]) -> AskedForNames | None:
        """Return what a stack asks for, with so many specs on each side; None where nobody says."""
        old, new = self._names(stack, self._old, specs[0]), self._names(stack, self._new, specs[1])
        return None if old is None or new is None else AskedForNames(old, new)

    def _names(self, stack: str, graphs: Mapping[str, Graph], specs: int) -> SideNames:
        graph = graphs.get(stack)
        if graph is None:
            return None if specs else frozenset()
        return graph.asked_for
