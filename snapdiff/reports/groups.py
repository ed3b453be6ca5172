"""Packages by the worst that happened to them: how many these are, and their lines or rows."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from typing import NamedTuple

from msgspec import Struct, structs
from msgspec.structs import replace

from snapdiff.reports.moves import Move, StackMoves
from snapdiff.reports.names import FEW_STACKS, NOWHERE, Mark, Place
from snapdiff.reports.package_lines import PackageLine
from snapdiff.reports.statuses import Status, severity
from snapdiff.result import AskedFor, Kind, StackDiff
from snapdiff.result.causes import Event

MOST_COLUMNS = 10
"""How many stacks fit beside one another; of more, lines say the names of sets of them."""

FEW_QUIET = 10
"""How many packages are listed that changed in configuration or hash alone; more are named."""

MOST_NAMES = 400
"""How many names stand one after another on a page before the others are counted."""

FEW = 4
"""How many lines are read beside others; of dependencies more are put aside."""

_FEW_PACKAGES = 2
"""How many packages the first sentence names that are gone, new or downgraded."""

_QUIET = (Status.RECONFIGURED, Status.SHARED, Status.REBUILT)
"""What is worth no more than names where it happened to many packages."""

_QUIET_BUILDS = (Status.LOST, Status.MORE, Status.DUPLICATES)
"""What is so of packages that nobody asked for."""


class Tally(Struct, frozen=True, kw_only=True):
    """How many packages had one status, and what is said of some of them.

    `major` is how many got another major version, `losing` how many lost builds beside that,
    `in_some` how many are gone from some stacks or new in some, which others of the tag have;
    `place` where, if all of these are in one, and `in_stacks` how many stacks that is. `what` is
    what was lost, or is more: versions, builds or both. `few` are their names, where these are one
    or two that somebody will miss or look for. They changed in `events` as all around them did.
    """

    status: Status
    number: int
    major: int = 0
    losing: int = 0
    in_some: int = 0
    place: Place | None = None
    in_stacks: int = 0
    what: tuple[str, ...] = ()
    few: tuple[str, ...] = ()
    events: tuple[Event, ...] = ()


class ProductCell(NamedTuple):
    """What happened to a product in one of the stacks that have it, on either side.

    Without a `move` none of its versions and builds is gone or new there.
    """

    move: Move | None = None
    asked_for: AskedFor | None = None

    def in_words(self, mark: Mark) -> str:
        """Return `2.10.0 → 2.10.1`, `new 1.2`, `gone`, `1.2 added beside 1.1`, or a dot.

        Equal builds count once.
        """
        move, roots = self.move, self.asked_for
        if move is None:
            return "· (now a dependency)" if roots and roots.old and not roots.new else "·"
        if move.whole and move.kind is Kind.REMOVED:
            return "gone"
        if move.status is Status.DEPENDENCY_NOW:
            said = f"{move.own_in_words(mark).lstrip()}, a dependency now"
        elif move.whole:
            said = f"new{move.own_in_words(mark)}"
        else:
            said = replace(move, own=()).in_words(mark).lstrip(": ")
        if roots is None or roots.new:
            return said
        return f"{said} ({'now a ' if roots.old else ''}dependency)"


Columns = Mapping[str, Mapping[str, ProductCell]]
"""What happened to products, by stack and by their names."""


class ProductTable(NamedTuple):
    """The stacks that are columns, and what happened to products in each, in their lines' order.

    None is in the cell of a stack that has no such product.
    """

    stacks: tuple[str, ...]
    rows: Mapping[str, Sequence[ProductCell | None]]


class Group(Tally, frozen=True, kw_only=True):
    """The packages of one status: their lines, also as a table, or, where it says enough, `names`.

    `named` is what is said of the ones that are named. `left_out` is how many packages are on
    lines, on rows or among names that are not there.
    """

    lines: tuple[PackageLine, ...] = ()
    table: ProductTable | None = None
    names: tuple[str, ...] = ()
    named: Tally | None = None
    left_out: int = 0

    @property
    def size(self) -> int:
        """How many lines or rows it has; names are one."""
        return len(self.table.rows) if self.table else len(self.lines) + bool(self.names)

    @property
    def first(self) -> tuple[PackageLine, ...]:
        """The first lines, for where the group has one line in all."""
        return self.lines[:FEW]

    @property
    def more(self) -> int:
        """How many packages are not on the first lines."""
        return self.number - number_of_packages(self.first)


def number_of_packages(lines: Iterable[PackageLine]) -> int:
    """Return how many packages some lines are about."""
    return len({name for line in lines for name in line.packages})


def tallies(lines: Iterable[PackageLine]) -> tuple[Tally, ...]:
    """Return how many packages had which status, each counted once, by the worst of its lines."""
    worst: dict[str, PackageLine] = {}
    for line in lines:
        for name in line.packages:
            known = worst.get(name, line)
            worst[name] = min(known, line, key=lambda it: severity(it.status))
    by_status: dict[Status, dict[str, PackageLine]] = {}
    for name, line in worst.items():
        by_status.setdefault(line.status, {})[name] = line
    return tuple(_tally(status, by_status[status]) for status in sorted(by_status))


def _tally(status: Status, packages: Mapping[str, PackageLine]) -> Tally:
    """Return how many packages that is, and what is said of some: the lines are those of each."""
    is_few = len(packages) <= _FEW_PACKAGES and status <= Status.DOWNGRADED
    few = tuple(sorted(packages) if is_few else ())
    tally = Tally(status=status, number=len(packages), few=few)
    every = ((name, move) for name, line in packages.items() for move in line.moves)
    moves = [(name, move) for name, move in every if move.status is status]
    if status in (Status.GONE, Status.NEW):
        partly = [(name, move) for name, move in moves if not move.in_tag]
        places = list(dict.fromkeys(move.place for _, move in partly))
        is_one = len(places) == 1
        return replace(
            tally,
            in_some=len({name for name, _ in partly}),
            place=places[0] if is_one and len(places[0].names) <= 1 else None,
            in_stacks=len(partly[0][1].stacks) if is_one else 0,
        )
    if status is Status.UPGRADED:
        major = {name for name, move in moves if move.is_major}
        losing = {name for name, move in moves if move.lost and move.lost.number}
        return replace(tally, major=len(major), losing=len(losing))
    if status is Status.DUPLICATES:
        what = {"fewer" if it.lost and it.lost.duplicates else "more" for _, it in moves}
        return replace(tally, what=tuple(sorted(what)))
    if status in (Status.LOST, Status.MORE):
        what = {"versions" if it.is_of_versions else "builds" for _, it in moves}
        return replace(tally, what=tuple(sorted(what, reverse=True)))
    if status is Status.SHARED:
        events = dict.fromkeys(event for _, move in moves for event in move.shared)
        places = list(dict.fromkeys(move.place for _, move in moves if move.place != NOWHERE))
        is_short = len(places) == 1 and len(places[0].names) <= FEW_STACKS
        place = places[0] if is_short else None
        return replace(tally, events=tuple(events), place=place)
    return tally


def grouped(
    lines: Iterable[PackageLine], columns: Columns, *, lists_all: bool = False
) -> tuple[Group, ...]:
    """Return the groups of lines that are in order, the worst first.

    With `columns` versions and builds are tables; `lists_all` gives every package its line.
    """
    return tuple(
        _group(status, list(some), columns, lists_all=lists_all)
        for status, some in groupby(lines, key=lambda line: line.status)
    )


def _group(status: Status, lines: list[PackageLine], columns: Columns, *, lists_all: bool) -> Group:
    [tally] = tallies(lines)
    group = Group(**structs.asdict(tally), lines=tuple(lines))
    if columns and status not in _QUIET:
        packages = (package for line in lines for package in line.packages)
        rows = {name: [cells.get(name) for cells in columns.values()] for name in packages}
        return replace(group, table=ProductTable(tuple(columns), rows))
    left = [] if lists_all else [line for line in lines if _is_quiet(line, tally.number)]
    if status is Status.SHARED:  # one line says it of all of them
        left = lines
    named = tallies(left)
    return replace(
        group,
        lines=tuple(line for line in lines if line not in left),
        names=tuple(name for line in left for name in line.packages),
        named=named[0] if named else None,
    )


def _is_quiet(line: PackageLine, number: int) -> bool:
    """Return whether names are enough of the packages of a line, as of all `number` like them."""
    if line.status is Status.REBUILT:
        return number > FEW
    is_of_builds = line.status in _QUIET_BUILDS and not line.moves[0].is_of_versions
    return number > FEW_QUIET and (
        line.status is Status.RECONFIGURED or (line.is_dependency and is_of_builds)
    )


def product_columns(stacks: Iterable[StackDiff], moves: Mapping[str, StackMoves]) -> Columns:
    """Return the columns of a table of products: what happened in each stack to each package."""
    columns: dict[str, dict[str, ProductCell]] = {}
    for stack in sorted(stacks, key=lambda stack: stack.stack):
        cells = columns[stack.stack] = {name: ProductCell() for name in stack.still_there}
        for name in stack.asked_for.no_longer if stack.asked_for else ():
            cells[name] = ProductCell(asked_for=AskedFor(old=True, new=False))
        for change, move in moves[stack.stack]:
            is_quiet = move.is_quiet or (move.status is Status.RECONFIGURED)
            if is_quiet or (change.parts and change.is_dependency):  # the product is another part
                cells.setdefault(change.package, ProductCell())
            else:
                cells[change.package] = ProductCell(move, change.asked_for)
    return columns
