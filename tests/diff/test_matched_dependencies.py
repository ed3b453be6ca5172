"""Which dependencies of two nodes belong together, also where a node has several of one name."""

import pytest

from snapdiff.diff.dependencies import Matched, match_dependencies
from snapdiff.model.specs import Edge
from tests.support.graphs import NodesByHash
from tests.support.work import work


def match(old: list[Edge], new: list[Edge]) -> Matched:
    """What belongs together where no node says anything: virtuals, use and types, then the hash."""
    return match_dependencies(old, new, (NodesByHash({}), NodesByHash({})))


def edges(line: str) -> list[Edge]:
    """Dependencies from words: `python/a:build+run=mpi` has a hash, types and a virtual package."""
    found = []
    for word in line.split():
        place, _, virtual = word.partition("=")
        node, _, types = place.partition(":")
        name, _, spec_hash = node.partition("/")
        virtuals = (virtual,) if virtual else ()
        found.append(Edge(name, spec_hash, tuple((types or "link").split("+")), virtuals))
    return found


MATCHED = [
    # old, new: pairs, removed, added
    ("a/1 b/2", "b/4 a/3", "a/1-a/3 b/2-b/4", "", ""),
    ("a/1 b/2", "a/1 c/3", "", "b/2", "c/3"),
    # several of one name on one side: linked ones first, then those for building, then the rest
    ("p/1:build p/2:link", "p/4:build p/3:link", "p/1-p/4 p/2-p/3", "", ""),
    ("p/1:build p/2:link", "p/3:run", "p/2-p/3", "p/1", ""),
    ("p/1:build p/2:link", "p/3:build", "p/1-p/3", "p/2", ""),
    ("p/3:build", "p/1:link p/2:build", "p/3-p/2", "", "p/1"),
    ("p/1:link p/2:build", "p/3:build p/4:build", "p/1-p/4 p/2-p/3", "", ""),
    ("p/2:link p/1:link", "p/4:link p/3:link", "p/1-p/3 p/2-p/4", "", ""),
    ("p/1:link p/2:link", "", "", "p/1 p/2", ""),
    ("", "p/1:link p/2:link", "", "", "p/1 p/2"),
    # the same hash is no change, and what stands behind it is not forgotten
    ("p/1:link p/2:link z/8", "p/1:build p/3:link z/9", "p/2-p/3 z/8-z/9", "", ""),
    # listed twice, for linking and for building: one dependency, and one that is linked
    ("p/1:link p/1:build", "p/2:link p/3:build", "p/1-p/2", "", "p/3"),
    ("p/2:link p/3:build", "p/1:build p/1:link", "p/2-p/1", "p/3", ""),
]


@pytest.mark.parametrize(("old", "new", "pairs", "removed", "added"), MATCHED)
def test_which_dependencies_belong_together(
    old: str, new: str, pairs: str, removed: str, added: str
) -> None:
    found = match(edges(old), edges(new))

    def words(some: list[Edge]) -> str:
        return " ".join(sorted(f"{edge.name}/{edge.hash}" for edge in some))

    assert " ".join(sorted("-".join(map(words, ([a], [b]))) for a, b in found.changed)) == pairs
    assert (words(found.removed), words(found.added)) == (removed, added)


def test_what_is_listed_twice_has_the_types_and_virtuals_of_both() -> None:
    old, new = edges("p/1:link=mpi p/1:build=blas q/7"), edges("p/2:build p/3:link")
    found = match(old, new)
    assert found.changed == [(Edge("p", "1", ("build", "link"), ("blas", "mpi")), new[1])]


def test_one_dependency_that_is_listed_again_and_again_is_one() -> None:
    old, new = edges("p/1:build+link=mpi"), edges("p/2:build+link=mpi")
    assert match(old * 1000, new * 1000) == match(old, new)
    assert work(lambda: match(old * 2000, new * 2000)) < 2.2 * work(
        lambda: match(old * 1000, new * 1000)
    )
