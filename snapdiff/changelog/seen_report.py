"""What `snapdiff changelog --first-seen` says: what came or went comes first."""

from collections.abc import Hashable, Iterable, Iterator
from itertools import chain
from typing import Any

import msgspec
from msgspec import Struct

from snapdiff.changelog.first_seen import Seen, Sightings
from snapdiff.comparison import ComparisonOptions
from snapdiff.model.specs import EMPTY_PART
from snapdiff.reports import ReportOptions
from snapdiff.reports.csv_report import csv_row
from snapdiff.reports.templates import environment_of, render_page
from snapdiff.reports.terminal import in_window

_Story = tuple[Seen, list[str]]
"""A version, and the stacks of its tag that had it at the same times with as many builds."""


def render_first_seen(
    found: Sightings, format_name: str, settings: ComparisonOptions, options: ReportOptions
) -> Iterator[str]:
    """Yield sightings as Markdown, text, JSON or CSV."""
    if format_name == "json":
        yield f'{{"seen": {_json_list(found.seen)}, "skipped": {_json_list(found.skipped)}}}\n'
    elif format_name == "csv":
        yield from _csv(found.seen)
    else:
        environment = environment_of(format_name, options)
        values = {"settings": settings, "detail": options.detail, "can_fold": format_name != "text"}
        page = render_page(environment, "first_seen.j2", **values, **_values(found))
        yield from in_window(page, options.width) if format_name == "text" else [page]


def _json_list(items: Iterable[Struct]) -> str:
    """Return a list with an item a line."""
    lines = b",\n".join(map(msgspec.json.encode, items)).decode("utf-8")
    return f"[\n{lines}\n]" if lines else "[]"


def _values(found: Sightings) -> dict[str, Any]:
    """Return the values of the template: what came or went, what only has other builds, the rest.

    Stacks that had a version at the same time are together; of the rest, versions in the same ones.
    A tag or stack that is the only one and called `.` is not named (specification, section 10).
    """
    alike: dict[Hashable, _Story] = {}
    for row in found.seen:
        seen = row.first, row.last, row.is_gone, tuple(row.build_changes)
        key = row.package, row.version, row.tag, seen
        alike.setdefault(key, (row, []))[1].append(row.stack)
    came: list[_Story] = []
    changed: list[_Story] = []
    rest: dict[tuple[str, tuple[str, ...]], list[Seen]] = {}
    for row, stacks in alike.values():
        if row.first or row.is_gone or row.build_changes:
            (came if row.first or row.is_gone or row.was_away else changed).append((row, stacks))
        else:
            rest.setdefault((row.tag, tuple(stacks)), []).append(row)
    return {
        "seen": found.seen,
        "ends": found.ends,
        "came": came,
        "changed": changed,
        "rest": rest.items(),
        "stayed": list(chain.from_iterable(rest.values())),
        "skipped": found.skipped,
        "folds_all": False,
        "lists_all": True,
        "tags": sorted({item.tag for item in found.seen} - {EMPTY_PART}),
        "has_stacks": {item.stack for item in found.seen} != {EMPTY_PART},
        "versions": lambda rows: len({(row.package, row.version) for row in rows}),
    }


def _csv(seen: Iterable[Seen]) -> Iterator[str]:
    ends = [f"{end}_{fact}" for end in ("first", "last") for fact in ("section", "commit", "date")]
    place = ["package", "version", "tag", "stack"]
    yield csv_row([*place, *ends, "is_gone", "builds", "build_changes"])
    for item in seen:
        cells = [item.package, item.version, item.tag, item.stack]
        for sighting in (item.first, item.last):
            facts = (sighting.section, sighting.commit, sighting.date) if sighting else ("",) * 3
            cells += [fact or "" for fact in facts]
        changes = []
        for it in item.build_changes:
            # Where both happened, the numbers alone do not say how many.
            both = f" (-{it.removed} +{it.added})" if it.removed and it.added else ""
            changes.append(f"{it.section}: {it.old} > {it.new}{both}")
        cells += ["yes" if item.is_gone else "no", str(item.builds), "; ".join(changes)]
        yield csv_row(cells)
