"""Sections on a terminal, as wide as the window."""

from collections.abc import Iterable, Iterator

from snapdiff.changelog.asked import Asked
from snapdiff.changelog.section_outline import SectionOutline
from snapdiff.reports.templates import render_template, text_environment
from snapdiff.reports.terminal import PLAIN_WIDTH, broken, painter


def render(sections: Iterable[SectionOutline], asked: Asked) -> Iterator[str]:
    """Yield the whole changelog, newest first; without `color` it holds no control codes."""
    environment = text_environment(asked.options.templates, painter(color=asked.options.color))
    texts = [
        render_template(environment, "changelog.txt.j2", section=section) for section in sections
    ]
    head = render_template(environment, "changelog_head.txt.j2", asked=asked, is_quiet=not texts)
    for text in (head, *reversed(texts)):
        for line in text.splitlines():
            yield f"{broken(line, asked.options.width or PLAIN_WIDTH)}\n"
