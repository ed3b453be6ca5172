"""The periods of a changelog: which commits make a section together, and what it is called."""

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from typing import NamedTuple

from snapdiff.reports import By
from snapdiff.reports.names import day_of, short_hash
from snapdiff.sources.source import Commit

UNRELEASED = "Unreleased"
"""The name of what comes after the last tag."""

UNDATED = "Undated"
"""The name of a period in which no commit has a date."""


class Period(NamedTuple):
    """The commits of one section, oldest first, and what the section is called.

    `tag` is a tag that the last commit has. `is_open` says that the commits still to come may
    belong to the section: no tag has them yet.
    """

    name: str
    commits: tuple[Commit, ...]
    tag: str | None = None
    is_open: bool = False


def periods_of(
    commits: Sequence[Commit],
    by: By,
    tags: Mapping[str, Sequence[str]] = {},
    told: Iterable[Commit] = (),
) -> list[Period]:
    """Return which of some commits, oldest first, make a section together.

    `tags` has the names of tags by commit. A period ends where the next begins, by the date that
    each commit was made on where it was made; a clock that went back does not begin an old one
    again, not even one of commits that a file has `told` of, and a commit without a date belongs to
    the period before it, or else to the first.
    """
    if by == "tag":
        return _by_tag(commits, tags)
    if by == "commit":
        return [Period(short_hash(commit.id), (commit,)) for commit in commits]
    begun = max((_name(it.date, by) for it in told if it.date), default="")
    name = begun or next((_name(it.date, by) for it in commits if it.date), UNDATED)
    found: dict[str, list[Commit]] = {}
    for commit in commits:
        if commit.date:
            name = max(name, _name(commit.date, by))
        found.setdefault(name, []).append(commit)
    return [Period(name, tuple(members)) for name, members in found.items()]


def _name(moment: str, by: By) -> str:
    if by == "week":
        year, week, _ = date.fromisoformat(day_of(moment)).isocalendar()
        return f"{year:04}-W{week:02}"
    return moment[: len("2025-07")] if by == "month" else day_of(moment)


def _by_tag(commits: Iterable[Commit], tags: Mapping[str, Sequence[str]]) -> list[Period]:
    found: list[Period] = []
    waiting: list[Commit] = []
    for commit in commits:
        waiting.append(commit)
        if commit.id in tags:
            names = sorted(tags[commit.id], key=natural_order)
            found.append(Period(", ".join(names), tuple(waiting), names[0]))
            waiting = []
    if waiting:
        found.append(Period(UNRELEASED, tuple(waiting), is_open=True))
    return found


def natural_order(name: str) -> tuple[tuple[tuple[int, int, str], ...], str]:
    """Return what names are sorted by, so that `week-9` comes before `week-10`."""
    parts = re.findall("[0-9]+|[^0-9]+", name)
    key = tuple((0, int(part), "") if part[0] in "0123456789" else (1, 0, part) for part in parts)
    return key, name
