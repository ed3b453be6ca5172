"""The rows of the HTML report: a package of a tag, and all that happened to it in its stacks.

Below each row are its specs, like ones together.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain, count
from typing import NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from snapdiff.reports.cause_words import SAME_TO_USE, because_word, cause_in_words
from snapdiff.reports.html.writing import address_of, value_text
from snapdiff.reports.moves.move import Move
from snapdiff.reports.moves.of_stacks import moves_of, stack_moves
from snapdiff.reports.moves.places import places_of
from snapdiff.reports.moves.products import SpecsByPart, specs_by_part
from snapdiff.reports.moves.statuses import WORST_FIRST, Status
from snapdiff.reports.names import tag_label
from snapdiff.reports.outline.class_counts import ClassCount
from snapdiff.reports.outline.outline import Outline
from snapdiff.reports.outline.product_table import signs_in
from snapdiff.reports.outline.tag_block import TagBlock
from snapdiff.result.causes import Cause, Event, event_of
from snapdiff.result.changes import Change, StackDiff, changes_by_package
from snapdiff.result.packages import Kind
from snapdiff.safe_text import shown


class SpecGroup(NamedTuple):
    """Specs of which the same is said: in which fields they differ, and how they were built.

    Of each field there are name, old and new value, and of a version that is the same, no new one.
    `built` is the number of how they were built last: what was otherwise before is in the fields.
    `cause` is the number of why they were rebuilt, or -1, and `reason` says it with the way there.
    Of each spec there are the old and the new hash, or the only one, and the number of its stacks.
    """

    kind: Kind
    differences: tuple[tuple[str, str, str], ...]
    built: int
    cause: int
    reason: str
    pairs: tuple[tuple[str | int, ...], ...] = ()


class RowClass(Struct, frozen=True):
    """What happened to some packages at worst, in words, and how many rows they have."""

    name: str
    kind: Kind
    words: str
    is_quiet: bool
    products: int
    dependencies: int


class TableRow(Struct, frozen=True, kw_only=True, array_like=True):
    """A package of one tag, and what happened to it; names are as people read them.

    `worst` is the class in which the first sentence counts it. `moves` says what happened: a kind,
    words and the number of a set of stacks, each; `cells` has words for each stack, where these are
    columns. `causes` are the numbers of those of its rebuilt specs. `stacks` says how many specs
    are in each, and the class of what happened there; `groups` have each of the `specs` once,
    whatever its stacks. The script takes the fields in this order.
    """

    tag: str
    package: str
    link: str
    worst: Status
    is_dependency: bool
    moves: tuple[tuple[Kind, str, int], ...]
    cells: tuple[str, ...]
    causes: tuple[int, ...]
    stacks: tuple[tuple[str, int, Status], ...]
    groups: tuple[SpecGroup, ...]
    specs: int


class RowTable:
    """All rows of a report in the order of reading: news, products first in it, then the worst.

    `columns` are the stacks of the table of products, in a report of one tag, and `cells` what is
    in them. `classes` are those of rows and of their stacks, the worst first. Rows have the numbers
    of what is in `built`, how specs are built, in `places`, sets of stacks, and in `causes`, why
    specs were rebuilt, in the words of their tag.
    """

    def __init__(
        self, outline: Outline, words: Callable[[str, object], str], package_url: str
    ) -> None:
        """Take what a macro of `words.j2`, called by its name, says of a value."""
        self._words = words
        self._package_url = package_url
        groups = (group for tag in outline.tags for part in tag.parts for group in part.groups)
        tables = [] if outline.several_changed else [it.table for it in groups if it.table]
        self.columns = tables[0].stacks if tables else ()
        self._cells = {name: cells for table in tables for name, cells in table.rows.items()}
        self.built: defaultdict[tuple[str, ...], int] = defaultdict(count().__next__)
        self.places: defaultdict[tuple[str, ...], int] = defaultdict(count().__next__)
        self.causes: defaultdict[str, int] = defaultdict(count().__next__)
        self.rows = sorted(
            chain.from_iterable(map(self._rows_of_tag, outline.tags)),
            key=lambda row: (row.worst.is_quiet, row.is_dependency, row.worst),
        )
        self.signs = signs_in([words for row in self.rows for words in row.cells])
        self.classes = self._classes((*outline.packages.by_class, *outline.dependencies.by_class))

    def first(self, most: int) -> Iterator[TableRow]:
        """Yield the first rows, each with its first specs: at most so many rows and specs."""
        for row in self.rows:
            if most <= 0:
                return
            yield with_first_specs(row, most)
            most -= 1 + row.specs

    def _classes(self, counted: Sequence[ClassCount]) -> dict[Status, RowClass]:
        numbers = Counter((row.worst, row.is_dependency) for row in self.rows)
        found = {}
        for worst in sorted({worst for row in self.rows for *_, worst in row.stacks}):
            alike = [it for it in counted if it.status is worst]
            in_all = ClassCount(
                status=worst,
                number=sum(it.number for it in alike) or 1,  # in another tag it was worse
                in_some=sum(it.in_some for it in alike),
                what=tuple(sorted({what for it in alike for what in it.what}, reverse=True)),
                events=tuple(dict.fromkeys(event for it in alike for event in it.events)),
            )
            found[worst] = RowClass(
                name=worst.word,
                kind=worst.kind,
                words=self._words("group", in_all),
                is_quiet=worst.is_quiet,
                products=numbers[worst, False],
                dependencies=numbers[worst, True],
            )
        return found

    def _rows_of_tag(self, block: TagBlock) -> Iterator[TableRow]:
        """Yield the rows of a tag, of those that are worst alike in the order of their lines."""
        tag = block.tag
        counted = block.reasons.causes if block.reasons else ()
        causes = {event: self.causes[it.in_words(shown)] for it in counted for event in it.events}
        changes = {stack.stack: _specs_by_row(stack) for stack in tag.stacks}
        whole = {stack.stack for stack in tag.stacks if stack.status in ("added", "removed")}
        said = {
            it.stack: stack_moves(tag, it) if it.stack in whole else block.by_stack[it.stack]
            for it in tag.stacks
        }
        places = places_of(tag.stacks)
        for (package, is_dependency), moves in moves_of(said, places).items():
            worst: dict[str, Status] = {}
            for move in moves:
                for name in move.stacks:
                    is_told = move.in_tag or name not in whole
                    worst.setdefault(name, move.status if is_told else Status.WITH_STACK)
            changed = {
                name: some.get((package, is_dependency)) or some.get((package, True), ())
                for name, some in changes.items()
                if name in worst
            }
            in_columns = () if is_dependency else self._cells.get(package, ())
            with_stacks_last = sorted(moves, key=lambda move: whole.issuperset(move.stacks))
            below = self._groups_of(changed, causes)
            yield TableRow(
                tag=tag_label(tag),
                package=shown(package),
                link=address_of(package, self._package_url),
                worst=min(worst.values(), key=lambda it: it is Status.WITH_STACK),
                is_dependency=is_dependency,
                moves=() if in_columns else tuple(map(self._move, with_stacks_last)),
                cells=tuple(cell.in_words(shown) if cell else "" for cell in in_columns),
                causes=tuple(dict.fromkeys(it.cause for it in below if it.cause >= 0)),
                stacks=tuple((shown(it), len(some), worst[it]) for it, some in changed.items()),
                groups=below,
                specs=sum(len(group.pairs) for group in below),
            )

    def _move(self, move: Move) -> tuple[Kind, str, int]:
        words = self._words("happened", move).removeprefix(": ")
        return move.status.kind, words, self.places[tuple(map(shown, move.stacks))]

    def _groups_of(
        self, changes: Mapping[str, Sequence[Change]], causes: Mapping[Event, int]
    ) -> tuple[SpecGroup, ...]:
        """Return the changes of some stacks, the worst first, like specs together, each once."""
        stacks: dict[tuple[str, ...], list[str]] = {}
        last: dict[tuple[str, ...], Change] = {}  # has the cause that is counted
        alike: dict[SpecGroup, list[tuple[str, ...]]] = {}
        for stack, some in changes.items():
            for change in some:
                key = (change.kind, *(spec.hash for spec in change.specs))
                last[key] = change
                stacks.setdefault(key, []).append(shown(stack))
        for key, change in last.items():
            alike.setdefault(self._group(change, causes), []).append(key)
        return tuple(
            group._replace(
                pairs=tuple((*map(shown, it[1:]), self.places[tuple(stacks[it])]) for it in some)
            )
            for group, some in sorted(alike.items(), key=lambda it: WORST_FIRST.index(it[0].kind))
        )

    def _group(self, change: Change, causes: Mapping[Event, int]) -> SpecGroup:
        last = change.specs[-1]
        differences = [
            (shown(field.name), value_text(field.old) or "—", value_text(field.new) or "—")
            for field in change.fields
        ]
        if not any(field.name == "version" for field in change.fields):
            differences.insert(0, ("version", shown(last.version), ""))
        values = (last.compiler, last.os, last.platform, last.target, last.variants)
        cause, reason = -1, ""
        if isinstance(change.cause, Cause):
            cause = causes.get(event_of(change.cause), -1)
            same = f"; {SAME_TO_USE}" if change.same_to_use is True else ""
            words = cause_in_words(change.cause, shown)
            reason = f"{because_word(change.cause)} {words}{same}"
        built = self.built[tuple(map(value_text, values))]
        return SpecGroup(change.kind, tuple(differences), built, cause, reason)


def _specs_by_row(stack: StackDiff) -> SpecsByPart:
    """Return what happened to specs, by their package and by whether the row is of a dependency.

    Nothing may be said of a package but what is about its roots: then all its specs are in that
    row, as a build that is no root may have been removed for a root that is paired with another.
    """
    found = dict(specs_by_part(stack))
    alone = {name: part for name, part in found if (name, not part) not in found}
    for package, specs in changes_by_package(stack.changes).items():
        if package in alone:
            found[package, alone[package]] = specs
    return found


def with_first_specs(row: TableRow, most: int) -> TableRow:
    """Return a row with at most so many of its specs."""
    kept = []
    for group in row.groups:
        if most <= 0:
            break
        kept.append(group._replace(pairs=group.pairs[:most]))
        most -= len(group.pairs)
    return replace(row, groups=tuple(kept))
