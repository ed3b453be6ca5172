"""What the compare step compares: on every event that the documentation names, in every clone."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.action.conftest import TOKEN, Step
from tests.action.pull_requests import NUMBER, OneSided, PullRequest
from tests.posting.code_host import REPOSITORY, CodeHost, Fault, User, answers
from tests.posting.github_host import GitHub
from tests.support.helpers import PROJECT, Files, pages_of, spec
from tests.support.nightly import nightly_but

MERGE_REF = f"refs/pull/{NUMBER}/merge"
PULL = f"/repos/{REPOSITORY}/pulls/{NUMBER}"


@pytest.fixture
def github(request_: PullRequest) -> Iterator[CodeHost]:
    """GitHub, which knows the pull request."""
    with CodeHost(GitHub(), {TOKEN: User("bot")}).running() as host:
        host.faults.append(Fault("GET", PULL, answers(200, request_.event()["pull_request"])))
        yield host


def event_of(name: str, request: PullRequest) -> dict[str, Any]:
    """What GitHub says of an event."""
    event = request.event()
    repository = {"repository": event["repository"]}
    push = {"ref": "refs/heads/main", **repository}
    return {
        "pull_request": event,
        "pull_request_target": event,
        "pull_request_review": event,
        "push": {**push, "before": request.old_base},
        "push to a branch": {**push, "ref": "refs/heads/change", "before": "0" * 40},
        "merge_group": {"merge_group": {"base_sha": request.target}, **repository},
        "schedule": repository,
        "workflow_dispatch": {"ref": "refs/heads/change", **repository},
        "issue_comment": {"issue": {"number": NUMBER, "pull_request": {}}, **repository},
        "issue_comment on an issue": {"issue": {"number": 3}, **repository},
    }[name]


class Case(NamedTuple):
    """An event, what is checked out, and what is compared at depths 1, 2 and 0.

    A comparison is the names of both commits; an error is the words of its way out.
    """

    event: str
    checked_out: str
    at_1: str
    at_2: str
    at_0: str


PULL_REQUEST = "target..merge"
OF_MAIN = "old_base..target"
OF_BRANCH = "old_base..head"

CASES = [
    Case("pull_request", MERGE_REF, "`fetch-depth: 2`", PULL_REQUEST, PULL_REQUEST),
    Case("pull_request_review", MERGE_REF, "`fetch-depth: 2`", PULL_REQUEST, PULL_REQUEST),
    Case("pull_request", "change", "`fetch-depth: 0`", "`fetch-depth: 0`", OF_BRANCH),
    Case("pull_request_target", "main", *["is checked out, and is neither"] * 3),
    Case("push", "main", "`fetch-depth: ", OF_MAIN, OF_MAIN),
    Case("push to a branch", "change", "`fetch-depth: 0`", "`fetch-depth: 0`", OF_BRANCH),
    Case("merge_group", MERGE_REF, "`fetch-depth: 0`", PULL_REQUEST, PULL_REQUEST),
    Case("schedule", "main", "`fetch-depth: 2`", OF_MAIN, OF_MAIN),
    Case("workflow_dispatch", "change", "`fetch-depth: 0`", "`fetch-depth: 0`", OF_BRANCH),
    Case("issue_comment", "main", *["is checked out, and is neither"] * 3),
    Case("issue_comment", MERGE_REF, "`fetch-depth: 2`", PULL_REQUEST, PULL_REQUEST),
    Case("issue_comment", "change", "`fetch-depth: 0`", "`fetch-depth: 0`", OF_BRANCH),
    Case("issue_comment on an issue", "main", "`fetch-depth: 2`", OF_MAIN, OF_MAIN),
]

ONE_A_RULE = (
    f"pull_request {MERGE_REF}",
    "pull_request change",
    "pull_request_target main",
    "push main",
    "push to a branch change",
    f"merge_group {MERGE_REF}",
    f"issue_comment {MERGE_REF}",
)


@pytest.mark.slow
@pytest.mark.parametrize("depth", [1, 2, 0])
@pytest.mark.parametrize(
    "case", nightly_but({f"{case.event} {case.checked_out}": (case,) for case in CASES}, ONE_A_RULE)
)
def test_each_event_is_compared_or_says_what_is_missing(
    case: Case,
    depth: int,
    step: Step,
    github: CodeHost,
    request_: PullRequest,
    tmp_path: Path,
    capfd: pytest.CaptureFixture[str],
) -> None:
    clone = request_.checkout(tmp_path / "clone", case.checked_out, depth=depth or None)
    event = event_of(case.event, request_)
    given = {
        "SNAPDIFF_REPO": str(clone),
        "SNAPDIFF_COMMENT": "always",
        "GITHUB_API_URL": github.api_url,
        "GITHUB_REF": "refs/heads/main",
    }
    if "issue_comment" in case.event:
        assert step.run("ask", event, **given) == 0
    status = step.run("compare", event, **given, SNAPDIFF_TOKEN="")
    expected = {1: case.at_1, 2: case.at_2, 0: case.at_0}[depth]
    said = capfd.readouterr().out
    if ".." in expected:
        assert status == 0, said
        found = json.loads((tmp_path / "report.json").read_bytes())
        names = expected.split("..")
        commits = [getattr(request_, name) for name in names]
        assert [found["old"]["commit"], found["new"]["commit"]] == commits
    else:
        assert status == 2
        assert said.startswith("::error title=snapdiff::")
        assert expected in said
        assert not (tmp_path / "output").exists()


def test_two_revisions_that_are_given_need_no_word_of_the_pull_request(
    step: Step, github: CodeHost, request_: PullRequest, tmp_path: Path
) -> None:
    clone = request_.checkout(tmp_path / "clone", "main")
    event = event_of("issue_comment", request_)
    given = {"SNAPDIFF_REPO": str(clone), "SNAPDIFF_OLD": "HEAD^1"}
    assert step.run("compare", event, GITHUB_API_URL=github.api_url, **given) == 0
    assert github.seen == []


@pytest.mark.parametrize("token", ["", "another"])
def test_a_pull_request_that_cannot_be_asked_for_is_an_error(
    token: str,
    step: Step,
    github: CodeHost,
    request_: PullRequest,
    tmp_path: Path,
    capfd: pytest.CaptureFixture[str],
) -> None:
    github.faults[:] = [Fault("GET", PULL, answers(404, {"message": "Not Found"}))]
    clone = request_.checkout(tmp_path / "clone", "main")
    event = event_of("issue_comment", request_)
    given = {"SNAPDIFF_REPO": str(clone), "SNAPDIFF_TOKEN": token}
    assert step.run("ask", event, GITHUB_API_URL=github.api_url, **given) == 2
    said = capfd.readouterr().out
    assert said.startswith(f"::error title=snapdiff::{REPOSITORY}#{NUMBER}: ")
    assert "or give `old`" in said
    assert step.run("compare", event, GITHUB_API_URL=github.api_url, **given) == 2
    assert "does not say which commits pull request 12 has" in capfd.readouterr().out


# --- The first catalog, and the last page ---

LOCK = (PROJECT / "snapshots/environments/2025-06-29/science/spack.lock").read_bytes()
CATALOGS: dict[str, Files] = {
    "a page": pages_of([spec("a", package="hdf5")]),
    "pages": pages_of([spec("a"), spec("b", package="hdf5", tag="v0.22")]),
    "a lock": {"spack.lock": LOCK},
    "locks": {"science/spack.lock": LOCK, "hep/spack.lock": LOCK},
}


@pytest.mark.slow
@pytest.mark.parametrize("brings", [True, False], ids=["first", "last"])
@pytest.mark.parametrize("catalog", CATALOGS)
def test_a_catalog_that_is_new_or_gone_is_told_and_the_gate_sees_it(
    catalog: str, brings: bool, step: Step, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    request = OneSided(tmp_path, CATALOGS[catalog], brings=brings)
    clone = request.checkout_merge(tmp_path / "clone")
    kind, other = ("added", "removed") if brings else ("removed", "added")
    given = {"SNAPDIFF_REPO": str(clone), "SNAPDIFF_FAIL_ON": kind}
    assert step.run("compare", request.event(), **given) == 0
    outputs = step.outputs()
    assert (outputs["changed"], outputs["gate"], outputs[other]) == ("true", "failed", "0")
    assert int(outputs[kind]) > 0
    found = json.loads((tmp_path / "report.json").read_bytes())
    assert {tag["status"] for tag in found["tags"]} == {kind}
    comment = (tmp_path / "comment.md").read_text("utf-8")
    assert "The gate failed, because" in comment
    assert f"{kind}: " in comment
    assert "::error title=snapdiff%3A " in capfd.readouterr().err


def test_a_folder_without_a_catalog_on_either_side_is_a_slip(
    step: Step, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    request = OneSided(tmp_path, {"notes.md": "# Notes"}, brings=True)
    clone = request.checkout_merge(tmp_path / "clone")
    given = {"SNAPDIFF_REPO": str(clone), "SNAPDIFF_FAIL_ON": "removed"}
    assert step.run("compare", request.event(), **given) == 2
    assert "::error title=snapdiff::neither HEAD" in capfd.readouterr().out
