"""What gets installed: the wheel has all it needs, wherever it is unpacked."""

import re
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

from tests.golden import FOLDER, ROOT, SNAPSHOTS


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    command: list[str | Path] = [
        sys.executable,
        "-m",
        "hatchling",
        "build",
        "--target",
        "wheel",
        "--directory",
        folder,
    ]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    return next(folder.glob("*.whl"))


def test_a_wheel_holds_the_templates_and_the_licences(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    templates = {f"snapdiff/templates/{file.name}" for file in (ROOT / "templates").iterdir()}
    assert templates <= names
    assert "snapdiff/py.typed" in names
    assert {name.rpartition("/")[2] for name in names} >= {"LICENSE-APACHE", "LICENSE-MIT"}


def test_a_wheel_runs_where_it_is_unpacked(wheel: Path, tmp_path: Path) -> None:
    zipfile.ZipFile(wheel).extractall(tmp_path)
    code = f"import sys; sys.path.insert(0, {str(tmp_path)!r}); import snapdiff.cli as cli; "
    code += "assert cli.__file__.startswith(sys.path[0]); sys.exit(cli.main())"
    done = subprocess.run(
        [sys.executable, "-c", code, *SNAPSHOTS], cwd=ROOT, capture_output=True, check=True
    )
    assert done.stdout.decode("utf-8") == (FOLDER / "report.md").read_text(encoding="utf-8")


def test_the_lowest_versions_tested_are_the_lowest_allowed() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    allowed = dict(re.findall(r"(\S+)>=(\S+)", "\n".join(project["dependencies"])))
    lines = (ROOT / "tests" / "lowest.txt").read_text(encoding="utf-8").splitlines()
    assert dict(line.split("==") for line in lines if not line.startswith("#")) == allowed
