"""Pages of the public catalog, where they are available: counts that are known."""

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.support.helpers import (
    Report,
    counts_by_stack,
    expected_readings,
    readings_of,
    run_cli,
    run_json,
)
from tests.support.oracle import Record
from tests.support.package_oracle import changes_by_stack, package_changes
from tests.support.real_catalogs import DATA, needs_real_catalogs

WEEKS = DATA / "weeks"
OLD_TAG, NEW_TAG = "develop-2025-03-23", "develop-2025-03-30"

pytestmark = needs_real_catalogs

WEEKS_TABLE = {
    "e4s": {"specs old": 10, "specs new": 11, "rebuilt": 10, "added": 1},
    "e4s-oneapi": {"specs old": 2, "specs new": 3, "rebuilt": 2, "added": 1},
    "hep": {"specs old": 4, "specs new": 5, "rebuilt": 2, "reconfigured": 2, "added": 1},
    "ml-linux-x86_64-rocm": {"specs old": 5, "specs new": 6, "rebuilt": 5, "added": 1},
    "tutorial": {"specs old": 1, "specs new": 2, "rebuilt": 1, "added": 1},
    "developer-tools-aarch64-linux-gnu": {
        "specs old": 1,
        "specs new": 1,
        "removed": 1,
        "added": 1,
    },
    "developer-tools-x86_64_v3-linux-gnu": {
        "specs old": 1,
        "specs new": 1,
        "removed": 1,
        "added": 1,
    },
}
"""Counted by hand on the pages; every other stack has one spec, added."""

OTHER_STACKS = 18
"""The pages list 25 stacks; 7 of them are in the table above."""


def fields_of(page: Path) -> dict[str, Any]:
    """`meta` and `spec_details` of a real page, read without the product."""
    lines = dict(re.findall(r"^([a-z_]+): (.*)$", page.read_text(encoding="utf-8"), re.MULTILINE))
    return {key: json.loads(lines[key]) for key in ("meta", "spec_details")}


def records_below(folder: Path) -> list[Record]:
    return [
        {**record, "tag": page.parts[-3], "package": page.parts[-2]}
        for page in sorted(folder.rglob("specs.md"))
        for record in fields_of(page)["spec_details"]
    ]


def check_weeks(report: Report) -> None:
    counts = counts_by_stack(report)
    others = {stack: found for stack, found in counts.items() if stack not in WEEKS_TABLE}
    assert {stack: counts[stack] for stack in WEEKS_TABLE} == WEEKS_TABLE
    assert len(others) == OTHER_STACKS
    assert all(found == {"specs old": 0, "specs new": 1, "added": 1} for found in others.values())
    assert "root" not in counts
    [tag] = report["tags"]
    assert (tag["old"], tag["new"], tag["status"]) == (OLD_TAG, NEW_TAG, "changed")
    assert report["summary"]["unchanged"] == 0
    old, new = (records_below(WEEKS / "_cache" / name) for name in (OLD_TAG, NEW_TAG))
    assert readings_of(report) == expected_readings(old, new)


def test_the_weeks_come_out() -> None:
    check_weeks(run_json(WEEKS / "_cache" / OLD_TAG, WEEKS / "_cache" / NEW_TAG))


def test_what_was_added_in_the_weeks_is_the_compiler_wrapper() -> None:
    report = run_json(WEEKS / "_cache" / OLD_TAG, WEEKS / "_cache" / NEW_TAG)
    found = Counter(
        (change["kind"], change["package"])
        for stack in report["tags"][0]["stacks"]
        for change in stack["changes"]
        if change["kind"] in ("added", "removed")
    )
    assert found == {("added", "compiler-wrapper"): 25, ("removed", "gcc"): 2}


def test_what_happened_to_the_packages_of_the_weeks_agrees_with_a_second_reading() -> None:
    old, new = (records_below(WEEKS / "_cache" / tag) for tag in (OLD_TAG, NEW_TAG))
    report = run_json(WEEKS / "_cache" / OLD_TAG, WEEKS / "_cache" / NEW_TAG)
    assert changes_by_stack(report) == package_changes(old, new)
    [tag] = report["tags"]
    assert tag["packages"]["added"] == ["compiler-wrapper"]


def test_the_reconfigured_specs_of_the_weeks_have_no_compiler_any_more() -> None:
    report = run_json(
        "-s", "hep", "-k", "reconfigured", WEEKS / "_cache" / OLD_TAG, WEEKS / "_cache" / NEW_TAG
    )
    [stack] = report["tags"][0]["stacks"]
    assert len(stack["changes"]) == 2
    for change in stack["changes"]:
        assert change["fields"] == [{"name": "compiler", "old": "gcc@=11.4.0", "new": "none"}]
        assert change["old"]["compiler"] == "gcc@=11.4.0"


@pytest.mark.parametrize("package", ["py-mpi4py", "py-ml-dtypes", "py-pdm-backend"])
def test_the_seeds_count_as_their_pages_say(package: str, tmp_path: Path) -> None:
    [page] = (DATA / "seeds").rglob(f"{package}/specs.md")
    fields = fields_of(page)
    status, out, err = run_cli(
        "--allow-empty", "-p", package, "-f", "json", tmp_path, DATA / "seeds"
    )
    assert (status, err) == (0, "")
    report = json.loads(out)
    [tag] = report["tags"]
    # A page counts every spec in `root`; a report only those that are in no other stack.
    said = {
        stack: number
        for stack, number in fields["meta"]["num_specs_by_stack"].items()
        if stack != "root"
    }
    assert {stack["stack"]: stack["specs"]["new"] for stack in tag["stacks"]} == said
    assert tag["specs"] == {"old": 0, "new": fields["meta"]["num_specs"]}
    assert tag["status"] == "added"
    assert len(said) >= 8


def test_a_real_page_does_not_differ_from_itself_in_another_order(tmp_path: Path) -> None:
    [page] = (DATA / "seeds").rglob("py-mpi4py/specs.md")
    fields = fields_of(page)
    details = [
        {
            key: value[::-1] if isinstance(value, list) else value
            for key, value in reversed(record.items())
        }
        for record in reversed(fields["spec_details"])
    ]
    text = page.read_text(encoding="utf-8")
    other = re.sub(
        r"^spec_details: .*$",
        lambda _: f"spec_details: {json.dumps(details)}",
        text,
        flags=re.MULTILINE,
    )
    assert other != text
    target = tmp_path / "_cache" / "develop" / "py-mpi4py"
    target.mkdir(parents=True)
    (target / "specs.md").write_text(other, encoding="utf-8")
    report = run_json("-p", "py-mpi4py", DATA / "seeds", tmp_path)
    assert report["tags"] == []
