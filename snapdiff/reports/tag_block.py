"""What happened in one tag as people read it: its parts, and the lines of each kind in them."""

from collections.abc import Iterable, Sequence
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from snapdiff.reports.names import (
    Place,
    Places,
    ShortList,
    shortened,
)
from snapdiff.reports.package_counts import (
    PackageCounts,
    counts_of_stack,
    fate_of,
    stacks_worst_first,
)
from snapdiff.reports.package_lines import (
    SYMBOLS,
    PackageLine,
    Products,
    by_kind,
    package_lines,
)
from snapdiff.reports.product_table import ProductTable, product_table
from snapdiff.reports.sentence import Tally, Toolchain, tallies, toolchain_of
from snapdiff.reports.spec_lines import SpecSection, spec_sections
from snapdiff.reports.stack_reasons import Reasons, reasons_of, without_shared
from snapdiff.result import Filters, Kind, StackDiff, TagDiff

GroupBy = Literal["stack", "package"]

SHORT = 20
"""How many lines of packages are read at a glance: news above them would say it all twice.

They may be about twice as many packages.
"""

FEW_QUIET = 6
"""How many packages are listed that changed in configuration or hash alone, before a number is."""

FEW = 4
"""How many lines of dependencies are read with the products; more are put aside."""


class KindBlock(Struct, frozen=True, kw_only=True):
    """The lines of one kind, or, where it is None, of other ways to number versions.

    `left_out` is the number of packages on lines that are not there. Of packages that only changed
    their configuration or their hash the first are named and the others counted; `number` is that
    of all of these.
    """

    kind: Kind | None
    lines: tuple[PackageLine, ...]
    left_out: int = 0
    counted: ShortList[str] = ShortList((), 0)
    number: int = 0

    @property
    def symbol(self) -> str:
        """The sign of the kind."""
        return SYMBOLS[self.kind or Kind.UPGRADED]

    @property
    def first(self) -> tuple[PackageLine, ...]:
        """The first lines, for where the kind has one line in all."""
        return shortened(self.lines, FEW).first

    @property
    def more(self) -> int:
        """How many packages are on the other lines."""
        return _number_of_packages(self.lines[len(self.first) :]) + self.left_out


def _number_of_packages(lines: Iterable[PackageLine]) -> int:
    return len({name for line in lines for name in line.packages})


class Part(Struct, frozen=True, kw_only=True):
    """What happened to the products, or to the dependencies, of one stack or of all of a tag.

    They are packages where nobody knows which is which. `stack` is None where it is about all of
    them, and empty for one without a name. `is_first` says that nothing of the stack is above it.
    """

    about: Literal["products", "dependencies", "packages"]
    stack: str | None
    is_first: bool
    tallies: tuple[Tally, ...]
    counts: PackageCounts | None
    reasons: Reasons | None
    table: ProductTable | None
    kinds: tuple[KindBlock, ...]
    details: tuple[SpecSection, ...]

    @property
    def is_long(self) -> bool:
        """Whether it has more lines than are read beside others."""
        return sum(len(kind.lines) for kind in self.kinds) > FEW


class RootsLine(Struct, frozen=True, kw_only=True):
    """Packages that are on both sides of some stacks, and roots on one of them alone."""

    is_now: bool
    packages: tuple[str, ...]
    place: Place


class TagBlock(Struct, frozen=True, kw_only=True):
    """What happened in one tag that is on both sides.

    `removed`, `added` and `only_rebuilt` name the stacks that have no part of their own; `reasons`
    say why specs changed in those and, where the parts are about all stacks, in all of them. `sets`
    has the names of the stacks that have a letter together.
    """

    tag: TagDiff
    removed: tuple[str, ...]
    added: tuple[str, ...]
    only_rebuilt: tuple[str, ...]
    reasons: Reasons | None
    toolchain: Toolchain | None
    roots: tuple[RootsLine, ...]
    parts: tuple[Part, ...]
    sets: dict[str, tuple[str, ...]]


def is_short(lines: Sequence[PackageLine]) -> bool:
    """Return whether lines are read at a glance."""
    number = sum(len(line.packages) for line in lines)
    return len(lines) <= SHORT and number <= 2 * SHORT


class TagWriter:
    """Makes the block of one tag."""

    def __init__(self, tag: TagDiff, filters: Filters, *, details: bool, has_table: bool) -> None:
        self.tag = tag
        self.products = Products(tag.stacks)
        self._places = Places(stack.stack for stack in tag.stacks)
        self._details = details
        self._has_table = has_table
        self._lists_all = details or bool(filters.because or filters.kind)
        self.reasons = reasons_of(tag.stacks, self._places)
        self.lines = self._lines(_told_stacks(tag))
        self.changed_stacks = [stack for stack in tag.stacks if stack.package_changes]

    def _lines(self, stacks: Sequence[StackDiff]) -> list[PackageLine]:
        lines = package_lines(self.tag, stacks, self._places, self.products)
        if self.reasons and self.reasons.is_one:
            return [replace(line, because=None) for line in lines]  # it stands above all of them
        return lines

    def block(self, group_by: GroupBy, *, narrowed: bool) -> TagBlock:
        """Return the block, with parts about all stacks or about one each."""
        fates: dict[str, list[StackDiff]] = {"changed": [], "rebuilt": []}
        for stack in stacks_worst_first(self.tag.stacks):
            fates.setdefault(fate_of(stack), []).append(stack)
        told = fates["changed"] + fates["rebuilt"]
        if group_by == "package":
            parts = list(self._parts(None, told, self.lines))
        else:
            parts = [
                part
                for stack in fates["changed"]
                for part in self._parts(stack, [stack], self._lines([without_shared(stack)]))
            ]
            parts = [
                replace(part, counts=counts_of_stack(stack, narrowed=narrowed))
                for part in parts
                for stack in fates["changed"]
                if stack.stack == part.stack
            ]
        used = [line.place for part in parts for kind in part.kinds for line in kind.lines]
        reasons = self.reasons
        if group_by == "stack":
            reasons = reasons_of(fates["rebuilt"], self._places)
        toolchain = toolchain_of(self.lines, self.changed_stacks, self._places)
        used += [step.place for step in toolchain.steps] if toolchain else []
        return TagBlock(
            tag=self.tag,
            removed=_names(fates.get("removed", ())),
            added=_names(fates.get("added", ())),
            only_rebuilt=_names(fates["rebuilt"]) if group_by == "stack" else (),
            reasons=reasons,
            toolchain=None if is_short(self.lines) else toolchain,
            roots=_roots(self.tag, self._places),
            parts=tuple(parts),
            sets=self._places.named_sets(used),
        )

    def _parts(
        self, stack: StackDiff | None, told: Sequence[StackDiff], lines: Sequence[PackageLine]
    ) -> Iterable[Part]:
        """Yield products and dependencies, or packages where it is not known which is which."""
        dependencies = [line for line in lines if line.is_dependency]
        others = [line for line in lines if not line.is_dependency]
        table = None
        if self._has_table and self.products.are_known and stack is None:
            table, others_told = product_table(others, told)
        else:
            others_told = others
        found: list[Part] = []
        for some, shown in ((others, others_told), (dependencies, dependencies)):
            if some or (not lines and not found):
                is_dependency = some is dependencies
                found.append(
                    Part(
                        about="dependencies"
                        if is_dependency
                        else "products"
                        if self.products.are_known
                        else "packages",
                        stack=stack.stack if stack else None,
                        is_first=not found,
                        tallies=tallies(some),
                        counts=None,
                        reasons=reasons_of([stack], self._places) if stack and not found else None,
                        table=None if is_dependency else table,
                        kinds=self._kinds(shown),
                        details=(),
                    )
                )
        if self._details and found:
            found[-1] = replace(found[-1], details=spec_sections(told))
        return found

    def _kinds(self, lines: Iterable[PackageLine]) -> tuple[KindBlock, ...]:
        return tuple(self._block(kind, some) for kind, some in by_kind(lines).items())

    def _block(self, kind: Kind | None, lines: tuple[PackageLine, ...]) -> KindBlock:
        quiet = [] if self._lists_all else [line for line in lines if _is_quiet(line)]
        names = list(dict.fromkeys(name for line in quiet for name in line.packages))
        if len(names) <= FEW_QUIET:
            return KindBlock(kind=kind, lines=lines)
        return KindBlock(
            kind=kind,
            lines=tuple(line for line in lines if not _is_quiet(line)),
            counted=ShortList(tuple(names[:FEW_QUIET]), len(names) - FEW_QUIET),
            number=len(names),
        )


def _is_quiet(line: PackageLine) -> bool:
    """Return whether a line is worth no more than its names where there are many of its kind.

    So are configurations and hashes, and, of what nobody asked for, builds beside others.
    """
    if line.builds:
        return line.is_dependency and not (line.gone or line.came)
    return line.kind in (Kind.RECONFIGURED, Kind.REBUILT)


def _roots(tag: TagDiff, places: Places) -> tuple[RootsLine, ...]:
    """Return which packages are roots no longer, and which are now, without being new or gone."""
    found: dict[tuple[bool, str], list[str]] = {}
    for stack in tag.stacks:
        if stack.asked_for is not None:
            for is_now, names in ((False, stack.asked_for.no_longer), (True, stack.asked_for.now)):
                for name in names:
                    found.setdefault((is_now, name), []).append(stack.stack)
    together: dict[tuple[bool, tuple[str, ...]], list[str]] = {}
    for (is_now, name), stacks in sorted(found.items()):
        together.setdefault((is_now, tuple(stacks)), []).append(name)
    return tuple(
        RootsLine(is_now=is_now, packages=tuple(names), place=places.place(stacks))
        for (is_now, stacks), names in together.items()
    )


def _told_stacks(tag: TagDiff) -> list[StackDiff]:
    """Return the stacks of a tag whose packages are listed.

    Of a stack that is removed or added as a whole, only those packages are that the whole tag lost
    or got with it: the others would repeat one piece of news line by line.
    """
    names = {*tag.packages.added, *tag.packages.removed}
    told = []
    for stack in tag.stacks:
        if stack.status in ("changed", "unchanged"):
            told.append(without_shared(stack))
        elif any(change.package in names for change in stack.package_changes):
            some = tuple(change for change in stack.package_changes if change.package in names)
            told.append(replace(stack, package_changes=some))
    return told


def _names(stacks: Iterable[StackDiff]) -> tuple[str, ...]:
    return tuple(sorted(stack.stack for stack in stacks))
