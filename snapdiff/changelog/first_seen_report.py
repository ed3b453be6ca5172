"""First and last sightings as a Markdown table, text, JSON or CSV."""

from collections.abc import Callable, Iterator, Sequence

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from snapdiff.changelog.first_seen import Seen
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
    "builds",
    "build_changes",
)


class _Table(Struct, frozen=True, kw_only=True):
    """All rows, each the like sightings of some stacks; a column without anything is left out.

    A tag or stack that is the only one and called `.` is not named (docs/specification.md, section
    10).
    """

    rows: tuple[tuple[Seen, tuple[str, ...]], ...]
    has_tags: bool
    has_stacks: bool
    has_builds: bool

    @property
    def heads(self) -> list[str]:
        """The names of the columns."""
        tag, stacks = ["Tag"] * self.has_tags, ["Stacks"] * self.has_stacks
        builds = ["Builds"] * self.has_builds
        return ["Package", "Version", *tag, *stacks, "First seen", "Last seen", *builds]


def _table(seen: Sequence[Seen]) -> _Table:
    """Return a table in which stacks that had a version at the same time share a row."""
    alike: dict[Seen, list[str]] = {}
    for item in seen:
        alike.setdefault(replace(item, stack="", builds=0), []).append(item.stack)
    return _Table(
        rows=tuple((item, tuple(stacks)) for item, stacks in alike.items()),
        has_tags={item.tag for item in seen} != {EMPTY_PART},
        has_stacks={item.stack for item in seen} != {EMPTY_PART},
        has_builds=any(item.build_changes for item in seen),
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
        changes = (f"{it.section}: {it.old} > {it.new}" for it in item.build_changes)
        gone = "yes" if item.is_gone else "no"
        yield csv_row([*cells, gone, str(item.builds), "; ".join(changes)])


RENDERERS: dict[str, Callable[[Sequence[Seen], Settings, ReportOptions], Iterator[str]]] = {
    "markdown": markdown_table,
    "text": text_lines,
    "json": json_rows,
    "csv": csv_rows,
}
"""How sightings are rendered, by the name of the format."""
