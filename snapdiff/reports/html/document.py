"""One HTML file that needs nothing else: what changed, as a table to search and filter.

The table is there twice: as JSON for the script, each text once and rows as short lists, and as
plain HTML, which the script takes away.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import count, groupby
from typing import Any, NamedTuple

import msgspec
from msgspec.structs import replace

from snapdiff.reports import ReportOptions
from snapdiff.reports.html.rows import (
    RowClass,
    TableRow,
    classes_of,
    columns_of,
    first_specs,
    is_quiet,
    rows_of,
)
from snapdiff.reports.html.writing import address_of, content_hash, inline_part, link_of, trusted
from snapdiff.reports.names import tag_label, tag_names
from snapdiff.reports.outline import block_values, outline_of
from snapdiff.reports.package_counts import CountRow
from snapdiff.reports.stack_reasons import Reasons
from snapdiff.reports.statuses import SIGNS, WORST_FIRST
from snapdiff.reports.templates import environment_of, plain_words, render_template
from snapdiff.result import CatalogDiff, TagDiff
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
    """Yield the report: a complete HTML document that asks for nothing from anywhere.

    The plain table ends after `PLAIN_SPECS` rows and specs and says how much it leaves out.
    """
    environment = environment_of("html", options)
    outline = outline_of(diff, "package", has_table=True)
    words = plain_words(options.templates, outline.noun, outline.rebuilt, MOST_STACKS)
    reasons = {tag_names(block.tag): block.reasons for block in outline.tags}
    tags = []
    for _, of_tag in groupby(outline.counted.rows, lambda row: id(row.tag)):
        counted = tuple(of_tag)
        tag = counted[0].tag
        tags.append(TagNumbers(tag, tag_label(tag), counted, reasons.get(tag_names(tag))))
    columns = columns_of(outline)
    rows = rows_of(outline, words, has_cells=bool(columns))
    classes = classes_of(rows, outline, words)
    style = inline_part(environment, "report.css")
    script = inline_part(environment, "report.js")
    yield render_template(
        environment,
        "report.html.j2",
        version=diff.snapdiff,
        diff=diff,
        **block_values(outline, lists_all=True),
        link=link_of(options.package_url),
        title=shown(options.title),
        is_empty=diff.is_empty() and not diff.skipped,
        symbols=SIGNS,
        most_causes=MOST_CAUSES,
        has_product_news=not all(row.is_dependency or is_quiet(row.worst) for row in rows),
        has_dependencies=any(row.is_dependency for row in rows),
        tags=tags,
        classes=classes,
        columns=columns,
        cells={words for row in rows for words in row.cells},
        rows=list(_plain(rows)),
        row_count=len(rows),
        data=trusted(_data_of(rows, classes, columns, options.package_url)),
        style=style,
        script=script,
        style_hash=content_hash(style),
        script_hash=content_hash(script),
    )


class TagNumbers(NamedTuple):
    """The numbers of a tag: packages by stack, and specs by cause."""

    tag: TagDiff
    label: str
    rows: tuple[CountRow, ...]
    reasons: Reasons | None


def _plain(rows: Iterable[TableRow]) -> Iterator[TableRow]:
    """Yield the first rows, which need attention most, with their first specs."""
    room = PLAIN_SPECS
    for row in rows:
        if room <= 0:
            return
        yield replace(row, groups=first_specs(row.groups, room))
        room -= 1 + row.specs


# --- The rows as JSON ---


def _numbered(values: Iterable[Any] = ()) -> dict[Any, int]:
    """Return what gives each value a number when it is first asked for: first these, in order."""
    numbers = count()
    return defaultdict(numbers.__next__, zip(values, numbers, strict=False))


def _data_of(
    rows: Sequence[TableRow],
    classes: Mapping[int, RowClass],
    columns: Sequence[str],
    package_url: str,
) -> str:
    """Return the rows as JSON that may stand inside a script element.

    `packages`, `stacks` and `tags` are sorted, so that the script sorts rows by their numbers.
    `package_url` is the address of a package's page with `{package}` in it, or empty.
    """
    packages = _numbered(sorted({row.package for row in rows}))
    stacks = _numbered(sorted({stack for row in rows for stack in row.stacks}))
    tags = _numbered(sorted({row.tag for row in rows}))
    built, places, differences, reasons, causes = (_numbered() for _ in range(5))
    numbers = _numbered(classes)
    most = LISTED_SPECS if sum(row.specs for row in rows) <= LISTED_SPECS else FIRST_SPECS
    encoded = [
        [
            tags[row.tag],
            packages[row.package],
            numbers[row.worst],
            int(row.is_dependency),
            [[WORST_FIRST.index(kind), words] for kind, words in row.moves],
            row.cells,
            [[stacks[name], it.specs, numbers[it.worst]] for name, it in row.stacks.items()],
            row.specs,
            [causes[cause] for cause in row.causes],
            [
                [
                    group.kind,
                    differences[group.differences],
                    built[group.built],
                    [[*pair.hashes, places[pair.stacks]] for pair in group.pairs],
                    reasons[group.reason],
                ]
                for group in first_specs(row.groups, most)
            ],
        ]
        for row in rows
    ]
    return embedded(
        {
            "kinds": [[kind, SIGNS[kind]] for kind in WORST_FIRST],
            "classes": [list(found[:4]) for found in classes.values()],
            "columns": list(map(shown, columns)),
            "tags": list(tags),
            "packages": list(map(shown, packages)),
            "links": [address_of(name, package_url) for name in packages],
            "stacks": list(map(shown, stacks)),
            "places": [[stacks[name] for name in names] for names in places],
            "built": list(built),
            "differences": list(differences),
            "reasons": list(reasons),
            "causes": list(causes),
            "rows": encoded,
        }
    )


def embedded(value: Any) -> str:
    r"""Return a value as JSON without a character that means something to HTML.

    >>> embedded(["</script>"])
    '["\\u003c/script\\u003e"]'
    """
    text = msgspec.json.encode(value).decode("utf-8")
    for character, escape in _UNSAFE.items():
        text = text.replace(character, escape)
    return text
