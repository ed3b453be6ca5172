"""The numbers of a tag in the HTML report: packages by stack, specs by cause, a bar for each."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import NamedTuple

from snapdiff.reports.cause_words import counted_in_words
from snapdiff.reports.names import shortened, tag_label
from snapdiff.reports.package_counts import CountRow, CountTable, name_of_kind
from snapdiff.reports.stack_reasons import counted_causes
from snapdiff.result import Change, Kind, TagDiff
from snapdiff.result.causes import Cause, Event, event_of
from snapdiff.safe_text import shown

MOST_BARS = 12
"""How many causes have a bar before the others are counted; the filter has them all."""

IN_BARS = (Kind.REMOVED, Kind.ADDED, Kind.DOWNGRADED, Kind.UPGRADED)
"""What the bars of stacks show: packages of which a version or a build came or went."""

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
    """One part of a stack's bar: where it begins and how wide it is, in per cent of the widest."""

    kind: str
    start: str
    width: str


class PictureRow(NamedTuple):
    """One line of the picture; `in_words` is the line in words, `names` are its stacks."""

    counted: CountRow
    names: tuple[str, ...]
    bars: tuple[Bar, ...]
    in_words: str


class TagPicture(NamedTuple):
    """One tag, why its specs were rebuilt, and the lines of its picture."""

    tag: TagDiff
    label: str
    causes: CausePicture
    rows: tuple[PictureRow, ...]


def pictures_of(table: CountTable, rebuilt: str) -> list[TagPicture]:
    """Return a picture of each tag, worst first; packages of one hash for another are `rebuilt`."""
    pictures = []
    for _, some in groupby(table.rows, key=lambda row: id(row.tag)):
        rows = list(some)
        tag = rows[0].tag
        drawn = tuple(_drawn(rows, table.kinds, rebuilt))
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


def _drawn(rows: Sequence[CountRow], kinds: Sequence[Kind], rebuilt: str) -> Iterator[PictureRow]:
    """Yield the lines of a tag: numbers of packages in per cent of the widest."""
    numbers = [[row.counts.by_kind.get(kind, 0) for kind in IN_BARS] for row in rows]
    widest = max(map(sum, numbers)) or 1
    for row, counts in zip(rows, numbers, strict=True):
        widths = [max(100 * count / widest, _NARROWEST) if count else 0 for count in counts]
        bars = []
        start = 0.0
        for kind, width in zip(IN_BARS, widths, strict=True):
            if width:
                width *= min(100 / sum(widths), 1)  # the smallest ones take room of the others
                bars.append(Bar(kind.value, _per_cent(start), _per_cent(width)))
                start += width
        by_kind = row.counts.by_kind
        parts = [f"{by_kind[it]:,} {name_of_kind(it, rebuilt)}" for it in kinds if it in by_kind]
        names = tuple(shown(name) or "all" for name in row.stacks)
        in_words = f"{', '.join(names)}: {', '.join(parts) or 'no change'}"
        yield PictureRow(row, names, tuple(bars), in_words)


def _per_cent(value: float) -> str:
    return f"{value:.2f}%"
