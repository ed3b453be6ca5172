"""A section as people read it: its heading, then what the reports say of its diff."""

import re
from collections.abc import Iterable, Iterator

from msgspec import Struct

from snapdiff.changelog.sections import Section
from snapdiff.model import Revision
from snapdiff.reports.options import ReportOptions
from snapdiff.reports.outline import Outline, has_words, outline_of

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
