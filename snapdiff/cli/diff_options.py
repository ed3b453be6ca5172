"""The options of `snapdiff diff`; `requested_diff.py` has what they ask for."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from snapdiff.cli.shared_options import (
    color,
    configuration,
    environment,
    narrowing,
    no_pager,
    output,
    package_url,
    pages,
    repository,
    template_folder,
    together,
    verbose,
)

if TYPE_CHECKING:
    from snapdiff.cli.marked_documents import AnnotationTarget
    from snapdiff.result import Kind


def _stack_pairs(
    _context: click.Context, _parameter: click.Parameter, values: Sequence[str]
) -> tuple[tuple[str, str], ...]:
    """Return pairs of an old and a new stack; raises BadParameter for a value that is none."""
    pairs: list[tuple[str, str]] = []
    for value in values:
        old, equals, new = value.partition("=")
        if not old or not equals or not new:
            raise click.BadParameter(f"{value!r} names no two stacks; write OLD=NEW")
        if old in dict(pairs):
            raise click.BadParameter(f"{old} is named twice; a stack has one new name")
        pairs.append((old, new))
    return tuple(pairs)


def _more_reports(
    _context: click.Context, _parameter: click.Parameter, values: Sequence[str]
) -> tuple[tuple[str, Path | None], ...]:
    """Return formats with their files, None for standard output.

    Raises BadParameter for a value that is neither.
    """
    reports: list[tuple[str, Path | None]] = []
    for value in values:
        format_name, _, file = value.partition("=")
        if not format_name or not file:
            raise click.BadParameter(f"{value!r} names no format and file; write FORMAT=FILE")
        reports.append((format_name, None if file == "-" else Path(file)))
    return tuple(reports)


def _annotations(
    _context: click.Context, _parameter: click.Parameter, value: str | None
) -> "AnnotationTarget | None":
    """Return where annotations go, or None where none are asked for; raises BadParameter."""
    if value is None:
        return None
    from snapdiff.cli.marked_documents import annotation_target

    return annotation_target(value)


def _kinds_of_change(
    _context: click.Context, _parameter: click.Parameter, values: Sequence[str]
) -> "tuple[Kind, ...]":
    """Return kinds of change; raises BadParameter for a word that is none."""
    from snapdiff.result import Kind

    if values == ("none",):  # turns back what a configuration file says
        return ()
    kinds = []
    for word in (word.strip() for value in values for word in value.split(",")):
        if word not in list(Kind):
            known = ", ".join(Kind)
            raise click.BadParameter(f"{word!r} is not a kind of change; the kinds are {known}")
        kinds.append(Kind(word))
    return tuple(kinds)


diff_options = together(
    repository,
    environment,
    click.option(
        "-f",
        "--format",
        "format_name",
        metavar="FORMAT",
        help="markdown (default), comment, text (default on a terminal), html, json or csv.",
    ),
    output,
    click.option(
        "--also",
        multiple=True,
        callback=_more_reports,
        metavar="FORMAT=FILE",
        help="Write the report to FILE in FORMAT, too; repeatable.",
    ),
    narrowing,
    click.option(
        "--because",
        multiple=True,
        metavar="GLOB[,GLOB]",
        help="Only what was rebuilt or lost because of these packages, directly or through others.",
    ),
    click.option(
        "--group-by",
        type=click.Choice(["stack", "package"]),
        help="One list for each stack, or one for all (default; comment: stack).",
    ),
    click.option(
        "--title", metavar="TEXT", help="The report's heading, such as 'v23.11: what is new'."
    ),
    click.option("--stat", is_flag=True, help="The table of counts alone (text, markdown)."),
    click.option("--detail", is_flag=True, help="Every spec, with hashes and what differs (text)."),
    click.option(
        "--report-url",
        metavar="URL",
        help="Link to the full report (markdown, comment).",
    ),
    click.option(
        "--map-stack",
        multiple=True,
        callback=_stack_pairs,
        metavar="OLD=NEW",
        help="Compare stack OLD with stack NEW, its new name; repeatable.",
    ),
    package_url,
    click.option("--marker", metavar="NAME", help="The name in a comment's invisible first line."),
    click.option(
        "--max-length",
        type=click.IntRange(min=1),
        metavar="N",
        help="Shorten Markdown to N characters at most, and say so (comment: 60000).",
    ),
    click.option(
        "--quiet-if-empty", is_flag=True, help="Print nothing at all where nothing changed."
    ),
    click.option(
        "--template",
        metavar="FILE",
        help="Report through a Jinja2 template (see docs/templates.md).",
    ),
    template_folder,
    color,
    no_pager,
    click.option("--exit-code", is_flag=True, help="Exit with 1 where anything differs."),
    click.option(
        "--fail-on",
        multiple=True,
        callback=_kinds_of_change,
        metavar="KIND[,KIND]",
        help="Exit with 1 where this happened to a package: removed, downgraded, ...; or none.",
    ),
    click.option(
        "--annotations",
        callback=_annotations,
        metavar="github|gitlab[=FILE]",
        help="Annotate the files of what --fail-on found, for GitHub or GitLab.",
    ),
    configuration,
    pages,
    verbose(),
)
"""All options of `snapdiff diff`, in the order of its help."""
