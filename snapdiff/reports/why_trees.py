"""What changed below a spec as a tree of lines, drawn as a terminal shows it."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import NamedTuple

from msgspec.structs import replace

from snapdiff.reports.cause_words import event_in_words, events_in_words
from snapdiff.result.causes import ChangeBelow, Event, EventBelow, event_of
from snapdiff.safe_text import shown

DEEPEST = 40
"""How far lines are indented: in a chain of 20,000 specs each would be longer than the last."""

_OF_A_DEPENDENCY = ("replaced", "added", "removed", "edge", "compilers")
"""Events that are about a dependency: each is a line of its own, below the spec that has it."""

_UNTOLD = ("external", "namespace", "other", "recipe")
"""Events that are no field of a change."""


_OF_ALL = ("compiler", "os", "platform", "target")
"""Fields that mostly change in many specs at once."""

_FEW = 3
"""How many specs have a line of their own for the same change."""


class _Branch(NamedTuple):
    """One line of a tree, and how deep it is; the spec that was asked about has none."""

    depth: int
    text: str


def tree_lines(rows: Sequence[ChangeBelow]) -> tuple[str, ...]:
    """Return a tree as lines: each spec that changed below its parent, with what differs in it.

    A spec that differs in hashes alone is there where it leads to something else. What differs in
    the first one itself is left out where its change says so: its version, target and the like.
    """
    shared = _shared(rows)
    branches = [
        _Branch(1, f"{event_in_words(event, shown)} ({specs:,} specs)")
        for event, specs in shared.items()
    ]
    branches += _branches(_without(rows, shared))
    lines = []
    open_depths: set[int] = set()  # the depths at which another line follows below
    for branch in reversed(branches):
        depth = min(branch.depth, DEEPEST)
        open_depths = {other for other in open_depths if other <= depth}
        stems = "".join("│   " if level in open_depths else "    " for level in range(1, depth))
        corner = "├── " if depth in open_depths else "└── "
        far = f"({branch.depth} deep) " if branch.depth > DEEPEST else ""
        lines.append(f"{stems}{corner}{far}{branch.text}")
        open_depths.add(depth)
    return tuple(reversed(lines))


def _told_once(event: EventBelow) -> Event | None:
    """Return the event for all specs that have it alike; None for one that is of a spec alone."""
    if event.what in _OF_A_DEPENDENCY:
        return event_of(event)
    return Event(None, event.what, event.old, event.new) if event.what in _OF_ALL else None


def _shared(rows: Iterable[ChangeBelow]) -> dict[Event, int]:
    """Return the events that many specs of a tree have alike, with the number of these.

    Of a compiler that was replaced there would be a line for each spec that it compiled.
    """
    counted = Counter(told for row in rows for event in row.events if (told := _told_once(event)))
    return {event: specs for event, specs in counted.items() if specs > _FEW}


def _without(rows: Iterable[ChangeBelow], shared: Collection[Event]) -> list[ChangeBelow]:
    """Return a tree without some events, and without what is there for nothing else."""
    kept: list[ChangeBelow] = []
    for row in reversed(list(rows)):
        events = tuple(event for event in row.events if _told_once(event) not in shared)
        is_needed = bool(kept) and kept[-1].depth > row.depth
        if events or is_needed or not row.depth:
            kept.append(replace(row, events=events))
    return kept[::-1]


def _branches(rows: Iterable[ChangeBelow]) -> Iterator[_Branch]:
    for row in rows:
        if row.depth:
            yield _Branch(row.depth, _label(row))
        else:
            untold = [event for event in _own(row) if event.what in _UNTOLD]
            yield from (_Branch(1, event_in_words(event, shown)) for event in untold)
        for event in row.events:
            if event.what in _OF_A_DEPENDENCY:
                words = event_in_words(event, shown)
                yield _Branch(row.depth + 1, _marked(words, build_only=event.build_only))


def _label(row: ChangeBelow) -> str:
    return _marked(events_in_words(row.package, _own(row), shown), build_only=row.build_only)


def _own(row: ChangeBelow) -> list[EventBelow]:
    """Return what differs in the spec itself."""
    return [event for event in row.events if event.what not in _OF_A_DEPENDENCY]


def _marked(text: str, *, build_only: bool) -> str:
    return f"{text} (build only)" if build_only else text
