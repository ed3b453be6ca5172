"""The steps of the GitHub action (`action.yml`): compare, then post.

The gate comes last, as a step of its own, so that its offenders have been posted by then.
"""

import os
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

from snapdiff.ci.checkout import Checkout
from snapdiff.ci.comparison_run import CommandFailedError, compare, reports_in
from snapdiff.ci.foreign_comment import checked, pull_requests_of
from snapdiff.ci.github_event import commits_of_event
from snapdiff.ci.inputs import CommentMode, Inputs, read_inputs
from snapdiff.ci.posting_run import post, post_own
from snapdiff.ci.step_files import add_summary, set_outputs
from snapdiff.errors import SnapdiffError
from snapdiff.posting.github_event import WorkflowRun, read_event
from snapdiff.reports.annotations import error_command

FAILED = 2

_FOLDER = "SNAPDIFF_FOLDER"
"""The variable that names the folder for the files of this use of the action."""

_TOKEN = "SNAPDIFF_TOKEN"  # noqa: S105 -- the name of the variable that it is in


def compare_step(variables: Mapping[str, str], inputs: Inputs) -> None:
    """Compare; write the summary of the step and its outputs.

    Raises SnapdiffError where it is not clear what to compare, and CommandFailedError.
    """
    old, new = inputs.old, inputs.new or "HEAD"
    if not old:
        event = read_event(Path(variables["GITHUB_EVENT_PATH"]))
        checkout = Checkout(Path(inputs.directory))
        commits = commits_of_event(event, checkout, variables.get("GITHUB_REF", ""))
        old, new = commits.old, commits.new
        _log(f"comparing {old} with {new}: {commits.reason}")
    run = "{GITHUB_SERVER_URL}/{GITHUB_REPOSITORY}/actions/runs/{GITHUB_RUN_ID}"
    options = [f"--report-url={run.format_map(variables)}", "--annotations=github"]
    found = compare(old, new, inputs, Path(variables[_FOLDER]), options)
    reports = found.reports
    add_summary(Path(variables["GITHUB_STEP_SUMMARY"]), reports.comment.read_text(encoding="utf-8"))
    outputs = {
        "changed": "true" if found.has_changes else "false",
        **{kind.value: str(number) for kind, number in found.packages.items()},
        "gate": "failed" if found.gate_failed else "passed",
        "json": str(reports.json),
        "html": str(reports.html),
        "comment": str(reports.comment),
    }
    set_outputs(Path(variables["GITHUB_OUTPUT"]), outputs)


def post_step(variables: Mapping[str, str], inputs: Inputs) -> None:
    """Post the comment where it is wanted; the output is its address, or nothing.

    Raises SnapdiffError where it is wanted and there is nowhere to post it.
    """
    event = read_event(Path(variables["GITHUB_EVENT_PATH"]))
    if event.workflow_run:
        url = _post_foreign(event.workflow_run, variables, inputs)
    elif event.pull_request or (event.number and inputs.comment is not CommentMode.AUTO):
        url = post_own(reports_in(Path(variables[_FOLDER])).comment, inputs, _TOKEN)
    elif inputs.comment is CommentMode.REQUIRED:
        name = variables.get("GITHUB_EVENT_NAME", "this event")
        raise SnapdiffError(f"comment: is required, and {name} has no pull request")
    else:
        _log("no pull request, so no comment")
        return
    set_outputs(Path(variables["GITHUB_OUTPUT"]), {"comment-url": url})


def _post_foreign(run: WorkflowRun, variables: Mapping[str, str], inputs: Inputs) -> str:
    comment = checked(reports_in(Path(variables[_FOLDER]) / "foreign").comment)
    if comment is None:
        _log("the run has left no comment")
        return ""
    numbers = pull_requests_of(run, variables, variables[_TOKEN])
    if not numbers:
        _log("no open pull request has the commit of the run any more")
        return ""
    if len(numbers) > 1:
        # Each is compared with a target of its own, so the comment is right for one of them alone.
        named = ", ".join(f"#{number}" for number in numbers)
        _log(
            f"{named} have the commit of the run, and GitHub does not say which it was for;"
            " so no comment"
        )
        return ""
    marker = [f"--marker={inputs.marker}"] if inputs.marker else []
    return post(comment, inputs, _TOKEN, [f"--number={numbers[0]}", *marker])


def _log(message: str) -> None:
    print(message, flush=True)  # noqa: T201 -- a step's log is its standard output


STEPS: dict[str, Callable[[Mapping[str, str], Inputs], None]] = {
    "compare": compare_step,
    "post": post_step,
}


def main() -> int:
    """Run the step that the first argument names; return its exit status."""
    try:
        STEPS[sys.argv[1]](os.environ, read_inputs(os.environ))
    except SnapdiffError as error:
        for line in error.lines():
            _log(error_command(line))
        return FAILED
    except OSError as error:  # a full disk
        _log(error_command(f"{error.filename}: {error.strerror}"))
        return FAILED
    except CommandFailedError:  # it has said why
        return FAILED
    return 0


if __name__ == "__main__":
    sys.exit(main())
