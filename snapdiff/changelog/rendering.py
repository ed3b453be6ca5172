"""Sections for people: what they say, in Markdown, text, HTML or a template of the user's own."""

import re
from collections.abc import Iterable, Iterator
from typing import Any

from msgspec import Struct, to_builtins

from snapdiff import __version__
from snapdiff.changelog.markers import ShapingOptions, marker_line
from snapdiff.changelog.sections import Section
from snapdiff.errors import ReportError
from snapdiff.model import Revision
from snapdiff.reports.html.writing import content_hash, inline_part, link_of, trusted
from snapdiff.reports.markdown_text import Links
from snapdiff.reports.options import ReportOptions
from snapdiff.reports.outline import Outline, has_words, outline_of
from snapdiff.reports.templates import (
    html_environment,
    markdown_environment,
    render_page,
    render_template,
    text_environment,
    user_template,
)
from snapdiff.reports.terminal import PLAIN_WIDTH, broken, painter
from snapdiff.result import Filters
from snapdiff.safe_text import shown


class Asked(Struct, frozen=True, kw_only=True):
    """What all sections of a changelog have in common; `ends` are its first and last revision.

    `shaping` are the options that decide what is in a section, as its marker has them.
    `configuration` is the name of the configuration file that decided some of it, or None.
    """

    ends: tuple[str, str]
    filters: Filters
    options: ReportOptions
    shaping: ShapingOptions
    configuration: str | None = None


_PLAIN = re.compile(r"[0-9]{4}(-W?[0-9]{2}){1,2}|Unreleased")
"""Names that cannot be anything else in Markdown: dates, weeks, and ours."""


class SectionOutline(Struct, frozen=True, kw_only=True):
    """All that a section says; `date` and `subject` are empty where there is no more to say.

    `ends` are the revisions it is between. `is_plain` says that the name is a date or a word of
    ours.
    """

    ends: tuple[Revision, Revision]
    name: str
    is_plain: bool
    date: str
    subject: str
    outline: Outline


def outlines(sections: Iterable[Section], options: ReportOptions) -> Iterator[SectionOutline]:
    """Yield what there is to say of each section that says anything.

    It is nothing where the kinds that are asked for happened to specs alone: then no package has a
    line.
    """
    for section in sections:
        diff = section.diff
        outline = outline_of(diff, options.group_by or "package", details=options.detail)
        if has_words(outline):
            date = (diff.new.date or "")[: len("2025-07-06")]
            yield SectionOutline(
                ends=(diff.old, diff.new),
                name=section.name,
                is_plain=_PLAIN.fullmatch(section.name) is not None,
                date="" if date == section.name else date,
                subject=section.subject,
                outline=outline,
            )


def markdown(sections: Iterable[SectionOutline], asked: Asked) -> Iterator[str]:
    """Yield the whole changelog, newest first; where nothing happened, it says between what."""
    texts = section_texts(sections, asked)
    yield from with_introduction(texts, asked, is_quiet=not texts)


def with_introduction(
    texts: Iterable[str], asked: Asked, *, is_quiet: bool = False
) -> Iterator[str]:
    """Yield what a changelog in Markdown begins with, then some sections."""
    environment = markdown_environment(asked.options.templates)
    yield render_page(environment, "changelog_head.j2", asked=asked, is_quiet=is_quiet)
    for text in texts:
        yield f"\n{text}"


def section_texts(sections: Iterable[SectionOutline], asked: Asked) -> list[str]:
    """Return the sections as Markdown, each with its marker, newest first."""
    environment = markdown_environment(asked.options.templates)
    texts = []
    for section in sections:
        link = Links(asked.options.package_url)
        text = render_page(
            environment, "changelog.j2", link=link, **_values(section, asked, "`--detail`")
        )
        texts.append(f"{marker_line(*section.ends, asked.shaping)}\n{text}")
    texts.reverse()
    return texts


def text(sections: Iterable[SectionOutline], asked: Asked) -> Iterator[str]:
    """Yield the whole changelog, newest first; without `color` it holds no control codes."""
    environment = text_environment(asked.options.templates, painter(color=asked.options.color))
    texts = [
        render_page(environment, "changelog.j2", link=shown, **_values(section, asked))
        for section in sections
    ]
    head = render_page(environment, "changelog_head.j2", asked=asked, is_quiet=not texts)
    for position, part in enumerate((head, *reversed(texts))):
        if position:
            yield "\n"
        for line in part.splitlines():
            yield f"{broken(line, asked.options.width or PLAIN_WIDTH)}\n"


def html(sections: Iterable[SectionOutline], asked: Asked) -> Iterator[str]:
    """Yield the whole changelog, newest first: a complete HTML document that needs nothing else."""
    environment = html_environment(asked.options.templates)
    style = trusted(
        inline_part(environment, "report.css") + inline_part(environment, "changelog.css")
    )
    link = link_of(asked.options.package_url)
    told = [
        (section, trusted(render_template(environment, "changelog.j2", link=link, **values)))
        for section in sections
        for values in [_values(section, asked)]
    ]
    yield render_template(
        environment,
        "changelog.html.j2",
        version=__version__,
        asked=asked,
        sections=told[::-1],
        style=style,
        style_hash=content_hash(style),
    )


def _values(section: SectionOutline, asked: Asked, option: str = "--detail") -> dict[str, Any]:
    outline = section.outline
    return {
        "section": section,
        "outline": outline,
        "noun": outline.noun,
        "rebuilt": outline.rebuilt,
        "lists_all": asked.options.detail,
        "can_fold": False,
        "folds_all": False,
        "more_at": "" if asked.options.detail else f"({option} lists them)",
    }


def own_template(sections: Iterable[Section], asked: Asked) -> Iterator[str]:
    """Yield what the user's template makes of the sections, newest first.

    Its variables are `sections`, each with the keys of the JSON report, its `name` and its
    `subject`, and `filters`. Raises ReportError, which names the template's file and line.
    """
    if asked.options.template is None:
        raise ReportError("no template is named")
    reports = [
        {"name": section.name, "subject": section.subject, **to_builtins(section.diff)}
        for section in sections
    ]
    reports.reverse()
    values = {"sections": reports, "filters": to_builtins(asked.filters)}
    yield user_template(asked.options.template, values)
