"""`--also`: one comparison, several reports."""

from pathlib import Path

import pytest

from tests.support.helpers import refused, run_cli, words
from tests.support.processes import run_process


def test_each_report_is_what_a_run_of_its_own_would_write(example: Path) -> None:
    files = {name: example / f"report.{name}" for name in ("json", "html", "comment", "csv")}
    also = [f"--also={name}={file}" for name, file in files.items() if name != "json"]
    options = ("-C", example, "--marker", "snapdiff/hep", "--title", "News")
    result = run_cli(*options, "-o", files["json"], *also, "old", "new")
    assert (result.status, result.out, result.err) == (0, "", "")
    for name, file in files.items():
        effective = {"comment": options, "html": (*options[:2], *options[4:])}
        alone = run_cli(*effective.get(name, options[:2]), "-f", name, "old", "new")
        assert file.read_bytes().decode("utf-8") == alone.out


def test_the_first_report_may_go_to_standard_output(example: Path) -> None:
    html = example / "report.html"
    result = run_cli("-C", example, "-f", "text", "--also", f"html={html}", "old", "new")
    assert result.out == run_cli("-C", example, "-f", "text", "old", "new").out
    assert html.read_text("utf-8").startswith("<!DOCTYPE html>")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--also", "html"], "'html' names no format and file; write FORMAT=FILE"),
        (["--also", "=x"], "'=x' names no format and file; write FORMAT=FILE"),
        (["--also", "pdf=x.pdf"], "pdf: no such format here; there are markdown, "),
        (["--also", "csv=x", "--also", "html=./x"], "x: is named twice, and takes one report"),
        (
            ["-f", "json", "-o", "x", "--also", "html=x"],
            "x: is named twice, and takes one report",
        ),
        (["--also", "csv=x", "--also", "html=old/../x"], "x: is named twice, and takes one "),
        (["--also", "csv=x", "--also", "html=link"], "x: is named twice, and takes one "),
        (["-f", "json", "-o", "x", "--annotations", "gitlab=x"], "x: is named twice, and takes"),
        (["--also", "html=no/x"], "no/x: there is no folder no; make it first"),
        (["--also", "csv=-"], "standard output: is named twice, and takes one report"),
        (["-o", "y.md", "--also", "csv=-", "--also", "json=-"], "standard output: is named twice"),
    ],
    ids=words,
)
def test_a_report_that_cannot_be_is_an_error_before_any_work(
    options: list[str], message: str, example: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(example)
    Path("link").symlink_to("x")
    assert message in refused(*options, "old", "new")
    assert not (example / "x").exists()


def test_a_second_report_may_go_to_standard_output(example: Path) -> None:
    html = example / "report.html"
    result = run_cli("-C", example, "-o", html, "--also", "json=-", "old", "new")
    assert result == run_cli("-C", example, "-f", "json", "old", "new")
    assert html.exists()
    assert not Path("-").exists()


def test_an_option_has_to_have_an_effect_in_one_report_alone(example: Path) -> None:
    title = ["-C", str(example), "-f", "json", "--title", "T", "old", "new"]
    csv = run_cli(*title, f"--also=csv={example / 'x.csv'}")
    assert csv.err.startswith("snapdiff: warning: --title has no effect in json, csv; it goes with")
    assert run_cli(*title, f"--also=html={example / 'x.html'}").err == ""


def test_the_first_report_may_be_that_of_a_template(example: Path) -> None:
    template, notes, html = (example / name for name in ("t.j2", "notes.md", "notes.html"))
    template.write_text("notes of {{ new.source }}")
    own = ("--template", template, "-o", notes, f"--also=html={html}")
    assert run_cli("-C", example, *own, "old", "new") == (0, "", "")
    assert notes.read_text("utf-8") == "notes of new"
    assert html.read_text("utf-8") == run_cli("-C", example, "-f", "html", "old", "new").out


def test_a_device_may_be_named_twice(example: Path) -> None:
    nowhere = ("-f", "json", "-o", "/dev/null", "--also", "csv=/dev/null")
    assert run_cli("-C", example, *nowhere, "old", "new").status == 0


@pytest.mark.slow
def test_a_pipe_without_a_path_is_written_to(example: Path) -> None:
    both = ("-f", "json", "-o", "/dev/stdout", "--also", "csv=/dev/stdout", "old", "new")
    done = run_process(*both, cwd=example)
    alone = [run_process("-f", name, "old", "new", cwd=example).out for name in ("json", "csv")]
    assert (done.status, done.out, done.err) == (0, b"".join(alone), b"")
