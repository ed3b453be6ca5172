"""One HTML file that needs nothing else: a picture per stack, and a table to search and filter."""

import contextlib
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import NamedTuple

from snapdiff.model import Revision
from snapdiff.reports.html.data import data_of
from snapdiff.reports.html.inline import content_hash, inline_part, trusted
from snapdiff.reports.html.picture import kind_counts, pictures_of
from snapdiff.reports.html.rows import TableRow, rows_of
from snapdiff.reports.html.specs import SpecGroup, first_specs
from snapdiff.reports.only_names import without_only_names
from snapdiff.reports.options import ReportOptions
from snapdiff.reports.outline import outline_of
from snapdiff.reports.severity import SYMBOLS
from snapdiff.reports.short_list import short_hash
from snapdiff.reports.templates import html_environment, render_template, row_words
from snapdiff.result import CatalogDiff
from snapdiff.safe_text import shown

PLAIN_SPECS = 2_000
"""How many rows and specs are written as plain HTML, for readers without scripts."""


class RevisionText(NamedTuple):
    """One revision as text; `commit` and `date` are empty where it has none."""

    name: str
    source: str
    commit: str
    short: str
    date: str
    day: str


class PlainRow(NamedTuple):
    """A row as it stands in the file without scripts: `left` of its specs are not listed."""

    row: TableRow
    groups: tuple[SpecGroup, ...]
    left: int


def render(diff: CatalogDiff, options: ReportOptions) -> Iterator[str]:
    """Yield the report: a complete HTML document that asks for nothing from anywhere.

    The table is there twice: as JSON for the script, and as plain HTML, which the script takes
    away. The plain one ends after `PLAIN_SPECS` rows and specs and says how much it leaves out.
    """
    environment = html_environment(options.templates)
    diff = without_only_names(diff)
    rows = rows_of(diff, options.package_url, row_words(options.templates))
    plain = _plain(rows)
    outline = outline_of(diff, "package")
    style = inline_part(environment, "report.css")
    script = inline_part(environment, "report.js")
    yield render_template(
        environment,
        "report.html.j2",
        version=diff.snapdiff,
        sides=[_side("Old", diff.old), _side("New", diff.new)],
        title=shown(options.title),
        is_empty=diff.is_empty(),
        outline=outline,
        totals=kind_counts(outline.table.total, outline.table.kinds),
        filters=_filters(diff),
        stack_names=[*diff.filters.stack_names, *diff.renamed_stacks],
        because=diff.filters.because,
        explicit=bool(diff.filters.explicit),
        has_stack_names=any(name for row in rows for name in row.stacks),
        has_causes=any(row.causes for row in rows),
        has_along=any(row.is_dependency for row in rows),
        symbols=SYMBOLS,
        tags=pictures_of(diff),
        rows=plain,
        row_count=len(rows),
        left=len(rows) - len(plain),
        skipped=diff.skipped,
        configuration=diff.configuration,
        data=trusted(data_of(rows)),
        style=style,
        script=script,
        style_hash=content_hash(style),
        script_hash=content_hash(script),
    )


def _plain(rows: Sequence[TableRow]) -> list[PlainRow]:
    """Return the rows to write as plain HTML: the first ones, which need attention most."""
    plain = []
    room = PLAIN_SPECS
    for row in rows:
        if room <= 0:
            break
        listed = min(row.specs, room)
        plain.append(PlainRow(row, first_specs(row.groups, listed), row.specs - listed))
        room -= 1 + listed
    return plain


def _side(name: str, revision: Revision) -> RevisionText:
    day = shown(revision.date or "")
    if revision.date:
        with contextlib.suppress(ValueError):  # a date that is none is shown as it is
            day = f"{datetime.fromisoformat(revision.date):%Y-%m-%d %H:%M}"
    commit = shown(revision.commit or "")
    return RevisionText(
        name, shown(revision.source), commit, short_hash(commit), shown(revision.date or ""), day
    )


def _filters(diff: CatalogDiff) -> list[tuple[str, list[str]]]:
    """Return what the report was narrowed to, as pairs of a word and globs."""
    found = ((name, getattr(diff.filters, name)) for name in ("tag", "stack", "package", "kind"))
    return [(name, [shown(glob) for glob in globs]) for name, globs in found if globs]
