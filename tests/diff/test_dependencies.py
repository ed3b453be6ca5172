"""Which of like specs belong together: held against a plain reading, and worked examples."""

import random
import re
from collections.abc import Iterable
from pathlib import Path

import pytest
from hypothesis import given, settings

from snapdiff.diff.dependencies import both_sides, match_members
from snapdiff.diff.pairing import Effort
from snapdiff.errors import FormatError
from snapdiff.limits import DEFAULT_LIMITS
from tests.support.documents import Item, needs
from tests.support.environments import write_locks
from tests.support.generated_graphs import Graphs, graphs, make_graphs
from tests.support.graphs import NodesByHash, PlainGraph, PlainNode, described
from tests.support.helpers import run_json
from tests.support.nightly import examples
from tests.support.oracle import compare_versions
from tests.support.plain_causes import Pair, configuration
from tests.support.work import work

Members = frozenset[object]


def matched(both: Graphs, old: Iterable[str], new: Iterable[str]) -> list[Pair]:
    sides = both_sides((NodesByHash(both[0]), NodesByHash(both[1])))
    return match_members(old, new, sides, Effort(DEFAULT_LIMITS))


def member(node: PlainNode) -> object:
    """A node's name, version and configuration; 1.02 and 1.2 are one version."""
    version = "1.2" if compare_versions(node.version, "1.2") == 0 else node.version
    return node.name, version, configuration(node)


def spelled(word: str) -> str:
    """A token of a version, as it counts: 02 is 2."""
    return str(int(word)) if word.isdecimal() else word


def used_below(graph: PlainGraph, root: str) -> list[str]:
    found = [root]
    for node_hash in found:
        node = graph.get(node_hash)
        for edge in node.edges if node else ():
            if not edge.build_only and edge.hash not in found:
                found.append(edge.hash)
    return found


def plain_match(both: Graphs, old: Iterable[str], new: Iterable[str]) -> list[Pair]:
    """All pairs in the order in which they are taken: specification, section 10, word by word."""

    def sets(graph: PlainGraph, node_hash: str) -> tuple[Members, Members, Members]:
        closure = [graph[found] for found in used_below(graph, node_hash) if found in graph]
        direct = [
            (member(graph[edge.hash]), edge.types, edge.virtuals)
            for edge in graph[node_hash].edges
            if edge.hash in graph
        ]
        parts = [re.findall(r"[0-9]+|[a-z]+", node.version) for node in closure]
        leading = [
            (node.name, *map(spelled, words[: end + 1]))
            for node, words in zip(closure, parts, strict=True)
            for end in range(len(words))
        ]
        return frozenset(map(member, closure)), frozenset(direct), frozenset(leading)

    before = {node_hash: sets(both[0], node_hash) for node_hash in old}
    after = {node_hash: sets(both[1], node_hash) for node_hash in new}
    order = sorted(
        (
            len(mine[0] ^ theirs[0]),
            len(mine[1] ^ theirs[1]),
            -len(mine[2] & theirs[2]),
            old_hash,
            new_hash,
        )
        for old_hash, mine in before.items()
        for new_hash, theirs in after.items()
    )
    pairs: list[Pair] = []
    for *_, old_hash, new_hash in order:
        if old_hash in before and new_hash in after:
            pairs.append((old_hash, new_hash))
            del before[old_hash], after[new_hash]
    return pairs


@settings(max_examples=examples(60))
@given(graphs(most_nodes=30))
def test_members_are_matched_as_the_specification_says(both: Graphs) -> None:
    old, new = both
    for name in sorted({node.name for node in old.values()}):
        before = [node_hash for node_hash, node in old.items() if node.name == name]
        after = [node_hash for node_hash, node in new.items() if node.name == name]
        found = matched(both, before, after)
        assert sorted(found) == sorted(plain_match(both, before, after))
        assert len(found) == min(len(before), len(after))


@pytest.mark.parametrize(
    ("new", "roots", "pairs"),
    [
        ("cd", "bc", ["ad", "bc"]),
        ("cd", "bd", ["ac", "bd"]),
        ("c", "bc", ["bc"]),
        ("c", "a", ["bc"]),
        ("c", "", ["ac"]),
    ],
)
def test_what_is_asked_for_on_both_sides_or_none_belongs_together(
    tmp_path: Path, new: str, roots: str, pairs: list[str]
) -> None:
    sides = []
    for letters, version in (("ab", "1.2"), (new, "1.3")):
        zlib = Item("zlib", version)
        items = [
            Item("fftw", hash=letter * 32, explicit=letter in roots, needs=(needs(zlib),))
            for letter in letters
        ]
        sides.append([zlib, *items, Item("app", explicit=True, needs=tuple(map(needs, items)))])
    write_locks(tmp_path, *sides)
    [stack] = run_json("-C", tmp_path, "old.lock", "new.lock")["tags"][0]["stacks"]
    found = [
        change["old"]["hash"][0] + change["new"]["hash"][0]
        for change in stack["changes"]
        if change["package"] == "fftw" and change["kind"] == "rebuilt"
    ]
    assert sorted(found) == sorted(pairs)


def test_a_compiler_is_the_same_in_two_spellings() -> None:
    old = described("a-1 > b-1", "b-1 compiler=clang@=15")
    new = described("a-2 > b-2", "b-2 compiler=gcc@12", "a-3 > b-3", "b-3 compiler=llvm@15")
    assert matched((old, new), ["a-1"], ["a-2", "a-3"]) == [("a-1", "a-3")]


@pytest.mark.parametrize(
    ("on_3", "on_4"),
    [
        ("version=3.11.6", "version=3.8.18"),
        ("version=3.11.5 variants=+x", "version=3.8.17 variants=+x"),
        ("version=3.11", "version=3.8.18.1.2"),  # however many tokens a version has
    ],
)
def test_what_was_built_on_a_version_goes_with_the_nearest(on_3: str, on_4: str) -> None:
    old = described(
        "app-1 > python-1", "python-1 version=3.8.17", "app-2 > python-2", "python-2 version=3.11.5"
    )
    new = described("app-3 > python-3", f"python-3 {on_3}", "app-4 > python-4", f"python-4 {on_4}")
    found = matched((old, new), ["app-1", "app-2"], ["app-3", "app-4"])
    assert sorted(found) == [("app-1", "app-4"), ("app-2", "app-3")]


def test_a_class_with_many_members_costs_in_proportion() -> None:
    def steps(number: int) -> int:
        lines = [f"zlib-{i} version=1.{i % 10}" for i in range(10)]
        both = tuple(
            described(*lines, *(f"hdf5-{side}{i} > zlib-{i % 10}" for i in range(number)))
            for side in "12"
        )
        old, new = (
            [node_hash for node_hash in graph if node_hash.startswith("hdf5")] for graph in both
        )
        pairs: list[Pair] = []
        found = work(lambda: pairs.extend(matched((both[0], both[1]), old, new[: number // 2])))
        assert len(pairs) == number // 2
        return found

    assert steps(2000) < 4.4 * steps(500)


def test_a_class_whose_members_are_all_unlike_is_refused_where_that_takes_too_long() -> None:
    number = 1100
    both = tuple(
        described(
            *(f"zlib-{side}{i} version={side}.{i}" for i in range(number)),
            *(f"hdf5-{side}{i} > zlib-{side}{i}" for i in range(number)),
        )
        for side in "12"
    )
    old, new = (
        [node_hash for node_hash in graph if node_hash.startswith("hdf5")] for graph in both
    )
    with pytest.raises(FormatError, match="too many and too unlike"):
        matched((both[0], both[1]), old, new)


def test_no_order_of_the_members_matters() -> None:
    chance = random.Random(7)  # noqa: S311 - the same graphs every time
    both = make_graphs(chance, 40, 10)
    old, new = (
        [node_hash for node_hash, node in graph.items() if node.name == "zlib"] for graph in both
    )
    found = matched(both, old, new)
    assert matched(both, old[::-1], new[::-1]) == found


def test_a_report_pairs_like_specs_by_what_they_depend_on(tmp_path: Path) -> None:
    def items(minor: int, *below: str) -> list[Item]:
        hwloc = Item("hwloc", f"2.{minor}")
        one, other = (Item(name) for name in below)
        return [
            *(hwloc, one, other),
            Item("app", hash=f"a{minor}".ljust(32, "a"), needs=(needs(one), needs(hwloc))),
            Item("app", hash=f"b{minor}".ljust(32, "b"), needs=(needs(other), needs(hwloc))),
        ]

    # In the order of their hashes, each would have got what the other had.
    old, new = items(2, "zlib", "zlib-ng"), items(3, "zlib-ng", "zlib")
    write_locks(tmp_path, old, new)
    [tag] = run_json("-C", tmp_path, "old.lock", "new.lock")["tags"]
    changes = [change for change in tag["stacks"][0]["changes"] if change["package"] == "app"]
    pairs = {change["old"]["hash"][:2]: change["new"]["hash"][:2] for change in changes}
    assert pairs == {"a2": "b3", "b2": "a3"}
    assert {change["cause"]["package"] for change in changes} == {"hwloc"}
