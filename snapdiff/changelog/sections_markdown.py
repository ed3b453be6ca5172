"""Sections as Markdown, in the manner of https://keepachangelog.com."""

from collections.abc import Iterable, Iterator

from snapdiff.changelog.asked import Asked
from snapdiff.changelog.markers import marker_line
from snapdiff.changelog.section_outline import SectionOutline
from snapdiff.reports.templates import markdown_environment, render_template


def render(sections: Iterable[SectionOutline], asked: Asked) -> Iterator[str]:
    """Yield the whole changelog, newest first; where nothing happened, it says between what."""
    texts = section_texts(sections, asked)
    yield from with_introduction(texts, asked, is_quiet=not texts)


def with_introduction(
    texts: Iterable[str], asked: Asked, *, is_quiet: bool = False
) -> Iterator[str]:
    """Yield what a changelog begins with, then some sections."""
    environment = markdown_environment(asked.options.templates)
    yield render_template(environment, "changelog_head.md.j2", asked=asked, is_quiet=is_quiet)
    for text in texts:
        yield f"\n{text}"


def section_texts(sections: Iterable[SectionOutline], asked: Asked) -> list[str]:
    """Return the sections as texts, each with its marker, newest first."""
    environment = markdown_environment(asked.options.templates)
    texts = [
        render_template(
            environment,
            "changelog.md.j2",
            marker=marker_line(*section.ends, asked.shaping),
            section=section,
            url=asked.options.package_url,
        )
        for section in sections
    ]
    texts.reverse()
    return texts
