"""A template of the user's own: the data of the JSON report, in the user's words."""

from collections.abc import Iterator

from msgspec import to_builtins

from snapdiff.errors import ReportError
from snapdiff.reports.options import ReportOptions
from snapdiff.reports.templates import user_template
from snapdiff.result import CatalogDiff


def render(diff: CatalogDiff, options: ReportOptions) -> Iterator[str]:
    """Yield what the template makes of the report; its keys are the template's variables.

    Raises ReportError, which names the template's file and line.
    """
    if options.template is None:
        raise ReportError("no template is named")
    yield user_template(options.template, to_builtins(diff))
