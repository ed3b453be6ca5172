"""What begins the report of a tag: what many packages have as one reason, and what is named."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from snapdiff.reports.moves.builds import VersionMove
from snapdiff.reports.moves.move import Move
from snapdiff.reports.moves.of_stacks import Moves, StackMoves
from snapdiff.reports.moves.places import Place, Placed, Places
from snapdiff.reports.moves.products import roots_only_now
from snapdiff.reports.moves.statuses import Status, Versions
from snapdiff.reports.outline.class_counts import ClassCount, Named, Numbers
from snapdiff.reports.outline.counting import count_by_class
from snapdiff.reports.outline.lines import PackageLine
from snapdiff.reports.outline.lost_builds import (
    LEAST_TOGETHER,
    LostTogether,
    StackBuilds,
    builds_of,
    lost_together,
)
from snapdiff.reports.outline.lost_values import Losses, Lost, lost_options, lost_versions
from snapdiff.reports.outline.reasons import Replaced, SharedChange, replaced_tools
from snapdiff.reports.outline.toolchain import Toolchain, beside_toolchain
from snapdiff.result.changes import StackDiff, TagDiff
from snapdiff.result.packages import Because, Kind, PackageChange
from snapdiff.spack import older_versions

_MOST_REASONS = 2
"""How many packages are named because of which dependencies are gone."""


class NewRoots(Struct, frozen=True, kw_only=True):
    """Roots that are new in the stacks of `place`, and the older versions that they need there.

    `names` have the versions of those of which no other line tells; `are_new` says that the tag had
    none of them before. `older` are those of which an older version came, by the stacks in which it
    did: `fell` has those that are downgraded, each with a stack, `beside` is the rest. `downgraded`
    are all products that are, where they are told with these roots.
    """

    are_new: bool
    names: tuple[tuple[str, Versions], ...]
    place: Place
    older: Losses
    fell: frozenset[tuple[str, str]]
    beside: Losses
    downgraded: Named = ()


class Opening(Struct, frozen=True, kw_only=True):
    """The reasons that many packages of a tag share, as far as there are any.

    `builds` are there of the only stack. `versions_gone` are those of which none of their series
    came, each with the highest that is there now, `turned_off` the variants that were on in all
    builds: of products, then of dependencies. `options_gone` are those of products that were on and
    that no build has any more, on or off. `gone_because` says why most of the dependencies are gone
    that no stack has any more, with their number; `dependencies` are all that changed, but for what
    the toolchain tells, if that `is_beside_toolchain`. `roots_no_more` are those that nobody asks
    for any more there.
    """

    shared: tuple[SharedChange, ...] = ()
    replaced: tuple[Replaced, ...] = ()
    new_roots: tuple[NewRoots, ...] = ()
    builds: StackBuilds | None = None
    lost_together: tuple[LostTogether, ...] = ()
    versions_gone: tuple[Losses, ...] = ((), ())
    turned_off: tuple[Losses, ...] = ((), ())
    options_gone: Losses = ()
    gone_because: tuple[tuple[Because, int], ...] = ()
    dependencies: Numbers = Numbers(by_class=())
    is_beside_toolchain: bool = False
    roots_no_more: Placed[str] = ()


def opening_of(
    stacks: Sequence[StackDiff],
    moves: Moves,
    shared: Sequence[SharedChange],
    new_roots: Sequence[NewRoots],
    places: Places,
    *,
    kinds: Collection[Kind],
    counts_builds: bool,
    whole: Sequence[StackDiff],
    told: Mapping[str, StackMoves],
) -> Opening:
    """Return what many packages of some stacks share, and which values those `told` lost.

    The stacks have what became of each part of a package, `whole` of each package.
    """
    off, gone = lost_options(whole if told else ())
    is_lost = Kind.REMOVED in kinds
    return Opening(
        shared=tuple(shared),
        replaced=replaced_tools(stacks, places),
        new_roots=tuple(new_roots),
        builds=builds_of(stacks[0]) if counts_builds and len(stacks) == 1 else None,
        lost_together=lost_together(stacks, moves, places) if is_lost else (),
        versions_gone=tuple(map(places.by_place, lost_versions(whole, told))),
        turned_off=tuple(_by_package(places.by_place(some)) for some in off),
        options_gone=_by_package(places.by_place(gone)),
        roots_no_more=places.by_place(
            (change.package, stack)
            for stack, some in told.items()
            for change, move in some
            if move.asked_for and not move.asked_for.new
        ),
    )


def _by_package(losses: Losses) -> Losses:
    """Return losses with what a package lost in the same stacks as one."""
    found = []
    for some, place in losses:
        lost: dict[str, tuple[str, ...]] = {}
        for name, values, _ in some:
            lost[name] = (*lost.get(name, ()), *values)
        found.append((tuple((name, values, ()) for name, values in lost.items()), place))
    return tuple(found)


def with_dependencies(
    opening: Opening, moves: Moves, lines: Sequence[PackageLine], toolchain: Toolchain | None
) -> Opening:
    """Return an opening with the dependencies of some lines, but for what the toolchain tells."""
    every, others = (
        [it for it in some if it.is_dependency]
        for some in (lines, beside_toolchain(lines, toolchain))
    )
    return replace(
        opening,
        dependencies=Numbers(by_class=count_by_class(others)),
        is_beside_toolchain=others != every,
        gone_because=_why_gone(moves, {name for it in others for name in it.packages}),
    )


def _why_gone(moves: Moves, names: Collection[str]) -> tuple[tuple[Because, int], ...]:
    """Return the packages because of which most of some dependencies are gone from all stacks."""
    found: Counter[Because] = Counter()
    for (_, is_dependency), some in ((it, moves[it]) for it in moves if it[0] in names):
        reasons = {move.because for move in some if move.status is Status.GONE and move.in_tag}
        if is_dependency and len(reasons) == 1:
            found.update(replace(it, direct=False) for it in reasons if isinstance(it, Because))
    return tuple(it for it in found.most_common(_MOST_REASONS) if it[1] >= LEAST_TOGETHER)


def new_roots_of(tag: TagDiff, moves: Mapping[str, StackMoves], places: Places) -> list[NewRoots]:
    """Return the new roots that need older versions of enough packages, those of most first."""
    older: dict[tuple[str, ...], list[tuple[Lost, bool]]] = {}
    every = [(stack, change, move) for stack, some in moves.items() for change, move in some]
    without_roots = {  # what fell in the same way where no new root needs it
        (change.package, move.versions) for _, change, move in every if not change.needed_by
    }
    for name, change, move in every:
        is_alone = (change.package, move.versions) not in without_roots
        fell = move.status is Status.DOWNGRADED
        if change.needed_by and is_alone and (fell or move.needed_by):
            lib = change.package, _older_version(change), ()
            older.setdefault(change.needed_by, []).append(((lib, name), fell))
    told = []
    for roots, came in older.items():
        if len({name for ((name, *_), _), _ in came}) < LEAST_TOGETHER:
            continue
        where = {it.stack for it in tag.stacks if roots_only_now(it).issuperset(roots)}
        added = {it.stack for it in tag.stacks if set(roots).issubset(it.packages.added)}
        # Of some kinds alone it is not listed where they are new.
        here = where or {stack for (_, stack), _ in came}
        told.append(
            NewRoots(
                names=tuple((name, ()) for name in roots),
                are_new=bool(where) and where <= added,
                place=places.place(here),
                older=places.by_place(it for it, _ in came),
                fell=frozenset((name, it) for ((name, *_), it), fell in came if fell),
                beside=places.by_place(it for it, fell in came if not fell),
            )
        )
    return sorted(told, key=lambda it: (-sum(len(names) for names, _ in it.older), it.names))


def _older_version(change: PackageChange) -> Versions:
    """Return the version below the highest before that came, or has more builds, if it is one."""
    if change.parts and not change.is_dependency:
        return ()
    older = older_versions(change.versions_with_more, (*change.gone, *change.kept))
    return tuple(older) if len(older) == 1 else ()  # nobody knows which of several a root needs


# --- What is named below the first sentence: packages of each class, and what new roots brought ---


class NamedClass(NamedTuple):
    """Packages of a class with what happened to each: those in some stacks alone, or the others."""

    counted: ClassCount
    in_some: bool
    packages: Named

    @property
    def is_rest(self) -> bool:
        """Whether others of these are told with new roots."""
        number = self.counted.in_more or self.counted.number
        return len(self.packages) < (number if self.in_some else self.counted.whole_number)


class ToldNames(NamedTuple):
    """All that is named: the new roots that brought something, and the classes without these."""

    roots: list[NewRoots]
    classes: list[NamedClass]


def told_names(counts: Iterable[ClassCount], new_roots: Sequence[NewRoots]) -> ToldNames:
    """Return what is named of some classes; what a package lost is said with its name.

    So is what is upgraded, with its steps.
    """
    classes = []
    for it in counts:
        if it.status not in (Status.LOST, Status.MAJOR, Status.UPGRADED):
            classes.append(NamedClass(it, it.in_some == it.number, it.few))
        if it.in_more:
            classes.append(NamedClass(it, True, it.few_in_some))
    roots = [_roots_told(it, classes) for it in new_roots]
    named = {name for it in roots for name, versions in it.names if versions}
    told = [
        it._replace(packages=tuple(p for p in it.packages if p[0] not in named)) for it in classes
    ]
    if any(it.downgraded for it in roots):
        told = [it for it in told if it.counted.status is not Status.DOWNGRADED]
    return ToldNames(roots, [it for it in told if it.packages])


def _roots_told(roots: NewRoots, classes: Iterable[NamedClass]) -> NewRoots:
    """Return what is told of new roots: of the products that are downgraded if they need all."""
    names = dict(roots.names)
    for it in classes:
        some = [(name, moves) for name, moves in it.packages if name in names]
        places = {move.place for _, moves in some for move in moves}
        if it.counted.status is Status.NEW and len(some) == len(names) and len(places) == 1:
            versions = tuple((name, moves[0].own) for name, moves in some)
            roots = replace(roots, names=versions, place=places.pop())
        if it.counted.status is Status.DOWNGRADED:
            fell = {(name, at) for name, moves in it.packages for m in moves for at in m.stacks}
            if it.packages and fell <= roots.fell:
                roots = replace(roots, older=roots.beside, downgraded=it.packages)
    return roots


def named_steps(lines: Iterable[PackageLine], status: Status, places: Places) -> Named:
    """Return the packages to which this happened with the steps they made, the same step once.

    That is so as well where nobody asks for the package, if it is the same step; it says where.
    Those in most stacks are first.
    """
    found = []
    for name, some in ((name, it) for it in lines for name in it.packages):
        steps: dict[str, Move] = {}
        below: dict[str, set[str]] = {}
        every = sorted(some.moves_of(name), key=lambda it: it.is_beside)
        for move in every:
            step = move.now_in_words(str)
            if step not in steps if move.is_beside else move.status is not status:
                continue
            before = steps.get(step)
            stacks = tuple(sorted({*before.stacks, *move.stacks} if before else move.stacks))
            is_root = not move.is_beside and (move.asked_for is None or move.asked_for.new)
            there = below.setdefault(step, set())
            there.update(() if is_root else move.stacks)
            at = places.place(there) if there else None
            place = places.place(stacks)
            steps[step] = replace(move, stacks=stacks, place=place, dependency_at=at)
        if steps:
            found.append((name, tuple(steps.values())))
    return tuple(sorted(found, key=lambda it: (-len(it[1][0].stacks), it[0])))


def named_beside(lines: Iterable[PackageLine], status: Status, places: Places) -> Named:
    """Return packages of other classes that are upgraded, or upgraded and have more builds, too."""

    def of_builds(move: Move) -> Move:
        if move.loses or not (move.gained and move.gained.number):
            return move
        return replace(move, status=Status.MORE, versions=VersionMove((), ()))

    if status is Status.UPGRADED:
        return named_steps((it for it in lines if it.status is not status), status, places)
    if status is not Status.MORE:
        return ()
    upgraded = (
        replace(it, moves=tuple(map(of_builds, it.moves)), each=tuple(map(of_builds, it.each)))
        for it in lines
        if it.status in (Status.MAJOR, Status.UPGRADED) and not it.is_dependency
    )
    return named_steps(upgraded, status, places)
