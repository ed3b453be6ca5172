"""The documentation shows what the tool prints, and its Python example runs."""

import re
import subprocess
import sys

import pytest

from tests.golden import ROOT


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
