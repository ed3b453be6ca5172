"""Why the specs of a tag were rebuilt, as bars of the HTML report: each filters the rows."""

from collections.abc import Iterable
from typing import NamedTuple

from msgspec import Struct

from snapdiff.reports.cause_words import counted_in_words, shared_in_words
from snapdiff.reports.short_list import shortened
from snapdiff.reports.stack_reasons import counted_causes, event_of, shared_fields
from snapdiff.result import Change, Kind, TagDiff
from snapdiff.result.causes import Cause, Event
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
    """Why the specs of a tag changed: bars, `more` causes without one, and what stacks share.

    A spec of several stacks counts once. `labels` name every cause.
    """

    specs: int
    bars: tuple[CauseBar, ...]
    more: int
    shared: tuple[str, ...]
    labels: dict[Event, str]


def cause_picture(tag: TagDiff) -> CausePicture:
    """Return the bars of a tag, most specs first; none where no cause is known."""
    rebuilt = {
        (change.old, change.new): change
        for stack in tag.stacks
        for change in stack.changes
        if change.kind is Kind.REBUILT
    }
    counted = counted_causes(rebuilt.values())
    widest = max((cause.specs for cause in counted), default=1)
    labels = {event: counted_in_words(cause, shown) for cause in counted for event in cause.events}
    bars = shortened(counted, MOST_BARS)
    return CausePicture(
        specs=len(rebuilt),
        bars=tuple(
            CauseBar(
                labels[cause.events[0]],
                cause.specs,
                f"{max(100 * cause.specs / widest, _NARROWEST):.2f}%",
            )
            for cause in bars.first
        ),
        more=bars.more,
        shared=tuple(
            f"{name}: {words}" if (name := shown(stack.stack)) else words
            for stack in tag.stacks
            for field in shared_fields(stack)
            for words in [shared_in_words(field, stack.summary.reconfigured, shown)]
        ),
        labels=labels,
    )


def labels_of(changes: Iterable[Change], labels: dict[Event, str]) -> tuple[str, ...]:
    """Return the causes of some changes, each once, as their bars name them."""
    found = {
        labels[event_of(change.cause)]: None
        for change in changes
        if isinstance(change.cause, Cause) and event_of(change.cause) in labels
    }
    return tuple(found)
