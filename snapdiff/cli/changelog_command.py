"""`snapdiff changelog`: arguments in, a changelog out."""

from dataclasses import dataclass
from typing import Any

import click

from snapdiff.changelog.first_seen import first_seen
from snapdiff.changelog.first_seen_report import RENDERERS
from snapdiff.changelog.kept_file import KeptFile
from snapdiff.changelog.periods import PERIODS, By
from snapdiff.changelog.ranges import Range, open_range
from snapdiff.changelog.sections import Settings, compute_sections
from snapdiff.changelog.writing import ChangelogWriter, chosen_format
from snapdiff.cli.console import say
from snapdiff.cli.options import CommonOptions, narrowing, pages
from snapdiff.cli.watching import watching
from snapdiff.cli.workers import open_workers
from snapdiff.errors import ReportError
from snapdiff.output.file_lock import held_alone
from snapdiff.output.standard_output import write_stdout
from snapdiff.output.whole_file import check_output, write_file
from snapdiff.reports.options import PACKAGE_URL, ReportOptions


@dataclass(frozen=True, slots=True, kw_only=True)
class _Given(CommonOptions):
    """The options, under the names that click gives them."""

    by: By | None
    detail: bool
    first_seen: bool
    jobs: int

    def settings(self) -> Settings:
        """Return how snapshots are compared."""
        return Settings(
            filters=self.filters(),
            skip_bad_pages=self.skip_bad_pages,
        )

    def options(self) -> ReportOptions:
        """Return how the changelog is to look."""
        return ReportOptions(
            package_url=PACKAGE_URL if self.package_url is None else self.package_url,
            templates=self.templates(),
        )


@click.command(
    epilog="""\b
Examples:
  snapdiff changelog v0.22.0..HEAD              every commit that changed the catalog
  snapdiff changelog --by week HEAD~60..HEAD    a section a week
  snapdiff changelog snapshots/                 a folder of snapshots
  snapdiff changelog -p py-mpi4py -s e4s A..B   one package in one stack
  snapdiff changelog A..B -o CHANGELOG.md       keep a file up to date
  snapdiff changelog A..B --first-seen -p openmpi
"""
)
@click.argument("story", nargs=-1, metavar="RANGE")
@click.option("-C", "--repo", default=".", metavar="DIR", help="Look RANGE up in DIR.")
@click.option("--by", type=click.Choice(PERIODS), help="A section each (default: commit).")
@click.option("-f", "--format", "format_name", metavar="FORMAT", help="markdown, json or ndjson.")
@click.option("-o", "--output", metavar="FILE", help="Write to FILE, or keep it up to date.")
@narrowing
@click.option("--detail", is_flag=True, help="Tell what differs, and list rebuilt specs.")
@click.option("--package-url", metavar="URL", help="Where names link to, with --detail.")
@click.option("--template-folder", metavar="DIR", help="Take built-in templates from DIR first.")
@click.option(
    "--first-seen",
    is_flag=True,
    help="When each version was first and last seen; markdown, json or csv.",
)
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
    """Tell what changed over the snapshots in RANGE, newest first.

    RANGE is OLD..NEW, two git revisions (OLD alone goes up to HEAD), or a folder that holds a
    folder for each snapshot. An existing Markdown file is kept as it is, with new sections on top;
    an existing file of lines (ndjson) is continued.
    """
    given = _Given(**values)
    if given.first_seen:
        _tell_first_seen(_range(story), given)
        return 0
    settings = given.settings()
    target = given.target()
    format_name = chosen_format(given.format_name, target, ("markdown", "json", "ndjson"))
    with held_alone(target) as is_new:
        writer = ChangelogWriter(
            format_name=format_name,
            target=target,
            is_new=is_new,
            filters=settings.filters,
            options=given.options(),
            detail=given.detail,
        )
        writer.check()
        wanted = _open(_range(story), given)
        steps = wanted.steps(writer.resume_after(wanted))
        with (
            watching(steps.most_sections(), say, quiet=given.quiet) as watcher,
            open_workers(given.jobs) as executor,
        ):
            sections = compute_sections(
                steps, settings, executor=executor, jobs=given.jobs, watcher=watcher
            )
            writer.write(sections, wanted.ends())
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
    return wanted


def _tell_first_seen(story: str, given: _Given) -> None:
    if given.kind:
        raise ReportError("--first-seen tells of versions, not of kinds of change; leave -k out")
    settings = given.settings()
    target = given.target()
    render = RENDERERS[chosen_format(given.format_name, target, RENDERERS)]
    if target:
        check_output(target)
        if target.is_file() and KeptFile(target).markers():
            raise ReportError(f"{target}: holds a changelog, and would lose it; name another file")
    steps = _open(story, given).steps()
    with watching(steps.most_sections(), say, quiet=given.quiet) as watcher:
        seen = first_seen(steps, settings, watcher)
    pieces = render(seen, settings.filters, given.options())
    if target:
        write_file(target, pieces)
    else:
        write_stdout(pieces)
