"""The lines that people read: of packages to which the same happened, and of specs below them."""

from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet

from msgspec import Struct
from msgspec.structs import replace

from snapdiff.reports.moves.builds import BuildShare
from snapdiff.reports.moves.move import Move
from snapdiff.reports.moves.of_stacks import Moves
from snapdiff.reports.moves.products import dependencies_now
from snapdiff.reports.moves.statuses import WORST_FIRST, Status
from snapdiff.reports.names import Mark, versions_in_words
from snapdiff.result.causes import Cause, event_of
from snapdiff.result.changes import Change, StackDiff
from snapdiff.result.packages import Because, Kind

_MOST_TOGETHER = 20
"""How many packages share a line."""

_MOST_FOLLOWERS = 3
"""How many packages a sentence names that only have another hash because of what it tells."""


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
    def loses_otherwise(self) -> bool:
        """Whether its packages lost builds in another way than their class says."""
        return any(move.loses for move in self.moves if move.status is not self.status)

    def moves_of(self, package: str) -> tuple[Move, ...]:
        """Return what happened to one of its packages."""
        return (self.each[self.packages.index(package)],) if self.each else self.moves

    @property
    def told_builds(self) -> BuildShare | None:
        """The builds that its packages lost, or got, if all of them are told by what they have."""
        [move, *others] = self.moves
        share = move.main
        if others or not share or not move.tells_builds_alone:
            return None
        return share if sum(it.specs for it in share.parts) == share.number else None

    def without(self, names: AbstractSet[str]) -> "PackageLine":
        """Return the line without some of its packages."""
        if names.isdisjoint(self.packages):
            return self
        left = [place for place, name in enumerate(self.packages) if name not in names]
        each = tuple(self.each[place] for place in left) if self.each else ()
        return replace(self, packages=tuple(self.packages[place] for place in left), each=each)

    def own_in_words(self, package: str, mark: Mark, *, is_short: bool = False) -> str:
        """Return what is said behind one of several names: versions, and of how many builds.

        Of builds it is, if it has to be short, the versions of a package that has others, too.
        """
        if not self.each:
            return ""
        [move] = self.moves_of(package)
        own, shared = move.main, self.moves[0].main
        if is_short and shared and self.moves[0].is_builds:
            return f" {versions_in_words(own.versions, mark)}" if own and own.versions else ""
        words = move.own_in_words(mark)
        if own and own.of and shared and not shared.of:
            return f"{words} ({own.behind_name.old:,} → {own.behind_name.new:,})"
        return words


def package_lines(moves: Moves) -> list[PackageLine]:
    """Return what happened to packages as lines, in their order.

    What another line says of all of a stack, and what is no change to use, is not said of a package
    of which there is anything else to say, as a product elsewhere either.
    """
    alike: dict[tuple[Move | str, bool], list[tuple[str, tuple[Move, ...]]]] = {}
    for (package, is_dependency), some in moves.items():
        product = moves.get((package, False), ()) if is_dependency else ()
        if some[0].status.is_quiet and product and not product[0].status.is_quiet:
            continue
        told = tuple(move for move in some if not move.status.is_quiet)
        told = told or tuple(move for move in some if move.status is some[0].status)
        if is_dependency and told[0].as_dependency:  # that is said once
            told = (told[0], *(replace(move, as_dependency=False) for move in told[1:]))
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
    totals = {tuple(it and it.behind_name for it in (move.lost, move.gained)) for move in each}
    together = each[0].alike(with_totals=len(totals) == 1)
    if all(move == together for move in each):  # there is nothing that is of each alone
        each = ()
    elif together.whole and len({move.own for move in each}) == 1:
        together, each = replace(together, own=each[0].own), ()
    return PackageLine(packages=packages, is_dependency=is_dependency, moves=(together,), each=each)


def followers_of(
    told: PackageLine, lines: Iterable[PackageLine], stacks: Iterable[StackDiff]
) -> tuple[str, ...]:
    """Return the few packages that have another hash because of what one line tells, if all do.

    Nothing else may be a reason. What is gone as they do not depend on it any more is none, nor is
    another build of it that was there before, or that they need it in another way.
    """
    others = [line for line in lines if line is not told]
    names = tuple(name for line in others for name in line.packages)
    places = {move.place for line in others for move in line.moves}
    if len(names) > _MOST_FOLLOWERS or places != {move.place for move in told.moves}:
        return ()
    of_those = (it.because.package for it in told.moves if isinstance(it.because, Because))
    if not set(names).isdisjoint(of_those):
        return ()
    changes = [change for stack in stacks for change in stack.changes]
    differs = {
        field.event(it.package)
        for it in changes
        if it.package in told.packages
        for field in it.fields
    }
    whole = {name for name in told.packages for move in told.moves_of(name) if move.whole}
    reasons: set[str | None] = set()
    for change in changes:
        if change.package in names:
            cause = change.cause
            if not isinstance(cause, Cause) or cause.others:
                return ()
            if cause.package not in whole and event_of(cause) not in differs:
                return ()
            reasons.add(cause.package)
    return names if reasons == {*told.packages} else ()


# --- The specs, where a report lists all of them ---

HashPair = tuple[str | None, str | None]
"""The hash of a spec before and after; None on a side without one."""


class SpecLine(Struct, frozen=True, kw_only=True):
    """Like changes of one package, as the first of them: how many specs, and in which stacks.

    `is_whole` says that the package was added to or removed from these stacks with them,
    `is_dependency_now` that it came there as compilers became dependencies.
    """

    change: Change
    is_whole: bool
    is_dependency_now: bool
    stacks: tuple[str, ...] = ()
    in_all_stacks: bool = False
    hashes: tuple[HashPair, ...] = ()

    @property
    def likeness(self) -> tuple[object, ...]:
        """What all changes on one line have in common."""
        change = self.change
        versions = (spec.version if spec else None for spec in (change.old, change.new))
        why = change.fields, change.cause or None, bool(change.same_to_use)
        return change.kind, change.package, *versions, *why, self.is_whole, self.is_dependency_now


SpecLines = tuple[tuple[Kind, int, tuple[SpecLine, ...]], ...]
"""The spec changes of each kind, worst first: how many specs these are, and their lines.

A spec that is in the lines of two stacks, as a package may be new in one alone, is one of them.
"""


def spec_lines(stacks: Sequence[StackDiff]) -> SpecLines:
    """Return the spec changes of some stacks, of each kind in the order of packages."""
    alike: dict[object, tuple[SpecLine, dict[HashPair, None], dict[str, None]]] = {}
    for stack in stacks:
        whole = {*stack.packages.added, *stack.packages.removed}
        now_dependencies = dependencies_now(stack)
        for change in stack.changes:
            line = SpecLine(
                change=change,
                is_whole=change.package in whole,
                is_dependency_now=change.kind is Kind.ADDED and change.package in now_dependencies,
            )
            _, hashes, places = alike.setdefault(line.likeness, (line, {}, {}))
            old, new = (spec.hash if spec else None for spec in (change.old, change.new))
            hashes[old, new] = places[stack.stack] = None
    by_kind: dict[Kind, list[SpecLine]] = {kind: [] for kind in WORST_FIRST}
    for line, hashes, places in sorted(alike.values(), key=lambda it: it[0].change.package):
        in_all = 1 < len(stacks) == len(places)
        by_kind[line.change.kind].append(
            replace(line, stacks=tuple(places), in_all_stacks=in_all, hashes=tuple(hashes))
        )
    return tuple(
        (kind, len({(it.change.package, pair) for it in lines for pair in it.hashes}), tuple(lines))
        for kind, lines in by_kind.items()
        if lines
    )
