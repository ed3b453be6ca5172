"""How many packages there are of each class, by the worst that happened to each, and which."""

from collections.abc import Collection, Iterable, Mapping, Sequence

from msgspec.structs import replace

from snapdiff.reports.cause_words import traits_in_words
from snapdiff.reports.moves.builds import BuildShare
from snapdiff.reports.moves.move import Move
from snapdiff.reports.moves.places import FEW_STACKS, HERE, NOWHERE, Place
from snapdiff.reports.moves.statuses import Status
from snapdiff.reports.outline.class_counts import NEWS, ClassCount, Named, Traits
from snapdiff.reports.outline.lines import PackageLine
from snapdiff.result.causes import TraitCount
from snapdiff.spack import NO_COMPILER

_FEW_PACKAGES = 5
"""How many packages the first sentence names of a class."""

_FEW_PLACES = 2
"""Of how many stacks in all it says where packages are downgraded."""

_FEW_WITH_VERSIONS = 3
"""How many packages a sentence names that have more versions, beside others with more builds."""

_FEW_ALSO = 2
"""Of how many packages that lost builds it says that they have another version, too."""

_FEW_TRAITS = 2
"""How many traits tell in the first sentence which builds are lost."""


Parts = tuple[TraitCount, ...]
"""What tells some builds, each with how many these are."""


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
    return tuple(_count(status, by_status[status], len(stacks)) for status in sorted(by_status))


def _lost_by(move: Move) -> Parts | None:
    """Return what tells all builds that a package lost, with its step or beside it."""
    return move.versions.lost_by or _parts_of(move.lost)


def _parts_of(share: BuildShare | None) -> Parts | None:
    """Return what tells some builds, None where it does not tell all."""
    is_all = share is not None and sum(it.specs for it in share.parts) == share.number
    return share.parts if share and is_all else None


def _traits_of(builds: Iterable[tuple[str, Parts | None]]) -> Traits:
    """Return what tells all builds of some packages, that of most first; of more than two none."""
    found: dict[str, tuple[TraitCount, set[str]]] = {}
    for name, parts in builds:
        if parts is None:
            return ()
        for it in parts:
            found.setdefault(traits_in_words(it, str), (it.without_numbers(), set()))[1].add(name)
    if len(found) > _FEW_TRAITS:
        return ()
    by_trait = ((it, tuple(sorted(packages))) for it, packages in found.values())
    return tuple(sorted(by_trait, key=lambda it: -len(it[1])))


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
        sinces = dict.fromkeys(move.gone_since for _, move in moves)
        counted = replace(
            counted,
            gone_since=tuple(sinces) if all(sinces) else (),
            are_some_back=any(sinces) and not all(sinces),
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
            builds = [(name, _parts_of(move.gained)) for name, move in moves if name not in some]
            counted = replace(counted, with_versions=some, more_with=_traits_of(builds))
    elif status is Status.MORE and counted.what == ("builds",) and counted.number > 1:
        traits = [
            it for it, _ in _traits_of((name, _parts_of(move.gained)) for name, move in moves)
        ]
        counted = replace(counted, new_with=traits[0] if len(traits) == 1 else None)
    elif status is Status.SHARED:
        events = dict.fromkeys(event for _, move in moves for event in move.shared)
        place = _only_place([it for it in moves if it[1].place not in (NOWHERE, HERE)])
        is_short = place and len(place.names) <= FEW_STACKS
        counted = replace(counted, events=tuple(events), place=place if is_short else None)
    is_named = status in NEWS or len(named) == 1
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
        if went := sum(it.specs for it in move.versions.lost_by):
            builds += went * len(move.stacks)
            continue
        builds += bool(move.versions.counts)  # others are gone of a version that stays
        if move.versions.gone and not move.lost:
            versions.update(move.versions.gone)
        else:
            builds += (move.lost.number if move.lost else 2) * len(move.stacks)
    is_single = counted.number == 1 and len(versions) + builds == 1
    place = _only_place(moves) if is_single else None
    came = {(name, it.versions.came) for name, it in moves if it.versions.came}
    lost = [(name, it) for name, it in every if it.lost or it.status is Status.LOST]
    in_place = [
        (name, _parts_of(it.gained)) for name, it in moves if it.gained and it.gained.number
    ]
    new = _traits_of(in_place) if len(in_place) == len(moves) > 1 else ()
    return replace(
        counted,
        new_with=new[0][0] if len(new) == 1 else None,
        is_single=is_single,
        version=next(iter(versions), "") if place else "",
        place=place,
        also_came=tuple(sorted(came)) if len(came) <= _FEW_ALSO else (),
        lost_with=() if versions else _traits_of((name, _lost_by(it)) for name, it in lost),
    )


def _what(status: Status, moves: Iterable[Move]) -> tuple[str, ...]:
    """Return what was lost, or is more or fewer, or in which way packages are in their class."""
    found: set[str] = set()
    if status is Status.MORE:
        found = {"versions" if it.has_step else "builds" for it in moves}
    elif status is Status.LOST:
        moves = list(moves)
        found = {"versions" if it.versions.gone and not it.lost else "builds" for it in moves}
        found |= {"builds" for it in moves if it.versions.counts}  # of a version that stays
    elif status is Status.ROOTS:
        found = {"now" if it.asked_for and it.asked_for.new else "no longer" for it in moves}
    elif status is Status.DUPLICATES:
        shares = [it for move in moves for it in (move.lost, move.gained) if it]
        told = [it for it in shares if it.number or it.duplicates]
        found = {"fewer" if it.what == "gone" else "more" for it in told}
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
