"""How many specs have which compiler, and of which documents that is counted."""

from collections.abc import Collection

import pytest
from msgspec import UNSET

from snapdiff.diff.compilers import count_compilers
from snapdiff.result.changes import CompilerCount
from tests.support.graphs import NodesByHash, PlainNode


class GraphOfSize(NodesByHash):
    """A graph of one node that says how many it has."""

    def __init__(self, size: int) -> None:
        super().__init__({"a": PlainNode("zlib")})
        self._size = size

    @property
    def hashes(self) -> Collection[str]:
        return [str(number) for number in range(self._size)]


@pytest.mark.parametrize(("size", "is_read"), [(20_000, True), (20_001, False)])
def test_compilers_of_unchanged_specs_are_counted_in_an_environment_not_in_a_large_index(
    size: int, is_read: bool
) -> None:
    graph = GraphOfSize(size)
    found = count_compilers([], (1, 1), (graph, graph))
    assert found == ((CompilerCount("gcc@12.3.0", 1, 1),) if is_read else UNSET)
