"""A run of `snapdiff diff`: two sides are compared, reports written, a gate looks at the result.

It is apart from the command, which help and completion import (docs/specification.md, section 8).
"""

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from msgspec.structs import replace

from snapdiff.catalog.loading import Catalog, names_in
from snapdiff.cli.given_options import GivenOptions, ReportWriter, lines_named, open_sides
from snapdiff.comparison import compare_catalogs
from snapdiff.errors import ReportError, RevisionError
from snapdiff.filters import Scope, narrowed_to_kinds, printable_filters
from snapdiff.output.streams import ProgressBar, say
from snapdiff.output.whole_files import check_output, require_files_of_their_own
from snapdiff.report_formats import REPORT
from snapdiff.reports import render_pieces
from snapdiff.result.changes import CatalogDiff, Filters

if TYPE_CHECKING:  # late: most runs have no gate
    from snapdiff.reports.annotations import Offender


class Outcome(NamedTuple):
    """What a run has compared and found; its reports are written."""

    old: Catalog
    new: Catalog
    diff: CatalogDiff  # as the reports show it: a gate looks at all kinds of change
    offenders: "list[Offender]"
    has_gate: bool


def run_diff(revisions: tuple[str, ...], given: GivenOptions) -> Outcome:
    """Compare what the arguments mean, write the reports, and say what the gate has found.

    It is to be called in click's context of the command, which knows where each option is from.
    Raises SnapdiffError.
    """
    with ProgressBar("pages", wanted=not given.quiet) as progress:
        old, new, given = open_sides(revisions, given, (), progress)
        writers = _report_writers(given)  # what cannot be written is named before a page is read
        with lines_named(given):
            filters = _filters(given, old, new)
            every_kind = replace(filters, kind=())  # for the gate
            compared = replace(given.comparison(), filters=every_kind)
            found = compare_catalogs(old, new, compared, progress)
    if given.fail_on and found.nothing_compared and not given.allow_empty:
        raise RevisionError(
            "--fail-on: no document is left that can be read on both sides, so a gate has nothing "
            "to look at; correct one, or pass --allow-empty"
        )
    given.warn_of_skipped(found.skipped)
    narrowed = narrowed_to_kinds(replace(found, filters=printable_filters(filters)))
    verdict = None
    if given.fail_on:
        from snapdiff.cli.gate import judge

        verdict = judge(found, given.fail_on, given.ignore)
    offenders = verdict.offenders if verdict else []
    given.warn_without_effect(REPORT, [writer.format_name for writer in writers])
    is_empty = narrowed.is_empty() and not narrowed.skipped and not offenders
    has_words = not (given.quiet_if_empty and is_empty)
    for name, options, destination in writers:
        options = replace(options, offending=tuple(offender.text for offender in offenders))
        destination.write(render_pieces(narrowed, name, options) if has_words else ())
    given.say_written(writer.destination.file for writer in writers)
    if verdict:
        for line in verdict.lines(str(given.configuration)):
            say(line)
    if given.annotations:
        from snapdiff.cli.gate import mark_documents

        mark_documents(given.annotations, offenders, old, new)
    return Outcome(old, new, narrowed, offenders, has_gate=bool(given.fail_on))


def _filters(given: GivenOptions, old: Catalog, new: Catalog) -> Filters:
    """Return what the report is narrowed to; raises FilterError where a glob has a slip in it.

    A file speaks of a stack's new name before the stack has it and after, so such a pair counts
    where one side has the old name and the other the new one.
    """
    filters = Scope(given.filters).filters
    if not filters.stack_names or "stack_names" not in given.from_file:
        return filters
    before, after = names_in(old, "stack"), names_in(new, "stack")
    counting = [
        (from_name, to_name)
        for from_name, to_name in filters.stack_names
        if from_name in before - after and to_name in after
    ]
    return replace(filters, stack_names=tuple(counting))


def _report_writers(given: GivenOptions) -> list[ReportWriter]:
    """Return what writes the report of -o, then of each --also; raises SnapdiffError."""
    if "stat" in given.looks and "detail" in given.looks:
        raise ReportError("--stat leaves out what --detail adds; give one of them")
    # Its formats are those of the command line, and the template is that of the first report.
    looks = {name: value for name, value in given.looks.items() if name != "template"}
    also = replace(given, from_file=frozenset(), looks=looks)
    writers = [
        given.report(REPORT),
        *(replace(also, format_name=it, output=file).report(REPORT) for it, file in given.also),
    ]
    files = [writer.destination.file for writer in writers]
    if isinstance(given.annotations, Path):
        check_output(given.annotations)
        files.append(given.annotations)
    require_files_of_their_own(files)
    return writers
