"""The job of the GitLab component: compare, write a note where there is a token, then the gate."""

import sys
from collections.abc import Mapping
from functools import partial
from pathlib import Path

from snapdiff.ci.runs import (
    Checkout,
    CommentMode,
    Inputs,
    OlderCommit,
    compare,
    exit_status,
    is_commit,
    log,
    older_commit_of_branch,
    post,
    read_inputs,
    reports_in,
)
from snapdiff.errors import RevisionError, SnapdiffError
from snapdiff.output.signals import end_on_signals
from snapdiff.safe_text import visible

FOLDER = Path("snapdiff-report")
"""Where the job leaves its files: GitLab wants to know the paths before it starts the job."""

_FINDINGS = FOLDER / "gl-code-quality-report.json"

GATE_FAILED = 1


def run_job(variables: Mapping[str, str], inputs: Inputs) -> int:
    """Compare, write a note and return the exit status: the gate's, once all is posted.

    Raises SnapdiffError, also where it is not clear what to compare, and click's UsageError.
    """
    _make_room()
    options = [f"--annotations=gitlab={_FINDINGS}"]
    if job := variables.get("CI_JOB_URL"):
        options.append(f"--report-url={job}/artifacts/file/{FOLDER / 'report.html'}")
    reports = reports_in(FOLDER)
    found = compare(inputs, partial(older_commit_of_pipeline, variables), reports, *options)
    if _is_wanted(variables, inputs):
        url = post(reports.comment, inputs, variables, _token_variable(variables))
        log(f"the note is {url}" if url else "there is no note")
    if found.offenders:
        log("the gate has failed")
    return GATE_FAILED if found.offenders else 0


def _make_room() -> None:
    """Make the folder, and remove what has the names of the job's files in it.

    It is in the checkout, so a merge request can have committed it, or symbolic links in it: what
    is written through these would land anywhere on the runner. Raises SnapdiffError where it is no
    folder.
    """
    if FOLDER.is_symlink() or (FOLDER.exists() and not FOLDER.is_dir()):
        raise SnapdiffError(f"{FOLDER}: is to be a folder, and is something else in the checkout")
    try:
        FOLDER.mkdir(exist_ok=True)
        for file in (*reports_in(FOLDER), _FINDINGS):
            file.unlink(missing_ok=True)
    except OSError as error:
        raise SnapdiffError(f"{error.filename}: cannot be written: {error.strerror}") from error


def _is_wanted(variables: Mapping[str, str], inputs: Inputs) -> bool:
    """Return whether to write a note; raises SnapdiffError where it is wanted and cannot be."""
    mode = inputs.comment
    if mode is CommentMode.NEVER:
        return False
    if not variables.get("CI_MERGE_REQUEST_IID"):
        if mode is CommentMode.REQUIRED:
            raise SnapdiffError("comment: is required, and the pipeline is of no merge request")
        return False
    if not variables.get(_token_variable(variables)) and mode is not CommentMode.REQUIRED:
        log("no token, so no note")
        return False
    return True


def _token_variable(variables: Mapping[str, str]) -> str:
    return variables.get("SNAPDIFF_TOKEN_VARIABLE") or "GITLAB_TOKEN"


# --- Which commits a pipeline is about ---

_MORE_COMMITS = 'give the job the variable GIT_DEPTH: "0"'


def older_commit_of_pipeline(variables: Mapping[str, str], checkout: Checkout) -> OlderCommit:
    """Return the commits that a pipeline is about; raises RevisionError where there are too few."""
    number = variables.get("CI_MERGE_REQUEST_IID")
    if not number:
        return older_commit_of_branch(
            checkout,
            branch=variables.get("CI_COMMIT_BRANCH", ""),
            default_branch=variables.get("CI_DEFAULT_BRANCH", ""),
            before=variables.get("CI_COMMIT_BEFORE_SHA", ""),
            one_more=_MORE_COMMITS,
            all_of_them=_MORE_COMMITS,
        )
    # Merged results and merge trains check out what the merge would give, by whatever method the
    # project merges, and name the commit it was made with. Other pipelines leave that empty.
    merged_with = variables.get("CI_MERGE_REQUEST_TARGET_BRANCH_SHA", "")
    base = variables.get("CI_MERGE_REQUEST_DIFF_BASE_SHA", "")
    old, since = (merged_with, "into") if is_commit(merged_with) else (base, "since")
    if not is_commit(old):
        raise RevisionError(
            f"the pipeline does not say where merge request {number} began: "
            "CI_MERGE_REQUEST_DIFF_BASE_SHA is empty; give `old`"
        )
    target = variables.get("CI_MERGE_REQUEST_TARGET_BRANCH_NAME", "its target branch")
    reason = f"merge request {number} {since} {target}"
    return OlderCommit(checkout.require(old, _MORE_COMMITS), reason)


def main() -> int:
    """Run the job; return its exit status."""
    return exit_status(
        lambda variables: run_job(variables, read_inputs(variables)),
        lambda line: log(f"snapdiff: error: {visible(line)}"),
    )


if __name__ == "__main__":
    end_on_signals()
    sys.exit(main())
