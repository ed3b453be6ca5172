"""The formats `markdown`, for release notes, and `comment`, for a pull request."""

from collections.abc import Iterator

from snapdiff.reports.comment_lines import NOTHING_CHANGED, marker_line
from snapdiff.reports.fitting import Extent, fitted
from snapdiff.reports.groups import MOST_NAMES
from snapdiff.reports.markdown_text import Links, web_address
from snapdiff.reports.names import shortened
from snapdiff.reports.options import ReportOptions
from snapdiff.reports.outline import Outline, outline_of
from snapdiff.reports.templates import markdown_environment, render_page
from snapdiff.result import CatalogDiff
from snapdiff.safe_text import visible

MOST_CHARACTERS = 60_000
"""A GitHub comment holds 65,536 characters; a bot may want to add a line or two."""

_MOST_OFFENDING = 10
"""How many lines say why a gate failed; the reports and the run's log have all of them."""

_SHORT_COMMENT = 30
"""How many lines a comment has, blank ones aside, before some of them are folded."""


def render(diff: CatalogDiff, options: ReportOptions) -> Iterator[str]:
    """Yield the report, with less in it the shorter `max_length` asks for it to be.

    Raises ReportError where not even its first lines fit.
    """
    outline = _outline(diff, options)
    page = _Page(diff, options)
    yield fitted(outline, page.text, options.max_length)


def render_comment(diff: CatalogDiff, options: ReportOptions) -> Iterator[str]:
    """Yield the comment: a line that no reader sees, then the report, never over the limit.

    A short one has no fold. Raises ReportError where the marker's name could end the invisible
    line.
    """
    marker = f"{marker_line(options.marker)}\n"
    page = _Page(diff, options)
    if page.is_empty:
        marker += f"{NOTHING_CHANGED}\n"
    most = MOST_CHARACTERS if options.max_length is None else options.max_length
    outline = _outline(diff, options)

    def rendered(outline: Outline, extent: Extent) -> str:
        text = page.text(outline, extent._replace(folds="none"))
        if sum(map(bool, text.splitlines())) > _SHORT_COMMENT:
            text = page.text(outline, extent._replace(folds="all"))
        return f"{marker}{text}"

    yield fitted(outline, rendered, most)


def _outline(diff: CatalogDiff, options: ReportOptions) -> Outline:
    return outline_of(diff, options.group_by or "package", details=options.detail, has_table=True)


class _Page:
    """Writes an outline as Markdown."""

    def __init__(self, diff: CatalogDiff, options: ReportOptions) -> None:
        self._diff = diff
        self._options = options
        self._environment = markdown_environment(options.templates)
        self.is_empty = diff.is_empty() and not diff.skipped and not options.offending

    def text(self, outline: Outline, extent: Extent) -> str:
        """Return the whole page."""
        options = self._options
        return render_page(
            self._environment,
            "report.j2",
            diff=self._diff,
            outline=outline,
            is_empty=self.is_empty,
            title=visible(options.title),
            stat=options.stat,
            lists_all=options.detail,
            noun=outline.noun,
            rebuilt=outline.rebuilt,
            report_url=web_address(options.report_url),
            shortened=extent.shortened,
            has_table=extent.has_table,
            can_fold=extent.folds != "none",
            folds_all=extent.folds == "all",
            more_at="",
            most_names=MOST_NAMES,
            offending=shortened(options.offending, _MOST_OFFENDING),
            link=Links(options.package_url if extent.has_links else ""),
        )
