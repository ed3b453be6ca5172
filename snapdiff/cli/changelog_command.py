"""`snapdiff changelog`: arguments in, a changelog out."""

import contextlib
import multiprocessing
import os
import signal
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from typing import Any, get_args

import click
from msgspec.structs import replace

from snapdiff.changelog.first_seen import first_seen
from snapdiff.changelog.kept_file import GIVEN, filter_options, options_text, require_no_changelog
from snapdiff.changelog.ranges import GitRange, Range, open_range
from snapdiff.changelog.sections import compute_sections
from snapdiff.changelog.seen_report import render_first_seen
from snapdiff.changelog.writing import Changelog, is_continued
from snapdiff.cli import options
from snapdiff.cli.given_options import GivenOptions, lines_named, with_settings
from snapdiff.errors import ReportError, SnapdiffError
from snapdiff.output.streams import ProgressBar
from snapdiff.output.whole_files import held_alone
from snapdiff.report_formats import CHANGELOG, SEEN_REPORT, in_words, option_name
from snapdiff.reports import By

_OWN = {"format_name"}
"""The options that no configuration file decides: the format in it is that of a diff."""


@click.command(
    cls=options.TakesPaths,
    epilog="""\b
Examples:
  snapdiff changelog v0.22.0..HEAD              commits with a change
  snapdiff changelog --by week HEAD~60..HEAD    a section a week
  snapdiff changelog snapshots/                 a folder of snapshots
  snapdiff changelog -p py-mpi4py -s e4s A..B   one package in one stack
  snapdiff changelog A..B -o CHANGELOG.md       keep a file up to date
  snapdiff changelog A..B --first-seen -p openmpi

\b
Order:
  newest section first: markdown, text, html, and the sections of a template
  oldest section first: json and ndjson, which is written as it is found
""",
)
@click.argument("story", metavar="RANGE [-- PATH...]", type=options.PATH)
@options.repository(help="Look RANGE up in DIR.")
@click.option("--by", type=click.Choice(get_args(By)), help="A section each (default: commit).")
@options.format_of(CHANGELOG, markdown="default", text="default on a terminal")
@options.output(help="Write to FILE, or keep it up to date.")
@options.narrowing
@options.group_by(help="In a section, one list for each stack, or one for all (default).")
@options.detail
@options.package_url
@options.template(help="Write through a Jinja2 template (see docs/changelog.md).")
@options.template_folder
@options.flag(
    "--first-seen", help=f"When each version was first and last seen; {in_words(SEEN_REPORT)}."
)
@options.color
@options.no_pager
@options.number("--jobs", default=1, help="Spread sections over N processes.")
@options.configuration
@options.pages
@options.verbose(help="Say what was written; trace internal errors.")
def changelog(story: str, **values: Any) -> int:
    """Say what changed over the snapshots in RANGE, section by section.

    RANGE is OLD..NEW, two git revisions (OLD alone goes up to HEAD), or a folder that holds a
    folder for each snapshot. An existing Markdown file is kept as it is, with new sections on top;
    an existing file of lines (ndjson) is continued; one of another format is written anew. Each
    PATH after -- narrows every snapshot.
    """
    given = GivenOptions.of(values)
    write = _write_first_seen if given.first_seen else _write_changelog
    write(story, given)
    return 0


def _write_changelog(story: str, given: GivenOptions) -> None:
    chosen, _, destination = given.report(CHANGELOG)
    given.warn_without_effect(CHANGELOG, [chosen])
    said: set[str] = set()

    def warn(message: str) -> None:
        page = message.partition(": ")[0]
        if page not in said:  # however many sections have it
            said.add(page)
            given.warn(message)

    with held_alone(destination.file) as is_new:
        if not is_continued(destination.file, chosen):
            require_no_changelog(destination.file)
        wanted, given = _open(story, given, _OWN)
        settings = replace(given.comparison(), warn=warn)
        looks = given.report(CHANGELOG).options
        if chosen != "html" and "package_url" not in given.looks:
            looks = replace(looks, package_url="")  # no links where text is read as it is
        log = Changelog(
            wanted=wanted,
            settings=settings,
            options=looks,
            shaping=_shaping(given),
            format_name=chosen,
            destination=destination._replace(
                has_pager=destination.has_pager and chosen != "ndjson", is_new=is_new
            ),
        )
        steps = wanted.steps(log.resume_after())
        with (
            ProgressBar("sections", wanted=not given.quiet) as progress,
            open_workers(given.jobs) as executor,
        ):
            sections = compute_sections(
                steps, settings, executor=executor, jobs=given.jobs, progress=progress
            )
            has_news = log.write(sections)
        given.say_written([destination.file], has_news=has_news)


def _write_first_seen(story: str, given: GivenOptions) -> None:
    if given.filters.kind:
        raise ReportError("--first-seen is about versions, not kinds of change; leave -k out")
    if given.filters.explicit:
        raise ReportError("--first-seen is about all versions; leave --explicit out")
    others = {name: value for name, value in given.looks.items() if name != "template"}
    chosen, looks, destination = replace(given, looks=others).report(SEEN_REPORT)
    given.warn_without_effect(SEEN_REPORT, [chosen])
    if given.jobs > 1:
        given.warn("--jobs has no effect with --first-seen; leave it out")
    require_no_changelog(destination.file)
    wanted, given = _open(story, given, _OWN | {"kind", "group_by", "by"})
    settings = given.comparison()
    with ProgressBar("sections", wanted=not given.quiet) as progress:
        found = first_seen(wanted, settings, progress)
    for page in found.skipped:
        given.warn(f"{page.path}: left out: {page.error}")
    destination.write(render_first_seen(found, chosen, settings, looks))
    given.say_written([destination.file])


def _open(story: str, given: GivenOptions, own: set[str]) -> tuple[Range, GivenOptions]:
    """Return the range, and the options with those that the last revision's file decides."""
    wanted = open_range(story, given.repo, given.by, given.limits, given.filters.path or ())
    if not isinstance(wanted, GitRange):
        own = own | {"by"}  # a folder has a section a snapshot
    given = with_settings(given, wanted.newest, None, own)
    if isinstance(wanted, GitRange) and given.by:
        wanted = wanted._replace(by=given.by)
    with lines_named(given):
        wanted.check(given.comparison())
    return wanted, given


def _shaping(given: GivenOptions) -> str:
    shaping = {
        option_name(field): GIVEN if value is True else (str(value),)
        for field, value in given.looks.items()
    }
    if given.by and given.by != "commit":
        shaping["by"] = (given.by,)
    if given.skip_bad_pages:
        shaping["skip-bad-pages"] = GIVEN
    return options_text(shaping | filter_options(given.filters))


# --- Processes for --jobs: they end when this one does, however it ends ---

_QUIET_TRACKER = "ignore:resource_tracker:UserWarning"
"""Where a signal ends this process, locks are left to a helper of Python's, which tells of them."""


@contextlib.contextmanager
def open_workers(number: int) -> Iterator[Executor | None]:
    """Yield processes to spread work over, or None for one; raises SnapdiffError."""
    if number == 1:
        yield None
        return
    sys.warnoptions.append(_QUIET_TRACKER)  # what is started gets these, after those of the user
    workers = _Workers(number)
    try:
        yield workers
    except BrokenProcessPool as error:
        raise SnapdiffError(
            "a process of --jobs was ended from outside, as a system does where memory is short; "
            "run again with fewer jobs"
        ) from error
    finally:
        for waits in (False, True):  # all are told before any is waited for
            for pool in workers.pools:
                pool.shutdown(waits, cancel_futures=True)
        sys.warnoptions.remove(_QUIET_TRACKER)


class _Workers(Executor):
    """Processes that know nothing of Ctrl-C, which a terminal sends to all of them.

    Each is a pool of its own, and they take turns. Python 3.11 does not end a process that a pool
    is starting while it finds another one dead, and then waits for it without end.
    """

    def __init__(self, number: int) -> None:
        self._number = number
        self.pools: deque[Executor] = deque()

    def submit(self, function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Start a process if need be, one that does not hear signals while it gets ready."""
        try:
            if len(self.pools) < self._number:
                # What is started afresh shares no lock and no open pipe with this process. Signals
                # are blocked after this: Python lets them through when it makes the first pool.
                context = multiprocessing.get_context("spawn")
                pool = ProcessPoolExecutor(1, mp_context=context, initializer=_begin)
                self.pools.appendleft(pool)
            self.pools.rotate(-1)
            before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM})
            try:
                return self.pools[-1].submit(function, *args, **kwargs)
            finally:
                signal.pthread_sigmask(signal.SIG_SETMASK, before)
        except OSError as error:
            message = f"--jobs {self._number}: {error.strerror}; run again with fewer jobs"
            raise SnapdiffError(message) from error


def _begin() -> None:
    """Make a process that was started one that can be ended, and that ends with its parent."""
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGTERM})
    parent = multiprocessing.parent_process()
    assert parent is not None

    def end_with_parent() -> None:
        parent.join()
        os._exit(1)

    threading.Thread(target=end_with_parent, daemon=True).start()
