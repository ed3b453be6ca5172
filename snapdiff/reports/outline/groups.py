"""Packages by the worst that happened to them: their lines or rows, or names where these do."""

from collections.abc import Iterable
from itertools import groupby
from typing import Literal, NamedTuple

from msgspec import structs
from msgspec.structs import replace

from snapdiff.reports.moves.places import Place
from snapdiff.reports.moves.statuses import Status
from snapdiff.reports.outline.class_counts import ClassCount, Named
from snapdiff.reports.outline.counting import count_by_class
from snapdiff.reports.outline.lines import PackageLine
from snapdiff.reports.outline.product_table import ProductTable
from snapdiff.result.causes import TraitCount

FEW_QUIET = 10
"""How many packages are listed that changed in configuration or hash alone; more are named."""

MOST_NAMES = 400
"""How many names stand one after another on a page before the others are counted."""

FEW = 4
"""How many lines are read beside others; of dependencies more are put aside."""


class AlikeBuilds(NamedTuple):
    """What builds have that packages of several lines lost, or got, so many each, in one place."""

    part: TraitCount
    what: Literal["gone", "new"]
    place: Place
    lines: list[PackageLine]

    @property
    def packages(self) -> list[tuple[str, PackageLine]]:
        """These packages by name, each with its line."""
        every = ((name, line) for line in self.lines for name in line.packages)
        return sorted(every, key=lambda it: it[0])


class Group(ClassCount, frozen=True, kw_only=True):
    """The packages of one status: their lines, also as a table, or, where it says enough, `names`.

    `named` is what is said of the ones that are named, `named_at` where these are, if they are few
    in several places. `left_out` is how many packages are on lines, on rows or among names that are
    not there. `steps` has what became of each package in few words, `also` the same of packages of
    other classes to which it happened, too. It has no lines if it `is_told_above`: if the report
    begins with all that there is to say.
    """

    lines: tuple[PackageLine, ...] = ()
    table: ProductTable | None = None
    names: tuple[str, ...] = ()
    named: ClassCount | None = None
    named_at: tuple[tuple[tuple[Place, ...], list[str]], ...] = ()
    left_out: int = 0
    steps: Named = ()
    also: Named = ()
    is_told_above: bool = False

    @property
    def size(self) -> int:
        """How many lines or rows it has; names are one."""
        return len(self.table.rows) if self.table else len(self.lines) + bool(self.names)

    @property
    def is_mixed(self) -> bool:
        """Whether its title does not say of each package what happened to it."""
        moves = (move for line in self.lines for move in line.moves)
        is_back = not self.gone_since and any(it.gone_since for it in moves)
        return is_back or (self.status is Status.ROOTS and len(self.what) > 1)

    @property
    def is_listed(self) -> bool:
        """Whether it has lines, and no table."""
        return bool(self.lines) and not self.table

    @property
    def is_long(self) -> bool:
        """Whether it has more lines than are read beside others."""
        return len(self.lines) > FEW

    @property
    def alike_builds(self) -> list[AlikeBuilds]:
        """What tells builds of its lines, where one line would name it with what another says.

        That is `one with mvapich 3.0b` beside `2 each, one with mvapich 3.0b and one with cce 16`.
        """
        found: dict[object, AlikeBuilds] = {}
        for line in self.lines:
            if share := line.told_builds:
                for part in share.parts:
                    key = part, share.what, line.moves[0].place
                    found.setdefault(key, AlikeBuilds(*key, [])).lines.append(line)
        return list(found.values()) if any(len(it.lines) > 1 for it in found.values()) else []

    @property
    def packages(self) -> tuple[str, ...]:
        """All that are on lines, then those that are named."""
        names = (name for line in self.lines for name in line.packages)
        return tuple(dict.fromkeys([*names, *self.names]))


def grouped(
    lines: Iterable[PackageLine], table: ProductTable | None, *, lists_all: bool = False
) -> tuple[Group, ...]:
    """Return the groups of lines that are in order, the worst first.

    They are parts of a `table`, as far as names are not enough and a column says what happened:
    what came or went with a whole stack has a line. `lists_all` gives every package its line.
    """
    in_table = table.rows.keys() if table else set()

    def status_and_form(line: PackageLine) -> tuple[Status, bool]:
        return line.status, in_table.isdisjoint(line.packages)

    return tuple(
        _group(status, list(some), None if is_list else table, lists_all=lists_all)
        for (status, is_list), some in groupby(
            sorted(lines, key=status_and_form), key=status_and_form
        )
    )


def _group(
    status: Status, lines: list[PackageLine], table: ProductTable | None, *, lists_all: bool
) -> Group:
    [counted] = count_by_class(lines)
    group = Group(**structs.asdict(counted), lines=tuple(lines))
    left = [] if lists_all else [it for it in lines if _are_names_enough(it, counted.number)]
    if status is Status.SHARED:  # one line says it of all of them
        left = lines
    if table and not left and not status.is_quiet:
        nowhere = [None] * len(table.stacks)
        rows = {it: table.rows.get(it, nowhere) for line in lines for it in line.packages}
        return replace(group, table=table._replace(rows=rows))
    named = count_by_class(left)
    names = tuple(name for line in left for name in line.packages)
    by_places: dict[tuple[Place, ...], list[str]] = {}
    for name, moves in ((name, it.moves_of(name)) for it in left for name in it.packages):
        by_places.setdefault(tuple(move.place for move in moves), []).append(name)
    is_placed = status is Status.REBUILT and len(names) <= FEW_QUIET and len(by_places) > 1
    return replace(
        group,
        lines=tuple(line for line in lines if line not in left),
        names=names,
        named=named[0] if named else None,
        named_at=tuple(by_places.items()) if is_placed else (),
    )


def _are_names_enough(line: PackageLine, number: int) -> bool:
    """Return whether names are enough of the packages of a line, as of all `number` like them."""
    if line.status is Status.REBUILT:
        return number > FEW
    if not line.is_dependency and any(move.is_beside for move in line.moves):
        return False  # more happened to it than its class says
    is_of_builds = line.status in (Status.LOST, Status.MORE, Status.DUPLICATES)
    is_quiet = line.is_dependency and is_of_builds and not line.moves[0].is_of_versions
    return number > FEW_QUIET and (line.status is Status.RECONFIGURED or is_quiet)
