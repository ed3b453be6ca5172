"""What the command writes: reports to files and pipes, help, version, schema (section 8)."""

import json
import os
import pty
import re
import stat
from pathlib import Path

import jsonschema
import pytest

import snapdiff
from snapdiff.errors import ReportError
from snapdiff.output.streams import Destination
from tests.support.example import NEW, OLD
from tests.support.helpers import (
    counts_by_stack,
    hash_of,
    pages_of,
    run_cli,
    run_json,
    spec,
    words,
    write_files,
)
from tests.support.processes import run_process, start


def test_a_report_is_written_to_a_file_in_the_format_of_its_suffix(example: Path) -> None:
    file = example / "report.json"
    assert run_cli("-C", example, "-o", file, "old", "new") == (0, "", "")
    assert file.read_text(encoding="utf-8") == run_cli("-C", example, "-fjson", "old", "new").out
    (example / "usual").touch()
    assert file.stat().st_mode == (example / "usual").stat().st_mode


def test_the_format_that_is_said_goes_before_the_suffix(example: Path) -> None:
    file = example / "report.txt"
    assert run_cli("-C", example, "-o", file, "-f", "json", "old", "new") == (0, "", "")
    assert json.loads(file.read_text(encoding="utf-8"))["schema_version"] == 3


def test_a_file_that_is_written_is_said_in_a_line(example: Path) -> None:
    def said(*options: str | Path) -> list[str]:
        result = run_cli("-C", example, *options)
        assert (result.status, result.out) == (0, ""), result.err
        return result.err.splitlines()[1:]  # the first says what is compared

    file, other = example / "a.md", example / "b.html"
    assert said("-v", "-o", file, "old", "old") == [f"snapdiff: wrote {file}"]
    both = ("-v", "-o", file, f"--also=html={other}", "old", "new", "-p", "mpich")
    assert said(*both) == [f"snapdiff: wrote {file}, {other}"]
    assert said("-v", "-o", "/dev/null", "old", "new") == []
    assert run_cli("-C", example, "-o", file, "old", "new").err == ""


@pytest.mark.slow
@pytest.mark.parametrize(("options", "number"), [([], 1), (["-q"], 0)])
def test_on_a_terminal_the_line_comes_without_being_asked_for(
    options: list[str], number: int, example: Path
) -> None:
    ours, theirs = pty.openpty()
    assert run_process(*options, "-o", "a.md", "old", "new", cwd=example, err=theirs).status == 0
    os.write(theirs, b"end")
    assert os.read(ours, 1000).count(b"wrote a.md\r\n") == number


def test_a_dash_is_standard_output(example: Path) -> None:
    told = run_cli("-C", example, "-o", "-", "-f", "json", "old", "new")
    assert told == run_cli("-C", example, "-f", "json", "old", "new")


@pytest.mark.parametrize("old", ["no-such", "empty", "bad"])
def test_after_an_error_the_file_is_as_it_was(old: str, example: Path) -> None:
    write_files(example / "bad", {"_cache/develop/zlib/specs.md": "gone\n"})
    file = example / "reports" / "report.json"
    file.parent.mkdir()
    file.write_text("yesterday's")
    assert run_cli("-C", example, "-o", file, old, "new").status == 2
    assert file.read_text() == "yesterday's"
    assert run_cli("-C", example, "-o", file.with_name("new.json"), old, "new").status == 2
    assert list(file.parent.iterdir()) == [file]


def test_a_link_to_a_file_stays_a_link(example: Path) -> None:
    real, link = example / "real.json", example / "link.json"
    real.write_text("yesterday's")
    real.chmod(0o640)
    link.symlink_to(real)
    assert run_cli("-C", example, "-o", link, "old", "new").status == 0
    assert link.is_symlink()
    assert json.loads(real.read_text(encoding="utf-8"))["schema_version"] == 3
    assert stat.S_IMODE(real.stat().st_mode) == 0o640


def test_the_exit_status_is_the_same_with_a_file(example: Path) -> None:
    file = example / "report.json"
    assert run_cli("-C", example, "--exit-code", "-o", file, "old", "new").status == 1
    assert file.exists()


@pytest.mark.slow
def test_the_same_input_gives_the_same_bytes(tmp_path: Path) -> None:
    # Versions that are the same by order are told apart by nothing but their spelling.
    spellings = ("1.2", "01.2", "1.02", "1-2", "1_2")
    kept = [spec(f"k{'bcdef'[n]}", version) for n, version in enumerate(spellings)]
    write_files(tmp_path / "old", pages_of([*kept, *OLD[1:]]))
    write_files(tmp_path / "new", pages_of([*kept, *NEW]))
    arguments = ["-C", str(tmp_path), "-f", "json", "old", "new"]
    runs = [
        run_process(*arguments, env={"PYTHONHASHSEED": seed}) for seed in ("0", "1", "2", "31337")
    ]
    assert set(runs) == {(0, run_cli(*arguments).out.encode("utf-8"), b"")}


@pytest.mark.parametrize(
    "stacks",
    [" ".join(f"stack-{number}" for number in range(800)), "one"],
    ids=["many small pieces", "one large piece"],
)
def test_a_reader_that_goes_away_ends_it_without_a_word(stacks: str, tmp_path: Path) -> None:
    size = 5000 if stacks == "one" else 1
    records = [
        spec(f"b{letter}", os="x" * size, stacks=stacks) for letter in "bcdefghijklmnopqrstuvwxyz"
    ]
    write_files(tmp_path / "old", pages_of([spec("z", package="hdf5")]))
    write_files(tmp_path / "new", pages_of(records))
    with start("-C", tmp_path, "-f", "json", "old", "new") as process:
        assert process.stdout
        assert process.stderr
        assert process.stdout.read(10) == b'{"schema_v'
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait() == 0


# --- Help, version, schema ---


@pytest.mark.parametrize("arguments", [["--version"], ["diff", "--version"]], ids=words)
def test_the_version_is_told(arguments: list[str]) -> None:
    result = run_cli(*arguments)
    if arguments == ["--version"]:
        assert result == (0, f"snapdiff {snapdiff.__version__}\n", "")
    else:
        assert (result.status, result.out) == (2, "")


def test_the_module_tells_its_version_too() -> None:
    told = run_process("--version")
    assert told == (0, f"snapdiff {snapdiff.__version__}\n".encode(), b"")


OPTIONS = """
    -C --repo -f --format -o --output -s --stack -p --package -t --tag -k --kind --exit-code
    --fail-on --allow-empty --skip-bad-pages -q -v -h --help
"""


@pytest.mark.parametrize("arguments", [["-h"], ["--help"], ["diff", "-h"]], ids=words)
def test_the_help_names_every_option_of_the_specification(arguments: list[str]) -> None:
    status, out, err = run_cli(*arguments)
    assert (status, err) == (0, "")
    assert out.startswith("Usage: snapdiff")
    words = set(re.findall(r"(?<!\S)--?[A-Za-z][a-z-]*", out.replace(",", " ")))
    assert set(OPTIONS.split()) <= words
    assert re.search("^ +schema +print the JSON Schema", out, re.MULTILINE)
    assert "--version" in out


def test_the_schema_fits_real_reports_and_only_those(example: Path) -> None:
    status, out, err = run_cli("schema")
    assert (status, err) == (0, "")
    schema = json.loads(out)
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    (example / "new/_cache/develop/mpich/specs.md").write_text("gone\n")
    told = run_cli("-C", example, "--skip-bad-pages", "-f", "json", "old", "new")
    report = json.loads(told.out)
    assert report["skipped"]
    validator.validate(report)
    assert not validator.is_valid(report | {"schema_version": 1})
    assert not validator.is_valid({key: report[key] for key in report if key != "summary"})
    report["tags"][0]["stacks"][0]["changes"][0]["kind"] = "vanished"
    assert not validator.is_valid(report)


SPECIFIED_KEYS = {
    "report": "schema_version snapdiff old new summary tags skipped",
    "revision": "source commit date",
    "tag": "old new status specs packages stacks",
    "stack": "stack status specs summary changes",
    "change": "kind package old new fields",
    "spec": "hash version compiler os platform target variants",
}


def test_the_report_has_every_key_of_the_specification(example: Path) -> None:
    report = run_json("-C", example, "-p", "zlib", "old", "new")
    tag = report["tags"][0]
    [stack] = tag["stacks"]
    [change] = stack["changes"]
    parts = {
        "report": report,
        "revision": report["old"],
        "tag": tag,
        "stack": stack,
        "change": change,
        "spec": change["old"],
    }
    for name, part in parts.items():
        assert set(SPECIFIED_KEYS[name].split()) <= set(part), name
    assert change == {
        "kind": "upgraded",
        "package": "zlib",
        "old": {
            "hash": hash_of("b"),
            "version": "1.0",
            "compiler": "gcc@12.3.0",
            "os": "ubuntu22.04",
            "platform": "linux",
            "target": "x86_64_v3",
            "variants": [],
        },
        "new": {
            "hash": hash_of("p"),
            "version": "1.1",
            "compiler": "gcc@12.3.0",
            "os": "ubuntu22.04",
            "platform": "linux",
            "target": "x86_64_v3",
            "variants": [],
        },
        "fields": [{"name": "version", "old": "1.0", "new": "1.1"}],
    }
    assert counts_by_stack(report | {"tags": [tag]}) == {
        "e4s": {"specs old": 1, "specs new": 1, "upgraded": 1}
    }


def test_a_link_that_leads_in_a_circle_is_an_error_before_any_work(example: Path) -> None:
    (example / "loop").symlink_to("loop")
    (example / "one").symlink_to("two")
    (example / "two").symlink_to("one")
    for name, reason in {
        "loop": "loop: cannot be written: Too many levels of symbolic links",
        "one": "one: cannot be written: Too many levels of symbolic links",
        "new/x/x.md": "/new/x; make it first",
    }.items():
        result = run_cli("-C", example, "-o", example / name, "old", "new", "-s", "no-such")
        assert (result.status, result.out) == (2, "")
        assert reason in result.err
    assert (example / "loop").is_symlink()


def test_a_file_of_the_longest_name_is_written(example: Path) -> None:
    file = example / ("é" * 125 + ".json")  # 255 bytes, and nothing fits behind it
    assert run_cli("-C", example, "-o", file, "old", "new").status == 0
    assert json.loads(file.read_text())["tags"]


def test_a_file_that_was_to_be_new_is_not_written_over(tmp_path: Path) -> None:
    there = tmp_path / "there.md"
    there.write_text("another run", "utf-8")
    with pytest.raises(ReportError, match="File exists; another run has made it, run again"):
        Destination(there, has_pager=False, is_new=True).write(["a report"])
    assert there.read_text("utf-8") == "another run"
