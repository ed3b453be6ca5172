"""Why specs were rebuilt, in words: the one place for all that people read."""

from collections.abc import Callable, Iterable, Mapping
from itertools import chain

from msgspec import Struct

from snapdiff.reports.short_list import short_patches
from snapdiff.result import Change, Kind, StackDiff
from snapdiff.result_causes import Cause, Event, StackCause, Value

Mark = Callable[[str], str]
"""How a name or value of a catalog is written: `shown` for a terminal, `code` for Markdown."""

NAMED_CAUSES = 5
"""How many causes of a stack are named before the others are counted."""

LONGEST_PATH = 8
"""How many names of a path are written before its middle is counted."""

SHARED_BY_PACKAGES = 3
"""How many packages make a change of a field one line: of fewer, each is worth its own."""

_FIELDS = ("compiler", "os", "platform", "target", "variants", "namespace")


class CountedCause(Struct, frozen=True, kw_only=True):
    """What a stack's summary names: how many specs, and why; several versions may lead to one.

    `events` differ in the old version alone. `build_only` says that no spec links or runs it.
    """

    specs: int
    events: tuple[Event, ...]
    build_only: bool


class RebuiltSummary(Struct, frozen=True, kw_only=True):
    """Why the specs of a stack were rebuilt: the most frequent causes, and how many others."""

    specs: int
    named: tuple[CountedCause, ...]
    other_specs: int
    other_causes: int
    unexplained: int


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
    if event.what == "version":
        return f"{_value(event.old, mark)} → {_value(event.new, mark)}"
    if event.what in _FIELDS:
        return f"{event.what} {_value(event.old, mark)} → {_value(event.new, mark)}"
    if event.what == "external":
        return "external on one side only"
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


def _path(names: tuple[str, ...], mark: Mark) -> list[str]:
    """Return a path; of a long one the beginning and the end, and how many names are between."""
    if len(names) <= LONGEST_PATH:
        return [mark(name) for name in names]
    first, last = names[: LONGEST_PATH // 2], names[-(LONGEST_PATH // 2) :]
    between = f"… {len(names) - len(first) - len(last):,} more …"
    return [*map(mark, first), between, *map(mark, last)]


SAME_TO_USE = "link and run dependencies unchanged"
"""What is said of a spec that only what builds it has changed: nothing changes for its users."""


def rebuilt_summary(stack: StackDiff) -> RebuiltSummary | None:
    """Return why the specs of a stack were rebuilt; None where no cause is known."""
    causes = [cause for cause in stack.causes if cause.specs and not is_shared_field(cause)]
    number = stack.summary.count(Kind.REBUILT)
    if not causes or not number:
        return None
    build_only = _build_only(stack.changes)
    together: dict[object, list[StackCause]] = {}
    for cause in causes:
        is_version = cause.what == "version"
        key = (cause.package, cause.new) if is_version else _event(cause)
        together.setdefault(key, []).append(cause)
    counted = [
        CountedCause(
            specs=sum(cause.specs for cause in some),
            events=tuple(map(_event, some)),
            build_only=all(build_only.get(_event(cause), False) for cause in some),
        )
        for some in together.values()
    ]
    counted.sort(key=lambda item: -item.specs)
    named = NAMED_CAUSES if len(counted) > NAMED_CAUSES + 1 else len(counted)
    return RebuiltSummary(
        specs=number,
        named=tuple(counted[:named]),
        other_specs=sum(item.specs for item in counted[named:]),
        other_causes=len(counted) - named,
        unexplained=max(number - sum(item.specs for item in counted), 0),
    )


def is_shared_field(cause: StackCause) -> bool:
    """Return whether a cause is a change of a field that reconfigured specs of a stack share."""
    return cause.package is None and cause.what != "rehash"


def _event(cause: Event) -> Event:
    return Event(cause.package, cause.what, cause.old, cause.new)


def _build_only(changes: Iterable[Change]) -> Mapping[Event, bool]:
    """Return of each cause whether all that it rebuilt reach it by build-only edges alone."""
    found: dict[Event, bool] = {}
    for change in changes:
        if isinstance(change.cause, Cause):
            event = _event(change.cause)
            found[event] = change.cause.build_only and found.get(event, True)
    return found


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

    `694 rebuilt: 156 python → 3.11.6, 139 gmake added, 399 by 42 other causes`.
    """
    parts = [f"{cause.specs:,} {counted_in_words(cause, mark)}" for cause in summary.named]
    if summary.other_causes:
        parts.append(f"{summary.other_specs:,} by {summary.other_causes:,} other causes")
    if summary.unexplained:
        parts.append(f"{summary.unexplained:,} without known dependencies")
    return f"{summary.specs:,} rebuilt: {', '.join(parts)}"


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
    numbers: dict[object, list[Event]] = {}
    for change in changes.values():
        if isinstance(change.cause, Cause):
            event = _event(change.cause)
            key = (event.package, event.new) if event.what == "version" else event
            numbers.setdefault(key, []).append(event)
    words = f"{len(changes):,} spec{'s' if len(changes) != 1 else ''}"
    if not numbers:
        return words
    most = max(numbers.values(), key=len)
    main = CountedCause(specs=len(most), events=tuple(dict.fromkeys(most)), build_only=False)
    share = "all" if main.specs == len(changes) else f"{main.specs:,}"
    return f"{words}, {share} by {counted_in_words(main, mark)}"


def shared_fields(stack: StackDiff) -> tuple[StackCause, ...]:
    """Return the changes of a field that many packages of a stack share: one line says it best."""
    return tuple(
        cause
        for cause in stack.causes
        if is_shared_field(cause) and cause.packages >= SHARED_BY_PACKAGES
    )


def shared_in_words(cause: StackCause, reconfigured: int, mark: Mark) -> str:
    """Return such a change: `506 of 506 reconfigured: os ubuntu20.04 → ubuntu22.04`."""
    return f"{cause.specs:,} of {reconfigured:,} reconfigured: {event_in_words(cause, mark)}"
