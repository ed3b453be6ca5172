"""`snapdiff diff`: arguments in, a report out (docs/specification.md, section 8)."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from snapdiff.cli.console import say, say_written
from snapdiff.cli.diff_options import diff_options
from snapdiff.cli.shared_options import TakesPaths

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from snapdiff.catalog.loading import Catalog
    from snapdiff.cli.accepted_changes import Verdict
    from snapdiff.cli.gate import Offender
    from snapdiff.cli.requested_diff import DiffOptions
    from snapdiff.result import CatalogDiff, Filters

DONE, FOUND = 0, 1


def _completed(
    context: click.Context, _parameter: click.Parameter, incomplete: str
) -> list["CompletionItem"]:
    """Return what a shell may complete: folders, and other commands."""
    from click.shell_completion import CompletionItem

    above = context.find_root()
    assert isinstance(above.command, click.Group)
    names = [name for name in above.command.list_commands(above) if name.startswith(incomplete)]
    # Folders first: for bash, click forgets what is before them.
    return [CompletionItem(incomplete, "dir"), *map(CompletionItem, names if incomplete else ())]


@click.command(
    cls=TakesPaths,
    epilog="""\b
Commands:
  diff       compare two snapshots: this help, and what is done without a command
  changelog  what changed over many snapshots, newest first; snapdiff changelog --help
  why        why the specs of one package changed; snapdiff why --help
  git-driver documents as reports in git diff; snapdiff git-driver --help
  post       one comment on a pull request, kept up to date; snapdiff post --help
  snapshot   keep a mirror as it is today, to compare with later; snapdiff snapshot --help
  schema     print the JSON Schema of the report, or of .snapdiff.toml; snapdiff schema
  snapdiff --version prints the version

\b
Examples:
  snapdiff HEAD~1 HEAD                           what the last commit changed
  snapdiff v0.22.0..v0.23.0 -o changes.md        between two releases, to a file
  snapdiff snapshots/2025-06-29 snapshots/2025-07-06 -s e4s -k removed
  snapdiff HEAD:_cache/v0.21.2 HEAD:_cache/v0.22.0 -f json
  snapdiff spack.lock                            the file at HEAD, and as it is now
  snapdiff HEAD~1 HEAD -- environments/hep       in a folder alone
  snapdiff -f comment -o comment.md HEAD~1 HEAD  for a bot to post
  snapdiff --fail-on removed,downgraded HEAD~1   a gate for the working tree
  snapdiff --config .snapdiff.toml HEAD~1        with settings that are not committed yet
  snapdiff --title 'v23.11: what is new' v23.08..v23.11 -o notes.md

\b
Exit status:
  0  done, whether or not something differs
  1  with --exit-code, where anything differs; with --fail-on, where that happened
  2  an error
""",
)
@click.argument(
    "revisions", nargs=-1, metavar="[OLD] [NEW] [-- PATH...]", shell_complete=_completed
)
@diff_options
def diff(revisions: tuple[str, ...], **values: Any) -> int:
    """Say what changed from OLD to NEW, two snapshots of a package catalog, per tag and stack.

    OLD and NEW are each a directory, a file, a git revision, REV:PATH for a folder in one, or the
    URL of a mirror; OLD..NEW stands for both. OLD alone is compared with the working tree, and
    REV:PATH with that folder of it; without either, HEAD is. A file or folder alone is compared
    with itself at HEAD. Each PATH after -- narrows both sides.
    """
    from snapdiff.cli.requested_diff import DiffOptions

    given = DiffOptions(**values)
    outcome = run_diff(revisions, given)
    is_found = outcome.offenders or (given.exit_code and not outcome.diff.is_empty())
    return FOUND if is_found else DONE


class Outcome(NamedTuple):
    """What a run has compared and found; its reports are written.

    `diff` is what they show. A gate looks at all kinds of change, so it may have offenders that no
    report shows.
    """

    old: "Catalog"
    new: "Catalog"
    diff: "CatalogDiff"
    offenders: "list[Offender]"


def run_diff(revisions: tuple[str, ...], given: "DiffOptions") -> Outcome:
    """Compare what the arguments mean, write the reports, and say what the gate has found.

    It is to be called in click's context of the command, which knows where each option is from.
    Raises SnapdiffError, and click's UsageError.
    """
    from msgspec import UNSET
    from msgspec.structs import replace

    from snapdiff.catalog.loading import open_catalogs
    from snapdiff.cli.progress import ProgressBar
    from snapdiff.cli.requested_diff import FROM_FILE
    from snapdiff.cli.settings_in_force import settings_in_force
    from snapdiff.comparison import diff_catalogs
    from snapdiff.filters import narrowed_to_kinds

    given.report_writers()  # what cannot be written is an error before any work

    def warn(message: str) -> None:
        if not given.quiet:
            say(f"warning: {message}")

    with ProgressBar("pages", wanted=not given.quiet) as progress:
        where = given.compared(revisions)
        old, new = open_catalogs(
            where.revisions, where.directory, given.limits, progress.downloaded, where.paths
        )
        if given.verbose:
            say(f"comparing {old.source.name} with {new.source.name}")
        settings = settings_in_force(given, old.source, new.source, takes=FROM_FILE)
        given = settings.applied_to(given)
        if given.verbose and settings.place:
            say(f"settings of {settings.place} count")
        with settings.named_in_errors():
            filters = _filters(given, old, new)
            found = diff_catalogs(
                old,
                new,
                filters=replace(filters, kind=()),  # the gate looks at every kind
                allow_empty=given.allow_empty,
                skip_bad_pages=given.skip_bad_pages,
                warn=warn,
                progress=progress,
            )
    for page in found.skipped:
        warn(f"{page.path} ({page.side}): left out on both sides: {page.error}")
    place = settings.place or UNSET
    narrowed = narrowed_to_kinds(replace(found, filters=filters, configuration=place))
    verdict = _verdict(found, given)
    offenders = verdict.offenders if verdict else []
    _write_reports(given, narrowed, [offender.text for offender in offenders], warn)
    if verdict:
        is_narrowed = given.is_narrowed() or settings.speaks_of_more
        _say_verdict(verdict, str(place), warn, is_narrowed=is_narrowed)
    if given.annotations:
        from snapdiff.cli.marked_documents import mark_documents

        mark_documents(given.annotations, offenders, old, new)
    return Outcome(old, new, narrowed, offenders)


def _verdict(found: "CatalogDiff", given: "DiffOptions") -> "Verdict | None":
    """Return what the gate says of a diff, or None where no gate is asked for."""
    if not given.fail_on:
        return None
    from snapdiff.cli.accepted_changes import judge  # late: most runs have no gate

    return judge(found, given.fail_on, given.ignore)


def _say_verdict(
    verdict: "Verdict", place: str, warn: Callable[[str], None], *, is_narrowed: bool
) -> None:
    from snapdiff.cli.accepted_changes import ignored_lines, warning_lines
    from snapdiff.cli.gate import first_lines

    for message in warning_lines(verdict, place, is_narrowed=is_narrowed):
        warn(message)
    offending = [offender.text for offender in verdict.offenders]
    for line in (*ignored_lines(verdict, place), *first_lines(offending)):
        say(line)


def _write_reports(
    given: "DiffOptions", diff: "CatalogDiff", offending: list[str], warn: Callable[[str], None]
) -> None:
    """Write every report that is asked for, and say so; raises ReportError."""
    from snapdiff.cli.report_writer import size_in_words

    writers = given.report_writers()
    for message in given.without_effect(writers):
        warn(message)
    for writer in writers:
        writer.write(diff, offending)
    if given.names_written_files():
        say_written([writer.destination.file for writer in writers], size_in_words(diff))


def _filters(given: "DiffOptions", old: "Catalog", new: "Catalog") -> "Filters":
    """Return what the report is narrowed to; raises FilterError where a glob has a slip in it.

    A file speaks of a stack's new name before the stack has it and after, so such a pair counts
    where one side has the old name and the other the new one.
    """
    from msgspec.structs import replace

    from snapdiff.catalog.known_names import renamed_stacks_of
    from snapdiff.filters import Scope

    filters = Scope(given.filters()).filters
    if "map_stack" not in given.from_file:
        return filters
    return replace(filters, stack_names=renamed_stacks_of(filters.stack_names, old, new))
