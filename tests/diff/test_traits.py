"""What lost builds have in common (specification, section 9), held against a second reading."""

import json
import random
import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given

from snapdiff.diff.changed_pairs import KnownGraphs
from snapdiff.diff.dependencies import both_sides
from snapdiff.diff.packages import Loss, diff_package
from snapdiff.diff.trait_bits import TraitBits
from snapdiff.diff.traits import find_traits, read_linked
from snapdiff.filters import Scope
from snapdiff.limits import Limits
from snapdiff.model.packages import PackagePair
from snapdiff.model.specs import Build
from snapdiff.result.causes import Trait, TraitCount
from snapdiff.result.changes import Filters
from tests.support.documents import Item, digest, lock, needs, to_bytes
from tests.support.environments import write_locks
from tests.support.generated_graphs import Graphs, graphs
from tests.support.graphs import (
    NodesByHash,
    PlainGraph,
    PlainNode,
    described,
    nodes_of,
    read_lock,
)
from tests.support.helpers import hash_of, report_of, run_cli, run_json, spec, write_files
from tests.support.nightly import nightly_but
from tests.support.oracle import Record, canonical_compiler, canonical_variant, compare_versions
from tests.support.real_catalogs import DATA, DERECHO, E4S, LOCKS, needs_real_catalogs
from tests.support.tables import table
from tests.support.trait_oracle import (
    PlainBuild,
    Side,
    dependencies,
    different,
    duplicates,
    mpis_of,
    no_longer_with,
    order_of,
    package_trait,
    package_traits,
    stack_trait,
)
from tests.support.work import work

Report = dict[str, Any]


def lock_of(graph: PlainGraph, roots: Iterable[str]) -> dict[str, Any]:
    """A lock that lists the nodes of a graph."""
    return {
        "_meta": {"file-type": "spack-lockfile", "lockfile-version": 5},
        "roots": [{"hash": root, "spec": graph[root].name} for root in roots],
        "concrete_specs": {key: record_of(key, node) for key, node in graph.items()},
    }


def record_of(key: str, node: PlainNode) -> dict[str, Any]:
    name, _, version = node.compiler.partition("@")
    parameters: dict[str, Any] = {}
    for variant in node.variants:
        if variant[0] in "+~":
            parameters[variant[1:]] = variant[0] == "+"
        else:
            parameters[variant.split(":=")[0]] = variant.split(":=")[1].split(",")
    return {
        "name": node.name,
        "version": node.version,
        "arch": {"platform": node.platform, "platform_os": node.os, "target": node.target},
        "compiler": {"name": name, "version": version},
        "namespace": node.namespace,
        "parameters": parameters,
        "package_hash": node.recipe or "",
        "hash": key,
        "dependencies": [
            {
                "name": edge.name,
                "hash": edge.hash,
                "parameters": {
                    "deptypes": edge.types.split(),
                    "virtuals": edge.virtuals.split(),
                },
            }
            for edge in node.edges
        ],
    }


def counted(graph: PlainGraph, roots: Iterable[str]) -> set[str]:
    """The hashes that dependencies lead to from the roots."""
    found: set[str] = set()
    waiting = list(roots)
    while waiting:
        place = waiting.pop()
        if place in graph and place not in found:
            found.add(place)
            waiting += [edge.hash for edge in graph[place].edges]
    return found


def side_of(graph: PlainGraph, hashes: Collection[str]) -> Side:
    """The builds of a stack, in the common notation."""
    builds = [
        PlainBuild(
            graph[key].name,
            key,
            canonical_compiler(graph[key].compiler),
            graph[key].os,
            graph[key].target,
            frozenset(map(canonical_variant, graph[key].variants)),
            graph[key].version,
        )
        for key in hashes
    ]
    return Side(builds, graph)


def hold_against(stack: Report, old: Side, new: Side) -> int:
    """Assert all traits of a stack; return how many there are."""
    hold_different(stack, old, new)
    lost = hold_duplicates(stack, "removed", old)
    gained = hold_duplicates(stack, "added", new)
    every = {kind: hashes_of(stack, kind) for kind in ("removed", "added")}
    number = 0
    for change in stack["package_changes"]:
        for key, kind, hashes, sides in (
            ("lost", "removed", lost, (old, new)),
            ("gained", "added", gained, (new, old)),
        ):
            some = every[kind].get(change["package"])
            expected = package_trait(change["package"], some, *sides) if some else None
            assert change[key] == expected, (change, key)
            number += expected is not None
            side = "old" if key == "lost" else "new"
            apart = {
                it[side]["hash"]
                for it in stack["changes"]
                if it["package"] == change["package"] and it.get("two_builds")
            }
            some = apart | hashes.get(change["package"], set())
            parts = change[f"{key}_by"]
            is_lost = key == "lost"
            told = package_traits(change["package"], some, *sides, are_lost=is_lost) if some else []
            assert parts == told
            assert sum(part["specs"] for part in parts) <= len(some or ())
            specs = [it for it in stack["changes"] if it["package"] == change["package"]]
            is_told = apart or change["specs"][kind] or (not is_lost and leaves(specs, old))
            is_told = is_told and not change["whole"]
            mpis = mpis_of(change["package"], specs, sides[0], side) if is_told else []
            word = "gone_with" if is_lost else "new_with"
            assert sorted(change.get(word, []), key=str) == mpis
        several = change["builds"]["old"] > 1 and not change["whole"]
        left = no_longer_with(change["package"], old, new) if several else []
        assert sorted(change.get("no_longer_with", []), key=str) == left
    compilers = [Counter(build.compiler for build in side.builds) for side in (old, new)]
    assert stack.get("compilers", []) == [
        {"compiler": name, "old": compilers[0][name], "new": compilers[1][name]}
        for name in sorted({*compilers[0], *compilers[1]} if stack["changes"] else ())
    ]
    assert stack["lost"] == stack_trait(every["removed"], old, new)
    assert stack["gained"] == stack_trait(every["added"], new, old)
    return number


def leaves(specs: Iterable[Mapping[str, Any]], old: Side) -> bool:
    """Whether builds of a product have another version now, and others of that one stay."""
    moved = [it["old"] for it in specs if it["kind"] in ("upgraded", "downgraded")]
    removed = [it["old"] for it in specs if it["kind"] == "removed"]
    versions = {order_of(it["version"]) for it in moved}
    gone = sum(order_of(it["version"]) in versions for it in (*moved, *removed))
    names = {it["package"] for it in specs}
    there = sum(it.package in names and order_of(it.version) in versions for it in old.builds)
    return any(it.get("explicit") for it in moved) and there > gone


def hold_different(stack: Report, old: Side, new: Side) -> None:
    """Assert how many different builds packages have, and how many of these have no partner."""
    for change in stack["package_changes"]:
        name, specs = change["package"], change["specs"]
        before, after = different(name, old), different(name, new)
        is_more = any(specs[kind] for kind in specs if kind != "rebuilt")
        is_said = is_more and (before[1] or after[1])
        counts = {
            order_of(count["version"]): (count["old"], count["new"])
            for count in change.get("different", ())
        }
        every = {it: (before[0][it], after[0][it]) for it in {*before[0], *after[0]}}
        assert counts == (every if is_said else {})


def hold_duplicates(stack: Report, kind: str, side: Side) -> dict[str, set[str]]:
    """Assert which changes of a kind are duplicates; return the hashes of the others by package."""
    hashes = hashes_of(stack, kind)
    marked = {
        (change["old"] or change["new"])["hash"]
        for change in stack["changes"]
        if change["kind"] == kind and change.get("duplicate")
    }
    by_package = {name: duplicates(some, side) for name, some in hashes.items()}
    assert marked == set().union(*by_package.values())
    key = "lost" if kind == "removed" else "gained"
    for package in stack["package_changes"]:
        counts = package.get("duplicates", {"lost": 0, "gained": 0})
        assert counts[key] == len(by_package.get(package["package"], ()))
        assert package.get("duplicates") != {"lost": 0, "gained": 0}
    return {name: left for name, some in hashes.items() if (left := some - by_package[name])}


def hashes_of(stack: Report, kind: str) -> dict[str, set[str]]:
    """The hashes of what was removed, or added, by package."""
    found: dict[str, set[str]] = {}
    for change in stack["changes"]:
        if change["kind"] == kind:
            spec = change["old"] or change["new"]
            found.setdefault(change["package"], set()).add(spec["hash"])
    return found


def report_of_locks(old: Path, new: Path, *options: str) -> Report:
    done = run_cli(old, new, "-f", "json", *options)
    assert done.err == ""
    report: Report = json.loads(done.out)
    return report


def roots_of(chance: random.Random, graph: PlainGraph) -> list[str]:
    """Some nodes, mostly those that nothing depends on."""
    below = {edge.hash for node in graph.values() for edge in node.edges}
    roots = [key for key in sorted(graph) if key not in below or chance.random() < 0.2]
    return roots or sorted(graph)[:1]


def check_asked_for(stack: Report, sides: tuple[Side, Side], roots: Sequence[list[str]]) -> None:
    """Assert what is asked for: of packages that changed, and of all that are on both sides."""
    names = [{build.package for build in side.builds} for side in sides]
    graphs = [side.graph or {} for side in sides]
    asked_for = [{graphs[side][root].name for root in roots[side]} for side in (0, 1)]
    graph = graphs[1]
    new_roots = {root for root in roots[1] if graph[root].name not in names[0]}
    because_of = {
        change["package"]: {graph[it].name for it in new_roots if uses_older(graph, it, change)}
        for change in stack["package_changes"]
    }
    lower = {it["package"] for it in stack["package_changes"] if it["kind"] == "downgraded"}
    fell = lower & {*asked_for[0], *asked_for[1]}
    is_step_back = 2 * sum(not because_of[it] for it in fell) > len(fell)
    for change in stack["package_changes"]:
        name = change["package"]
        assert change["asked_for"] == {"old": name in asked_for[0], "new": name in asked_for[1]}
        users = [] if is_step_back else sorted(because_of[name])
        assert change.get("needed_by", []) == users
    both = names[0] & names[1]
    now = sorted(both & asked_for[1] - asked_for[0])
    no_longer = sorted(both & asked_for[0] - asked_for[1])
    needed_by = {
        name: sorted(
            {
                node.name
                for node in graph.values()
                for edge in node.edges
                if edge.hash in graph and graph[edge.hash].name == name != node.name
            }
            & names[1]
        )
        for name in no_longer
    }
    expected = {"now": now, "no_longer": no_longer, "needed_by": needed_by}
    assert stack["asked_for"] == (expected if now or no_longer else None)


def uses_older(graph: PlainGraph, root: str, change: dict[str, Any]) -> bool:
    """Whether a root links or runs a version that came, or has more builds, and is older."""
    before = change["gone"] + change["kept"]
    more = [it["version"] for it in change.get("versions", ()) if it["new"] > it["old"]]
    older = [
        version
        for version in (*change["came"], *more)
        if any(compare_versions(version, other) < 0 for other in before)
    ]
    used = dependencies(graph, root).get(change["package"], (0, set()))[1]
    return any(compare_versions(one, other) == 0 for one in used if one for other in older)


@given(graphs())
def test_traits_of_generated_locks(tmp_path_factory: pytest.TempPathFactory, both: Graphs) -> None:
    chance = random.Random(repr(sorted(both[0])))  # noqa: S311 - it is no secret
    roots = [roots_of(chance, graph) for graph in both]
    folder = tmp_path_factory.mktemp("locks")
    for name, graph, some in zip(("old", "new"), both, roots, strict=True):
        (folder / f"{name}.lock").write_text(json.dumps(lock_of(graph, some)))
    done = run_cli(folder / "old.lock", folder / "new.lock", "-f", "json", "--allow-empty")
    report = json.loads(done.out)
    old, new = (
        side_of(graph, counted(graph, some)) for graph, some in zip(both, roots, strict=True)
    )
    if not report["tags"]:
        asked_for = [{both[side][root].name for root in roots[side]} for side in (0, 1)]
        assert asked_for[0] == asked_for[1]
    for tag in report["tags"]:
        for stack in tag["stacks"]:
            hold_against(stack, old, new)
            check_asked_for(stack, (old, new), roots)


REAL = DATA / "real-spack" / "0.23"
PAIRS = {
    "one step of derecho": [DERECHO],
    "derecho": list(pairwise(sorted((LOCKS / "derecho").glob("*.lock")))),
    "julea": list(pairwise(sorted((LOCKS / "julea").glob("*.lock")))),
    "Spack's own": [
        *((REAL / "base" / "spack.lock", path) for path in sorted(REAL.glob("*/spack.lock"))),
        (REAL / "multi" / "spack.lock", REAL / "multi2" / "spack.lock"),
        (REAL / "incA" / "spack.lock", REAL / "incB" / "spack.lock"),
    ],
    "e4s": [
        (path, E4S[1] / path.parent.name / "spack.lock")
        for path in sorted(E4S[0].glob("*/spack.lock"))
    ],
}


@pytest.mark.slow
@needs_real_catalogs
@pytest.mark.parametrize("pairs", nightly_but(PAIRS, ["one step of derecho"]))
def test_traits_of_real_locks(pairs: list[tuple[Path, Path]]) -> None:
    traits = 0
    for paths in pairs:
        found, roots = zip(*map(read_environment, paths), strict=True)
        both = list(zip(found, roots, strict=True))
        old, new = (side_of(graph, counted(graph, some)) for graph, some in both)
        for tag in report_of_locks(*paths)["tags"]:
            for stack in tag["stacks"]:
                traits += hold_against(stack, old, new)
                check_asked_for(stack, (old, new), roots)
    assert traits


def read_environment(path: Path) -> tuple[PlainGraph, list[str]]:
    """All nodes of a lock and of the locks that it includes, and the roots of both."""
    document = json.loads(path.read_text())
    nodes = read_lock(path)
    roots = [root["hash"] for root in document["roots"]]
    for included in document.get("include_concrete", {}).values():
        roots += [root["hash"] for root in included["roots"]]
        nodes |= nodes_of(included["concrete_specs"])
    return nodes, roots


def write_graphs(folder: Path, *sides: str, roots: Collection[str] = ()) -> tuple[Path, Path]:
    """Write a lock for each side, as described; all nodes are roots, or those of these names."""
    paths = folder / "old.lock", folder / "new.lock"
    for path, text in zip(paths, sides, strict=True):
        graph = with_hashes(described(*text.split("; ")))
        some = [key for key, node in graph.items() if not roots or node.name in roots]
        path.write_text(json.dumps(lock_of(graph, some)))
    return paths


EXAMPLES = table(
    """
a dependency that is gone goes before nearer ones
    fftw-1 > only-1; only-1 > mvapich-1; mvapich-1 version=3.0b; fftw-2; only-2 version=2 |
    fftw-2; only-2 version=2 | dependency mvapich 3.0b
any other dependency, the nearest first
    fftw-1 > b-1; b-1 > a-1; a-1; fftw-2 | fftw-2; b-1 > a-1; a-1 | dependency b 1.0
the first by name of two that are as near
    fftw-1 > b-1, a-1; b-1; a-1; fftw-2 | fftw-2; b-1; a-1 | dependency a 1.0
no version where there are two
    fftw-1 > mpi-1; fftw-2 > mpi-2; fftw-3; mpi-1 version=1; mpi-2 version=2 | fftw-3 |
    dependency mpi -
what only builds need is none
    fftw-1 > cmake-1:build; cmake-1; fftw-2 | fftw-2 | nothing
what a build has that stays is none
    fftw-1 > mpi-1; mpi-1; fftw-2 > mpi-1 | fftw-2 > mpi-1; mpi-1 | nothing
what one of the builds has alone is none
    fftw-1 > mpi-1; mpi-1; fftw-2; fftw-3 > zlib-1; zlib-1 | fftw-3 > zlib-1; zlib-1; mpi-1 |
    nothing
the compiler
    fftw-1 compiler=intel@2021; fftw-2 | fftw-2 | compiler - intel-oneapi-compilers-classic@2021
the target before the system
    fftw-1 target=zen4 os=rhel9; fftw-2 | fftw-2 | target - zen4
a variant
    fftw-1 variants=+cuda,~mpi; fftw-2 variants=~cuda,~mpi | fftw-2 variants=~cuda,~mpi |
    variant cuda +cuda
""",
    3,
)
"""What the old lock lists, what the new one does, what the fftw that is gone has alone."""


def trait_in(text: str) -> dict[str, str | None] | None:
    """A trait as the report has it, from its words; `-` is none."""
    words = (None if word == "-" else word for word in text.split())
    return None if text == "nothing" else dict(zip(("what", "name", "value"), words, strict=True))


@pytest.mark.parametrize("name", EXAMPLES)
def test_what_the_lost_builds_have(tmp_path: Path, name: str) -> None:
    old, new, words = EXAMPLES[name]
    expected = trait_in(words)
    paths = write_graphs(tmp_path, old, new)
    [tag] = report_of_locks(*paths)["tags"]
    [stack] = tag["stacks"]
    [change] = [change for change in stack["package_changes"] if change["package"] == "fftw"]
    assert (change["kind"], change["lost"], change["gained"]) == ("removed", expected, None)
    # The other way round it is what was gained.
    [tag] = report_of_locks(*paths[::-1])["tags"]
    [back] = [one for one in tag["stacks"][0]["package_changes"] if one["package"] == "fftw"]
    assert (back["kind"], back["lost"], back["gained"]) == ("added", None, expected)
    assert (stack["lost"], stack["gained"]) == (
        tag["stacks"][0]["gained"],
        tag["stacks"][0]["lost"],
    )


TWINS = table(
    """
another build tool
    fftw-1 > gmake-1:build; gmake-1; fftw-2 > gmake-2:build; gmake-2 version=2 |
    fftw-1 > gmake-1:build; gmake-1 | 1
a duplicate of one that is upgraded
    fftw-1 > gmake-1:build; gmake-1; fftw-2 > gmake-2:build; gmake-2 version=2 |
    fftw-3 version=3 > gmake-1:build; gmake-1 | 1
a duplicate of one that has another MPI now
    fftw-1 > m-1, a-1:build; fftw-2 > m-1, a-2:build; m-1; a-1; a-2 |
    fftw-1 > n-1, a-1:build; n-1; a-1 | 1
another version
    fftw-1; fftw-2 version=2 | fftw-1 | 0
another configuration
    fftw-1; fftw-2 variants=+mpi | fftw-1 | 0
another version far below
    fftw-1 > b-1; b-1 > c-1; c-1; fftw-2 > b-2; b-2 > c-2; c-2 version=2 |
    fftw-1 > b-1; b-1 > c-1; c-1 | 0
another variant far below
    fftw-1 > b-1; b-1 > c-1; c-1; fftw-2 > b-2; b-2 > c-2; c-2 variants=+x |
    fftw-1 > b-1; b-1 > c-1; c-1 | 0
nothing of it is left
    fftw-1 > gmake-1:build; gmake-1; fftw-2 > gmake-2:build; gmake-2 version=2 | gmake-1 | 1
two that are lost both
    fftw-1 > a-1:build; fftw-2 > a-2:build; fftw-3 target=zen4; a-1; a-2 | fftw-3 target=zen4; a-1 |
    1
two of three
    fftw-1 > a-1:build; fftw-2 > a-2:build; fftw-3 > a-3:build; a-1; a-2; a-3 |
    fftw-1 > a-1:build; a-1 | 2
""",
    3,
)
"""What each lock lists, and how many lost builds of fftw are duplicates."""


@pytest.mark.parametrize("name", TWINS)
def test_a_lost_build_of_which_there_is_another_is_a_duplicate(tmp_path: Path, name: str) -> None:
    old, new, number = TWINS[name]
    expected = int(number)
    paths = write_graphs(tmp_path, old, new)
    for sides, key in ((paths, "lost"), (paths[::-1], "gained")):
        [tag] = report_of_locks(*sides)["tags"]
        changes = {change["package"]: change for change in tag["stacks"][0]["package_changes"]}
        counts = {"lost": 0, "gained": 0, key: expected}
        assert changes["fftw"].get("duplicates") == (counts if expected else None)
        if expected:
            assert changes["fftw"][f"{key}_by"] == []
    assert run_cli(*paths, "--fail-on", "removed").status == 1


@pytest.mark.parametrize(
    ("old", "new", "moved_by"),
    [
        ("a-1 > mpi-1; a-2; mpi-1", "a-3 version=2 > mpi-1; a-2; mpi-1", "1 mpi"),
        ("a-1 > mpi-1; a-2; mpi-1", "a-3 version=0 > mpi-1; a-2; mpi-1", "1 mpi"),
        (
            "a-1 os=sles; a-2 os=sles; a-3",
            "a-4 version=2 os=sles; a-5 version=2 os=sles; a-3",
            "2 os",
        ),
        ("a-1; a-2", "a-3 version=2; a-2", None),  # nothing tells them
        ("a-1 > mpi-1; mpi-1; a-2 version=3", "a-3 version=2 > mpi-1; mpi-1; a-2 version=3", None),
        ("a-1 os=sles; a-2", "a-3 version=2 os=sles", None),  # the other one is gone
        # what they depend on themselves, if it tells all of them
        (
            "a-1 > x-1; a-2 > y-1; a-3; x-1 > z-1; y-1 > z-1; z-1",
            "a-4 version=2 > x-1; a-5 version=2 > y-1; a-3; x-1 > z-1; y-1 > z-1; z-1",
            "1 x, 1 y",
        ),
        (
            "a-1 > x-1; a-2 > y-1; a-3 > y-2; x-1 > z-1; y-1 > z-1; y-2; z-1",
            "a-4 version=2 > x-1; a-5 version=2 > y-1; a-3 > y-2; x-1 > z-1; y-1 > z-1; y-2; z-1",
            "2 z",
        ),
    ],
)
def test_what_tells_builds_of_another_version_from_those_that_kept_theirs(
    tmp_path: Path, old: str, new: str, moved_by: str | None
) -> None:
    paths = write_graphs(tmp_path, old, new)
    [tag] = report_of_locks(*paths)["tags"]
    changes = {change["package"]: change for change in tag["stacks"][0]["package_changes"]}
    found = changes["a"].get("moved_by")
    words = [f"{it['specs']} {it['trait']['name'] or it['trait']['what']}" for it in found or ()]
    assert ", ".join(words) == (moved_by or "")
    assert found is None or found  # the key is there where anything tells them


def test_which_builds_of_a_dependency_moved_nobody_asks(tmp_path: Path) -> None:
    texts = (
        "top-1 > a-1; top-2 > a-2; a-1 > mpi-1; a-2; mpi-1",
        "top-3 > a-3; top-2 > a-2; a-3 version=2 > mpi-1; a-2; mpi-1",
    )
    paths = tmp_path / "old.lock", tmp_path / "new.lock"
    for asked, found in (("top", [None]), ("a", ["mpi"])):
        for path, text in zip(paths, texts, strict=True):
            graph = with_hashes(described(*text.split("; ")))
            roots = [key for key, node in graph.items() if node.name in ("top", asked)]
            path.write_text(json.dumps(lock_of(graph, roots)))
        [tag] = report_of_locks(*paths)["tags"]
        changes = tag["stacks"][0]["package_changes"]
        moved = [it.get("moved_by") for it in changes if it["package"] == "a"]
        assert [it and it[0]["trait"]["name"] for it in moved] == found


def test_duplicates_are_those_of_the_builds_that_are_reported(tmp_path: Path) -> None:
    tools = [Item("gmake", str(number)) for number in range(3)]
    twins = [
        Item("fftw", explicit=tool.version != "2", needs=(needs(tool, types=("build",)),))
        for tool in tools
    ]
    app = Item("app", explicit=True, needs=tuple(map(needs, twins)))
    left = Item("app", explicit=True, needs=(needs(twins[0]),))
    files = {"old.lock": [*tools, *twins, app], "new.lock": [*tools, twins[0], left]}
    write_files(tmp_path, {name: to_bytes(lock(items)) for name, items in files.items()})
    for options, lost in (((), 2), (("--explicit",), 1)):
        report = report_of_locks(tmp_path / "old.lock", tmp_path / "new.lock", *options)
        changes = report["tags"][0]["stacks"][0]["package_changes"]
        [fftw] = [change for change in changes if change["package"] == "fftw"]
        assert fftw["duplicates"] == {"lost": lost, "gained": 0}


@pytest.mark.parametrize(
    ("came", "needed_by"),
    [
        ("root-1 > b-1; b-1 > mpi-1; mpi-1 version=1", ["root"]),  # far below
        ("root-1 > b-1:build; b-1 > mpi-1; mpi-1 version=1", None),  # not linked
        ("root-1; user-1 > mpi-1; mpi-1 version=1", None),  # what was there needs it
        ("root-1 > mpi-1; mpi-1 version=1; user-1 > mpi-3; mpi-3 version=3", ["root"]),
        ("root-1 > mpi-3; mpi-3 version=3", None),  # the version that came is no older one
        ("root-1 > mpi-2; user-1 > mpi-1; mpi-1 version=1; mpi-2 version=2", None),
    ],
)
@pytest.mark.parametrize("options", [[], ["-p", "mpi"]])
def test_an_older_version_names_the_new_roots_that_need_it(
    tmp_path: Path, came: str, needed_by: list[str] | None, options: list[str]
) -> None:
    old = "user-1 > mpi-2; mpi-2 version=2"
    paths = write_graphs(tmp_path, old, came, roots=("root", "user"))
    [tag] = report_of_locks(*paths, *options)["tags"]
    changes = {change["package"]: change for change in tag["stacks"][0]["package_changes"]}
    assert changes["mpi"].get("needed_by") == needed_by


def test_of_an_environment_that_went_back_no_new_root_is_the_reason(tmp_path: Path) -> None:
    for fell, needed_by in ((["a"], ["root"]), (["a", "b", "c"], None)):
        sides = []
        for version in "21":
            lib = Item("lib", version)
            users = [
                Item(name, version if name in fell else "1", explicit=True, needs=(needs(lib),))
                for name in "abcd"
            ]
            root = [Item("root", explicit=True, needs=(needs(lib), needs(users[0])))]
            sides.append([lib, *users, *(root if version == "1" else [])])
        folder = tmp_path / str(len(fell))
        changes = run_json(*write_locks(folder, *sides))["tags"][0]["stacks"][0]["package_changes"]
        [lib_change] = [it for it in changes if it["package"] == "lib"]
        assert lib_change.get("needed_by") == needed_by


def with_hashes(graph: PlainGraph) -> dict[str, PlainNode]:
    """A described graph under hashes as Spack's look."""
    return {
        digest(key): replace(
            node, edges=tuple(replace(edge, hash=digest(edge.hash)) for edge in node.edges)
        )
        for key, node in graph.items()
    }


def test_what_is_farther_than_one_looks_is_told_by_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old, new, _ = EXAMPLES["any other dependency, the nearest first"]
    paths = write_graphs(tmp_path, old, new)
    for steps, name in ((2, "b"), (1, "a")):
        monkeypatch.setattr("snapdiff.diff.trait_bits._MOST_STEPS", steps)
        [tag] = report_of_locks(*paths)["tags"]
        changes = {change["package"]: change for change in tag["stacks"][0]["package_changes"]}
        assert changes["fftw"]["lost"]["name"] == name


ZEN2, ZEN3 = (
    {"trait": {"what": "target", "name": None, "value": target}, "specs": 1}
    for target in ("zen2", "zen3")
)


@pytest.mark.parametrize(
    ("options", "parts"),
    [([], [ZEN2, ZEN3]), (["--explicit"], [ZEN2]), (["--because", "mpi"], [ZEN3])],
)
def test_traits_are_those_of_the_lost_builds_that_are_reported(
    tmp_path: Path, options: list[str], parts: list[object]
) -> None:
    mpi = Item("mpi")
    kept = Item("fftw", "3.1", explicit=True, needs=(needs(Item("mpi", "2.0")),))
    both = [Item("mpi", "2.0"), kept]
    lost = [
        mpi,
        Item("fftw", target="zen2", version="3.1", explicit=True),
        Item("fftw", target="zen3", version="3.1", needs=(needs(mpi),)),
    ]
    app = Item("app", explicit=True, needs=tuple(map(needs, lost)))
    files = {"old.lock": [*both, *lost, app], "new.lock": [*both, Item("app", explicit=True)]}
    write_files(tmp_path, {name: to_bytes(lock(items)) for name, items in files.items()})
    report = report_of_locks(tmp_path / "old.lock", tmp_path / "new.lock", *options)
    changes = report["tags"][0]["stacks"][0]["package_changes"]
    [fftw] = [change for change in changes if change["package"] == "fftw"]
    assert fftw["lost_by"] == parts


def test_a_package_filter_changes_no_trait(tmp_path: Path) -> None:
    old, new, words = EXAMPLES["a dependency that is gone goes before nearer ones"]
    paths = write_graphs(tmp_path, old, new)
    [tag] = report_of_locks(paths[0], paths[1], "-p", "fftw")["tags"]
    [change] = tag["stacks"][0]["package_changes"]
    assert change["lost"] == trait_in(words)


@needs_real_catalogs
def test_a_site_that_drops_mvapich_is_told_of_it_first_and_the_gate_finds_all() -> None:
    done = run_cli(*DERECHO, "-f", "text", "--fail-on", "removed")
    assert done.status == 1
    openmpi = "openmpi 5.0.0rc16 and cce 16.0.1"
    lost = "11 others lost builds that used it. 5 of them also lost builds with"
    words = " ".join(done.out.split())
    assert (
        f"Of 106 products before, mvapich is gone, {lost} {openmpi}, as openmpi, now 5.0.0,"
        in words
    )
    fftw = f"1 with mvapich 3.0b, 1 with {openmpi}"
    both = f"one each with {openmpi}"
    assert f"{both}: fftw, hdf5, netcdf, parallel-netcdf, parallelio1 esmf: 4 of 12" in words
    builds = "fftw 3.3.10: 2 of 17", "netcdf 4.9.2: 2 of 17", "parallelio1 1.10.1: 2 of 13"
    for lost in builds:
        assert f"snapdiff: removed: {lost} builds gone ({fftw}) in derecho\n" in done.err
    losing = re.findall(r"^snapdiff: removed: ([^:\n]*): [0-9]", done.err, re.MULTILINE)
    assert sum(len(names.split(", ")) for names in losing) == 14
    assert "snapdiff: removed: mvapich 3.0b in derecho\n" in done.err
    old, new = DERECHO
    [tag] = report_of_locks(old, new, "-k", "removed")["tags"]
    [stack] = tag["stacks"]
    # openmpi is upgraded, and no version of it stayed: its lost build is no loss of a gate's.
    assert {change["kind"] for change in stack["package_changes"]} == {"removed"}
    assert len(stack["package_changes"]) == 15
    assert len(stack["changes"]) == 24


def test_a_dependency_that_no_document_lists_tells_a_build_by_its_name(tmp_path: Path) -> None:
    """A lock may lead to nodes that it does not have: Spack warns of it, and takes the rest."""
    stays, unlisted = Item("hdf5", "1.14", target="zen4"), Item("zlib", "1.3")
    lost = Item("hdf5", "1.14", target="zen4", needs=(needs(unlisted),))
    sides = tmp_path / "old.lock", tmp_path / "new.lock"
    for side, items in zip(sides, ([stays, lost], [stays]), strict=True):
        side.write_bytes(to_bytes(lock(items)))
    done = run_cli(*sides, "-f", "json")
    assert "a dependency is not in the document: zlib" in done.err
    [change] = json.loads(done.out)["tags"][0]["stacks"][0]["package_changes"]
    assert change["lost"] == {"what": "dependency", "name": "zlib", "value": None}


def test_traits_of_twice_as_many_lost_builds_take_about_twice_as_many_steps() -> None:
    assert steps_of_a_loss(200) < 2.2 * steps_of_a_loss(100)


@pytest.mark.parametrize(("lost", "reads"), [("bcd", 1), ("b", 1), ("", 0)])
def test_what_both_sides_have_is_read_once_for_all_stacks_and_not_where_nothing_is_lost(
    lost: str, reads: int
) -> None:
    stacks = frozenset(["e4s", "hep", "ml"])
    like, unlike = (
        Build("1.0", "gcc@12", os, "linux", "zen4", ("+mpi",), stacks) for os in ("sles", "rhel8")
    )
    calls = []

    def kept() -> list[tuple[str, Build]]:
        calls.append(1)
        return [("", like)]

    pair = PackagePair(
        tags=("develop", "develop"),
        name="hdf5",
        old={hash_of(letter): unlike for letter in [*lost, "y"]},
        new={hash_of("z"): unlike},
        common={},
        kept=kept,
    )
    found = diff_package(pair, Scope(Filters()), Limits(), KnownGraphs())
    assert len(calls) == reads
    assert found.stacks.keys() == stacks
    for changes in found.stacks.values():
        assert len(changes.losses) == bool(lost)
        for loss in changes.losses.values():
            assert [key for key, _ in loss.others] == [hash_of("z"), ""]


def build_with(*variants: str) -> Build:
    """A build of a stack."""
    stacks = frozenset(["e4s"])
    return Build("1.0", "gcc@12", "rhel8", "linux", "zen4", variants, stacks)


def bits_of(losses: Iterable[Loss]) -> TraitBits:
    """Bits that know what the builds of some losses link and run."""
    bits = TraitBits()
    read_linked(losses, bits)
    return bits


def steps_of_a_loss(packages: int) -> int:
    """How many steps it takes to find what the builds of a chain of packages have in common."""
    lines = ["mpi-1", "p0-1 > mpi-1", "p0-2"]
    for number in range(1, packages):
        lines += [f"p{number}-1 > p{number - 1}-1", f"p{number}-2 > p{number - 1}-2"]
    graph = described(*lines)
    kept = {key: node for key, node in graph.items() if key.endswith("-2")}
    both = both_sides((NodesByHash(graph), NodesByHash(kept)))
    like = build_with()
    losses = [
        Loss(f"p{number}", {f"p{number}-1": like}, [], [(f"p{number}-2", like)], both)
        for number in range(packages)
    ]
    mpi = Trait("dependency", "mpi", "1.0")

    def find() -> None:
        traits = find_traits(losses, ["mpi"], bits_of(losses), are_lost=True)
        assert set(traits.common.values()) == {mpi}
        assert set(traits.packages.values()) == {(TraitCount(mpi, 1),)}

    return work(find)


def merged_chain(packages: int) -> list[Loss]:
    """Packages above each other whose two builds are one now, their variants all the way down."""
    keys = [(number, build) for number in range(packages) for build in (1, 2, 3)]
    dims = {1: "dims:=1", 2: "dims:=2", 3: "dims:=3"}
    graph = described(
        *(
            f"p{number}-{build} variants={dims[build]}"
            + (f" > p{number - 1}-{build}" if number else "")
            for number, build in keys
        )
    )
    sides = both_sides((NodesByHash(graph), NodesByHash(graph)))
    likes = {build: build_with(dims[build]) for build in dims}
    return [
        Loss(
            f"p{number}",
            {f"p{number}-1": likes[1]},
            [(f"p{number}-2", likes[2])],
            [(f"p{number}-3", likes[3])],
            sides,
        )
        for number in range(packages)
    ]


def steps_of_a_merge(packages: int) -> int:
    """How many steps it takes to find that no variant lists those of all builds before."""
    losses = merged_chain(packages)
    bits = bits_of(losses)

    def find() -> None:
        assert not find_traits(losses, [], bits, are_lost=True).merged

    return work(find)


def test_of_twice_as_many_packages_whose_builds_are_one_now_it_takes_about_twice_the_steps() -> (
    None
):
    assert steps_of_a_merge(200) < 2.2 * steps_of_a_merge(100)


@pytest.mark.parametrize("below", ["v-{0}, w-{0}", "w-{0}, v-{0}"])
@pytest.mark.parametrize(
    ("listed", "merged"),
    [
        ("dims:=1,2", Trait("dependency variant", "v", "dims=1,2")),
        ("dims:=1,3", None),
        ("dims:=2", None),
        ("patches:=1,2", None),
    ],
)
def test_builds_that_are_one_now_are_told_by_the_first_dependency_that_lists_their_variants(
    below: str, listed: str, merged: Trait | None
) -> None:
    key = listed.partition(":")[0]
    likes = {1: f"{key}:=1", 2: f"{key}:=2", 3: listed}
    graph = described(*(f"a-{build} > {below.format(build)}" for build in likes))
    for build, variant in likes.items():
        graph |= {f"{name}-{build}": PlainNode(name, variants=(variant,)) for name in "vw"}
    sides = both_sides((NodesByHash(graph), NodesByHash(graph)))
    like = build_with()
    losses = [Loss("a", {"a-1": like}, [("a-2", like)], [("a-3", like)], sides)]
    found = find_traits(losses, [], bits_of(losses), are_lost=True).merged
    assert found == ({"a": merged} if merged else {})


TWO_X = "x-1; x-2 version=2"
TWO_MPI = "mpi-1; mpi-2 variants=+x"
TWO_B = "b-1 variants=patches:=abcdef0; b-2 variants=patches:=abcdef1"
WARPX = "w-1 variants=dims:=1; w-2 variants=dims:=2; w-3 variants=dims:=3"
PARTS = table(
    f"""
what most have goes first
    a-1 > mpi-1; a-2 > mpi-2; a-3 variants=+cuda; a-4 os=sles; a-5; {TWO_MPI} | a-5 |
    2 with mpi 1.0, 1 for sles, 1 with +cuda
three at most
    a-1 target=zen; a-2 target=zen2; a-3 target=zen3; a-4 target=zen4; a-5 | a-5 |
    1 for zen, 1 for zen2, 1 for zen3
a build that has nothing of its own is in no part
    a-1 > mpi-1; a-2 > x-1; a-3 > x-2; mpi-1; {TWO_X} | a-3 > x-2; {TWO_X} | 1 with mpi 1.0
the version that the builds of the part have
    a-1 > mpi-1; a-2 > mpi-2; a-3 os=sles; a-5; mpi-1 version=1; mpi-2 version=2 | a-5 |
    2 with mpi, 1 for sles
two together where no one alone tells them
    a-1 os=sles > m-1; a-2 os=sles; a-3 > m-1; a-4 os=sles > m-1, z-1; a-5 os=x; m-1; z-1 |
    a-2 os=sles; a-3 > m-1; m-1; z-1 | 2 with m 1.0 and for sles, 1 for x
one alone before two, where as many have it
    a-1 os=sles variants=+cuda > mpi-1; a-2 os=sles; a-3 > mpi-1; mpi-1; a-4 target=zen4 |
    a-2 os=sles; a-3 > mpi-1; mpi-1 | 1 for zen4, 1 with +cuda
another architecture before the compiler
    a-1 compiler=gcc@10 target=aarch64; a-3 | a-3; a-4 compiler=gcc@8 target=zen2 | for aarch64
nothing that a build has that stayed
    a-1 os=sles > m-1; a-2 > m-1; m-1; n-1 | a-2 > n-1; m-1; n-1 | for sles
a variant of a dependency where nothing else tells
    a-1 > w-1; a-2 > w-2; a-3 > w-3; {WARPX} | a-3 > w-3; {WARPX} |
    1 with ^w dims=1, 1 with ^w dims=2
the variant of the nearest dependency
    a-1 > b-1; b-1 variants=+y > c-1; c-1 variants=+x; a-2 > b-2; b-2 > c-2; c-2 |
    a-2 > b-2; b-1 variants=+y > c-1; c-1 variants=+x; b-2 > c-2; c-2 | with ^b +y
the variant of a dependency last
    a-1 > w-1; a-2 > w-2; a-4 > w-1, m-1; a-3 > w-3; m-1; {WARPX} | a-3 > w-3; m-1; {WARPX} |
    1 with m 1.0, 1 with ^w dims=1, 1 with ^w dims=2
a tool that a package runs after all else
    a-1 > py-setuptools-1; py-setuptools-1; a-2 > py-setuptools-1, z-1; a-3; z-1; a-5 os=sles |
    a-3; z-1; py-setuptools-1 | 1 with z 1.0, 1 for sles, 1 with py-setuptools 1.0
no patches of a dependency
    a-1 > b-1; a-2 > b-2; a-4 os=sles > b-2; {TWO_B} | a-2 > b-2; {TWO_B} | 1 for sles
no variant of what only builds need
    a-1 > w-1:build, x-1; a-4 os=sles; a-3 > w-3:build, x-2; {WARPX}; {TWO_X} |
    a-3 > w-3:build, x-2; {WARPX}; {TWO_X} | 1 for sles
a build is counted with one trait
    a-1 > mpi-1; a-2 > mpi-1, zlib-1; a-3 > zlib-1; a-4 > mpi-2; a-5; {TWO_MPI}; zlib-1 |
    a-5; zlib-1 | 3 with mpi 1.0, 1 with zlib 1.0
""",
    3,
)


@pytest.mark.parametrize("name", PARTS)
def test_where_one_trait_is_not_enough_there_are_several_with_their_numbers(
    tmp_path: Path, name: str
) -> None:
    old, new, expected = PARTS[name]
    paths = write_graphs(tmp_path, old, new)
    for sides, words in ((paths, "gone"), (paths[::-1], "new")):
        lines = run_cli(*sides, "-f", "text").out.splitlines()
        # What is all that changed is told in a sentence.
        which = re.compile(rf" (?:of [0-9]+ builds )?{words} \(([^)]*)\)")
        [told] = [
            found[1]
            for line in lines
            if (found := which.search(line)) and " packages " not in line and " with b" not in line
        ]
        assert told == expected


def test_a_stack_tells_its_parts_those_aside_that_are_less_than_a_tenth(tmp_path: Path) -> None:
    names = [f"p{number}" for number in range(9)]
    lost = [f"{name}-1 > mpi-1" for name in names] + [f"{name}-2 os=sles" for name in names]
    kept = [f"{name}-3" for name in names]
    old = [*lost, "mpi-1", "q-1 target=zen4", "q-2", "q-3 target=zen4 variants=+x", *kept]
    paths = write_graphs(tmp_path, "; ".join(old), "; ".join(["q-2", *kept]))
    out = run_cli(*paths, "-f", "text").out
    assert "\nLost builds\n\n  2 each, one with mpi 1.0 and one for sles: p0, p1, p2, p3, " in out
    assert "\nBuilds: 31 → 10, 10 as before, 21 gone\n" in out


@pytest.mark.parametrize(
    ("kept", "came", "merged"),
    [
        (None, "dims=1,2", "dims=1,2"),
        ("dims=1,2", None, None),  # it was there before: the others were not merged into it
        ("dims=1", "dims=1,2", None),
    ],
)
def test_builds_of_pages_are_one_now_where_none_is_left_of_those_before(
    kept: str | None, came: str | None, merged: str | None
) -> None:
    def page(**variants: str | None) -> list[Record]:
        return [spec(name, variants=words) for name, words in variants.items() if words]

    report = report_of(page(a="dims=1", b="dims=2", kept=kept), page(came=came, kept=kept))
    [change] = report["tags"][0]["stacks"][0]["package_changes"]
    expected = {"what": "variant", "name": "dims", "value": merged}
    assert change.get("merged") == (expected if merged else None)


def test_where_all_builds_are_of_one_target_no_family_is_looked_up(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("snapdiff.diff.trait_bits.target_family", None)  # it takes long to import
    kept = spec("b")
    report = report_of([spec("a", compiler="gcc@10"), kept], [kept])
    [change] = report["tags"][0]["stacks"][0]["package_changes"]
    compiler = {"what": "compiler", "name": None, "value": "gcc@10"}
    assert change["lost_by"] == [{"trait": compiler, "specs": 1}]
