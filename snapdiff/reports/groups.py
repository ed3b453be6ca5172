"""Packages by the worst that happened to them: how many these are, and their lines or rows."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from typing import NamedTuple

from msgspec import Struct, structs
from msgspec.structs import replace

from snapdiff.reports.lost_builds import BuildChanges, StackBuilds, builds_in_words, replaced_in
from snapdiff.reports.names import Mark, shortened
from snapdiff.reports.package_lines import PackageLine
from snapdiff.reports.statuses import Status, severity
from snapdiff.result import Kind, PackageChange, StackDiff

MOST_COLUMNS = 10
"""How many stacks fit beside one another; of more, lines say the names of sets of them."""

FEW_QUIET = 10
"""How many packages are listed that changed in configuration or hash alone; more are named."""

MOST_NAMES = 400
"""How many names stand one after another on a page before the others are counted."""

MOST_VERSIONS = 6
"""How many versions of a package stand in a cell before the others are counted."""

FEW = 4
"""How many lines of dependencies are read with the products; more are put aside."""

_FEW_ELSEWHERE = 2
"""How many lines of a group say that packages have another hash or configuration elsewhere."""

_QUIET = (Status.RECONFIGURED, Status.REBUILT)
"""What is worth no more than names where it happened to many packages."""

_QUIET_BUILDS = (Status.LOST_BUILDS, Status.MORE_BUILDS)
"""What is so of packages that nobody asked for."""

_KINDS = {
    **dict.fromkeys((Status.NEW, Status.NEW_IN_SOME, Status.DEPENDENCY_NOW), Kind.ADDED),
    **dict.fromkeys((Status.MORE_VERSIONS, Status.MORE_BUILDS), Kind.ADDED),
    **dict.fromkeys((Status.UPGRADED, Status.OTHER_SCHEME, Status.TO_RELEASE), Kind.UPGRADED),
    Status.TO_BRANCH: Kind.UPGRADED,
    Status.DOWNGRADED: Kind.DOWNGRADED,
    Status.RECONFIGURED: Kind.RECONFIGURED,
    Status.REBUILT: Kind.REBUILT,
}


class Tally(Struct, frozen=True, kw_only=True):
    """How many packages had one status.

    `major` is how many of them got another major version, `losing` how many of those that were
    upgraded lost builds, too.
    """

    status: Status
    number: int
    major: int = 0
    losing: int = 0

    @property
    def name(self) -> str:
        """The status, as templates ask for it."""
        return self.status.name.lower()

    @property
    def is_main(self) -> bool:
        """Whether a sentence begins with it: what is gone or less than it was, new or upgraded."""
        return self.status <= Status.UPGRADED

    @property
    def is_news(self) -> bool:
        """Whether nobody should miss it."""
        return self.status <= Status.DOWNGRADED

    @property
    def kind(self) -> Kind:
        """The kind whose sign and colour it has."""
        return _KINDS.get(self.status, Kind.REMOVED)


class ProductCell(NamedTuple):
    """What happened to a product in one of the stacks that have it, on either side.

    Without a `change` none of its versions and builds is gone or new there.
    """

    change: PackageChange | None
    builds: BuildChanges | None = None

    def in_words(self, mark: Mark) -> str:
        """Return `2.10.0 → 2.10.1`, `new 1.2`, `gone`, `1.2 added beside 1.1`, or a dot.

        Builds that are lost while the version changes are told behind it.
        """
        change = self.change
        if change is None:
            return "·"
        gone, came, kept = (_versions(it, mark) for it in (change.gone, change.came, change.kept))
        if change.was_compiler is True:
            return f"{came}, a dependency now"
        if change.whole:
            return f"new {came}" if change.kind is Kind.ADDED else "gone"
        lost = builds_in_words(self.builds, mark)
        if gone and came:
            return f"{gone} → {came}{lost}"
        if gone or came:
            said = f"lost {gone}, still has {kept}" if gone else f"{came} added beside {kept}"
            return said + lost
        if not self.builds:
            return "·"
        which = f"{_versions(self.builds.versions, mark)}: " if len(change.kept) > 1 else ""
        return which + self.builds.in_words(mark)


Columns = Mapping[str, Mapping[str, ProductCell]]
"""What happened to products, by stack and by their names."""


class ProductRow(NamedTuple):
    """A product, and what happened to it in each of the stacks: None where it is not there."""

    package: str
    kind: Kind
    cells: tuple[ProductCell | None, ...]


class ProductTable(Struct, frozen=True, kw_only=True):
    """Products in the order of their lines, and the stacks that are its columns."""

    stacks: tuple[str, ...]
    rows: tuple[ProductRow, ...]


class Group(Tally, frozen=True, kw_only=True):
    """The packages of one status: their lines, also as a table, or, where it says enough, `names`.

    `left_out` is how many packages are on lines or rows that are not there, `elsewhere` how many
    have another hash or configuration in other stacks, which is not on the lines.
    """

    lines: tuple[PackageLine, ...] = ()
    table: ProductTable | None = None
    names: tuple[str, ...] = ()
    left_out: int = 0
    elsewhere: int = 0

    @property
    def size(self) -> int:
        """How many lines or rows it has; names are one."""
        return len(self.table.rows) if self.table else len(self.lines) or bool(self.names)

    @property
    def first(self) -> tuple[PackageLine, ...]:
        """The first lines, each of other packages, for where the group has one line in all."""
        return first_lines(self.lines)

    @property
    def more(self) -> int:
        """How many packages are not on the first lines."""
        return self.number - number_of_packages(self.first)


def first_lines(lines: Iterable[PackageLine], most: int = FEW) -> tuple[PackageLine, ...]:
    """Return the first few of some lines, each of other packages."""
    told: dict[str, PackageLine] = {}
    for line in lines:
        if told.keys().isdisjoint(line.packages):
            told.update(dict.fromkeys(line.packages, line))
    return tuple(dict.fromkeys(told.values()))[:most]


def number_of_packages(lines: Iterable[PackageLine]) -> int:
    """Return how many packages some lines are about."""
    return len({name for line in lines for name in line.packages})


def tallies(lines: Iterable[PackageLine]) -> tuple[Tally, ...]:
    """Return how many packages had which status, each counted once, by the worst of its lines."""
    worst: dict[str, Status] = {}
    major: set[str] = set()
    losing: set[str] = set()
    for line in lines:
        for package in line.packages:
            worst[package] = min(worst.get(package, line.worst), line.worst, key=severity)
        if line.is_major:
            major.update(line.packages)
        if line.builds and line.builds.lost.number:
            losing.update(line.packages)
    names = {status: {it for it in worst if worst[it] is status} for status in Status}
    return tuple(
        Tally(status=status, number=len(some), major=len(some & major), losing=len(some & losing))
        if status is Status.UPGRADED
        else Tally(status=status, number=len(some))
        for status, some in names.items()
        if some
    )


def grouped(
    lines: Iterable[PackageLine], columns: Columns, *, lists_all: bool = False
) -> tuple[Group, ...]:
    """Return the groups of lines that are in order, the worst first.

    With `columns` versions and builds are tables; `lists_all` gives every package its line.
    """
    return tuple(
        _group(status, list(some), columns, lists_all=lists_all)
        for status, some in groupby(lines, key=lambda line: line.worst)
    )


def _group(status: Status, lines: list[PackageLine], columns: Columns, *, lists_all: bool) -> Group:
    [tally] = tallies(lines)
    group = Group(**structs.asdict(tally), lines=tuple(lines))
    if lists_all:
        has_table = columns and status not in _QUIET
        return replace(group, table=_product_table(lines, columns)) if has_table else group
    is_quiet = status in _QUIET or (status in _QUIET_BUILDS and lines[0].is_dependency)
    if is_quiet and tally.number > FEW_QUIET:
        names = tuple(dict.fromkeys(name for line in lines for name in line.packages))
        return replace(group, lines=(), names=names)
    if columns and status not in _QUIET:
        return replace(group, table=_product_table(lines, columns))
    quiet = [line for line in lines if line.status in _QUIET]
    if status in _QUIET or len(quiet) <= _FEW_ELSEWHERE:
        return group
    told = tuple(line for line in lines if line not in quiet)
    return replace(group, lines=told, elsewhere=number_of_packages(quiet))


def product_columns(stacks: Sequence[StackDiff]) -> Columns:
    """Return the columns of a table of products: what happened in each stack to each package."""
    replaced = replaced_in(stacks)
    return {
        stack.stack: _column(stack, StackBuilds(stack, replaced))
        for stack in sorted(stacks, key=lambda stack: stack.stack)
    }


def _column(stack: StackDiff, builds: StackBuilds) -> dict[str, ProductCell]:
    cells = {name: ProductCell(None) for name in stack.still_there}
    for change in stack.package_changes:
        if change.is_dependency:
            continue
        is_quiet = change.kind in (Kind.RECONFIGURED, Kind.REBUILT)
        cells[change.package] = (
            ProductCell(None) if is_quiet else ProductCell(change, builds.changes(change))
        )
    return cells


def _product_table(lines: Iterable[PackageLine], columns: Columns) -> ProductTable:
    kinds: dict[str, Kind] = {}
    for line in lines:
        for package in line.packages:
            kinds.setdefault(package, line.kind)
    return ProductTable(
        stacks=tuple(columns),
        rows=tuple(
            ProductRow(package, kind, tuple(cells.get(package) for cells in columns.values()))
            for package, kind in kinds.items()
        ),
    )


def _versions(versions: Sequence[str], mark: Mark) -> str:
    """Return versions, the highest first; of very many the first ones."""
    some = shortened(versions[::-1], MOST_VERSIONS)
    marked = list(map(mark, some.first))
    if some.more:
        return f"{', '.join(marked)} and {some.more:,} more"
    return " and ".join([part for part in (", ".join(marked[:-1]), *marked[-1:]) if part])
