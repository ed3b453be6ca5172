"""Everything that changed below one pair: a worked example, and laws on generated graphs."""

from hypothesis import given, settings

from snapdiff.diff.changed_pairs import ChangedPairs, packages_of
from snapdiff.diff.why import changes_below
from snapdiff.result.questions import ChangeBelow
from tests.support.generated_graphs import Graphs, graphs
from tests.support.graphs import NodesByHash, described
from tests.support.nightly import examples
from tests.support.plain_causes import Pair, PlainReading, plain_pairs


def tree(both: Graphs, pair: Pair) -> tuple[ChangeBelow, ...]:
    return changes_below(*pair, ChangedPairs((NodesByHash(both[0]), NodesByHash(both[1]))))


def in_lines(rows: tuple[ChangeBelow, ...]) -> list[str]:
    """The rows as lines: indented by depth, what is for building alone marked with a star."""
    lines = []
    for row in rows:
        events = [f"{event.package} {event.what}{'*' * event.build_only}" for event in row.events]
        lines.append(
            f"{'  ' * row.depth}{row.package}{'*' * row.build_only} {', '.join(events)}".rstrip()
        )
    return lines


def test_all_roots_are_shown_where_they_are_reached() -> None:
    old = described(
        "hdf5-1 > mpi-1, cmake-1:build, zlib-1, same-0",
        "mpi-1 > hwloc-1, numa-1, cmake-1:build",
        "hwloc-1 > gone-1",
        *("gone-1", "numa-1 > zlib-1", "zlib-1", "same-0"),
        "cmake-1 version=3.1 > curl-1",
        "curl-1 recipe=x > zlib-1",
    )
    new = described(
        "hdf5-2 > mpi-2, cmake-2:build, zlib-2, same-0, gmake-2:build",
        "mpi-2 > hwloc-2, numa-2, cmake-2:build",
        "hwloc-2 target=zen4",
        *("gmake-2", "numa-2 > zlib-2", "zlib-2 > gmake-2:build", "same-0"),
        "cmake-2 version=3.2 > curl-2",
        "curl-2 recipe=y > zlib-2",
    )
    assert in_lines(tree((old, new), ("hdf5-1", "hdf5-2"))) == [
        "hdf5 gmake added*",
        "  mpi",
        "    hwloc hwloc target, gone removed",
        "  zlib gmake added*",
        "  cmake* cmake version",
        "    curl curl recipe",
    ]


def test_a_pair_that_differs_in_hashes_alone_is_there_alone() -> None:
    old, new = described("app-1 > a-1", "a-1"), described("app-2 > a-2", "a-2")
    assert in_lines(tree((old, new), ("app-1", "app-2"))) == ["app"]


def test_a_way_that_is_linked_goes_before_one_that_is_as_short() -> None:
    old = described("app-1 > a-1:build, b-1", "a-1 > c-1", "b-1 > c-1", "c-1 version=1")
    new = described("app-2 > a-2:build, b-2", "a-2 > c-2", "b-2 > c-2", "c-2 version=2")
    assert in_lines(tree((old, new), ("app-1", "app-2"))) == ["app", "  b", "    c c version"]


def test_what_is_only_built_with_is_shown_below_what_is_linked() -> None:
    old = described("app-1 > a-1:build, b-1", "a-1 > c-1:build", "b-1 > c-1:build", "c-1 os=one")
    new = described("app-2 > a-2:build, b-2", "a-2 > c-2:build", "b-2 > c-2:build", "c-2 os=two")
    assert in_lines(tree((old, new), ("app-1", "app-2"))) == ["app", "  b", "    c* c os"]


def test_a_deep_chain_is_shown() -> None:
    length = 5_000  # five times as deep as functions can call each other
    sides = (
        described(
            *(f"n{i}-{side} > n{i + 1}-{side}" for i in range(length)),
            f"n{length}-{side} version={side}",
        )
        for side in (1, 2)
    )
    old, new = sides
    rows = tree((old, new), ("n0-1", "n0-2"))
    assert [row.depth for row in rows] == list(range(length + 1))


def test_what_no_rule_knows_is_shown_beside_what_a_rule_knows() -> None:
    """Each pair has all that differs, once: an event says what the keys of its field say."""
    more = '{"build_spec":{"name":"%s"},"patches":["%s"],"annotations":{"version":%s}}'
    old = described(
        f"app-1 compiler=gcc@12 more={more % ('x', 'a', 4)} > lib-1",
        f"lib-1 variants=+a target=zen3 more={more % ('x', 'a', 4)}",
    )
    new = described(
        f"app-2 compiler=gcc@13 more={more % ('y', 'b', 5)} > lib-2",
        f"lib-2 variants=~a target=zen4 more={more % ('y', 'b', 5)}",
    )
    [app, lib] = tree((old, new), ("app-1", "app-2"))
    told = [(event.what, event.old, event.new) for event in app.events]
    assert told == [
        ("compiler", "gcc@12", "gcc@13"),
        ("other", "annotations.version=4", "annotations.version=5"),
        ("other", "build_spec.name=x", "build_spec.name=y"),
        ("other", 'patches=["a"]', 'patches=["b"]'),
    ]
    told = [(event.what, event.old, event.new) for event in lib.events]
    assert told == [
        ("target", "zen3", "zen4"),
        ("variants", ("+a",), ("~a",)),
        ("other", "annotations.version=4", "annotations.version=5"),
        ("other", "build_spec.name=x", "build_spec.name=y"),
    ]


@settings(max_examples=examples(60))
@given(graphs())
def test_the_tree_has_every_pair_once_on_a_shortest_way(both: Graphs) -> None:
    reading = PlainReading(*both)
    for pair in plain_pairs(*both):
        rows = tree(both, pair)
        distances = reading.distances(pair, build_only=True)
        found = [(row.old, row.new) for row in rows]
        assert len(set(found)) == len(found)
        assert {below for below in distances if reading.events(below)} <= set(found)
        above: list[ChangeBelow] = []
        for row in rows:
            del above[row.depth :]
            below = (row.old, row.new)
            assert row.depth == distances[below] == len(above)
            if above:
                steps = reading.changed((above[-1].old, above[-1].new))
                assert (row.package, below, row.build_only) in steps
            else:
                assert below == pair
                assert not row.build_only
            above.append(row)
            assert {
                (event.package, event.what, event.old, event.new): event.build_only
                for event in row.events
            } == reading.all_events(below)
        for row, following in zip(rows, [*rows[1:], None], strict=True):
            is_leaf = following is None or following.depth <= row.depth
            assert row.events or row.depth == 0 or not is_leaf


@given(graphs(compilers_move=False))
def test_the_other_way_round_the_tree_names_the_same_packages(both: Graphs) -> None:
    old, new = both
    for before, after in plain_pairs(old, new):
        forth, back = tree(both, (before, after)), tree((new, old), (after, before))
        assert packages_in(forth) == packages_in(back)


def packages_in(rows: tuple[ChangeBelow, ...]) -> set[tuple[str, frozenset[str]]]:
    """The packages of all rows, and those that their events name there."""
    return {
        (row.package, frozenset(name for event in row.events for name in packages_of(event)))
        for row in rows
    }
