"""`snapdiff changelog`: arguments in, a changelog out."""

import contextlib
import sys
from collections.abc import Iterator
from concurrent.futures import Executor
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import click

from snapdiff.changelog.first_seen import first_seen
from snapdiff.changelog.first_seen_report import RENDERERS
from snapdiff.changelog.output import ChangelogWriter, chosen_format
from snapdiff.changelog.periods import PERIODS
from snapdiff.changelog.progress import watching
from snapdiff.changelog.ranges import Range, open_range
from snapdiff.changelog.sections import Settings, compute_sections
from snapdiff.changes import Filters
from snapdiff.errors import ReportError, SnapdiffError
from snapdiff.output import check_output, write_file, write_stdout
from snapdiff.reports.options import PACKAGE_URL, ReportOptions
from snapdiff.safe_text import visible


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
@click.argument("story", metavar="RANGE")
@click.option("-C", "--repo", default=".", metavar="DIR", help="Look RANGE up in DIR.")
@click.option("--by", type=click.Choice(PERIODS), help="A section each (default: commit).")
@click.option("-f", "--format", "format_name", metavar="FORMAT", help="markdown, json or ndjson.")
@click.option("-o", "--output", metavar="FILE", help="Write to FILE, or keep it up to date.")
@click.option("-s", "--stack", multiple=True, metavar="GLOB", help="Only these stacks.")
@click.option("-p", "--package", multiple=True, metavar="GLOB", help="Only these packages.")
@click.option("-t", "--tag", multiple=True, metavar="GLOB", help="Only these tags.")
@click.option("-k", "--kind", multiple=True, metavar="GLOB", help="Only these kinds of change.")
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
@click.option("--allow-empty", is_flag=True, help="Take an end without a single page.")
@click.option("--skip-bad-pages", is_flag=True, help="Leave unreadable pages out on both sides.")
@click.option("-q", "--quiet", is_flag=True, help="No warnings and no progress.")
@click.option("-v", "--verbose", is_flag=True, help="Trace internal errors.")
def changelog(story: str, **values: Any) -> int:
    """Tell what changed over the snapshots in RANGE, newest first.

    RANGE is OLD..NEW, two git revisions (OLD alone goes up to HEAD), or a folder that holds a
    folder for each snapshot. An existing Markdown file is kept as it is, with new sections on top;
    an existing file of lines (ndjson) is continued.
    """
    given = SimpleNamespace(**values)
    directory = Path(given.repo)
    if not directory.is_dir():
        raise SnapdiffError(f"{given.repo}: no such directory")
    settings = Settings(
        filters=Filters(tag=given.tag, stack=given.stack, package=given.package, kind=given.kind),
        skip_bad_pages=given.skip_bad_pages,
    )
    options = ReportOptions(
        package_url=PACKAGE_URL if given.package_url is None else given.package_url,
        templates=Path(given.template_folder) if given.template_folder else None,
    )
    target = None if given.output in (None, "-") else Path(given.output)
    if given.first_seen:
        format_name = chosen_format(given.format_name, target, RENDERERS)
        _tell_first_seen(
            _open(story, directory, given), settings, options, format_name, target, given
        )
        return 0
    writer = ChangelogWriter(
        format_name=chosen_format(given.format_name, target, ("markdown", "json", "ndjson")),
        target=target,
        filters=settings.filters,
        options=options,
        detail=given.detail,
    )
    writer.check()
    wanted = _open(story, directory, given)
    steps = wanted.steps(writer.resume_after(wanted))
    with (
        watching(steps.most_sections(), _say, quiet=given.quiet) as watcher,
        _executor(given.jobs) as executor,
    ):
        sections = compute_sections(
            steps, settings, executor=executor, jobs=given.jobs, watcher=watcher
        )
        writer.write(sections, wanted.ends())
    return 0


def _open(story: str, directory: Path, given: SimpleNamespace) -> Range:
    wanted = open_range(story, directory, given.by)
    if not given.allow_empty:
        wanted.require_pages()
    return wanted


def _tell_first_seen(
    wanted: Range,
    settings: Settings,
    options: ReportOptions,
    format_name: str,
    target: Path | None,
    given: SimpleNamespace,
) -> None:
    if settings.filters.kind:
        raise ReportError("--first-seen tells of versions, not of kinds of change; leave -k out")
    if target:
        check_output(target)
    steps = wanted.steps()
    with watching(steps.most_sections(), _say, quiet=given.quiet) as watcher:
        seen = first_seen(steps, settings, watcher)
    pieces = RENDERERS[format_name](seen, settings.filters, options)
    if target:
        write_file(target, pieces)
    else:
        write_stdout(pieces)


@contextlib.contextmanager
def _executor(jobs: int) -> Iterator[Executor | None]:
    """Yield processes to spread sections over, or nothing where one is enough."""
    if jobs == 1:
        yield None
        return
    import multiprocessing
    from concurrent.futures import ProcessPoolExecutor

    # A process that is started afresh shares no lock and no open pipe with this one.
    executor = ProcessPoolExecutor(jobs, mp_context=multiprocessing.get_context("spawn"))
    try:
        yield executor
    finally:
        executor.shutdown(cancel_futures=True)


def _say(message: str) -> None:
    """Print a line to standard error, whatever its text is made of."""
    if sys.stderr is not None:
        click.echo(f"snapdiff: {visible(message)}", err=True)
