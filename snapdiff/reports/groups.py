"""Packages by the worst that happened to them: how many these are, and their lines or rows."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import NamedTuple

from msgspec import Struct, structs
from msgspec.structs import replace

from snapdiff.reports.lost_builds import BuildChanges, BuildMoves, StackBuilds, builds_in_words
from snapdiff.reports.names import Mark, Place, versions_in_words
from snapdiff.reports.package_lines import PackageLine
from snapdiff.reports.statuses import Status, severity
from snapdiff.result import Kind, PackageChange, StackDiff
from snapdiff.result.causes import Event

MOST_COLUMNS = 10
"""How many stacks fit beside one another; of more, lines say the names of sets of them."""

FEW_QUIET = 10
"""How many packages are listed that changed in configuration or hash alone; more are named."""

MOST_NAMES = 400
"""How many names stand one after another on a page before the others are counted."""

FEW = 4
"""How many lines of dependencies are read with the products; more are put aside."""

_FEW_ELSEWHERE = 2
"""How many lines of a group say that packages were reconfigured elsewhere."""

_MOST_TOGETHER = 20
"""How many packages that are gone or new share a line."""

_FEW_PACKAGES = 2
"""How many packages the first sentence names that are gone, new or downgraded."""

_QUIET = (Status.RECONFIGURED, Status.SHARED, Status.REBUILT)
"""What is worth no more than names where it happened to many packages."""

_QUIET_BUILDS = (Status.LOST, Status.MORE, Status.DUPLICATES)
"""What is so of packages that nobody asked for."""


class Tally(Struct, frozen=True, kw_only=True):
    """How many packages had one status, and what is said of some of them.

    `major` is how many got another major version, `in_some` how many are gone from some stacks or
    new in some, which others of the tag have; `place` where, if all of these are in one, and
    `in_stacks` how many stacks that is. `what` is
    what was lost, or is more: versions, builds or both. `few` are their names, where these are one
    or two that somebody will miss or look for. They changed in `events` as all around them did.
    """

    status: Status
    number: int
    major: int = 0
    in_some: int = 0
    place: Place | None = None
    in_stacks: int = 0
    what: tuple[str, ...] = ()
    few: tuple[str, ...] = ()
    events: tuple[Event, ...] = ()

    @property
    def name(self) -> str:
        """The status, as templates ask for it."""
        return self.status.name.lower()

    @property
    def is_news(self) -> bool:
        """Whether nobody should miss it."""
        return self.status <= Status.LOST

    @property
    def kind(self) -> Kind:
        """The kind whose sign and colour it has."""
        return self.status.kind


class ProductCell(NamedTuple):
    """What happened to a product in one of the stacks that have it, on either side.

    Without a `change` none of its versions and builds is gone or new there.
    """

    change: PackageChange | None
    builds: BuildChanges | None = None
    moves: BuildMoves | None = None

    def in_words(self, mark: Mark) -> str:
        """Return `2.10.0 → 2.10.1`, `new 1.2`, `gone`, `1.2 added beside 1.1`, or a dot.

        Builds that are lost while the version changes are told behind it.
        """
        if self.change is None:
            return "·"
        said = self._in_words(self.change, mark)
        roots = self.change.asked_for
        if roots is None or roots.new or said in ("·", "gone"):
            return said
        return f"{said} ({'now a ' if roots.old else ''}dependency)"

    def _in_words(self, change: PackageChange, mark: Mark) -> str:
        gone, came, kept = (
            versions_in_words(it, mark) for it in (change.gone, change.came, change.kept)
        )
        if change.was_compiler is True:
            return f"{came}, a dependency now"
        if change.whole:
            return f"new {came}" if change.kind is Kind.ADDED else "gone"
        lost = builds_in_words(self.builds, mark)
        if gone and came:
            return f"{gone} → {came}{lost}"
        said = []
        if gone:
            said.append(f"lost {gone}, still has {kept}")
        elif came and not (self.moves and self.moves.is_all):
            said.append(f"{came} added beside {kept}")
        said += [it.in_words(mark) for it in (self.builds, self.moves) if it]
        return ", ".join(filter(None, said)) or "·"


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

    `named` is what is said of the ones that are named.
    `left_out` is how many packages are on lines, on rows or among names that are not there,
    `elsewhere` how many were reconfigured in other stacks, which is not on the lines.
    """

    lines: tuple[PackageLine, ...] = ()
    table: ProductTable | None = None
    names: tuple[str, ...] = ()
    named: Tally | None = None
    left_out: int = 0
    elsewhere: int = 0

    @property
    def size(self) -> int:
        """How many lines or rows it has; names are one."""
        return len(self.table.rows) if self.table else len(self.lines) + bool(self.names)

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
    lines = list(lines)
    worst: dict[str, Status] = {}
    for line in lines:
        for package in line.packages:
            worst[package] = min(worst.get(package, line.status), line.status, key=severity)
    packages: dict[Status, set[str]] = {}
    for package, status in worst.items():
        packages.setdefault(status, set()).add(package)
    return tuple(
        _tally(status, some, [line for line in lines if line.status is status])
        for status, some in sorted(packages.items())
    )


def _tally(status: Status, packages: set[str], lines: Iterable[PackageLine]) -> Tally:
    lines = [line for line in lines if not packages.isdisjoint(line.packages)]
    is_few = len(packages) <= _FEW_PACKAGES and status <= Status.DOWNGRADED
    few = tuple(sorted(packages) if is_few else ())
    tally = Tally(status=status, number=len(packages), few=few)
    if status in (Status.GONE, Status.NEW):
        partly = [line for line in lines if not line.in_tag]
        places = list(dict.fromkeys(line.place for line in partly))
        is_one = len(places) == 1
        return replace(
            tally,
            in_some=number_of_packages(partly),
            place=places[0] if is_one and len(places[0].names) <= 1 else None,
            in_stacks=len(partly[0].stacks) if is_one else 0,
        )
    if status is Status.UPGRADED:
        return replace(tally, major=number_of_packages(it for it in lines if it.is_major))
    if status is Status.DUPLICATES:
        what = {
            "fewer" if line.builds and line.builds.lost.duplicates else "more" for line in lines
        }
        return replace(tally, what=tuple(sorted(what)))
    if status in (Status.LOST, Status.MORE):
        what = {"versions" if _is_of_versions(line) else "builds" for line in lines}
        return replace(tally, what=tuple(sorted(what, reverse=True)))
    if status is Status.SHARED:
        events = dict.fromkeys(event for line in lines for event in line.shared)
        return replace(tally, events=tuple(events))
    return tally


def _is_of_versions(line: PackageLine) -> bool:
    """Return whether a line of what was lost, or is more, is about versions, not builds."""
    if line.status is Status.MORE:
        return bool(line.came)
    return bool(line.gone) and not (line.builds and line.builds.lost.number)


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
    """Return a group; that its packages have another hash elsewhere, too, is not told."""
    [tally] = tallies(lines)
    lines = [line for line in lines if line.status is not Status.REBUILT or not line.is_elsewhere]
    group = Group(**structs.asdict(tally), lines=_with_whole_together(lines))
    if columns and status not in _QUIET:
        return replace(group, table=_product_table(lines, columns))
    told = [line for line in group.lines if line.status is not Status.SHARED]
    number = number_of_packages(told)
    if not lists_all:
        told = [line for line in told if not _is_quiet(line, number)]
    some = {name for line in told for name in line.packages}
    left = [
        replace(line, packages=names)
        for line in lines
        if (names := tuple(name for name in line.packages if name not in some))
    ]
    named = tallies(left)
    elsewhere = [line for line in told if line.status in _QUIET and line.is_elsewhere]
    if len(elsewhere) <= _FEW_ELSEWHERE or lists_all:
        elsewhere = []
    return replace(
        group,
        lines=tuple(line for line in told if line not in elsewhere),
        names=tuple(dict.fromkeys(name for line in left for name in line.packages)),
        named=named[0] if named else None,
        elsewhere=number_of_packages(elsewhere),
    )


def _is_quiet(line: PackageLine, number: int) -> bool:
    """Return whether names are enough of the packages of a line, as of all `number` like them."""
    if line.worst is Status.REBUILT:
        return number > FEW
    is_of_builds = line.worst in _QUIET_BUILDS and not _is_of_versions(line)
    return number > FEW_QUIET and (
        line.worst is Status.RECONFIGURED or (line.is_dependency and is_of_builds)
    )


def _with_whole_together(lines: Sequence[PackageLine]) -> tuple[PackageLine, ...]:
    """Return lines of which those share one whose packages are gone from, or new in, one place."""
    alike: dict[object, list[PackageLine]] = {}
    for position, line in enumerate(lines):
        key = (line.status, line.in_tag, line.place) if line.whole else position
        alike.setdefault(key, []).append(line)
    return tuple(line for some in alike.values() for line in _together(some))


def _together(lines: Sequence[PackageLine]) -> Iterator[PackageLine]:
    each = [(name, line.gone or line.came) for line in lines for name in line.packages]
    if len(lines) == 1:
        yield from lines
        return
    for start in range(0, len(each), _MOST_TOGETHER):
        some = each[start : start + _MOST_TOGETHER]
        yield replace(
            lines[0],
            packages=tuple(name for name, _ in some),
            gone=(),
            came=(),
            each=tuple((versions, 0, False) for _, versions in some),
        )


def product_columns(stacks: Sequence[StackDiff]) -> Columns:
    """Return the columns of a table of products: what happened in each stack to each package."""
    return {
        stack.stack: _column(stack, StackBuilds(stack))
        for stack in sorted(stacks, key=lambda stack: stack.stack)
    }


def _column(stack: StackDiff, builds: StackBuilds) -> dict[str, ProductCell]:
    cells = {name: ProductCell(None) for name in stack.still_there}
    for change in stack.package_changes:
        if change.parts and change.is_dependency:  # the product is another part
            cells.setdefault(change.package, ProductCell(None))
            continue
        moves = builds.moves(change)
        is_quiet = change.kind in (Kind.RECONFIGURED, Kind.REBUILT) and not moves
        cells[change.package] = (
            ProductCell(None) if is_quiet else ProductCell(change, builds.changes(change), moves)
        )
    return cells


def _product_table(lines: Iterable[PackageLine], columns: Columns) -> ProductTable:
    kinds = {package: line.worst.kind for line in lines for package in line.packages}
    return ProductTable(
        stacks=tuple(columns),
        rows=tuple(
            ProductRow(package, kind, tuple(cells.get(package) for cells in columns.values()))
            for package, kind in kinds.items()
        ),
    )
