"""Markdown for release notes, and for comments that must not be too long."""

from collections.abc import Iterator

from msgspec import to_builtins

from snapdiff.changes import CatalogDiff
from snapdiff.errors import ReportError
from snapdiff.reports.options import ReportOptions
from snapdiff.reports.outline import ATTENTION, Detail, outline
from snapdiff.reports.templates import markdown_environment, render_template

_STEPS = (
    (Detail(), ""),
    (Detail(rebuilt=False), "rebuilt specs are counted, not listed"),
    (
        Detail(rebuilt=False, fields=False),
        "rebuilt specs are counted, and of the others only names and versions are told",
    ),
    *(
        (
            Detail(rebuilt=False, fields=False, most_lines=lines),
            f"a section has {lines} lines at the most, with names and versions only",
        )
        for lines in (100, 50, 20, 10, 5)
    ),
    (Detail(rebuilt=False, fields=False, most_lines=0), "only counts are told"),
)
"""How a report that is too long steps down, and what it says of that."""


def render(diff: CatalogDiff, options: ReportOptions) -> Iterator[str]:
    """Yield the report, stepped down as far as `max_length` asks for."""
    yield fitted(diff, options, options.max_length)


def fitted(diff: CatalogDiff, options: ReportOptions, most: int | None) -> str:
    """Return the fullest report of at most `most` characters; it says what it leaves out.

    Raises ReportError where not even the first lines fit.
    """
    text = ""
    for detail, shortened in _STEPS:
        text = _rendered(diff, options, detail, shortened)
        if most is None or len(text) <= most:
            return text
    assert most is not None
    return _cut(text, most)


def _rendered(diff: CatalogDiff, options: ReportOptions, detail: Detail, shortened: str) -> str:
    return render_template(
        markdown_environment(options.templates),
        "report.md.j2",
        diff=to_builtins(diff),
        tags=outline(diff, options.group_by, detail),
        kinds=[kind.value for kind in ATTENTION],
        url=options.package_url,
        shortened=shortened,
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
