"""What both do: compare once, post a comment, and say what went wrong, as the commands do it."""

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from snapdiff.ci.inputs import CommentMode, Inputs
from snapdiff.cli.console import error_lines
from snapdiff.cli.diff_command import diff
from snapdiff.cli.diff_run import DiffOptions, run_diff
from snapdiff.cli.post_command import post_comment, wanted_comment
from snapdiff.errors import RevisionError
from snapdiff.posting.target import find_target
from snapdiff.reports.package_counts import count_table
from snapdiff.result import Kind

FAILED = 2


class Reports(NamedTuple):
    """The files of one run."""

    json: Path
    html: Path
    comment: Path


class Comparison(NamedTuple):
    """What a run found: numbers of packages by kind, as the reports count them.

    `has_changes` also where the reports are narrowed to other kinds than the gate found.
    """

    reports: Reports
    has_changes: bool
    packages: dict[Kind, int]
    gate_failed: bool


def reports_in(folder: Path) -> Reports:
    """Return where the files of a run are."""
    return Reports(folder / "report.json", folder / "report.html", folder / "comment.md")


def compare(
    old: str, new: str, inputs: Inputs, folder: Path, options: Sequence[str] = ()
) -> Comparison:
    """Compare two revisions once; write the JSON, the HTML report and the comment to a folder.

    A side without a catalog is an empty one: a pull request may bring the first page, or remove the
    last. Raises SnapdiffError, also where neither side has one, and click's UsageError.
    """
    reports = reports_in(folder)
    words = [
        f"--repo={inputs.directory}",
        "--allow-empty",
        "--format=json",
        f"--output={reports.json}",
        f"--also=html={reports.html}",
        f"--also=comment={reports.comment}",
        *options,
        *inputs.options(),
    ]
    with diff.make_context("diff", words) as context:
        context.params.pop("revisions")
        found = run_diff((old, new), DiffOptions(**context.params))
    sides = (found.old, found.new)
    if found.diff.is_empty() and not any(True for side in sides for _ in side.packages()):
        names = " nor ".join(side.source.name for side in sides)
        raise RevisionError(
            f"neither {names} has a page, a lock or an index; `repo` is the folder of the clone"
        )
    by_kind = count_table(found.diff).total.by_kind
    return Comparison(
        reports=reports,
        has_changes=bool(found.offenders) or not found.diff.is_empty(),
        packages={kind: by_kind.get(kind, 0) for kind in Kind},
        gate_failed=bool(found.offenders),
    )


def post(
    comment: Path,
    inputs: Inputs,
    variables: Mapping[str, str],
    *,
    token_from: str,
    marker: str | None,
    number: int | None = None,
) -> str:
    """Post a comment, or edit the one that is there; return its address.

    `token_from` is the variable that the token is in; without a `number` the variables name the
    request. The address is empty where there is no comment in the end: nothing changed, or the
    token only reads. Raises SnapdiffError.
    """
    return post_comment(
        wanted_comment(str(comment), marker=marker, delete_if_empty=False),
        find_target(variables, number=number),
        variables,
        token_from=token_from,
        required=inputs.comment is CommentMode.REQUIRED,
    )


def exit_status(job: Callable[[Mapping[str, str]], int], say_error: Callable[[str], None]) -> int:
    """Run a job with the process's variables; return its exit status.

    Each fault is one line, also where it is ours.
    """
    try:
        return job(os.environ)
    except Exception as error:  # noqa: BLE001 -- a log that nobody asked for has no traceback
        for line in error_lines(error):
            say_error(line)
    return FAILED


def log(message: str) -> None:
    """Print a line to the log of the job, which is its standard output."""
    print(message, flush=True)  # noqa: T201
