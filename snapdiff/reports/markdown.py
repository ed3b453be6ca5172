"""Markdown for release notes, and for comments that must not be too long."""

from collections.abc import Iterator
from typing import NamedTuple

from snapdiff.errors import ReportError
from snapdiff.reports.markdown_text import counted
from snapdiff.reports.options import ReportOptions
from snapdiff.reports.outline import Detail, TagOutline, outline, told_kinds, trimmed
from snapdiff.reports.templates import markdown_environment, render_template
from snapdiff.result import CatalogDiff


class _Step(NamedTuple):
    """How much is told, and what the report says of that."""

    detail: Detail
    words: str


_STEPS = (
    _Step(Detail(), ""),
    _Step(Detail(rebuilt=False), "rebuilt specs are counted, not listed"),
    _Step(
        Detail(rebuilt=False, fields=False),
        "rebuilt specs are counted, and of the others only names and versions are told",
    ),
    *(
        _Step(
            Detail(rebuilt=False, fields=False, most_lines=lines),
            f"a section has at most {counted(lines, 'line')}, with names and versions only",
        )
        for lines in (100, 50, 20, 10, 5, 2, 1)
    ),
    _Step(Detail(rebuilt=False, fields=False, most_lines=0), "only counts are told"),
)
"""How a report that is too long steps down."""

_SHORTEST_LINE = 10
"""How many characters a line has at the least: what cannot fit need not be rendered to be known."""


def render(diff: CatalogDiff, options: ReportOptions) -> Iterator[str]:
    """Yield the report, stepped down as far as `max_length` asks for."""
    yield fitted(diff, options, options.max_length)


def fitted(diff: CatalogDiff, options: ReportOptions, most: int | None) -> str:
    """Return the fullest report of at most `most` characters; it says what it leaves out.

    Raises ReportError where not even the first lines fit.
    """
    text = ""
    with_fields = outline(diff, options.group_by)
    if most is None:
        return _rendered(diff, options, with_fields, _STEPS[0])
    names_only = outline(diff, options.group_by, fields=False)
    for step in _STEPS:
        tags = trimmed(with_fields if step.detail.fields else names_only, step.detail)
        if _number_of_lines(tags) * _SHORTEST_LINE > most:
            continue
        text = _rendered(diff, options, tags, step)
        if len(text) <= most:
            return text
    return _cut(text, most)


def _number_of_lines(tags: list[TagOutline]) -> int:
    return sum(
        len(section.lines) for tag in tags for stack in tag.stacks for section in stack.sections
    )


def _rendered(
    diff: CatalogDiff, options: ReportOptions, tags: list[TagOutline], step: _Step
) -> str:
    return render_template(
        markdown_environment(options.templates),
        "report.md.j2",
        diff=diff,
        tags=tags,
        kinds=[kind.value for kind in told_kinds(diff)],
        url=options.package_url if step.detail.fields else "",
        shortened=step.words,
    )


def _cut(text: str, most: int) -> str:
    """Return the first lines of a report that tells only counts: no fold is open there."""
    lines = text.splitlines(keepends=True)
    kept: list[str] = []
    for position, line in enumerate(lines):
        left = f"\n… and {len(lines) - position:,} more lines, left out to fit.\n"
        if sum(map(len, kept)) + len(line) + len(left) > most:
            if not kept:
                raise ReportError(f"a report of {most} characters is too short to say anything")
            return "".join(kept) + left
        kept.append(line)
    return text
