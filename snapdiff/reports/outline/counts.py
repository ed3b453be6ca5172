"""How many packages there are of each class: rows of one table that add up.

The classes are those of the first sentence. A package counts once in each of its stacks, in a tag
that is on one side only as well. So every row adds up to its number of packages, and the rows add
up to the total.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Literal, NamedTuple, get_args

from msgspec import Struct
from msgspec.structs import replace

from snapdiff.filters import reports_all
from snapdiff.reports.moves.of_stacks import StackMoves
from snapdiff.reports.moves.statuses import WORST_FIRST, Status, name_of_kind, rebuilt_word
from snapdiff.reports.names import Mark, counted, tag_names
from snapdiff.result.changes import CatalogDiff, StackDiff, TagDiff
from snapdiff.result.packages import Count, Kind

Fate = Literal["removed", "changed", "added", "rebuilt", "unchanged"]
"""What the stacks of a row have in common, worst first."""


_IN_WORDS = {
    Kind.REMOVED: (Status.GONE, "gone/less"),
    Kind.ADDED: (Status.NEW, "new/more"),
    Kind.RECONFIGURED: (Status.RECONFIGURED, "other changes"),
}
"""The class of a kind that has its name, and what the column is called where others are in it."""


class Column(NamedTuple):
    """A column of a table of counts: the classes of one kind, and what they are called."""

    kind: Kind
    head: str


class Counts(Struct, frozen=True, kw_only=True):
    """Numbers of packages, by class; `total` is the sum of all, unchanged ones too.

    `total` is None in a report that was narrowed to some kinds or causes, or to what was asked for:
    it is not known there what happened to others.
    """

    by_class: Counter[Status]
    total: int | None

    @property
    def unchanged(self) -> int | None:
        """How many packages nothing happened to, where it is known."""
        return None if self.total is None else self.total - self.by_class.total()

    def number(self, kind: Kind) -> int:
        """Return how many packages are in the column of a kind."""
        return sum(number for status, number in self.by_class.items() if status.kind is kind)


class CountRow(Counts, frozen=True, kw_only=True):
    """One row: a stack, several stacks with one fate, or a tag that is on one side only.

    `builds` is how many specs these stacks have on each side.
    """

    tag: TagDiff
    fate: Fate
    stacks: tuple[str, ...]
    builds: Count

    @property
    def builds_in_words(self) -> str:
        """How many builds these stacks have: `31 → 29`, or one number."""
        return " → ".join(f"{it:,}" for it in dict.fromkeys((self.builds.old, self.builds.new)))

    def fate_in_words(self, noun: str) -> str:
        """Return what its stacks have in common, nothing where their numbers say it."""
        words = {"changed": "", "rebuilt": f"only {rebuilt_word(noun)}"}
        if self.total is None:  # nobody knows what else happened to them
            words |= {"rebuilt": "", "unchanged": "none"}
        return words.get(self.fate, self.fate)

    def in_words(self, noun: str, mark: Mark) -> str:
        """Return what it is about: `e4s`, `e4s, removed`, `3 stacks only rebuilt`, `tag added`."""
        names, fate = counted(len(self.stacks), noun), self.fate_in_words(noun)
        if self.tag.status != "changed":
            return f"tag {fate}, {names}"
        if len(self.stacks) > 1:
            return f"{names} {fate}".rstrip()
        name = mark(self.stacks[0]) if self.stacks[0] else "all"
        return f"{name}, {fate}" if fate else name


class CountTable(Counts, frozen=True, kw_only=True):
    """All rows of a report, worst first, and their sum."""

    several_tags: bool
    rows: tuple[CountRow, ...]

    def columns(self, noun: str) -> list[Column]:
        """Return its columns, worst first."""
        columns = []
        for kind in WORST_FIRST:
            named, words = _IN_WORDS.get(kind, (None, ""))
            has_name = named is None or {it for it in self.by_class if it.kind is kind} <= {named}
            if self.number(kind):
                columns.append(Column(kind, name_of_kind(kind, noun) if has_name else words))
        return columns

    @property
    def is_of_one_stack(self) -> bool:
        """Whether a sentence says all of it: it has one stack, which is on both sides."""
        return [it.fate for it in self.rows] == ["changed"] and len(self.rows[0].stacks) == 1

    def in_words(self, noun: str) -> str:
        """Return its sum: `1 gone, 14 upgraded, 368 unchanged, 385 in all`; nothing for zero."""
        numbers = [(self.number(it.kind), it.head) for it in self.columns(noun)]
        if self.unchanged:
            numbers += [(self.unchanged, "unchanged"), (self.total or 0, "in all")]
        one = {"other changes": "other change"}
        named = [(number, one.get(it, it) if number == 1 else it) for number, it in numbers]
        return ", ".join(f"{number:,} {word}" for number, word in named)

    @property
    def beside_lines(self) -> "CountTable":
        """The same below the lines of one tag, which say which stacks were removed and added."""
        is_said = () if self.several_tags else ("removed", "added")
        return replace(self, rows=tuple(it for it in self.rows if it.fate not in is_said))


def count_table(
    diff: CatalogDiff, moves: Mapping[tuple[str, ...], Mapping[str, StackMoves]]
) -> CountTable:
    """Return the table of a report, with tags on one side last.

    `moves` are those of each tag by its names, and by stack.
    """
    is_known = reports_all(diff.filters)
    rows = []
    for tag in sorted(tags_worst_first(diff.tags), key=lambda it: it.status != "changed"):
        for fate, stacks in _stacks_by_row(tag):
            by_class, number = _counts(tag, stacks, moves.get(tag_names(tag), {}))
            builds = Count(sum(it.specs.old for it in stacks), sum(it.specs.new for it in stacks))
            rows.append(
                CountRow(
                    by_class=by_class,
                    total=number if is_known else None,
                    tag=tag,
                    fate=fate,
                    stacks=tuple(stack.stack for stack in stacks),
                    builds=builds,
                )
            )
    return CountTable(
        by_class=sum((row.by_class for row in rows), Counter()),
        total=sum(row.total or 0 for row in rows) if is_known else None,
        several_tags=len(diff.tags) > 1,
        rows=tuple(rows),
    )


def _worst_rank(kinds: Iterable[Kind]) -> int:
    """Return the rank of the first of some kinds, and one beyond all where there is none."""
    return min(map(WORST_FIRST.index, kinds), default=len(WORST_FIRST))


def tags_worst_first(tags: Iterable[TagDiff]) -> list[TagDiff]:
    """Return removed tags, then those in which something changed, worst first, then added ones."""

    def order(tag: TagDiff) -> tuple[int, int]:
        kinds = {change.kind for stack in tag.stacks for change in stack.package_changes}
        return ("removed", "changed", "added").index(tag.status), _worst_rank(kinds)

    return sorted(tags, key=order)


def stacks_by_fate(stacks: Iterable[StackDiff]) -> dict[Fate, list[StackDiff]]:
    """Return stacks by what happened to them as a whole: by their worst news, most of it first."""

    def order(stack: StackDiff) -> tuple[int, int]:
        numbers = Counter(change.kind for change in stack.package_changes)
        worst = _worst_rank(numbers)
        return worst, -numbers[WORST_FIRST[worst]] if numbers else 0

    fates: dict[Fate, list[StackDiff]] = {fate: [] for fate in get_args(Fate)}
    for stack in sorted(stacks, key=order):
        fates[_fate_of(stack)].append(stack)
    return fates


def _fate_of(stack: StackDiff) -> Fate:
    kinds = {change.kind for change in stack.package_changes}
    if stack.status != "changed":
        return stack.status
    if kinds - {Kind.REBUILT} or stack.asked_for:
        return "changed"
    return "rebuilt" if kinds else "unchanged"


def _stacks_by_row(tag: TagDiff) -> Iterator[tuple[Fate, Sequence[StackDiff]]]:
    """Yield the stacks of each row of a tag, and what they have in common."""
    if tag.status != "changed":
        yield tag.status, tag.stacks
        return
    for fate, stacks in stacks_by_fate(tag.stacks).items():
        # Many stacks with one fate are one piece of news; what changed in a stack is its own.
        if fate == "changed":
            yield from ((fate, [stack]) for stack in stacks)
        elif stacks:
            yield fate, stacks


_WHOLE = {Kind.REMOVED: Status.GONE, Kind.ADDED: Status.NEW}
"""The classes of what came or went as a whole."""


def _counts(
    tag: TagDiff, stacks: Iterable[StackDiff], said: Mapping[str, StackMoves]
) -> tuple[Counter[Status], int]:
    """Return the classes of packages of some stacks, and how many packages these have.

    A package is in the class of the worst that is `said` of it. A tag on one side lists no package
    of its stacks, and of all that came or went with a whole stack not each is said.
    """
    by_class: Counter[Status] = Counter()
    total = 0
    for stack in stacks:
        packages = stack.packages.old + stack.packages.new
        if tag.status == "changed":
            whole = {it.package: it.kind for it in stack.package_changes if it.whole}
            worst = {package: _WHOLE[kind] for package, kind in whole.items()}
            for change, move in said.get(stack.stack, ()):
                known = None if change.was_compiler else worst.get(change.package)
                if known is None or move.status.severity < known.severity:
                    worst[change.package] = move.status
            by_class.update(worst.values())
            packages = stack.packages.old + sum(it is Kind.ADDED for it in whole.values())
        elif packages:
            by_class[_WHOLE[Kind(tag.status)]] += packages
        total += packages
    return by_class, total
