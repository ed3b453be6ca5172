"""What gets installed: wheel and source distribution have all that the command needs."""

import json
import re
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

from tests.golden import ROOT, SNAPSHOTS, golden_text

pytestmark = pytest.mark.slow


def built(target: str, folder: Path) -> Path:
    command = [sys.executable, "-m", "hatchling", "build", "--target", target, "--directory"]
    subprocess.run([*command, str(folder)], cwd=ROOT, check=True, capture_output=True)
    return next(folder.iterdir())


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built("wheel", tmp_path_factory.mktemp("wheel"))


def test_a_wheel_holds_the_templates_and_the_licences(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    templates = {f"snapdiff/templates/{file.name}" for file in (ROOT / "templates").iterdir()}
    assert templates <= names
    assert "snapdiff/py.typed" in names
    assert {name.rpartition("/")[2] for name in names} >= {"LICENSE-APACHE", "LICENSE-MIT"}


def test_a_wheel_runs_where_it_is_unpacked(wheel: Path, tmp_path: Path) -> None:
    zipfile.ZipFile(wheel).extractall(tmp_path)
    code = (
        f"import sys; sys.path.insert(0, {str(tmp_path)!r}); import snapdiff.cli.commands as cli; "
    )
    code += "assert cli.__file__.startswith(sys.path[0]); sys.exit(cli.main())"
    done = subprocess.run(
        [sys.executable, "-c", code, *SNAPSHOTS], cwd=ROOT, capture_output=True, check=True
    )
    assert done.stdout.decode("utf-8") == golden_text("report.md")


@pytest.mark.parametrize("target", ["wheel", "sdist"])
def test_in_an_empty_environment_everything_runs(target: str, tmp_path: Path) -> None:
    package = built(target, tmp_path / "dist")
    subprocess.run([sys.executable, "-m", "venv", tmp_path / "venv"], check=True)
    command = tmp_path / "venv" / "bin"
    installed = subprocess.run(
        [command / "pip", "install", "--quiet", package], capture_output=True, text=True
    )
    if "No matching distribution" in installed.stderr:
        pytest.skip("no package index can be reached from here")
    assert installed.returncode == 0, installed.stderr

    def said(*arguments: str) -> str:
        return subprocess.run(
            [command / "snapdiff", *arguments], cwd=ROOT, capture_output=True, check=True
        ).stdout.decode("utf-8")

    assert said(*SNAPSHOTS) == golden_text("report.md")
    assert json.loads(said("schema"))["title"]
    assert said("-f", "html", *SNAPSHOTS).startswith("<!DOCTYPE html>")
    assert said("changelog", "snapshots").startswith("#")


def test_the_lowest_versions_tested_are_the_lowest_allowed() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    wanted = [*project["dependencies"], *extras["mirror"], *extras["s3"]]
    allowed = dict(re.findall(r"(\S+)>=(\S+)", "\n".join(wanted)))
    lines = (ROOT / "tests" / "lowest.txt").read_text(encoding="utf-8").splitlines()
    assert dict(line.split("==") for line in lines if not line.startswith("#")) == allowed
