"""The GitLab component, as its jobs run: on this machine, by gitlab-ci-local."""

import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from dataclasses import dataclass
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


@dataclass
class GitLabRunner:
    """A runner for jobs of one project with one merge request."""

    folder: Path
    host: CodeHost
    request: PullRequest
    wheel: Path
    jobs: int = 0

    def run(self, *inputs: str, token: str = TOKEN) -> tuple[int, str, Path]:
        """Run the job; return its exit status, its log, and the clone with what it left there."""
        self.jobs += 1
        clone = self.request.checkout(self.folder / f"clone-{self.jobs}", "change")
        shutil.copyfile(PROJECT / "templates/snapdiff/template.yml", clone / "component.yml")
        given = [f"install: '{self.wheel}[post]'", *inputs]
        lines = ["include:", "  - local: /component.yml", "    inputs:"]
        lines += [f"      {line}" for line in given]
        (clone / ".gitlab-ci.yml").write_text("\n".join(lines) + "\n")
        run_git(clone, "add", "--all")
        run_git(clone, "remote", "set-head", "origin", "main")
        variables = {
            "CI_PIPELINE_SOURCE": "merge_request_event",
            "CI_MERGE_REQUEST_IID": str(NUMBER),
            "CI_MERGE_REQUEST_PROJECT_ID": "81",
            "CI_MERGE_REQUEST_DIFF_BASE_SHA": self.request.old_base,
            "CI_MERGE_REQUEST_TARGET_BRANCH_NAME": "main",
            "CI_API_V4_URL": self.host.api_url,
            "CI_JOB_URL": f"{self.host.url}/spack/cache/-/jobs/7",
            "GITLAB_TOKEN": token,
        }
        environment = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith(("CI", "GIT", "GCL_"))
        }
        done = subprocess.run(
            [
                *("node", HERE / "node_modules/.bin/gitlab-ci-local"),
                *("--force-shell-executor", "--home", self.folder / "home"),
                *("--state-dir", f"../state-{self.jobs}"),
                *("--ignore-predefined-vars", ",".join(variables)),
                *(part for item in variables.items() for part in ("--variable", "=".join(item))),
                "catalog changes",
            ],
            cwd=clone,
            env={**environment, "PATH": f"{self.folder / 'image'}:{os.environ['PATH']}"},
            capture_output=True,
            text=True,
            check=False,
        )
        log = re.sub(r"\x1b\[[0-9;]*m", "", done.stdout + done.stderr)
        return done.returncode, log, clone


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The package, as the component installs it."""
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory"]
    subprocess.run([*command, str(folder)], cwd=PROJECT, check=True, capture_output=True)
    return next(folder.iterdir())


@pytest.fixture
def runner(tmp_path: Path, wheel: Path) -> Iterator[GitLabRunner]:
    """A runner beside a host that knows its token."""
    image = tmp_path / "image"
    image.mkdir()
    python = image / "python3"
    packages = sysconfig.get_path("purelib")
    python.write_text(_PYTHON.format(python=sys.executable, packages=packages))
    python.chmod(0o755)
    with CodeHost(GitLab(), {TOKEN: User(BOT)}).running() as host:
        yield GitLabRunner(tmp_path, host, PullRequest(tmp_path), wheel)


def test_it_writes_one_note_then_edits_it_and_the_gate_comes_last(runner: GitLabRunner) -> None:
    status, log, clone = runner.run(GATE)
    assert status == 1, log
    assert re.search("catalog changes finished in .* FAIL 1 ", log)
    assert log.index("the note is ") < log.index("the gate has failed")
    [note] = runner.host.comments
    assert note.author == BOT
    assert "`3.0` → `2.9`" in note.body
    report = f"{runner.host.url}/spack/cache/-/jobs/7/artifacts/file/snapdiff-report/report.html"
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

    runner.request.push(mpich="3.1")
    status, log, _ = runner.run(GATE)
    assert status == 0, log
    assert [comment.comment_id for comment in runner.host.comments] == [note.comment_id]
    assert "`3.0` → `3.1`" in runner.host.comments[0].body
    assert TOKEN not in log


def test_without_a_token_there_is_no_note_unless_it_is_required(runner: GitLabRunner) -> None:
    status, log, _ = runner.run(token="")
    assert (status, runner.host.seen) == (0, []), log
    assert "no token, so no note" in log
    _, log, _ = runner.run("comment: required", token="")
    assert "no token in GITLAB_TOKEN" in log
    assert re.search("catalog changes finished in .* FAIL 2 ", log)
    assert runner.host.comments == []
