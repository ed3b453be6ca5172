"""Sections as one HTML file that needs nothing else: news first, specs in folds."""

from collections.abc import Iterable, Iterator

from snapdiff import __version__
from snapdiff.changelog.asked import Asked
from snapdiff.changelog.section_outline import SectionOutline
from snapdiff.reports.html.inline import content_hash, inline_part, trusted
from snapdiff.reports.templates import html_environment, render_template


def render(sections: Iterable[SectionOutline], asked: Asked) -> Iterator[str]:
    """Yield the whole changelog, newest first: a complete HTML document."""
    environment = html_environment(asked.options.templates)
    style = trusted(
        inline_part(environment, "report.css") + inline_part(environment, "changelog.css")
    )
    yield render_template(
        environment,
        "changelog.html.j2",
        version=__version__,
        asked=asked,
        sections=list(sections)[::-1],
        style=style,
        style_hash=content_hash(style),
    )
