"""The lines of packages that people read: packages to which the same happened, the worst first."""

from collections.abc import Iterable

from msgspec import Struct
from msgspec.structs import replace

from snapdiff.filters import wanted_kinds
from snapdiff.reports.moves import Move, Moves
from snapdiff.reports.statuses import Status
from snapdiff.result import CatalogDiff, Kind

WORST_FIRST = (
    Kind.REMOVED,
    Kind.ADDED,
    Kind.DOWNGRADED,
    Kind.UPGRADED,
    Kind.RECONFIGURED,
    Kind.REBUILT,
)
"""The kinds of change in the order in which people read them: lost, new, then the others."""

SYMBOLS = {
    Kind.REMOVED: "−",
    Kind.DOWNGRADED: "↓",
    Kind.ADDED: "+",
    Kind.UPGRADED: "↑",
    Kind.RECONFIGURED: "≠",
    Kind.REBUILT: "=",
}

_MOST_TOGETHER = 20
"""How many packages share a line."""


def rank(kind: Kind) -> int:
    """Return how far down a report a kind comes: 0 for the first."""
    return WORST_FIRST.index(kind)


def worst_rank(kinds: Iterable[Kind]) -> int:
    """Return the rank of the first of some kinds, and one beyond all where there is none."""
    return min(map(rank, kinds), default=len(WORST_FIRST))


def reported_kinds(diff: CatalogDiff) -> tuple[Kind, ...]:
    """Return the kinds of change that a report was not narrowed away from, in their order."""
    wanted = wanted_kinds(diff.filters)
    return tuple(kind for kind in WORST_FIRST if kind in wanted)


class PackageLine(Struct, frozen=True, kw_only=True):
    """One line of a report: a package and all that is said of it, the worst first.

    Packages that made one move in the same stacks share a line: `each` has what is of each alone,
    and the move what they have in common. `is_dependency` says that nobody asked for them, where it
    is known what somebody asked for.
    """

    packages: tuple[str, ...]
    is_dependency: bool
    moves: tuple[Move, ...]
    each: tuple[Move, ...] = ()

    @property
    def status(self) -> Status:
        """The class of its packages: that of the worst that happened to them."""
        return self.moves[0].status

    @property
    def with_need(self) -> Move | None:
        """The move that says which new roots need an older version, where no other says more."""
        needy = [move for move in self.moves if move.needed_by]
        return needy[0] if len({move.needed_by for move in needy}) == 1 else None

    @property
    def is_major(self) -> bool:
        """Whether packages rose to another major version."""
        return self.moves[0].is_major


def package_lines(moves: Moves) -> list[PackageLine]:
    """Return what happened to packages as lines, in their order.

    What another line says of all of a stack, and what is no change to use, is not said of a package
    of which there is anything else to say.
    """
    alike: dict[tuple[Move | str, bool], list[tuple[str, tuple[Move, ...]]]] = {}
    for (package, is_dependency), some in moves.items():
        told = tuple(move for move in some if not move.is_quiet)
        told = told or tuple(move for move in some if move.status is some[0].status)
        what = told[0].alike() if len(told) == 1 else package
        alike.setdefault((what, is_dependency), []).append((package, told))
    return [
        _line(members[start : start + _MOST_TOGETHER], is_dependency=is_dependency)
        for (_, is_dependency), members in alike.items()
        for start in range(0, len(members), _MOST_TOGETHER)
    ]


def _line(members: list[tuple[str, tuple[Move, ...]]], *, is_dependency: bool) -> PackageLine:
    packages, moves = zip(*members, strict=True)
    if len(packages) == 1:
        return PackageLine(packages=packages, is_dependency=is_dependency, moves=moves[0])
    each = tuple(some[0] for some in moves)
    together = each[0].alike()
    if all(move == together for move in each):  # there is nothing that is of each alone
        each = ()
    elif together.whole and len({move.own for move in each}) == 1:
        together, each = replace(together, own=each[0].own), ()
    return PackageLine(packages=packages, is_dependency=is_dependency, moves=(together,), each=each)
