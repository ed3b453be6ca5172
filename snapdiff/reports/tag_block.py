"""What happened in one tag as people read it: news, what many packages share, then its parts."""

from collections.abc import Iterable, Sequence
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from snapdiff.filters import wanted_kinds
from snapdiff.reports import GroupBy
from snapdiff.reports.groups import (
    FEW,
    MOST_COLUMNS,
    Group,
    grouped,
    product_columns,
)
from snapdiff.reports.moves import Move, Moves, StackMoves, moves_of, stack_moves
from snapdiff.reports.names import Places
from snapdiff.reports.opening import Opening, RootsChange, opening_of, roots_of
from snapdiff.reports.package_counts import fate_of, stacks_worst_first
from snapdiff.reports.package_lines import (
    PackageLine,
    SpecSection,
    package_lines,
    spec_sections,
)
from snapdiff.reports.products import in_parts, knows_products
from snapdiff.reports.stack_reasons import (
    Reasons,
    Toolchain,
    beside_toolchain,
    reasons_of,
    toolchain_of,
)
from snapdiff.reports.statuses import Status
from snapdiff.result import Filters, Kind, StackDiff, TagDiff
from snapdiff.result.causes import Event

SHORT = 8
"""How many lines of packages are read at a glance."""


class Part(Struct, frozen=True, kw_only=True):
    """What happened to the products, or to the dependencies, of one stack or of all of a tag.

    They are packages where nobody knows which is which. `stack` is None where it is about all of
    them, and empty for one without a name. `is_first` says that nothing of the stack is above it.
    """

    about: Literal["products", "dependencies", "packages"]
    stack: str | None
    is_first: bool = False
    reasons: Reasons | None = None
    groups: tuple[Group, ...] = ()
    details: tuple[SpecSection, ...] = ()

    @property
    def has_table(self) -> bool:
        """Whether some of it are tables."""
        return any(group.table for group in self.groups)

    @property
    def size(self) -> int:
        """How many lines and rows it has."""
        return sum(group.size for group in self.groups)

    @property
    def has_headings(self) -> bool:
        """Whether its groups have headings: of few lines everybody sees what they are."""
        return self.has_table or (self.size > SHORT and len(self.groups) > 1)

    @property
    def is_long(self) -> bool:
        """Whether it has more lines than are read beside others."""
        return self.size > FEW


MOST_NEWS = 10
"""How many lines of packages one piece of news has; of more the first ones are told."""


class TagBlock(Struct, frozen=True, kw_only=True):
    """What happened in one tag that is on both sides.

    `by_stack` has what happened in each stack whose packages are listed, `worst` the worst that
    happened to a package, as a product or (True) as a dependency. `only_rebuilt` names the stacks
    that have no part of their own; `reasons` say why specs changed in those and, where the parts
    are about all stacks, in all of them. `opening` has the reasons that many packages share.
    `headlines` are news that the parts do not tell again where they tell it whole, unless in a
    table. `roots` are what is asked for now, and what no longer is. `sets` has the names of the
    stacks that have a letter together.
    """

    tag: TagDiff
    by_stack: dict[str, StackMoves]
    worst: dict[tuple[str, bool], Status]
    only_rebuilt: tuple[str, ...]
    reasons: Reasons | None
    opening: Opening
    headlines: tuple[Group, ...]
    toolchain: Toolchain | None
    roots: tuple[RootsChange, ...]
    parts: tuple[Part, ...]
    sets: dict[str, tuple[str, ...]]


class TagWriter:
    """Makes the block of one tag; `lines` has what happened to its packages, in all stacks."""

    def __init__(self, tag: TagDiff, filters: Filters, *, details: bool, has_table: bool) -> None:
        kinds = wanted_kinds(filters)
        self._whole = tag
        self.tag = tag = replace(tag, stacks=tuple(in_parts(stack, kinds) for stack in tag.stacks))
        self.has_products = knows_products(tag.stacks)
        self._places = Places(stack.stack for stack in tag.stacks)
        self._details = details
        self._has_table = has_table and self.has_products
        self._lists_all = details or bool(filters.because or filters.kind)
        self._tells_losses = Kind.REMOVED in kinds
        self._reasons = reasons_of(tag.stacks, self._places)
        told = _told_stacks(tag)
        self._by_stack = {stack.stack: stack_moves(tag, stack) for stack in told}
        self.moves = moves_of(self._by_stack, self._places)
        self.lines = self._lines(self.moves, told)

    def _lines(self, moves: Moves, stacks: Sequence[StackDiff]) -> list[PackageLine]:
        lines = package_lines(moves)
        if self._reasons and self._reasons.is_one and not _say_why(lines, stacks):
            return [  # it is told once for all
                replace(
                    line,
                    moves=tuple(
                        replace(move, because=None) if isinstance(move.because, Event) else move
                        for move in line.moves
                    ),
                )
                for line in lines
            ]
        return lines

    def block(self, group_by: GroupBy, untold: Sequence[PackageLine]) -> TagBlock:
        """Return the block, with parts about all stacks or one each; `untold` are no part of it."""
        fates: dict[str, list[StackDiff]] = {"changed": [], "rebuilt": []}
        for stack in stacks_worst_first(self.tag.stacks):
            fates.setdefault(fate_of(stack), []).append(stack)
        told = fates["changed"] + fates["rebuilt"]
        reasons = self._reasons
        is_short = len(self.lines) <= FEW
        toolchain = None if is_short else toolchain_of(_told_stacks(self._whole), self._places)
        if group_by == "package":
            lines = beside_toolchain((it for it in self.lines if it not in untold), toolchain)
            parts = self._parts(None, told, lines)
        else:
            reasons = reasons_of(fates["rebuilt"], self._places)
            parts = [
                part
                for stack in fates["changed"]
                for moves in [moves_of({stack.stack: self._by_stack[stack.stack]}, self._places)]
                for lines in [beside_toolchain(self._lines(moves, [stack]), toolchain)]
                for part in self._parts(stack, [stack], lines)
            ]
        used = [
            move.place
            for part in parts
            for group in part.groups
            for line in group.lines
            for move in line.moves
        ]
        used += [place for it in toolchain.changes for _, place in it.steps] if toolchain else []
        opening = opening_of(
            self.tag.stacks,
            self.moves,
            reasons.shared if reasons else (),
            self._places,
            with_losses=self._tells_losses,
        )
        return TagBlock(
            tag=self.tag,
            by_stack=self._by_stack,
            worst={package: moves[0].status for package, moves in self.moves.items()},
            only_rebuilt=tuple(sorted(it.stack for it in fates["rebuilt"] if group_by == "stack")),
            reasons=_beside(self.lines, self.tag.stacks, reasons),
            opening=opening,
            headlines=(),
            toolchain=toolchain,
            roots=roots_of(self.tag.stacks, self._places),
            parts=tuple(parts),
            sets=self._places.named_sets(used),
        )

    def with_news(self, block: TagBlock, *, repeats: bool) -> TagBlock:
        """Return a block that begins with news.

        Beside a table they tell of losses alone. What they tell whole is no part of the lines or
        rows any more, unless a table `repeats` it.
        """
        has_table = any(part.has_table for part in block.parts)
        least = Status.LOST if has_table else Status.REBUILT
        headlines = self._news(least)
        told = {it.status for it in headlines if not it.left_out}
        for (_, is_dependency), moves in self.moves.items():
            if not is_dependency and any(it.status > least and not it.is_quiet for it in moves):
                told.discard(moves[0].status)
        if has_table:
            headlines += self._majors()
        if (repeats and has_table) or any(part.stack is not None for part in block.parts):
            told = set()
        parts = [
            replace(part, groups=tuple(it for it in part.groups if it.status not in told))
            if part.about != "dependencies"
            else part
            for part in block.parts
        ]
        return replace(block, headlines=tuple(headlines), parts=tuple(parts))

    def _news(self, least: Status) -> list[Group]:
        """Return the products that nobody should miss, and what happened to them, to the `least`.

        What is gone or downgraded as a dependency, and a product in another stack, is told with
        them, though it is none where it happened: behind what happened to the product, if any.
        """
        products = {name for name, is_dependency in self.moves if not is_dependency}
        beside = {  # dependencies of the name of a product of the same stack
            (change.package, stack)
            for stack, found in self._by_stack.items()
            for change, _ in found
            if change.parts
        }
        news: dict[tuple[str, bool], tuple[Move, ...]] = {}
        for (name, is_dependency), moves in self.moves.items():  # products first
            if is_dependency and name in products:
                told = [
                    replace(move, as_dependency=True)
                    for move in moves
                    if move.status in (Status.GONE, Status.DOWNGRADED)
                    and not move.versions.counts
                    and beside.isdisjoint((name, stack) for stack in move.stacks)
                ]
            elif not is_dependency and moves[0].status <= Status.LOST:
                told = [it for it in moves if it.status <= least]
            else:
                continue
            if told:
                package = (name, is_dependency and (name, False) not in news)
                news[package] = (*news.get(package, ()), *told)
        return _headlines(news)

    def _majors(self) -> list[Group]:
        """Return the products that rose to another major version, and nothing worse happened."""
        told = {
            (name, is_dependency): tuple(it for it in moves if it.is_major)
            for (name, is_dependency), moves in self.moves.items()
            if not is_dependency and moves[0].status is Status.UPGRADED
        }
        return _headlines({package: moves for package, moves in told.items() if moves})

    def _parts(
        self, stack: StackDiff | None, told: Sequence[StackDiff], lines: Sequence[PackageLine]
    ) -> list[Part]:
        """Return products and dependencies, or packages where it is not known which is which."""
        has_table = self._has_table and 1 < len(told) <= MOST_COLUMNS
        columns = product_columns(told, self._by_stack) if has_table else {}
        others: Literal["products", "packages"] = "products" if self.has_products else "packages"
        found = [
            Part(
                about="dependencies" if is_dependency else others,
                stack=stack.stack if stack else None,
                groups=grouped(some, {} if is_dependency else columns, lists_all=self._lists_all),
            )
            for is_dependency in (False, True)
            if (some := [line for line in lines if line.is_dependency is is_dependency])
        ]
        found = found or [Part(about=others, stack=stack.stack if stack else None)]
        reasons = _beside(lines, [stack], reasons_of([stack], self._places)) if stack else None
        found[0] = replace(found[0], is_first=True, reasons=reasons)
        if self._details:
            found[-1] = replace(found[-1], details=spec_sections(told))
        return found


def _say_why(lines: Iterable[PackageLine], stacks: Iterable[StackDiff]) -> bool:
    """Return whether packages with another hash are so few that their own lines say why."""
    rebuilt = {it.package for stack in stacks for it in stack.changes if it.kind is Kind.REBUILT}
    told = [it for it in lines if it.status is Status.REBUILT and all(m.because for m in it.moves)]
    return len(rebuilt) <= FEW and rebuilt == {name for line in told for name in line.packages}


def _beside(
    lines: Iterable[PackageLine], stacks: Iterable[StackDiff], reasons: Reasons | None
) -> Reasons | None:
    """Return what is said once beside these lines: not why, where each of them says it."""
    return replace(reasons, specs=0) if reasons and _say_why(lines, stacks) else reasons


def _headlines(news: Moves) -> list[Group]:
    """Return pieces of news, the worst first; of very many packages the first lines."""
    lines = sorted(package_lines(news), key=lambda line: line.status)
    groups = grouped(lines, {}, lists_all=True)
    return [
        replace(it, lines=it.first, left_out=it.more) if len(it.lines) > MOST_NEWS else it
        for it in groups
    ]


def _told_stacks(tag: TagDiff) -> list[StackDiff]:
    """Return the stacks of a tag whose packages are listed.

    Of a stack that is removed or added as a whole, only those packages are that the whole tag lost
    or got with it: the others would repeat one piece of news line by line.
    """
    names = {*tag.packages.added, *tag.packages.removed}
    told = []
    for stack in tag.stacks:
        if stack.status in ("changed", "unchanged"):
            told.append(stack)
        elif any(change.package in names for change in stack.package_changes):
            some = tuple(change for change in stack.package_changes if change.package in names)
            told.append(replace(stack, package_changes=some))
    return told
