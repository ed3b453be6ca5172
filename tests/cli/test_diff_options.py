"""Options without effect are named, a slip is answered with the nearest, commands are found."""

import os
import pty
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import click
import pytest

from snapdiff.cli.commands import cli
from snapdiff.report_formats import REPORT
from tests.golden import ROOT, SNAPSHOTS
from tests.support.documents import Item, database, lock, to_bytes
from tests.support.helpers import refused, run_cli, run_json, words, write_files
from tests.support.repositories import GitRepository


@pytest.mark.slow
@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["-f", "json", "--group-by", "stack"], "--group-by has no effect in json; it goes with "),
        (["-f", "csv", "--title", "x"], "--title has no effect in csv; it goes with markdown, "),
        (["-f", "html", "--max-length", "9"], "--max-length has no effect in html; it goes with "),
        (["-f", "text", "--marker", "x"], "--marker has no effect in text; it goes with comment"),
        (["-f", "text", "--package-url", ""], "--package-url has no effect in text; it goes with"),
        (["-f", "html", "--detail"], "--detail has no effect in html; it goes with markdown"),
        (["-f", "json", "--stat"], "--stat has no effect in json; it goes with markdown, comment"),
        (["--color", "always"], "--color has no effect in markdown; it goes with text"),
        (["-f", "json", "--template-folder", "x"], "--template-folder has no effect in json; it "),
    ],
    ids=words,
)
def test_an_option_without_effect_is_a_warning(options: list[str], message: str) -> None:
    result = run_cli("-C", ROOT, *SNAPSHOTS, *options)
    assert result.status == 0
    assert result.err.startswith(f"snapdiff: warning: {message}")
    assert result.err.count("\n") == 1
    plain = options[:2] if options[0] == "-f" else []
    assert result.out == run_cli("-C", ROOT, *SNAPSHOTS, *plain).out
    assert run_cli("-C", ROOT, *SNAPSHOTS, *options, "-q").err == ""


def test_where_the_help_names_formats_the_option_has_an_effect_in_these() -> None:
    named = {}
    for option in cli.commands["diff"].params:
        formats = re.search(r" \(([a-z, ]+)\)\.$", getattr(option, "help", None) or "")
        if formats and set(formats[1].split(", ")) <= REPORT.keys():
            named[option.name] = set(formats[1].split(", "))
    assert named == {
        field: {name for name in REPORT if field in REPORT[name]}
        for field in ("report_url", "stat")
    }


@pytest.mark.parametrize("color", ["never", "auto"])
def test_a_colour_that_no_format_has_need_not_be_named(color: str) -> None:
    result = run_cli("-C", ROOT, *SNAPSHOTS, "-f", "json", "--color", color)
    assert (result.status, result.err) == (0, "")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["-f", "text", "--stat", "--detail"], "--stat leaves out what --detail adds; give one of"),
        (["-o", "report.pdf"], "report.pdf: no format here has the suffix .pdf; known are .md, "),
        (["-f", "template"], "template: no such format here; there are markdown, comment, "),
        (["--package-url", "https://x/"], "--package-url: https://x/ has no "),
        (["--package-url", "x.y/{package}"], "--package-url: x.y/{package} is no web address "),
        (["--package-url", "javascript:{package}"], "--package-url: javascript:{package} is n"),
        (["--report-url", "javascript:x"], "javascript:x: no web address to link to; it begins "),
        (["--map-stack", "hep"], "--map-stack: 'hep' names no two stacks; "),
        (["--map-stack", "a=b", "--map-stack", "a=c"], "--map-stack: a is na"),
    ],
    ids=words,
)
def test_an_option_that_makes_no_sense_is_an_error(options: list[str], message: str) -> None:
    assert refused("-C", ROOT, *SNAPSHOTS, *options).startswith(message)


def test_a_mistyped_command_is_answered_with_the_nearest() -> None:
    for arguments in (["chnagelog", "HEAD~1..HEAD"], ["chnagelog", "--by", "week"]):
        result = run_cli(*arguments)
        assert result.status == 2
        assert result.err.endswith("; did you mean the command changelog?\n")
    assert "did you mean" not in run_cli("no-such-revision").err


@pytest.mark.parametrize(
    ("word", "answer"),
    [("help", "--help"), ("version", "--version"), ("log", "changelog"), ("compare", "diff")],
)
def test_a_word_of_other_tools_is_answered_with_ours(word: str, answer: str) -> None:
    for arguments in ([word], ["-q", word], [word, "old", "new"]):
        result = run_cli("-C", ROOT, *arguments)
        assert result.status == 2
        assert result.err.endswith(f"; did you mean snapdiff {answer}?\n")


def test_a_short_option_says_the_version() -> None:
    assert run_cli("-V") == run_cli("--version")
    assert run_cli("-V").status == 0


def test_a_suffix_is_a_format() -> None:
    for name, suffix in (("markdown", "md"), ("html", "htm")):
        named = run_cli("-C", ROOT, *SNAPSHOTS, "-f", name)
        assert run_cli("-C", ROOT, *SNAPSHOTS, "-f", suffix) == named


@pytest.mark.parametrize(
    "options",
    [
        ["-q"],
        ["-qv"],
        ["-q", "--no-pager"],
        ["-f", "json"],
        ["-fjson"],
        ["-qfjson"],
        ["--format=json"],
        ["-C", str(ROOT)],
        ["-t", "why"],
    ],
    ids=words,
)
def test_options_may_stand_before_the_command(options: list[str]) -> None:
    where = [] if "-C" in options else ["-C", str(ROOT)]
    before = run_cli(*options, "changelog", *where, "snapshots/")
    assert before == run_cli("changelog", *options, *where, "snapshots/")
    assert before.status == (2 if "why" in options else 0)


def test_the_value_of_an_option_is_no_command() -> None:
    assert run_cli("-C", ROOT, "-p", "why", *SNAPSHOTS).err.startswith("snapdiff: error: why: ")
    assert "-C: Directory 'changelog' does not exist." in run_cli("-C", "changelog", *SNAPSHOTS).err


@pytest.mark.parametrize("flag", ["-v", "-qv", "--verbose"])
@pytest.mark.parametrize("name", ["diff", "changelog"])
def test_an_internal_fault_is_one_line_and_traced_where_that_is_asked_for(
    flag: str, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_arguments: object, **_options: object) -> None:
        raise ZeroDivisionError("ours")

    monkeypatch.setattr("snapdiff.cli.given_options.SourceOpener", broken)
    monkeypatch.setattr("snapdiff.cli.changelog_command.open_range", broken)
    result = run_cli(name, "a..b")
    assert (result.status, result.out) == (2, "")
    assert result.err == (
        "snapdiff: error: internal fault, please report it: ZeroDivisionError: ours\n"
    )
    with pytest.raises(ZeroDivisionError):
        run_cli(name, flag, "a..b")


def test_a_file_of_ours_that_ends_early_is_no_interruption(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def broken(*_arguments: object, **_options: object) -> None:
        raise EOFError("marshal data too short")

    monkeypatch.setattr("snapdiff.cli.given_options.SourceOpener", broken)
    result = run_cli("diff", "a..b")
    assert (result.status, result.out) == (2, "")
    assert result.err.strip() == (
        "snapdiff: error: internal fault, please report it: EOFError: marshal data too short"
    )


@pytest.mark.parametrize(
    ("arguments", "usage"),
    [
        (("missing", "env"), "missing [OPTIONS] WANTED... CATALOG"),
        (("why", "-q"), "why [OPTIONS] PACKAGE[@VERSION][/HASH] [OLD] [NEW] [-- PATH...]"),
        (("snapshot", "mirror"), "snapshot [OPTIONS] SOURCE DIR"),
    ],
)
def test_where_an_argument_is_missing_all_of_them_are_named(
    arguments: tuple[str, ...], usage: str
) -> None:
    said = refused(*arguments)
    assert said.endswith(f": is missing; write snapdiff {usage}\n")


def test_who_names_nothing_where_nothing_is_hears_what_to_write(tmp_path: Path) -> None:
    words = "; name two folders, or a repository with -C"
    (tmp_path / "snapshot").mkdir()
    alone = "snapshot/: is in no working tree of git, so there is no older version of it; "
    for options in ((), ("-q", "-s", "e4s"), ("diff",), ("snapshot/",)):
        result = run_cli("-C", tmp_path, *options)
        assert (result.status, result.err.count("\n")) == (2, 1)
        assert (words if options != ("snapshot/",) else f"{alone}name two folders") in result.err
    GitRepository(tmp_path).commit({"README.md": "nothing to compare"})
    assert run_cli("-C", tmp_path).err.endswith(", or pass --allow-empty\n")


def test_a_mistyped_option_is_answered_with_the_nearest() -> None:
    assert run_cli("old", "new", "--stak", "x").err == (
        "snapdiff: error: no option is called --stak; did you mean --stack or --stat or --tag? "
        "snapdiff diff --help lists those that there are\n"
    )


@pytest.mark.parametrize(
    ("command", "names"),
    [
        ("diff", "OLD and NEW"),
        ("why", "OLD and NEW"),
        ("missing", "WANTED and CATALOG"),
        ("changelog", "RANGE"),
    ],
)
def test_help_says_what_is_looked_up_where(
    command: str, names: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for columns, widest in ((60, 60), (200, 100)):
        monkeypatch.setenv("COLUMNS", str(columns))
        options = run_cli(command, "--help").out.partition("and exit.\n")[0]
        assert f"Look {names} up in DIR." in " ".join(options.split())
        assert widest - 20 < max(map(len, options.splitlines())) <= widest


@pytest.mark.parametrize("command", ["diff", "changelog", "why"])
def test_help_has_every_option_once_below_a_heading(command: str) -> None:
    context = click.Context(cli)
    found = cli.get_command(context, command)
    assert found is not None
    options = [it.opts[-1] for it in found.get_params(context) if isinstance(it, click.Option)]
    help_text = run_cli(command, "--help").out.partition("and exit.\n")[0]
    listed = re.findall(r"^  (?:-\w, )?(--[a-z-]+)", help_text, re.MULTILINE)
    assert sorted(listed) == sorted(options)
    headings = ["What is compared:", "What is reported:", "How it is written:", "Other options:"]
    headings[3:3] = ["For a gate:"] * (command == "diff")
    assert re.findall(r"^\w.*:$", help_text, re.MULTILINE) == headings


@pytest.mark.parametrize(
    ("typed", "answers"),
    [
        ("snapdiff --st", ["plain,--stack", "plain,--stat"]),
        ("snapdiff ch", ["file,ch", "plain,changelog"]),
        ("snapdiff -f ", [f"plain,{name}" for name in REPORT]),
        ("snapdiff changelog -f nd", ["plain,ndjson"]),
        ("snapdiff why -f m", ["plain,markdown"]),
        ("snapdiff -k do", ["plain,downgraded"]),
        ("snapdiff --fail-on n", ["plain,none"]),
        ("snapdiff -o rep", ["file,rep"]),
        ("snapdiff missing env", ["file,env"]),
    ],
)
def test_a_shell_completes_what_is_typed(typed: str, answers: list[str]) -> None:
    """A word is completed to itself where it is a file: then the shell looks which there are."""
    word = str(typed.count(" "))
    shell = {"COMP_WORDS": typed, "COMP_CWORD": word, "_SNAPDIFF_COMPLETE": "bash_complete"}
    command = [sys.executable, "-m", "snapdiff"]
    environment = os.environ | shell
    done = subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, check=True
    )
    found = done.stdout.splitlines()
    assert found == answers


def test_values_may_be_lists_and_leave_names_out() -> None:
    def stacks(*options: str) -> list[str]:
        report = run_json("-C", ROOT, *SNAPSHOTS, "-t", "develop", *options)
        return [stack["stack"] for stack in report["tags"][0]["stacks"]]

    assert stacks("-s", "e4s,hep") == ["e4s", "hep"] == stacks("-s", "e4s", "-s", "hep")
    assert not any(stack.startswith("ml-") for stack in stacks("-s", "!ml-*"))
    assert stacks("-s", "e4s*,!e4s-[no]*") == ["e4s", "e4s-rocm-external"]


def test_the_gate_looks_at_packages_and_at_every_kind() -> None:
    def failed(*options: str) -> list[str]:
        result = run_cli("-C", ROOT, *SNAPSHOTS, "-f", "json", "-t", "develop", *options)
        assert result.status == (1 if result.err else 0)
        return result.err.splitlines()

    twin = "superlu-dist 9.1.0: 1 of 3 builds gone (another that looks the same is still there)"
    assert failed("--fail-on", "removed", "-k", "upgraded") == [
        "snapdiff: removed: stack radiuss-aws in develop",
        "snapdiff: removed: pruners-ninja 1.0.1 in develop, e4s, e4s-neoverse-v2",
        "snapdiff: removed: paraview 5.13.2 gone, still has 5.13.3 in develop, e4s",
        f"snapdiff: removed: {twin} in develop, e4s",
    ]
    # It keeps its version, and one of its builds is gone.
    lost = [f"snapdiff: removed: {twin} in develop, e4s"]
    assert failed("--fail-on", "removed", "-p", "superlu-dist") == lost


def on_a_terminal(*arguments: str, rows: int, **variables: str) -> str:
    """What a run prints on a terminal of so many rows, with `cat -n` where it asks for a pager."""
    primary, secondary = pty.openpty()
    environment = os.environ | {"LINES": str(rows), "COLUMNS": "80", "NO_COLOR": "1"} | variables
    with subprocess.Popen(
        [sys.executable, "-m", "snapdiff", *SNAPSHOTS, *arguments],
        cwd=ROOT,
        env=environment,
        stdout=secondary,
        stderr=subprocess.DEVNULL,
    ) as process:
        os.close(secondary)
        seen = bytearray()
        try:
            while piece := os.read(primary, 4096):
                seen += piece
        except OSError:  # Linux's way to say that the other end is closed
            pass
        process.wait()
    os.close(primary)
    return seen.decode("utf-8").replace("\r\n", "\n")


@pytest.mark.slow
def test_color_never_holds_on_a_terminal_too() -> None:
    found = [
        on_a_terminal(*options, rows=999, NO_COLOR="", TERM="xterm")
        for options in ((), ("--color=never",))
    ]
    assert ["\x1b[" in text for text in found] == [True, False]


@pytest.mark.slow
def test_a_terminal_that_shows_no_colors_gets_them_only_where_they_are_asked_for() -> None:
    dumb = {"NO_COLOR": "", "TERM": "dumb"}
    found = [on_a_terminal(*it, rows=999, **dumb) for it in ((), ("--color=always",))]
    assert ["\x1b[" in text for text in found] == [False, True]


@pytest.mark.slow
def test_what_is_longer_than_the_screen_is_paged(tmp_path: Path) -> None:
    pager = tmp_path / "pager"
    pager.write_text("#!/bin/sh\necho paged; cat\n")
    pager.chmod(0o755)
    plain = on_a_terminal(rows=20, PAGER="cat")
    assert plain.startswith("Changes from 2025-06-29 to 2025-07-06\n")
    assert max(map(len, plain.splitlines())) <= 80
    assert on_a_terminal(rows=20, PAGER=str(pager)) == f"paged\n{plain}"
    assert on_a_terminal(rows=200, PAGER=str(pager)) == plain
    assert on_a_terminal("--no-pager", rows=20, PAGER=str(pager)) == plain
    assert on_a_terminal(rows=20, PAGER="") == plain
    assert on_a_terminal(rows=20, PAGER=str(tmp_path / "none")).endswith(plain)


def test_a_file_that_was_named_itself_is_called_so_where_it_cannot_be_read(tmp_path: Path) -> None:
    write_files(tmp_path, {"a.lock": to_bytes(lock([])), "c.lock": b'{"concrete_specs": {"x": 1}}'})
    done = run_cli("-C", tmp_path, "a.lock", "c.lock")
    assert done.status == 2
    assert done.err == (
        "snapdiff: error: c.lock (new): concrete_specs: 'x' is no hash, 32 characters of a-z and "
        "2-7; correct it, or leave it out with --skip-bad-pages\n"
    )


@pytest.mark.parametrize("side", ["old", "new"])
def test_a_node_that_cannot_be_read_is_of_the_document_that_has_it(
    tmp_path: Path, side: str
) -> None:
    bad = Item("bad")
    for name, version in (("old", "1.0"), ("new", "2.0")):
        document = database([Item("lib", version), Item("lib", "0.9"), bad])
        if name == side:
            document["database"]["installs"][bad.key]["spec"]["dependencies"] = "none"
        write_files(tmp_path, {f"{name}/build_cache/index.json": to_bytes(document)})
    done = run_cli("-C", tmp_path, "old", "new", "-f", "json")
    assert done.status == 2
    assert done.err.startswith(f"snapdiff: error: build_cache/index.json ({side}): database.")


@pytest.mark.parametrize(
    ("old", "new", "options", "is_told"),
    [
        (("v1/a", "v1/b"), ("",), (), True),  # one side begins too deep
        (("",), ("v1/a", "v1/b"), (), True),
        (("v1/a",), ("v2/a",), (), False),  # of one tag each the names may differ
        (("v1/a",), ("v1/b",), ("--no-renames",), False),  # one is gone, one is new
        (("",), ("",), (), False),
        (("v1/a", "v1/b"), ("",), ("-s", "!b"), False),  # b may be on both sides
        (("v1/a",), (), ("--allow-empty",), False),
    ],
    ids=words,
)
def test_two_sides_without_a_stack_in_common_are_a_warning(
    tmp_path: Path, old: Sequence[str], new: Sequence[str], options: Sequence[str], is_told: bool
) -> None:
    for side, folders in (("old", old), ("new", new)):
        (tmp_path / side).mkdir()
        for folder in folders:
            items = [Item(name, explicit=True) for name in ("app", f"of-{folder[-1:]}")]
            write_files(tmp_path, {f"{side}/{folder}/spack.lock": to_bytes(lock(items))})
    result = run_cli("-C", tmp_path, "old", "new", *options)
    assert result.status == 0
    said = (
        "snapdiff: warning: the two sides have no environment in common, so all of it is removed "
        "or added; name folders of one depth, or a document each\n"
    )
    assert result.err == (said if is_told else "")
