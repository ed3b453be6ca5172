"""How many packages there are of each class, by the worst that happened to each, and which."""

from collections.abc import Collection, Iterable, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from snapdiff.reports.moves.builds import BuildShare
from snapdiff.reports.moves.move import Move
from snapdiff.reports.moves.places import FEW_STACKS, HERE, NOWHERE, Place
from snapdiff.reports.moves.statuses import Status
from snapdiff.reports.outline.lines import PackageLine
from snapdiff.result.causes import Event, TraitCount
from snapdiff.spack import NO_COMPILER

_FEW_PACKAGES = 5
"""How many packages the first sentence names of a class, of these:"""

_FEW_PLACES = 2
"""Of how many stacks in all it says where packages are downgraded."""

_NAMED = (Status.GONE, Status.LOST, Status.NEW, Status.DOWNGRADED, Status.MAJOR, Status.UPGRADED)

_MOST_TERMS = 5
"""How many classes have a number of their own; of more these do, and several others have one."""

_FEW_WITH_VERSIONS = 3
"""How many packages a sentence names that have more versions, beside others with more builds."""

_FEW_TRAITS = 2
"""How many traits tell in the first sentence which builds are lost."""

Named = tuple[tuple[str, tuple[Move, ...]], ...]
"""Packages by name, each with what happened to it in some stacks."""


class ClassCount(Struct, frozen=True, kw_only=True):
    """How many packages had one status, and what is said of some of them.

    `in_some` is how many are gone from some stacks or new in some, which others of the tag have;
    `place` where, if all of these are in one, and `in_stacks` how many stacks that is. `what` is
    what was lost, or is more: versions, builds or both, or that all have another compiler, or none;
    `is_single` says that it is one version or build, of one package, `version` which, if all lost
    it in `place`. `lost_with` is what tells all builds that they lost, if that is one trait or two,
    with how many packages lost such; `lost_too` are packages of other classes of which builds with
    the first of these went to another version. `first_with` is the one trait that tells all builds
    that each of several has more, or has in place of the lost ones. `few` are they, with what
    happened to each, where these are few that somebody will miss or look for, and `few_in_some`
    those `in_some`. They changed in `events` as all around them did. `major` is how many of the
    upgraded ones have another major version. `with_versions` are the few that have more versions,
    where the others only have more builds, `more_with` what tells these, if that is one trait or
    two. `has_twin` says of the only build that is lost that another like it is there.
    """

    status: Status
    number: int
    in_some: int = 0
    place: Place | None = None
    in_stacks: int = 0
    what: tuple[str, ...] = ()
    is_single: bool = False
    version: str = ""
    lost_with: tuple[tuple[TraitCount, int], ...] = ()
    lost_too: tuple[str, ...] = ()
    first_with: TraitCount | None = None
    few: Named = ()
    few_in_some: Named = ()
    events: tuple[Event, ...] = ()
    major: int = 0
    with_versions: tuple[str, ...] = ()
    more_with: tuple[TraitCount, ...] = ()
    has_twin: bool = False

    @property
    def loses_builds(self) -> bool:
        """Whether some lost builds, which the lines of these packages alone say."""
        return "builds" in self.what and self.status is Status.LOST

    @property
    def gone_since(self) -> tuple[str, ...]:
        """When they went, if all of these are back."""
        moves = [move for _, some in self.few for move in some]
        is_all = len(self.few) == self.number and all(it.gone_since for it in moves)
        return tuple(dict.fromkeys(it.gone_since for it in moves)) if is_all else ()

    @property
    def are_some_back(self) -> bool:
        """Whether some of few that are new are back, and others were never there."""
        return not self.gone_since and any(it.gone_since for _, some in self.few for it in some)

    @property
    def as_names(self) -> tuple[str, ...]:
        """The names that a sentence has in place of their number: one, or two that are missed."""
        most = 2 if self.status in (Status.GONE, Status.NEW, Status.LOST) else 1
        is_all = len(self.few) == self.whole_number <= most
        return tuple(name for name, _ in self.few) if is_all else ()

    @property
    def in_more(self) -> int:
        """How many of them are gone from some stacks alone, or new, and said behind the others."""
        return self.in_some if self.in_some < self.number else 0

    @property
    def whole_number(self) -> int:
        """How many there are without these."""
        return self.number - self.in_more


class Numbers(Struct, frozen=True, kw_only=True):
    """How many packages changed, each counted once, by the worst that happened to it.

    The others say the same as a sentence does: `told` are the classes that it has, `behind` those
    that stand behind it, or are one number in a title, `otherwise`. `besides` changed as all around
    them did, in their number of equal builds or in their hash, beside any that changed otherwise.
    """

    by_class: tuple[ClassCount, ...]

    @property
    def besides(self) -> tuple[ClassCount, ...]:  # noqa: D102 # the class says it
        return tuple(it for it in self.by_class[1:] if it.status.is_quiet)

    @property
    def told(self) -> tuple[ClassCount, ...]:  # noqa: D102
        by_status = {it.status: it for it in self.by_class if it not in self.besides}
        upgraded = by_status.get(Status.UPGRADED)
        if upgraded and (major := by_status.pop(Status.MAJOR, None)):
            every = upgraded.number + major.number
            both = replace(upgraded, number=every, major=major.number, few=major.few)
            by_status[Status.UPGRADED] = both
        told = [it for it in by_status.values() if it.status in _NAMED]
        is_short = len(by_status) <= max(_MOST_TERMS, len(told) + 1)
        has_news = any(it.status in _NAMED for it in told)
        return tuple(told if has_news and not is_short else by_status.values())

    @property
    def behind(self) -> tuple[ClassCount, ...]:  # noqa: D102
        told = {it.status for it in (*self.told, *self.besides)} | {Status.MAJOR}
        return tuple(it for it in self.by_class if it.status not in told)

    @property
    def otherwise(self) -> int:  # noqa: D102
        return sum(it.number for it in self.behind)

    @property
    def number(self) -> int:
        """How many that are in all."""
        return sum(it.number for it in self.by_class)


def count_by_class(lines: Iterable[PackageLine]) -> tuple[ClassCount, ...]:
    """Return how many packages had which status, each counted once, by the worst of its lines."""
    lines = list(lines)
    of_name: dict[str, list[PackageLine]] = {}
    for line in lines:
        for name in line.packages:
            of_name.setdefault(name, []).append(line)
    by_status: dict[Status, dict[str, list[PackageLine]]] = {}
    for name, some in of_name.items():
        worst = min((line.status for line in some), key=lambda it: it.severity)
        by_status.setdefault(worst, {})[name] = some
    stacks = {stack for line in lines for move in line.moves for stack in move.stacks}
    counts = (_count(status, by_status[status], len(stacks)) for status in sorted(by_status))
    counts = (replace(it, lost_too=_lost_too(it, lines)) for it in counts)
    return tuple(_first_of_all(it, lines) for it in counts)


def _first_of_all(count: ClassCount, lines: Iterable[PackageLine]) -> ClassCount:
    """Return a class of which it is not said who has first builds of a trait, if others do, too."""
    if not (count.first_with and count.status is Status.MORE):
        return count
    gained = (it.gained for line in lines if line.status is not count.status for it in line.moves)
    others = {part.without_numbers() for share in gained if share for part in share.parts}
    return replace(count, first_with=None) if count.first_with in others else count


def _lost_too(count: ClassCount, lines: Iterable[PackageLine]) -> tuple[str, ...]:
    if not count.lost_with:
        return ()
    trait, _ = count.lost_with[0]
    every = ((name, move) for it in lines for name in it.packages for move in it.moves_of(name))
    found = (
        name
        for name, move in every
        for part in _gone_beside(move)
        if move.status is not count.status and part.without_numbers() == trait
    )
    return tuple(dict.fromkeys(found))


def _gone_beside(move: Move) -> tuple[TraitCount, ...]:
    """Return what tells builds gone of a version that stays, where its step does not say it."""
    is_told = move.lost and move.versions.counts
    return (*move.versions.moved_by, *(move.lost.parts if move.lost and is_told else ()))


def _traits_of(
    builds: Iterable[tuple[str, BuildShare | None]],
) -> tuple[tuple[TraitCount, int], ...]:
    """Return what tells all builds of some packages, that of most first; of more than two nothing.

    With each is how many packages have such.
    """
    found: dict[TraitCount, set[str]] = {}
    for name, share in builds:
        if share is None or sum(it.specs for it in share.parts) != share.number:
            return ()
        for it in share.parts:
            found.setdefault(it.without_numbers(), set()).add(name)
    if len(found) > _FEW_TRAITS:
        return ()
    numbers = ((it, len(packages)) for it, packages in found.items())
    return tuple(sorted(numbers, key=lambda it: -it[1]))


def _count(
    status: Status, packages: Mapping[str, Sequence[PackageLine]], most_stacks: int
) -> ClassCount:
    """Return how many packages that is, and what is said of some: the lines are those of each."""
    every = [
        (name, line, move)
        for name, lines in packages.items()
        for line in lines
        for move in line.moves_of(name)
    ]
    moves = [
        (name, move)
        for name, line, move in every
        if move.status is status and (line.is_dependency or not move.is_beside)
    ]
    counted = ClassCount(
        status=status, number=len(packages), what=_what(status, [it for _, it in moves])
    )
    named = set(packages)
    if status in (Status.GONE, Status.NEW):
        in_tag = {name for name, move in moves if move.in_tag}
        partly = [(name, move) for name, move in moves if name not in in_tag]
        in_some = {name for name, _ in partly}
        named = named - in_some or named
        place = _only_place(partly)
        counted = replace(
            counted,
            in_some=len(in_some),
            few_in_some=_few(in_some, moves),
            place=place if place and len(place.names) <= 1 else None,
            in_stacks=len(partly[0][1].stacks) if place else 0,
        )
    elif status is Status.DOWNGRADED:
        stacks = sorted({stack for _, move in moves for stack in move.stacks})
        if len(stacks) <= min(_FEW_PLACES, most_stacks - 1):
            is_each = all(set(move.stacks) == set(stacks) for _, move in moves)
            in_stacks = len(stacks) if is_each else 0
            counted = replace(counted, place=Place("", tuple(stacks)), in_stacks=in_stacks)
    elif status is Status.LOST:
        counted = _with_losses(counted, moves, [(name, move) for name, _, move in every])
    elif status is Status.MORE and counted.what == ("versions", "builds"):
        some = tuple(sorted({name for name, move in moves if move.has_step}))
        if len(some) <= _FEW_WITH_VERSIONS and len(some) + 1 < counted.number:
            builds = [(name, move.gained) for name, move in moves if name not in some]
            more_with = tuple(trait for trait, _ in _traits_of(builds))
            counted = replace(counted, with_versions=some, more_with=more_with)
    elif status is Status.MORE and counted.what == ("builds",) and counted.number > 1:
        traits = [it for it, _ in _traits_of((name, move.gained) for name, move in moves)]
        counted = replace(counted, first_with=traits[0] if len(traits) == 1 else None)
    elif status is Status.SHARED:
        events = dict.fromkeys(event for _, move in moves for event in move.shared)
        place = _only_place([it for it in moves if it[1].place not in (NOWHERE, HERE)])
        is_short = place and len(place.names) <= FEW_STACKS
        counted = replace(counted, events=tuple(events), place=place if is_short else None)
    is_named = status in _NAMED or len(named) == 1
    return replace(counted, few=_few(named, moves) if is_named else ())


def _with_losses(
    counted: ClassCount, moves: Iterable[tuple[str, Move]], every: Iterable[tuple[str, Move]]
) -> ClassCount:
    """Return the count of packages that lost versions or builds, with what is said of these.

    What they have in common is that of all lost builds of these packages, those among `every` move
    that have another class, too.
    """
    versions: set[str] = set()
    builds = 0
    moves = list(moves)
    for _, move in moves:
        builds += bool(move.versions.counts)  # others are gone of a version that stays
        if move.versions.gone and not move.lost:
            versions.update(move.versions.gone)
        else:
            builds += (move.lost.number if move.lost else 2) * len(move.stacks)
    is_single = counted.number == 1 and len(versions) + builds == 1
    place = _only_place(moves) if is_single else None
    lost = [(name, it.lost) for name, it in every if it.lost or it.status is Status.LOST]
    in_place = [(name, it.gained) for name, it in moves if it.gained and it.gained.number]
    new = _traits_of(in_place) if len(in_place) == len(moves) > 1 else ()
    return replace(
        counted,
        first_with=new[0][0] if len(new) == 1 else None,
        is_single=is_single,
        has_twin=is_single and any(share.has_twin for _, share in lost if share),
        version=next(iter(versions), "") if place else "",
        place=place,
        lost_with=() if versions else _traits_of(lost),
    )


def _what(status: Status, moves: Iterable[Move]) -> tuple[str, ...]:
    """Return what was lost, or is more, and in which way packages are roots, or reconfigured."""
    found: set[str] = set()
    if status is Status.MORE:
        found = {"versions" if it.has_step else "builds" for it in moves}
    elif status is Status.LOST:
        moves = list(moves)
        found = {"versions" if it.versions.gone and not it.lost else "builds" for it in moves}
        found |= {"builds" for it in moves if it.versions.counts}  # of a version that stays
    elif status is Status.ROOTS:
        found = {"now" if it.asked_for and it.asked_for.new else "no longer" for it in moves}
    elif status is Status.RECONFIGURED:
        kinds = set(map(_compiler_alone, moves))
        found = kinds if len(kinds) == 1 else set()
    return tuple(sorted(filter(None, found), reverse=True))


def _compiler_alone(move: Move) -> str:
    """Return what happened to the compiler of builds, if that is all that happened to them."""
    if [it.what for it in move.differs] != ["compiler"] or move.differs_also or move.differs_more:
        return ""
    if move.differs[0].new != NO_COMPILER:
        return "other compiler" if move.differs[0].old != NO_COMPILER else ""
    return "" if move.some_builds else "no compiler"


def _only_place(moves: Iterable[tuple[str, Move]]) -> Place | None:
    """Return where all of some moves are, None where they are in several places, or none is."""
    places = {move.place for _, move in moves}
    return places.pop() if len(places) == 1 else None


def _few(names: Collection[str], moves: Iterable[tuple[str, Move]]) -> Named:
    if len(names) > _FEW_PACKAGES:
        return ()
    of_name: dict[str, tuple[Move, ...]] = dict.fromkeys(sorted(names), ())
    for name, move in moves:
        if name in of_name:
            of_name[name] += (move,)
    return tuple(sorted(of_name.items(), key=lambda it: (-len(it[1][0].stacks), it[1][0].stacks)))
