"""The documentation shows what the tool prints, its example runs, and it names every module."""

import json
import re
import subprocess
import sys

import pytest
import yaml

from tests.golden import ENVIRONMENTS, ROOT
from tests.support.helpers import run_json


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
    assert done.stdout.startswith("34 upgraded\n# Changes from ")


def test_the_cause_in_the_documentation_is_the_one_that_the_report_gives() -> None:
    page = (ROOT / "docs" / "catalogs" / "documents.md").read_text("utf-8")
    example = re.search(r"```json\n(.*?)```", page, re.DOTALL)
    assert example
    report = run_json("-C", ROOT, *ENVIRONMENTS)
    [stack] = report["tags"][0]["stacks"]
    assert stack["causes"][0] == json.loads(example[1])


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
