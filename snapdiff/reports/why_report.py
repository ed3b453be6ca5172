"""The answer of `snapdiff why`: in text, in Markdown and in JSON."""

import re
from collections.abc import Callable, Iterator

import msgspec

from snapdiff.reports.markdown_text import code
from snapdiff.reports.options import ReportOptions
from snapdiff.reports.templates import markdown_environment, render_template, text_environment
from snapdiff.reports.why_outline import WhyEntry, why_tags
from snapdiff.result.why import ExplainedPackage
from snapdiff.safe_text import shown

Render = Callable[[ExplainedPackage, ReportOptions], Iterator[str]]


def render_text(found: ExplainedPackage, options: ReportOptions) -> Iterator[str]:
    """Yield the answer for a terminal."""
    environment = text_environment(options.templates, lambda text, _style: text)
    tags = why_tags(found, shown)
    yield render_template(environment, "why.txt.j2", found=found, tags=tags)


def render_markdown(found: ExplainedPackage, options: ReportOptions) -> Iterator[str]:
    """Yield the answer in Markdown, each tree in a code block."""
    environment = markdown_environment(options.templates)
    environment.filters["fence"] = _fence
    tags = why_tags(found, code)
    yield render_template(environment, "why.md.j2", found=found, tags=tags, url=options.package_url)


def render_json(found: ExplainedPackage, _options: ReportOptions) -> Iterator[str]:
    """Yield the answer on one line."""
    yield msgspec.json.encode(found).decode("utf-8")
    yield "\n"


RENDERERS: dict[str, Render] = {
    "text": render_text,
    "markdown": render_markdown,
    "json": render_json,
}
"""What `-f` may name."""


def _fence(entry: WhyEntry) -> str:
    """Return a fence that nothing in the tree of an entry ends."""
    runs = [run for line in entry.lines for run in re.findall("`+", line)]
    return "`" * max(3, 1 + max(map(len, runs), default=0))
