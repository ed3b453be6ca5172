"""The terminal: news first, a table of stacks, a line a package, as wide as the window."""

import textwrap
from collections.abc import Callable, Iterator
from typing import NamedTuple

from snapdiff.reports.options import ReportOptions
from snapdiff.reports.outline import outline_of
from snapdiff.reports.package_counts import CountRow, CountTable, PackageCounts
from snapdiff.reports.severity import SYMBOLS
from snapdiff.reports.short_list import tag_names
from snapdiff.reports.templates import render_template, text_environment
from snapdiff.reports.terminal import PLAIN_WIDTH, broken, painter
from snapdiff.result import CatalogDiff
from snapdiff.safe_text import shown, visible

_NARROW = 60
"""How many columns a window has at least where the table has all its columns."""

_NARROWEST_NAME = 10
"""How many columns the names in the table have, however narrow the window."""


def render(diff: CatalogDiff, options: ReportOptions) -> Iterator[str]:
    """Yield the report; without `color` it holds no control codes."""
    width = options.width or PLAIN_WIDTH

    paint = painter(color=options.color)

    def grid(table: CountTable, name_of: Callable[[CountRow], str]) -> str:
        return "\n".join(_grid(table, name_of, width, paint))

    environment = text_environment(options.templates, paint)
    environment.filters["grid"] = grid
    text = render_template(
        environment,
        "report.txt.j2",
        diff=diff,
        outline=outline_of(diff, options.group_by or "package", details=options.detail),
        title=visible(options.title),
        detail=options.detail,
        stat=options.stat,
    )
    for line in text.splitlines():
        yield f"{broken(line, width)}\n"


class _Columns(NamedTuple):
    """The columns of numbers that fit beside the names: their heads and how wide they are."""

    heads: list[str]
    sizes: list[int]


def _grid(
    table: CountTable,
    name_of: Callable[[CountRow], str],
    width: int,
    paint: Callable[[str, str], str],
) -> Iterator[str]:
    """Yield the table line by line; where the window is narrow, signs stand for the kinds."""
    indent = "  " if table.several_tags else ""
    names = [
        name_of(row) if row.fate in ("tag removed", "tag added") else indent + name_of(row)
        for row in table.rows
    ]
    longest = max(map(len, ["stack", *names]))
    columns = next(
        (some for some in _columns(table) if longest + sum(some.sizes) <= width),
        list(_columns(table))[-2 if width >= _NARROW else -1],
    )
    room = min(longest, max(width - sum(columns.sizes), _NARROWEST_NAME))

    def line(name: str, cells: list[str]) -> Iterator[str]:
        first, *rest = textwrap.wrap(name, room, subsequent_indent=indent + "  ") or [""]
        yield first.ljust(room) + "".join(cells)
        yield from rest

    heads = [head.rjust(size) for head, size in zip(columns.heads, columns.sizes, strict=True)]
    yield from (paint(text, "quiet") for text in line("stack", heads))
    tag = None
    for row, name in zip(table.rows, names, strict=True):
        if name.startswith("  ") and row.tag is not tag:
            tag = row.tag
            yield " → ".join(map(shown, tag_names(tag)))
        yield from line(name, _cells(table, row.counts, columns.sizes, paint))
    if len(table.rows) > 1:
        yield from line("total", _cells(table, table.total, columns.sizes, paint))


def _columns(table: CountTable) -> Iterator[_Columns]:
    """Yield the ways to head the columns of numbers, the widest first."""
    numbers = [*table.total.by_kind.values(), table.total.total or 0]
    digits = max(len(f"{number:,}") for number in numbers)
    words, signs = [kind.value for kind in table.kinds], [SYMBOLS[kind] for kind in table.kinds]
    sums = [] if table.total.total is None else ["unchanged", "all"]
    for heads, gap in ((words + sums, 2), (signs + sums, 2), (signs, 1)):
        yield _Columns(heads, [max(len(head), digits) + gap for head in heads])


def _cells(
    table: CountTable,
    counts: PackageCounts,
    sizes: list[int],
    paint: Callable[[str, str], str],
) -> list[str]:
    numbers = [(counts.by_kind.get(kind, 0), kind.value) for kind in table.kinds]
    if table.total.total is not None:
        numbers += [(counts.unchanged or 0, "quiet"), (counts.total or 0, "")]
    cells = []
    for (number, style), size in zip(numbers[: len(sizes)], sizes, strict=True):
        text = (f"{number:,}" if number else "·").rjust(size)
        cells.append(paint(text, style if number else "quiet") if style or not number else text)
    return cells
