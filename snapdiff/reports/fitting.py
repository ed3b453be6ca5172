"""A report that must not be longer than so many characters: as much news of it as fits."""

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from itertools import count, islice
from typing import NamedTuple

from msgspec.structs import replace

from snapdiff.errors import ReportError
from snapdiff.reports.left_out import DEPENDENCIES, NEEDED_LEAST, NEEDED_MOST, each_part
from snapdiff.reports.moves.statuses import Status
from snapdiff.reports.outline.groups import FEW_QUIET, Group
from snapdiff.reports.outline.outline import Outline
from snapdiff.reports.outline.parts import Part
from snapdiff.reports.templates import Folds

_ENOUGH = 0.98
"""How much of the room is used before no further text is tried: each takes as long as a report."""

_SHORTEST_LINE = 8
"""How many characters a line has at the least: what cannot fit need not be rendered to be known."""

_ABOVE_OTHERS = re.compile(r"\n|#|<details>|\*\*[^*\n]*\*\*\n")
"""The beginning of a line that says nothing without those below it."""


class Extent(NamedTuple):
    """How much a text has beside its lines; `shortened` is to say that something is left out.

    `left_out` names what is left out without a number.
    """

    shortened: bool = True
    left_out: tuple[str, ...] = ()
    has_links: bool = False
    folds: Folds = "dependencies"


Rendered = Callable[[Outline, Extent], str]
"""Makes text of an outline."""


def fitted(outline: Outline, rendered: Rendered, most: int | None) -> str:
    """Return the fullest text of at most `most` characters; it says what it leaves out.

    First the specs go, then the links, then lines, the least important first, while there is room
    for all that is news; then what else is said, what is needed least first. Raises ReportError.
    """
    full = Extent(shortened=False, has_links=True)
    if most is None:
        return rendered(outline, full)
    if len(lines_by_weight(outline)) * _SHORTEST_LINE <= most:
        less = _shorter(outline)
        without_specs = [(less, Extent(has_links=True))] if less != outline else []
        for it, extent in [(outline, full), *without_specs]:
            text = rendered(it, extent)
            if len(text) <= most:
                return text
    steps = list(_ever_less(outline))
    shortest: dict[int, str] = {}

    def fits(number: int) -> bool:
        less, left_out, least = steps[number]
        shortest[number] = _with_lines(least, less, rendered, Extent(left_out=left_out))
        return len(shortest[number]) <= most

    first = bisect_left(range(len(steps)), True, key=fits)  # each takes as long as a report
    if first == len(steps):
        return _cut(shortest[first - 1], most)
    less, left_out, least = steps[first]
    return _most_lines(less, {least: shortest[first]}, rendered, Extent(left_out=left_out), most)


def _with_lines(number: int, outline: Outline, rendered: Rendered, extent: Extent) -> str:
    """Return a text with so many of the lines, the most important first."""
    lines = lines_by_weight(outline)
    less = _shorter(outline, lines[:number])
    only_links = number == len(lines) and not extent.left_out and less == outline
    of_text = extent._replace(left_out=("links of packages",)) if only_links else extent
    return rendered(less, of_text)


def _most_lines(
    outline: Outline, texts: dict[int, str], rendered: Rendered, extent: Extent, most: int
) -> str:
    """Return a text with as many of the lines as have room; `texts` has that of the least."""

    def length(number: int) -> int:
        if number not in texts:
            texts[number] = _with_lines(number, outline, rendered, extent)
        return len(texts[number])

    [fits] = texts
    highest = max(fits, min(len(lines_by_weight(outline)), most // _SHORTEST_LINE))
    if length(highest) <= most:
        return texts[highest]
    while highest - fits > 1 and len(texts[fits]) < _ENOUGH * most:
        # Lines are about as long as one another; where they are not, halves find the place as well.
        share = (most - len(texts[fits])) / (len(texts[highest]) - len(texts[fits]))
        share = 0.5 if len(texts) % 3 == 0 else share
        number = fits + min(max(round((highest - fits) * share), 1), highest - fits - 1)
        if length(number) <= most:
            fits = number
        else:
            highest = number
    return texts[fits]


def _ever_less(outline: Outline) -> Iterator[tuple[Outline, tuple[str, ...], int]]:
    """Yield an outline with ever less in it, what is left out, and how many lines have to fit.

    Those are all of products as long as there are dependencies to leave out; then all of what is
    news and not named above the lines, as long as there is anything else; in the end one.
    """
    left_out: tuple[str, ...] = ()
    needed = [it for it in Status if not it.is_quiet]
    yield outline, left_out, _product_lines(outline, needed)
    for words, without in NEEDED_LEAST.items():
        less = without(outline)
        needed = [it for it in Status if it.is_news] if words == DEPENDENCIES else needed
        if less != outline:
            outline = less
            # Readers ask for these first: the last is told first.
            left_out = tuple(sorted((*left_out, words), key=lambda it: it == DEPENDENCIES))
            yield outline, left_out, _product_lines(outline, needed)
    yield outline, left_out, 1
    for words, without in NEEDED_MOST.items():
        less = without(outline)
        if less != outline:
            outline, left_out = less, (*left_out, words)
            yield outline, left_out, 1


def _product_lines(outline: Outline, classes: Collection[Status]) -> int:
    """Return how many lines and rows there are about products, or packages, of some classes."""
    parts = (part for tag in outline.tags for part in tag.parts if part.about != "dependencies")
    return sum(it.size for part in parts for it in part.groups if it.status in classes)


def _cut(text: str, most: int) -> str:
    """Return the first lines of a text, and what it says is left out, if that is short beside them.

    A fold that is open after them ends there. Raises ReportError where not even the first fits.
    """
    lines = text.splitlines(keepends=True)
    kept, open_folds, closed, whole = "", 0, "", ""
    for line in lines:
        open_folds += line.startswith("<details>") - line.startswith("</details>")
        left = "\n… and more, left out to fit.\n" + "\n</details>\n" * open_folds
        if len(kept) + len(line) + len(left) > most:
            if not kept:
                message = f"a report of {most} characters is too short to say anything"
                raise ReportError(f"{message}; allow more with --max-length")
            is_title = all(it.startswith(("#", "<!--")) for it in kept.split("\n") if it)
            first = _first_words(line, most - len(kept + left)) if is_title else ""
            return kept + first + closed if is_title else whole
        kept, closed = kept + line, left
        if not _ABOVE_OTHERS.match(line):
            whole = kept + closed
    return text


def _first_words(sentence: str, most: int) -> str:
    """Return what of a sentence fits, up to a comma outside of code; nothing where none does."""
    ends = (at for at, it in enumerate(sentence[: max(most - 1, 0)]) if it == ",")
    whole = [at for at in ends if sentence[:at].count("`") % 2 == 0]
    return f"{sentence[: whole[-1]]}\n" if whole else ""


def lines_by_weight(outline: Outline) -> list[int]:
    """Return the number of its group for each line and row, the most important first."""
    parts = (part for tag in outline.tags for part in tag.parts)
    groups = ((part.about == "dependencies", group) for part in parts for group in part.groups)
    # Of one status each part's first line comes before any second.
    weights = sorted(
        (is_dependency, group.status, position, number)
        for number, (is_dependency, group) in enumerate(groups)
        for position in range(group.size)
    )
    return [number for *_, number in weights]


def _shorter(outline: Outline, lines: Iterable[int] | None = None) -> Outline:
    """Return an outline without details, and of each group as many of these lines as it has."""
    room, numbers = Counter(lines), count()

    def shorter(part: Part) -> Part:
        groups = part.groups
        if lines is not None:
            groups = tuple(_shortened(group, room[next(numbers)]) for group in groups)
        return replace(part, groups=groups, details=())

    return each_part(shorter)(outline)


def _shortened(group: Group, most: int) -> Group:
    """Return a group with so many lines or rows at most; of mere names only the first stay."""
    if group.is_told_above:
        return group
    if group.table:
        rows = dict(islice(group.table.rows.items(), most))
        table = group.table._replace(rows=rows) if most else None
        left_out = len(group.table.rows) - len(rows)
        return replace(group, table=table, lines=(), steps=(), left_out=left_out)
    told = {name for line in group.lines[:most] for name in line.packages}
    names = group.names[: FEW_QUIET * max(most - len(group.lines), 0)]
    untold = len({name for line in group.lines[most:] for name in line.packages})
    return replace(
        group,
        lines=group.lines[:most],
        names=names,
        named_at=group.named_at if names == group.names else (),
        steps=tuple(it for it in group.steps if it[0] in told),
        left_out=untold + len(group.names) - len(names),
    )
