"""The answers of `snapdiff why` and `snapdiff missing`: in text, in Markdown and in JSON."""

from collections.abc import Iterator
from itertools import groupby
from typing import Any

import msgspec

from snapdiff.reports.markdown_text import Links
from snapdiff.reports.names import side_name, side_names
from snapdiff.reports.options import ReportOptions
from snapdiff.reports.templates import markdown_environment, render_page, text_environment
from snapdiff.reports.terminal import painter
from snapdiff.reports.why_outline import why_tags
from snapdiff.result.missing import MissingSpecs
from snapdiff.result.why import ExplainedPackage
from snapdiff.safe_text import shown


def render_answer(
    found: ExplainedPackage | MissingSpecs, format_name: str, options: ReportOptions
) -> Iterator[str]:
    """Yield an answer in one of its formats; raises ReportError where a template fails."""
    if format_name == "json":
        yield msgspec.json.encode(found).decode("utf-8")
        yield "\n"
        return
    if format_name == "markdown":
        environment = markdown_environment(options.templates)
        values: dict[str, Any] = {"link": Links(options.package_url)}
    else:
        environment = text_environment(options.templates, painter(color=options.color))
        values = {"link": shown}
    if isinstance(found, MissingSpecs):
        name = "missing.j2"
        some = groupby(found.missing, key=lambda item: item.environment)
        values["environments"] = [(environment, list(specs)) for environment, specs in some]
        values["wanted"] = list(map(side_name, found.wanted))
        values["catalog"] = side_name(found.catalog)
    else:
        name = "why.j2"
        values["sides"] = side_names(found.old, found.new)
        values["tags"] = why_tags(found)
    yield render_page(environment, name, found=found, folds_all=False, **values)
