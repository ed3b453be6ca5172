"""The rows of the HTML report: a package of a tag, and all that happened to it in its stacks.

Below each row are its specs, like ones together.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain
from typing import NamedTuple

from msgspec import Struct

from snapdiff.model import Spec
from snapdiff.reports.cause_words import SAME_TO_USE, because_word, cause_in_words
from snapdiff.reports.groups import Tally
from snapdiff.reports.html.writing import value_text
from snapdiff.reports.moves import moves_of, stack_moves
from snapdiff.reports.names import Places, tag_label
from snapdiff.reports.outline import Outline
from snapdiff.reports.products import specs_by_part
from snapdiff.reports.statuses import Status
from snapdiff.reports.tag_block import TagBlock
from snapdiff.result import Change, Kind
from snapdiff.result.causes import Cause, event_of
from snapdiff.safe_text import shown

WITH_STACK = len(Status)
"""The class of packages that came or went with whole stacks alone; the others are a `Status`."""


def is_quiet(worst: int) -> bool:
    """Return whether nothing happened but what did to all around, or to hashes alone."""
    return Status.SHARED <= worst < WITH_STACK


BuiltAs = tuple[str, ...]
"""Compiler, os, platform, target and variants of a spec, as text."""


class HashedPair(NamedTuple):
    """The old and the new hash of a spec, or the only one it has, and the stacks it is in."""

    hashes: tuple[str, ...]
    stacks: tuple[str, ...]


class SpecGroup(NamedTuple):
    """Specs of which the same is said: in which fields they differ, and how they were built.

    Of each field there are name, old and new value, and of a version that is the same, no new one.
    `built` is how they were built last: what was otherwise before is in the fields.
    """

    kind: Kind
    differences: tuple[tuple[str, str, str], ...]
    built: BuiltAs
    reason: str
    pairs: tuple[HashedPair, ...] = ()


class StackShare(NamedTuple):
    """How many specs of a row are in a stack, and the class of what happened there."""

    specs: int
    worst: int


class RowClass(NamedTuple):
    """What happened to some packages at worst, in words, and how many rows they have."""

    name: str
    kind: Kind
    words: str
    is_quiet: bool
    products: int
    dependencies: int


class TableRow(Struct, frozen=True, kw_only=True):
    """A package of one tag, and what happened to it.

    `worst` is the class in which the first sentence counts it. `moves` says what happened, a kind
    and words for each set of stacks, `cells` the same for each stack, where these are columns.
    `causes` are those of its rebuilt specs, in the words of their tag. `stacks` says what is in
    each stack; `groups` have each of the `specs` once, whatever its stacks.
    """

    tag: str
    package: str
    worst: int
    is_dependency: bool
    moves: tuple[tuple[Kind, str], ...]
    cells: tuple[str, ...]
    causes: tuple[str, ...]
    stacks: dict[str, StackShare]
    groups: tuple[SpecGroup, ...]
    specs: int


Words = Callable[[str, object], str]
"""What a macro of `words.j2`, called by its name, says of a value."""


def columns_of(outline: Outline) -> tuple[str, ...]:
    """Return the stacks that are columns: those of the table of products, of one tag."""
    tables = [group.table for tag in outline.tags for part in tag.parts for group in part.groups]
    found = [table.stacks for table in tables if table]
    return found[0] if found and not outline.several_changed else ()


def classes_of(rows: Sequence[TableRow], outline: Outline, words: Words) -> dict[int, RowClass]:
    """Return the classes of some rows and of their stacks, the worst first, as headings say."""
    numbers = Counter((row.worst, row.is_dependency) for row in rows)
    counted = (*outline.packages.tallies, *outline.dependencies.tallies)
    found = {}
    for worst in sorted({share.worst for row in rows for share in row.stacks.values()}):
        name, kind, said = "with_stack", Kind.ADDED, words("with_stack", None)
        if isinstance(worst, Status):
            alike = [tally for tally in counted if tally.status is worst]
            in_all = Tally(
                status=worst,
                number=sum(tally.number for tally in alike) or 1,  # in another tag it was worse
                in_some=sum(tally.in_some for tally in alike),
                what=tuple(sorted({it for tally in alike for it in tally.what}, reverse=True)),
            )
            name, kind, said = worst.word, worst.kind, words("group", in_all)
        products, dependencies = numbers[worst, False], numbers[worst, True]
        found[worst] = RowClass(name, kind, said, is_quiet(worst), products, dependencies)
    return found


def rows_of(outline: Outline, words: Words, *, has_cells: bool) -> list[TableRow]:
    """Return all rows in the order of reading: news, products first in it, then the worst."""
    by_tag = (_rows_of_tag(block, words, has_cells=has_cells) for block in outline.tags)
    return sorted(
        chain.from_iterable(by_tag),
        key=lambda row: (is_quiet(row.worst), row.is_dependency, row.worst),
    )


def _rows_of_tag(block: TagBlock, words: Words, *, has_cells: bool) -> Iterator[TableRow]:
    """Yield the rows of a tag, of those that are worst alike in the order of their lines."""
    tag = block.tag
    groups = (group for part in block.parts for group in part.groups if has_cells)
    cells = dict(item for it in groups if it.table for item in it.table.rows.items())
    counted = block.reasons.causes if block.reasons else ()
    causes = {event: it.in_words(shown) for it in counted for event in it.events}
    changes = {stack.stack: specs_by_part(stack) for stack in tag.stacks}
    whole = {stack.stack for stack in tag.stacks if stack.status in ("added", "removed")}
    said = {
        it.stack: stack_moves(tag, it) if it.stack in whole else block.by_stack[it.stack]
        for it in tag.stacks
    }
    places = Places({it.stack: it.status for it in tag.stacks})
    for (package, is_dependency), moves in moves_of(said, places).items():
        worst: dict[str, int] = {}
        for move in moves:
            for name in move.stacks:
                is_told = move.in_tag or name not in whole
                worst.setdefault(name, move.status if is_told else WITH_STACK)
        changed = {
            name: changes[name].get((package, is_dependency))
            or changes[name].get((package, True), ())
            for name in worst
        }
        found = (it.cause for some in changed.values() for it in some)
        because = [causes.get(event_of(it)) for it in found if isinstance(it, Cause)]
        in_columns = () if is_dependency else cells.get(package, ())
        last_with_stacks = sorted(moves, key=lambda move: whole.issuperset(move.stacks))
        below = _groups_of(changed)
        yield TableRow(
            tag=tag_label(tag),
            package=package,
            worst=next((it for it in worst.values() if it != WITH_STACK), WITH_STACK),
            is_dependency=is_dependency,
            moves=tuple(
                (it.status.kind, words("happened", it).removeprefix(": "))
                for it in ([] if in_columns else last_with_stacks)
            ),
            cells=tuple(cell.in_words(shown) if cell else "" for cell in in_columns),
            causes=tuple(dict.fromkeys(filter(None, because))),
            stacks={name: StackShare(len(some), worst[name]) for name, some in changed.items()},
            groups=below,
            specs=sum(len(group.pairs) for group in below),
        )


def _groups_of(changes: Mapping[str, Sequence[Change]]) -> tuple[SpecGroup, ...]:
    """Return the changes of some stacks, each spec once, together with those said alike."""
    stacks: dict[tuple[str, ...], list[str]] = {}
    alike: dict[SpecGroup, list[tuple[str, ...]]] = {}
    for stack, some in changes.items():
        for change in some:
            sides = [spec for spec in (change.old, change.new) if spec]
            key = (change.kind, *(spec.hash for spec in sides))
            if key not in stacks:
                alike.setdefault(_group(change, sides), []).append(key)
            stacks.setdefault(key, []).append(stack)
    return tuple(
        group._replace(
            pairs=tuple(HashedPair(tuple(map(shown, it[1:])), tuple(stacks[it])) for it in some)
        )
        for group, some in alike.items()
    )


def _group(change: Change, sides: Sequence[Spec]) -> SpecGroup:
    """Return what is said of a spec that is on these sides."""
    last = sides[-1]
    differences = [
        (shown(field.name), value_text(field.old) or "—", value_text(field.new) or "—")
        for field in change.fields
    ]
    if not any(field.name == "version" for field in change.fields):
        differences.insert(0, ("version", shown(last.version), ""))
    values = (last.compiler, last.os, last.platform, last.target, last.variants)
    reason = ""
    if isinstance(change.cause, Cause):
        same = f"; {SAME_TO_USE}" if change.same_to_use is True else ""
        words = cause_in_words(change.cause, shown)
        reason = f"{because_word(change.cause)} {words}{same}"
    built = tuple(map(value_text, values))
    return SpecGroup(change.kind, tuple(differences), built, reason)


def first_specs(groups: Sequence[SpecGroup], most: int) -> tuple[SpecGroup, ...]:
    """Return groups with at most so many specs in all."""
    kept = []
    for group in groups:
        if most <= 0:
            break
        kept.append(group._replace(pairs=group.pairs[:most]))
        most -= len(group.pairs)
    return tuple(kept)
