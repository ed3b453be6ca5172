"""The lines that people read: of packages to which the same happened, and of specs below them."""

from collections.abc import Sequence
from typing import NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from snapdiff.reports.moves import Move, Moves
from snapdiff.reports.products import dependencies_now
from snapdiff.reports.statuses import WORST_FIRST, Status
from snapdiff.result import Change, Field, Kind, StackDiff
from snapdiff.result.causes import Cause

_MOST_TOGETHER = 20
"""How many packages share a line."""


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


# --- The specs, where a report lists all of them ---

LISTED_HASHES = 2
"""How many specs of a line are named by their hashes."""

HashPair = tuple[str | None, str | None]
"""The hash of a spec before and after; None on a side without one."""


class SpecLine(Struct, frozen=True, kw_only=True):
    """Like changes of one package: how many specs they are, and which stacks have them.

    `is_whole` says that the package was added to or removed from these stacks with them,
    `is_dependency_now` that it came there as compilers became dependencies. `hashes`
    are those of the first few specs. `cause` is None where it is not known; `same_to_use` as in
    `result.Change`.
    """

    kind: Kind
    package: str
    old: str | None
    new: str | None
    fields: tuple[Field, ...]
    cause: Cause | None
    same_to_use: bool
    is_whole: bool
    is_dependency_now: bool
    specs: int = 0
    stacks: tuple[str, ...] = ()
    in_all_stacks: bool = False
    hashes: tuple[HashPair, ...] = ()


class SpecSection(NamedTuple):
    """The spec changes of one kind: so many specs."""

    kind: Kind
    lines: tuple[SpecLine, ...]
    specs: int


def spec_sections(stacks: Sequence[StackDiff]) -> tuple[SpecSection, ...]:
    """Return the spec changes of some stacks, a section a kind, worst first."""
    specs: dict[SpecLine, dict[HashPair, None]] = {}
    places: dict[SpecLine, dict[str, None]] = {}
    for stack in stacks:
        now_dependencies = dependencies_now(stack)
        for change in stack.changes:
            line = _spec_line(change, stack, now_dependencies)
            old = change.old.hash if change.old else None
            new = change.new.hash if change.new else None
            specs.setdefault(line, {})[old, new] = None
            places.setdefault(line, {})[stack.stack] = None
    by_kind: dict[Kind, list[SpecLine]] = {kind: [] for kind in WORST_FIRST}
    for line in sorted(specs, key=lambda line: line.package):
        by_kind[line.kind].append(
            replace(
                line,
                specs=len(specs[line]),
                stacks=tuple(places[line]),
                in_all_stacks=1 < len(stacks) == len(places[line]),
                hashes=tuple(specs[line])[:LISTED_HASHES],
            )
        )
    return tuple(
        SpecSection(kind, tuple(lines), sum(line.specs for line in lines))
        for kind, lines in by_kind.items()
        if lines
    )


def _spec_line(change: Change, stack: StackDiff, now_dependencies: set[str]) -> SpecLine:
    """Return what the changes on one line have in common."""
    names = stack.packages.added if change.kind is Kind.ADDED else stack.packages.removed
    return SpecLine(
        kind=change.kind,
        package=change.package,
        old=change.old.version if change.old else None,
        new=change.new.version if change.new else None,
        fields=tuple([item for item in change.fields if item.name != "version"]),
        cause=change.cause if isinstance(change.cause, Cause) else None,
        same_to_use=change.same_to_use is True,
        is_whole=change.package in names,
        is_dependency_now=change.kind is Kind.ADDED and change.package in now_dependencies,
    )
