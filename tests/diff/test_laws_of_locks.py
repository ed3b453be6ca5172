"""What always holds (specification, sections 6, 10 and 12), over whole commands on any locks."""

import json
import random
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tests.support.documents import (
    Json,
    plain_edges,
    plain_environment,
    plain_environments,
    plain_node,
    to_bytes,
)
from tests.support.generated_graphs import make_graphs
from tests.support.generated_locks import locks, make_locks
from tests.support.helpers import Report, catalog_folders, run_cli, without_revisions
from tests.support.nightly import examples
from tests.support.oracle import KINDS
from tests.support.repositories import GitRepository

pytestmark = pytest.mark.slow

Locks = tuple[Json, Json]

PAIRED = ("upgraded", "downgraded", "rebuilt", "reconfigured")
LOCK = "hep/spack.lock"
NOT_LISTED = tuple(f"snapdiff: warning: {side}/{LOCK}: " for side in ("old", "new"))
"""What begins a warning of dependencies that a lock does not list."""


def files_of(document: Json) -> dict[str, bytes]:
    return {LOCK: to_bytes(document)}


def output_of(old: Json, new: Json, *options: str) -> str:
    """What a comparison prints, run where the names of both folders are always the same."""
    with catalog_folders(files_of(old), files_of(new)) as (before, _):
        result = run_cli("-C", before.parent, f"old/{LOCK}", f"new/{LOCK}", *options)
    assert result.status == 0, result
    assert all(line.startswith(NOT_LISTED) for line in result.err.splitlines()), result
    return result.out


def report_of(old: Json, new: Json, *options: str) -> Report:
    report: Report = json.loads(output_of(old, new, "-f", "json", *options))
    return report


@settings(max_examples=examples(60))
@given(locks())
def test_counts_add_up_to_what_dependencies_lead_to_from_the_roots(both: Locks) -> None:
    before, after = (plain_environment(document) for document in both)
    report = report_of(*both)
    changes = [it for tag in report["tags"] for some in tag["stacks"] for it in some["changes"]]
    for side, mine, other in (("old", before, after), ("new", after, before)):
        hashes = Counter(change[side]["hash"] for change in changes if change[side])
        assert hashes == Counter(mine.keys() - other.keys())
    summary = report["summary"]
    pairs = sum(summary[kind] for kind in PAIRED)
    if not summary["unchanged"] and before.keys() == after.keys():
        assert set(summary.values()) == {0}  # a tag without a change is not told
        return
    assert summary["unchanged"] == len(before.keys() & after.keys())
    assert len(before) == summary["unchanged"] + summary["removed"] + pairs
    assert len(after) == summary["unchanged"] + summary["added"] + pairs


@settings(max_examples=examples(30))
@given(locks(), st.sampled_from([[], ["--explicit"]]))
def test_the_other_way_round_what_was_added_is_removed(both: Locks, options: list[str]) -> None:
    old, new = both
    forth = report_of(old, new, *options, "--allow-empty")["summary"]
    back = report_of(new, old, *options, "--allow-empty")["summary"]
    assert (back["added"], back["removed"]) == (forth["removed"], forth["added"])
    assert back["unchanged"] == forth["unchanged"]
    assert sum(back[kind] for kind in PAIRED) == sum(forth[kind] for kind in PAIRED)


@settings(max_examples=examples(20))
@given(locks())
def test_a_lock_does_not_differ_from_itself(both: Locks) -> None:
    for document in both:
        report = report_of(document, document, "--exit-code")
        assert report["tags"] == []
        assert report["summary"] == dict.fromkeys(KINDS, 0)


UNORDERED = ("roots", "dependencies", "deptypes", "type", "virtuals")


def shuffled(value: Any, chance: random.Random) -> Any:
    """The same JSON with all in another order that has none."""
    if not isinstance(value, dict):
        return value
    other = {key: shuffled(value[key], chance) for key in chance.sample(list(value), len(value))}
    for key in other.keys() & set(UNORDERED):
        items = [shuffled(item, chance) for item in other[key]]
        other[key] = chance.sample(items, len(items))
    return other


@settings(max_examples=examples(8))
@given(locks())
def test_folders_revisions_and_the_working_tree_give_one_answer(both: Locks) -> None:
    old, new = (files_of(document) for document in both)
    with catalog_folders(old, new) as (before, after):
        repository = GitRepository(before.parent / "catalog")
        repository.commit(old)
        repository.commit(new)
        routes = [
            [f"{before}/{LOCK}", f"{after}/{LOCK}"],
            [f"HEAD~1:{LOCK}", f"HEAD:{LOCK}"],
            [f"HEAD~1:{LOCK}", f"{after}/{LOCK}"],
            ["HEAD~1", LOCK],
        ]
        results = [run_cli("-f", "json", "-C", repository.folder, *route) for route in routes]
        repository.git("reset", "--quiet", "--mixed", "HEAD~1")
        results.append(run_cli("-f", "json", "-C", repository.folder, LOCK))
    assert {result.status for result in results} == {0}, results
    reports = [without_revisions(json.loads(result.out)) for result in results]
    assert all(report == reports[0] for report in reports)


@settings(max_examples=examples(30))
@given(locks(), st.randoms(use_true_random=True), st.sampled_from(["json", "markdown", "csv"]))
def test_the_report_does_not_depend_on_any_order(
    both: Locks, chance: random.Random, name: str
) -> None:
    others = [shuffled(document, chance) for document in both]
    assert output_of(others[0], others[1], "-f", name) == output_of(*both, "-f", name)


@settings(max_examples=examples(30))
@given(locks())
def test_where_an_environment_is_included_from_changes_nothing(both: Locks) -> None:
    old, new = both
    assert without_revisions(report_of(flat(old), flat(new))) == without_revisions(
        report_of(old, new)
    )
    assert report_of(old, flat(old))["tags"] == []


def flat(document: Json) -> Json:
    """The lock with all that it includes as its own."""
    found = plain_environments(document)
    return {
        "_meta": document["_meta"],
        "roots": [root for each in found for root in each["roots"]],
        "concrete_specs": {
            key: said for each in found for key, said in each["concrete_specs"].items()
        },
    }


@settings(max_examples=examples(30))
@given(locks())
def test_what_is_missing_external_and_there_is_all_that_is_wanted(both: Locks) -> None:
    wanted, catalog = (plain_environment(document) for document in both)
    assume(wanted and catalog)  # one without specs is an error
    with catalog_folders(*map(files_of, both)) as (before, after):
        found = missing(before, after)
        assert missing(before, before)["missing"] == []
    external = {key for key, said in wanted.items() if said[-1]}
    gone = wanted.keys() - external - catalog.keys()
    assert Counter(row["spec"]["hash"] for row in found["missing"]) == Counter(gone)
    assert found["specs"] == {
        "wanted": len(wanted),
        "external": len(external),
        "there": len(wanted) - len(external) - len(gone),
        "missing": len(gone),
    }


def missing(wanted: Path, catalog: Path) -> dict[str, Any]:
    result = run_cli("missing", wanted, catalog, "-f", "json")
    assert result.status == 0
    assert all(" not in the document" in line for line in result.err.splitlines()), result
    found: dict[str, Any] = json.loads(result.out)
    return found


# --- What the laws are held against ---


def features(document: Json) -> set[str]:
    """What makes a lock hard to read."""
    found = set()
    environments = plain_environments(document)
    nodes = {key: said for each in environments for key, said in each["concrete_specs"].items()}
    counted = plain_environment(document)
    edges = {key: plain_edges(plain_node(nodes, key)) for key in nodes}
    if any("build_spec" in nodes[key] for key in counted) and len(counted) < len(nodes):
        found.add("splice")
    if len(environments) > 1:
        found.add("include")
    if any(each["roots"] for each in environments[1:]):
        found.add("root of an included environment")
    if any(len(some) > len({name for name, _, _ in some}) for some in edges.values()):
        found.add("dependencies of one name")
    if any(key in below(edges, key) for key in counted):
        found.add("circle")
    if any(key not in nodes for some in edges.values() for _, key, _ in some):
        found.add("dependency that is not listed")
    if nodes and not any(each["roots"] for each in environments):
        found.add("no root")
    return found


def below(edges: dict[str, list[tuple[str, str, list[str]]]], start: str) -> set[str]:
    """All that edges lead to from a node, itself where they come back to it."""
    reached: set[str] = set()
    waiting = [start]
    while waiting:
        for _, key, _ in edges.get(waiting.pop(), []):
            if key not in reached:
                reached.add(key)
                waiting.append(key)
    return reached


def test_generated_locks_have_all_that_makes_locks_hard_to_read() -> None:
    count: Counter[str] = Counter()
    for number in range(200):
        chance = random.Random(number)  # noqa: S311 - the same locks every time
        for document in make_locks(chance, *make_graphs(chance, 10, 3)):
            count.update(features(document))
    assert len(count) == 7
    assert min(count.values()) >= 10, count
