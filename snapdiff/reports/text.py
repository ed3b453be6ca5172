"""The format `text`, for a terminal: as wide as the window."""

from collections.abc import Iterator
from functools import partial

from snapdiff.reports.groups import FEW_QUIET
from snapdiff.reports.names import ShortList
from snapdiff.reports.options import ReportOptions
from snapdiff.reports.outline import outline_of
from snapdiff.reports.templates import render_page, text_environment
from snapdiff.reports.terminal import PLAIN_WIDTH, broken, grid, legend, painter
from snapdiff.result import CatalogDiff
from snapdiff.safe_text import shown, visible


def render(diff: CatalogDiff, options: ReportOptions) -> Iterator[str]:
    """Yield the report; without `color` it holds no control codes."""
    width = options.width or PLAIN_WIDTH
    paint = painter(color=options.color)
    outline = outline_of(diff, options.group_by or "package", details=options.detail)
    text = render_page(
        text_environment(options.templates, paint),
        "report.j2",
        diff=diff,
        outline=outline,
        is_empty=diff.is_empty() and not diff.skipped,
        title=visible(options.title),
        stat=options.stat,
        lists_all=options.detail,
        noun=outline.noun,
        rebuilt=outline.rebuilt,
        report_url="",
        shortened=False,
        has_table=True,
        can_fold=False,
        most_names=FEW_QUIET,
        folds_all=False,
        more_at="" if options.detail else "(--detail lists them)",
        offending=ShortList((), 0),
        link=shown,
        grid=partial(grid, width=width, paint=paint),
    )
    for line in [*text.splitlines(), *legend(text, outline.rebuilt)]:
        yield f"{broken(line, width)}\n"
