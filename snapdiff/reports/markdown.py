"""GitHub-flavoured Markdown: untrusted text shown as it is, and the blocks of a report.

A value is always put in code: there it is neither emphasis nor link, and GitHub makes no mention
(`@name`), no issue link (`#1`) and no commit link (a hexadecimal word) of it.
"""

import re
from collections.abc import Callable, Collection, Iterable, Sequence
from itertools import pairwise
from typing import Any
from urllib.parse import quote

from snapdiff.errors import ReportError
from snapdiff.reports.moves.statuses import SIGNS
from snapdiff.reports.names import counted, tag_label
from snapdiff.reports.outline.counts import CountTable
from snapdiff.reports.outline.groups import Group
from snapdiff.reports.outline.product_table import ProductCell, signs_in
from snapdiff.safe_text import LONGEST, shown

_DITTO = "″"
"""What a cell says where the one to its left says the same; a dot is as short."""

_NEEDS_ENTITIES = re.compile(r"[`|]|^ | $|^$")
_URL_CHARACTERS = "!#$%&'()*+,/:;=?@[]~"
_NEEDS_BRACKETS = re.compile(r"[^A-Za-z0-9!#$%&*+,/:;=?@~._-]")
_WEB_ADDRESS = re.compile(r"https?://[^\s<>]+")
_SPECIAL = re.compile(r"[!-,./:-@\[-`{-~]")


def code(text: str) -> str:
    """Return a value as Markdown code, safe in a paragraph, a list, a table and a link.

    A backtick would end a code span, and a `|` a table cell even inside one (a backslash before it
    makes escaping it impossible there), so such a value becomes an HTML element instead, each
    special character an entity.
    """
    seen = shown(text)
    return _code_element(seen) if _NEEDS_ENTITIES.search(seen) else f"`{seen}`"


def _code_element(seen: str) -> str:
    """Return what is shown of a value as an HTML element, also where Markdown is not read.

    GitHub makes links of addresses (`a@b.example`, `http://…`, `www.…`) in any text, even one that
    is written in entities: a comment that nobody sees cuts them.
    """

    def entity(found: re.Match[str]) -> str:
        return f"{'<!-- -->' if found[0] in '@:.' else ''}&#{ord(found[0])};"

    return f"<code>{_SPECIAL.sub(entity, seen)}</code>"


def links(url: str) -> Callable[[str], str]:
    """Return what writes a package as code that links to its page, the first time it is named."""
    named: set[str] = set()

    def link(package: str) -> str:
        if package in named:
            return code(package)
        named.add(package)
        return linked(package, url)

    return link


def linked(package: str, url: str) -> str:
    """Return a package's name as code that links to its page."""
    if not url or len(package) > LONGEST or not package.isprintable():  # no package has such a name
        return code(package)
    target = url.replace("{package}", quote(package, safe=""))
    if _NEEDS_BRACKETS.search(target):
        target = f"<{quote(target, safe=_URL_CHARACTERS)}>"
    return f"[{code(package)}]({target})"


def web_address(url: str) -> str:
    """Return an address that may be linked to, as it is; raises ReportError for any other text."""
    if url and not _WEB_ADDRESS.fullmatch(url):
        raise ReportError(f"{url}: no web address to link to; it begins with https:// or http://")
    return url


# --- Blocks ---


def paragraph(words: str) -> str:
    """Return words with a blank line above and below: of several, one stays in the end."""
    return f"\n\n{words}\n\n" if words else ""


def listed(caller: Callable[[], str]) -> str:
    """Return items, one below the other, and the blank lines around them."""
    return paragraph("\n".join(line for line in caller().splitlines() if line.strip()))


def lists_apart(text: str) -> str:
    """Return Markdown in which nobody takes two lists for one: a comment parts them."""
    return re.sub(r"(?m)^( *- .*)\n\n(?=- )", r"\1\n\n<!-- -->\n\n", text)


def _item(sign: str, words: str, below: Iterable[str] = ()) -> str:
    """Return an item of a list, with items `below` it; a bare `+` would begin another list."""
    symbol = SIGNS.get(sign, sign).replace("+", "\\+")
    return "\n".join([f"- {symbol}{' ' if symbol else ''}{words}", *(f"  - {it}" for it in below)])


def _heading(words: str, level: int) -> str:
    """Return a heading; of level 0 words in bold, that are in no list of contents."""
    return paragraph(f"{'#' * level} {words}" if level else f"**{words}**")


def _strong(words: str) -> str:
    """Return words in bold."""
    return f"**{words}**"


def _fold(words: str) -> str:
    """Return the beginning of a fold; its summary is no Markdown any more."""
    summary = re.sub("`([^`]+)`", lambda found: _code_element(found[1]), words)
    return paragraph(f"<details><summary>{summary}</summary>")


def _end_fold() -> str:
    """Return the end of a fold."""
    return paragraph("</details>")


def _address(words: str, url: str) -> str:
    """Return a link to an address that was checked."""
    return f"[{words}](<{url}>)"


def _drawn(lines: Sequence[str]) -> str:
    """Return a drawing line by line, as code that nothing in it ends."""
    longest = max((len(run) for line in lines for run in re.findall("`+", line)), default=0)
    fence = "`" * max(3, longest + 1)
    return paragraph("\n".join([f"{fence}text", *lines, fence]))


def _table(lines: Sequence[Sequence[str]], numbers: int = 0) -> str:
    """Return a table of words, the head first."""
    head, *rows = lines
    # The last columns are of numbers, on the right.
    rule = f"|{':--|' * (len(head) - numbers)}{'--:|' * numbers}"
    return "\n".join([_cells(head), rule, *map(_cells, rows)])


def _cells(words: Sequence[str]) -> str:
    return f"| {' | '.join(words)} |"


def _grid(table: CountTable, noun: str) -> str:
    """Return the table of counts: a row a stack, a column a kind; nothing for zero."""
    has_unchanged = bool(table.unchanged)
    columns = table.columns(noun)
    heads = [it.head.capitalize() for it in columns]
    heads += ["Unchanged", "All", "Builds"] * has_unchanged
    first = ["Tag"] if table.several_tags else []
    lines = [[*first, noun.capitalize(), *heads]]
    for row in table.rows:
        tag = [tag_label(row.tag, code)] if table.several_tags else []
        numbers = [row.number(it.kind) for it in columns]
        numbers += [row.unchanged or 0, row.total or 0] * has_unchanged
        name = row.in_words(noun, code)
        cells = [f"{it:,}" if it else "" for it in numbers]
        cells += [row.builds_in_words] * has_unchanged
        lines.append([*tag, name, *cells])
    return paragraph(_table(lines, len(heads)))


def _product_table(
    groups: Sequence[Group],
    title: Callable[[Group], str],
    legend: Callable[[Collection[str]], str],
    link: Callable[[str], str],
) -> str:
    """Return the table of products, a column a stack: of each group its title, then its rows."""
    stacks = next(group.table.stacks for group in groups if group.table)
    body: list[list[str]] = []
    signs: set[str] = set()
    for group in groups:
        body.append([f"**{title(group)}**", *[""] * len(stacks)])
        for package, cells in group.table.rows.items() if group.table else ():
            told = _product_row(cells)
            body.append([link(package), *told])
            signs |= signs_in(told)
        if group.left_out:
            body.append([f"and {counted(group.left_out, 'more product')}", *[""] * len(stacks)])
    table = _table([["Product", *map(code, stacks)], *body])
    return paragraph(legend(signs)) + paragraph(table)


def _product_row(cells: Sequence[ProductCell | None]) -> list[str]:
    """Return the cells of a product in words, or with a sign where the one on the left is alike."""
    words = [cell.in_words(code) if cell else "" for cell in cells]
    is_same = [it == left and len(it.strip("()")) > 1 for left, it in pairwise(["", *words])]
    return [_DITTO if same else it for same, it in zip(is_same, words, strict=True)]


FUNCTIONS: dict[str, Any] = {
    "item": _item,
    "heading": _heading,
    "strong": _strong,
    "listed": listed,
    "fold": _fold,
    "end_fold": _end_fold,
    "paragraph": paragraph,
    "address": _address,
    "drawn": _drawn,
    "grid": _grid,
    "product_table": _product_table,
}
"""What templates call."""
