"""The documentation shows what the tool prints, its example runs, and it names every module."""

import doctest
import html
import importlib
import json
import pkgutil
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
import yaml

import snapdiff
from snapdiff.cli.commands import cli
from snapdiff.reports.json_report import json_schema
from snapdiff.result import changes, packages
from tests.golden import ENVIRONMENTS, ROOT
from tests.support.helpers import run_cli, run_json
from tests.support.real_catalogs import DATA, needs_real_catalogs
from tests.support.story import write_story

DERECHO = ("066-3d0651d3-2023-11-08.lock", "067-c723601a-2023-11-20.lock")
JULEA = ("002-ad4228b7-2025-12-11.lock", "003-a207fdae-2025-12-18.lock")


@pytest.mark.slow
def test_every_command_in_the_documentation_prints_what_it_shows() -> None:
    done = subprocess.run(
        [sys.executable, ROOT / "docs" / "refresh.py", "--check"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_the_picture_of_a_terminal_shows_what_its_command_prints() -> None:
    picture = (ROOT / "docs" / "pictures" / "terminal.svg").read_text("utf-8")
    picture = html.unescape(picture).replace("\u00a0", " ")
    title = re.search('terminal-title"[^>]*>snapdiff ([^<]*)<', picture)
    assert title
    shown: dict[int, str] = {}
    for number, words in re.findall(r'terminal-line-(\d+)\)">([^<]*)</text>', picture):
        shown[int(number)] = shown.get(int(number), "") + words
    lines = "".join(shown.values()).splitlines()
    printed = run_cli("-C", ROOT, *title[1].split(), "-f", "text").out
    # Blanks are places there, and no words.
    told = ["".join(line.split()) for line in lines if line.strip()]
    assert told == ["".join(line.split()) for line in printed.splitlines() if line]


@pytest.mark.slow
def test_the_python_example_runs() -> None:
    example = re.search(r"```python\n(.*?)```", (ROOT / "README.md").read_text("utf-8"), re.DOTALL)
    assert example
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", example[1]],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("34 specs upgraded\n# Changes from ")


def test_the_example_for_a_long_history_writes_what_the_command_writes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = (ROOT / "docs" / "changelog.md").read_text("utf-8")
    example = re.search(r"```python\n(.*?)```", page, re.DOTALL)
    assert example
    story = write_story(tmp_path / "catalog")
    first = story.git("rev-list", "--max-parents=0", "HEAD")
    story.git("tag", "--force", "v0.20.0", first)
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    exec(example[1], names)  # noqa: S102 -- the page's own code
    with ThreadPoolExecutor() as executor:
        names["write_story"](executor, workers=2)
    said = run_cli("changelog", "-C", "catalog", "v0.20.0..HEAD", "-f", "ndjson").out
    assert (tmp_path / "story.ndjson").read_text("utf-8") == said
    assert said


def test_the_cause_in_the_documentation_is_the_one_that_the_report_gives() -> None:
    page = (ROOT / "docs" / "catalogs" / "documents.md").read_text("utf-8")
    example = re.search(r"```json\n(.*?)```", page, re.DOTALL)
    assert example
    report = run_json("-C", ROOT, *ENVIRONMENTS)
    [stack] = report["tags"][0]["stacks"]
    assert stack["causes"][0] == json.loads(example[1])


PAGES = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").rglob("*.md"))]
FOLDERS = "snapdiff|templates|tests|docs|release|benchmarks"
WRITTEN = {"tests/fuzz/found"}
"""What is there only once a run has found something."""


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_file_of_the_project_that_a_page_names_is_there(page: Path) -> None:
    text = re.sub(r"```.*?```", "", page.read_text("utf-8"), flags=re.DOTALL)
    for name in set(re.findall(rf"`((?:{FOLDERS})/[\w./-]*)`", text)) - WRITTEN:
        assert (ROOT / name).exists(), name


@pytest.mark.parametrize("page", ["docs/architecture.md", "CONTRIBUTING.md"])
def test_everything_that_a_page_on_the_code_names_is_there(page: str) -> None:
    text = (ROOT / page).read_text("utf-8").partition("\n### ")[0]  # then come generated tables
    named = re.findall(r"`((?:\w+/)+(?:[\w.]+\.\w+)?|\w+\.py)`", text)
    assert len(named) > 10
    for name in named:
        assert (ROOT / name).exists() or (ROOT / "snapdiff" / name).exists(), name
    code = " ".join(file.read_text("utf-8") for file in (ROOT / "snapdiff").rglob("*.py"))
    names = set(re.findall(r"`(_?[A-Z]\w+)`", text))
    assert len(names) > 5
    assert names - {"SNAPDIFF_SHARED", "YOUR_ORGANIZATION"} <= set(re.findall(r"\w+", code))


def test_every_type_that_flows_is_where_the_page_says() -> None:
    page = (ROOT / "docs" / "architecture.md").read_text("utf-8")
    table = page.partition("| type | file |")[2].partition("\n\n")[0]
    rows = re.findall(r"^\| (`[A-Z].*?) \| `(.*?)` \|", table, re.MULTILINE)
    assert len(rows) > 5
    for names, place in rows:
        text = (ROOT / "snapdiff" / place).read_text("utf-8")
        for name in re.findall(r"\w+", names):
            assert f"\nclass {name}" in text, name


def section_on_causes(heading: str) -> str:
    page = (ROOT / "docs" / "causes.md").read_text("utf-8")
    return page.partition(f"## {heading}")[2].partition("\n## ")[0]


@needs_real_catalogs
@pytest.mark.parametrize(
    ("heading", "compared"),
    [
        ("A release:", ("e4s/environments", "23.08", "23.11", "-s", "cuda-x86_64")),
        ("A compiler for", ("julea", JULEA[0], JULEA[1])),
    ],
)
def test_the_causes_of_real_environments_are_those_of_the_page(
    heading: str, compared: tuple[str, ...]
) -> None:
    rows = re.findall(r"^\| (.*) \| (\d+) \| (\d*) ?\|$", section_on_causes(heading), re.MULTILINE)
    others = [(int(name.split()[0]), int(specs)) for name, specs, _ in rows if "others" in name]
    folder, *arguments = compared
    [stack] = run_json("-C", DATA / "locks" / folder, *arguments)["tags"][0]["stacks"]
    causes = [
        (words_of(cause), str(cause["specs"]), str(cause["reach"]))
        for cause in stack["causes"]
        if cause["specs"] and (cause["package"] or cause["what"] == "rehash")
    ]
    named = [row for row in rows if "others" not in row[0]]
    assert named == causes[: len(named)]
    left = causes[len(named) :]
    assert others == ([(len(left), sum(int(specs) for _, specs, _ in left))] if left else [])


def words_of(cause: dict[str, Any]) -> str:
    """A cause as the page writes it."""
    name, old, new = f"`{cause['package']}`", cause["old"], cause["new"]
    words: dict[str, str] = {
        "version": f"{name} {old} → {new}",
        "target": f"{name} target {old} → {new}" + " (build only)" * (cause["package"] == "gcc"),
        "added": f"{name} is a dependency now (build only)",
        "replaced": f"`{old}` replaced by {name}",
        "rehash": "another way of hashing",
    }
    return words.get(cause["what"], "another cause")


@needs_real_catalogs
@pytest.mark.parametrize(
    ("heading", "folder", "package", "locks"),
    [
        ("One new MPI library", "derecho", "netcdf", DERECHO),
        ("A compiler for", "julea", "ninja", JULEA),
    ],
)
def test_why_says_of_real_environments_what_the_page_shows(
    heading: str, folder: str, package: str, locks: tuple[str, str]
) -> None:
    shown = re.search(r"```text\n(.*?)\n```", section_on_causes(heading), re.DOTALL)
    assert shown
    said = run_cli("-C", DATA / "locks" / folder, "why", package, *locks).out
    assert said.endswith(f"\n\n{shown[1]}\n")


def test_help_and_specification_name_every_command() -> None:
    listed = run_cli("--help").out.partition("Commands:")[2].partition("Examples:")[0]
    page = (ROOT / "docs" / "specification.md").read_text("utf-8")
    for name in cli.commands:
        assert re.search(rf"^ +{name} ", listed, re.MULTILINE), name
        assert name == "diff" or f"\nsnapdiff {name} " in page, name


def test_the_specification_names_every_key_of_the_json_report() -> None:
    page = (ROOT / "docs" / "specification.md").read_text("utf-8")
    named = set(re.findall(r"[`\"](\w+)[`\"]", page))
    keys = [key for item in json_schema()["$defs"].values() for key in item.get("properties", {})]
    assert len(keys) > 50
    assert set(keys) - named == set()


def test_the_page_on_python_has_every_class_of_a_diff() -> None:
    page = (ROOT / "docs" / "reference" / "python.md").read_text("utf-8")
    documented = set(re.findall(r"autoclass:: (?:\w+\.)*(\w+)", page))
    for module in (changes, packages):
        assert f".. automodule:: {module.__name__}\n   :members:\n" in page
        documented |= set(vars(module))
    documented.update(re.findall(r"(?m)^   :members: (\w.*)$", page)[0].split(", "))
    assert set(json_schema()["$defs"]) - documented == set()


def test_the_table_of_the_example_to_pair_by_hand_has_what_is_on_its_two_pages() -> None:
    text = (ROOT / "docs" / "pairing.md").read_text("utf-8")
    rows = re.findall(r"^\| (`.* |)\| (`.*) \|$", text, re.MULTILINE)
    assert len(rows) == 6
    for column, side in enumerate(("old", "new")):
        page = (ROOT / "docs" / "examples" / f"hdf5-{side}.md").read_text("utf-8")
        specs = yaml.safe_load(page.split("---")[1])["spec_details"]
        written = [
            f"`{spec['hash'][:7]}` {spec['versions'][0]} {spec['compiler']} {spec['target']}"
            f" {spec['variants'][0]}"
            for spec in specs
        ]
        assert [row[column].strip() for row in rows if row[column]] == written


def test_the_examples_in_docstrings_are_true() -> None:
    found = 0
    for module in pkgutil.walk_packages(snapdiff.__path__, "snapdiff."):
        if not module.name.endswith("__main__"):  # it runs the command
            failed, tried = doctest.testmod(importlib.import_module(module.name))
            assert failed == 0, module.name
            found += tried
    assert found
