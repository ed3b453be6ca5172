"""What happened in one tag as people read it: what many packages share, then its parts."""

from collections.abc import Iterable, Sequence
from functools import partial

from msgspec import Struct
from msgspec.structs import replace

from snapdiff.filters import reports_all, wanted_kinds
from snapdiff.reports import GroupBy
from snapdiff.reports.moves.move import Move
from snapdiff.reports.moves.of_stacks import (
    Back,
    Moves,
    StackMoves,
    back_again,
    moves_of,
    stack_moves,
    still_in,
    told_stacks,
    with_own_reasons,
    with_roots,
)
from snapdiff.reports.moves.places import HERE, NOWHERE, places_of
from snapdiff.reports.moves.products import in_parts, knows_products
from snapdiff.reports.moves.statuses import Status
from snapdiff.reports.names import tag_names
from snapdiff.reports.outline.class_counts import Numbers
from snapdiff.reports.outline.counting import count_by_class
from snapdiff.reports.outline.counts import stacks_by_fate
from snapdiff.reports.outline.groups import FEW, FEW_QUIET, Group, grouped
from snapdiff.reports.outline.lines import PackageLine, SpecLines, package_lines, spec_lines
from snapdiff.reports.outline.opening import (
    Opening,
    named_beside,
    named_steps,
    new_roots_of,
    opening_of,
    with_dependencies,
)
from snapdiff.reports.outline.parts import SHORT, About, Part
from snapdiff.reports.outline.product_table import MOST_COLUMNS, ProductTable, table_of_products
from snapdiff.reports.outline.reasons import Reasons, reasons_of
from snapdiff.reports.outline.toolchain import Toolchain, beside_toolchain, toolchain_of
from snapdiff.result.causes import Event
from snapdiff.result.changes import Filters, StackDiff, TagDiff
from snapdiff.result.packages import Kind
from snapdiff.spack import COMPILERS, NO_COMPILER

_WITH_STEPS = (Status.MAJOR, Status.UPGRADED, Status.MORE, Status.SCHEME, Status.RECONFIGURED)
"""The classes of which each package is named, with the version that it has now, if that changed."""

_MOST_LINES = 30
"""Below how many lines of packages nobody looks for the toolchain in a line of its own."""


class TagBlock(Struct, frozen=True, kw_only=True):
    """What happened in one tag that is on both sides.

    `by_stack` has what happened in each stack whose packages are listed, though `parts` have not
    all of it. `only_rebuilt` names the stacks that have no part of their own; `reasons` say why
    specs changed in those and, where the parts are about all stacks, in all of them. `opening` has
    the reasons that many packages share. `sets` has the names of the stacks that have a letter
    together. `tells_toolchain` says that lines do not say all of it, and is None where nothing is
    said of it; `lists_all` that every package has its line. `specs` are those that changed in a
    kind that is asked for where no package did.
    """

    tag: TagDiff
    by_stack: dict[str, StackMoves]
    only_rebuilt: tuple[str, ...]
    reasons: Reasons | None
    opening: Opening
    toolchain: Toolchain | None
    tells_toolchain: bool | None
    lists_all: bool
    parts: tuple[Part, ...]
    sets: dict[str, tuple[str, ...]]
    specs: SpecLines

    @property
    def has_table(self) -> bool:
        """Whether its products are in a table."""
        return any(part.has_table for part in self.parts)

    @property
    def moves_compilers(self) -> bool:
        """Whether builds changed their compiler, or packages lost such: not all is as before."""
        changes = (it for stack in self.tag.stacks for it in stack.changes)
        fields = (field for it in changes for field in it.fields if field.name == "compiler")
        if any(NO_COMPILER not in (field.old, field.new) for field in fields):
            return True
        lost = [move.lost for some in self.by_stack.values() for _, move in some if move.lost]
        traits = (trait for it in lost for part in it.parts for trait in (part.trait, part.also))
        told = (it.trait.trait for it in self.opening.lost_together)
        return any(it and it.what == "compiler" for it in (*traits, *told))

    @property
    def with_steps(self) -> list[Group]:
        """The groups of products of which it is known in few words what became of each."""
        return [group for part in self.parts for group in part.groups if group.steps]

    @property
    def rebuilt_part(self) -> Part | None:
        """The first part with lines about packages of which only the hash changed, if one has."""
        groups = ((part, group) for part in self.parts for group in part.groups)
        return next((part for part, it in groups if it.status is Status.REBUILT), None)

    @property
    def dependencies(self) -> Part | None:
        """The first part about dependencies, if it has one."""
        return next((part for part in self.parts if part.about == "dependencies"), None)

    @property
    def is_list_enough(self) -> bool:
        """Whether packages that nobody knows to be products are named in a list that is short."""
        lists = [part for part in self.parts if part.about == "packages"]
        is_whole = not any(group.is_told_above for part in lists for group in part.groups)
        return bool(lists) and is_whole and sum(part.size for part in lists) <= _MOST_LINES


class TagWriter:
    """Makes the block of one tag; `lines` has what happened to its packages, in all stacks."""

    def __init__(
        self, tag: TagDiff, filters: Filters, *, details: bool, has_table: bool, back: Back
    ) -> None:
        kinds = wanted_kinds(filters)
        self._whole = tag = replace(tag, stacks=tuple(map(with_own_reasons, tag.stacks)))
        self.has_products = knows_products(tag.stacks)
        in_kinds = partial(in_parts, kinds=kinds, has_products=self.has_products)
        self.tag = tag = replace(tag, stacks=tuple(map(in_kinds, tag.stacks)))
        self._places = places_of(tag.stacks)
        self._details = details
        self._has_table = has_table and self.has_products
        self._lists_all = details or bool(filters.because or filters.kind)
        self._kinds = kinds
        self._is_all = reports_all(filters)
        self._has_all_packages = not filters.package
        self._reasons_of = partial(reasons_of, places=self._places, is_all=self._is_all)
        self._reasons = self._reasons_of(tag.stacks)
        stacks = told_stacks(tag)
        said = {stack.stack: stack_moves(tag, stack) for stack in stacks}
        if Kind.RECONFIGURED in kinds:  # as which a package is shown that only has another root
            said = {stack: with_roots(moves) for stack, moves in said.items()}
        self.by_stack = said
        self._new_roots = new_roots_of(tag, self.by_stack, self._places)
        # The opening says what needs these.
        needs = {tuple(name for name, _ in it.names) for it in self._new_roots}
        elsewhere = still_in(said, tag.stacks, self._places)
        for stack, moves in self.by_stack.items():
            told = []
            gone = back.get((tag_names(tag), stack), {})
            for change, it in moves:
                move = back_again(it, gone[change.package], gone) if change.package in gone else it
                is_said = move.needed_by in needs and move.status is not Status.ROOTS
                needed_by = () if is_said else move.needed_by
                where = elsewhere.get(change.package) if move.is_partly_gone else None
                told.append((change, replace(move, needed_by=needed_by, still_in=where)))
            self.by_stack[stack] = told
        self.moves = moves_of(self.by_stack, self._places)
        self.lines = self._lines(self.moves, stacks)

    def _lines(self, moves: Moves, stacks: Sequence[StackDiff]) -> list[PackageLine]:
        lines = package_lines(moves)
        if not self._reasons or not self._reasons.is_one or _say_why(lines, stacks):
            return lines
        return [replace(it, moves=tuple(map(_without_cause, it.moves))) for it in lines]

    def block(self, group_by: GroupBy, untold: Sequence[PackageLine]) -> TagBlock:
        """Return the block, with parts about all stacks or one each; `untold` are no part of it."""
        fates = stacks_by_fate(self.tag.stacks)
        told = fates["changed"] + fates["rebuilt"]
        # With some kinds alone, a stack may have specs of packages that changed otherwise.
        listed = [*told, *(stack for stack in fates["unchanged"] if stack.changes)]
        by_stack = group_by == "stack"
        rebuilt = fates["rebuilt"] if by_stack and not self._details else []
        reasons = self._reasons_of(rebuilt) if by_stack else self._reasons
        tells_products = (
            Kind.REMOVED in self._kinds and len(self.lines) > SHORT and self.has_products
        )
        opening = opening_of(
            self.tag.stacks,
            self.moves,
            reasons.shared if reasons else (),
            self._new_roots,
            self._places,
            kinds=self._kinds,
            counts_builds=self._is_all and self._has_all_packages,
            whole=self._whole.stacks,
            told=self.by_stack if tells_products else {},
        )
        toolchain = None
        if len(self.lines) > FEW:
            toolchain = toolchain_of(
                self._whole,
                self._places,
                opening.shared,
                opening.replaced,
                of_fields=self._reasons.shared if self._reasons else (),
                is_all=self._is_all,
            )
        opening = with_dependencies(opening, self.moves, self.lines, toolchain)
        reasons = _beside(self.lines, self.tag.stacks, reasons)
        if by_stack:
            parts = [
                part
                for stack in (listed if self._details else fates["changed"])
                for part in self._parts_of_stack(stack, toolchain)
            ]
        else:
            lines = [line for line in self.lines if line not in untold]
            is_table = self._has_table and 1 < len(told) <= MOST_COLUMNS
            table = table_of_products(told, self.by_stack) if is_table else None
            parts = self._parts(None, lines, toolchain, reasons, table)
            if self._details:
                parts[-1] = replace(parts[-1], details=spec_lines(listed))
        used = [move.place for part in parts for line in part.lines for move in line.moves]
        tells_toolchain = toolchain is not None and (
            by_stack or bool(opening.replaced) or _says_more(toolchain, parts, self.moves)
        )
        if toolchain and tells_toolchain:
            used += (step.place for _, steps in toolchain.changes for step in steps)
        return TagBlock(
            tag=self.tag,
            by_stack=self.by_stack,
            only_rebuilt=tuple(sorted(stack.stack for stack in rebuilt)),
            reasons=reasons,
            opening=opening,
            toolchain=toolchain,
            tells_toolchain=tells_toolchain,
            lists_all=self._lists_all,
            parts=tuple(parts),
            sets=self._places.named_sets(used),
            specs=() if self.lines else spec_lines(listed),
        )

    def _parts_of_stack(self, stack: StackDiff, toolchain: Toolchain | None) -> list[Part]:
        """Return what happened in one stack, with why its specs changed."""
        own = moves_of({stack.stack: self.by_stack[stack.stack]}, self._places)
        moves = {it: tuple(replace(move, place=HERE) for move in some) for it, some in own.items()}
        lines = self._lines(moves, [stack])
        reasons = _beside(lines, [stack], self._reasons_of([stack]))
        parts = self._parts(stack, lines, toolchain, reasons)
        parts[0] = replace(parts[0], reasons=reasons)
        if self._details:
            parts[-1] = replace(parts[-1], details=spec_lines([stack]))
        return parts

    def _parts(
        self,
        stack: StackDiff | None,
        lines: Sequence[PackageLine],
        toolchain: Toolchain | None,
        reasons: Reasons | None,
        table: ProductTable | None = None,
    ) -> list[Part]:
        """Return products and dependencies, or packages where it is not known which is which.

        They are about one stack, or about all, in a `table` where that is good. Packages that the
        `reasons` of their hashes name have no line.
        """
        others: About = "products" if self.has_products else "packages"
        is_why_named = reasons and reasons.names_packages and reasons.place == NOWHERE
        beside = beside_toolchain(lines, toolchain)
        parts: list[Part] = []
        about: About
        for is_dependency in (False, True):
            some = [line for line in beside if line.is_dependency is is_dependency]
            listed = some
            if is_why_named and not self._lists_all:
                listed = [line for line in some if line.status is not Status.REBUILT]
            about = "dependencies" if is_dependency else others
            of_these = None if is_dependency else table
            groups = grouped(listed, of_these, lists_all=self._lists_all)
            if not (is_dependency or stack):
                groups = tuple(self._with_steps(group, listed) for group in groups)
            parts.append(
                Part(
                    about=about,
                    stack=stack.stack if stack else None,
                    groups=groups,
                    numbers=Numbers(by_class=count_by_class(some)),
                    is_beside_toolchain=is_dependency and beside != list(lines),
                )
            )
        return [part for part in parts if part.groups] or parts[:1]

    def _with_steps(self, group: Group, lines: Iterable[PackageLine]) -> Group:
        """Return a group with the steps of its packages; what is upgraded may be new elsewhere.

        It may have more builds, too, than before.

        So may be a product that changed in some stacks as all around it did, or in its hash alone;
        the latter are named if these are few.
        """
        if group.status in (Status.SHARED, Status.REBUILT):
            every = (it for it in lines if it.status is not group.status and not it.is_dependency)
            own = {it: self.moves[it, False] for line in every for it in line.packages}
            such = {
                name: tuple(it for it in some if it.status is group.status)
                for name, some in sorted(own.items())
            }
            also = tuple((name, some) for name, some in such.items() if some)
            is_short = group.status is Status.SHARED or len(also) <= FEW_QUIET
            return replace(group, also=also if is_short else ())
        if group.status not in _WITH_STEPS:
            return group
        steps = named_steps(group.lines, group.status, self._places)
        also = named_beside(lines, group.status, self._places)
        return replace(group, steps=steps, also=also)


def _says_more(toolchain: Toolchain, parts: Sequence[Part], moves: Moves) -> bool:
    """Return whether the toolchain says more than few lines of packages, or there are many."""
    if any(part.has_table for part in parts) or sum(part.size for part in parts) > _MOST_LINES:
        return True
    lines = [line for part in parts for line in part.lines]
    told = {(name, line.is_dependency) for line in lines for name in line.packages}
    names = {name for name, _ in told} - {name for name, _ in moves.keys() - told}
    if any(not line.is_dependency for line in lines):  # then the sentence says it of compilers
        names.update(name for name, _ in toolchain.news if name in COMPILERS)
    return not names.issuperset(name for name, _ in toolchain.changes)


def _without_cause(move: Move) -> Move:
    """Return a move without the cause of another hash, which is told once for all."""
    return replace(move, because=None) if isinstance(move.because, Event) else move


def _say_why(lines: Iterable[PackageLine], stacks: Iterable[StackDiff]) -> bool:
    """Return whether packages with another hash are so few that their own lines say why."""
    rebuilt = {it.package for stack in stacks for it in stack.changes if it.kind is Kind.REBUILT}
    told = [it for it in lines if it.status is Status.REBUILT and all(m.because for m in it.moves)]
    return len(rebuilt) <= FEW and rebuilt == {name for line in told for name in line.packages}


def _beside(
    lines: Sequence[PackageLine], stacks: Iterable[StackDiff], reasons: Reasons | None
) -> Reasons | None:
    """Return what is said once beside these lines: not why, where each of them says it."""
    if reasons is None or _say_why(lines, stacks):
        return reasons and replace(reasons, specs=0)
    named = {it for line in lines if line.status is Status.REBUILT for it in line.packages}
    untold = reasons.told.more or reasons.unexplained
    names_packages = not named or (not untold and len(named) < len(reasons.packages) <= FEW_QUIET)
    if names_packages:
        reasons = replace(reasons, widest=None, wide=())
    return replace(reasons, names_packages=names_packages)
