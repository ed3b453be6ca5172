"""First and last sightings as a Markdown table, JSON or CSV."""

from collections.abc import Callable, Iterator, Sequence

import msgspec
from msgspec import Struct

from snapdiff.changelog.first_seen import Seen, Sighting
from snapdiff.reports.csv_report import csv_row
from snapdiff.reports.options import ReportOptions
from snapdiff.reports.templates import markdown_environment, render_template
from snapdiff.result import Filters

_COLUMNS = (
    "package",
    "version",
    "tag",
    "stack",
    "first_section",
    "first_commit",
    "first_date",
    "last_section",
    "last_commit",
    "last_date",
    "is_gone",
)


class Row(Struct, frozen=True, kw_only=True):
    """A version in a tag, with the stacks that had it at the same time."""

    package: str
    version: str
    tag: str
    stacks: tuple[str, ...]
    first: Sighting | None
    last: Sighting
    is_gone: bool


def markdown_table(seen: Sequence[Seen], filters: Filters, options: ReportOptions) -> Iterator[str]:
    """Yield a table in which stacks that had a version at the same time share a row."""
    alike: dict[tuple[object, ...], list[Seen]] = {}
    for item in seen:
        key = (item.package, item.version, item.tag, item.first, item.last, item.is_gone)
        alike.setdefault(key, []).append(item)
    rows = [
        Row(
            package=items[0].package,
            version=items[0].version,
            tag=items[0].tag,
            stacks=tuple(item.stack for item in items),
            first=items[0].first,
            last=items[0].last,
            is_gone=items[0].is_gone,
        )
        for items in alike.values()
    ]
    environment = markdown_environment(options.templates)
    yield render_template(environment, "first_seen.md.j2", rows=rows, filters=filters)


def json_rows(seen: Sequence[Seen], _filters: Filters, _options: ReportOptions) -> Iterator[str]:
    """Yield a JSON list of all sightings, each on its line."""
    lines = ",\n".join(msgspec.json.encode(item).decode("utf-8") for item in seen)
    yield f"[\n{lines}\n]\n" if lines else "[]\n"


def csv_rows(seen: Sequence[Seen], _filters: Filters, _options: ReportOptions) -> Iterator[str]:
    """Yield the header, then a row for each sighting."""
    yield csv_row(_COLUMNS)
    for item in seen:
        cells = [item.package, item.version, item.tag, item.stack]
        for sighting in (item.first, item.last):
            facts = (sighting.section, sighting.commit, sighting.date) if sighting else ("",) * 3
            cells += [fact or "" for fact in facts]
        yield csv_row([*cells, "yes" if item.is_gone else "no"])


RENDERERS: dict[str, Callable[[Sequence[Seen], Filters, ReportOptions], Iterator[str]]] = {
    "markdown": markdown_table,
    "json": json_rows,
    "csv": csv_rows,
}
"""How sightings are rendered, by the name of the format."""
