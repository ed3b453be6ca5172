"""A report that must not be longer than so many characters: as much news as fits."""

from typing import NamedTuple, Protocol

from msgspec.structs import replace

from snapdiff.errors import ReportError
from snapdiff.reports.outline import Outline, number_of_lines, with_at_most

_SHORTEST_LINE = 8
"""How many characters a line has at the least: what cannot fit need not be rendered to be known."""


class Extent(NamedTuple):
    """How much a text has beside its lines; `shortened` is to say that something is left out."""

    shortened: bool = True
    has_links: bool = False
    has_table: bool = True


class Rendered(Protocol):
    """Makes text of an outline."""

    def __call__(self, outline: Outline, extent: Extent, /) -> str:
        """Return the text."""
        ...


def fitted(outline: Outline, rendered: Rendered, most: int | None) -> str:
    """Return the fullest text of at most `most` characters; it says what it leaves out.

    First the specs go, then the links, then as few lines as need be, from the least important, and
    the table of counts. Raises ReportError where not even the first lines fit.
    """
    full = Extent(shortened=False, has_links=True)
    if most is None:
        return rendered(outline, full)
    if number_of_lines(outline) * _SHORTEST_LINE <= most:
        without_specs = with_at_most(outline, number_of_lines(outline))
        for less, extent in ((outline, full), (without_specs, Extent(has_links=True))):
            text = rendered(less, extent)
            if len(text) <= most:
                return text
    for has_table in (True, False):
        text = _most_lines(outline, rendered, Extent(has_table=has_table), most)
        if text:
            return text
    return _without_lines(outline, rendered, most)


def _most_lines(outline: Outline, rendered: Rendered, extent: Extent, most: int) -> str:
    """Return the text with as many package lines as fit; empty where not a single one does."""
    best = ""
    fewest = 1
    number = min(number_of_lines(outline), most // _SHORTEST_LINE)
    too_many = number + 1
    while fewest < too_many:
        text = rendered(with_at_most(outline, number), extent)
        if len(text) <= most:
            best, fewest = text, number + 1
        else:
            too_many = number
        number = (fewest + too_many) // 2
    return best


def _without_lines(outline: Outline, rendered: Rendered, most: int) -> str:
    """Return the text without any line of packages: with no table, and cut where it must be."""
    bare = replace(outline, tags=())
    for has_table in (True, False):
        text = rendered(bare, Extent(has_table=has_table))
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
