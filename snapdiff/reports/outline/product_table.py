"""Products as a table: what happened to each, in a column for each stack."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

from msgspec import UNSET
from msgspec.structs import replace

from snapdiff.reports.moves.move import Move
from snapdiff.reports.moves.of_stacks import StackMoves
from snapdiff.reports.moves.statuses import Status
from snapdiff.reports.names import Mark, counted
from snapdiff.result.changes import StackDiff
from snapdiff.result.packages import Kind

MOST_COLUMNS = 10
"""How many stacks fit beside one another; of more, lines say the names of sets of them."""

_IN_PART = (", and more", " more difference")
"""What a cell says where it does not tell all in which builds differ."""


class ProductCell(NamedTuple):
    """What happened to a product in one of the stacks that have it, on either side.

    Without a `move` nothing happened to it there that is its own. `root` is what is asked for, and
    `is_dependency` says that it was not, and is not, as far as that is known. `beside` is what
    became of builds that nobody asked for, where a version came that no root has.
    """

    move: Move | None = None
    root: str = "asked for"
    is_dependency: bool = False
    beside: Move | None = None

    def in_words(self, mark: Mark) -> str:
        """Return `2.10.0 → 2.10.1`, `new 1.2`, `gone`, or a dot; of a dependency in brackets."""
        roots = self.move and self.move.asked_for
        role = f"now {self.root if roots.new else 'only a dependency'}" if roots else ""
        users = list(map(mark, self.move.needed_by)) if self.move else []
        needs = f"needed by {' and '.join(users)}" if users else ""
        beside = self.beside.in_words(mark).lstrip(": ") if self.beside else ""
        beside = beside and f"as a dependency {beside}"
        words = ", ".join(filter(None, [self._happened(mark), role, needs, beside])) or "·"
        return f"({words})" if self.is_dependency else words

    def _happened(self, mark: Mark) -> str:
        move = self.move
        if move is None:
            return ""
        if move.status is Status.DEPENDENCY_NOW:
            return f"{move.own_in_words(mark).lstrip()}, a dependency now"
        if move.status is Status.DUPLICATES:
            return "only the number of identical builds changed"
        if move.whole:
            return "gone" if move.kind is Kind.REMOVED else f"new{move.own_in_words(mark)}"
        said = [replace(move, own=()).in_words(mark).lstrip(": ")]
        if move.kind is Kind.RECONFIGURED and move.differs and not move.beside:
            some = f"{counted(move.some_builds[0], 'build')}: " if move.some_builds else ""
            said.append(f"{some}{move.differences_in_words(mark)}")
        said.append(move.reconfigured_in_words(mark))
        return ", ".join(filter(None, said))


def signs_in(cells: Collection[str]) -> set[str]:
    """Return what of cells needs a legend: dots, ditto marks, brackets, nothing, and more."""
    found = {words[:1] for words in cells if len(words) <= 1 or words[0] == "("}
    found |= {"·"} if "(·)" in cells else set()
    is_in_part = any(more in words for words in cells for more in _IN_PART)
    return found | {"more"} if is_in_part else found


class ProductTable(NamedTuple):
    """The stacks that are columns, and what happened to products in each, by their names.

    None is in the cell of a stack that has no such product.
    """

    stacks: tuple[str, ...]
    rows: Mapping[str, Sequence[ProductCell | None]]


def table_of_products(stacks: Iterable[StackDiff], moves: Mapping[str, StackMoves]) -> ProductTable:
    """Return what happened in each stack to each package, with the stacks in order."""
    columns: dict[str, dict[str, ProductCell]] = {}
    for stack in sorted(stacks, key=lambda stack: stack.stack):
        roots = stack.still_there if stack.roots_there is UNSET else stack.roots_there
        cells = columns[stack.stack] = {
            name: ProductCell(is_dependency=name not in roots) for name in stack.still_there
        }
        root = "a root spec" if stack.document == "lock" else "asked for"
        for change, move in moves[stack.stack]:
            if change.parts and change.is_dependency:
                known = cells.get(change.package, ProductCell())
                product = change.parts.asked_for
                of_roots = {*product.came, *product.kept} if product else set[str]()
                is_told = not of_roots.issuperset(change.came)
                cells[change.package] = known._replace(beside=move if is_told else None)
            else:
                is_told = not move.status.is_quiet or move.status is Status.DUPLICATES
                own = move if is_told else None
                cells[change.package] = ProductCell(own, root, change.is_dependency)
    names = {name for cells in columns.values() for name in cells}
    rows = {name: [cells.get(name) for cells in columns.values()] for name in names}
    return ProductTable(tuple(columns), rows)
