"""Why the specs of a tag were rebuilt, as bars of the HTML report: each filters the rows."""

from collections.abc import Iterable
from typing import NamedTuple

from msgspec import Struct

from snapdiff.reports.cause_words import counted_in_words
from snapdiff.reports.names import shortened
from snapdiff.reports.stack_reasons import CountedCause, counted_causes
from snapdiff.result import Change, Kind, TagDiff
from snapdiff.result.causes import Cause, Event, event_of
from snapdiff.safe_text import shown

MOST_BARS = 12
"""How many causes have a bar before the others are counted; the filter has them all."""

_NARROWEST = 0.8
"""The width of the smallest bar, in per cent."""


class CauseBar(NamedTuple):
    """A cause, how many specs of the tag have it, and the width of its bar."""

    label: str
    specs: int
    width: str


class CausePicture(Struct, frozen=True, kw_only=True):
    """Why `specs` of a tag were rebuilt, each once: bars, and `more` causes without one."""

    specs: int
    bars: tuple[CauseBar, ...]
    more: int


def _rebuilt(tag: TagDiff) -> list[Change]:
    """Return the rebuilt specs of a tag; a spec of several stacks counts once."""
    every = (change for stack in tag.stacks for change in stack.changes)
    rebuilt = {(it.old, it.new): it for it in every if it.kind is Kind.REBUILT}
    return list(rebuilt.values())


def cause_picture(tag: TagDiff) -> CausePicture:
    """Return the bars of a tag, most specs first; none where no cause is known."""
    rebuilt = _rebuilt(tag)
    counted = counted_causes(rebuilt)
    widest = max((cause.specs for cause in counted), default=1)
    bars = shortened(counted, MOST_BARS)
    return CausePicture(
        specs=len(rebuilt),
        bars=tuple(_bar(cause, 100 * cause.specs / widest) for cause in bars.first),
        more=bars.more,
    )


def _bar(cause: CountedCause, width: float) -> CauseBar:
    return CauseBar(counted_in_words(cause, shown), cause.specs, f"{max(width, _NARROWEST):.2f}%")


def cause_labels(tag: TagDiff) -> dict[Event, str]:
    """Return every cause of a tag, as its bar names it."""
    counted = counted_causes(_rebuilt(tag))
    return {event: counted_in_words(cause, shown) for cause in counted for event in cause.events}


def labels_of(changes: Iterable[Change], labels: dict[Event, str]) -> tuple[str, ...]:
    """Return the causes of some changes, each once, as their bars name them."""
    found = {
        labels[event_of(change.cause)]: None
        for change in changes
        if isinstance(change.cause, Cause) and event_of(change.cause) in labels
    }
    return tuple(found)
