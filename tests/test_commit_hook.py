"""`.pre-commit-hooks.yaml`: real pre-commit, in a catalog's repository, at a real commit."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from tests.support.helpers import PROJECT
from tests.support.repositories import GIT_IDENTITY, NO_USER_SETTINGS, GitRepository, run_git
from tests.support.tools import needs

needs("pre_commit", "dev")
pytestmark = pytest.mark.slow

LOCK = "science/spack.lock"
LOCKS = [
    (PROJECT / "snapshots" / "environments" / date / LOCK).read_bytes()
    for date in ("2025-06-29", "2025-07-06")
]


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where pre-commit keeps the environments that it makes."""
    return tmp_path_factory.mktemp("pre-commit")


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> GitRepository:
    """A repository of the project as it is now, committed or not."""
    made = GitRepository(tmp_path_factory.mktemp("project"))
    for name in run_git(PROJECT, "ls-files", "-z").split("\0")[:-1]:
        copy = made.folder / name
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(PROJECT / name, copy)
    made.git("add", "--all")
    made.git("commit", "--quiet", "--message=All")
    return made


Commit = Callable[..., tuple[int, str]]


@pytest.fixture
def commit(tmp_path: Path, home: Path, project: GitRepository) -> Commit:
    """Commit a lock, or that it is gone, with the hook; return status and output."""
    catalog = GitRepository(tmp_path / "catalog")
    catalog.commit({LOCK: LOCKS[0]})
    environment = os.environ | NO_USER_SETTINGS | GIT_IDENTITY | {"PRE_COMMIT_HOME": str(home)}

    def run(content: bytes | None, *arguments: str) -> tuple[int, str]:
        hook = {"id": "snapdiff", "args": list(arguments)}
        source = {
            "repo": str(project.folder),
            "rev": project.git("rev-parse", "HEAD"),
            "hooks": [hook],
        }
        settings = catalog.folder / ".pre-commit-config.yaml"
        settings.write_text(yaml.safe_dump({"repos": [source]}), encoding="utf-8")
        catalog.git("add", "--all")
        catalog.git("commit", "--quiet", "--message=Add the hook")
        if content is None:
            catalog.git("rm", "--quiet", LOCK)
        else:
            (catalog.folder / LOCK).write_bytes(content)
            catalog.git("add", "--all")
            # What is not staged is no part of the commit, and pre-commit puts it away.
            (catalog.folder / LOCK).write_bytes(b"not staged")
        subprocess.run(
            [sys.executable, "-m", "pre_commit", "install"],
            cwd=catalog.folder,
            env=environment,
            check=True,
            capture_output=True,
        )
        done = subprocess.run(
            ["git", "commit", "--message=Update"],
            cwd=catalog.folder,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        said = done.stdout + done.stderr
        if "No matching distribution" in said:
            pytest.skip("no package index can be reached from here")
        if content is not None:
            assert (catalog.folder / LOCK).read_bytes() == b"not staged"
        return done.returncode, said

    return run


def test_a_commit_shows_what_it_changes(commit: Commit) -> None:
    status, said = commit(LOCKS[1])
    assert status == 0, said
    assert "hwloc 2.11.1 → 2.12.0" in said


@pytest.mark.nightly
def test_a_document_that_cannot_be_read_is_not_committed(commit: Commit) -> None:
    status, said = commit(LOCKS[1][:-9])
    assert status == 1
    assert f"snapdiff: error: {LOCK} (new): " in said


def test_a_commit_that_only_deletes_is_seen(commit: Commit) -> None:
    status, said = commit(None, "--fail-on", "removed")
    assert status == 1
    assert "snapdiff: removed: " in said


@pytest.mark.nightly
def test_a_gate_is_an_argument(commit: Commit) -> None:
    status, said = commit(LOCKS[1], "--fail-on", "removed")
    assert status == 1
    assert "snapdiff: removed: valgrind 3.23.0 in science\n" in said
