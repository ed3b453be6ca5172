"""A pull-request comment: found again by its marker, short to look at, never over the limit."""

from collections.abc import Iterator

from snapdiff.reports.comment_lines import NOTHING_CHANGED, marker_line
from snapdiff.reports.fitting import Extent, fitted
from snapdiff.reports.markdown_text import web_address
from snapdiff.reports.options import ReportOptions
from snapdiff.reports.outline import Outline, outline_of
from snapdiff.reports.short_list import shortened
from snapdiff.reports.templates import markdown_environment, render_template
from snapdiff.result import CatalogDiff
from snapdiff.safe_text import visible

MOST_CHARACTERS = 60_000
"""A GitHub comment holds 65,536 characters; a bot may want to add a line or two."""

_MOST_OFFENDING = 10
"""How many lines say why a gate failed; the reports and the run's log have all of them."""

_MOST_FOLDS = 5
"""How many stacks have a fold of their own before the others share one: each fold is a line."""


def render(diff: CatalogDiff, options: ReportOptions) -> Iterator[str]:
    """Yield the comment: a line that no reader sees, then the news, then a fold a stack.

    Raises ReportError where the marker's name could end the invisible line.
    """
    marker = marker_line(options.marker)
    environment = markdown_environment(options.templates)
    group_by = options.group_by or "stack"

    def rendered(outline: Outline, extent: Extent) -> str:
        blocks = [
            (tag, stack) for tag in outline.tags for stack in tag.stacks if stack.stack is not None
        ]
        folds = shortened(blocks, _MOST_FOLDS)
        return render_template(
            environment,
            "comment.md.j2",
            marker_line=marker,
            nothing_changed=NOTHING_CHANGED,
            diff=diff,
            outline=outline,
            is_empty=diff.is_empty() and not diff.skipped and not options.offending,
            offending=shortened(options.offending, _MOST_OFFENDING),
            title=visible(options.title),
            url=options.package_url if extent.has_links else "",
            report_url=web_address(options.report_url),
            has_table=extent.has_table,
            folds=folds,
            rest=blocks[len(folds.first) :],
            by_package=group_by == "package",
            shortened=extent.shortened,
        )

    most = MOST_CHARACTERS if options.max_length is None else options.max_length
    yield fitted(outline_of(diff, group_by, details=True), rendered, most)
