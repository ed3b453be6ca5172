"""A report that must not be longer than so many characters: as much news as fits."""

from typing import Protocol

from msgspec.structs import replace

from snapdiff.errors import ReportError
from snapdiff.reports.outline import Outline, number_of_lines, with_at_most

_SHORTEST_LINE = 8
"""How many characters a line has at the least: what cannot fit need not be rendered to be known."""


class Rendered(Protocol):
    """Makes text of an outline; `shortened` is to say that something is left out."""

    def __call__(self, outline: Outline, /, *, shortened: bool, has_table: bool) -> str:
        """Return the text."""
        ...


def fitted(outline: Outline, rendered: Rendered, most: int | None) -> str:
    """Return the fullest text of at most `most` characters; it says what it leaves out.

    First go the specs, then as few lines as need be, from the least important, then the table of
    counts. Raises ReportError where not even the first lines fit.
    """
    if most is None:
        return rendered(outline, shortened=False, has_table=True)
    total = number_of_lines(outline)
    if total * _SHORTEST_LINE <= most:
        text = rendered(outline, shortened=False, has_table=True)
        if len(text) <= most:
            return text
    best = ""
    fewest, number = 0, min(total, most // _SHORTEST_LINE)
    too_many = number + 1
    while fewest < too_many:
        text = rendered(with_at_most(outline, number), shortened=True, has_table=True)
        if len(text) <= most:
            best, fewest = text, number + 1
        else:
            too_many = number
        number = (fewest + too_many) // 2
    return best or _fewest(outline, rendered, most)


def _fewest(outline: Outline, rendered: Rendered, most: int) -> str:
    """Return the text without any line of packages: with no table, and cut where it must be."""
    bare = replace(outline, tags=())
    for has_table in (True, False):
        text = rendered(bare, shortened=True, has_table=has_table)
        if len(text) <= most:
            return text
    return _cut(text, most)


def _cut(text: str, most: int) -> str:
    """Return the first lines of a text that has no folds."""
    lines = text.splitlines(keepends=True)
    kept: list[str] = []
    for position, line in enumerate(lines):
        left = f"\n… and {len(lines) - position:,} more lines, left out to fit.\n"
        if sum(map(len, kept)) + len(line) + len(left) > most:
            if not kept:
                raise ReportError(f"a report of {most} characters is too short to say anything")
            return "".join(kept) + left
        kept.append(line)
    return text
