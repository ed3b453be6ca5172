"""Every cause is true: held against graphs read plainly, real ones and generated ones."""

import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings

from snapdiff.diff.causes import Explanation
from snapdiff.diff.changed_pairs import ChangedPairs
from snapdiff.result.causes import Cause, Event
from tests.support.generated_graphs import Graphs, graphs, make_graphs
from tests.support.graphs import NodesByHash, PlainGraph, PlainNode, listed_causes, read_lock
from tests.support.nightly import examples
from tests.support.plain_causes import (
    LAST_RESORTS,
    ORDER,
    Pair,
    PlainEvent,
    PlainReading,
    plain_pairs,
    without_last_resorts,
)
from tests.support.real_catalogs import E4S, LOCKS, needs_real_catalogs


def explained(both: Graphs, pairs: Sequence[Pair]) -> Explanation:
    old, new = both
    return Explanation(ChangedPairs((NodesByHash(old), NodesByHash(new))).add(pairs))


def plain(event: Event) -> PlainEvent:
    return event.package, event.what, event.old, event.new


class Truth:
    """What is true of the rebuilt specs of a stack."""

    def __init__(self, both: Graphs, pairs: Sequence[Pair]) -> None:
        self.reading = PlainReading(*both)
        self.far = {pair: self.reading.distances(pair, build_only=True) for pair in pairs}
        self.linked = {pair: self.reading.distances(pair, build_only=False) for pair in pairs}
        self.in_reach = {
            pair: {event for below in self.far[pair] for event in self.reading.events(below)}
            for pair in pairs
        }
        self.reach = Counter(event for pair in pairs for event in self.in_reach[pair])

    def candidates(self, pair: Pair) -> tuple[set[PlainEvent], bool]:
        """The nearest events, and whether they are linked: these first, and last resorts last."""
        for what in ("", *LAST_RESORTS):
            for linked in (True, False):
                distances = self.linked[pair] if linked else self.far[pair]
                found = {below: self.wanted(below, what, linked) for below in distances}
                near = [distances[below] for below in found if found[below]]
                if near:
                    nearest = [below for below in found if distances[below] == min(near)]
                    return {event for below in nearest for event in found[below]}, linked
        return set(), False

    def wanted(self, pair: Pair, last_resort: str, linked: bool) -> set[PlainEvent]:
        return {
            event
            for event, build_only in self.reading.events(pair).items()
            if (event[1] if event[1] in LAST_RESORTS else "") == last_resort
            and not (linked and build_only)
        }

    def rank(self, event: PlainEvent) -> tuple[object, ...]:
        package, what, old, new = event
        words = [
            " ".join(value) if isinstance(value, tuple) else value or "" for value in (old, new)
        ]
        place = ORDER.index(what) if what in ORDER else len(ORDER)
        return place, -self.reach[event], package or "", *words

    def check(self, pair: Pair, cause: Cause) -> None:
        """Fail where a cause is not there, not the nearest, or not as it says."""
        event = plain(cause)
        candidates, linked = self.candidates(pair)
        others = {found[0] for found in without_last_resorts(self.in_reach[pair])}
        if not candidates:
            assert not self.in_reach[pair], "a rehash only where nothing else differs"
            assert cause == Cause(None, "rehash", path=(), build_only=False, others=0)
            return
        assert event in candidates
        assert self.rank(event) == min(map(self.rank, candidates))
        assert self.reading.way_is_there(pair, cause.path, event, linked=linked)
        assert cause.build_only == (not linked)
        is_last = cause.what in LAST_RESORTS
        assert cause.others == (0 if is_last else len(others - {cause.package}))


def check_all(both: Graphs, pairs: Sequence[Pair]) -> Explanation:
    truth = Truth(both, pairs)
    found = explained(both, pairs)
    assert len(found.causes) == len(pairs)
    for pair, cause in found.causes.items():
        truth.check(pair, cause)
        assert (pair in found.same_to_use) == all(
            None not in truth.reading.nodes(below)
            and not truth.reading.compiled_otherwise(below)
            and all(truth.reading.events(below).values())
            for below in truth.linked[pair]
        )
    specs = Counter(map(plain, found.causes.values()))
    packages = {(plain(c), truth.reading.name(p)) for p, c in found.causes.items()}
    per_event = Counter(event for event, _ in packages)
    listed = [plain(cause) for cause in listed_causes(found)]
    assert len(set(listed)) == len(listed)
    assert set(specs) <= set(listed)
    for listed_cause in listed_causes(found):
        event = plain(listed_cause)
        reach = specs[event] if listed_cause.what == "rehash" else truth.reach[event]
        assert (listed_cause.specs, listed_cause.packages, listed_cause.reach) == (
            specs[event],
            per_event[event],
            reach,
        )
    expected = {
        event for event in without_last_resorts(truth.reach) if is_enough(truth, event, pairs)
    }
    assert set(listed) == expected | set(specs)
    assert [c.specs for c in listed_causes(found)] == sorted(specs.values(), reverse=True) + [0] * (
        len(listed) - len(specs)
    )
    return found


def is_enough(truth: Truth, event: PlainEvent, pairs: Sequence[Pair]) -> bool:
    return truth.reach[event] >= 0.3 * len(pairs)


@pytest.mark.slow
@settings(max_examples=examples(100))
@given(graphs())
def test_every_cause_is_there_is_nearest_and_is_as_it_says(both: Graphs) -> None:
    check_all(both, plain_pairs(*both))


@settings(max_examples=examples(10))
@given(graphs(most_nodes=60))
def test_causes_in_larger_graphs_are_true(both: Graphs) -> None:
    check_all(both, plain_pairs(*both))


def names_in(found: Explanation) -> set[str]:
    return {
        str(name)
        for event in found.reach
        for name in ((event.old, event.new) if event.what == "replaced" else (event.package,))
    }


@given(graphs(compilers_move=False))
def test_the_other_way_round_the_same_packages_are_named(both: Graphs) -> None:
    old, new = both
    pairs = plain_pairs(old, new)
    forth = explained(both, pairs)
    back = explained((new, old), [(after, before) for before, after in pairs])
    assert names_in(forth) == names_in(back)
    assert forth.same_to_use == {(before, after) for after, before in back.same_to_use}
    for (before, after), there in forth.causes.items():
        here = back.causes[after, before]
        assert (there.package is None) == (here.package is None)
        assert there.others == here.others or "replaced" in {there.what, here.what}


@given(graphs())
def test_a_graph_explains_nothing_of_itself(both: Graphs) -> None:
    old, _ = both
    found = explained((old, old), [(node_hash, node_hash) for node_hash in old])
    assert {cause.what for cause in found.causes.values()} <= {"rehash"}
    assert found.same_to_use == found.causes.keys()


@pytest.mark.slow
def test_generated_graphs_have_causes_of_every_kind() -> None:
    seen: Counter[str] = Counter()
    for seed in range(260):
        both = make_graphs(random.Random(seed), 25, 4)  # noqa: S311 - the same graphs every time
        found = explained(both, plain_pairs(*both))
        seen.update(cause.what for cause in found.causes.values())
        seen["build only"] += sum(cause.build_only for cause in found.causes.values())
    assert not {*ORDER, *LAST_RESORTS, "rehash", "build only"} - {"platform"} - set(seen)


STEPS = [
    ("derecho", "06[2-9]*.lock"),
    ("julea", "*.lock"),
    ("v2", "*.lock"),
    ("v3", "*.lock"),
]


def locks_of(folder: str, pattern: str) -> list[Path]:
    return sorted((LOCKS / folder).glob(pattern))


@pytest.mark.slow
@needs_real_catalogs
@pytest.mark.parametrize(("folder", "pattern"), STEPS)
def test_every_cause_in_the_history_of_a_real_lock_is_true(folder: str, pattern: str) -> None:
    sides: list[PlainGraph] = [read_lock(path) for path in locks_of(folder, pattern)]
    for old, new in pairwise(sides):
        both = dict(old), dict(new)
        check_all(both, plain_pairs(*both))


@pytest.mark.nightly
@needs_real_catalogs
@pytest.mark.parametrize(
    "environment",
    ["cuda-aarch64", "cuda-ppc64le", "cuda-x86_64", "oneapi-x86_64", "rocm-x86_64"],
)
def test_every_cause_between_two_releases_of_e4s_is_true(environment: str) -> None:
    both = e4s(environment)
    # With oneapi another compiler made every node another one: no spec is rebuilt alone.
    pairs = plain_pairs(*both) or pairs_of_versions(*both)
    assert len(pairs) > 300
    check_all(both, pairs)


def pairs_of_versions(old: PlainGraph, new: PlainGraph) -> list[Pair]:
    """Nodes of one name and version, one to one."""
    waiting: dict[tuple[str, str], list[str]] = {}
    for key in sorted(new.keys() - old.keys()):
        waiting.setdefault((new[key].name, new[key].version), []).append(key)
    return [
        (key, partners.pop())
        for key in sorted(old.keys() - new.keys())
        if (partners := waiting.get((old[key].name, old[key].version)))
    ]


@pytest.mark.slow
@needs_real_catalogs
@pytest.mark.parametrize("version", ["v1", "v7"])
def test_every_cause_is_true_where_one_node_of_a_real_lock_is_another(version: str) -> None:
    [path] = locks_of(version, "*.lock")
    old = read_lock(path)
    uses = Counter(edge.hash for node in old.values() for edge in node.edges)
    for used, _ in uses.most_common(3):
        new = with_another_version(old, used)
        pairs = [(key, f"{key}-new") for key in old if f"{key}-new" in new and key != used]
        assert pairs
        check_all((dict(old), new), pairs)
        found = explained((dict(old), new), pairs)
        assert {(cause.package, cause.what) for cause in found.causes.values()} == {
            (old[used].name, "version")
        }


def with_another_version(graph: PlainGraph, changed: str) -> dict[str, PlainNode]:
    """The graph with another version of one node, and other hashes of all that lead to it."""
    above = {changed}
    found = True
    while found:
        some = {
            key
            for key, node in graph.items()
            if key not in above and any(edge.hash in above for edge in node.edges)
        }
        above |= some
        found = bool(some)
    new = {}
    for key, node in graph.items():
        version = f"{node.version}.1" if key == changed else node.version
        edges = tuple(
            replace(edge, hash=f"{edge.hash}-new") if edge.hash in above else edge
            for edge in node.edges
        )
        new[f"{key}-new" if key in above else key] = replace(node, version=version, edges=edges)
    return new


def e4s(environment: str) -> Graphs:
    old, new = (read_lock(release / environment / "spack.lock") for release in E4S)
    return old, new
