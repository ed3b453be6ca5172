"""Products as a table: what happened to each, in a column for each stack."""

from collections.abc import Container, Iterable, Mapping, Sequence
from typing import Literal, NamedTuple, Self

from msgspec.structs import replace

from snapdiff.reports.builds import VersionMove
from snapdiff.reports.moves import Move, StackMoves
from snapdiff.reports.names import Mark, counted, names_in_words
from snapdiff.reports.root_changes import needed_by_new
from snapdiff.reports.statuses import Status
from snapdiff.result import AskedFor, Kind, StackDiff

MOST_COLUMNS = 10
"""How many stacks fit beside one another; of more, lines say the names of sets of them."""

_ONE_SIDE = {
    AskedFor(old=True, new=False): "no longer",
    AskedFor(old=False, new=True): "only now",
}


DAGGER = "†"
"""What says in a cell that a package is a dependency there, which nobody asks for."""


class ProductCell(NamedTuple):
    """What happened to a product in one of the stacks that have it, on either side.

    Without a `move` nothing happened to it there that is its own. `needed_by` are new roots that
    made it a dependency, or need an older version of it. `beside` are versions that came and went
    as dependencies of its name, in a stack where it is a root.
    """

    move: Move | None = None
    asked_for: AskedFor | None = None
    needed_by: tuple[str, ...] = ()
    beside: VersionMove | None = None

    def in_words(self, mark: Mark) -> str:
        """Return `2.10.0 → 2.10.1`, `new 1.2`, `gone`, `1.2 added beside 1.1`, or a dot.

        Equal builds count once. What else there is to know stands in brackets; a dagger says that
        it is a dependency there.
        """
        notes = [f"{DAGGER} {self.beside.in_words(mark)}"] if self.beside else []
        roots = self.asked_for
        needed_by = names_in_words(self.needed_by, mark)
        if roots and not roots.new and not self._is_whole(Kind.REMOVED):
            notes.append(f"now {DAGGER}" if roots.old else DAGGER)
        elif roots and not roots.old and not self._is_whole(Kind.ADDED):
            notes.append(f"before {DAGGER}")
        if needed_by and not self._is_whole(Kind.REMOVED):
            notes.append(f"needed by {needed_by}")
        words = self._happened(mark)
        if words and notes:
            return f"{words} ({'; '.join(notes)})"
        return words or "; ".join(notes) or "·"

    def has_versions(self, versions: VersionMove) -> bool:
        """Return whether these came and went, too."""
        mine = self.move.versions if self.move else None
        return mine is not None and (mine.gone, mine.came) == (versions.gone, versions.came)

    def _is_whole(self, kind: Kind) -> bool:
        return bool(self.move and self.move.whole and self.move.kind is kind)

    def _happened(self, mark: Mark) -> str:
        move = self.move
        if move is None:
            return ""
        if move.status is Status.DEPENDENCY_NOW:
            return f"{move.own_in_words(mark).lstrip()}, a dependency now"
        if move.whole:
            return "gone" if move.kind is Kind.REMOVED else f"new{move.own_in_words(mark)}"
        said = [replace(move, own=()).in_words(mark).lstrip(": ")]
        if move.kind is Kind.RECONFIGURED and move.differs:
            number, of = move.some_builds or (0, 0)
            some = f"{number:,} of {counted(of, 'build')}: " if number else ""
            said.append(f"{some}{move.differences_in_words(mark)}")
        return ", ".join(filter(None, said))


Columns = Mapping[str, Mapping[str, ProductCell]]
"""What happened to products, by stack and by their names."""


class ProductTable(NamedTuple):
    """The stacks that are columns, and what happened to products in each, in their lines' order.

    None is in the cell of a stack that has no such product.
    """

    stacks: tuple[str, ...]
    rows: Mapping[str, Sequence[ProductCell | None]]

    @classmethod
    def of(cls, columns: Columns, packages: Iterable[str]) -> Self:
        """Return the rows of some products; what needs one of them is said once in its row."""
        rows = {}
        for name in packages:
            cells = [cells.get(name) for cells in columns.values()]
            told: set[tuple[str, ...]] = set()
            for position, cell in enumerate(cells):
                if cell and cell.needed_by in told:
                    cells[position] = cell._replace(needed_by=())
                elif cell:
                    told.add(cell.needed_by)
            rows[name] = cells
        return cls(tuple(columns), rows)


Sign = Literal["dot", "ditto", "empty", "dependency", "build"]


def signs_in(cells: Iterable[str], *, ditto: str = "") -> list[Sign]:
    """Return which signs the words in the cells of a table of products have, for its legend."""
    words = set(cells)
    found: dict[Sign, bool] = {
        "dot": "·" in words,
        "ditto": ditto in words and bool(ditto),
        "empty": "" in words,
        "dependency": any(DAGGER in it for it in words),
        "build": any(" build" in it for it in words),
    }
    return [sign for sign, is_there in found.items() if is_there]


def product_columns(
    stacks: Iterable[StackDiff], moves: Mapping[str, StackMoves], told: Container[str]
) -> Columns:
    """Return the columns of a table of products: what happened in each stack to each package.

    What is needed by new roots is not said of those that are `told` before.
    """
    columns: dict[str, dict[str, ProductCell]] = {}
    for stack in sorted(stacks, key=lambda stack: stack.stack):
        cells = columns[stack.stack] = {name: ProductCell() for name in stack.still_there}
        asked_for, needed_by = stack.asked_for, needed_by_new(stack)
        for name in asked_for.no_longer if asked_for else ():
            cells[name] = ProductCell(asked_for=AskedFor(old=True, new=False))
        for name in asked_for.now if asked_for else ():
            cells[name] = ProductCell(asked_for=AskedFor(old=False, new=True))
        for change, move in moves[stack.stack]:
            name = change.package
            if change.parts and change.is_dependency:  # the product is another part
                its_own = cells.setdefault(name, ProductCell())
                versions = move.versions._replace(kept=(), counts=())
                if (versions.gone or versions.came) and not its_own.has_versions(versions):
                    cells[name] = its_own._replace(beside=versions)
            elif move.is_quiet:
                cells.setdefault(name, ProductCell())
            else:
                cells[name] = ProductCell(move, change.asked_for, move.needed_by)
        for name, cell in cells.items():
            roots = cell.needed_by or needed_by.get(name, ())
            cells[name] = cell._replace(needed_by=tuple(it for it in roots if it not in told))
    return columns


def rows_of_roots_alone(
    columns: Columns, told: Container[str]
) -> tuple[ProductTable, tuple[str, ...]] | None:
    """Return the rows of products beside those `told`, of which only who asks for them changed.

    With them is what did: that somebody asks for them no longer, or only now. A line may say what
    else happened to them.
    """
    cells = ((name, cell) for column in columns.values() for name, cell in column.items())
    changed = {name for name, cell in cells if cell.asked_for in _ONE_SIDE}
    table = ProductTable.of(columns, sorted(name for name in changed if name not in told))
    sides = {cell.asked_for for cells in table.rows.values() for cell in cells if cell}
    what = tuple(word for side, word in _ONE_SIDE.items() if side in sides)
    return (table, what) if table.rows else None
