"""The options of `snapdiff diff`, and what they ask for."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar

import click

from snapdiff.cli.option_values import annotations, kinds_of_change, more_reports, stack_pairs
from snapdiff.cli.options import CommonOptions
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

if TYPE_CHECKING:
    from snapdiff.cli.marked_documents import AnnotationTarget
    from snapdiff.cli.report_writer import ReportWriter
    from snapdiff.result import Kind
    from snapdiff.settings.catalog_settings import AcceptedChange

_Command = TypeVar("_Command", bound=Callable[..., object])


FROM_FILE = {
    *("tag", "stack", "package", "kind", "map_stack"),
    *("format_name", "group_by", "marker"),
    *("fail_on", "ignore"),
}
"""The options that a configuration file can decide."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DiffOptions(CommonOptions):
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
    exit_code: bool
    fail_on: "tuple[Kind, ...]"
    map_stack: tuple[tuple[str, str], ...]
    because: tuple[str, ...]
    also: tuple[tuple[str, Path], ...]
    annotations: "AnnotationTarget | None"
    ignore: "tuple[AcceptedChange, ...]" = ()
    """What the gate lets pass; only a file can say it."""

    def stack_names(self) -> tuple[tuple[str, str], ...]:
        """Return the stacks that are compared under another name."""
        return self.map_stack

    def is_narrowed(self) -> bool:
        """Return whether the command line narrows what the gate looks at."""
        given = {"tag", "stack", "package", "because", "explicit"} - self.from_file
        return any(getattr(self, name) for name in given)

    def causes(self) -> tuple[str, ...]:
        """Return the only causes to look at."""
        return self.because

    def report_writers(self) -> "list[ReportWriter]":
        """Return what writes the reports: the one that goes to `-o`, then each of `--also`.

        Raises SnapdiffError where one cannot be written, before any work.
        """
        from snapdiff.cli.report_writer import ReportWriter
        from snapdiff.output.whole_file import require_files_of_their_own
        from snapdiff.reports import require_effect
        from snapdiff.reports.options import ReportOptions

        asked: dict[str, Any] = {
            "title": self.title,
            "group_by": self.group_by,
            "detail": self.detail or None,
            "stat": self.stat or None,
            "package_url": self.package_url,
            "report_url": self.report_url,
            "max_length": self.max_length,
            "marker": self.marker,
            "templates": self.templates(),
            "template": Path(self.template) if self.template else None,
        }
        asked = {name: value for name, value in asked.items() if value is not None}
        format_is_usual = "format_name" in self.from_file
        wanted = None if format_is_usual else self.format_name
        writers = [
            ReportWriter(
                format_name=format_name,
                usual_format=self.format_name if format_is_usual else None,
                destination=self.destination(target),
                quiet_if_empty=self.quiet_if_empty,
                options=ReportOptions(**asked),
            )
            for format_name, target in ((wanted, self.target()), *self.also)
        ]
        require_files_of_their_own(
            [
                *(writer.destination.file for writer in writers),
                *([self.annotations.code_quality] if self.annotations else []),
            ]
        )
        # What only a file asks for need have no effect in the format at hand.
        given = ({*asked} - self.from_file) | ({"color"} if self.color else set())
        require_effect([writer.format for writer in writers], sorted(given))
        return writers


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
    verbose,
]


def diff_options(command: _Command) -> _Command:
    """Give a command all options of `snapdiff diff`, in the order of its help."""
    return with_options(_OPTIONS, command)
