"""The action's own steps, run in order against a code host: compare, post, then the gate."""

import json
import os
import shutil
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from tests.action.composite import Job, Outputs, RanAction, needs_node, run_action
from tests.action.pull_requests import NUMBER, PullRequest, write_event
from tests.posting.code_host import REPOSITORY, CodeHost, Fault, User, answers
from tests.posting.conftest import pull_request
from tests.posting.github_host import GitHub
from tests.support.helpers import PROJECT
from tests.support.repositories import run_git

pytestmark = [pytest.mark.slow, needs_node("@actions/expressions")]

TOKEN = "secret-0123456789"  # noqa: S105 -- of a server that ends with the test
BOT = "github-actions[bot]"
GATE = {"fail-on": "removed,downgraded"}
FORK = "stranger"


@dataclass
class Artifacts:
    """Artifacts of workflow runs, as the actions that upload and download them leave them."""

    uploaded: dict[str, dict[str, bytes]] = field(default_factory=dict)

    def upload(self, given: Mapping[str, str]) -> Outputs:
        """What actions/upload-artifact does with these inputs."""
        assert set(given) <= {"name", "path", "if-no-files-found", "retention-days"}
        assert given["if-no-files-found"] == "error"
        name, file = given["name"], Path(given["path"])
        assert name not in self.uploaded, "a run has one artifact of a name"
        self.uploaded[name] = {file.name: file.read_bytes()}
        return {"artifact-id": "1"}

    def download(self, given: Mapping[str, str]) -> Outputs:
        """What actions/download-artifact does with these inputs."""
        assert set(given) == {"pattern", "merge-multiple", "path", "run-id", "github-token"}
        assert (given["merge-multiple"], given["run-id"]) == ("true", "77")
        assert given["github-token"] == TOKEN
        folder = Path(given["path"])
        folder.mkdir(parents=True)
        for name, content in self.uploaded.get(given["pattern"], {}).items():
            (folder / name).write_bytes(content)
        return {"download-path": str(folder)}


@dataclass
class Runner:
    """GitHub's machine for jobs of one repository with one pull request."""

    folder: Path
    host: CodeHost
    request: PullRequest
    artifacts: Artifacts = field(default_factory=Artifacts)
    jobs: int = 0

    def run(
        self,
        event_name: str = "pull_request",
        event: dict[str, Any] | None = None,
        *,
        workspace: Path | None = None,
        inputs: Mapping[str, str] = {},
        installed_from: Path | None = None,
    ) -> RanAction:
        """Run the action once, in a job of its own; it installs itself where a folder is named."""
        self.jobs += 1
        folder = self.folder / f"job-{self.jobs}"
        temp = folder / "temp"
        temp.mkdir(parents=True)
        event = self.request.event() if event is None else event
        workspace = workspace or self.request.checkout_merge(folder / "workspace")
        self.artifacts.uploaded.clear()
        job = Job(
            workspace=workspace,
            temp=temp,
            github={"event_name": event_name, "event": event, "token": TOKEN},
            environment={
                **{
                    name: value
                    for name, value in os.environ.items()
                    if name in _OF_THE_MACHINE or name.startswith("PIP_")
                },
                "GITHUB_EVENT_NAME": event_name,
                "GITHUB_EVENT_PATH": str(write_event(folder, event)),
                "GITHUB_REF": f"refs/pull/{NUMBER}/merge",
                "GITHUB_API_URL": self.host.api_url,
                "GITHUB_SERVER_URL": self.host.url,
                "GITHUB_REPOSITORY": REPOSITORY,
                "GITHUB_RUN_ID": "77",
            },
            stand_ins={
                "actions/setup-python": set_up_python,
                "actions/upload-artifact": self.artifacts.upload,
                "actions/download-artifact": self.artifacts.download,
            },
        )
        if not installed_from:
            found = {"python": sys.executable, "folder": str(temp)}
            job.known_steps["install"] = lambda: found
        return run_action(installed_from or PROJECT, inputs, job)


_OF_THE_MACHINE = ("PATH", "HOME", "LANG", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_NOSYSTEM", "TMPDIR")


def set_up_python(given: Mapping[str, str]) -> Outputs:
    """What actions/setup-python does with these inputs."""
    assert given == {"python-version": "3.13", "update-environment": "false"}
    return {"python-path": sys.executable}


@pytest.fixture
def runner(tmp_path: Path) -> Iterator[Runner]:
    """A runner beside a host that knows its token; the package is the one that is tested here."""
    users = {TOKEN: User(BOT, is_app=True)}
    with CodeHost(GitHub(), users).running() as host:
        yield Runner(tmp_path, host, PullRequest(tmp_path))


def written(runner: Runner) -> list[str]:
    """How comments were changed, in order."""
    return [
        seen.method
        for seen in runner.host.seen
        if seen.method != "GET" and "/comments" in seen.path
    ]


# --- Pull requests ---


def test_it_posts_one_comment_then_edits_it_and_the_gate_comes_last(runner: Runner) -> None:
    first = runner.run(inputs=GATE)
    assert first.names == [
        "python", "install", "compare", "upload-artifact", "upload-artifact", "post", "gate",
    ]  # fmt: skip
    assert (first.status, first.steps[-1].status) == (1, 1)
    assert first.outputs["gate"] == "failed"
    [comment] = runner.host.comments
    assert comment.author == BOT
    assert "`3.0` → `2.9`" in comment.body
    _, *lines = comment.body.partition("# Changes ")[2].splitlines()
    assert not [line for line in lines if "hdf5" in line]  # which somebody else removed
    assert f"(<{runner.host.url}/{REPOSITORY}/actions/runs/77>)" in comment.body
    assert " from `HEAD^1" in comment.body.partition("# Changes ")[2]
    url = f"{runner.host.url}/{REPOSITORY}/pull/{NUMBER}#issuecomment-{comment.comment_id}"
    assert first.outputs["comment-url"] == url

    runner.request.push(mpich="3.1")
    second = runner.run(inputs=GATE)
    assert (second.status, second.names[-1]) == (0, "post")
    assert second.outputs["gate"] == "passed"
    assert second.outputs["comment-url"] == url
    [comment] = runner.host.comments
    assert "`3.0` → `3.1`" in comment.body
    assert written(runner) == ["POST", "PATCH"]


def test_outputs_summary_annotations_and_artifacts_are_of_one_run(runner: Runner) -> None:
    ran = runner.run(inputs={**GATE, "artifact": "catalog"})
    outputs = ran.outputs
    assert {name: outputs[name] for name in ("changed", "gate")} == {
        "changed": "true",
        "gate": "failed",
    }
    numbers = ("added", "removed", "upgraded", "downgraded", "rebuilt", "reconfigured")
    assert [outputs[name] for name in numbers] == ["0", "0", "0", "1", "0", "0"]
    comment = Path(outputs["comment"]).read_bytes()
    assert runner.host.bodies() == [comment.decode("utf-8")]
    assert ran.summary == comment.decode("utf-8")
    assert runner.artifacts.uploaded == {
        "catalog": {"report.html": Path(outputs["html"]).read_bytes()},
        "catalog-comment": {"comment.md": comment},
    }
    assert json.loads(Path(outputs["json"]).read_bytes())["new"]["commit"] == runner.request.merge
    file = "file=_cache/develop/mpich/specs.md"
    assert f"\n::error title=snapdiff%3A downgraded,{file}::downgraded: mpich" in ran.log("compare")
    assert TOKEN not in "".join(step.log for step in ran.steps)


def test_a_token_that_only_reads_is_no_error_unless_a_comment_is_required(runner: Runner) -> None:
    runner.host.users[TOKEN] = User(BOT, is_app=True, may_write=False)
    ran = runner.run()
    assert (ran.status, ran.outputs["comment-url"]) == (0, "")
    assert "notice: nothing was posted" in ran.log("post")
    assert "mpich" in ran.summary
    gated = runner.run(inputs=GATE)
    assert (gated.status, gated.names[-1]) == (1, "gate")
    required = runner.run(inputs={"comment": "required"})
    assert (required.status, required.names[-1]) == (2, "post")
    assert runner.host.comments == []


def test_a_gate_on_a_kind_that_the_reports_leave_out_says_why_it_failed(runner: Runner) -> None:
    inputs = {**GATE, "kinds": "added"}
    ran = runner.run(inputs=inputs)
    assert (ran.status, ran.names[-2:]) == (1, ["post", "gate"])
    assert {name: ran.outputs[name] for name in ("changed", "downgraded", "gate")} == {
        "changed": "true",
        "downgraded": "0",
        "gate": "failed",
    }
    [comment] = runner.host.comments
    assert "The gate failed, because" in comment.body
    assert "- `downgraded: mpich 3.0 → 2.9 in develop, e4s`" in comment.body
    assert "The gate failed, because" in ran.summary

    runner.request.push(mpich="3.1")
    ran = runner.run(inputs=inputs)
    assert (ran.status, ran.outputs["changed"], ran.outputs["gate"]) == (0, "false", "passed")
    [comment] = runner.host.comments
    assert "No changes from" in comment.body
    assert "gate" not in comment.body


def test_without_a_comment_the_host_is_not_asked(runner: Runner) -> None:
    ran = runner.run(inputs={**GATE, "comment": "never"})
    assert ran.names[-2:] == ["upload-artifact", "gate"]
    assert runner.host.seen == []
    assert list(runner.artifacts.uploaded) == ["snapdiff"]


def test_inputs_are_values_and_never_commands(runner: Runner) -> None:
    hostile = "$(touch hacked) `touch hacked`; touch hacked #\n--output=hacked"
    for name in ("old", "packages", "marker"):
        ran = runner.run(inputs={name: hostile})
        assert ran.status == 2, name
        assert ran.names[-1] == "compare"
    assert list(runner.folder.rglob("hacked")) == []
    assert runner.host.comments == []


def test_two_revisions_that_are_given_are_compared_on_any_event(runner: Runner) -> None:
    clone = runner.request.checkout_merge(runner.folder / "deep", depth=None)
    ran = runner.run(
        "schedule", {}, workspace=clone, inputs={**GATE, "old": runner.request.old_base}
    )
    assert ran.names[-1] == "gate"
    assert ran.outputs["removed"] == "1"
    assert "no pull request, so no comment" in ran.log("post")
    assert list(runner.artifacts.uploaded) == ["snapdiff"]


def test_other_events_of_a_pull_request_get_a_comment_where_it_is_asked_for(runner: Runner) -> None:
    event = {"issue": {"number": NUMBER, "pull_request": {}}}
    runner.run("issue_comment", event, inputs={"old": "HEAD^1"})
    assert runner.host.comments == []
    runner.run("issue_comment", event, inputs={"old": "HEAD^1", "comment": "always"})
    assert len(runner.host.comments) == 1


def test_a_comment_on_a_pull_request_compares_nothing_but_the_pull_request(runner: Runner) -> None:
    pull = answers(200, runner.request.event()["pull_request"])
    runner.host.faults.append(Fault("GET", f"/pulls/{NUMBER}", pull))
    event = {"issue": {"number": NUMBER, "pull_request": {}}}
    main = runner.request.checkout(runner.folder / "main", "main", depth=2)
    ran = runner.run("issue_comment", event, workspace=main, inputs={"comment": "always"})
    assert (ran.status, ran.names[-2:]) == (2, ["ask", "compare"])
    assert "or give `old`" in ran.log("compare")
    assert runner.host.comments == []
    ran = runner.run("issue_comment", event, inputs={"comment": "always"})
    assert ran.status == 0
    [comment] = runner.host.comments
    assert "`3.0` → `2.9`" in comment.body
    assert TOKEN not in "".join(step.log for step in ran.steps)


# --- Pull requests from forks: the comment is posted by another workflow ---


def finished_run(runner: Runner) -> dict[str, Any]:
    """What GitHub says of the run of a pull request from a fork."""
    return {
        "workflow_run": {
            "id": 77,
            "event": "pull_request",
            "head_sha": runner.request.head,
            "head_branch": "change",
            "head_repository": {"full_name": f"{FORK}/cache"},
        }
    }


@pytest.fixture
def forked(runner: Runner) -> Runner:
    """A runner whose pull request is from a fork, and has been compared without a comment."""
    pulls = [pull_request(5), pull_request(NUMBER, runner.request.head)]
    runner.host.faults.append(Fault("GET", "/pulls", answers(200, pulls)))
    return runner


def post_of_fork(runner: Runner, artifacts: dict[str, dict[str, bytes]]) -> RanAction:
    """Run the action on the end of the other run, with nothing checked out."""
    workspace = runner.folder / f"nothing-{runner.jobs}"
    workspace.mkdir()
    download = Artifacts(artifacts).download
    runner.artifacts.download = download  # type: ignore[method-assign]
    ran = runner.run("workflow_run", finished_run(runner), workspace=workspace)
    assert list(workspace.iterdir()) == []
    return ran


def test_the_comment_of_a_fork_is_posted_by_the_other_workflow(forked: Runner) -> None:
    forked.host.users[TOKEN] = User(BOT, is_app=True, may_write=False)
    forked.run()
    left = dict(forked.artifacts.uploaded)
    forked.host.users[TOKEN] = User(BOT, is_app=True)
    ran = post_of_fork(forked, left)
    assert ran.names == ["python", "install", "download-artifact", "post"]
    assert ran.status == 0
    [comment] = forked.host.comments
    assert "`3.0` → `2.9`" in comment.body
    assert ran.outputs["comment-url"].endswith(str(comment.comment_id))
    assert ran.outputs["changed"] == ""


def test_a_run_without_a_comment_is_no_error(forked: Runner) -> None:
    ran = post_of_fork(forked, {})
    assert (ran.status, ran.log("post")) == (0, "the run has left no comment\n")


def test_a_strangers_comment_replaces_no_other_one(forked: Runner) -> None:
    forked.host.add(BOT, "<!-- other -->\nkeep me")
    ran = post_of_fork(forked, {"snapdiff-comment": {"comment.md": b"<!-- other -->\ntaken"}})
    assert ran.status == 2
    assert forked.host.bodies() == ["<!-- other -->\nkeep me"]


@pytest.mark.parametrize(
    ("content", "message"),
    [(b"a" * 65_536, "takes 65,536; make it shorter"), (b"\xff\xfe", "is no text in UTF-8")],
    ids=["too long", "no text"],
)
def test_what_is_no_comment_is_refused(content: bytes, message: str, forked: Runner) -> None:
    ran = post_of_fork(forked, {"snapdiff-comment": {"comment.md": content}})
    assert ran.status == 2
    assert message in ran.log("post")
    assert forked.host.comments == []


# --- Installation ---


def test_it_installs_itself_with_hashes_and_nothing_of_the_workspace_is_run(
    runner: Runner,
) -> None:
    """The workspace is a stranger's: modules in it have the names of those that are started."""
    workspace = runner.request.checkout_merge(runner.folder / "hostile")
    trap = "import pathlib; pathlib.Path(__file__).with_name('hacked').touch()\n"
    for name in ("pip.py", "venv.py", "msgspec.py", "json.py", "sitecustomize.py"):
        (workspace / name).write_text(trap)
    (workspace / "snapdiff").mkdir()
    (workspace / "snapdiff" / "__init__.py").write_text(trap)
    action = runner.folder / "action"
    listed = run_git(PROJECT, "ls-files", "-z", "--cached", "--others", "--exclude-standard")
    for name in listed.split("\0")[:-1]:
        if not name.startswith(("tests/", "docs/", "snapshots/")):
            (action / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(PROJECT / name, action / name)
    ran = runner.run(workspace=workspace, inputs=GATE, installed_from=action)
    if "No matching distribution" in ran.log("install"):
        pytest.skip("no package index can be reached from here")
    assert ran.status == 1, ran.log("install")
    assert ran.names[-1] == "gate"
    assert len(runner.host.comments) == 1
    assert list(workspace.rglob("hacked")) == []
