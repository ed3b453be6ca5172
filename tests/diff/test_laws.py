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


@given(catalogs())
def test_every_spec_of_a_stack_is_unchanged_or_in_one_change(both: Catalogs) -> None:
    old, new = both
    for (old_tag, new_tag, name), stack in told_stacks(report_of(old, new)).items():
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


@given(catalogs())
def test_a_tag_counts_its_distinct_hashes_and_packages(both: Catalogs) -> None:
    old, new = both
    for tag in report_of(old, new)["tags"]:
        for side, records in (("old", old), ("new", new)):
            here = [item for item in records if item["tag"] == tag[side]]
            assert tag["specs"][side] == len({item["hash"] for item in here})
            assert tag["packages"][side] == len({item["package"] for item in here})


@given(catalogs())
def test_every_tag_that_differs_is_told_and_no_other(both: Catalogs) -> None:
    old, new = both
    before, after = ({item["tag"] for item in records} for records in both)
    told = {(tag["old"], tag["new"]): tag["status"] for tag in report_of(old, new)["tags"]}
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


@given(catalogs())
def test_counts_are_those_of_the_changes(both: Catalogs) -> None:
    report = report_of(*both)
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


@given(catalogs(), st.sampled_from([{}, {"kind": ("upgraded", "added")}]))
def test_what_changed_in_other_stacks_is_still_there_or_is_not(
    both: Catalogs, filters: dict[str, tuple[str, ...]]
) -> None:
    """And the other way round the same packages are."""
    old, new = both
    report, back = report_of(old, new, **filters), told_stacks(report_of(new, old))
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
            if not filters:
                key = tag["new"], tag["old"], stack["stack"]
                assert back[key]["still_there"] == stack["still_there"]


@given(catalogs())
def test_the_other_way_round_what_was_added_is_removed(both: Catalogs) -> None:
    old, new = both
    forth, back = told_stacks(report_of(old, new)), told_stacks(report_of(new, old))
    assert {(new_tag, old_tag, name) for old_tag, new_tag, name in forth} == set(back)
    for (old_tag, new_tag, name), stack in forth.items():
        mirrored = back[new_tag, old_tag, name]["summary"]
        assert mirrored["added"] == stack["summary"]["removed"]
        assert mirrored["removed"] == stack["summary"]["added"]
        assert mirrored["unchanged"] == stack["summary"]["unchanged"]
        assert sum(mirrored[kind] for kind in PAIRED) == sum(
            stack["summary"][kind] for kind in PAIRED
        )


@given(catalogs())
def test_a_catalog_does_not_differ_from_itself(both: Catalogs) -> None:
    for records in both:
        report = report_of(records, records)
        assert report["tags"] == []
        assert set(report["summary"].values()) == {0}


@given(catalogs())
def test_what_changes_are_called_is_what_their_specs_say(both: Catalogs) -> None:
    for stack in stacks_of(report_of(*both)):
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


@given(catalogs())
def test_everything_in_the_report_is_sorted(both: Catalogs) -> None:
    report = report_of(*both)
    tags = [tag["old"] or tag["new"] for tag in report["tags"]]
    assert tags == sorted(tags)
    for tag in report["tags"]:
        names = [stack["stack"] for stack in tag["stacks"]]
        assert names == sorted(names)
        for stack in tag["stacks"]:
            for before, after in pairwise(stack["changes"]):
                assert order_of(before) <= order_of(after)


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
