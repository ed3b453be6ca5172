"""The GitLab component, as its jobs run: on this machine, by gitlab-ci-local."""

import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

from tests.action.composite import HERE, needs_node
from tests.action.pull_requests import PullRequest
from tests.posting.code_host import NUMBER, CodeHost, User
from tests.posting.gitlab_host import GitLab
from tests.support.helpers import PROJECT
from tests.support.repositories import run_git

pytestmark = [
    pytest.mark.slow,
    needs_node("gitlab-ci-local"),
    pytest.mark.skipif(not shutil.which("rsync"), reason="needs rsync: `make system` brings it"),
]

TOKEN = "glpat-0123456789"  # noqa: S105 -- of a server that ends with the test
BOT = "project_81_bot"
GATE = "fail-on: removed,downgraded"

_PYTHON = """#!/bin/sh
# The image's Python: its environments see what is installed here, so nothing is downloaded.
"{python}" "$@" --without-pip
for folder in "$4"/lib/python*/site-packages; do echo "{packages}" > "$folder/here.pth"; done
"""


@pytest.fixture
def wheel(tmp_path: Path) -> Path:
    """The package, as the component installs it."""
    folder = tmp_path / "wheel"
    command = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory"]
    subprocess.run([*command, str(folder)], cwd=PROJECT, check=True, capture_output=True)
    return next(folder.iterdir())


@pytest.fixture
def image(tmp_path: Path) -> Path:
    """A folder with the Python of the job's image."""
    python = tmp_path / "image" / "python3"
    python.parent.mkdir()
    packages = sysconfig.get_path("purelib")
    python.write_text(_PYTHON.format(python=sys.executable, packages=packages))
    python.chmod(0o755)
    return python.parent


def run_component(
    clone: Path, wheel: Path, image: Path, variables: dict[str, str]
) -> tuple[int, str]:
    """Run the job in a clone; return its exit status and its log."""
    shutil.copyfile(PROJECT / "templates/snapdiff/template.yml", clone / "component.yml")
    lines = ["include:", "  - local: /component.yml", "    inputs:"]
    lines += [f"      install: '{wheel}[post]'", f"      {GATE}"]
    (clone / ".gitlab-ci.yml").write_text("\n".join(lines) + "\n")
    run_git(clone, "add", "--all")
    run_git(clone, "remote", "set-head", "origin", "main")
    environment = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("CI", "GIT", "GCL_"))
    }
    done = subprocess.run(
        [
            *("node", HERE / "node_modules/.bin/gitlab-ci-local"),
            *("--force-shell-executor", "--home", clone.parent / "home"),
            *("--state-dir", "../state"),
            *("--ignore-predefined-vars", ",".join(variables)),
            *(part for item in variables.items() for part in ("--variable", "=".join(item))),
            "catalog changes",
        ],
        cwd=clone,
        env={**environment, "PATH": f"{image}:{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, re.sub(r"\x1b\[[0-9;]*m", "", done.stdout + done.stderr)


def test_it_writes_a_note_and_the_gate_comes_last(tmp_path: Path, wheel: Path, image: Path) -> None:
    request = PullRequest(tmp_path)
    clone = request.checkout(tmp_path / "clone", "change")
    with CodeHost(GitLab(), {TOKEN: User(BOT)}).running() as host:
        variables = {
            "CI_PIPELINE_SOURCE": "merge_request_event",
            "CI_MERGE_REQUEST_IID": str(NUMBER),
            "CI_MERGE_REQUEST_PROJECT_ID": "81",
            "CI_MERGE_REQUEST_DIFF_BASE_SHA": request.old_base,
            "CI_MERGE_REQUEST_TARGET_BRANCH_NAME": "main",
            "CI_API_V4_URL": host.api_url,
            "CI_JOB_URL": f"{host.url}/spack/cache/-/jobs/7",
            "GITLAB_TOKEN": TOKEN,
        }
        status, log = run_component(clone, wheel, image, variables)
    assert status == 1, log
    assert re.search("catalog changes finished in .* FAIL 1 ", log)
    assert log.index("the note is ") < log.index("the gate has failed")
    [note] = host.comments
    assert note.author == BOT
    assert "`3.0` → `2.9`" in note.body
    report = f"{host.url}/spack/cache/-/jobs/7/artifacts/file/snapdiff-report/report.html"
    assert f"(<{report}>)" in note.body
    left = clone / "snapdiff-report"
    assert sorted(file.name for file in left.iterdir()) == [
        "comment.md",
        "gl-code-quality-report.json",
        "report.html",
        "report.json",
    ]
    [finding] = json.loads((left / "gl-code-quality-report.json").read_text("utf-8"))
    assert finding["location"]["path"] == "_cache/develop/mpich/specs.md"
    assert TOKEN not in log
