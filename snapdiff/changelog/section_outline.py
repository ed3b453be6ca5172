"""A section as people read it: its heading, then what the reports say of its diff, news first."""

import re
from collections.abc import Iterable, Iterator

from msgspec import Struct
from msgspec.structs import replace

from snapdiff.changelog.sections import Section
from snapdiff.model import Revision
from snapdiff.reports.blocks import KindBlock, StackBlock
from snapdiff.reports.options import ReportOptions
from snapdiff.reports.outline import Outline, number_of_lines, outline_of
from snapdiff.result import Kind, SkippedPage

LONG_SECTION = 20
"""How many lines of packages a section has before its news is put on top of them once more."""

_FEW_REBUILT = 6
"""How many rebuilt packages a section lists; of more it only has the number."""

_PLAIN = re.compile(r"[0-9]{4}(-W?[0-9]{2}){1,2}|Unreleased")
"""Names that cannot be anything else in Markdown: dates, weeks, and ours."""


class SectionOutline(Struct, frozen=True, kw_only=True):
    """All that a section says; `date` and `subject` are empty where there is no more to say.

    `ends` are the revisions it is between. `is_plain` says that the name is a date or a word of
    ours. `has_attention` says that the section is so long that its news would be missed.
    """

    ends: tuple[Revision, Revision]
    name: str
    is_plain: bool
    date: str
    subject: str
    outline: Outline
    has_attention: bool
    skipped: tuple[SkippedPage, ...]


def outlines(sections: Iterable[Section], options: ReportOptions) -> Iterator[SectionOutline]:
    """Yield what there is to say of each section that says anything."""
    for section in sections:
        outline = outline_of_section(section, options)
        if outline:
            yield outline


def outline_of_section(section: Section, options: ReportOptions) -> SectionOutline | None:
    """Return what there is to say of a section, or None where that is nothing.

    It is nothing where the kinds that are asked for happened to specs alone: then no package has a
    line.
    """
    diff = section.diff
    outline = outline_of(diff, options.group_by or "package", details=options.detail)
    attention = outline.attention
    lines = number_of_lines(outline)
    whole = any(block.removed or block.added or block.only_rebuilt for block in outline.tags)
    tags = attention.removed_tags or attention.added_tags
    if not (lines or whole or tags or diff.skipped):
        return None
    if not options.detail:
        outline = _rebuilt_counted(outline)
    date = (diff.new.date or "")[: len("2025-07-06")]
    return SectionOutline(
        ends=(diff.old, diff.new),
        name=section.name,
        is_plain=_PLAIN.fullmatch(section.name) is not None,
        date="" if date == section.name else date,
        subject=section.subject,
        outline=outline,
        has_attention=attention.is_needed and lines > LONG_SECTION,
        skipped=diff.skipped,
    )


def _rebuilt_counted(outline: Outline) -> Outline:
    """Return an outline in which many rebuilt packages are only counted: they are no news."""

    def counted(kind: KindBlock) -> KindBlock:
        if kind.kind is not Kind.REBUILT or kind.packages <= _FEW_REBUILT:
            return kind
        return replace(kind, lines=(), left_out=kind.packages)

    def stack_block(stack: StackBlock) -> StackBlock:
        return replace(stack, kinds=tuple(map(counted, stack.kinds)))

    return replace(
        outline,
        tags=tuple(
            replace(block, stacks=tuple(map(stack_block, block.stacks))) for block in outline.tags
        ),
    )
