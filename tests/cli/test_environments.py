"""`-e NAME`, as Spack's, and `spack snapdiff`, with a stand-in for Spack's modules."""

import importlib
import json
import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from snapdiff.spack_extension import extension_folders
from tests.support.documents import Item, lock, to_bytes
from tests.support.helpers import PROJECT, run_cli, run_json, words, write_files
from tests.support.repositories import GitRepository

OLD = to_bytes(lock([Item("lib")]))
NEW = to_bytes(lock([Item("lib"), Item("app")]))


@pytest.fixture(scope="module")
def two_locks(tmp_path_factory: pytest.TempPathFactory) -> GitRepository:
    repository = GitRepository(tmp_path_factory.mktemp("hep"))
    repository.commit({"spack.lock": OLD, "spack.yaml": "spack: {}"}, "First")
    repository.commit({"spack.lock": OLD, "spack.yaml": "spack: {}"}, "Second")
    return repository


@pytest.fixture
def root(tmp_path: Path, two_locks: GitRepository, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A Spack with environments: `hep` in git and changed since, `ml` as it was, `raw` no lock."""
    environments = tmp_path / "spack/var/spack/environments"
    two_locks.copied(environments / "hep")
    write_files(environments, {"hep/spack.lock": NEW, "ml/spack.lock": OLD, "raw/spack.yaml": "x"})
    monkeypatch.setenv("SPACK_ROOT", str(tmp_path / "spack"))
    write_files(tmp_path / "here", {"old.lock": OLD})
    return tmp_path


@pytest.mark.parametrize(
    ("arguments", "sources"),
    [
        (["-e", "hep"], ["HEAD:spack.lock", "working tree:spack.lock"]),
        (["-e", "hep", "HEAD~1"], ["HEAD~1:spack.lock", "working tree:spack.lock"]),
        (["-e", "hep", "{here}/old.lock"], ["{here}/old.lock", "{envs}/hep/spack.lock"]),
        (["-e", "hep", "old.lock"], ["{here}/old.lock", "{envs}/hep/spack.lock"]),
        (["-e", "ml", "-e", "hep"], ["{envs}/ml/spack.lock", "{envs}/hep/spack.lock"]),
        (["-e", "{envs}/hep"], ["HEAD:spack.lock", "working tree:spack.lock"]),
    ],
    ids=words,
)
def test_an_environment_is_one_side(arguments: list[str], sources: list[str], root: Path) -> None:
    places = {"here": root / "here", "envs": root / "spack/var/spack/environments"}
    given = [argument.format_map(places) for argument in arguments]
    report = run_json("-C", root / "here", *given)
    assert [report[side]["source"] for side in ("old", "new")] == [
        source.format_map(places) for source in sources
    ]
    assert report["summary"]["added"] == 1
    assert report["summary"]["unchanged"] == 1


@pytest.mark.parametrize("revisions", [["HEAD~1", "HEAD"], ["HEAD~1..HEAD"]], ids=words)
def test_between_two_revisions_it_is_both(revisions: list[str], root: Path) -> None:
    hep = root / "spack/var/spack/environments/hep"
    report = run_json("-e", "hep", *revisions)
    assert report["tags"] == []
    subprocess.run(
        ["git", "commit", "-qam", "x"],
        cwd=hep,
        check=True,
        env=os.environ
        | {
            f"GIT_{who}_{what}": "x@example.org"
            for who in ("AUTHOR", "COMMITTER")
            for what in ("NAME", "EMAIL")
        },
    )
    assert run_json("-e", "hep", *revisions)["summary"]["added"] == 1


def test_a_spack_on_path_has_its_own_environments(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("SPACK_ROOT")
    write_files(root / "spack/bin", {"spack": "#!/bin/sh\n"})
    (root / "spack/bin/spack").chmod(0o755)
    (root / "links").mkdir()
    (root / "links/spack").symlink_to(root / "spack/bin/spack")
    monkeypatch.setenv("PATH", str(root / "links"), prepend=os.pathsep)
    assert run_json("-e", "hep")["summary"]["added"] == 1
    why = run_cli("why", "app", "-e", "hep")
    assert (why.status, "app 1.0 added" in why.out) == (0, True)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["-e", "hpe"], "hpe: no such environment in {envs}; did you mean hep?"),
        (["-e", "unlike"], "unlike: no such environment in {envs}; see `spack env list`"),
        (
            ["-e", "raw"],
            (
                "{envs}/raw/spack.lock: no such file or directory; spack.yaml is here, "
                "spack.lock is not: run `spack concretize`"
            ),
        ),
        (
            ["-e", "ml"],
            (
                "{envs}/ml/spack.lock: is in no working tree of git, so there is no older version "
                "of it; name two files"
            ),
        ),
        (["-e", "hep", "-e", "ml", "HEAD", "x"], "-e: names both sides already; leave paths and "),
        (["-e", "hep", "-e", "ml", "HEAD"], "-e: names both sides already; leave paths and names"),
        (["-e", "hep", "HEAD~9"], "HEAD~9: no such commit before HEAD; git log HEAD lists those"),
        (["-e", "hep", "--", "x"], "-e: names both sides already; leave paths and names out"),
    ],
    ids=words,
)
def test_what_is_not_there_is_one_line(arguments: list[str], message: str, root: Path) -> None:
    result = run_cli(*arguments)
    assert (result.status, result.out, result.err.count("\n")) == (2, "", 1)
    envs = root / "spack/var/spack/environments"
    assert result.err.startswith(f"snapdiff: error: {message.format(envs=envs)}")


def test_without_spack_the_way_out_is_named(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SPACK_ROOT")
    monkeypatch.setenv("PATH", str(root))
    assert run_cli("-e", "hep") == (
        2,
        "",
        (
            "snapdiff: error: hep: no such environment here, and no Spack to ask for its own; "
            "set SPACK_ROOT\n"
        ),
    )


# --- spack snapdiff ---

STAND_IN = '''
"""As Spack runs the command of an extension: it has found the module, and parsed its own words."""
import argparse, importlib.util, sys
from spack import environment

file, active, *words = sys.argv[1:]
if active:
    environment.active = environment.Environment(active)
spec = importlib.util.spec_from_file_location("spack.extensions.snapdiff.cmd.snapdiff", file)
module = importlib.util.module_from_spec(spec)
spec.loader.exec_module(module)
assert module.description and module.section and module.level in ("short", "long")
parser = argparse.ArgumentParser(prog="spack", add_help=False)
subparser = parser.add_subparsers(dest="command").add_parser("snapdiff", add_help=False)
module.setup_parser(subparser)
args, unknown = parser.parse_known_args(["snapdiff", *words])
sys.exit(module.snapdiff(parser, args, unknown))
'''
ENVIRONMENT = """
class Environment:
    def __init__(self, path):
        self.path = path

active = None

def active_environment():
    return active
"""


@pytest.mark.parametrize(
    ("active", "arguments", "same_as"),
    [
        (True, ["-f", "json"], ["-f", "json", "-e", "{hep}"]),
        (True, ["HEAD~1", "-f", "json"], ["-f", "json", "-e", "{hep}", "HEAD~1"]),
        (True, ["diff", "-f", "json"], ["-f", "json", "-e", "{hep}"]),
        (True, ["why", "app"], ["why", "app", "-e", "{hep}"]),
        (True, ["schema", "--help"], ["schema", "--help"]),
        (
            False,
            ["-e", "hep", "--exit-code", "-f", "json"],
            ["-e", "hep", "--exit-code", "-f", "json"],
        ),
        (False, ["old.lock", "no.lock"], ["old.lock", "no.lock"]),
    ],
    ids=words,
)
def test_spack_hands_over_all_words(
    active: bool, arguments: list[str], same_as: list[str], root: Path
) -> None:
    [folder] = extension_folders()
    file = Path(folder) / "snapdiff" / "cmd" / "snapdiff.py"
    write_files(root / "modules/spack", {"__init__.py": "", "environment.py": ENVIRONMENT})
    write_files(root, {"run.py": STAND_IN})
    hep = str(root / "spack/var/spack/environments/hep")
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        [sys.executable, "-S", root / "run.py", file, hep * active, *arguments],
        cwd=root / "here",
        env=os.environ | {"PYTHONPATH": str(root / "modules"), "PATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    expected = (
        run_cli("-C", root / "here", *(word.format(hep=hep) for word in same_as))
        if (same_as[0] not in ("why", "schema"))
        else run_cli(*(word.format(hep=hep) for word in same_as))
    )
    assert (done.returncode, done.stdout, done.stderr) == expected


def test_the_folder_is_printed_for_the_configuration_of_spack() -> None:
    [folder] = extension_folders()
    assert run_cli("--spack-extension") == (0, f"{folder}\n", "")
    assert folder == str(PROJECT / "release" / "spack-snapdiff")


def test_spacks_own_python_can_ask_where_the_command_is() -> None:
    code = "import json, snapdiff.spack_extension as e; print(json.dumps(e.extension_folders()))"
    done = subprocess.run(
        [sys.executable, "-S", "-c", code], cwd=PROJECT, capture_output=True, text=True, check=True
    )
    assert json.loads(done.stdout) == extension_folders()


def test_the_entry_point_is_how_spack_finds_an_installed_package() -> None:
    project = tomllib.loads((PROJECT / "pyproject.toml").read_text("utf-8"))["project"]
    module, _, name = project["entry-points"]["spack.extensions"]["snapdiff"].partition(":")
    assert getattr(importlib.import_module(module), name) is extension_folders
