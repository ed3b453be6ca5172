"""What the action and the component share: their inputs, one comparison, one comment, one exit."""

import os
from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from pathlib import Path
from typing import NamedTuple

from msgspec import Struct

from snapdiff.ci.commits import HEAD, Checkout, ComparedCommits
from snapdiff.cli.console import error_lines
from snapdiff.cli.diff_command import diff
from snapdiff.cli.diff_run import DiffOptions, run_diff
from snapdiff.cli.post_command import post_comment, wanted_comment
from snapdiff.errors import RevisionError, SnapdiffError
from snapdiff.posting.target import find_target
from snapdiff.reports import marker_of
from snapdiff.reports.package_counts import count_table
from snapdiff.result import Kind
from snapdiff.sources.names import AS_A_REVISION

FAILED = 2

_PREFIX = "SNAPDIFF_"


class CommentMode(StrEnum):
    """When a pull or merge request gets a comment."""

    AUTO = "auto"
    ALWAYS = "always"
    NEVER = "never"
    REQUIRED = "required"


class Inputs(Struct, frozen=True, kw_only=True):
    """What somebody asked for; every input may be empty.

    `old` and `new` are revisions, `repo` is the folder of the clone. `tags`, `stacks`, `packages`,
    `kinds` and `fail_on` are the options of these names, with commas or a line for each.
    """

    old: str = ""
    new: str = ""
    repo: str = ""
    tags: str = ""
    stacks: str = ""
    packages: str = ""
    kinds: str = ""
    fail_on: str = ""
    config: str = ""
    comment: CommentMode = CommentMode.AUTO
    marker: str = ""

    @property
    def directory(self) -> str:
        """Where the clone is."""
        return self.repo or os.curdir

    def options(self) -> list[str]:
        """Return the options of `snapdiff diff` that the inputs mean."""
        given = {
            "tag": self.tags,
            "stack": self.stacks,
            "package": self.packages,
            "kind": self.kinds,
            "fail-on": self.fail_on,
            "config": self.config,
            "marker": self.marker,
        }
        # A name and its value are one argument: a value that begins with a dash is no option.
        return [
            f"--{name}={line.strip()}"
            for name, text in given.items()
            for line in text.splitlines()
            if line.strip()
        ]


def read_inputs(variables: Mapping[str, str]) -> Inputs:
    """Return the inputs from the variables SNAPDIFF_OLD, SNAPDIFF_NEW and so on.

    Raises SnapdiffError where `comment` is no mode, or `new` is given alone.
    """
    values = {
        name: variables.get(_PREFIX + name.upper(), "").strip() for name in Inputs.__struct_fields__
    }
    mode = values.pop("comment") or CommentMode.AUTO
    if mode not in list(CommentMode):
        raise SnapdiffError(f"comment: {mode!r} is not known; there are {', '.join(CommentMode)}")
    if values["new"] and not values["old"]:
        raise SnapdiffError(f"new: {values['new']} is given without old; give both, or neither")
    return Inputs(comment=CommentMode(mode), **values)


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
    inputs: Inputs,
    commits_of: Callable[[Checkout], ComparedCommits],
    folder: Path,
    options: Sequence[str],
) -> Comparison:
    """Compare two revisions once; write the JSON, the HTML report and the comment to a folder.

    Where the inputs do not name the older one, `commits_of` says which. A side without a catalog is
    an empty one: a pull request may bring the first page, or remove the last. Raises SnapdiffError,
    also where neither side has one, and click's UsageError.
    """
    old, new = inputs.old, inputs.new or f"{HEAD}{AS_A_REVISION}"
    if not old:
        commits = commits_of(Checkout(Path(inputs.directory)))
        old = f"{commits.old}{AS_A_REVISION}"
        log(f"comparing {commits.old} with {commits.new}: {commits.reason}")
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
    if foreign is None:
        marker = marker_of(comment.read_text(encoding="utf-8"))
    else:
        marker = inputs.marker or None
    return post_comment(
        wanted_comment(str(comment), marker=marker, delete_if_empty=False),
        find_target(variables, number=foreign),
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
