"""The picture of a tag in the HTML report: bars per stack, in packages, and per cause, in specs."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import NamedTuple

from snapdiff.reports.cause_words import counted_in_words
from snapdiff.reports.names import shortened, tag_label
from snapdiff.reports.package_counts import CountRow, CountTable
from snapdiff.reports.stack_reasons import counted_causes
from snapdiff.result import Change, Kind, TagDiff
from snapdiff.result.causes import Cause, Event, event_of
from snapdiff.safe_text import shown

MOST_BARS = 12
"""How many causes have a bar before the others are counted; the filter has them all."""

_LEFT = (Kind.REMOVED, Kind.DOWNGRADED)
_RIGHT = (Kind.ADDED, Kind.UPGRADED)
"""What grows to which side, from the axis outwards."""

_NARROWEST = 0.8
"""The width of the smallest bar, in per cent of the picture: one among thousands is seen."""


class CauseBar(NamedTuple):
    """A cause, how many specs of the tag have it, and the width of its bar."""

    label: str
    specs: int
    width: str


class CausePicture(NamedTuple):
    """Why the `specs` of a tag were rebuilt, each once: bars, and `more` causes without one."""

    specs: int
    bars: tuple[CauseBar, ...]
    more: int
    labels: Mapping[Event, str]

    def of(self, changes: Iterable[Change]) -> tuple[str, ...]:
        """Return the causes of some changes, each once, as their bars name them."""
        causes = (change.cause for change in changes if isinstance(change.cause, Cause))
        labels = (self.labels.get(event_of(cause)) for cause in causes)
        return tuple(dict.fromkeys(label for label in labels if label is not None))


class Bar(NamedTuple):
    """One bar of a row: where it begins and how wide it is, in per cent of the picture."""

    kind: str
    start: str
    width: str


class PictureRow(NamedTuple):
    """One line of the picture; `in_words` is the line in words, `names` are its stacks."""

    counted: CountRow
    names: tuple[str, ...]
    bars: tuple[Bar, ...]
    axis: str
    in_words: str


class TagPicture(NamedTuple):
    """One tag, why its specs were rebuilt, and the lines of its picture."""

    tag: TagDiff
    label: str
    causes: CausePicture
    rows: tuple[PictureRow, ...]


def pictures_of(table: CountTable) -> list[TagPicture]:
    """Return a picture of each tag, worst first."""
    pictures = []
    for _, some in groupby(table.rows, key=lambda row: id(row.tag)):
        rows = list(some)
        tag = rows[0].tag
        drawn = tuple(_drawn(rows, table.kinds))
        pictures.append(TagPicture(tag, tag_label(tag), _causes_of(tag), drawn))
    return pictures


def _causes_of(tag: TagDiff) -> CausePicture:
    every = (change for stack in tag.stacks for change in stack.changes)
    rebuilt = {(it.old, it.new): it for it in every if it.kind is Kind.REBUILT}
    counted = counted_causes(rebuilt.values())
    labels: dict[Event, str] = {}
    bars = []
    for cause in counted:
        label = counted_in_words(cause, shown)
        labels |= dict.fromkeys(cause.events, label)
        width = max(100 * cause.specs / counted[0].specs, _NARROWEST)
        bars.append(CauseBar(label, cause.specs, _per_cent(width)))
    listed = shortened(bars, MOST_BARS)
    return CausePicture(len(rebuilt), listed.first, listed.more, labels)


def _drawn(rows: Sequence[CountRow], kinds: Sequence[Kind]) -> Iterator[PictureRow]:
    """Yield the lines of a tag: numbers of packages in per cent of the widest to each side."""
    left, right = (max(_total(row, side) for row in rows) for side in (_LEFT, _RIGHT))
    unit = 100 / max(left + right, 1)
    # An axis at the very edge would look like the edge.
    axis = min(max(left * unit, 2), 98)
    for row in rows:
        counts = row.counts.by_kind
        widths = {kind: max(count * unit, _NARROWEST) for kind, count in counts.items() if count}
        parts = [f"{counts[kind]:,} {kind}" for kind in kinds if kind in counts]
        names = tuple(shown(name) or "total" for name in row.stacks)
        yield PictureRow(
            row,
            names,
            (*_bars(_LEFT, widths, axis, -1), *_bars(_RIGHT, widths, axis, 1)),
            _per_cent(axis),
            f"{', '.join(names)}: {', '.join(parts) or 'no change'}",
        )


def _total(row: CountRow, kinds: Iterable[Kind]) -> int:
    return sum(row.counts.by_kind.get(kind, 0) for kind in kinds)


def _bars(
    kinds: Iterable[Kind], widths: Mapping[Kind, float], axis: float, direction: int
) -> Iterator[Bar]:
    """Yield the bars on one side of the axis: each begins where the one before it ends."""
    edge = axis
    room = axis if direction < 0 else 100 - axis
    for kind in kinds:
        if kind in widths:
            width = min(widths[kind], room)
            room -= width
            start = edge - width if direction < 0 else edge
            edge += direction * width
            yield Bar(kind.value, _per_cent(start), _per_cent(width))


def _per_cent(value: float) -> str:
    return f"{max(value, 0):.2f}%"
