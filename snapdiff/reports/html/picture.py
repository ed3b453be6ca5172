"""The picture of a tag in the HTML report: bars per stack, in packages, and per cause, in specs."""

from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import NamedTuple

from msgspec import Struct

from snapdiff.reports.cause_words import counted_in_words
from snapdiff.reports.markdown_text import number
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


class CausePicture:
    """Why the `specs` of a tag were rebuilt, each once: bars, and `more` causes without one."""

    def __init__(self, tag: TagDiff) -> None:
        every = (change for stack in tag.stacks for change in stack.changes)
        rebuilt = {(it.old, it.new): it for it in every if it.kind is Kind.REBUILT}
        counted = counted_causes(rebuilt.values())
        self._labels: dict[Event, str] = {}
        bars = []
        for cause in counted:
            label = counted_in_words(cause, shown)
            self._labels |= dict.fromkeys(cause.events, label)
            width = _per_cent(max(100 * cause.specs / counted[0].specs, _NARROWEST))
            bars.append(CauseBar(label, cause.specs, width))
        self.specs = len(rebuilt)
        listed = shortened(bars, MOST_BARS)
        self.bars, self.more = listed.first, listed.more

    def of(self, changes: Iterable[Change]) -> tuple[str, ...]:
        """Return the causes of some changes, each once, as their bars name them."""
        causes = (change.cause for change in changes if isinstance(change.cause, Cause))
        labels = (self._labels.get(event_of(cause)) for cause in causes)
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


class TagPicture(Struct, frozen=True, kw_only=True):
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
        scale = _Scale(rows, table.kinds)
        tag = rows[0].tag
        pictures.append(
            TagPicture(
                tag=tag,
                label=tag_label(tag),
                causes=CausePicture(tag),
                rows=tuple(map(scale.picture, rows)),
            )
        )
    return pictures


class _Scale:
    """Turns numbers of packages into per cent of the picture, the same for all rows of a tag."""

    def __init__(self, rows: Sequence[CountRow], kinds: Sequence[Kind]) -> None:
        self._kinds = kinds
        left = max((_total(row, _LEFT) for row in rows), default=0)
        right = max((_total(row, _RIGHT) for row in rows), default=0)
        self._unit = 100 / max(left + right, 1)
        # An axis at the very edge would look like the edge.
        self._axis = min(max(left * self._unit, 2), 98)

    def picture(self, row: CountRow) -> PictureRow:
        counts = row.counts.by_kind
        parts = [f"{number(counts[kind])} {kind}" for kind in self._kinds if kind in counts]
        names = tuple(shown(name) or "total" for name in row.stacks)
        return PictureRow(
            row,
            names,
            (*self._bars(row, _LEFT, -1), *self._bars(row, _RIGHT, 1)),
            _per_cent(self._axis),
            f"{', '.join(names)}: {', '.join(parts) or 'no change'}",
        )

    def _bars(self, row: CountRow, kinds: Iterable[Kind], direction: int) -> list[Bar]:
        """Return the bars on one side of the axis: each begins where the one before it ends."""
        bars = []
        edge = self._axis
        room = self._axis if direction < 0 else 100 - self._axis
        for kind in kinds:
            count = row.counts.by_kind.get(kind, 0)
            if not count:
                continue
            width = min(max(count * self._unit, _NARROWEST), room)
            room -= width
            start = edge - width if direction < 0 else edge
            edge += direction * width
            bars.append(Bar(kind.value, _per_cent(start), _per_cent(width)))
        return bars


def _total(row: CountRow, kinds: Iterable[Kind]) -> int:
    return sum(row.counts.by_kind.get(kind, 0) for kind in kinds)


def _per_cent(value: float) -> str:
    return f"{max(value, 0):.2f}%"
