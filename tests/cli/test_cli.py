"""The command: options, filters, exit statuses and errors (specification, section 8)."""

import json
import os
from pathlib import Path

import pytest

import snapdiff
from snapdiff.document_names import USUAL_NAMES
from tests.support.example import EVERYTHING, found_in
from tests.support.helpers import (
    counts_by_stack,
    pages_of,
    refused,
    run_cli,
    run_json,
    spec,
    usual_page,
    words,
    write_files,
)
from tests.support.repositories import GitRepository

# --- What is asked for ---


def test_without_filters_everything_is_told(example: Path) -> None:
    report = run_json("-C", example, "old", "new")
    tags = [(tag["old"], tag["new"], tag["status"]) for tag in report["tags"]]
    assert tags == [
        ("develop", "develop", "changed"),
        ("v0.22", None, "removed"),
        (None, "v0.23", "added"),
    ]
    assert found_in(report) == EVERYTHING
    assert found_in(report, "v0.22") == {"e4s": {"removed": 1}}
    assert found_in(report, "v0.23") == {"e4s": {"added": 1}}
    assert report["tags"][0]["specs"] == {"old": 6, "new": 6}
    assert report["tags"][0]["packages"] == {
        "old": 6,
        "new": 6,
        "added": ["py-new"],
        "removed": ["py-torch"],
    }
    assert report["tags"][1]["specs"] == {"old": 1, "new": 0}
    assert report["tags"][1]["stacks"][0]["changes"] == []
    assert report["summary"] == {
        "added": 2,
        "removed": 2,
        "upgraded": 1,
        "downgraded": 1,
        "rebuilt": 1,
        "reconfigured": 2,
        "unchanged": 2,
    }
    assert report["schema_version"] == 3
    assert report["snapdiff"] == snapdiff.__version__
    assert report["old"] == {"source": "old", "commit": None, "date": None}
    assert report["skipped"] == []


def test_diff_may_be_said_or_left_out(example: Path) -> None:
    told = run_cli("diff", "-C", example, "-f", "json", "old", "new")
    assert told == run_cli("-C", example, "-f", "json", "old", "new")
    assert told.status == 0


@pytest.mark.parametrize(
    ("options", "found"),
    [
        (["-s", "hep"], {"hep": {"downgraded": 1, "unchanged": 1}}),
        (["--stack=hep"], {"hep": {"downgraded": 1, "unchanged": 1}}),
        (["-s", "ml-*"], {name: EVERYTHING[name] for name in ("ml-cpu", "ml-cuda")}),
        (["-s", "ml-c[pq]u"], {"ml-cpu": {"added": 1, "reconfigured": 1}}),
        (["-s", "ml-cp?", "-s", "e4s"], {name: EVERYTHING[name] for name in ("e4s", "ml-cpu")}),
        (["-s", "root"], {"root": {"rebuilt": 1}}),
        (["-p", "zlib"], {"e4s": {"upgraded": 1}}),
        (["-p", "py-*"], {name: EVERYTHING[name] for name in ("ml-cpu", "ml-cuda")}),
        (["-p", "hdf5"], {}),
        (["-p", "zlib", "-p", "hdf5"], {"e4s": EVERYTHING["e4s"], "hep": {"unchanged": 1}}),
        (["-p", "py-*", "-s", "ml-cuda"], {"ml-cuda": {"reconfigured": 1, "removed": 1}}),
        (["-t", "develop"], EVERYTHING),
        (["-t", "v*"], {}),
        (["-k", "rebuilt", "-s", "root"], {"root": {"rebuilt": 1}}),
        (["-k", "*graded", "-s", "hep"], {"hep": {"downgraded": 1, "unchanged": 1}}),
        (["-k", "added", "-s", "ml-cuda"], {}),
        (["-k", "removed", "-k", "added", "-s", "ml-cpu"], {"ml-cpu": {"added": 1}}),
    ],
    ids=words,
)
def test_filters_narrow_every_count(
    options: list[str], found: dict[str, dict[str, int]], example: Path
) -> None:
    report = run_json("-C", example, *options, "old", "new")
    assert found_in(report) == found


@pytest.mark.parametrize(
    ("options", "tags"),
    [
        (["-t", "v*"], ["v0.22", "v0.23"]),
        (["-t", "v0.23"], ["v0.23"]),
        (["-k", "added"], ["develop", "v0.23"]),
        (["-k", "removed"], ["develop", "v0.22"]),
        (["-p", "py-*"], ["develop"]),
        (["-s", "e4s"], ["develop", "v0.22", "v0.23"]),
    ],
    ids=words,
)
def test_filters_leave_out_tags_in_which_nothing_is_left(
    options: list[str], tags: list[str], example: Path
) -> None:
    report = run_json("-C", example, *options, "old", "new")
    assert [tag["old"] or tag["new"] for tag in report["tags"]] == tags


@pytest.mark.parametrize(("old", "new"), [("old", "new"), ("new", "old")])
def test_some_packages_do_not_tell_whether_a_stack_came_or_went(
    old: str, new: str, example: Path
) -> None:
    report = run_json("-C", example, "-p", "py-torch", "-p", "py-new", "-t", "develop", old, new)
    [tag] = report["tags"]
    assert [(stack["stack"], stack["status"]) for stack in tag["stacks"]] == [
        ("ml-cpu", "changed"),
        ("ml-cuda", "changed"),
    ]


def test_the_report_names_its_filters(example: Path) -> None:
    options = ["-s", "ml-*", "-s", "hep", "-p", "py-*", "-t", "dev*", "-k", "added"]
    assert run_json("-C", example, *options, "old", "new")["filters"] == {
        "tag": ["dev*"],
        "stack": ["ml-*", "hep"],
        "package": ["py-*"],
        "kind": ["added"],
        "stack_names": [],
        "because": [],
    }


# --- Exit statuses ---


@pytest.mark.parametrize(
    ("options", "status"),
    [
        ([], 0),
        (["--exit-code"], 1),
        (["--exit-code", "-p", "hdf5"], 0),
        (["--exit-code", "-s", "hep"], 1),
        (["--exit-code", "-k", "upgraded", "-s", "hep"], 0),
        (["--fail-on", "removed"], 1),
        (["--fail-on", "removed", "-s", "hep"], 0),
        (["--fail-on", "removed,downgraded", "-s", "hep"], 1),
        (["--fail-on", "removed, downgraded", "-s", "hep"], 1),
        (["--fail-on", "removed", "--fail-on", "downgraded", "-s", "hep"], 1),
        (["--fail-on", "removed", "-k", "added"], 1),
        (["--fail-on", "removed", "-t", "v0.22"], 1),
        (["--fail-on", "removed", "-t", "v0.23"], 0),
        (["--fail-on", "rebuilt", "-s", "root"], 1),
        (["--fail-on", "rebuilt", "--exit-code", "-s", "hep"], 1),
    ],
    ids=words,
)
def test_the_exit_status_is_1_where_what_was_asked_for_is_there(
    options: list[str], status: int, example: Path
) -> None:
    result = run_cli("-C", example, *options, "-f", "json", "old", "new")
    assert result.status == status
    assert json.loads(result.out)["schema_version"] == 3


def test_a_report_is_not_empty_where_the_gate_failed(example: Path) -> None:
    sides = ("-C", example, "old", "new", "-s", "ml-cuda", "-k", "downgraded")
    narrowed = (*sides, "--quiet-if-empty", "-f", "markdown")
    assert run_cli(*narrowed) == (0, "", "")
    failed = run_cli(*narrowed, "--fail-on", "removed")
    assert failed.status == 1
    assert "The gate failed" in failed.out
    assert failed.err == "snapdiff: removed: py-torch 6.0 in develop, ml-cuda\n"


def test_fail_on_names_the_offenders(example: Path) -> None:
    result = run_cli("-C", example, "--fail-on", "removed,downgraded", "-f", "json", "old", "new")
    assert result.err.splitlines() == [
        "snapdiff: removed: tag v0.22",
        "snapdiff: removed: py-torch 6.0 in develop, ml-cuda",
        "snapdiff: downgraded: mpich 3.0 → 2.9 in develop, hep",
    ]


def test_no_difference_is_exit_status_0_whatever_is_asked_for(example: Path) -> None:
    result = run_cli("-C", example, "--exit-code", "--fail-on", "added", "-f", "json", "new", "new")
    assert (result.status, result.err) == (0, "")
    assert json.loads(result.out)["tags"] == []


# --- Errors ---


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--no-such"], "no option is called --no-such; did you mean --no-"),
        (["old", "new", "--sort"], "no option is called --sort; did you mean"),
        (["old", "new", "-f"], "Option '-f' requires an argument."),
        (["old", "new", "-f", "yaml"], "yaml: no such format here; there are markdown, "),
        (["old", "new", "-f", "XML"], "XML: no such format here; there are markdown, "),
        (
            ["old", "new", "--fail-on", "removed,none"],
            "--fail-on: 'none' is not a kind of change; ",
        ),
        (
            ["old", "new", "new"],
            "new: a comparison takes two; leave it out",
        ),
        (["old", "./no-such"], "./no-such: no such file or directory"),
        (["old", ""], "the name of a revision cannot be empty or hold a NUL byte"),
        (
            ["old", "new", "-o", "no-such/report.json"],
            "no-such/report.json: there is no folder no-such",
        ),
        (["old", "new", "-o", "old"], "old: is a directory; name a file in it"),
        pytest.param(
            ["old", "new", "-f", "json", "-s", os.fsdecode(b"caf\xe9")],
            r"caf\udce9: is not UTF-8, and nothing in a catalog is called so",
            id="no UTF-8",  # mutmut collects twice, and each time an id is escaped anew
        ),
        (["schema", "more"], "Got unexpected extra argument (more)"),
    ],
    ids=words,
)
def test_an_error_is_one_line_and_exit_status_2(
    arguments: list[str], message: str, example: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(example)
    assert refused(*arguments).startswith(message)


def test_a_side_without_a_page_is_an_error_unless_allowed(example: Path) -> None:
    message = (
        f"snapdiff: error: empty: holds nothing to compare: no {USUAL_NAMES}; "
        "name a folder that does, or pass --allow-empty\n"
    )
    for pair in (["old", "empty"], ["empty", "old"], ["empty", "empty"]):
        assert run_cli("-C", example, *pair) == (2, "", message)
    report = run_json("-C", example, "--allow-empty", "empty", "new")
    assert {tag["status"] for tag in report["tags"]} == {"added"}
    assert report["summary"]["added"] == 9
    assert run_json("-C", example, "--allow-empty", "empty", "empty")["tags"] == []


# --- Messages ---


def test_verbose_says_what_is_compared(example: Path) -> None:
    result = run_cli("-C", example, "-v", "-f", "json", "old", "new")
    assert (result.status, result.err) == (0, "snapdiff: comparing old with new\n")


def test_tags_of_other_names_are_compared_where_each_side_has_one(tmp_path: Path) -> None:
    write_files(tmp_path / "old", pages_of([spec("b", "1.0", tag="v0.21.2")]))
    write_files(tmp_path / "new", pages_of([spec("p", "1.1", tag="v0.22.0")]))
    report = run_json("-C", tmp_path, "old", "new")
    [tag] = report["tags"]
    assert (tag["old"], tag["new"], tag["status"]) == ("v0.21.2", "v0.22.0", "changed")
    assert counts_by_stack(report) == {"e4s": {"specs old": 1, "specs new": 1, "upgraded": 1}}


def test_tags_of_other_names_are_not_compared_where_one_side_has_two(tmp_path: Path) -> None:
    write_files(tmp_path / "old", pages_of([spec("b", tag="v1")]))
    write_files(tmp_path / "new", pages_of([spec("p", tag="v2"), spec("b", tag="v1")]))
    [tag] = run_json("-C", tmp_path, "old", "new")["tags"]
    assert (tag["old"], tag["new"], tag["status"]) == (None, "v2", "added")


def test_help_is_help_in_a_repository_too(tmp_path: Path) -> None:
    GitRepository(tmp_path).commit(pages_of([spec("b")]))
    assert run_cli("-C", tmp_path, "--help").status == 0


@pytest.mark.parametrize("path", ["_cache/develop/h/deep/hdf5.md", "_cache/develop/x/specs.md"])
def test_an_unchanged_page_in_the_folder_of_its_tag_is_counted(tmp_path: Path, path: str) -> None:
    elsewhere = {path: usual_page([spec("c", package="hdf5")])}
    write_files(tmp_path / "old", pages_of([spec("b")]) | elsewhere)
    write_files(tmp_path / "new", pages_of([spec("p")]) | elsewhere)
    report = run_json("-C", tmp_path, "old", "new")
    assert counts_by_stack(report) == {
        "e4s": {"specs old": 2, "specs new": 2, "rebuilt": 1, "unchanged": 1}
    }


@pytest.mark.parametrize("glob", ["remove", "REMOVED", "unchanged", ""])
def test_a_kind_that_does_not_exist_is_an_error(example: Path, glob: str) -> None:
    result = run_cli("-C", example, "old", "new", "-k", "removed", "-k", glob)
    kinds = "added, removed, upgraded, downgraded, rebuilt, reconfigured"
    wrong = f"{glob or 'an empty value'}: not a kind of change; the kinds are {kinds}"
    assert result == (2, "", f"snapdiff: error: {wrong}\n")
