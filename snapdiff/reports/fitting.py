"""A report that must not be longer than so many characters: as much news as fits."""

from typing import Literal, NamedTuple, Protocol

from msgspec.structs import replace

from snapdiff.errors import ReportError
from snapdiff.reports.outline import Outline
from snapdiff.reports.package_lines import rank
from snapdiff.reports.product_table import ProductTable
from snapdiff.reports.tag_block import KindBlock
from snapdiff.result import Kind

_SHORTEST_LINE = 8
"""How many characters a line has at the least: what cannot fit need not be rendered to be known."""


class Extent(NamedTuple):
    """How much a text has beside its lines; `shortened` is to say that something is left out."""

    shortened: bool = True
    has_links: bool = False
    has_table: bool = True
    folds: Literal["none", "dependencies", "all"] = "dependencies"


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


def number_of_lines(outline: Outline) -> int:
    """Return how many lines of packages and rows of products an outline has."""
    return len(_lines_by_weight(outline))


_Place = tuple[int, int, int]
"""The numbers of a tag, of a part in it, and of a kind in that; -1 for the table of products."""


def _lines_by_weight(outline: Outline) -> list[_Place]:
    """Return the place of each line: products first, then kinds, then each part's first lines."""
    found = []
    for tag_number, tag in enumerate(outline.tags):
        for number, part in enumerate(tag.parts):
            is_dependency = part.about == "dependencies"
            rows = part.table.rows if part.table else ()
            for position, row in enumerate(rows):
                found.append((is_dependency, rank(row.kind), position, (tag_number, number, -1)))
            for kind_number, kind in enumerate(part.kinds):
                place = (tag_number, number, kind_number)
                for position in range(len(kind.lines)):
                    last = rank(kind.kind or Kind.REBUILT)
                    found.append((is_dependency, last, position, place))
    return [place for *_, place in sorted(found)]


def with_at_most(outline: Outline, most: int) -> Outline:
    """Return an outline without details and with at most so many lines of packages.

    Products keep their lines before dependencies, the worst kinds before others, and of one kind
    each stack keeps its first before any its second.
    """
    room: dict[_Place, int] = {}
    for place in _lines_by_weight(outline)[:most]:
        room[place] = room.get(place, 0) + 1

    def table(found: ProductTable | None, place: _Place) -> ProductTable | None:
        kept = room.get(place, 0)
        if found is None:
            return None
        return replace(found, rows=found.rows[:kept], left_out=len(found.rows) - kept)

    def block(kind: KindBlock, place: _Place) -> KindBlock:
        kept = room.get(place, 0)
        left_out = sum(len(line.packages) for line in kind.lines[kept:])
        return replace(kind, lines=kind.lines[:kept], left_out=left_out)

    return replace(
        outline,
        tags=tuple(
            replace(
                tag,
                parts=tuple(
                    replace(
                        part,
                        table=table(part.table, (tag_number, number, -1)),
                        kinds=tuple(
                            block(kind, (tag_number, number, kind_number))
                            for kind_number, kind in enumerate(part.kinds)
                        ),
                        details=(),
                    )
                    for number, part in enumerate(tag.parts)
                ),
            )
            for tag_number, tag in enumerate(outline.tags)
        ),
    )
