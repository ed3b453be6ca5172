"""The files around the code agree with each other: make, CI, packaging, specification, links."""

import re
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.support.helpers import PROJECT

WORKFLOWS = sorted((PROJECT / ".github" / "workflows").glob("*.yml"))
PAGES = [*sorted(PROJECT.glob("*.md")), *sorted((PROJECT / "docs").rglob("*.md"))]
SOURCES = [
    file
    for folder in ("snapdiff", "tests", "benchmarks")
    for file in sorted((PROJECT / folder).rglob("*.py"))
    if file != Path(__file__)
]


def text_of(name: str) -> str:
    return (PROJECT / name).read_text(encoding="utf-8")


def workflow(file: Path) -> dict[str, Any]:
    parsed: dict[str, Any] = yaml.safe_load(file.read_text(encoding="utf-8"))
    return parsed


def test_make_help_lists_every_target() -> None:
    [phony] = re.findall(r"^\.PHONY: (help(?:.*\\\n)*.*)$", text_of("Makefile"), re.MULTILINE)
    done = subprocess.run(
        ["make", "--no-print-directory", "help"],
        cwd=PROJECT,
        capture_output=True,
        text=True,
        check=True,
    )
    listed = [line.split()[1] for line in done.stdout.splitlines()]
    assert listed == phony.replace("\\", " ").split()


def test_the_demo_of_a_clone_ends_by_itself() -> None:
    """A newcomer's first command stops in no pager."""
    [command] = re.findall(
        r"^demo:.*\n\t\$\(BIN\)/snapdiff (.*)$", text_of("Makefile"), re.MULTILINE
    )
    assert command.split()[0] == "--no-pager"


@pytest.mark.parametrize("file", WORKFLOWS, ids=lambda file: file.name)
def test_a_workflow_reads_only_and_pins_its_actions(file: Path) -> None:
    assert workflow(file)["permissions"] == {"contents": "read"}
    uses = re.findall(r"uses: (.*)", file.read_text(encoding="utf-8"))
    assert uses
    for action in uses:
        assert re.fullmatch(r"\./ # .*|[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", action), action


def test_the_pythons_of_the_classifiers_are_those_that_are_tested() -> None:
    project = tomllib.loads(text_of("pyproject.toml"))["project"]
    classified = re.findall(r"Python :: (3\.\d+)", "\n".join(project["classifiers"]))
    jobs = workflow(PROJECT / ".github" / "workflows" / "check.yml")["jobs"]
    assert classified == jobs["check"]["strategy"]["matrix"]["python"]
    assert project["requires-python"] == f">={classified[0]}"


def test_every_section_that_the_code_cites_is_in_the_specification() -> None:
    sections = set(re.findall(r"^## (\d+)\. ", text_of("docs/specification.md"), re.MULTILINE))
    assert sections == {str(number) for number in range(1, 14)}
    for file in SOURCES:
        text = file.read_text(encoding="utf-8")
        cited = " ".join(re.findall(r"specification(?:\.md)?, sections? ([\d, and]+)", text))
        assert set(re.findall(r"\d+", cited)) <= sections, file
        assert not re.search(r"contract(, |'s )section", text), file


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(PROJECT)))
def test_every_link_to_a_file_leads_somewhere(page: Path) -> None:
    text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        name, _, anchor = target.partition("#")
        if ":" in name:
            continue
        file = page.parent / name if name else page
        assert file.exists(), target
        if anchor:
            assert anchor in anchors_of(file), target


def anchors_of(page: Path) -> set[str]:
    """The anchors that GitHub gives the headings of a page."""
    headings = re.findall(r"^#+ (.*)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_the_comparison_has_no_token() -> None:
    steps = workflow(PROJECT / "action.yml")["runs"]["steps"]
    with_token = [step.get("id") for step in steps if "token" in str(step).lower()]
    assert "post" in with_token
    assert not {"install", "compare", "gate"} & set(with_token)


def test_every_promise_is_held_by_tests_that_are_there() -> None:
    page = " ".join(text_of("SECURITY.md").split())
    promises = page.partition("## What is promised ")[2].partition(" ## What is not promised")[0]
    table = text_of("docs/testing.md").partition("## What holds each promise")[2]
    rows = re.findall(r"^\| (.*) \| (`test_.*`) \|$", table, re.MULTILINE)
    sources = "\n".join(file.read_text(encoding="utf-8") for file in SOURCES)
    tests = set(re.findall(r"def (test_\w+)", sources + text_of("tests/test_project_files.py")))
    for words, held_by in rows:
        assert words in promises
        assert set(re.findall(r"`(\w+)`", held_by)) <= tests, words
    for sentence in re.split(r"(?<=[.:)]) (?=[A-Z`(*])", promises):
        assert any(words in sentence for words, _ in rows), sentence
