"""What the action and the component share: their inputs, one comparison, one comment, one exit."""

import os
from collections.abc import Callable, Mapping
from enum import StrEnum
from pathlib import Path
from typing import NamedTuple

from snapdiff.ci.commits import HEAD, Checkout, OlderCommit
from snapdiff.cli.console import error_lines
from snapdiff.cli.diff_command import diff
from snapdiff.cli.diff_run import Outcome, run_diff
from snapdiff.cli.given_options import GivenOptions
from snapdiff.cli.post_command import post_comment
from snapdiff.errors import RevisionError, SnapdiffError
from snapdiff.reports import marker_of
from snapdiff.sources.names import AS_A_REVISION

FAILED = 2

_PREFIX = "SNAPDIFF_"

_OPTIONS = {
    "TAGS": "tag",
    "STACKS": "stack",
    "PACKAGES": "package",
    "KINDS": "kind",
    "FAIL_ON": "fail-on",
    "CONFIG": "config",
    "MARKER": "marker",
}
"""The inputs that are options of `snapdiff diff`; each may have several lines, an option a line."""


class CommentMode(StrEnum):
    """When a pull or merge request gets a comment."""

    AUTO = "auto"
    ALWAYS = "always"
    NEVER = "never"
    REQUIRED = "required"


class Inputs(NamedTuple):
    """What somebody asked for: revisions (empty for those of the event), the folder of the clone.

    `options` are those of `snapdiff diff`; the `marker` is among them.
    """

    old: str
    new: str
    repo: str
    comment: CommentMode
    marker: str | None
    options: tuple[str, ...]


def read_inputs(variables: Mapping[str, str]) -> Inputs:
    """Return the inputs from the variables SNAPDIFF_OLD, SNAPDIFF_NEW and so on.

    Raises SnapdiffError where `comment` is no mode, or `new` is given alone.
    """

    def given(name: str) -> str:
        return variables.get(f"{_PREFIX}{name}", "").strip()

    mode = given("COMMENT") or CommentMode.AUTO
    if mode not in list(CommentMode):
        raise SnapdiffError(f"comment: {mode!r} is not known; there are {', '.join(CommentMode)}")
    if given("NEW") and not given("OLD"):
        raise SnapdiffError(f"new: {given('NEW')} is given without old; give both, or neither")
    return Inputs(
        old=given("OLD"),
        new=given("NEW"),
        repo=given("REPO") or os.curdir,
        comment=CommentMode(mode),
        marker=given("MARKER") or None,
        # A name and its value are one argument: a value that begins with a dash is no option.
        options=tuple(
            f"--{option}={line.strip()}"
            for name, option in _OPTIONS.items()
            for line in given(name).splitlines()
            if line.strip()
        ),
    )


class Reports(NamedTuple):
    """The files of one run."""

    json: Path
    html: Path
    comment: Path


def reports_in(folder: Path) -> Reports:
    """Return where the files of a run are."""
    return Reports(folder / "report.json", folder / "report.html", folder / "comment.md")


def compare(
    inputs: Inputs,
    older_of: Callable[[Checkout], OlderCommit],
    reports: Reports,
    *options: str,
) -> Outcome:
    """Compare two revisions once; write the JSON, the HTML report and the comment.

    Where the inputs do not name the older one, `older_of` says which. A side without a catalog is
    an empty one: a pull request may bring the first page, or remove the last. Raises SnapdiffError,
    also where neither side has one, and click's UsageError.
    """
    old, new = inputs.old, inputs.new or f"{HEAD}{AS_A_REVISION}"
    if not old:
        older = older_of(Checkout(Path(inputs.repo)))
        old = f"{older.name}{AS_A_REVISION}"
        log(f"comparing {older.name} with {HEAD}: {older.reason}")
    words = [
        f"--repo={inputs.repo}",
        "--allow-empty",
        "--format=json",
        f"--output={reports.json}",
        f"--also=html={reports.html}",
        f"--also=comment={reports.comment}",
        *options,
        *inputs.options,
    ]
    with diff.make_context("diff", words) as context:
        context.params.pop("revisions")
        found = run_diff((old, new), GivenOptions(**context.params))
    sides = (found.old, found.new)
    if found.diff.is_empty() and not any(True for side in sides for _ in side.packages()):
        names = " nor ".join(side.source.name for side in sides)
        raise RevisionError(
            f"neither {names} has a page, a lock or an index; `repo` is the folder of the clone"
        )
    return found


def post(
    comment: Path,
    inputs: Inputs,
    variables: Mapping[str, str],
    token_from: str,
    *,
    foreign: int | None = None,
) -> str:
    """Post a comment as `post` does, or edit the one that is there; return its address.

    `token_from` is the variable that the token is in. The comment of this run goes to the request
    that the variables name, under its own marker: the catalog's configuration can have chosen that.
    One that is `foreign` goes to the request of that number, under no marker but that of the
    inputs. The address is empty where there is no comment in the end: nothing changed, or the token
    only reads. Raises SnapdiffError.
    """
    own = None if foreign else marker_of(comment.read_text(encoding="utf-8"))
    return post_comment(
        str(comment),
        variables,
        marker=inputs.marker if foreign else own,
        number=foreign,
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
