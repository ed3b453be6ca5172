"""Sections as Markdown, in the manner of https://keepachangelog.com."""

from collections.abc import Iterable, Iterator

from snapdiff.changelog.asked import Asked
from snapdiff.changelog.markers import marker_line
from snapdiff.changelog.section_outline import outline_of_section
from snapdiff.changelog.sections import Section
from snapdiff.reports.templates import markdown_environment, render_template


def render(sections: Iterable[Section], asked: Asked) -> Iterator[str]:
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


def section_texts(sections: Iterable[Section], asked: Asked) -> list[str]:
    """Return the sections that say something, each with its marker, newest first."""
    environment = markdown_environment(asked.options.templates)
    texts = [
        render_template(
            environment,
            "changelog.md.j2",
            marker=marker_line(section.diff.old, section.diff.new, asked.shaping),
            section=outline,
            skipped=section.diff.skipped,
            url=asked.options.package_url,
        )
        for section in sections
        if (outline := outline_of_section(section, asked.options))
    ]
    texts.reverse()
    return texts
