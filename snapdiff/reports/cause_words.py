"""Why specs were rebuilt, in words: the one place for all that people read."""

from collections.abc import Iterable
from itertools import chain

from snapdiff.reports.lost_builds import lost_in_words
from snapdiff.reports.short_list import Mark, short_patches
from snapdiff.reports.stack_reasons import (
    CountedCause,
    RebuiltSummary,
    StackReasons,
    counted_causes,
)
from snapdiff.result import Kind, StackDiff
from snapdiff.result.causes import Cause, Event, StackCause, Value

LONGEST_PATH = 8
"""How many names of a path are written before its middle is counted."""

_FIELDS = ("compiler", "os", "platform", "target", "variants", "namespace", "external")


def event_in_words(event: Event, mark: Mark) -> str:
    """Return what differs: `python 3.10.12 → 3.11.6`, `zlib replaced by zlib-ng`, `gmake added`."""
    if event.what == "replaced":
        return f"{_value(event.old, mark)} replaced by {_value(event.new, mark)}"
    words = _what_differs(event, mark)
    return words if event.package is None else f"{mark(event.package)} {words}"


def events_in_words(package: str, events: Iterable[Event], mark: Mark) -> str:
    """Return all that differs in one package itself: `gcc target x86_64 → zen4, recipe changed`."""
    words = ", ".join(_what_differs(event, mark) for event in events)
    return f"{mark(package)} {words}" if words else mark(package)


def _what_differs(event: Event, mark: Mark) -> str:
    if event.what in ("version", "edge", "other"):
        return f"{_value(event.old, mark)} → {_value(event.new, mark)}"
    if event.what in _FIELDS:
        return f"{event.what} {_value(event.old, mark)} → {_value(event.new, mark)}"
    if event.what == "compilers":
        return "compilers became dependencies"
    if event.what == "recipe":
        return "recipe changed"
    if event.what == "rehash":
        return "nothing but hashes"
    return event.what


def _value(value: Value, mark: Mark) -> str:
    if isinstance(value, tuple):
        return " ".join(mark(short_patches(variant)) for variant in value) or "—"
    return mark(value) if value else "—"


def cause_in_words(cause: Cause, mark: Mark) -> str:
    """Return why a spec was rebuilt, how it is reached and how many other packages are in reach.

    `autoconf 2.69 → 2.71 via openmpi > numactl > automake (build only, +3 more)`.
    """
    words = event_in_words(cause, mark)
    if cause.path:
        words += " via " + " > ".join(_path(cause.path, mark))
    notes = ["build only"] if cause.build_only else []
    notes += [f"+{cause.others:,} more"] if cause.others else []
    return f"{words} ({', '.join(notes)})" if notes else words


def why_in_words(cause: Event, mark: Mark) -> str:
    """Return a cause in words, or, where it is what several specs share, the event alone."""
    return cause_in_words(cause, mark) if isinstance(cause, Cause) else event_in_words(cause, mark)


def _path(names: tuple[str, ...], mark: Mark) -> list[str]:
    """Return a path; of a long one the beginning and the end, and how many names are between."""
    if len(names) <= LONGEST_PATH:
        return [mark(name) for name in names]
    first, last = names[: LONGEST_PATH // 2], names[-(LONGEST_PATH // 2) :]
    between = f"… {len(names) - len(first) - len(last):,} more …"
    return [*map(mark, first), between, *map(mark, last)]


SAME_TO_USE = "link and run dependencies unchanged"
"""What is said of a spec that only what builds it has changed: nothing changes for its users."""


def counted_in_words(cause: CountedCause, mark: Mark) -> str:
    """Return a cause of many specs: `python → 3.11.6`, `cmake 3.26.3 → 3.27.7 (build only)`."""
    first = cause.events[0]
    if len(cause.events) > 1:
        words = f"{mark(str(first.package))} → {_value(first.new, mark)}"
    else:
        words = event_in_words(first, mark)
    return f"{words} (build only)" if cause.build_only else words


def rebuilt_in_words(summary: RebuiltSummary, mark: Mark) -> str:
    """Return the line above a stack's rebuilt specs.

    `694 specs rebuilt: 156 by python → 3.11.6, 139 by gmake added, 399 by 42 other causes`.
    """
    parts = [_share(cause, summary.specs, mark) for cause in summary.named]
    if summary.other_causes:
        parts.append(f"{summary.other_specs:,} by {summary.other_causes:,} other causes")
    if summary.unexplained:
        parts.append(f"{summary.unexplained:,} without known dependencies")
    words = f"{_specs(summary.specs)} rebuilt: {', '.join(parts)}"
    if summary.widest:
        reach = f"in reach of {summary.widest.reach:,}"
        words += f"; {event_in_words(summary.widest, mark)} is {reach}"
    return words


def rebuilt_by(stacks: Iterable[StackDiff], mark: Mark) -> str:
    """Return how many specs were rebuilt and what most of them have as their cause.

    `40 specs, 38 by openmpi 5.0.0rc16 → 5.0.0`; `40 specs` alone where no cause is known. A spec of
    several stacks counts once.
    """
    changes = {
        (change.old, change.new): change
        for change in chain.from_iterable(stack.changes for stack in stacks)
        if change.kind is Kind.REBUILT
    }
    causes = counted_causes(changes.values())
    words = _specs(len(changes))
    if not causes:
        return words
    return f"{words}, {_share(causes[0], len(changes), mark)}"


def _specs(number: int) -> str:
    return f"{number:,} spec{'s' if number != 1 else ''}"


def _share(cause: CountedCause, total: int, mark: Mark) -> str:
    """Return how many of the rebuilt specs are by a cause: `all by openmpi 5.0.0rc16 → 5.0.0`."""
    words = f"by {counted_in_words(cause, mark)}"
    if total == 1:
        return words
    return f"all {words}" if cause.specs == total else f"{cause.specs:,} {words}"


def reasons_in_words(reasons: StackReasons, mark: Mark) -> list[str]:
    """Return the lines above those of a stack: what it lost, why it was rebuilt, what is shared."""
    lines = [lost_in_words(reasons.lost, mark)] if reasons.lost else []
    lines += [rebuilt_in_words(reasons.rebuilt, mark)] if reasons.rebuilt else []
    return lines + [shared_in_words(it, reasons.reconfigured, mark) for it in reasons.shared]


def shared_in_words(cause: StackCause, reconfigured: int, mark: Mark) -> str:
    """Return such a change: `506 of 506 specs reconfigured: os ubuntu20.04 → ubuntu22.04`."""
    return f"{cause.specs:,} of {_specs(reconfigured)} reconfigured: {event_in_words(cause, mark)}"
