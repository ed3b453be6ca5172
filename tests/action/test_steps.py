"""The parts of the action and of the component, each called as its step or its job calls it."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from snapdiff.ci import gitlab_job
from snapdiff.ci.github_action import set_outputs
from snapdiff.ci.runs import Inputs, read_inputs
from snapdiff.errors import SnapdiffError
from tests.action.conftest import TOKEN, Step
from tests.action.pull_requests import NUMBER, OneSided, PullRequest
from tests.posting.code_host import REPOSITORY, Answering, CodeHost, Fault, User, answers
from tests.posting.conftest import pull_request
from tests.posting.github_host import GitHub
from tests.posting.gitlab_host import GitLab
from tests.support.helpers import pages_of, spec


@pytest.fixture
def github() -> Iterator[CodeHost]:
    """GitHub, with a token that writes."""
    with CodeHost(GitHub(), {TOKEN: User("bot")}).running() as host:
        yield host


@pytest.fixture
def gitlab() -> Iterator[CodeHost]:
    """GitLab, with a token that writes."""
    with CodeHost(GitLab(), {TOKEN: User("bot")}).running() as host:
        yield host


# --- The action ---


def test_a_comparison_sets_outputs_and_writes_the_summary(
    step: Step, request_: PullRequest, tmp_path: Path
) -> None:
    clone = request_.checkout_merge(tmp_path / "clone")
    status = step.run(
        "compare", request_.event(), SNAPDIFF_REPO=str(clone), SNAPDIFF_FAIL_ON="downgraded"
    )
    assert status == 0
    assert step.outputs() == {
        "changed": "true",
        **dict.fromkeys(("added", "removed", "upgraded", "rebuilt", "reconfigured"), "0"),
        "downgraded": "1",
        "gate": "failed",
        **{name: str(tmp_path / f"report.{name}") for name in ("json", "html")},
        "comment": str(tmp_path / "comment.md"),
    }
    assert (tmp_path / "summary").read_text() == (tmp_path / "comment.md").read_text()


def test_an_error_is_an_annotation_and_status_2(
    step: Step, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert step.run("compare", {}, SNAPDIFF_REPO=str(tmp_path)) == 2
    assert capfd.readouterr().out.startswith("::error title=snapdiff::")
    assert step.run("compare", {}, SNAPDIFF_REPO=str(tmp_path), SNAPDIFF_OLD="nowhere") == 2
    assert capfd.readouterr().out.startswith("::error title=snapdiff::nowhere: ")
    assert step.run("compare", {}, SNAPDIFF_OLD="HEAD", SNAPDIFF_FAIL_ON="broken") == 2
    assert "::error title=snapdiff::--fail-on: " in capfd.readouterr().out
    assert step.run("post", {"pull_request": pull_request(NUMBER)}) == 2
    assert "::error title=snapdiff::" in capfd.readouterr().out
    assert not (tmp_path / "output").exists()


def test_a_file_of_the_step_that_cannot_be_written_is_an_annotation(
    step: Step, request_: PullRequest, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    variables = {
        "SNAPDIFF_REPO": str(request_.checkout_merge(tmp_path / "clone")),
        "GITHUB_OUTPUT": str(tmp_path),
    }
    assert step.run("compare", request_.event(), **variables) == 2
    said = f"::error title=snapdiff::{tmp_path}: cannot be written: Is a directory"
    assert said in capfd.readouterr().out


@pytest.mark.parametrize("name", ["GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY"])
def test_a_full_disk_is_an_annotation_that_names_the_file(
    name: str, step: Step, request_: PullRequest, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    clone = str(request_.checkout_merge(tmp_path / "clone"))
    variables = {"SNAPDIFF_REPO": clone, name: "/dev/full"}
    assert step.run("compare", request_.event(), **variables) == 2
    said = "::error title=snapdiff::/dev/full: cannot be written: No space left on device\n"
    assert capfd.readouterr().out.endswith(said)


def test_a_comment_is_posted_and_its_address_is_the_output(step: Step, github: CodeHost) -> None:
    (step.folder / "comment.md").write_text("<!-- snapdiff/e4s -->\nNews\n")
    event = {
        "pull_request": pull_request(NUMBER),
    }
    assert step.run("post", event, GITHUB_API_URL=github.api_url) == 0
    assert step.outputs()["comment-url"].startswith(f"{github.url}/{REPOSITORY}/pull/{NUMBER}#")
    assert github.bodies() == ["<!-- snapdiff/e4s -->\nNews\n"]


@pytest.mark.parametrize(("comment", "status"), [("", 0), ("always", 0), ("required", 2)])
def test_without_a_pull_request_only_what_is_required_fails(
    comment: str, status: int, step: Step, github: CodeHost
) -> None:
    given = {"GITHUB_API_URL": github.api_url, "SNAPDIFF_COMMENT": comment}
    assert step.run("post", {}, **given) == status
    assert github.seen == []


def of_a_run(sha: str = "1" * 40, **fields: Any) -> dict[str, Any]:
    """What GitHub says of another workflow's run."""
    run = {"head_sha": sha, "head_branch": "change", "head_repository": {"full_name": "x/y"}}
    return {"workflow_run": {**run, **fields}}


def test_the_comment_of_another_run_goes_to_the_pull_request_that_github_names(
    step: Step, github: CodeHost
) -> None:
    listed = [
        pull_request(5, "0" * 40),
        pull_request(NUMBER, "1" * 40),
    ]
    github.faults.append(Fault("GET", "/pulls", answers(200, listed)))
    (step.folder / "foreign").mkdir()
    (step.folder / "foreign" / "comment.md").write_text("News\n")
    assert step.run("post", of_a_run(), GITHUB_API_URL=github.api_url) == 0
    assert github.bodies() == ["<!-- snapdiff -->\nNews\n"]
    asked = github.seen[0]
    assert asked.query["head"] == "x:change"
    assert asked.headers["authorization"] == f"token {TOKEN}"


@pytest.mark.parametrize(
    ("answering", "status"),
    [
        (answers(200, []), 0),
        (answers(200, [pull_request(3, "2" * 40)]), 0),
        (answers(200, [pull_request(3), pull_request(4)]), 0),
        (answers(200, "<html>no list</html>"), 2),
        (answers(403, {"message": "no"}), 2),
        (answers(302, "", Location="https://elsewhere.example/"), 2),
        (answers(None), 2),
    ],
    ids=["none", "moved on", "two", "no list", "refused", "elsewhere", "no answer"],
)
def test_where_no_pull_request_has_the_commit_nothing_is_posted(
    answering: Answering,
    status: int,
    step: Step,
    github: CodeHost,
    capfd: pytest.CaptureFixture[str],
) -> None:
    github.faults.append(Fault("GET", "/pulls", answering))
    (step.folder / "foreign").mkdir()
    (step.folder / "foreign" / "comment.md").write_text("News\n")
    assert step.run("post", of_a_run(), GITHUB_API_URL=github.api_url) == status
    assert github.comments == []
    said = "".join(capfd.readouterr())
    assert TOKEN not in said
    assert status or "is that of no open pull request" in said or "is that of #3, #4" in said


def test_a_run_of_a_fork_that_is_gone_gets_no_comment(step: Step, github: CodeHost) -> None:
    (step.folder / "foreign").mkdir()
    (step.folder / "foreign" / "comment.md").write_text("News\n")
    event = of_a_run(head_repository=None)
    assert step.run("post", event, GITHUB_API_URL=github.api_url) == 0
    assert github.seen == []


@pytest.mark.parametrize("leads_to", ["secret", "nowhere"])
def test_a_link_in_an_artifact_is_not_followed(
    leads_to: str, step: Step, github: CodeHost, capfd: pytest.CaptureFixture[str]
) -> None:
    (step.folder / "foreign").mkdir()
    (step.folder / "secret").write_text("secret")
    (step.folder / "foreign" / "comment.md").symlink_to(step.folder / leads_to)
    assert step.run("post", of_a_run(), GITHUB_API_URL=github.api_url) == 2
    assert "is not a regular file" in capfd.readouterr().out
    assert github.seen == []


# --- The component ---


def test_a_job_leaves_its_files_writes_a_note_and_ends_with_the_gate(
    gitlab: CodeHost, request_: PullRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(request_.checkout(tmp_path / "clone", "change"))
    variables = {
        "CI_API_V4_URL": gitlab.api_url,
        "CI_MERGE_REQUEST_PROJECT_ID": "81",
        "CI_MERGE_REQUEST_IID": str(NUMBER),
        "CI_MERGE_REQUEST_DIFF_BASE_SHA": request_.old_base,
        "CI_JOB_URL": f"{gitlab.url}/jobs/7",
        "SNAPDIFF_TOKEN_VARIABLE": "ACCESS",
        "ACCESS": TOKEN,
        "SNAPDIFF_FAIL_ON": "downgraded",
    }
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert gitlab_job.main() == 1
    [note] = gitlab.bodies()
    assert f"(<{gitlab.url}/jobs/7/artifacts/file/snapdiff-report/report.html>)" in note
    [finding] = json.loads(Path("snapdiff-report/gl-code-quality-report.json").read_text("utf-8"))
    assert finding["check_name"] == "snapdiff/downgraded"
    monkeypatch.setenv("SNAPDIFF_FAIL_ON", "removed")
    assert "The gate failed, because" in note
    assert gitlab_job.main() == 0
    assert gitlab.methods() == ["POST", "PUT"]
    [note] = gitlab.bodies()
    assert "The gate failed, because" not in note
    assert gitlab_job.main() == 0
    assert gitlab.methods() == ["POST", "PUT"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("variables", "status", "said"),
    [
        ({"SNAPDIFF_COMMENT": "never", "CI_MERGE_REQUEST_IID": "12", "GITLAB_TOKEN": TOKEN}, 0, ""),
        ({"CI_MERGE_REQUEST_IID": "12", "GITLAB_TOKEN": ""}, 0, "no token, so no note"),
        ({"GITLAB_TOKEN": TOKEN}, 0, ""),
        ({"GITLAB_TOKEN": TOKEN, "SNAPDIFF_COMMENT": "required"}, 2, "of no merge request"),
        (
            {"CI_MERGE_REQUEST_IID": "12", "SNAPDIFF_COMMENT": "required"},
            2,
            "no token in GITLAB",
        ),
        ({"SNAPDIFF_OLD": "nowhere"}, 2, "nowhere"),
        (
            {
                "SNAPDIFF_OLD": "",
                "CI_MERGE_REQUEST_IID": "12",
                "CI_MERGE_REQUEST_DIFF_BASE_SHA": "1" * 40,
            },
            2,
            "is not in this clone",
        ),
    ],
    ids=["never", "no token", "no request", "required", "required token", "nowhere", "first"],
)
def test_a_job_without_a_note(
    variables: dict[str, str],
    status: int,
    said: str,
    gitlab: CodeHost,
    request_: PullRequest,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(request_.checkout(tmp_path / "clone", "change"))
    given = {
        "CI_API_V4_URL": gitlab.api_url,
        "CI_MERGE_REQUEST_PROJECT_ID": "81",
        "SNAPDIFF_OLD": request_.old_base,
        **variables,
    }
    for name, value in given.items():
        monkeypatch.setenv(name, value)
    assert gitlab_job.main() == status
    assert said in "".join(capfd.readouterr())
    assert gitlab.seen == []


@pytest.mark.parametrize("brings", [True, False], ids=["first", "last"])
def test_a_job_sees_the_first_catalog_and_the_last_page(
    brings: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pages = pages_of([spec("a", package="hdf5")])
    request = OneSided(tmp_path, pages, brings=brings)
    monkeypatch.chdir(request.checkout(tmp_path / "clone", "change"))
    kind = "added" if brings else "removed"
    variables = {
        "CI_MERGE_REQUEST_IID": str(NUMBER),
        "CI_MERGE_REQUEST_DIFF_BASE_SHA": request.old_base,
        "SNAPDIFF_FAIL_ON": kind,
    }
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert gitlab_job.main() == 1
    [finding] = json.loads(Path("snapdiff-report/gl-code-quality-report.json").read_text("utf-8"))
    assert finding["description"] == f"{kind}: tag develop"


# --- Inputs, outputs and summaries ---


def test_inputs_become_options_a_line_each() -> None:
    given = {
        "SNAPDIFF_TAGS": "develop\n v0.22,v0.23 \n\n",
        "SNAPDIFF_STACKS": "!ml-*",
        "SNAPDIFF_PACKAGES": "--output=x",
        "SNAPDIFF_KINDS": "removed",
        "SNAPDIFF_FAIL_ON": "removed,downgraded",
        "SNAPDIFF_CONFIG": "ci.toml",
        "SNAPDIFF_MARKER": "snapdiff/hep",
    }
    assert read_inputs(given).options == (
        "--tag=develop",
        "--tag=v0.22,v0.23",
        "--stack=!ml-*",
        "--package=--output=x",
        "--kind=removed",
        "--fail-on=removed,downgraded",
        "--config=ci.toml",
        "--marker=snapdiff/hep",
    )
    assert read_inputs({}) == Inputs("", "", ".", "auto", None, ())


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"SNAPDIFF_COMMENT": "sometimes"}, "'sometimes' is not known; there are auto, always, "),
        ({"SNAPDIFF_NEW": "HEAD"}, "new: HEAD is given without old; give both, or neither"),
    ],
)
def test_inputs_that_mean_nothing_are_refused(given: dict[str, str], message: str) -> None:
    with pytest.raises(SnapdiffError, match=message):
        read_inputs(given)


@pytest.mark.parametrize("value", ["a\nname=b", "a\r", "a\u2028b", "a\n"])
def test_an_output_is_one_line(value: str, tmp_path: Path) -> None:
    file = tmp_path / "output"
    with pytest.raises(SnapdiffError, match="is more than one line"):
        set_outputs(file, {"fine": "1", "url": value})
    assert not file.exists()
