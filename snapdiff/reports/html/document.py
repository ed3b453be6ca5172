"""One HTML file that needs nothing else: what changed, as a table to search and filter.

The table is there twice: as JSON for the script, each way to build specs once, and as
plain HTML, which the script takes away.
"""

from collections.abc import Iterator, Mapping
from itertools import groupby
from typing import Any

import msgspec

from snapdiff.reports import ReportOptions
from snapdiff.reports.html.rows import RowTable, with_first_specs
from snapdiff.reports.html.writing import inline_part, link_of, trusted
from snapdiff.reports.moves.statuses import SIGNS
from snapdiff.reports.names import tag_names, with_path_of_both
from snapdiff.reports.outline import outline_of
from snapdiff.reports.templates import block_values, environment_of, plain_words, render_template
from snapdiff.result.changes import CatalogDiff
from snapdiff.safe_text import shown

PLAIN_SPECS = 2_000
"""How many rows and specs are written as plain HTML, for readers without scripts."""

MOST_STACKS = 3
"""How many stacks a row names before the others are counted; below it are those of each spec."""

LISTED_SPECS = 100_000
"""How many specs a report lists in all; where there are more, each row lists its first few."""

FIRST_SPECS = 10
"""How many specs a row of such a report lists."""

MOST_CAUSES = 12
"""How many causes of a tag have a bar before the others are counted; a search finds them all."""

_UNSAFE = {character: f"\\u{ord(character):04x}" for character in "<>&\u2028\u2029"}
"""What could end the element around the JSON, or a line within it."""


def render(diff: CatalogDiff, options: ReportOptions) -> Iterator[str]:
    """Yield the report: a complete HTML document that asks for nothing from anywhere."""
    environment = environment_of("html", options)
    outline = outline_of(diff, "package", has_table=True)
    words = plain_words(options.templates, outline.noun, MOST_STACKS)
    reasons = {tag_names(block.tag): block.reasons for block in outline.tags}
    numbers = []
    for _, of_tag in groupby(outline.counted.rows, lambda row: id(row.tag)):
        counted = list(of_tag)
        tag = counted[0].tag
        why = reasons.get(tag_names(tag))
        if tag.status != "changed" or len(counted) > 1 or (why and why.specs):
            numbers.append((tag, counted, why))
    table = RowTable(outline, words, options.package_url)
    values = block_values(outline, lists_all=True)
    style, style_hash = inline_part(environment, "report.css")
    script, script_hash = inline_part(environment, "report.js")
    yield render_template(
        environment,
        "report.html.j2",
        version=diff.snapdiff,
        diff=with_path_of_both(diff),
        **values,
        link=link_of(options.package_url),
        title=shown(options.title),
        is_empty=diff.is_empty() and not diff.skipped,
        symbols=SIGNS,
        most_causes=MOST_CAUSES,
        numbers=numbers,
        table=table,
        plain=list(table.first(PLAIN_SPECS)),
        built=list(table.built),
        places=list(table.places),
        data=trusted(_data_of(table, values["kind_names"])),
        style=style,
        script=script,
        style_hash=style_hash,
        script_hash=script_hash,
    )


def _data_of(table: RowTable, kinds: Mapping[str, str]) -> str:
    """Return the rows, and what they have the numbers of, as JSON that may stand in a script."""
    rows = table.rows
    if sum(row.specs for row in rows) > LISTED_SPECS:
        rows = [with_first_specs(row, FIRST_SPECS) for row in rows]
    return embedded(
        {
            "signs": SIGNS,
            "kinds": kinds,
            "classes": table.classes,
            "columns": list(map(shown, table.columns)),
            "tags": sorted({row.tag for row in rows}),
            "stacks": sorted({name for row in rows for name, *_ in row.stacks}),
            "built": list(table.built),
            "places": list(table.places),
            "causes": list(table.causes),
            "rows": rows,
            "lists_all": rows is table.rows,
        }
    )


def embedded(value: Any) -> str:
    """Return a value as JSON without a character that means something to HTML."""
    text = msgspec.json.encode(value).decode("utf-8")
    for character, escape in _UNSAFE.items():
        text = text.replace(character, escape)
    return text
