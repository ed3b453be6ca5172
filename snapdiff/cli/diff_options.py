"""The options of `snapdiff diff`; `requested_diff.py` has what they ask for."""

from collections.abc import Callable
from typing import TypeVar

import click

from snapdiff.cli.option_values import annotations, kinds_of_change, more_reports, stack_pairs
from snapdiff.cli.shared_options import (
    color,
    configuration,
    narrowing,
    no_pager,
    output,
    package_url,
    pages,
    repository,
    template_folder,
    verbose,
    with_options,
)

_Command = TypeVar("_Command", bound=Callable[..., object])

_OPTIONS = [
    repository,
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
        callback=more_reports,
        metavar="FORMAT=FILE",
        help="Write the report to FILE in FORMAT, too; repeatable.",
    ),
    narrowing,
    click.option(
        "--because",
        multiple=True,
        metavar="GLOB[,GLOB]",
        help="Only what was rebuilt because of these packages, directly or through others.",
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
        callback=stack_pairs,
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
        callback=kinds_of_change,
        metavar="KIND[,KIND]",
        help="Exit with 1 where this happened to a package: removed, downgraded, ...; or none.",
    ),
    click.option(
        "--annotations",
        callback=annotations,
        metavar="github|gitlab[=FILE]",
        help="Annotate the files of what --fail-on found, for GitHub or GitLab.",
    ),
    configuration,
    pages,
    verbose(),
]


def diff_options(command: _Command) -> _Command:
    """Give a command all options of `snapdiff diff`, in the order of its help."""
    return with_options(_OPTIONS, command)
