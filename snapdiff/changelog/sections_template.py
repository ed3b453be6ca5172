"""Sections through a template of the user's own: the data of the JSON reports, newest first."""

from collections.abc import Iterable, Iterator

from msgspec import to_builtins

from snapdiff.changelog.asked import Asked
from snapdiff.changelog.sections import Section
from snapdiff.errors import ReportError
from snapdiff.reports.templates import user_template


def render(sections: Iterable[Section], asked: Asked) -> Iterator[str]:
    """Yield what the template makes of the sections.

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
