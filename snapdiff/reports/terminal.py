"""The blocks of a report on a terminal: painted, and broken where the window is narrow."""

import re
import textwrap
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from typing import Any, NamedTuple

from snapdiff.reports.markdown import listed, paragraph
from snapdiff.reports.moves.statuses import LOOKS, SIGNS, name_of_kind
from snapdiff.reports.names import tag_label
from snapdiff.reports.outline.counts import CountTable
from snapdiff.safe_text import shown

Paint = Callable[[str, str], str]
"""Colours a text in a style."""

PLAIN_WIDTH = 120
"""How many columns a report has that goes to no window."""

_NARROW = 60
"""How many columns a window has at least where the table has all its columns."""

_NARROWEST_NAME = 10
"""How many columns the names in the table have, however narrow the window."""

_WIDEST_NAME = 42
"""How many columns the names in the table have at most: a longer one is broken."""

_BELOW = "    - "
"""What an item begins with that is below another one."""

_INDENT = "      "
"""What the rest of a broken item begins with."""

_STYLES = {"heading": "1", "quiet": "2"} | {kind.value: look.color for kind, look in LOOKS.items()}
"""The control codes (ECMA-48, SGR) of a heading, of what is beside the point, and of kinds."""

_SHORT = 4
"""How many lines of packages need no legend."""

_ITEM = re.compile("^(?:  |- )[^ ] ", re.MULTILINE)

_SIGN_HEADS = re.compile(f"^[a-z ]+?(?: +(?:[{''.join(SIGNS.values())}]|same|all))+$", re.MULTILINE)
"""The head of a table of counts that has signs for the kinds."""

MORE = "\x1f"
"""Stands in a text, where no catalog can have it, behind what is only counted, and is not seen."""

_CODES = re.compile("\x1b\\[[0-9;]*m")


def painter(*, color: bool) -> Paint:
    """Return what colours a text in a style; without `color` the text stays as it is."""

    def paint(text: str, style: str) -> str:
        """Return a text as it is; on a terminal, in the colour of a kind."""
        return f"\x1b[{_STYLES[style]}m{text}\x1b[0m" if color and text else text

    return paint


def broken(line: str, width: int) -> str:
    """Return a line broken between words where it is wider than the window; no word is broken."""
    if len(line) <= width or _shown_width(line) <= width:
        return line.rstrip(" ")
    lines, indent = [""], _INDENT if line.startswith(" ") else ""  # an item begins with a blank
    if line.startswith(_BELOW):
        indent += "  "
    for word in re.findall(r" *[^ ]+", line):
        if lines[-1] and _shown_width(lines[-1] + word) > width:
            lines.append(indent + word.lstrip(" "))
        else:
            lines[-1] += word
    return "\n".join(lines)


def in_window(text: str, width: int | None) -> Iterator[str]:
    """Yield the lines of a text, each broken where it is wider than the window, if there is one.

    The last one says what shows all of what is only counted, if anything is.
    """
    for line in text.replace(MORE, "").splitlines():
        yield f"{broken(line, width or PLAIN_WIDTH)}\n"
    if MORE in text:
        yield "\n--detail lists all of what is only counted here, or named in part.\n"


def _shown_width(text: str) -> int:
    """Return how wide a text is on a terminal: control codes take no room."""
    return len(_CODES.sub("", text))


def legend(text: str, table: CountTable, noun: str) -> str:
    """Return what the signs in a text mean, in one line; nothing of few lines without a table."""
    plain = _CODES.sub("", text)
    is_table = _SIGN_HEADS.search(plain)
    if len(_ITEM.findall(plain)) <= _SHORT and not is_table:
        return ""
    words = set(plain.split())
    heads = {it.kind: it.head for it in table.columns(noun)} if is_table else {}
    return ", ".join(
        f"{sign} {heads.get(kind) or name_of_kind(kind, noun)}"
        for kind, (sign, _, _) in LOOKS.items()
        if sign in words
    )


def functions(paint: Paint) -> dict[str, Any]:
    """Return what templates call, but for `grid`, which has to know how wide the window is."""

    def item(sign: str, words: str, below: Iterable[str] = ()) -> str:
        symbol = SIGNS.get(sign, sign)
        painted = paint(symbol, sign) if sign in _STYLES else symbol
        first = f"  {painted}{' ' if symbol else ''}{words}"
        return "\n".join([first, *(f"{_BELOW}{it}" for it in below)])

    return {
        "item": item,
        "heading": lambda words, _level: paragraph(paint(words, "heading")),
        "strong": lambda words: paint(words, "heading"),
        "paragraph": paragraph,
        "listed": listed,
        "fold": lambda words: paragraph(paint(words, "heading")),
        "end_fold": lambda: "",
        "drawn": lambda lines: paragraph("\n".join(f"  {line}" for line in lines)),
        "address": lambda words, url: f"{words}: {url}",
    }


def grid(table: CountTable, noun: str, *, width: int, paint: Paint) -> str:
    """Return the table of counts; where the window is narrow, signs stand for the kinds."""
    indent = "  " if table.several_tags else ""
    names = [
        f"{tag_label(row.tag)} ({name})" if row.tag.status != "changed" else f"{indent}{name}"
        for row in table.rows
        for name in [row.in_words(noun, shown)]
    ]
    longest = min(max(map(len, [noun, *names])), _WIDEST_NAME)
    layouts = list(_layouts(table, noun))
    columns = next(
        (some for some in layouts if longest + sum(it.width for it in some) <= width),
        layouts[-2 if width >= _NARROW else -1],
    )
    sizes = [it.width for it in columns]
    room = min(longest, max(width - sum(sizes), _NARROWEST_NAME))

    def line(name: str, cells: Iterable[str]) -> list[str]:
        first, *rest = textwrap.wrap(name, room, subsequent_indent=indent + "  ") or [""]
        return [first.ljust(room) + "".join(cells), *rest]

    words = line(noun, (it.head.rjust(it.width) for it in columns))
    lines = [paint(text, "quiet") for text in words]
    tag = None
    for place, (row, name) in enumerate(zip(table.rows, names, strict=True)):
        if name.startswith("  ") and row.tag is not tag:
            tag = row.tag
            lines.append(tag_label(tag))
        lines += line(name, (it.cell(place, paint) for it in columns))
    return paragraph("\n".join(lines))


class _Column(NamedTuple):
    """A column of numbers, or of others, one for each row."""

    head: str
    width: int
    style: str
    cells: Sequence[str]

    def cell(self, row: int, paint: Paint) -> str:
        """Return what it has of a row, or a dot where it is none."""
        text = (self.cells[row] or "·").rjust(self.width)
        style = self.style if self.cells[row] else "quiet"
        return paint(text, style) if style else text


def _layouts(table: CountTable, noun: str) -> Iterator[list[_Column]]:
    """Yield the columns in ever less room: words with builds, words, signs, signs without sums."""
    found = table.columns(noun)
    kinds = [[row.number(it.kind) for row in table.rows] for it in found]
    words = [it.head for it in found]
    signs = [LOOKS[it.kind].sign for it in found]
    unchanged = [row.unchanged or 0 for row in table.rows]
    totals = [row.total or 0 for row in table.rows]
    builds = [row.builds_in_words for row in table.rows]
    digits = len(f"{max(chain(totals, *kinds)):,}")
    for heads, names in (
        (words, ("unchanged", "all", "builds")),
        (words, ("same", "all")),
        (signs, ("same", "all")),
        (signs, ()),
    ):
        columns = [
            (head, it.kind.value, _numbers(some))
            for head, it, some in zip(heads, found, kinds, strict=True)
        ]
        sums = [("quiet", _numbers(unchanged)), ("", _numbers(totals)), ("", builds)]
        if table.unchanged:
            columns += [(name, *it) for name, it in zip(names, sums, strict=False)]
        yield [
            _Column(
                head, max(len(head), digits, *map(len, some)) + (2 if names else 1), style, some
            )
            for head, style, some in columns
        ]


def _numbers(some: Iterable[int]) -> list[str]:
    return [f"{it:,}" if it else "" for it in some]
