"""`--annotations`: what a gate found, as GitHub's commands and as GitLab's report."""

import json
import re
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from snapdiff.reports.annotations import Offender, code_quality, error_command, github_commands
from snapdiff.result.packages import Kind
from tests.support.environments import after, before, write_locks
from tests.support.helpers import pages_of, refused, run_cli, spec, write_files
from tests.support.repositories import GitRepository

CODE_QUALITY: dict[str, Any] = {
    "type": "array",
    "items": {
        "type": "object",
        "required": ["description", "check_name", "fingerprint", "severity", "location"],
        "additionalProperties": False,
        "properties": {
            "description": {"type": "string", "minLength": 1},
            "check_name": {"type": "string", "minLength": 1},
            "fingerprint": {"type": "string", "pattern": "^[0-9a-f]{64}$"},
            "severity": {"enum": ["info", "minor", "major", "critical", "blocker"]},
            "location": {
                "type": "object",
                "required": ["path", "lines"],
                "properties": {
                    "path": {"type": "string", "pattern": r"^[^/]", "not": {"pattern": r"^\./"}},
                    "lines": {"type": "object", "required": ["begin"]},
                },
            },
        },
    },
}
"""What GitLab's documentation says of each finding: a path is relative, without a leading `./`."""

LOSSES = ("--fail-on", "removed,downgraded", "-f", "json")


def findings(file: Path) -> list[dict[str, Any]]:
    """The findings of a code-quality report that is as GitLab wants it."""
    found: list[dict[str, Any]] = json.loads(file.read_text("utf-8"))
    jsonschema.validate(found, CODE_QUALITY)
    return found


def paths(file: Path) -> dict[str, str]:
    """Where the findings of a report are."""
    return {item["description"]: item["location"]["path"] for item in findings(file)}


def test_github_gets_a_command_for_each_offender_and_the_report_stays_clean(example: Path) -> None:
    plain = run_cli("-C", example, *LOSSES, "old", "new")
    marked = run_cli("-C", example, *LOSSES, "--annotations", "github", "old", "new")
    assert (marked.status, marked.out) == (1, plain.out)
    assert marked.err == plain.err + (
        "::error title=snapdiff%3A removed,file=old/_cache/v0.22::"
        "removed: tag v0.22\n"
        "::error title=snapdiff%3A removed,file=old/_cache/develop/py-torch/specs.md::"
        "removed: py-torch 6.0 in develop, ml-cuda\n"
        "::error title=snapdiff%3A downgraded,file=new/_cache/develop/mpich/specs.md::"
        "downgraded: mpich 3.0 → 2.9 in develop, hep\n"
    )


def test_gitlab_gets_a_report_whose_fingerprints_stay(example: Path, tmp_path: Path) -> None:
    file = tmp_path / "quality.json"
    arguments = ("-C", example, *LOSSES, "--annotations", f"gitlab={file}", "old", "new")
    assert run_cli(*arguments).status == 1
    first = findings(file)
    assert {item["check_name"] for item in first} == {"snapdiff/removed", "snapdiff/downgraded"}
    assert paths(file)["downgraded: mpich 3.0 → 2.9 in develop, hep"].startswith("new/_cache/")
    assert run_cli(*arguments).status == 1
    assert findings(file) == first
    assert len({item["fingerprint"] for item in first}) == len(first) == 3


@pytest.mark.parametrize("host", ["github", "gitlab"])
def test_without_a_gate_they_are_a_warning(
    host: str, example: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(example)
    annotated = ("--annotations", host, "old", "new", "-o", "x.md")
    warning = "--annotations has no effect without --fail-on; add it, or leave this out"
    assert run_cli(*annotated) == (0, "", f"snapdiff: warning: {warning}\n")
    (example / "old/.snapdiff.toml").write_text('[gate]\nfail-on = ["rebuilt"]\n')
    assert "warning" not in run_cli(*annotated).err


@pytest.mark.parametrize("gate", [(), ("--fail-on", "rebuilt")])
def test_where_nothing_offends_the_report_is_an_empty_list(
    gate: tuple[str, ...], example: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(example)
    assert run_cli(*gate, "--annotations", "gitlab", "new", "new").status == 0
    assert (example / "gl-code-quality-report.json").read_text() == "[]\n"
    assert "::" not in run_cli(*gate, "--annotations", "github", "new", "new").err


def test_of_a_revision_the_path_begins_at_the_top_of_the_repository(
    repository: GitRepository, tmp_path: Path
) -> None:
    file = tmp_path / "quality.json"
    for old, new in (("HEAD~1", "HEAD"), ("HEAD~1:_cache", "HEAD:_cache")):
        run_cli("-C", repository.folder, *LOSSES, f"--annotations=gitlab={file}", old, new)
        found = paths(file)
        assert found["downgraded: mpich 3.0 → 2.9 in develop, hep"] == (
            "_cache/develop/mpich/specs.md"
        )
    run_cli("-C", repository.folder, *LOSSES, f"--annotations=gitlab={file}", "HEAD~1")
    assert paths(file) == found


def test_a_stack_of_pages_is_in_the_folder_of_its_tag(tmp_path: Path) -> None:
    old = [spec("b", stacks="e4s root"), spec("c", package="hdf5", stacks="hep root")]
    write_files(tmp_path / "old", pages_of(old))
    write_files(tmp_path / "new", pages_of(old[:1]))
    file = tmp_path / "quality.json"
    for below in ("", "/_cache", "/_cache/develop"):
        sides = f"old{below}", f"new{below}"
        run_cli("-C", tmp_path, *LOSSES, f"--annotations=gitlab={file}", *sides)
        assert paths(file) == {"removed: stack hep in develop": "new/_cache/develop"}


def test_between_tags_of_other_names_each_side_has_its_own_path(tmp_path: Path) -> None:
    old = [spec("a", tag="v1"), spec("b", package="hdf5", version="2.0", tag="v1")]
    new = [spec("c", package="hdf5", version="1.0", tag="v2")]
    write_files(tmp_path / "old", pages_of(old))
    write_files(tmp_path / "new", pages_of(new))
    file = tmp_path / "quality.json"
    run_cli("-C", tmp_path, *LOSSES, f"--annotations=gitlab={file}", "old", "new")
    assert sorted(paths(file).values()) == [
        "new/_cache/v2/hdf5/specs.md",
        "old/_cache/v1/zlib/specs.md",
    ]


def test_of_an_environment_the_path_is_the_lock(tmp_path: Path) -> None:
    old, new = write_locks(tmp_path, before(), after())
    file = tmp_path / "quality.json"
    run_cli("-C", tmp_path, *LOSSES, f"--annotations=gitlab={file}", "old.lock", "new.lock")
    assert paths(file) == {"removed: zlib 1.3": "new.lock"}
    for side, lock in (("old", old), ("new", new)):
        write_files(tmp_path / side, {"envs/science/spack.lock": lock.read_bytes()})
    run_cli("-C", tmp_path, *LOSSES, f"--annotations=gitlab={file}", "old", "new")
    assert list(paths(file).values()) == ["new/envs/science/spack.lock"]


def test_github_shows_ten_errors_so_the_tenth_counts_the_rest() -> None:
    many = [Offender(kind=Kind.REMOVED, tag="", text=f"removed: p{number}") for number in range(12)]
    assert len(github_commands(many[:10])) == 10
    assert "more" not in "".join(github_commands(many[:10]))
    commands = github_commands(many)
    assert len(commands) == 10
    assert commands[-1] == "::error title=snapdiff::3 more are in the log and in the report"


@pytest.mark.parametrize(
    "text", ["a\n::stop-commands::x", "a\r::error::b", "100%0A", "a::b,c=d", "é%"]
)
def test_no_text_of_a_stranger_ends_the_command(text: str) -> None:
    command = error_command(text, title=text, path=text)
    assert command.isprintable()
    [(properties, message)] = re.findall(r"^::error (.*?)::(.*)$", command)
    named = dict(item.split("=", 1) for item in properties.split(","))
    assert list(named) == ["title", "file"]
    shown = text.replace("\n", "\\n").replace("\r", "\\r")
    assert unescaped(message) == unescaped(named["title"]) == unescaped(named["file"]) == shown


def unescaped(text: str) -> str:
    """What the runner makes of a value, in its order."""
    for escape, char in (("%0D", "\r"), ("%0A", "\n"), ("%3A", ":"), ("%2C", ","), ("%25", "%")):
        text = text.replace(escape, char)
    return text


def test_a_finding_without_a_document_has_a_path_all_the_same() -> None:
    found = json.loads(
        code_quality([Offender(kind=Kind.REMOVED, tag="v1", text="removed: tag v1\n")])
    )
    jsonschema.validate(found, CODE_QUALITY)
    assert found[0]["location"]["path"] == "."


@pytest.mark.parametrize("value", ["jenkins", "gitlab=", "gitlab=-", "github=x", ""])
def test_another_system_is_refused(value: str, example: Path) -> None:
    said = refused("-C", example, "--annotations", value, "old", "new")
    assert "write github, gitlab or gitlab=FILE" in said


def test_a_file_that_cannot_be_written_is_an_error_before_any_work(example: Path) -> None:
    report = example / "report.json"
    file = example / "nowhere" / "quality.json"
    result = run_cli("-C", example, "-o", report, f"--annotations=gitlab={file}", "old", "new")
    assert result.status == 2
    assert f"{file}: there is no folder" in result.err
    assert not report.exists()


def test_no_name_is_a_command_in_the_log_of_a_job(tmp_path: Path) -> None:
    evil = "##[stop-commands]x ::add-mask::e/::error::z/spack.lock"
    for file in write_locks(tmp_path, before(), after()):
        content = file.read_bytes()
        write_files(tmp_path / file.stem, {evil: content, "a/b/spack.lock": content})
    gate = ("-C", tmp_path, "--fail-on", "upgraded", "--annotations", "github", "old", "new")
    for name in ("text", "markdown", "comment", "csv"):
        done = run_cli("-f", name, *gate)
        assert (done.status, "stop-commands" in done.out) == (1, True)
        lines = (done.out + done.err).splitlines()
        # GitHub's runner looks for `##[name]` in all of a line, and for `::name` at its beginning.
        assert not [line for line in lines if "##[" in line]
        commands = [line for line in lines if line.lstrip().startswith("::")]
        assert commands
        assert all(line.startswith("::error title=snapdiff") for line in commands)
