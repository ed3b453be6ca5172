"""First and last sightings as a Markdown table, text, JSON or CSV."""

from collections.abc import Callable, Iterator, Sequence

import msgspec
from msgspec import Struct

from snapdiff.changelog.first_seen import Seen, Sighting
from snapdiff.changelog.sections import Settings
from snapdiff.model import EMPTY_PART
from snapdiff.reports.csv_report import csv_row
from snapdiff.reports.options import ReportOptions
from snapdiff.reports.templates import markdown_environment, render_page, text_environment
from snapdiff.reports.terminal import PLAIN_WIDTH, broken, painter

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


class _Table(Struct, frozen=True, kw_only=True):
    """All rows; a column is left out where nothing in it has a name.

    A tag or stack that is the only one and called `.` is not named (docs/specification.md, section
    10).
    """

    rows: tuple[Row, ...]
    has_tags: bool
    has_stacks: bool

    @property
    def heads(self) -> list[str]:
        """The names of the columns."""
        tag, stacks = ["Tag"] * self.has_tags, ["Stacks"] * self.has_stacks
        return ["Package", "Version", *tag, *stacks, "First seen", "Last seen"]


def _table(seen: Sequence[Seen]) -> _Table:
    """Return a table in which stacks that had a version at the same time share a row."""
    alike: dict[tuple[object, ...], list[Seen]] = {}
    for item in seen:
        key = (item.package, item.version, item.tag, item.first, item.last, item.is_gone)
        alike.setdefault(key, []).append(item)
    rows = tuple(
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
    )
    return _Table(
        rows=rows,
        has_tags={item.tag for item in seen} != {EMPTY_PART},
        has_stacks={item.stack for item in seen} != {EMPTY_PART},
    )


def markdown_table(
    seen: Sequence[Seen], settings: Settings, options: ReportOptions
) -> Iterator[str]:
    """Yield a table in Markdown."""
    environment = markdown_environment(options.templates)
    yield render_page(environment, "first_seen.j2", found=_table(seen), settings=settings)


def text_lines(seen: Sequence[Seen], settings: Settings, options: ReportOptions) -> Iterator[str]:
    """Yield a line a row, as wide as the window."""
    environment = text_environment(options.templates, painter(color=options.color))
    text = render_page(environment, "first_seen.j2", found=_table(seen), settings=settings)
    for line in text.splitlines():
        yield f"{broken(line, options.width or PLAIN_WIDTH)}\n"


def json_rows(seen: Sequence[Seen], _settings: Settings, _options: ReportOptions) -> Iterator[str]:
    """Yield a JSON list of all sightings, each on its line."""
    lines = ",\n".join(msgspec.json.encode(item).decode("utf-8") for item in seen)
    yield f"[\n{lines}\n]\n" if lines else "[]\n"


def csv_rows(seen: Sequence[Seen], _settings: Settings, _options: ReportOptions) -> Iterator[str]:
    """Yield the header, then a row for each sighting."""
    yield csv_row(_COLUMNS)
    for item in seen:
        cells = [item.package, item.version, item.tag, item.stack]
        for sighting in (item.first, item.last):
            facts = (sighting.section, sighting.commit, sighting.date) if sighting else ("",) * 3
            cells += [fact or "" for fact in facts]
        yield csv_row([*cells, "yes" if item.is_gone else "no"])


RENDERERS: dict[str, Callable[[Sequence[Seen], Settings, ReportOptions], Iterator[str]]] = {
    "markdown": markdown_table,
    "text": text_lines,
    "json": json_rows,
    "csv": csv_rows,
}
"""How sightings are rendered, by the name of the format."""
