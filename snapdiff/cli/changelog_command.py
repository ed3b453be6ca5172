"""`snapdiff changelog`: arguments in, a changelog out."""

import contextlib
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import click
from msgspec.structs import replace

from snapdiff.changelog.changelog_formats import CHANGELOG, FIRST_SEEN
from snapdiff.changelog.first_seen import first_seen
from snapdiff.changelog.first_seen_report import RENDERERS
from snapdiff.changelog.ranges import GitRange, Range, open_range
from snapdiff.changelog.rendering import Asked
from snapdiff.changelog.sections import Watcher, compute_sections
from snapdiff.changelog.writing import ChangelogWriter, require_no_changelog
from snapdiff.cli.changelog_options import (
    FROM_FILE,
    OF_FIRST_SEEN,
    ChangelogOptions,
    changelog_options,
)
from snapdiff.cli.console import say, say_written
from snapdiff.cli.progress import ProgressBar
from snapdiff.cli.settings_in_force import settings_in_force
from snapdiff.cli.shared_options import TakesPaths
from snapdiff.cli.workers import open_workers
from snapdiff.errors import ReportError
from snapdiff.filters import Scope
from snapdiff.output.whole_file import held_alone
from snapdiff.reports.markdown_text import counted


@click.command(
    cls=TakesPaths,
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
""",
)
@click.argument("story", nargs=-1, metavar="RANGE [-- PATH...]")
@changelog_options
def changelog(story: tuple[str, ...], **values: Any) -> int:
    """Say what changed over the snapshots in RANGE, section by section.

    RANGE is OLD..NEW, two git revisions (OLD alone goes up to HEAD), or a folder that holds a
    folder for each snapshot. An existing Markdown file is kept as it is, with new sections on top;
    an existing file of lines (ndjson) is continued; one of another format is written anew. Each
    PATH after -- narrows every snapshot.
    """
    given = ChangelogOptions(**values)
    if given.first_seen:
        _write_first_seen(_range(story), given)
        return 0
    destination = given.destination(given.target())
    chosen = given.chosen_format(CHANGELOG, on_terminal=destination.is_terminal)
    _warn_of_options(given.without_effect(chosen, CHANGELOG), given)
    with held_alone(destination.file) as is_new:
        writer = ChangelogWriter(
            format_name=chosen.name,
            target=destination.file,
            is_new=is_new,
            is_paged=destination.is_paged and chosen.name != "ndjson",
        )
        writer.check()
        wanted, given = _open(_range(story), given, FROM_FILE)
        settings = given.settings()
        asked = Asked(
            ends=wanted.ends(),
            filters=settings.filters,
            options=destination.fitted(given.options(chosen)),
            shaping=given.shaping(),
            configuration=given.configuration,
        )
        steps = wanted.steps(writer.resume_after(wanted, asked))
        with (
            _watching(steps.most_sections(), say, quiet=given.quiet) as watcher,
            open_workers(given.jobs) as executor,
        ):
            sections = compute_sections(
                steps, settings, executor=executor, jobs=given.jobs, watcher=watcher
            )
            written = writer.write(sections, asked)
        if given.names_written_files():
            noun = "new section" if writer.is_continued else "section"
            say_written([destination.file], counted(written, noun))
    return 0


def _warn_of_options(messages: Iterable[str], given: ChangelogOptions) -> None:
    for message in () if given.quiet else messages:
        say(f"warning: {message}")


def _range(arguments: tuple[str, ...]) -> str:
    if not arguments:
        raise ReportError("of what? name a range such as v0.22.0..HEAD, or a folder of snapshots")
    if len(arguments) > 1:
        between = "..".join(arguments[:2])
        raise ReportError(f"{arguments[1]}: a changelog takes one range; write {between}")
    return arguments[0]


def _open(story: str, given: ChangelogOptions, takes: set[str]) -> tuple[Range, ChangelogOptions]:
    """Return the range, and the options with those that the file of its last revision decides."""
    wanted = open_range(story, given.directory(), given.by, given.limits, given.paths)
    if not isinstance(wanted, GitRange):
        takes = takes - {"by"}  # a folder has a section a snapshot
    settings = settings_in_force(given, wanted.newest(), None, takes)
    given = replace(settings.applied_to(given), configuration=settings.place)
    if isinstance(wanted, GitRange) and given.by:
        wanted = wanted._replace(by=given.by)
    if not given.allow_empty:
        wanted.require_pages()
    with settings.named_in_errors():
        wanted.require_matches(Scope(given.filters()).filters)
    return wanted, given


def _write_first_seen(story: str, given: ChangelogOptions) -> None:
    if given.kind:
        raise ReportError("--first-seen is about versions, not kinds of change; leave -k out")
    if given.explicit:
        raise ReportError("--first-seen is about all versions; leave --explicit out")
    destination = given.destination(given.target())
    chosen = given.chosen_format(FIRST_SEEN, on_terminal=destination.is_terminal)
    _warn_of_options(given.without_effect(chosen, FIRST_SEEN), given)
    destination.check()
    if destination.file:
        require_no_changelog(destination.file)
    wanted, given = _open(story, given, OF_FIRST_SEEN)
    settings, steps = given.settings(), wanted.steps()
    with _watching(steps.most_sections(), say, quiet=given.quiet) as watcher:
        seen = first_seen(steps, settings, watcher)
    options = destination.fitted(given.options(chosen))
    destination.write(RENDERERS[chosen.name](seen, settings, options))
    if given.names_written_files():
        say_written([destination.file], counted(len(seen), "sighting"))


class _Reporter(Watcher):
    """Says a warning once, and tells a progress bar how far the run is."""

    def __init__(self, total: int, bar: ProgressBar, say: Callable[[str], None]) -> None:
        self._done = 0
        self._total = total
        self._bar = bar
        self._say = say
        self._said: set[str] = set()

    def passed(self, periods: int) -> None:
        """Move the progress bar on."""
        self._done += periods
        self._bar(self._done, self._total)

    def warn(self, message: str) -> None:
        """Say of each page once that it contradicts itself, however many sections have it."""
        page = message.partition(": ")[0]
        if page not in self._said:
            self._said.add(page)
            self._say(f"warning: {message}")


@contextlib.contextmanager
def _watching(total: int, say: Callable[[str], None], *, quiet: bool) -> Iterator[Watcher]:
    """Yield what watches a run of so many sections; it shows progress on a terminal alone."""
    if quiet:
        yield Watcher()
        return
    with ProgressBar("sections") as bar:
        yield _Reporter(total, bar, say)
