"""What always holds (specification, section 6), on generated catalogs, small and large."""

import functools
import json
import random
from collections import Counter
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.generated import Catalogs, catalogs, make_catalogs
from tests.support.helpers import (
    Report,
    expected_readings,
    json_of,
    pages_of,
    readings_of,
    report_of,
    shuffled_page,
)
from tests.support.nightly import examples
from tests.support.oracle import KINDS, Record, compare_versions, compared_tags, counting_stacks

pytestmark = pytest.mark.slow

PAIRED = ("upgraded", "downgraded", "rebuilt", "reconfigured")


def stacks_of(report: Report) -> list[dict[str, Any]]:
    return [stack for tag in report["tags"] for stack in tag["stacks"]]


def told_stacks(report: Report) -> dict[tuple[str | None, str | None, str], dict[str, Any]]:
    return {
        (tag["old"], tag["new"], stack["stack"]): stack
        for tag in report["tags"]
        for stack in tag["stacks"]
    }


def hashes_in(records: list[Record], tag: str | None, stack: str) -> list[str]:
    return [it["hash"] for it in records if it["tag"] == tag and stack in counting_stacks(it)]


Records = list[Record]


def every_spec_of_a_stack_is_unchanged_or_in_one_change(
    report: Report, old: Records, new: Records
) -> None:
    for (old_tag, new_tag, name), stack in told_stacks(report).items():
        before, after = hashes_in(old, old_tag, name), hashes_in(new, new_tag, name)
        common = set(before) & set(after)
        assert stack["specs"] == {"old": len(before), "new": len(after)}
        assert stack["summary"]["unchanged"] == len(common)
        pairs = sum(stack["summary"][kind] for kind in PAIRED)
        assert len(before) == len(common) + stack["summary"]["removed"] + pairs
        assert len(after) == len(common) + stack["summary"]["added"] + pairs
        is_whole = None in (old_tag, new_tag)  # of a tag on one side no spec is listed
        for side, hashes in (("old", before), ("new", after)):
            told = [change[side]["hash"] for change in stack["changes"] if change[side]]
            assert sorted(told) == ([] if is_whole else sorted(set(hashes) - common))
        if before and after:
            assert stack["status"] == ("changed" if stack["changes"] else "unchanged")
        else:
            assert stack["status"] == ("removed" if before else "added")


def a_tag_counts_its_distinct_hashes_and_packages(
    report: Report, old: Records, new: Records
) -> None:
    for tag in report["tags"]:
        for side, records in (("old", old), ("new", new)):
            here = [item for item in records if item["tag"] == tag[side]]
            assert tag["specs"][side] == len({item["hash"] for item in here})
            assert tag["packages"][side] == len({item["package"] for item in here})


def every_tag_that_differs_is_told_and_no_other(report: Report, old: Records, new: Records) -> None:
    before, after = ({item["tag"] for item in records} for records in (old, new))
    told = {(tag["old"], tag["new"]): tag["status"] for tag in report["tags"]}
    differing = {label for label, _ in expected_readings(old, new)}
    expected: dict[tuple[str | None, str | None], str] = {
        (old_tag, new_tag): "changed"
        for label, old_tag, new_tag in compared_tags(old, new)
        if label in differing
    }
    if not (len(before) == len(after) == 1):
        expected |= {(tag, None): "removed" for tag in before - after}
        expected |= {(None, tag): "added" for tag in after - before}
    assert told == expected


def counts_are_those_of_the_changes(report: Report, *_: Records) -> None:
    total = Counter[str]()
    for tag in report["tags"]:
        for stack in tag["stacks"]:
            total.update(stack["summary"])
            if tag["status"] == "changed":
                kinds = Counter(change["kind"] for change in stack["changes"])
                assert {kind: kinds[kind] for kind in KINDS[:-1]} | {
                    "unchanged": stack["summary"]["unchanged"]
                } == stack["summary"]
            else:
                assert stack["changes"] == []
    assert report["summary"] == {kind: total[kind] for kind in KINDS}


@settings(max_examples=examples(45))
@given(catalogs(), st.sampled_from([{}, {"kind": ("upgraded", "added")}]))
def test_the_other_way_round_the_same_is_there_and_what_was_added_is_removed(
    both: Catalogs, filters: dict[str, tuple[str, ...]]
) -> None:
    old, new = both
    report, back = report_of(old, new, **filters), told_stacks(report_of(new, old))
    what_changed_in_other_stacks_is_still_there_or_is_not(report, old, new)
    if filters:
        return
    forth = told_stacks(report)
    assert {(new_tag, old_tag, name) for old_tag, new_tag, name in forth} == set(back)
    for (old_tag, new_tag, name), stack in forth.items():
        mirrored = back[new_tag, old_tag, name]
        counts, others = stack["summary"], mirrored["summary"]
        assert (others["added"], others["removed"]) == (counts["removed"], counts["added"])
        assert others["unchanged"] == counts["unchanged"]
        assert sum(others[kind] for kind in PAIRED) == sum(counts[kind] for kind in PAIRED)
        if None not in (old_tag, new_tag):
            assert mirrored["still_there"] == stack["still_there"]


def what_changed_in_other_stacks_is_still_there_or_is_not(
    report: Report, old: Records, new: Records
) -> None:
    for tag in report["tags"]:
        changed = {it["package"] for stack in tag["stacks"] for it in stack["package_changes"]}
        for stack in tag["stacks"] if tag["status"] == "changed" else ():
            there = [
                {
                    item["package"]
                    for item in records
                    if item["tag"] == tag[side] and stack["stack"] in counting_stacks(item)
                }
                for side, records in (("old", old), ("new", new))
            ]
            mine = {change["package"] for change in stack["package_changes"]}
            assert stack["still_there"] == sorted(there[0] & there[1] & changed - mine)


@given(catalogs())
def test_a_catalog_does_not_differ_from_itself(both: Catalogs) -> None:
    for records in both:
        report = report_of(records, records)
        assert report["tags"] == []
        assert set(report["summary"].values()) == {0}


def what_changes_are_called_is_what_their_specs_say(report: Report, *_: Records) -> None:
    for stack in stacks_of(report):
        for change in stack["changes"]:
            names = [field["name"] for field in change["fields"]]
            if change["kind"] in ("upgraded", "downgraded"):
                assert names[0] == "version"
            elif change["kind"] == "reconfigured":
                assert names
                assert "version" not in names
            else:
                assert names == []
            assert (change["old"] is None) == (change["kind"] == "added")
            assert (change["new"] is None) == (change["kind"] == "removed")
            assert all(field["old"] != field["new"] for field in change["fields"])


@given(catalogs(), st.randoms(use_true_random=True))
def test_the_report_does_not_depend_on_any_order(both: Catalogs, chance: random.Random) -> None:
    old, new = map(pages_of, both)
    style = shuffled_page(chance)
    assert json_of(*(pages_of(side, style) for side in both)) == json_of(old, new)


by_version = functools.cmp_to_key(compare_versions)


def order_of(change: dict[str, Any]) -> tuple[Any, ...]:
    """Package, kind, versions, hashes; a side without a spec counts as the other."""
    old, new = change["old"] or change["new"], change["new"] or change["old"]
    versions = by_version(old["version"]), by_version(new["version"])
    return (change["package"], change["kind"], *versions, old["hash"], new["hash"])


def everything_in_the_report_is_sorted(report: Report, *_: Records) -> None:
    tags = [tag["old"] or tag["new"] for tag in report["tags"]]
    assert tags == sorted(tags)
    for tag in report["tags"]:
        names = [stack["stack"] for stack in tag["stacks"]]
        assert names == sorted(names)
        for stack in tag["stacks"]:
            for before, after in pairwise(stack["changes"]):
                assert order_of(before) <= order_of(after)


LAWS = (
    every_spec_of_a_stack_is_unchanged_or_in_one_change,
    a_tag_counts_its_distinct_hashes_and_packages,
    every_tag_that_differs_is_told_and_no_other,
    counts_are_those_of_the_changes,
    what_changes_are_called_is_what_their_specs_say,
    everything_in_the_report_is_sorted,
)


@settings(max_examples=examples(60))
@given(catalogs())
def test_every_report_keeps_the_laws(both: Catalogs) -> None:
    report = report_of(*both)
    for law in LAWS:
        law(report, *both)


@settings(max_examples=6)
@given(catalogs(most_specs=90))
def test_larger_pages_agree_with_the_oracle(both: Catalogs) -> None:
    old, new = both
    assert readings_of(report_of(old, new)) == expected_readings(old, new)


@pytest.mark.nightly
def test_a_catalog_of_eight_thousand_specs_agrees_with_the_oracle() -> None:
    chance = random.Random(20250330)  # noqa: S311 - the same catalog every time
    sizes = {
        (tag, f"package-{number:03}"): chance.choice([1, 2, 5, 10, 20, 30, 60])
        for tag in ("develop", "develop-2025-03-30")
        for number in range(225)
    }
    sizes["develop", "py-numpy"] = 160
    old, new = make_catalogs(chance, sizes)
    assert len({item["hash"] for item in old + new}) > 7500
    report = json.loads(json_of(pages_of(old), pages_of(new)))
    expected = expected_readings(old, new)
    assert readings_of(report) == expected
    assert all(report["summary"][kind] for kind in KINDS)
