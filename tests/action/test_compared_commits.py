"""Which commits a CI job compares: in real clones, as deep as the CI system makes them."""

from pathlib import Path
from typing import Any, NamedTuple

import pytest

from snapdiff.ci.github_action import older_commit_of_event
from snapdiff.ci.gitlab_job import older_commit_of_pipeline
from snapdiff.ci.runs import Checkout, OlderCommit
from snapdiff.errors import RevisionError, SnapdiffError
from snapdiff.posting.target import read_event
from tests.action.pull_requests import NUMBER, PullRequest, write_event
from tests.support.repositories import GitRepository, run_git

ZEROS = "0" * 40


class Compared(NamedTuple):
    """Both commits by their full ids."""

    old: str
    new: str
    reason: str


def on_github(clone: Path, event: dict[str, Any], ref: str = "") -> Compared:
    """What the action compares, by full ids."""
    file = write_event(clone / ".git" / "event", event)
    return with_ids(clone, older_commit_of_event(read_event(file), clone, ref))


def with_ids(clone: Path, found: OlderCommit) -> Compared:
    """What is compared: the commit that was found with the one that is checked out."""
    old, new = (run_git(clone, "rev-parse", name) for name in (found.name, "HEAD"))
    return Compared(old, new, found.reason)


def on_gitlab(clone: Path, **variables: str) -> Compared:
    """What the component compares, by full ids."""
    variables["CI_DEFAULT_BRANCH"] = "main"
    return with_ids(clone, older_commit_of_pipeline(variables, clone))


# --- Pull requests on GitHub ---


def test_a_merge_commit_is_compared_with_its_first_parent(
    request_: PullRequest, tmp_path: Path
) -> None:
    clone = request_.checkout_merge(tmp_path / "clone")
    found = on_github(clone, request_.event())
    assert (found.old, found.new) == (request_.target, request_.merge)
    assert request_.old_base not in found  # the event's base.sha is behind
    assert found.reason == f"the merge commit of pull request {NUMBER} and its first parent"


def test_a_head_that_the_target_has_is_not_compared_with_itself(
    request_: PullRequest, tmp_path: Path
) -> None:
    # A fork that makes a pull request of its own main: in its clone origin/main is the head.
    clone = request_.checkout(tmp_path / "clone", "change")
    run_git(clone, "update-ref", "refs/remotes/origin/main", request_.head)
    with pytest.raises(RevisionError, match=r"is in main of this clone already; .* or give `old`"):
        on_github(clone, request_.event())


def from_fork(request: PullRequest) -> dict[str, Any]:
    """What GitHub says of a pull request from a fork."""
    event = request.event()
    event["pull_request"]["base"]["repo"] = {"full_name": "spack/catalog"}
    event["pull_request"]["head"]["repo"] = {"full_name": "Stranger/catalog"}
    return event


@pytest.mark.slow
@pytest.mark.parametrize(
    "address",
    [
        "https://github.com/stranger/catalog",
        "https://github.com/Stranger/catalog.git",
        "git@github.com:stranger/catalog.git",
        "ssh://git@github.com/stranger/catalog/",
    ],
)
def test_a_clone_of_the_fork_is_refused_as_its_target_branch_is_another(
    address: str, tmp_path: Path
) -> None:
    # The fork's main is behind: what others merged between would count as the pull request's.
    request = PullRequest(tmp_path)
    request.origin.git("checkout", "--quiet", "change")
    request.origin.git("rebase", "--quiet", "main")
    request.head = request.origin.git("rev-parse", "HEAD")
    clone = request.checkout(tmp_path / "clone", "change")
    run_git(clone, "update-ref", "refs/remotes/origin/main", request.old_base)
    run_git(clone, "remote", "set-url", "origin", address)
    with pytest.raises(RevisionError, match=r"clone of Stranger/catalog, .* out spack/catalog, or"):
        on_github(clone, from_fork(request))


def test_a_head_of_a_fork_is_compared_in_a_clone_of_the_target(
    request_: PullRequest, tmp_path: Path
) -> None:
    clone = request_.checkout(tmp_path / "clone", "change")
    for address in ("https://github.com/spack/catalog", str(request_.origin.folder)):
        run_git(clone, "remote", "set-url", "origin", address)
        assert on_github(clone, from_fork(request_)).old == request_.old_base
    run_git(clone, "config", "--unset", "remote.origin.url")
    event = from_fork(request_)
    assert on_github(clone, event).old == request_.old_base
    event["pull_request"]["head"]["repo"] = None  # the fork was deleted
    assert on_github(clone, event).old == request_.old_base


@pytest.mark.parametrize("checked_out", ["main", "merge of another head"])
def test_another_commit_is_refused(checked_out: str, request_: PullRequest, tmp_path: Path) -> None:
    event = request_.event()
    if checked_out == "main":
        clone = request_.checkout(tmp_path / "clone", "main")
    else:
        clone = request_.checkout_merge(tmp_path / "clone")
        event["pull_request"]["head"]["sha"] = request_.old_base
    with pytest.raises(RevisionError, match=r"is checked out, and is neither .* or give `old`"):
        on_github(clone, event)


def test_a_merge_that_somebody_pushed_is_not_taken_for_the_hosts(tmp_path: Path) -> None:
    request = PullRequest(tmp_path)
    request.origin.git("checkout", "--quiet", "change")
    request.origin.git("merge", "--quiet", "--no-ff", "--message=Catch up", "main")
    request.head = request.origin.git("rev-parse", "HEAD")
    clone = request.checkout(tmp_path / "clone", "change")
    found = on_github(clone, request.event())
    assert (found.old, found.new) == (request.target, request.head)


# --- Other events of GitHub ---


def push(request: PullRequest, branch: str, before: str | None) -> dict[str, Any]:
    """What GitHub says of a push."""
    return {
        "ref": f"refs/heads/{branch}",
        "before": before,
        "repository": request.event()["repository"],
    }


def test_a_push_to_the_default_branch_is_compared_with_the_commit_before_it(
    request_: PullRequest, tmp_path: Path
) -> None:
    clone = request_.checkout(tmp_path / "clone", "main", depth=2)
    found = on_github(clone, push(request_, "main", request_.old_base))
    assert found == (request_.old_base, request_.target, "this push")


def test_without_a_commit_before_it_the_parent_is(request_: PullRequest, tmp_path: Path) -> None:
    clone = request_.checkout(tmp_path / "clone", "main", depth=2)
    for before in (None, ZEROS):
        found = on_github(clone, push(request_, "main", before))
        assert found == (request_.old_base, request_.target, "the last commit")
    dispatched = on_github(clone, {"repository": {"default_branch": "main"}}, "refs/heads/main")
    assert dispatched == found


def test_any_other_branch_is_compared_with_where_it_left(
    request_: PullRequest, tmp_path: Path
) -> None:
    clone = request_.checkout(tmp_path / "clone", "change")
    for before in (None, ZEROS, "1" * 40):  # a forced push leaves a commit that is nowhere
        found = on_github(clone, push(request_, "change", before))
        assert found == (request_.old_base, request_.head, "since main")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("commits", "depth", "forced", "advice"),
    [
        (1, 1, False, "`fetch-depth: 2`"),
        (3, 1, False, "`fetch-depth: 0`"),
        (3, 2, False, "`fetch-depth: 0`"),
        (0, 0, False, "a force push replaced it"),
        (0, 2, True, "a force push replaced it"),
        (0, 0, True, "a force push replaced it"),
    ],
)
def test_the_depth_that_is_advised_is_one_that_helps(
    commits: int, depth: int, forced: bool, advice: str, tmp_path: Path
) -> None:
    origin = GitRepository(tmp_path / "origin")
    ids = [origin.commit({"x": str(number)}) for number in range(5)]
    depths = [f"--depth={depth}"] * bool(depth)
    run_git(tmp_path, "clone", "--quiet", *depths, origin.folder.as_uri(), "clone")
    before = ids[-1 - commits] if commits else "1" * 40
    event = {"ref": "refs/heads/main", "before": before, "forced": forced}
    event |= {"repository": {"default_branch": "main"}}
    with pytest.raises(RevisionError) as refused:
        on_github(tmp_path / "clone", event)
    assert str(refused.value).startswith(f"commit {before[:12]} is not in this clone; ")
    assert advice in str(refused.value)
    with pytest.raises(RevisionError) as refused:
        on_gitlab(tmp_path / "clone", CI_COMMIT_BRANCH="main", CI_COMMIT_BEFORE_SHA=before)
    assert ('GIT_DEPTH: "0"' in str(refused.value)) == bool(depth)
    assert ("a force push replaced it" in str(refused.value)) == (not depth)


def test_a_first_commit_has_nothing_to_be_compared_with(
    request_: PullRequest, tmp_path: Path
) -> None:
    clone = request_.checkout(tmp_path / "clone", "main")
    run_git(clone, "checkout", "--quiet", request_.old_base)
    with pytest.raises(RevisionError, match="is the first; there is none"):
        on_github(clone, push(request_, "main", ZEROS))


@pytest.mark.parametrize(
    "event", [b"", b"[]", b'{"pull_request": {"number": "12"}}', b'{"before": "\xff"}']
)
def test_what_is_no_event_is_refused(event: bytes, tmp_path: Path) -> None:
    file = tmp_path / "event.json"
    file.write_bytes(event)
    with pytest.raises(SnapdiffError, match=r"event\.json: cannot be read as an event of GitHub: "):
        read_event(file)


# --- GitLab ---


def test_a_merge_request_is_compared_with_its_merge_base(
    request_: PullRequest, tmp_path: Path
) -> None:
    clone = request_.checkout(tmp_path / "clone", "change")
    found = on_gitlab(
        clone,
        CI_MERGE_REQUEST_IID="12",
        CI_MERGE_REQUEST_DIFF_BASE_SHA=request_.old_base,
        CI_MERGE_REQUEST_TARGET_BRANCH_SHA="",
        CI_MERGE_REQUEST_TARGET_BRANCH_NAME="main",
    )
    assert found == (request_.old_base, request_.head, "merge request 12 since main")


def test_merged_results_are_compared_with_what_they_were_merged_into(
    request_: PullRequest, tmp_path: Path
) -> None:
    clone = request_.checkout_merge(tmp_path / "clone")
    found = on_gitlab(
        clone,
        CI_MERGE_REQUEST_IID="12",
        CI_MERGE_REQUEST_DIFF_BASE_SHA=request_.old_base,
        CI_MERGE_REQUEST_TARGET_BRANCH_SHA=request_.target,
        CI_MERGE_REQUEST_TARGET_BRANCH_NAME="main",
    )
    assert found == (request_.target, request_.merge, "merge request 12 into main")


def test_a_clone_of_gitlab_that_is_too_shallow_is_refused(
    request_: PullRequest, tmp_path: Path
) -> None:
    clone = request_.checkout(tmp_path / "clone", "change", depth=1)
    with pytest.raises(RevisionError, match=r'is not in this clone; .*GIT_DEPTH: "0"'):
        on_gitlab(
            clone, CI_MERGE_REQUEST_IID="12", CI_MERGE_REQUEST_DIFF_BASE_SHA=request_.old_base
        )


def test_a_merge_request_whose_base_is_not_named_is_refused_in_words(
    request_: PullRequest, tmp_path: Path
) -> None:
    clone = request_.checkout(tmp_path / "clone", "change")
    with pytest.raises(RevisionError) as refused:
        on_gitlab(clone, CI_MERGE_REQUEST_IID="12")
    assert str(refused.value) == (
        "the pipeline does not say where merge request 12 began: "
        "CI_MERGE_REQUEST_DIFF_BASE_SHA is empty; give `old`"
    )


def test_a_branch_pipeline_compares_as_a_push_does(request_: PullRequest, tmp_path: Path) -> None:
    clone = request_.checkout(tmp_path / "clone", "main")
    found = on_gitlab(clone, CI_COMMIT_BRANCH="main", CI_COMMIT_BEFORE_SHA=request_.old_base)
    assert found == (request_.old_base, request_.target, "this push")
    branch = request_.checkout(tmp_path / "branch", "change")
    found = on_gitlab(branch, CI_COMMIT_BRANCH="change", CI_COMMIT_BEFORE_SHA=ZEROS)
    assert found == (request_.old_base, request_.head, "since main")


# --- A folder that is no clone ---


def test_a_folder_without_a_repository_or_a_commit_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RevisionError, match=f"^{tmp_path}: no git repository is here$"):
        Checkout(tmp_path, "", "")
    with pytest.raises(RevisionError, match=f"^{tmp_path}/gone: no git repository is here$"):
        Checkout(tmp_path / "gone", "", "")
    run_git(tmp_path, "init", "--quiet")
    with pytest.raises(
        RevisionError, match=f"^{tmp_path}: git says fatal: Needed a single revision$"
    ):
        Checkout(tmp_path, "", "")


@pytest.mark.parametrize(
    ("config", "reason"),
    [
        ("[core\n", "bad config line 1 in file .git/config"),
        ("[core]\nrepositoryformatversion = 9\n", "Expected git repo version <= 1, found 9"),
    ],
)
def test_what_git_cannot_read_is_told_as_git_tells_it(
    config: str, reason: str, tmp_path: Path
) -> None:
    GitRepository(tmp_path).commit({"file": b""})
    (tmp_path / ".git" / "config").write_text(config)
    with pytest.raises(RevisionError, match=f"^{tmp_path}: git says fatal: {reason}$"):
        Checkout(tmp_path, "", "")


def test_a_clone_with_the_longer_hashes_is_read_as_any_other(tmp_path: Path) -> None:
    run_git(tmp_path, "init", "--quiet", "--object-format=sha256")
    for subject in ("one", "two"):
        run_git(tmp_path, "commit", "--quiet", "--allow-empty", "-m", subject)
    checkout = Checkout(tmp_path, "", "")
    assert checkout.head == run_git(tmp_path, "rev-parse", "HEAD")
    assert checkout.parents == [run_git(tmp_path, "rev-parse", "HEAD^1")]
    event = {"ref": "refs/heads/main", "repository": {"default_branch": "main"}}
    assert on_github(tmp_path, event).old == checkout.parents[0]
