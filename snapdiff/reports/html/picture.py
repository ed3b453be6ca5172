"""What the HTML report tells of a tag before its table: bars per stack, and what came and went."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from msgspec import Struct

from snapdiff.reports.html.rows import tag_label
from snapdiff.reports.markdown_text import number
from snapdiff.reports.outline import SYMBOLS
from snapdiff.result import Count, Kind, StackDiff, Summary, TagDiff
from snapdiff.safe_text import shown

_LEFT = (Kind.REMOVED, Kind.DOWNGRADED)
_RIGHT = (Kind.ADDED, Kind.UPGRADED)
"""What grows to which side, from the axis outwards."""

_NARROWEST = 0.8
"""The width of the smallest bar, in per cent of the picture: one spec is seen beside thousands."""


class Bar(NamedTuple):
    """One bar of a stack: where it begins and how wide it is, in per cent of the picture."""

    kind: str
    start: str
    width: str


class Tally(NamedTuple):
    """How many specs of one kind."""

    kind: str
    symbol: str
    number: int


def tallied(summary: Summary, kinds: Iterable[Kind]) -> tuple[Tally, ...]:
    """Return the counts of some kinds."""
    return tuple(Tally(kind.value, SYMBOLS[kind], summary.count(kind)) for kind in kinds)


class StackPicture(Struct, frozen=True, kw_only=True):
    """One line of the picture; `told` is the line in words."""

    name: str
    status: str
    specs: Count
    tallies: tuple[Tally, ...]
    bars: tuple[Bar, ...]
    axis: str
    told: str


class Arrival(NamedTuple):
    """A package that came to stacks, or left them."""

    package: str
    stacks: str


class TagPicture(Struct, frozen=True, kw_only=True):
    """One tag: its counts, its stacks in bars, what came and went in it.

    `stacks` are those with a change, `unchanged` names the others. `came` and `went` are packages
    of stacks that are on both sides.
    """

    label: str
    status: str
    specs: Count
    packages: Count
    stack_count: int
    stacks: tuple[StackPicture, ...]
    unchanged: tuple[str, ...]
    new_stacks: tuple[StackDiff, ...]
    gone_stacks: tuple[StackDiff, ...]
    came: tuple[Arrival, ...]
    went: tuple[Arrival, ...]

    def has_news(self) -> bool:
        """Return whether the tag, a stack or a package came or went."""
        parts = (self.new_stacks, self.gone_stacks, self.came, self.went)
        return self.status != "changed" or any(parts)


def picture_of(tag: TagDiff, kinds: Sequence[Kind]) -> TagPicture:
    """Return what there is to see of a tag; `kinds` are those that the report tells of."""
    changed = [stack for stack in tag.stacks if stack.status != "unchanged"]
    both = [stack for stack in tag.stacks if stack.status == "changed"]
    scale = _Scale(changed, kinds)
    return TagPicture(
        label=tag_label(tag),
        status=tag.status,
        specs=tag.specs,
        packages=tag.packages,
        stack_count=len(tag.stacks),
        stacks=tuple(scale.picture(stack) for stack in changed),
        unchanged=tuple(shown(item.stack) for item in tag.stacks if item.status == "unchanged"),
        new_stacks=tuple(stack for stack in changed if stack.status == "added"),
        gone_stacks=tuple(stack for stack in changed if stack.status == "removed"),
        came=_arrivals((stack.stack, stack.packages.added) for stack in both),
        went=_arrivals((stack.stack, stack.packages.removed) for stack in both),
    )


class _Scale:
    """Turns numbers of specs into per cent of the picture, the same for all stacks of a tag."""

    def __init__(self, stacks: Sequence[StackDiff], kinds: Sequence[Kind]) -> None:
        self._kinds = kinds
        left = max((_total(stack, _LEFT) for stack in stacks), default=0)
        right = max((_total(stack, _RIGHT) for stack in stacks), default=0)
        self._unit = 100 / max(left + right, 1)
        # An axis at the very edge would look like the edge.
        self._axis = min(max(left * self._unit, 2), 98)

    def picture(self, stack: StackDiff) -> StackPicture:
        tallies = tallied(stack.summary, self._kinds)
        parts = [f"{number(tally.number)} {tally.kind}" for tally in tallies if tally.number]
        return StackPicture(
            name=shown(stack.stack),
            status=stack.status,
            specs=stack.specs,
            tallies=tallies,
            bars=(*self._bars(stack, _LEFT, -1), *self._bars(stack, _RIGHT, 1)),
            axis=_per_cent(self._axis),
            told=f"{shown(stack.stack)}: {', '.join(parts) or 'no change'}",
        )

    def _bars(self, stack: StackDiff, kinds: Iterable[Kind], direction: int) -> list[Bar]:
        """Return the bars on one side of the axis: each begins where the one before it ends."""
        bars = []
        edge = self._axis
        room = self._axis if direction < 0 else 100 - self._axis
        for kind in kinds:
            count = stack.summary.count(kind)
            if not count:
                continue
            width = min(max(count * self._unit, _NARROWEST), room)
            room -= width
            start = edge - width if direction < 0 else edge
            edge += direction * width
            bars.append(Bar(kind.value, _per_cent(start), _per_cent(width)))
        return bars


def _total(stack: StackDiff, kinds: Iterable[Kind]) -> int:
    return sum(stack.summary.count(kind) for kind in kinds)


def _per_cent(value: float) -> str:
    return f"{max(value, 0):.2f}%"


def _arrivals(found: Iterable[tuple[str, Iterable[str]]]) -> tuple[Arrival, ...]:
    stacks: dict[str, list[str]] = {}
    for stack, packages in found:
        for package in packages:
            stacks.setdefault(shown(package), []).append(shown(stack))
    return tuple(Arrival(package, ", ".join(stacks[package])) for package in sorted(stacks))
