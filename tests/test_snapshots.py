"""The example catalogs: written by their scripts, counted by hand, agreed on by the oracle."""

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.support.helpers import PROJECT, Report, expected_readings, readings_of, run_cli, run_json
from tests.support.oracle import KINDS, Record

SNAPSHOTS = PROJECT / "snapshots"
OLD, NEW = SNAPSHOTS / "2025-06-29", SNAPSHOTS / "2025-07-06"
ENVIRONMENTS, MIRRORS, TREES, SITE = (
    SNAPSHOTS / name for name in ("environments", "mirrors", "trees", "site")
)

COUNTS = """
    stack                              old new  add rem  up down reb recon unch
    data-vis-sdk                         7   7    0   0   2    0   0     5    0
    developer-tools-aarch64-linux-gnu    0   4    4   0   0    0   0     0    0
    e4s                                 31  29    0   2   9    0  14     1    5
    e4s-neoverse-v2                     16  15    0   1   4    0   6     0    5
    e4s-oneapi                          15  15    0   0   3    0   6     1    5
    e4s-rocm-external                    5   5    0   0   1    0   3     0    1
    hep                                 15  17    2   0   5    0   5     1    4
    ml-linux-aarch64-cpu                 5   5    0   0   2    1   0     0    2
    ml-linux-x86_64-cpu                  6   6    0   0   3    1   0     0    2
    ml-linux-x86_64-cuda                10  10    0   0   3    1   4     0    2
    radiuss-aws                          4   0    0   4   0    0   0     0    0
    root                                 1   2    1   0   0    0   0     0    1
    tutorial                             9   9    0   0   2    0   2     2    3
"""
"""Added up from the stories that `snapshots/make.py` tells, spec by spec."""


def records_below(folder: Path) -> list[Record]:
    """All records of a catalog, read without the product."""
    records = []
    for page in sorted(folder.rglob("specs.md")):
        [details] = [
            line.removeprefix("spec_details: ")
            for line in page.read_text(encoding="utf-8").splitlines()
            if line.startswith("spec_details: ")
        ]
        records += [
            {**record, "tag": page.parts[-3], "package": page.parts[-2]}
            for record in json.loads(details)
        ]
    return records


@pytest.fixture(scope="module")
def report() -> Report:
    return run_json(OLD, NEW)


def develop(report: Report) -> dict[str, Any]:
    [tag] = [tag for tag in report["tags"] if tag["new"] == "develop"]
    return dict(tag)


@pytest.mark.parametrize(
    ("name", "folders"),
    [
        ("make.py", (OLD, NEW)),
        ("make_environments.py", (ENVIRONMENTS, MIRRORS, TREES, SITE)),
    ],
)
def test_the_script_writes_the_same_bytes(
    name: str, folders: tuple[Path, ...], tmp_path: Path
) -> None:
    script = tmp_path / name
    script.write_bytes((SNAPSHOTS / name).read_bytes())
    subprocess.run([sys.executable, "-I", script], check=True, capture_output=True)
    for folder in folders:
        written = tmp_path / folder.name
        kept_files = {f.relative_to(folder): f for f in folder.rglob("*") if f.is_file()}
        files = {f.relative_to(written): f for f in written.rglob("*") if f.is_file()}
        assert files.keys() == kept_files.keys()
        for path, file in files.items():
            assert file.read_bytes() == kept_files[path].read_bytes(), path


def test_every_stack_of_develop_counts_as_told(report: Report) -> None:
    columns = ("added", "removed", "upgraded", "downgraded", "rebuilt", "reconfigured", "unchanged")
    found = [
        [
            stack["stack"],
            *(str(stack["specs"][side]) for side in ("old", "new")),
            *(str(stack["summary"][kind]) for kind in columns),
        ]
        for stack in develop(report)["stacks"]
    ]
    assert found == [line.split() for line in COUNTS.strip().splitlines()[1:]]


def test_the_counts_of_the_table_add_up() -> None:
    for line in COUNTS.strip().splitlines()[1:]:
        old, new, added, removed, *rest = map(int, line.split()[1:])
        assert old == removed + sum(rest)
        assert new == added + sum(rest)


def test_the_report_agrees_with_the_oracle(report: Report) -> None:
    assert readings_of(report) == expected_readings(records_below(OLD), records_below(NEW))


def test_the_example_shows_every_kind_of_change(report: Report) -> None:
    assert all(report["summary"][kind] for kind in KINDS)
    statuses = [(tag["old"], tag["new"], tag["status"]) for tag in report["tags"]]
    assert statuses == [
        ("develop", "develop", "changed"),
        ("develop-2025-05-04", None, "removed"),
        (None, "develop-2025-07-06", "added"),
    ]
    stacks = Counter(stack["status"] for stack in develop(report)["stacks"])
    assert stacks["added"] == stacks["removed"] == 1
    assert len(stacks) >= 3


def test_the_example_has_a_new_and_a_dropped_package_and_is_of_the_size_agreed() -> None:
    old, new = (
        {record["package"] for record in records_below(folder) if record["tag"] == "develop"}
        for folder in (OLD, NEW)
    )
    assert old - new == {"pruners-ninja"}
    assert new - old == {"celeritas"}
    assert 15 <= len(old) <= 30
    assert 15 <= len(new) <= 30


def test_the_example_has_a_change_of_notation_that_is_no_change(report: Report) -> None:
    rebuilt = [
        change
        for stack in develop(report)["stacks"]
        for change in stack["changes"]
        if change["kind"] == "rebuilt" and change["old"]["compiler"] != change["new"]["compiler"]
    ]
    assert {change["package"] for change in rebuilt} == {"gcc", "hwloc", "py-mpi4py"}
    assert all(change["fields"] == [] for change in rebuilt)


def test_the_example_does_not_differ_from_itself() -> None:
    assert run_json(OLD, OLD)["tags"] == []


KINDS_OF_ENVIRONMENT = {
    "valgrind": "removed",
    "netcdf-fortran": "added",
    "hwloc": "upgraded",
    "fftw": "reconfigured",
    **dict.fromkeys(("pmix", "prrte", "openmpi", "hdf5", "netcdf-c", "petsc"), "rebuilt"),
}
"""What `snapshots/make_environments.py` says of the week: those that are rebuilt use hwloc."""


def only_stack(report: Report) -> dict[str, Any]:
    [tag] = report["tags"]
    [stack] = tag["stacks"]
    assert stack["stack"] == "science"
    return dict(stack)


@pytest.mark.parametrize(
    ("folder", "unchanged"), [(ENVIRONMENTS, 14), (MIRRORS, 12), (TREES, 14), (SITE, 12)]
)
def test_the_environment_changes_as_its_script_says(folder: Path, unchanged: int) -> None:
    stack = only_stack(run_json(folder / OLD.name, folder / NEW.name))
    changes = {change["package"]: change["kind"] for change in stack["changes"]}
    assert changes == KINDS_OF_ENVIRONMENT
    assert stack["summary"]["unchanged"] == unchanged


@pytest.mark.parametrize("folder", [ENVIRONMENTS, MIRRORS, TREES, SITE])
def test_all_that_was_rebuilt_was_rebuilt_because_of_the_upgrade(folder: Path) -> None:
    stack = only_stack(run_json(folder / OLD.name, folder / NEW.name))
    [cause, _] = stack["causes"]
    assert (cause["package"], cause["old"], cause["new"]) == ("hwloc", "2.11.1", "2.12.0")
    assert cause["specs"] == 6
    paths = {
        change["package"]: change["cause"]["path"] for change in stack["changes"] if change["cause"]
    }
    assert paths["petsc"] == ["openmpi"]
    assert paths["openmpi"] == []


def test_a_lock_and_the_index_of_its_specs_differ_in_what_was_not_built() -> None:
    stack = only_stack(run_json(MIRRORS / OLD.name, ENVIRONMENTS / OLD.name))
    assert [change["package"] for change in stack["changes"]] == ["gcc", "glibc"]
    assert all(change["new"]["external"] for change in stack["changes"])
    assert stack["summary"]["unchanged"] == 21


def test_a_lock_and_the_database_of_its_specs_are_equal() -> None:
    assert run_json(TREES / NEW.name, ENVIRONMENTS / NEW.name)["tags"] == []


def test_the_other_examples_are_no_snapshots_beside_the_pages() -> None:
    result = run_cli("changelog", SNAPSHOTS, "-f", "json")
    assert (result.status, result.err) == (0, "")
    assert [section["new"]["source"] for section in json.loads(result.out)] == [NEW.name]
