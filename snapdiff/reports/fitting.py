"""A report that must not be longer than so many characters: as much news as fits."""

from collections import Counter
from collections.abc import Callable
from typing import NamedTuple, Protocol

from msgspec.structs import replace

from snapdiff.errors import ReportError
from snapdiff.reports.groups import FEW_QUIET, Group
from snapdiff.reports.outline import Folds, Outline
from snapdiff.reports.tag_block import Part

_SHORTEST_LINE = 8
"""How many characters a line has at the least: what cannot fit need not be rendered to be known."""


class Extent(NamedTuple):
    """How much a text has beside its lines; `shortened` is to say that something is left out."""

    shortened: bool = True
    has_links: bool = False
    has_table: bool = True
    folds: Folds = "dependencies"


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
        without_specs = _with_parts(outline, lambda part, _place: replace(part, details=()))
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
    bare = replace(outline, tags=(), headlines=())
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


def number_of_lines(outline: Outline) -> int:
    """Return how many lines of packages and rows of products an outline has."""
    return len(_lines_by_weight(outline))


_Place = tuple[int, int, int]
"""The numbers of a tag, of a part in it, and of a group in that."""


def _lines_by_weight(outline: Outline) -> list[_Place]:
    """Return the place of each line: products first, then the worst, then each part's first."""
    found = [
        (part.about == "dependencies", group.status, position, (tag_number, number, group_number))
        for tag_number, tag in enumerate(outline.tags)
        for number, part in enumerate(tag.parts)
        for group_number, group in enumerate(part.groups)
        for position in range(group.size)
    ]
    return [place for *_, place in sorted(found)]


def with_at_most(outline: Outline, most: int) -> Outline:
    """Return an outline without details and with at most so many lines of packages.

    Products keep their lines before dependencies, the worst groups before others, and of one status
    each part keeps its first before any its second.
    """
    room = Counter(_lines_by_weight(outline)[:most])

    def shortened(part: Part, place: tuple[int, int]) -> Part:
        groups = [_shortened(it, room[*place, number]) for number, it in enumerate(part.groups)]
        return replace(part, groups=tuple(groups), details=())

    return _with_parts(outline, shortened)


def _with_parts(outline: Outline, changed: Callable[[Part, tuple[int, int]], Part]) -> Outline:
    """Return an outline with each part changed; its place are the numbers of its tag and it."""
    return replace(
        outline,
        tags=tuple(
            replace(
                tag,
                parts=tuple(
                    changed(part, (tag_number, number)) for number, part in enumerate(tag.parts)
                ),
            )
            for tag_number, tag in enumerate(outline.tags)
        ),
    )


def _shortened(group: Group, most: int) -> Group:
    """Return a group with so many lines or rows at most; of mere names only the first stay."""
    if group.table:
        rows = group.table.rows
        table = replace(group.table, rows=rows[:most])
        left_out = len(rows) - len(table.rows)
        return replace(group, table=table if most else None, lines=(), left_out=left_out)
    told = {name for line in group.lines[:most] for name in line.packages}
    every = {name for line in group.lines for name in line.packages}
    return replace(
        group,
        lines=group.lines[:most],
        names=group.names[: FEW_QUIET * most],
        elsewhere=group.elsewhere if most else 0,
        left_out=len(every - told) + len(group.names[FEW_QUIET * most :]),
    )
