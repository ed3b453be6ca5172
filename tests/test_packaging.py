"""What gets installed: wheel and source distribution have all that the command needs."""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path
from typing import Any

import pytest

from release.build import build_twice
from release.parts_list import write_parts_list
from snapdiff import __version__
from tests.golden import ROOT, SNAPSHOTS, golden_text
from tests.support.nightly import nightly_but
from tests.support.once import made_once
from tests.support.tools import needs

needs("hatchling", "release")
pytestmark = pytest.mark.slow

PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]

EPOCH = 1_750_000_000
"""A time of the last commit."""


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """The wheel and the source archive, as a release has them."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SOURCE_DATE_EPOCH", str(EPOCH))
        return sorted(made_once(tmp_path_factory, "dist", build_twice).iterdir())


@pytest.fixture(scope="module")
def wheel(built: list[Path]) -> Path:
    """The wheel alone."""
    [found] = [file for file in built if file.suffix == ".whl"]
    return found


@pytest.mark.nightly
def test_a_build_depends_on_the_commit_alone(
    built: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    contents = {file.name: file.read_bytes() for file in built}
    assert {name.split("-")[0] for name in contents} == {"spack_snapdiff"}
    for name, epoch, is_same in (("later", EPOCH, True), ("of another commit", EPOCH + 99, False)):
        monkeypatch.setenv("SOURCE_DATE_EPOCH", str(epoch))
        again = {file.name: file.read_bytes() for file in build_twice(tmp_path / name)}
        assert again.keys() == contents.keys()
        assert all((again[file] == contents[file]) is is_same for file in contents)


def test_a_source_archive_holds_what_git_tracks_and_no_more(built: list[Path]) -> None:
    [archive] = [file for file in built if file.suffix == ".gz"]
    with tarfile.open(archive) as opened:
        names = {name.partition("/")[2] for name in opened.getnames()}
    tracked = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.split("\0")
    assert names - set(tracked) == {"PKG-INFO"}
    assert {"release/share/man/man1/snapdiff.1", "release/spack/package.py"} <= names


def test_a_wheel_holds_the_templates_and_the_licences(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    templates = {f"snapdiff/templates/{file.name}" for file in (ROOT / "templates").glob("*.*")}
    assert templates <= names
    assert "snapdiff/py.typed" in names
    assert "snapdiff/spack-snapdiff/snapdiff/cmd/snapdiff.py" in names
    share = ROOT / "release" / "share"
    assert {name.partition("/data/")[2] for name in names if "/data/" in name} == {
        f"share/{file.relative_to(share)}" for file in share.rglob("*") if file.is_file()
    }
    assert {name.rpartition("/")[2] for name in names} >= {"LICENSE-APACHE", "LICENSE-MIT"}


FROM_A_FOLDER = """
import sys
sys.path.insert(0, sys.argv.pop(1))
import snapdiff.cli.commands as cli
assert cli.__file__.startswith(sys.path[0])
sys.exit(cli.main())
"""


def said_from(folder: Path, *arguments: str | Path) -> bytes:
    """What the package in a folder prints."""
    words = [sys.executable, "-c", FROM_A_FOLDER, folder, *arguments]
    return subprocess.run(words, cwd=ROOT, capture_output=True, check=True).stdout


def test_a_wheel_runs_where_it_is_unpacked(wheel: Path, tmp_path: Path) -> None:
    shutil.unpack_archive(wheel, tmp_path, "zip")
    for name in ("markdown", "html"):  # text is made of the templates of Markdown
        here = said_from(ROOT, *SNAPSHOTS, "-f", name)
        assert said_from(tmp_path, *SNAPSHOTS, "-f", name) == here
        # So it is without the sources of what is compiled, and without what is compiled.
        for file in (tmp_path / "snapdiff/templates").glob("*.j2"):
            file.rename(file.with_suffix(".away"))
        assert said_from(tmp_path, *SNAPSHOTS, "-f", name) == here
        for file in (tmp_path / "snapdiff/templates").glob("*.away"):
            file.rename(file.with_suffix(".j2"))
    shutil.move(tmp_path / "snapdiff/compiled", tmp_path / "away")
    assert said_from(tmp_path, *SNAPSHOTS).decode("utf-8") == golden_text("report.md")


def test_a_template_of_the_user_goes_before_one_that_is_compiled(
    wheel: Path, tmp_path: Path
) -> None:
    shutil.unpack_archive(wheel, tmp_path / "package", "zip")
    (tmp_path / "own").mkdir()
    text = (ROOT / "templates" / "report.j2").read_text("utf-8")
    (tmp_path / "own" / "report.j2").write_text(f"Our own heading\n\n{text}", "utf-8")
    told = said_from(tmp_path / "package", *SNAPSHOTS, "--template-folder", tmp_path / "own")
    assert told.startswith(b"Our own heading\n")


def example() -> tuple[list[str], str]:
    """The first command of the README, and what it prints."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    found = re.search(r"```console\n\$ snapdiff ([^\n]*)\n(.*?)```", text, re.DOTALL)
    assert found
    return shlex.split(found[1]), found[2]


UV = [sys.executable, "-m", "uv"]


@pytest.fixture(scope="module")
def index(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Skip a test where the dependencies cannot be had; what is wrong with ours fails it."""
    needs("uv", "release")
    nowhere = str(tmp_path_factory.mktemp("nowhere"))
    found = subprocess.run(
        [*UV, "pip", "install", "--dry-run", "--target", nowhere, str(wheel)],
        capture_output=True,
        text=True,
    )
    if "Failed to fetch" in found.stderr or "No solution found" in found.stderr:
        pytest.skip("no package index can be reached from here")


@pytest.mark.usefixtures("index")
@pytest.mark.parametrize(
    ("suffix", "installer"), nightly_but([(".whl", "pip"), (".gz", "uv")], [(".gz", "uv")])
)
def test_in_an_empty_environment_everything_runs(
    suffix: str, installer: str, built: list[Path], tmp_path: Path
) -> None:
    [package] = [file for file in built if file.suffix == suffix]
    command = tmp_path / "venv" / "bin"
    python = command / "python"
    if installer == "pip":
        subprocess.run([sys.executable, "-m", "venv", tmp_path / "venv"], check=True)
        install = [str(python), "-m", "pip", "install"]
    else:
        subprocess.run(
            [*UV, "venv", "--quiet", "--python", sys.executable, tmp_path / "venv"], check=True
        )
        install = [*UV, "pip", "install", "--python", str(python)]
    installed = subprocess.run([*install, "--quiet", package], capture_output=True, text=True)
    assert installed.returncode == 0, installed.stderr

    def said(*arguments: str, program: str = "snapdiff") -> str:
        return subprocess.run(
            [command / program, *arguments], cwd=ROOT, capture_output=True, check=True
        ).stdout.decode("utf-8")

    arguments, expected = example()
    assert said(*arguments) == said(*arguments, program="spack-snapdiff") == expected
    assert said(*SNAPSHOTS) == golden_text("report.md")
    assert json.loads(said("schema"))["title"]
    assert said("-f", "html", *SNAPSHOTS).startswith("<!DOCTYPE html>")
    assert said("changelog", "snapshots").startswith("#")
    assert (tmp_path / "venv" / "share" / "man" / "man1" / "spack-snapdiff.1").exists()


@pytest.mark.nightly
@pytest.mark.usefixtures("index")
def test_the_parts_list_names_our_version_and_all_that_we_ask_for(
    wheel: Path, tmp_path: Path
) -> None:
    write_parts_list(wheel, tmp_path / "parts.json")
    listed = json.loads((tmp_path / "parts.json").read_bytes())
    assert listed["bomFormat"] == "CycloneDX"
    component = listed["metadata"]["component"]
    assert (component["name"], component["version"]) == ("spack-snapdiff", __version__)
    [ours] = [item for item in listed["dependencies"] if item["ref"] == component["bom-ref"]]
    names = {name.partition("==")[0].lower() for name in ours["dependsOn"]}
    assert names == {re.split("[<>=]", name)[0].lower() for name in PROJECT["dependencies"]}
    parts = {part["name"].lower(): part for part in listed["components"]}
    assert names <= parts.keys()
    assert parts.keys().isdisjoint({"pip", "pytest", "uv"})  # what makes it is no part of it
    assert all(part["purl"].startswith("pkg:pypi/") for part in parts.values())


@pytest.mark.nightly
@pytest.mark.usefixtures("index")
def test_uvx_runs_the_example_of_the_readme(wheel: Path, tmp_path: Path) -> None:
    arguments, expected = example()
    done = subprocess.run(
        [*UV, "tool", "run", "--from", wheel, "spack-snapdiff", *arguments],
        cwd=ROOT,
        env=os.environ | {"UV_PYTHON": sys.executable, "UV_TOOL_DIR": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (0, expected), done.stderr


def test_the_lowest_versions_tested_are_the_lowest_allowed() -> None:
    extras = PROJECT["optional-dependencies"]
    tested = ("gcs", "mirror", "post", "s3")
    wanted = [*PROJECT["dependencies"], *(item for name in tested for item in extras[name])]
    allowed = dict(re.findall(r"(\S+)>=(\S+)", "\n".join(wanted)))
    lines = (ROOT / "tests" / "lowest.txt").read_text(encoding="utf-8").splitlines()
    assert dict(line.split("==") for line in lines if "==" in line) == allowed


def test_the_security_page_counts_the_dependencies() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    text = (ROOT / "SECURITY.md").read_text(encoding="utf-8")
    numbers = ("Six", "Seven", "Eight", "Nine", "Ten")
    assert f"{numbers[len(project['dependencies']) - 6]}, each with the lowest version" in text
