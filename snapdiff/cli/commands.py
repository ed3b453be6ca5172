"""The command: arguments, the output file, exit statuses (specification, section 8)."""

import gc
import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click

from snapdiff import __version__
from snapdiff.cli.console import say
from snapdiff.cli.options import CommonOptions, narrowing, pages
from snapdiff.errors import SnapdiffError

if TYPE_CHECKING:
    from snapdiff.cli.output import ReportWriter
    from snapdiff.result import Kind

DONE, FOUND, FAILED, INTERRUPTED = 0, 1, 2, 130

DEFAULT_COMMAND = "diff"

_LATE = {
    "changelog": "snapdiff.cli.changelog_command",
    "snapshot": "snapdiff.cli.snapshot_command",
}
"""The commands that are imported when they are asked for, and the modules they are in."""


class _Commands(click.Group):
    """A group with a default command: `snapdiff OLD NEW` is `snapdiff diff OLD NEW`."""

    def parse_args(self, context: click.Context, arguments: list[str]) -> list[str]:
        """Put the default command before arguments that name none: its help is the help."""
        if not arguments or arguments[0] not in (*self.list_commands(context), "--version"):
            arguments = [DEFAULT_COMMAND, *arguments]
        return super().parse_args(context, arguments)

    def list_commands(self, context: click.Context) -> list[str]:
        """Return the names of all commands, those that are imported late too."""
        return [*super().list_commands(context), *_LATE]

    def get_command(self, context: click.Context, name: str) -> click.Command | None:
        """Return a command, imported when it is asked for."""
        if name not in _LATE:
            return super().get_command(context, name)
        from importlib import import_module

        command: click.Command = getattr(import_module(_LATE[name]), name)
        return command


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="snapdiff", message="%(prog)s %(version)s")
def cli() -> None:
    """Say what changed between two snapshots of a package catalog."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Given(CommonOptions):
    """The options of `snapdiff diff`, under the names that click gives them."""

    group_by: Literal["stack", "package"]
    marker: str | None
    max_length: int | None
    quiet_if_empty: bool
    template: str | None
    color: Literal["auto", "always", "never"]
    exit_code: bool
    fail_on: "tuple[Kind, ...]"


def _kinds(_context: click.Context, _parameter: click.Parameter, values: Sequence[str]) -> Any:
    from snapdiff.result import Kind

    kinds = []
    for word in (word.strip() for value in values for word in value.split(",")):
        if word not in list(Kind):
            known = ", ".join(Kind)
            raise click.BadParameter(f"{word!r} is no kind of change; there are {known}")
        kinds.append(Kind(word))
    return tuple(kinds)


@cli.command(
    epilog="""\b
Examples:
  snapdiff HEAD~1 HEAD                           what the last commit changed
  snapdiff v0.22.0..v0.23.0 -o changes.md        between two releases, to a file
  snapdiff snapshots/2025-06-29 snapshots/2025-07-06 -s e4s -k removed
  snapdiff HEAD:_cache/v0.21.2 HEAD:_cache/v0.22.0 -f json
  snapdiff -f comment -o comment.md HEAD~1 HEAD  for a bot to post
  snapdiff --fail-on removed,downgraded HEAD~1   a gate for the working tree

\b
Exit status:
  0  done, whether or not something differs
  1  with --exit-code or --fail-on only: what was asked for is there
  2  an error
"""
)
@click.argument("revisions", nargs=-1, metavar="[OLD] [NEW]")
@click.option("-C", "--repo", default=".", metavar="DIR", help="Look OLD and NEW up in DIR.")
@click.option(
    "-f",
    "--format",
    "format_name",
    metavar="FORMAT",
    help="markdown (default), comment, text (default on a terminal), html, json or csv.",
)
@click.option("-o", "--output", metavar="FILE", help="Write to FILE, whole or not at all.")
@narrowing
@click.option(
    "--group-by",
    type=click.Choice(["stack", "package"]),
    default="stack",
    help="A section a stack, or like changes of several stacks on one line.",
)
@click.option(
    "--package-url",
    metavar="URL",
    help="Where a package's name links to, with {package} in it; empty for no links.",
)
@click.option("--marker", metavar="NAME", help="The name in a comment's invisible first line.")
@click.option(
    "--max-length",
    type=click.IntRange(min=1),
    metavar="N",
    help="At most N characters of Markdown: tell less, and say so (comment: 60000).",
)
@click.option("--quiet-if-empty", is_flag=True, help="Print nothing at all where nothing changed.")
@click.option(
    "--template", metavar="FILE", help="Report through a Jinja2 template (see docs/templates.md)."
)
@click.option(
    "--template-folder",
    metavar="DIR",
    help="Take built-in templates from DIR where it has them.",
)
@click.option(
    "--color",
    type=click.Choice(["auto", "always", "never"]),
    default="auto",
    help="Colour the text format; auto does on a terminal, unless NO_COLOR is set.",
)
@click.option("--exit-code", is_flag=True, help="Exit with 1 where anything differs.")
@click.option(
    "--fail-on",
    multiple=True,
    callback=_kinds,
    metavar="KIND[,KIND]",
    help="Exit with 1 where there is such a change: added, removed, upgraded, ...",
)
@pages
@click.option("-v", "--verbose", is_flag=True, help="Say what is compared; trace internal errors.")
def diff(revisions: tuple[str, ...], **values: Any) -> int:
    """Say what changed from OLD to NEW, two snapshots of a package catalog, per tag and stack.

    OLD and NEW are each a directory, a git revision, or REV:PATH for a folder in one; OLD..NEW
    stands for both. With one, it is compared with the working tree; with none, HEAD is.

    `snapdiff changelog` tells the story of many revisions, and `snapdiff snapshot` keeps a mirror
    as it is now (see their --help); `snapdiff schema` prints the JSON Schema of the JSON report;
    `snapdiff --version` the version.
    """
    from snapdiff.catalog.loading import open_catalogs
    from snapdiff.cli.gate import offending_lines
    from snapdiff.cli.progress import ProgressBar
    from snapdiff.comparison import diff_catalogs

    given = _Given(**values)
    report = _report(given)
    with ProgressBar("pages", wanted=not given.quiet) as progress:
        old, new = open_catalogs(revisions, given.directory(), given.limits, progress.downloaded)
        if given.verbose:
            say(f"comparing {old.source.name} with {new.source.name}")
        found = diff_catalogs(
            old,
            new,
            filters=given.filters(),
            allow_empty=given.allow_empty,
            skip_bad_pages=given.skip_bad_pages,
            warn=lambda message: None if given.quiet else say(f"warning: {message}"),
            progress=progress,
        )
    for page in () if given.quiet else found.skipped:
        say(f"warning: {page.path} ({page.side}): left out on both sides: {page.error}")
    report.write(found)
    lines = offending_lines(found, given.fail_on)
    for line in lines:
        say(line)
    return FOUND if lines or (given.exit_code and not found.is_empty()) else DONE


def _report(given: "_Given") -> "ReportWriter":
    """Return what will write the report; raises SnapdiffError where it cannot, before any work."""
    from snapdiff.cli.output import ReportWriter
    from snapdiff.reports.options import PACKAGE_URL, ReportOptions

    return ReportWriter(
        format_name=given.format_name,
        target=given.target(),
        color=given.color,
        quiet_if_empty=given.quiet_if_empty,
        options=ReportOptions(
            group_by=given.group_by,
            package_url=PACKAGE_URL if given.package_url is None else given.package_url,
            max_length=given.max_length,
            marker="snapdiff" if given.marker is None else given.marker,
            templates=given.templates(),
            template=Path(given.template) if given.template else None,
        ),
    )


@cli.command()
def schema() -> int:
    """Print the JSON Schema of the JSON report."""
    import json

    from snapdiff.cli.output import write_stdout
    from snapdiff.reports.json_report import json_schema

    write_stdout([json.dumps(json_schema(), indent=2) + "\n"])
    return DONE


def _lines(error: SnapdiffError | click.ClickException | OSError) -> list[str]:
    if isinstance(error, click.ClickException):
        return [error.format_message()]
    if isinstance(error, OSError) and error.filename:
        return [f"{os.fsdecode(error.filename)}: {error.strerror}"]
    if isinstance(error, OSError):  # of help and version, which click writes
        return [f"standard output: cannot be written: {error.strerror}"]
    return list(error.lines())


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit status; every error is a line on standard error."""
    gc.disable()  # nothing here forms cycles, and walking a million specs over and over costs
    try:
        status = cli.main(args=arguments, prog_name="snapdiff", standalone_mode=False)
    except (SnapdiffError, click.ClickException, OSError) as error:
        for line in _lines(error):
            say(f"error: {line}")
        return FAILED
    except SystemExit:  # click's answer to a reader of its help that has gone away
        return DONE
    except (KeyboardInterrupt, click.Abort):
        say("error: interrupted")
        return INTERRUPTED
    except Exception as error:
        say(f"error: internal fault, please report it: {type(error).__name__}: {error}")
        if {"-v", "--verbose"} & set(sys.argv if arguments is None else arguments):
            raise
        return FAILED
    return status if isinstance(status, int) else DONE
