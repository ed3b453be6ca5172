"""The formats `markdown`, for release notes, `comment`, for a pull request, and `text`."""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from functools import partial
from itertools import count, islice
from typing import Any, NamedTuple

from msgspec.structs import replace

from snapdiff.reports import NOTHING_CHANGED, ReportOptions, marker_line
from snapdiff.reports.markdown import cut, links, web_address
from snapdiff.reports.moves.statuses import Status
from snapdiff.reports.names import shortened, with_path_of_both
from snapdiff.reports.outline import Outline, outline_of
from snapdiff.reports.outline.groups import FEW_QUIET, Group
from snapdiff.reports.outline.opening import Opening
from snapdiff.reports.outline.parts import Part
from snapdiff.reports.templates import Folds, block_values, environment_of, render_page
from snapdiff.reports.terminal import PLAIN_WIDTH, grid, in_window, legend, painter
from snapdiff.result.changes import CatalogDiff
from snapdiff.safe_text import shown, visible

MOST_CHARACTERS = 60_000
"""A GitHub comment holds 65,536 characters; a bot may want to add a line or two."""

_MOST_OFFENDING = 10
"""How many lines say why a gate failed; the reports and the run's log have all of them."""

_SHORT_COMMENT = 30
"""How many lines a comment has, blank ones aside, before some of them are folded."""

_ENOUGH = 0.98
"""How much of the room is used before no further text is tried: each takes as long as a report."""

_SHORTEST_LINE = 8
"""How many characters a line has at the least: what cannot fit need not be rendered to be known."""


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


def render_markdown(diff: CatalogDiff, options: ReportOptions) -> Iterator[str]:
    """Yield the report, never over its limit, but for one with every spec that has none.

    Raises ReportError where not even its first lines fit.
    """
    outline = _outline(diff, options, has_table=True)
    default = None if options.detail else MOST_CHARACTERS
    yield _fitted(outline, _text(diff, options), options.max_length or default)


def render_comment(diff: CatalogDiff, options: ReportOptions) -> Iterator[str]:
    """Yield the comment: a line that no reader sees, then the report, never over the limit.

    A short one has no fold. Raises ReportError where the marker's name could end the invisible
    line.
    """
    marker = f"{marker_line(options.marker)}\n"
    if _is_empty(diff, options):
        marker += f"{NOTHING_CHANGED}\n"
    page = _text(diff, options)

    def rendered(outline: Outline, extent: Extent) -> str:
        if len(_lines_by_weight(outline)) <= _SHORT_COMMENT:
            text = page(outline, extent._replace(folds="none"))
            if sum(map(bool, text.splitlines())) <= _SHORT_COMMENT:
                return f"{marker}{text}"
        return f"{marker}{page(outline, extent._replace(folds='all'))}"

    most = MOST_CHARACTERS if options.max_length is None else options.max_length
    yield _fitted(_outline(diff, options), rendered, most)


def render_text(diff: CatalogDiff, options: ReportOptions) -> Iterator[str]:
    """Yield the report for a terminal, as wide as its window; without `color` no control codes."""
    width = options.width or PLAIN_WIDTH
    paint = painter(color=options.color)
    outline = _outline(diff, options)
    text = render_page(
        environment_of("text", options),
        "report.j2",
        **_values(diff, replace(options, report_url="", offending=()), Extent(shortened=False)),
        **block_values(outline, lists_all=options.detail, on_terminal=True),
        link=shown,
        grid=partial(grid, width=width, paint=paint),
    )
    signs = legend(text, outline.counted, outline.noun)
    yield from in_window(f"{text}\n{signs}" if signs else text, width)


def _outline(diff: CatalogDiff, options: ReportOptions, **layout: bool) -> Outline:
    return outline_of(diff, options.group_by, details=options.detail, **layout)


def _text(diff: CatalogDiff, options: ReportOptions) -> Rendered:
    """Return what writes an outline of a diff as Markdown."""
    environment = environment_of("markdown", options)

    def text(outline: Outline, extent: Extent) -> str:
        return render_page(
            environment,
            "report.j2",
            **_values(diff, options, extent),
            **block_values(outline, lists_all=options.detail, folds=extent.folds),
            link=links(options.package_url if extent.has_links else ""),
        )

    return text


def _values(diff: CatalogDiff, options: ReportOptions, extent: Extent) -> dict[str, Any]:
    """Return what the template of a report asks for, that of its blocks aside."""
    return {
        "diff": with_path_of_both(diff),
        "is_empty": _is_empty(diff, options),
        "title": visible(options.title),
        "stat": options.stat,
        "report_url": web_address(options.report_url),
        "shortened": extent.shortened,
        "left_out": extent.left_out,
        "offending": shortened(options.offending, _MOST_OFFENDING),
    }


def _is_empty(diff: CatalogDiff, options: ReportOptions) -> bool:
    return diff.is_empty() and not diff.skipped and not options.offending


# --- A report that must not be longer than so many characters: as much news as fits ---


def _fitted(outline: Outline, rendered: Rendered, most: int | None) -> str:
    """Return the fullest text of at most `most` characters; it says what it leaves out.

    First the specs go, then the links, then lines, from the least important, as long as there is
    room for all that somebody should look at; then the table of counts, and what else is said, what
    is needed least first. Raises ReportError where not even the first lines fit.
    """
    full = Extent(shortened=False, has_links=True)
    if most is None:
        return rendered(outline, full)
    if len(_lines_by_weight(outline)) * _SHORTEST_LINE <= most:
        less = _shorter(outline)
        without_specs = [(less, Extent(has_links=True))] if less != outline else []
        for it, extent in [(outline, full), *without_specs]:
            text = rendered(it, extent)
            if len(text) <= most:
                return text
    text = ""
    for less, left_out, least in _ever_less(outline):
        text = _most_lines(less, least, rendered, Extent(left_out=left_out), most)
        if len(text) <= most:
            return text
    return cut(text, most)


def _most_lines(outline: Outline, least: int, rendered: Rendered, extent: Extent, most: int) -> str:
    """Return a text with as many of the lines as have room, and with the `least` at any rate."""
    lines = _lines_by_weight(outline)
    texts: dict[int, str] = {}

    def length(number: int) -> int:
        texts[number] = rendered(_shorter(outline, lines[:number]), extent)
        return len(texts[number])

    fits, highest = least, max(least, min(len(lines), most // _SHORTEST_LINE))
    if length(least) > most or length(highest) <= most:
        return texts[highest if highest in texts else least]
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

    Those are all of products as long as there are dependencies to leave out; then all that somebody
    should look at and that is not named above the lines, as long as there is anything else.
    """
    left_out: tuple[str, ...] = ()
    needed = [it for it in Status if not it.is_quiet]
    yield outline, left_out, _product_lines(outline, needed)
    for words, without in _NEEDED_LEAST.items():
        less = without(outline)
        needed = [it for it in Status if it.is_news] if words == _DEPENDENCIES else needed
        if less != outline:
            outline, left_out = less, (*left_out, words)
            yield outline, left_out, _product_lines(outline, needed)
    yield outline, left_out, 1


def _product_lines(outline: Outline, classes: Collection[Status]) -> int:
    """Return how many lines and rows there are about products, or packages, of some classes."""
    parts = (part for tag in outline.tags for part in tag.parts if part.about != "dependencies")
    return sum(it.size for part in parts for it in part.groups if it.status in classes)


def _each_tag(outline: Outline, **fields: Any) -> Outline:
    return replace(outline, tags=tuple(replace(tag, **fields) for tag in outline.tags))


def _each_part(outline: Outline, changed: Callable[[Part], Part]) -> Outline:
    tags = (replace(tag, parts=tuple(map(changed, tag.parts))) for tag in outline.tags)
    return replace(outline, tags=tuple(tags))


def _without_whole_names(outline: Outline) -> Outline:
    one, other = (it._replace(whole="", commit_id="") for it in outline.sides)
    return replace(outline, sides=(one, other))


def _without_table(outline: Outline) -> Outline:
    is_table = len(outline.counted.rows) > 1
    return replace(outline, counted=replace(outline.counted, rows=())) if is_table else outline


def _without_told(outline: Outline) -> Outline:
    """Return an outline without lines about products that it begins with, where it names these."""
    named = {it.status for it in outline.names_below if not it.loses_builds}

    def without_told(part: Part) -> Part:
        if not named or part.about == "dependencies":
            return part
        return replace(part, groups=tuple(map(told_above, part.groups)))

    def told_above(group: Group) -> Group:
        if not (group.steps or group.status in named):
            return group
        return replace(group, lines=(), table=None, names=(), is_told_above=True)

    return _each_part(outline, without_told)


def _without_dependencies(outline: Outline) -> Outline:
    tags = []
    for tag in outline.tags:
        parts = tuple(part for part in tag.parts if part.about != "dependencies")
        tags.append(replace(tag, parts=parts, reasons=None, only_rebuilt=()))
    return replace(outline, tags=tuple(tags))


def _without_tools_as_before(outline: Outline) -> Outline:
    tags = []
    for tag in outline.tags:
        toolchain = tag.toolchain and replace(tag.toolchain, as_before=())
        tags.append(replace(tag, toolchain=toolchain))
    return replace(outline, tags=tuple(tags))


def _without_toolchain(outline: Outline) -> Outline:
    """Return an outline without the list of the toolchain; of one tag the sentence has its news."""
    if outline.several_changed:
        return _each_tag(outline, toolchain=None)
    return _each_tag(outline, tells_toolchain=False)


_DEPENDENCIES = "dependencies, and why hashes differ"

_NEEDED_LEAST: dict[str, Callable[[Outline], Outline]] = {
    "the full names of both sides": _without_whole_names,
    "the table of counts": _without_table,
    "details of what is named above": _without_told,
    _DEPENDENCIES: _without_dependencies,
    "what packages have more builds with": partial(
        _each_part, changed=lambda it: replace(it, new_builds=None)
    ),
    "which tools are as before": _without_tools_as_before,
    "the toolchain": _without_toolchain,
    "what many packages share": partial(_each_tag, opening=Opening()),
}
"""What is left out of a report that is too long, what is needed least first, and how."""


def _lines_by_weight(outline: Outline) -> list[int]:
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

    return _each_part(outline, shorter)


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
