"""What was found out about the dependencies of documents: once for all packages and stacks."""

from typing import NamedTuple

from snapdiff.diff.causes import packages_of
from snapdiff.diff.changed_pairs import ChangedPairs
from snapdiff.diff.dependencies import DependencySets
from snapdiff.model import Graph

Graphs = tuple[Graph, Graph]
"""The dependencies of the old side and of the new one."""


class _Known(NamedTuple):
    graphs: Graphs
    changes: ChangedPairs
    dependencies: DependencySets


class KnownGraphs:
    """What is known of graphs that are compared, filled as it is asked for."""

    def __init__(self) -> None:
        """Begin with no graph."""
        self._known: dict[tuple[int, int], _Known] = {}

    def changes(self, graphs: Graphs) -> ChangedPairs:
        """Return what differs between two graphs."""
        return self._get(graphs).changes

    def packages(self) -> set[str]:
        """Return the packages of all nodes that were compared, and of their events."""
        found: set[str] = set()
        for known in self._known.values():
            found.update(known.changes.names)
            for event, _ in known.changes.event_bits():
                found.update(packages_of(event))
        return found

    def dependencies(self, graphs: Graphs) -> DependencySets:
        """Return what the specs of two graphs depend on."""
        return self._get(graphs).dependencies

    def _get(self, graphs: Graphs) -> _Known:
        key = (id(graphs[0]), id(graphs[1]))
        known = self._known.get(key)
        if known is None:  # it holds the graphs, so their ids stay theirs
            known = self._known[key] = _Known(graphs, ChangedPairs(graphs), DependencySets(graphs))
        return known
