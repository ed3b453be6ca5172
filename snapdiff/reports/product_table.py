"""The table of products: a row for each that changed, a column for each stack."""

from collections.abc import Callable, Sequence

from msgspec import Struct

from snapdiff.reports.lost_builds import build_changes
from snapdiff.reports.package_lines import PackageLine
from snapdiff.result import Kind, PackageChange, StackDiff

MOST_COLUMNS = 10
"""How many stacks fit beside one another; of more, lines say the names of sets of them."""

_SHOWN = (Kind.REMOVED, Kind.ADDED, Kind.DOWNGRADED, Kind.UPGRADED)
"""What a cell says: versions and builds that came and went."""


class ProductRow(Struct, frozen=True, kw_only=True):
    """A product, and what happened to it in each of the stacks: None for nothing of that sort."""

    package: str
    kind: Kind
    cells: tuple[PackageChange | None, ...]


class ProductTable(Struct, frozen=True, kw_only=True):
    """Products in the order of their lines; `left_out` is the number of rows that are not there."""

    stacks: tuple[str, ...]
    rows: tuple[ProductRow, ...]
    left_out: int = 0


def product_table(
    lines: Sequence[PackageLine], stacks: Sequence[StackDiff]
) -> tuple[ProductTable | None, list[PackageLine]]:
    """Return the table, and those of the lines that it does not tell; no table of a single stack.

    `lines` are in the order of reading, and of products alone.
    """
    if not 1 < len(stacks) <= MOST_COLUMNS:
        return None, list(lines)
    told = [line for line in lines if line.kind in _SHOWN]
    in_order = sorted(stacks, key=lambda stack: stack.stack)
    changes = [{change.package: change for change in stack.package_changes} for stack in in_order]
    first: dict[str, Kind] = {}
    for line in told:
        for package in line.packages:
            first.setdefault(package, line.kind)
    rows = tuple(
        ProductRow(
            package=package,
            kind=kind,
            cells=tuple(_cell(some.get(package)) for some in changes),
        )
        for package, kind in first.items()
    )
    if not rows:
        return None, list(lines)
    table = ProductTable(stacks=tuple(stack.stack for stack in in_order), rows=rows)
    return table, [line for line in lines if line.kind not in _SHOWN]


def _cell(change: PackageChange | None) -> PackageChange | None:
    return change if change and change.kind in _SHOWN else None


def cell_versions(change: PackageChange, mark: Callable[[str], str]) -> str:
    """Return a cell in words: `2.10.0 → 2.10.1`, `new 1.2`, `gone`, `1.2 beside 1.1`."""
    old, new = (", ".join(map(mark, reversed(versions))) for versions in (change.gone, change.came))
    if change.was_compiler is True:
        return f"{new}, a dependency now"
    if change.whole:
        return f"new {new}" if change.kind is Kind.ADDED else "gone"
    if old and new:
        return f"{old} → {new}"
    if old or new:
        kept = ", ".join(map(mark, reversed(change.kept)))
        return f"{old} gone, {kept} still there" if old else f"{new} beside {kept}"
    builds = build_changes(change)
    return builds.in_words(mark).removeprefix(": ") if builds else "·"
