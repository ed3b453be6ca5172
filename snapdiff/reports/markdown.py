"""Markdown for release notes."""

from collections.abc import Iterator

from snapdiff.reports.fitting import Extent, fitted
from snapdiff.reports.markdown_text import web_address
from snapdiff.reports.options import ReportOptions
from snapdiff.reports.outline import Outline, outline_of
from snapdiff.reports.templates import markdown_environment, render_template
from snapdiff.result import CatalogDiff
from snapdiff.safe_text import visible


def render(diff: CatalogDiff, options: ReportOptions) -> Iterator[str]:
    """Yield the report, with less in it the shorter `max_length` asks for it to be.

    Raises ReportError where not even its first lines fit.
    """
    environment = markdown_environment(options.templates)
    group_by = options.group_by or "package"

    def rendered(outline: Outline, extent: Extent) -> str:
        return render_template(
            environment,
            "report.md.j2",
            diff=diff,
            outline=outline,
            is_empty=diff.is_empty() and not diff.skipped,
            title=visible(options.title),
            url=options.package_url if extent.has_links else "",
            report_url=web_address(options.report_url),
            stat=options.stat,
            has_table=extent.has_table,
            has_anchors=group_by == "package",
            shortened=extent.shortened,
        )

    outline = outline_of(diff, group_by, details=not options.stat)
    yield fitted(outline, rendered, options.max_length)
