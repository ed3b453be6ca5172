"""The job of the GitLab component: compare, write a note where there is a token, then the gate."""

import sys
from functools import partial
from pathlib import Path

from snapdiff.ci import runs
from snapdiff.ci.runs import Checkout, Inputs, OlderCommit
from snapdiff.cli.diff_command import CODE_QUALITY_FILE
from snapdiff.errors import RevisionError, SnapdiffError
from snapdiff.output.signals import end_on_signals
from snapdiff.output.whole_files import errors_named
from snapdiff.posting.target import Variables
from snapdiff.safe_text import visible

FOLDER = Path("snapdiff-report")
"""Where the job leaves its files: GitLab wants to know the paths before it starts the job."""

_FINDINGS = FOLDER / CODE_QUALITY_FILE


def run_job(variables: Variables, inputs: Inputs) -> int:
    """Compare, write a note and return the exit status: the gate's, once all is posted."""
    _make_room()
    options = [f"--annotations=gitlab={_FINDINGS}"]
    if job := variables.get("CI_JOB_URL"):
        options.append(f"--report-url={job}/artifacts/file/{FOLDER / runs.HTML}")
    found = runs.compare(inputs, partial(older_commit_of_pipeline, variables), FOLDER, *options)
    token_variable = variables.get("SNAPDIFF_TOKEN_VARIABLE") or "GITLAB_TOKEN"
    is_merge_request = bool(variables.get("CI_MERGE_REQUEST_IID"))
    if inputs.comment == "required" and not is_merge_request:
        raise SnapdiffError("comment: is required, and the pipeline is of no merge request")
    if inputs.comment != "never" and is_merge_request:
        if variables.get(token_variable) or inputs.comment == "required":
            url = runs.post(FOLDER / runs.COMMENT, inputs, variables, token_variable)
            runs.log(f"the note is {url}" if url else "there is no note")
        else:
            runs.log("no token, so no note")
    if found.offenders:
        runs.log("the gate has failed")
    return int(bool(found.offenders))


def _make_room() -> None:
    """Make the folder, and remove what has the names of the job's files in it.

    It is in the checkout, so a merge request can have committed it, or symbolic links in it: what
    is written through these would land anywhere on the runner.
    """
    if FOLDER.is_symlink() or (FOLDER.exists() and not FOLDER.is_dir()):
        raise SnapdiffError(f"{FOLDER}: is to be a folder, and is something else in the checkout")
    with errors_named(FOLDER):
        FOLDER.mkdir(exist_ok=True)
    for file in (*(FOLDER / name for name in runs.REPORTS), _FINDINGS):
        with errors_named(file):
            file.unlink(missing_ok=True)


# --- Which commits a pipeline is about ---

_MORE_COMMITS = 'give the job the variable GIT_DEPTH: "0"'


def older_commit_of_pipeline(variables: Variables, clone: Path) -> OlderCommit:
    """Return the commits that a pipeline is about; raises RevisionError where there are too few."""
    checkout = Checkout(clone, _MORE_COMMITS, _MORE_COMMITS)
    number = variables.get("CI_MERGE_REQUEST_IID")
    if not number:
        names = ("CI_COMMIT_BRANCH", "CI_DEFAULT_BRANCH", "CI_COMMIT_BEFORE_SHA")
        return runs.older_commit_of_branch(checkout, *(variables.get(name, "") for name in names))
    # Merged results and merge trains check out what the merge would give, by whatever method the
    # project merges, and name the commit it was made with. Other pipelines leave that empty.
    merged_with = variables.get("CI_MERGE_REQUEST_TARGET_BRANCH_SHA", "")
    base = variables.get("CI_MERGE_REQUEST_DIFF_BASE_SHA", "")
    old, since = (merged_with, "into") if runs.is_commit(merged_with) else (base, "since")
    if not runs.is_commit(old):
        raise RevisionError(
            f"the pipeline does not say where merge request {number} began: "
            "CI_MERGE_REQUEST_DIFF_BASE_SHA is empty; give `old`"
        )
    target = variables.get("CI_MERGE_REQUEST_TARGET_BRANCH_NAME", "its target branch")
    reason = f"merge request {number} {since} {target}"
    return OlderCommit(checkout.require(old), reason)


def main() -> int:
    """Run the job; return its exit status."""
    return runs.exit_status(run_job, lambda line: f"snapdiff: error: {visible(line)}")


if __name__ == "__main__":
    end_on_signals()
    sys.exit(main())
