"""`snapdiff changelog`: arguments in, a changelog out."""

import os
import shutil
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import click

from snapdiff.changelog.asked import Asked
from snapdiff.changelog.changelog_formats import (
    CHANGELOG,
    FIRST_SEEN,
    TEMPLATE,
    ChangelogFormat,
    chosen_format,
    require_effect,
)
from snapdiff.changelog.first_seen import first_seen
from snapdiff.changelog.first_seen_report import RENDERERS
from snapdiff.changelog.markers import GIVEN, ShapingOptions, filter_options
from snapdiff.changelog.periods import PERIODS, By
from snapdiff.changelog.ranges import Range, open_range
from snapdiff.changelog.sections import Settings, compute_sections
from snapdiff.changelog.writing import ChangelogWriter, require_no_changelog
from snapdiff.cli.console import say
from snapdiff.cli.options import CommonOptions, narrowing, package_url, pages
from snapdiff.cli.watching import watching
from snapdiff.cli.workers import open_workers
from snapdiff.errors import ReportError
from snapdiff.output.file_lock import held_alone
from snapdiff.output.pager import write_paged
from snapdiff.output.whole_file import check_output, write_file
from snapdiff.reports.options import PACKAGE_URL, ReportOptions

_DEFAULT_BY: By = "commit"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Given(CommonOptions):
    """The options, under the names that click gives them."""

    by: By | None
    group_by: Literal["stack", "package"] | None
    detail: bool
    template: str | None
    color: Literal["auto", "always", "never"] | None
    no_pager: bool
    first_seen: bool
    jobs: int

    def settings(self) -> Settings:
        """Return how snapshots are compared."""
        return Settings(filters=self.filters(), skip_bad_pages=self.skip_bad_pages)

    def looks(self) -> dict[str, str | None]:
        """Return the options that some formats have no use for, each with its value if given."""
        return {
            "group-by": self.group_by,
            "detail": GIVEN[0] if self.detail else None,
            "package-url": self.package_url,
            "template": self.template,
            "template-folder": self.template_folder,
            "color": self.color,
        }

    def is_on_terminal(self) -> bool:
        """Return whether somebody looks at what is printed."""
        return self.target() is None and sys.stdout is not None and sys.stdout.isatty()

    def chosen_format(self, known: Mapping[str, ChangelogFormat]) -> ChangelogFormat:
        """Return the format; raises ReportError where there is none, or an option has no use."""
        if self.template and self.format_name:
            reason = f"so -f {self.format_name} has no meaning"
            raise ReportError(f"--template replaces the format, {reason}")
        chosen = TEMPLATE
        if not self.template or self.first_seen:
            on_terminal = self.is_on_terminal()
            chosen = chosen_format(self.format_name, self.target(), known, on_terminal=on_terminal)
        given = [name for name, value in self.looks().items() if value is not None]
        require_effect(chosen, known, given)
        return chosen

    def options(self, chosen: ChangelogFormat) -> ReportOptions:
        """Return how the changelog is to look: a file that is read as it is has no links in it."""
        links = PACKAGE_URL if chosen.name == "html" else ""
        on_terminal = self.is_on_terminal()
        auto = on_terminal and not os.environ.get("NO_COLOR")
        return ReportOptions(
            group_by=self.group_by,
            detail=self.detail,
            package_url=links if self.package_url is None else self.package_url,
            color=self.color == "always" or (self.color in (None, "auto") and auto),
            width=shutil.get_terminal_size().columns if on_terminal else None,
            templates=self.templates(),
            template=Path(self.template) if self.template else None,
        )

    def shaping(self) -> ShapingOptions:
        """Return the options that decide what is in a section."""
        given = {name: value for name, value in self.looks().items() if value is not None}
        given |= {"by": self.by} if self.by not in (None, _DEFAULT_BY) else {}
        given |= {"skip-bad-pages": GIVEN[0]} if self.skip_bad_pages else {}
        one_each = {name: (value,) for name, value in given.items() if name != "color"}
        return one_each | filter_options(self.filters())


@click.command(
    epilog="""\b
Examples:
  snapdiff changelog v0.22.0..HEAD              every commit that changed the catalog
  snapdiff changelog --by week HEAD~60..HEAD    a section a week
  snapdiff changelog snapshots/                 a folder of snapshots
  snapdiff changelog -p py-mpi4py -s e4s A..B   one package in one stack
  snapdiff changelog A..B -o CHANGELOG.md       keep a file up to date
  snapdiff changelog A..B --first-seen -p openmpi

\b
Order:
  newest section first: markdown, text, html, and the sections of a template
  oldest section first: json and ndjson, so that ndjson is written as it is found
"""
)
@click.argument("story", nargs=-1, metavar="RANGE")
@click.option("-C", "--repo", default=".", metavar="DIR", help="Look RANGE up in DIR.")
@click.option("--by", type=click.Choice(PERIODS), help="A section each (default: commit).")
@click.option(
    "-f",
    "--format",
    "format_name",
    metavar="FORMAT",
    help="markdown (default), text (default on a terminal), html, json or ndjson.",
)
@click.option("-o", "--output", metavar="FILE", help="Write to FILE, or keep it up to date.")
@narrowing
@click.option(
    "--group-by",
    type=click.Choice(["stack", "package"]),
    help="In a section, a list a stack, or one list for all (default).",
)
@click.option("--detail", is_flag=True, help="Every spec, with hashes and what differs.")
@package_url
@click.option(
    "--template", metavar="FILE", help="Write through a Jinja2 template (see docs/changelog.md)."
)
@click.option("--template-folder", metavar="DIR", help="Take built-in templates from DIR first.")
@click.option(
    "--first-seen",
    is_flag=True,
    help="When each version was first and last seen; markdown, text, json or csv.",
)
@click.option(
    "--color",
    type=click.Choice(["auto", "always", "never"]),
    help="Colour the text format; auto (default) does on a terminal, unless NO_COLOR is set.",
)
@click.option("--no-pager", is_flag=True, help="Never page what is longer than the screen.")
@click.option(
    "--jobs",
    type=click.IntRange(min=1),
    default=1,
    metavar="N",
    help="Spread sections over N processes.",
)
@pages
@click.option("-v", "--verbose", is_flag=True, help="Trace internal errors.")
def changelog(story: tuple[str, ...], **values: Any) -> int:
    """Say what changed over the snapshots in RANGE, section by section.

    RANGE is OLD..NEW, two git revisions (OLD alone goes up to HEAD), or a folder that holds a
    folder for each snapshot. An existing Markdown file is kept as it is, with new sections on top;
    an existing file of lines (ndjson) is continued; one of another format is written anew.
    """
    given = _Given(**values)
    if given.first_seen:
        _write_first_seen(_range(story), given)
        return 0
    settings = given.settings()
    target = given.target()
    chosen = given.chosen_format(CHANGELOG)
    with held_alone(target) as is_new:
        writer = ChangelogWriter(
            format_name=chosen.name,
            target=target,
            is_new=is_new,
            is_paged=given.is_on_terminal() and not given.no_pager and chosen.name != "ndjson",
        )
        writer.check()
        wanted = _open(_range(story), given)
        asked = Asked(
            ends=wanted.ends(),
            filters=settings.filters,
            options=given.options(chosen),
            shaping=given.shaping(),
        )
        steps = wanted.steps(writer.resume_after(wanted, asked))
        with (
            watching(steps.most_sections(), say, quiet=given.quiet) as watcher,
            open_workers(given.jobs) as executor,
        ):
            sections = compute_sections(
                steps, settings, executor=executor, jobs=given.jobs, watcher=watcher
            )
            writer.write(sections, asked)
    return 0


def _range(arguments: tuple[str, ...]) -> str:
    if not arguments:
        raise ReportError("of what? name a range such as v0.22.0..HEAD, or a folder of snapshots")
    if len(arguments) > 1:
        between = "..".join(arguments[:2])
        raise ReportError(f"{arguments[1]}: a changelog takes one range; write {between}")
    return arguments[0]


def _open(story: str, given: _Given) -> Range:
    wanted = open_range(story, given.directory(), given.by, given.limits)
    if not given.allow_empty:
        wanted.require_pages()
    wanted.require_matches(given.filters())
    return wanted


def _write_first_seen(story: str, given: _Given) -> None:
    if given.kind:
        raise ReportError("--first-seen is about versions, not kinds of change; leave -k out")
    settings = given.settings()
    target = given.target()
    chosen = given.chosen_format(FIRST_SEEN)
    if target:
        check_output(target)
        require_no_changelog(target)
    steps = _open(story, given).steps()
    with watching(steps.most_sections(), say, quiet=given.quiet) as watcher:
        seen = first_seen(steps, settings, watcher)
    pieces = RENDERERS[chosen.name](seen, settings.filters, given.options(chosen))
    if target:
        write_file(target, pieces)
    else:
        write_paged(pieces, wanted=given.is_on_terminal() and not given.no_pager)
