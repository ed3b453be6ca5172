"""The steps of the GitHub action (`action.yml`): ask, compare, then post.

The gate comes last, as a step of its own, so that its offenders have been posted by then. Every
fault is a SnapdiffError, or click's UsageError, and becomes an annotation.
"""

import sys
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

import msgspec

from snapdiff.ci import runs
from snapdiff.ci.runs import LOG_ID, Checkout, Inputs, OlderCommit
from snapdiff.errors import PostError, RevisionError, SnapdiffError
from snapdiff.output.signals import end_on_signals
from snapdiff.output.whole_files import errors_named
from snapdiff.posting.rest import RestInterface
from snapdiff.posting.target import (
    GitHubEvent,
    PullRequest,
    Variables,
    WorkflowRun,
    find_target,
    find_token,
    read_event,
)
from snapdiff.reports.annotations import error_command
from snapdiff.result.changes import CatalogDiff
from snapdiff.result.packages import Kind

_FOLDER = "SNAPDIFF_FOLDER"
"""The variable that names the folder for the files of this use of the action."""

_EVENT = "event-with-pull-request.json"
"""The file in it with the event of a comment, and what GitHub said of its pull request."""

_TOKEN = "SNAPDIFF_TOKEN"  # noqa: S105 -- the name of the variable that it is in


def ask_step(variables: Variables, _inputs: Inputs) -> None:
    """Ask GitHub for the pull request that a comment is on; keep the event that has it, too.

    The event has its number alone, and the default branch is checked out unless somebody took care:
    the last commit there is not what the pull request changes.
    """
    event = read_event(variables["GITHUB_EVENT_PATH"])
    if not event.number:
        return  # an issue
    target = find_target(variables, host="github", number=event.number)
    try:
        token = find_token("github", target.place, _TOKEN, variables)
        rest = RestInterface("github", target.api_url, target.place, token)
        path = f"/repos/{target.repository}/pulls/{event.number}"
        event.pull_request = rest.ask("GET", path, PullRequest)
    except PostError as error:
        message = "the job takes pull-requests: read, or give `old`"
        raise SnapdiffError(f"{error}; {message}") from error
    Path(variables[_FOLDER], _EVENT).write_bytes(msgspec.json.encode(event))


def compare_step(variables: Variables, inputs: Inputs) -> None:
    """Compare; write the summary of the step and its outputs."""
    folder = Path(variables[_FOLDER])
    asked_for = folder / _EVENT

    def older_of(clone: Path) -> OlderCommit:
        event = read_event(asked_for if asked_for.exists() else variables["GITHUB_EVENT_PATH"])
        return older_commit_of_event(event, clone, variables.get("GITHUB_REF", ""))

    run = "{GITHUB_SERVER_URL}/{GITHUB_REPOSITORY}/actions/runs/{GITHUB_RUN_ID}"
    options = [f"--report-url={run.format_map(variables)}", "--annotations=github"]
    found = runs.compare(inputs, older_of, folder, *options)
    by_kind = _packages_by_kind(found.diff)
    gate_failed = bool(found.offenders)
    comment = folder / runs.COMMENT
    # GitHub shows nothing of a summary over 1 MiB; a comment has 60,000 characters at the most.
    _add(Path(variables["GITHUB_STEP_SUMMARY"]), comment.read_bytes())
    outputs = {
        # The reports may be narrowed to other kinds than the gate found.
        "changed": "true" if gate_failed or not found.diff.is_empty() else "false",
        **{kind.value: str(by_kind[kind]) for kind in Kind},
        "gate": "failed" if gate_failed else "passed",
        "json": str(folder / runs.JSON),
        "html": str(folder / runs.HTML),
        "comment": str(comment),
    }
    set_outputs(Path(variables["GITHUB_OUTPUT"]), outputs)


def _packages_by_kind(diff: CatalogDiff) -> Counter[Kind]:
    """Return how many packages each kind of change happened to, counted in each of their stacks."""
    found: Counter[Kind] = Counter()
    for tag in diff.tags:
        for stack in tag.stacks:
            if tag.status == "changed":
                found.update(change.kind for change in stack.package_changes)
            else:
                found[Kind(tag.status)] += stack.packages.old + stack.packages.new
    return found


def post_step(variables: Variables, inputs: Inputs) -> None:
    """Post the comment where it is wanted; the output is its address, or nothing."""
    event = read_event(variables["GITHUB_EVENT_PATH"])
    if event.workflow_run:
        url = _post_foreign(event.workflow_run, variables, inputs)
    elif event.pull_request or (event.number and inputs.comment != "auto"):
        url = runs.post(Path(variables[_FOLDER], runs.COMMENT), inputs, variables, _TOKEN)
    elif inputs.comment == "required":
        name = variables.get("GITHUB_EVENT_NAME", "this event")
        raise SnapdiffError(f"comment: is required, and {name} has no pull request")
    else:
        runs.log("no pull request, so no comment")
        return
    set_outputs(Path(variables["GITHUB_OUTPUT"]), {"comment-url": url})


# --- A comment that another workflow's run has made: on a pull request from a fork, say ---


def _post_foreign(run: WorkflowRun, variables: Variables, inputs: Inputs) -> str:
    """Post the comment of another run; return its address, or nothing where there is none.

    That run has no token that writes, and its workflow may be the stranger's own. So the comment is
    a stranger's text, and which pull request it is for is asked of GitHub, never read from it.
    """
    comment = Path(variables[_FOLDER], "foreign", runs.COMMENT)
    if comment.is_symlink() or (comment.exists() and not comment.is_file()):
        raise SnapdiffError(f"{comment}: is not a regular file")
    if not comment.exists():  # it was cancelled
        runs.log("the run has left no comment")
        return ""
    found = _pull_requests_of(run, variables)
    if len(found) != 1:
        # Each is compared with a target of its own, so the comment is right for one of them alone.
        named = ", ".join(f"#{item.number}" for item in found) or "no open pull request"
        runs.log(f"no comment: the commit of the run is that of {named}")
        return ""
    return runs.post(comment, inputs, variables, _TOKEN, foreign=found[0].number)


def _pull_requests_of(run: WorkflowRun, variables: Variables) -> list[PullRequest]:
    """Return the open pull requests whose head another run was for.

    GitHub says which branch of which repository that was, and which commit; of pull requests into
    several branches it does not say which. There are none where the branch has got another commit
    since: then another run is on its way.
    """
    if not run.head_branch or not run.head_repository:
        return []  # the fork was deleted
    repository = variables["GITHUB_REPOSITORY"]
    owner = run.head_repository.full_name.partition("/")[0]
    head = f"{owner}:{run.head_branch}"
    place = f"{repository} {head}"
    token = find_token("github", place, _TOKEN, variables)
    rest = RestInterface("github", variables["GITHUB_API_URL"], place, token)
    query = {"state": "open", "head": head, "per_page": "100"}
    listed = rest.pages(f"/repos/{repository}/pulls", PullRequest, query)
    return [item for item in listed if item.head.sha == run.head_sha]


# --- Which commits an event is about ---

_DEPTH = "give actions/checkout `fetch-depth: {}`".format


def older_commit_of_event(event: GitHubEvent, clone: Path, ref: str) -> OlderCommit:
    """Return the commit that an event compares; `ref` is the workflow's own (GITHUB_REF).

    Raises SnapdiffError where the event does not say it, and where the clone does not have it.
    """
    if event.number and not event.pull_request:
        message = f"the event does not say which commits pull request {event.number} has"
        raise SnapdiffError(f"{message}; the step `ask` has to be before this, or give `old`")
    # The next group may have several pull requests, and so more commits.
    checkout = Checkout(clone, _DEPTH(0 if event.merge_group else 2), _DEPTH(0))
    if event.pull_request:
        return _older_commit_of_pull_request(event.pull_request, checkout)
    if event.merge_group:
        base = checkout.require(event.merge_group.base_sha)
        return OlderCommit(base, "the merge queue's commit and its base")
    return runs.older_commit_of_branch(
        checkout,
        (event.ref or ref).removeprefix("refs/heads/"),
        event.repository.default_branch,
        event.before or "",
        is_replaced=event.forced,
    )


def _older_commit_of_pull_request(pull_request: PullRequest, checkout: Checkout) -> OlderCommit:
    number, head = pull_request.number, pull_request.head.sha
    if checkout.head == head:
        _require_no_fork(pull_request, checkout)
        base = checkout.merge_base(pull_request.base.ref)
        if base == head:
            # In a clone of a fork by another name; a gate would pass everything.
            raise RevisionError(
                f"{head[:LOG_ID]}: the head of pull request {number} is in "
                f"{pull_request.base.ref} of this clone already; check out the repository that it "
                "is to be merged into, or give `old`"
            )
        reason = f"pull request {number} since {pull_request.base.ref}"
        return OlderCommit(checkout.require(base), reason)
    if len(checkout.parents) != 2 or checkout.parents[1] != head:
        raise RevisionError(
            f"{checkout.head[:LOG_ID]}: is checked out, and is neither {head[:LOG_ID]}, the head "
            f"of pull request {number}, nor a merge commit of it; check out one of these, or give "
            "`old`"
        )
    checkout.require(checkout.parents[0])
    reason = f"the merge commit of pull request {number} and its first parent"
    return OlderCommit(runs.FIRST_PARENT, reason)


def _require_no_fork(pull_request: PullRequest, checkout: Checkout) -> None:
    """Raise an error where the clone is one of the fork that a pull request is from.

    There the target's branch is the fork's own: where it is behind, what others merged would count
    as a change; where it is ahead, a change would be missing.
    """
    fork, target = pull_request.head.repo, pull_request.base.repo
    if not fork or not target or fork.full_name == target.full_name:
        return
    address = checkout.origin().rstrip("/").removesuffix(".git").replace(":", "/")
    if "/".join(address.split("/")[-2:]).lower() == fork.full_name.lower():
        raise RevisionError(
            f"this is a clone of {fork.full_name}, and pull request {pull_request.number} is not "
            f"for its {pull_request.base.ref}; check out {target.full_name}, or give `old`"
        )


# --- The files through which a step hands over what it found ---


def set_outputs(file: Path, outputs: Mapping[str, str]) -> None:
    """Give a step its outputs; raises SnapdiffError, also for a value that is not one line."""
    # With a line break in it a value could set an output of another name.
    for name, value in outputs.items():
        if len(value.splitlines()) > 1 or value.endswith(("\n", "\r")):
            raise SnapdiffError(f"output {name}: {value!r} is more than one line")
    _add(file, "".join(f"{name}={value}\n" for name, value in outputs.items()).encode("utf-8"))


def _add(file: Path, content: bytes) -> None:
    with errors_named(file), file.open("ab") as opened:
        opened.write(content)


def main() -> int:
    """Run the step that the first argument names; return its exit status."""
    steps = {"ask": ask_step, "compare": compare_step, "post": post_step}
    return runs.exit_status(steps[sys.argv[1]], error_command)


if __name__ == "__main__":
    end_on_signals()
    sys.exit(main())
