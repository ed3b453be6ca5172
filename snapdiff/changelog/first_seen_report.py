"""First and last sightings as a Markdown table, text, JSON or CSV."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import msgspec
from msgspec.structs import replace

from snapdiff.changelog.first_seen import BuildsSeen, Seen, Sightings
from snapdiff.changelog.sections import Settings
from snapdiff.model import EMPTY_PART
from snapdiff.reports import ReportOptions
from snapdiff.reports.csv_report import csv_row
from snapdiff.reports.templates import markdown_environment, render_page, text_environment
from snapdiff.reports.terminal import PLAIN_WIDTH, broken, painter
from snapdiff.result import SkippedPage

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


def _markdown(found: Sightings, settings: Settings, options: ReportOptions) -> Iterator[str]:
    environment = markdown_environment(options.templates)
    yield render_page(environment, "first_seen.j2", settings=settings, **_table(found))


def _text(found: Sightings, settings: Settings, options: ReportOptions) -> Iterator[str]:
    environment = text_environment(options.templates, painter(color=options.color))
    text = render_page(environment, "first_seen.j2", settings=settings, **_table(found))
    for line in text.splitlines():
        yield f"{broken(line, options.width or PLAIN_WIDTH)}\n"


def _table(found: Sightings) -> dict[str, Any]:
    """Return the values of the template: stacks that had a version at the same time share a row.

    A column without anything is left out. A tag or stack that is the only one and called `.` is not
    named (docs/specification.md, section 10).
    """
    alike: dict[Seen, list[str]] = {}
    for item in found.seen:
        alike.setdefault(replace(item, stack="", builds=0), []).append(item.stack)
    return {
        "found": list(alike.items()),
        "skipped": found.skipped,
        "has_tags": {item.tag for item in found.seen} != {EMPTY_PART},
        "has_stacks": {item.stack for item in found.seen} != {EMPTY_PART},
        "has_builds": any(item.build_changes for item in found.seen),
    }


def _json(found: Sightings, _settings: Settings, _options: ReportOptions) -> Iterator[str]:
    """Yield a JSON object of all sightings and the pages that were left out, each on its line."""
    yield f'{{"seen": {_json_list(found.seen)}, "skipped": {_json_list(found.skipped)}}}\n'


def _json_list(items: Sequence[Seen | SkippedPage]) -> str:
    lines = ",\n".join(msgspec.json.encode(item).decode("utf-8") for item in items)
    return f"[\n{lines}\n]" if lines else "[]"


def _csv(found: Sightings, _settings: Settings, _options: ReportOptions) -> Iterator[str]:
    """Yield the header, then a row for each sighting."""
    yield csv_row(_COLUMNS)
    for item in found.seen:
        cells = [item.package, item.version, item.tag, item.stack]
        for sighting in (item.first, item.last):
            facts = (sighting.section, sighting.commit, sighting.date) if sighting else ("",) * 3
            cells += [fact or "" for fact in facts]
        changes = (f"{it.section}: {it.old} > {it.new}{_both(it)}" for it in item.build_changes)
        gone = "yes" if item.is_gone else "no"
        yield csv_row([*cells, gone, str(item.builds), "; ".join(changes)])


def _both(change: BuildsSeen) -> str:
    """Return how many builds were removed and added, where the numbers alone do not say it."""
    is_both = change.removed and change.added
    return f" (-{change.removed} +{change.added})" if is_both else ""


RENDERERS: dict[str, Callable[[Sightings, Settings, ReportOptions], Iterator[str]]] = {
    "markdown": _markdown,
    "text": _text,
    "json": _json,
    "csv": _csv,
}
"""How sightings are rendered, by the name of the format."""
