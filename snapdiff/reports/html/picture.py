"""The picture of a tag in the HTML report: bars per stack, in numbers of packages."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from msgspec import Struct

from snapdiff.reports.cause_words import counted_in_words
from snapdiff.reports.markdown_text import number
from snapdiff.reports.names import shortened, tag_label
from snapdiff.reports.package_counts import CountRow, CountTable, PackageCounts
from snapdiff.reports.package_lines import SYMBOLS
from snapdiff.reports.stack_reasons import CountedCause, counted_causes
from snapdiff.result import Change, Kind, TagDiff
from snapdiff.result.causes import Cause, Event, event_of
from snapdiff.safe_text import shown

MOST_BARS = 12
"""How many causes have a bar before the others are counted; the filter has them all."""


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


_LEFT = (Kind.REMOVED, Kind.DOWNGRADED)
_RIGHT = (Kind.ADDED, Kind.UPGRADED)
"""What grows to which side, from the axis outwards."""

_NARROWEST = 0.8
"""The width of the smallest bar, in per cent of the picture: one among thousands is seen."""


class Bar(NamedTuple):
    """One bar of a row: where it begins and how wide it is, in per cent of the picture."""

    kind: str
    start: str
    width: str


class KindCount(NamedTuple):
    """How many packages one kind of change happened to."""

    kind: str
    symbol: str
    number: int


def kind_counts(counts: PackageCounts, kinds: Iterable[Kind]) -> tuple[KindCount, ...]:
    """Return the numbers of some kinds."""
    return tuple(
        KindCount(kind.value, SYMBOLS[kind], counts.by_kind.get(kind, 0)) for kind in kinds
    )


class PictureRow(Struct, frozen=True, kw_only=True):
    """One line of the picture; `in_words` is the line in words, `names` are its stacks."""

    fate: str
    names: tuple[str, ...]
    counts: tuple[KindCount, ...]
    unchanged: int | None
    total: int | None
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
    rows: dict[int, list[CountRow]] = {}
    for row in table.rows:
        rows.setdefault(id(row.tag), []).append(row)
    return [_picture(some, table.kinds) for some in rows.values()]


def _picture(rows: Sequence[CountRow], kinds: Sequence[Kind]) -> TagPicture:
    scale = _Scale(rows, kinds)
    tag = rows[0].tag
    return TagPicture(
        tag=tag,
        label=tag_label(tag),
        causes=cause_picture(tag),
        rows=tuple(scale.picture(row) for row in rows),
    )


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
        counts = kind_counts(row.counts, self._kinds)
        parts = [f"{number(count.number)} {count.kind}" for count in counts if count.number]
        names = tuple(shown(name) or "total" for name in row.stacks)
        return PictureRow(
            fate=row.fate,
            names=names,
            counts=counts,
            unchanged=row.counts.unchanged,
            total=row.counts.total,
            bars=(*self._bars(row, _LEFT, -1), *self._bars(row, _RIGHT, 1)),
            axis=_per_cent(self._axis),
            in_words=f"{', '.join(names)}: {', '.join(parts) or 'no change'}",
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
