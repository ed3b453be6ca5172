"""One HTML file that needs nothing else: a picture per stack, and a table to search and filter."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from snapdiff.reports.html.data import data_of
from snapdiff.reports.html.picture import pictures_of
from snapdiff.reports.html.rows import SpecGroup, TableRow, first_specs, rows_of
from snapdiff.reports.html.writing import content_hash, inline_part, link_of, trusted
from snapdiff.reports.names import readable
from snapdiff.reports.options import ReportOptions
from snapdiff.reports.outline import block_values, outline_of
from snapdiff.reports.package_counts import count_table
from snapdiff.reports.package_lines import SYMBOLS
from snapdiff.reports.templates import html_environment, plain_words, render_template
from snapdiff.result import CatalogDiff
from snapdiff.safe_text import shown

PLAIN_SPECS = 2_000
"""How many rows and specs are written as plain HTML, for readers without scripts."""


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
    diff = readable(diff)
    outline = outline_of(diff, "package", has_table=True)
    counted = count_table(diff)
    pictures = pictures_of(counted)
    rows = rows_of(pictures, plain_words(options.templates, outline.noun))
    plain = _plain(rows)
    style = inline_part(environment, "report.css")
    script = inline_part(environment, "report.js")
    yield render_template(
        environment,
        "report.html.j2",
        version=diff.snapdiff,
        diff=diff,
        **block_values(outline),
        link=link_of(options.package_url),
        title=shown(options.title),
        is_empty=diff.is_empty() and not diff.skipped,
        kinds=counted.kinds,
        columns=counted.counted_kinds,
        has_losses=counted.has_losses,
        symbols=SYMBOLS,
        has_sums=counted.total.total is not None,
        has_places=any(row.where for row in rows),
        has_tables=any(part.has_table for tag in outline.tags for part in tag.parts),
        has_causes=any(row.causes for row in rows),
        has_dependencies=any(row.line.is_dependency for row in rows),
        has_products=any(not row.line.is_dependency for row in rows),
        tags=pictures,
        rows=plain,
        row_count=len(rows),
        left=len(rows) - len(plain),
        data=trusted(data_of(rows, options.package_url)),
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
