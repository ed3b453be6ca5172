"""`snapdiff diff`: arguments in, a report out (docs/specification.md, section 8)."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click

from snapdiff.cli.console import say
from snapdiff.cli.options import CommonOptions, narrowing, package_url, pages

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from snapdiff.cli.report_writer import ReportWriter
    from snapdiff.result import Kind

DONE, FOUND = 0, 1


@dataclass(frozen=True, slots=True, kw_only=True)
class _Given(CommonOptions):
    """The options of `snapdiff diff`, under the names that click gives them."""

    title: str | None
    group_by: Literal["stack", "package"] | None
    detail: bool
    stat: bool
    report_url: str | None
    marker: str | None
    max_length: int | None
    quiet_if_empty: bool
    template: str | None
    color: Literal["auto", "always", "never"] | None
    no_pager: bool
    exit_code: bool
    fail_on: "tuple[Kind, ...]"
    map_stack: tuple[tuple[str, str], ...]
    because: tuple[str, ...]

    def stack_names(self) -> tuple[tuple[str, str], ...]:
        """Return the stacks that are compared under another name."""
        return self.map_stack

    def causes(self) -> tuple[str, ...]:
        """Return the only causes to look at."""
        return self.because


def _stack_pairs(
    _context: click.Context, _parameter: click.Parameter, values: Sequence[str]
) -> tuple[tuple[str, str], ...]:
    pairs: list[tuple[str, str]] = []
    for value in values:
        old, equals, new = value.partition("=")
        if not old or not equals or not new:
            raise click.BadParameter(f"{value!r} names no two stacks; write OLD=NEW")
        if old in dict(pairs):
            raise click.BadParameter(f"{old} is named twice; a stack has one new name")
        pairs.append((old, new))
    return tuple(pairs)


def _kinds(_context: click.Context, _parameter: click.Parameter, values: Sequence[str]) -> Any:
    from snapdiff.result import Kind

    kinds = []
    for word in (word.strip() for value in values for word in value.split(",")):
        if word not in list(Kind):
            known = ", ".join(Kind)
            raise click.BadParameter(f"{word!r} is no kind of change; there are {known}")
        kinds.append(Kind(word))
    return tuple(kinds)


def _completed(
    _context: click.Context, _parameter: click.Parameter, incomplete: str
) -> list["CompletionItem"]:
    """Return what a shell may complete: other commands, and folders."""
    from click.shell_completion import CompletionItem

    names = [name for name in ("changelog", "schema", "snapshot") if name.startswith(incomplete)]
    return [*map(CompletionItem, names if incomplete else ()), CompletionItem(incomplete, "dir")]


@click.command(
    epilog="""\b
Commands:
  diff       compare two snapshots: this help, and what is done without a command
  changelog  what changed over many snapshots, newest first; snapdiff changelog --help
  why        why the specs of one package changed; snapdiff why --help
  schema     print the JSON Schema of the JSON report; snapdiff schema
  snapdiff --version prints the version

\b
Examples:
  snapdiff HEAD~1 HEAD                           what the last commit changed
  snapdiff v0.22.0..v0.23.0 -o changes.md        between two releases, to a file
  snapdiff snapshots/2025-06-29 snapshots/2025-07-06 -s e4s -k removed
  snapdiff HEAD:_cache/v0.21.2 HEAD:_cache/v0.22.0 -f json
  snapdiff -f comment -o comment.md HEAD~1 HEAD  for a bot to post
  snapdiff --fail-on removed,downgraded HEAD~1   a gate for the working tree
  snapdiff --title 'v23.11: what is new' v23.08..v23.11 -o notes.md

\b
Exit status:
  0  done, whether or not something differs
  1  with --exit-code or --fail-on only: what was asked for is there
  2  an error
"""
)
@click.argument("revisions", nargs=-1, metavar="[OLD] [NEW]", shell_complete=_completed)
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
    "--because",
    multiple=True,
    metavar="GLOB[,GLOB]",
    help="Only what these packages rebuilt, near or far.",
)
@click.option(
    "--group-by",
    type=click.Choice(["stack", "package"]),
    help="A list a stack, or one list for all (default; comment: stack).",
)
@click.option("--title", metavar="TEXT", help="Head the report with TEXT: v23.11: what is new.")
@click.option("--stat", is_flag=True, help="The table of counts alone (text, markdown).")
@click.option("--detail", is_flag=True, help="Every spec, with hashes and what differs (text).")
@click.option(
    "--report-url",
    metavar="URL",
    help="Link to the full report (markdown, comment).",
)
@click.option(
    "--map-stack",
    multiple=True,
    callback=_stack_pairs,
    metavar="OLD=NEW",
    help="Compare stack OLD with stack NEW, its new name; repeatable.",
)
@package_url
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
    help="Colour the text format; auto (default) does on a terminal, unless NO_COLOR is set.",
)
@click.option("--no-pager", is_flag=True, help="Never page what is longer than the screen.")
@click.option("--exit-code", is_flag=True, help="Exit with 1 where anything differs.")
@click.option(
    "--fail-on",
    multiple=True,
    callback=_kinds,
    metavar="KIND[,KIND]",
    help="Exit with 1 where that happened to a package: removed, downgraded, ...",
)
@pages
@click.option("-v", "--verbose", is_flag=True, help="Say what is compared; trace internal errors.")
def diff(revisions: tuple[str, ...], **values: Any) -> int:
    """Say what changed from OLD to NEW, two snapshots of a package catalog, per tag and stack.

    OLD and NEW are each a directory, a git revision, or REV:PATH for a folder in one; OLD..NEW
    stands for both. With one, it is compared with the working tree; with none, HEAD is.
    """
    from msgspec.structs import replace

    from snapdiff.catalog.loading import open_catalogs
    from snapdiff.cli.gate import offending_lines
    from snapdiff.cli.progress import ProgressBar
    from snapdiff.comparison import diff_catalogs
    from snapdiff.filters import Scope, narrowed_to_kinds

    given = _Given(**values)
    report = _report(given)
    filters = Scope(given.filters()).filters
    with ProgressBar("pages", wanted=not given.quiet) as progress:
        old, new = open_catalogs(revisions, given.directory(), given.limits, progress.downloaded)
        if given.verbose:
            say(f"comparing {old.source.name} with {new.source.name}")
        found = diff_catalogs(
            old,
            new,
            filters=replace(filters, kind=()),  # the gate looks at every kind
            allow_empty=given.allow_empty,
            skip_bad_pages=given.skip_bad_pages,
            warn=lambda message: None if given.quiet else say(f"warning: {message}"),
            progress=progress,
        )
    for page in () if given.quiet else found.skipped:
        say(f"warning: {page.path} ({page.side}): left out on both sides: {page.error}")
    narrowed = narrowed_to_kinds(replace(found, filters=filters))
    report.write(narrowed)
    lines = offending_lines(found, given.fail_on)
    for line in lines:
        say(line)
    return FOUND if lines or (given.exit_code and not narrowed.is_empty()) else DONE


def _report(given: _Given) -> "ReportWriter":
    """Return what will write the report; raises SnapdiffError where it cannot, before any work."""
    from snapdiff.cli.report_writer import ReportWriter
    from snapdiff.reports.options import ReportOptions

    asked: dict[str, Any] = {
        "title": given.title,
        "group_by": given.group_by,
        "detail": given.detail or None,
        "stat": given.stat or None,
        "package_url": given.package_url,
        "report_url": given.report_url,
        "max_length": given.max_length,
        "marker": given.marker,
        "templates": given.templates(),
        "template": Path(given.template) if given.template else None,
    }
    asked = {name: value for name, value in asked.items() if value is not None}
    return ReportWriter(
        format_name=given.format_name,
        target=given.target(),
        color=given.color,
        pager=not given.no_pager,
        quiet_if_empty=given.quiet_if_empty,
        options=ReportOptions(**asked),
        asked=frozenset(asked),
    )
