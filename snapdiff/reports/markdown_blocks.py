"""The blocks of a report in Markdown: headings, lists, folds, tables."""

import re
from collections.abc import Callable, Sequence
from typing import Any

from snapdiff.reports.groups import ProductTable
from snapdiff.reports.markdown_text import code, number
from snapdiff.reports.names import tag_names
from snapdiff.reports.package_counts import CountRow, CountTable, name_of_row
from snapdiff.reports.package_lines import SYMBOLS
from snapdiff.result import Kind


def item(sign: str, words: str) -> str:
    """Return an item of a list; a bare `+` would begin another list in it."""
    symbol = SYMBOLS.get(sign, sign) if sign else ""  # type: ignore[call-overload]
    return f"- {symbol.replace('+', chr(92) + '+')}{' ' if symbol else ''}{words}"


def heading(words: str, level: int) -> str:
    """Return a heading; of level 0 words in bold, that are in no list of contents."""
    return paragraph(f"{'#' * level} {words}" if level else f"**{words}**")


def paragraph(words: str) -> str:
    """Return words with a blank line above and below: of several, one stays in the end."""
    return f"\n\n{words}\n\n" if words else ""


def listed(caller: Callable[[], str]) -> str:
    """Return items, one below the other, and the blank lines around them."""
    return paragraph("\n".join(line for line in caller().splitlines() if line.strip()))


def fold(words: str) -> str:
    """Return the beginning of a fold; its summary is no Markdown any more."""
    return paragraph(f"<details><summary>{words}</summary>")


def end_fold() -> str:
    """Return the end of a fold."""
    return paragraph("</details>")


def drawn(lines: Sequence[str]) -> str:
    """Return a drawing line by line, as code that nothing in it ends."""
    longest = max((len(run) for line in lines for run in re.findall("`+", line)), default=0)
    fence = "`" * max(3, longest + 1)
    return paragraph("\n".join([f"{fence}text", *lines, fence]))


def address(words: str, url: str) -> str:
    """Return a link to an address that was checked."""
    return f"[{words}](<{url}>)"


def rows(heads: Sequence[str]) -> str:
    """Return the head of a table of words."""
    return f"\n\n{cells(heads)}\n|{':--|' * len(heads)}"


def cells(words: Sequence[str]) -> str:
    """Return a row of a table."""
    return f"| {' | '.join(words)} |"


def grid(table: CountTable, noun: str, rebuilt: str) -> str:
    """Return the table of counts: a row a stack, a column a kind; nothing for zero."""
    has_sums, has_unchanged = table.total.total is not None, bool(table.total.unchanged)
    kinds = [
        {Kind.REBUILT: rebuilt}.get(kind, kind.value).capitalize() for kind in table.counted_kinds
    ]
    heads = [*kinds, *["Unchanged"] * has_unchanged, *["Packages"] * has_sums]
    first = ["Tag"] if table.several_tags else []
    lines = [
        cells([*first, noun.capitalize(), *heads]),
        f"|{':--|' * (len(first) + 1)}{'--:|' * len(heads)}",
    ]
    for row in table.rows:
        tag = [" → ".join(map(code, tag_names(row.tag)))] if table.several_tags else []
        numbers = [row.counts.by_kind.get(kind, 0) for kind in table.counted_kinds]
        numbers += [row.counts.unchanged or 0] * has_unchanged
        numbers += [row.counts.total or 0] * has_sums
        lines.append(cells([*tag, _name(row, noun), *(number(it) if it else "" for it in numbers)]))
    return paragraph("\n".join(lines))


def _name(row: CountRow, noun: str) -> str:
    return name_of_row(row, noun, code)


def products(table: ProductTable, link: Callable[[str], str]) -> str:
    """Return the table of products: a row a product, a column a stack."""
    body = [
        cells([link(row.package), *(cell.in_words(code) if cell else "" for cell in row.cells)])
        for row in table.rows
    ]
    return paragraph("\n".join([rows(["Product", *map(code, table.stacks)]), *body]))


FUNCTIONS: dict[str, Any] = {
    "item": item,
    "heading": heading,
    "listed": listed,
    "fold": fold,
    "end_fold": end_fold,
    "paragraph": paragraph,
    "address": address,
    "drawn": drawn,
    "rows": rows,
    "cells": cells,
    "grid": grid,
    "products": products,
}
"""What templates call."""
