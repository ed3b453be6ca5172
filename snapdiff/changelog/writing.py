"""A changelog in each of its formats, and where it goes: standard output, a new or a kept file."""

import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct, to_builtins

from snapdiff import __version__
from snapdiff.changelog.kept_file import (
    ShapingOptions,
    filter_options,
    find_kept_markers,
    holds_a_changelog,
    last_report,
    marker_line,
    resume_after,
    with_sections,
)
from snapdiff.changelog.ranges import Range
from snapdiff.changelog.sections import Section
from snapdiff.errors import ReportError
from snapdiff.output.streams import Destination
from snapdiff.output.whole_files import hold, made_meanwhile, write_file
from snapdiff.reports import ReportOptions, render_report
from snapdiff.reports.html.writing import content_hash, inline_part, link_of, trusted
from snapdiff.reports.markdown import Links
from snapdiff.reports.outline import Outline, block_values, has_words, outline_of
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

_PLAIN = re.compile(r"[0-9]{4}(-W?[0-9]{2}){1,2}|Unreleased")
"""Names that cannot be anything else in Markdown: dates, weeks, and ours."""


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


class ToldSection(Struct, frozen=True):
    """A section and all that it says to people."""

    section: Section
    outline: Outline

    @property
    def is_plain(self) -> bool:
        """Whether its name is a date or a word of ours."""
        return _PLAIN.fullmatch(self.section.name) is not None

    @property
    def date(self) -> str:
        """The day on which it ends; empty where that is not known, or is its name."""
        day = (self.section.diff.new.date or "")[: len("2025-07-06")]
        return "" if day == self.section.name else day


def _told(sections: Iterable[Section], options: ReportOptions) -> Iterator[ToldSection]:
    """Yield the sections that say anything.

    One says nothing where the kinds that are asked for happened to specs alone: then no package has
    a line.
    """
    for section in sections:
        grouping = options.group_by or "package"
        outline = outline_of(section.diff, grouping, details=options.detail)
        if has_words(outline):
            yield ToldSection(section, outline)


def _values(told: ToldSection, asked: Asked, *, on_terminal: bool = False) -> dict[str, Any]:
    values = block_values(told.outline, lists_all=asked.options.detail, on_terminal=on_terminal)
    return {"told": told, **values}


# --- The formats ---


def _markdown(sections: Iterable[ToldSection], asked: Asked) -> Iterator[str]:
    """Yield the whole changelog, newest first; where nothing happened, it says between what."""
    texts = _markdown_sections(sections, asked)
    yield from _with_introduction(texts, asked, is_quiet=not texts)


def _with_introduction(
    texts: Iterable[str], asked: Asked, *, is_quiet: bool = False
) -> Iterator[str]:
    environment = markdown_environment(asked.options.templates)
    yield render_page(environment, "changelog_head.j2", asked=asked, is_quiet=is_quiet)
    for text in texts:
        yield f"\n{text}"


def _markdown_sections(sections: Iterable[ToldSection], asked: Asked) -> list[str]:
    """Return the sections, each with its marker, newest first."""
    environment = markdown_environment(asked.options.templates)
    texts = []
    for told in sections:
        diff = told.section.diff
        link = Links(asked.options.package_url)
        text = render_page(environment, "changelog.j2", link=link, **_values(told, asked))
        texts.append(f"{marker_line(diff.old, diff.new, asked.shaping)}\n{text}")
    return texts[::-1]


def _text(sections: Iterable[ToldSection], asked: Asked) -> Iterator[str]:
    """Yield the whole changelog, newest first; without `color` it holds no control codes."""
    environment = text_environment(asked.options.templates, painter(color=asked.options.color))
    texts = [
        render_page(
            environment, "changelog.j2", link=shown, **_values(told, asked, on_terminal=True)
        )
        for told in sections
    ]
    head = render_page(environment, "changelog_head.j2", asked=asked, is_quiet=not texts)
    for line in "\n".join([head, *reversed(texts)]).splitlines():
        yield f"{broken(line, asked.options.width or PLAIN_WIDTH)}\n"


def _html(sections: Iterable[ToldSection], asked: Asked) -> Iterator[str]:
    """Yield the whole changelog, newest first: a complete HTML document that needs nothing else."""
    environment = html_environment(asked.options.templates)
    style = trusted(
        inline_part(environment, "report.css") + inline_part(environment, "changelog.css")
    )
    link = link_of(asked.options.package_url)
    texts = [
        (told, trusted(render_page(environment, "changelog.j2", link=link, **_values(told, asked))))
        for told in sections
    ]
    yield render_template(
        environment,
        "changelog.html.j2",
        version=__version__,
        asked=asked,
        sections=texts[::-1],
        style=style,
        style_hash=content_hash(style),
    )


def _own_template(sections: Iterable[Section], asked: Asked) -> Iterator[str]:
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
    values = {"sections": reports[::-1], "filters": to_builtins(asked.filters)}
    yield user_template(asked.options.template, values)


def _json_list(sections: Iterable[Section], _asked: Asked) -> Iterator[str]:
    """Yield the reports of all sections as one JSON list, oldest first, each on its line."""
    separator = "[\n"
    for section in sections:
        yield separator + render_report(section.diff, "json").removesuffix("\n")
        separator = ",\n"
    yield "[]\n" if separator == "[\n" else "\n]\n"


def _json_lines(sections: Iterable[Section], _asked: Asked) -> Iterator[str]:
    """Yield a line a section; what was yielded before is on its way when the next is computed."""
    for section in sections:
        yield render_report(section.diff, "json")
        sys.stdout.buffer.flush()


_Renderer = Callable[[Iterable[Any], Asked], Iterator[str]]

_FOR_PEOPLE: dict[str, _Renderer] = {
    "markdown": _markdown,
    "text": _text,
    "html": _html,
}
"""How a whole changelog is rendered where people read it, by the name of the format."""

_AS_DATA: dict[str, _Renderer] = {
    "template": _own_template,
    "json": _json_list,
    "ndjson": _json_lines,
}
"""How it is rendered where all of each section's diff is wanted."""


# --- Where it goes ---


class ChangelogWriter(Struct, frozen=True, kw_only=True):
    """How a changelog is written; `is_new` says that its file was not there when the run began."""

    format_name: str
    destination: Destination
    is_new: bool = False

    @property
    def target(self) -> Path | None:
        """The file, or None for standard output."""
        return self.destination.file

    def check(self) -> None:
        """Raise ReportError where the file would lose a changelog, before any work goes into it."""
        if self.target and not self.is_continued:
            require_no_changelog(self.target)

    @property
    def is_continued(self) -> bool:
        """Whether what is written stays, and later runs go on from it."""
        return self.target is not None and self.format_name in ("markdown", "ndjson")

    def resume_after(self, wanted: Range, asked: Asked) -> str | None:
        """Return the commit or snapshot with which the file ends so far, or None.

        Raises ReportError where the file is not the beginning of this story, or was written with
        other options.
        """
        if self.target is None or not self.is_continued or not self.target.is_file():
            return None
        if self.format_name == "markdown":
            markers, options = find_kept_markers(self.target), asked.shaping
        else:  # a line is a report: of what shaped it, it has the filters alone
            last = last_report(self.target)
            markers, options = [last] if last else [], filter_options(asked.filters)
        if markers:
            markers[0].require(options)
        return resume_after(markers, wanted)

    def write(self, sections: Iterable[Section], asked: Asked) -> int:
        """Write the sections, oldest first as they come, and return how many these are.

        Raises ReportError.
        """
        number = 0

        def counted(items: Iterable[Any]) -> Iterator[Any]:
            nonlocal number
            for item in items:
                number += 1
                yield item

        if self.is_continued:
            # What nobody has released yet would stay as it is now, and be missing later.
            sections = (section for section in sections if not section.is_open)
        is_for_people = self.format_name in _FOR_PEOPLE
        told = counted(_told(sections, asked.options) if is_for_people else sections)
        if self.target and self.format_name == "markdown":
            self._keep(self.target, _markdown_sections(told, asked), asked)
        elif self.target and self.format_name == "ndjson":
            self._append_lines(self.target, told)
        else:
            render = (_FOR_PEOPLE | _AS_DATA)[self.format_name]
            self.destination.write(render(told, asked), is_new=self.is_new)
        return number

    def _append_lines(self, target: Path, sections: Iterable[Section]) -> None:
        try:
            with open(target, "x" if self.is_new else "a", encoding="utf-8", newline="") as file:
                if self.is_new:
                    hold(target, file.fileno())
                for section in sections:
                    file.write(render_report(section.diff, "json"))
                    file.flush()
        except FileExistsError as error:
            raise made_meanwhile(target) from error
        except OSError as error:
            raise ReportError(f"{target}: cannot be written: {error.strerror}") from error

    def _keep(self, target: Path, texts: Sequence[str], asked: Asked) -> None:
        has_content = target.is_file() and target.stat().st_size > 0
        if self.is_new or not has_content:
            # No word that nothing changed: a later run goes on below this introduction.
            write_file(target, _with_introduction(texts, asked), is_new=self.is_new)
        elif texts:
            content = with_sections(target, texts)
            write_file(target, [content.decode("utf-8", "surrogateescape")])


def require_no_changelog(target: Path) -> None:
    """Raise ReportError where a file that is to be written anew holds a changelog."""
    if target.is_file() and holds_a_changelog(target):
        raise ReportError(f"{target}: holds a changelog, and would lose it; name another file")
