"""How many packages each kind of change happened to: rows of one table that add up.

A package counts once in each of its stacks, in a tag that is on one side only as well. So every
row adds up to its number of packages, and the rows add up to the total.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Literal

from msgspec import Struct

from snapdiff.reports.package_lines import WORST_FIRST, reported_kinds, worst_rank
from snapdiff.result import CatalogDiff, Kind, StackDiff, TagDiff

Fate = Literal["tag removed", "tag added", "removed", "added", "changed", "rebuilt", "unchanged"]
"""What the stacks of a row have in common."""

_FATES: tuple[Fate, ...] = ("removed", "changed", "added", "rebuilt", "unchanged")
"""The fates of stacks, worst first."""

_ONE_SIDED: dict[str, Fate] = {"removed": "tag removed", "added": "tag added"}


class KindTotals(Struct, frozen=True, kw_only=True):
    """Numbers of packages, by kind of change; `total` is the sum of all, unchanged ones too.

    `by_kind` has no kind that happened to none. `total` is None in a report that was narrowed to
    some kinds, or to what was asked for: there it is not known what the others changed.
    """

    by_kind: dict[Kind, int]
    total: int | None

    @property
    def unchanged(self) -> int | None:
        """How many packages nothing happened to, where it is known."""
        return None if self.total is None else self.total - sum(self.by_kind.values())


class CountRow(Struct, frozen=True, kw_only=True):
    """One row: a stack, several stacks with one fate, or a tag that is on one side only."""

    tag: TagDiff
    fate: Fate
    stacks: tuple[str, ...]
    counts: KindTotals


class CountTable(Struct, frozen=True, kw_only=True):
    """All rows of a report, worst first, and their sum."""

    kinds: tuple[Kind, ...]
    several_tags: bool
    rows: tuple[CountRow, ...]
    total: KindTotals

    @property
    def counted_kinds(self) -> tuple[Kind, ...]:
        """The kinds that happened to any package."""
        return tuple(kind for kind in self.kinds if kind in self.total.by_kind)

    @property
    def has_losses(self) -> bool:
        """Whether anything of it is removed or added."""
        return not {Kind.REMOVED, Kind.ADDED}.isdisjoint(self.total.by_kind)


def name_of_row(row: CountRow, noun: str, mark: Callable[[str], str]) -> str:
    """Return what a row is about: `e4s`, `e4s, removed`, `3 stacks only rebuilt`, `tag added`."""
    number = len(row.stacks)
    counted = f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"
    if row.fate in ("tag removed", "tag added"):
        return f"{row.fate}, {counted}"
    word = "only rebuilt" if row.fate == "rebuilt" else row.fate
    if number > 1:
        return f"{counted} {word}"
    name = mark(row.stacks[0]) if row.stacks[0] else "all"
    return name if row.fate == "changed" else f"{name}, {word}"


def count_table(diff: CatalogDiff) -> CountTable:
    """Return the table of a report, tag by tag in the order of `tags_worst_first`."""
    narrowed = is_narrowed(diff)
    rows = [
        row for tag in tags_worst_first(diff.tags) for row in _rows_of_tag(tag, narrowed=narrowed)
    ]
    total = _sum(row.counts for row in rows)
    reported = reported_kinds(diff)
    return CountTable(
        # What lost a build is let through with `-k removed`, whatever its own kind is.
        kinds=tuple(kind for kind in WORST_FIRST if kind in reported or kind in total.by_kind),
        several_tags=len(diff.tags) > 1,
        rows=tuple(rows),
        total=total,
    )


def is_narrowed(diff: CatalogDiff) -> bool:
    """Return whether a diff lists some changes alone: what it lacks need not be unchanged."""
    return len(reported_kinds(diff)) < len(WORST_FIRST) or bool(diff.filters.explicit)


def tags_worst_first(tags: Iterable[TagDiff]) -> list[TagDiff]:
    """Return removed tags, then those in which something changed, worst first, then added ones."""
    places = {"removed": 0, "changed": 1, "added": 2}

    def order(tag: TagDiff) -> tuple[int, int]:
        kinds = {change.kind for stack in tag.stacks for change in stack.package_changes}
        return places[tag.status], worst_rank(kinds)

    return sorted(tags, key=order)


def stacks_worst_first(stacks: Iterable[StackDiff]) -> list[StackDiff]:
    """Return stacks by their worst news, most of it first."""

    def order(stack: StackDiff) -> tuple[int, int]:
        numbers = Counter(change.kind for change in stack.package_changes)
        worst = worst_rank(numbers)
        return worst, -numbers[WORST_FIRST[worst]] if numbers else 0

    return sorted(stacks, key=order)


def fate_of(stack: StackDiff) -> Fate:
    """Return what happened to a stack as a whole."""
    kinds = {change.kind for change in stack.package_changes}
    if stack.status != "changed":
        return stack.status
    if kinds - {Kind.REBUILT}:
        return "changed"
    return "rebuilt" if kinds else "unchanged"


def _rows_of_tag(tag: TagDiff, *, narrowed: bool) -> Iterable[CountRow]:
    if tag.status != "changed":
        counts = _sum(_all_of(stack, Kind(tag.status), narrowed=narrowed) for stack in tag.stacks)
        names = tuple(stack.stack for stack in tag.stacks)
        yield CountRow(tag=tag, fate=_ONE_SIDED[tag.status], stacks=names, counts=counts)
        return
    fates: dict[Fate, list[StackDiff]] = {}
    for stack in stacks_worst_first(tag.stacks):
        fates.setdefault(fate_of(stack), []).append(stack)
    for fate in _FATES:
        # Many stacks with one fate are one piece of news; what changed in a stack is its own.
        together = [[stack] for stack in fates.get(fate, ())]
        if fate != "changed" and together:
            together = [fates[fate]]
        for members in together:
            yield _row(tag, fate, members, narrowed=narrowed)


def _row(tag: TagDiff, fate: Fate, stacks: Sequence[StackDiff], *, narrowed: bool) -> CountRow:
    return CountRow(
        tag=tag,
        fate=fate,
        stacks=tuple(stack.stack for stack in stacks),
        counts=_sum(_totals_of_stack(stack, narrowed=narrowed) for stack in stacks),
    )


def _totals_of_stack(stack: StackDiff, *, narrowed: bool) -> KindTotals:
    """Return the numbers of one stack of a tag that is on both sides."""
    new = sum(change.whole and change.kind is Kind.ADDED for change in stack.package_changes)
    return KindTotals(
        by_kind=dict(Counter(change.kind for change in stack.package_changes)),
        total=None if narrowed else stack.packages.old + new,
    )


def _all_of(stack: StackDiff, kind: Kind, *, narrowed: bool) -> KindTotals:
    number = stack.packages.old + stack.packages.new
    by_kind = {kind: number} if number else {}
    return KindTotals(by_kind=by_kind, total=None if narrowed else number)


def _sum(several: Iterable[KindTotals]) -> KindTotals:
    by_kind: Counter[Kind] = Counter()
    total: int | None = 0
    for totals in several:
        by_kind.update(totals.by_kind)
        total = None if total is None or totals.total is None else total + totals.total
    return KindTotals(by_kind=dict(by_kind), total=total)
