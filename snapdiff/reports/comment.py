"""A pull-request comment: the Markdown report, found again by its marker, never over the limit."""

import re
from collections.abc import Iterator

from snapdiff.errors import ReportError
from snapdiff.reports.markdown import fitted
from snapdiff.reports.options import ReportOptions
from snapdiff.result import CatalogDiff

MOST_CHARACTERS = 60_000
"""A GitHub comment holds 65,536 characters; a bot may want to add a line or two."""

_NAME = re.compile(r"[A-Za-z0-9._/]+(?:-[A-Za-z0-9._/]+)*")


def render(diff: CatalogDiff, options: ReportOptions) -> Iterator[str]:
    """Yield the comment: a line that no reader sees, then the report.

    Raises ReportError where the marker's name could end the invisible line.
    """
    if not _NAME.fullmatch(options.marker):
        raise ReportError(
            f"{options.marker!r}: a marker is made of letters, digits and . _ / with single dashes"
        )
    marker = f"<!-- {options.marker} -->\n"
    most = MOST_CHARACTERS if options.max_length is None else options.max_length
    yield marker + fitted(diff, options, most - len(marker))
