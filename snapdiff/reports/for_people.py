"""The formats `markdown`, for release notes, `comment`, for a pull request, and `text`."""

from collections.abc import Iterator
from functools import partial
from typing import Any

from msgspec.structs import replace

from snapdiff.reports import NOTHING_CHANGED, ReportOptions, marker_line
from snapdiff.reports.fitting import Extent, Rendered, fitted, lines_by_weight
from snapdiff.reports.markdown import links, web_address
from snapdiff.reports.names import shortened, with_path_of_both
from snapdiff.reports.outline import outline_of
from snapdiff.reports.outline.outline import Outline
from snapdiff.reports.templates import block_values, environment_of, render_page
from snapdiff.reports.terminal import PLAIN_WIDTH, grid, in_window, legend, painter
from snapdiff.result.changes import CatalogDiff
from snapdiff.safe_text import shown, visible

MOST_CHARACTERS = 60_000
"""A GitHub comment holds 65,536 characters; a bot may want to add a line or two."""

_MOST_OFFENDING = 10
"""How many lines say why a gate failed; the reports and the run's log have all of them."""

_SHORT_COMMENT = 30
"""How many lines a comment has, blank ones aside, before some of them are folded."""


def render_markdown(diff: CatalogDiff, options: ReportOptions) -> Iterator[str]:
    """Yield the report, never over its limit, but for one with every spec that has none.

    Raises ReportError where not even its first lines fit.
    """
    outline = _outline(diff, options, has_table=True)
    most = None if options.detail else MOST_CHARACTERS
    most = most if options.max_length is None else options.max_length
    yield fitted(outline, _text(diff, options), most)


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
        if len(lines_by_weight(outline)) <= _SHORT_COMMENT:
            text = page(outline, extent._replace(folds="none"))
            if sum(map(bool, text.splitlines())) <= _SHORT_COMMENT:
                return f"{marker}{text}"
        return f"{marker}{page(outline, extent._replace(folds='all'))}"

    most = MOST_CHARACTERS if options.max_length is None else options.max_length
    yield fitted(_outline(diff, options), rendered, most)


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


def _outline(diff: CatalogDiff, options: ReportOptions, *, has_table: bool = False) -> Outline:
    return outline_of(diff, options.group_by, details=options.detail, has_table=has_table)


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
