"""A second reading of section 9: what happened to a package, straight from two lists of records.

Slow and plain on purpose: versions are compared one with another by the oracle of section 5, and
nothing is shared with the product.
"""

from collections import Counter
from functools import cmp_to_key
from typing import Any

from tests.support.oracle import (
    Change,
    Record,
    canonical_compiler,
    compare_versions,
    compared_tags,
    counting_stacks,
    read_catalogs,
    read_package,
    spec_of,
)
from tests.support.trait_oracle import (
    PlainBuild,
    Side,
    Trait,
    package_trait,
    package_traits,
    stack_trait,
)

PackageChange = dict[str, Any]
"""A package change in the shape of the JSON report."""

SPEC_KINDS = ("added", "removed", "upgraded", "downgraded", "rebuilt", "reconfigured")


def same(a: str, b: str) -> bool:
    """Whether two versions are one in Spack's order."""
    return compare_versions(a, b) == 0


def version_set(records: list[Record]) -> list[str]:
    """The versions of some records in order, each once; of two spellings the first by alphabet."""
    found: list[str] = []
    for version in sorted({record["versions"][0] for record in records}):
        if not any(same(version, other) for other in found):
            place = sum(compare_versions(other, version) < 0 for other in found)
            found.insert(place, version)
    return found


def distinct(records: list[Record]) -> set[str]:
    """The hashes of some records: one that a page has twice is one build."""
    return {record["hash"] for record in records}


def without(versions: list[str], others: list[str]) -> list[str]:
    """The versions that are not among others."""
    return [version for version in versions if not any(same(version, other) for other in others)]


def counts_of(old: list[Record], new: list[Record], shown: list[str]) -> dict[str, Any]:
    """How many builds of each version there are, as the report has it of a package, or nothing."""
    both = [{it["hash"]: it["versions"][0] for it in reversed(side)} for side in (old, new)]
    return {
        "versions": [
            {"version": version}
            | {
                name: sum(same(version, other) for other in side.values())
                for name, side in zip(("old", "new"), both, strict=True)
            }
            for version in shown
        ]
    }


def kind_of_package(old: list[str], new: list[str], spec_kinds: set[str]) -> str:
    """The first row of section 9's table that holds."""
    if old == []:
        return "added"
    if new == []:
        return "removed"
    highest = compare_versions(old[-1], new[-1])
    if highest != 0:
        return "upgraded" if highest < 0 else "downgraded"
    gone, came = without(old, new), without(new, old)
    if gone and came:
        return "upgraded" if compare_versions(gone[-1], came[-1]) < 0 else "downgraded"
    if came or gone:
        return "added" if came else "removed"
    if "removed" in spec_kinds:
        return "removed"
    if "added" in spec_kinds:
        return "added"
    return "rebuilt" if spec_kinds == {"rebuilt"} else "reconfigured"


def side_of(stack: str, records: list[Record]) -> Side:
    """The builds of a stack among the records of a tag."""
    specs = {
        (record["package"], record["hash"]): spec_of(record)
        for record in reversed(records)
        if stack in counting_stacks(record)
    }
    builds = [
        PlainBuild(package, key, spec.compiler, spec.os, spec.target, spec.variants, spec.version)
        for (package, key), spec in specs.items()
    ]
    return Side(builds, None)


def hashes_of(changes: list[Change], kind: str, place: int) -> set[Any]:
    """The hashes of one side of the changes of a kind."""
    return {change[place] for change in changes if change[1] == kind}


def look(record: Record) -> tuple[Any, ...]:
    """A build as it is with any compiler; its version as the oracle compares it stands beside."""
    spec = spec_of(record)
    return spec.os, spec.platform, spec.target, frozenset(spec.variants)


def two_builds(
    changes: list[Change], old: list[Record], new: list[Record]
) -> list[tuple[Any, Any]]:
    """The hashes of pairs of one version with compilers of other names, where others are alike."""
    before, after = ({it["hash"]: it for it in side[::-1]} for side in (old, new))
    found = [
        (before[it[2]], after[it[3]])
        for it in changes
        if it[1] == "reconfigured"
        for names in [{compiler_of(before[it[2]]), compiler_of(after[it[3]])}]
        if len(names) == 2 and "none" not in names
    ]
    moved = {it["hash"] for pair in found for it in pair}

    def is_one_of_several(record: Record, side: dict[str, Record]) -> bool:
        alike = [
            it
            for it in side.values()
            if it["hash"] not in moved
            and look(record) == look(it)
            and same(record["versions"][0], it["versions"][0])
        ]
        return any(
            (it["hash"] in before and it["hash"] in after) or compiler_of(it) != compiler_of(record)
            for it in alike
        )

    return [
        (a["hash"], b["hash"])
        for a, b in found
        if is_one_of_several(a, before) or is_one_of_several(b, after)
    ]


def compiler_of(record: Record) -> str:
    """The name of the compiler, as it is called today."""
    return canonical_compiler(record["compiler"]).split("@")[0]


def trait_of(package: str, hashes: set[Any], sides: tuple[Side, Side]) -> Trait | None:
    """The trait of the builds that one side alone has."""
    return package_trait(package, hashes, *sides) if hashes else None


def stack_traits(old: list[Record], new: list[Record]) -> dict[tuple[str, str], Any]:
    """What each stack lost and gained, by tag label and stack."""
    found = {}
    for (label, stack), reading in read_catalogs(old, new).items():
        for tag in compared_tags(old, new):
            if tag[0] == label:
                before = side_of(stack, [record for record in old if record["tag"] == tag[1]])
                after = side_of(stack, [record for record in new if record["tag"] == tag[2]])
        lost: dict[str, set[str]] = {}
        gained: dict[str, set[str]] = {}
        for package, kind, old_hash, new_hash, *_ in reading.changes:
            if kind == "removed" and old_hash:
                lost.setdefault(package, set()).add(old_hash)
            if kind == "added" and new_hash:
                gained.setdefault(package, set()).add(new_hash)
        found[label, stack] = (
            stack_trait(lost, before, after),
            stack_trait(gained, after, before),
        )
    return found


def package_changes(old: list[Record], new: list[Record]) -> dict[tuple[str, str], list[Any]]:
    """What section 9 says of two catalogs, by tag label and stack, sorted by package."""
    found: dict[tuple[str, str], list[Any]] = {}
    for label, old_tag, new_tag in compared_tags(old, new):
        before = [record for record in old if record["tag"] == old_tag]
        after = [record for record in new if record["tag"] == new_tag]
        places = {
            (stack, record["package"])
            for record in before + after
            for stack in counting_stacks(record)
        }
        for stack, package in sorted(places):
            sides = side_of(stack, before), side_of(stack, after)
            mine, other = (
                [
                    record
                    for record in side
                    if record["package"] == package and stack in counting_stacks(record)
                ]
                for side in (before, after)
            )
            changes = read_package(package, mine, other)[0]
            if not changes:
                continue
            kinds = Counter(change[1] for change in changes)
            pairs = two_builds(changes, mine, other)
            lost = hashes_of(changes, "removed", 2).union(pair[0] for pair in pairs)
            gained = hashes_of(changes, "added", 3).union(pair[1] for pair in pairs)
            versions, now = version_set(mine), version_set(other)
            kept = [version for version in now if version not in without(now, versions)]
            every = sorted((*without(versions, now), *now), key=cmp_to_key(compare_versions))
            found.setdefault((label, stack), []).append(
                {
                    "package": package,
                    "kind": kind_of_package(versions, now, set(kinds)),
                    "whole": not versions or not now,
                    "gone": without(versions, now),
                    "came": without(now, versions),
                    "kept": kept,
                    "specs": {kind: kinds[kind] for kind in SPEC_KINDS},
                    "builds": {"old": len(distinct(mine)), "new": len(distinct(other))},
                    **(counts_of(mine, other, every) if kept and len(every) > 1 else {}),
                    "asked_for": None,
                    "lost": trait_of(package, hashes_of(changes, "removed", 2), sides),
                    "gained": trait_of(package, hashes_of(changes, "added", 3), sides[::-1]),
                    "lost_by": package_traits(package, lost, *sides, are_lost=True),
                    "gained_by": package_traits(package, gained, *sides[::-1]),
                }
            )
    return found


def changes_by_stack(report: dict[str, Any]) -> dict[tuple[str, str], list[Any]]:
    """The package changes of a report by tag label and stack, as the oracle has them.

    It does not say what tells builds that have another version now (`moved_by`) from others.
    """
    found: dict[tuple[str, str], list[Any]] = {}
    for tag in report["tags"]:
        if tag["status"] == "changed":
            label = tag["old"] if tag["old"] == tag["new"] else f"{tag['old']}..{tag['new']}"
            for stack in tag["stacks"]:
                if stack["package_changes"]:
                    found[label, stack["stack"]] = [
                        {key: value for key, value in change.items() if key != "moved_by"}
                        for change in stack["package_changes"]
                    ]
    return found
