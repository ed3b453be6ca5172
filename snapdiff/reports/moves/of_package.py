"""What happened to a package in one stack: which of its versions and builds are told, and how."""

from collections import Counter
from collections.abc import Collection, Iterable, Sequence

from msgspec import UNSET

from snapdiff.reports.cause_words import other_values_of_all
from snapdiff.reports.moves.builds import BuildShare, VersionMove
from snapdiff.reports.moves.move import Move
from snapdiff.reports.moves.places import NOWHERE
from snapdiff.reports.moves.shares import (
    as_told,
    beside_versions,
    builds_by_version,
    counting,
    number_of_builds,
    shares_of,
)
from snapdiff.reports.moves.statuses import Status, Step, Versions, highest, is_told, step_of
from snapdiff.result.causes import Cause, Event, event_of
from snapdiff.result.changes import Change
from snapdiff.result.packages import Kind, PackageChange, VersionCount
from snapdiff.spack import (
    NO_COMPILER,
    canonical_compiler,
    parse_version,
    versions_in_order,
)

_FEW_COMPILERS = 4
"""How many compilers are named of builds that have one each."""


def move_of(change: PackageChange, specs: Sequence[Change], shared: set[Event]) -> Move:
    """Return what happened to a package; nothing in it says in which order its specs are."""
    kind, versions = change.kind, _version_move(change, specs)
    lost, gained = shares_of(change, specs)
    is_builds = lost is not None and kind in (Kind.REMOVED, Kind.ADDED) and not versions.counts
    told = [] if lost and lost.is_merge else _told_beside(change, specs)
    reconfigured = [it for it in told if it.kind is Kind.RECONFIGURED and not is_told(it, shared)]
    is_said = not change.specs.reconfigured or any(it.kind is kind for it in specs)  # by a spec
    only_shared = kind is Kind.RECONFIGURED and is_said and all(is_told(it, shared) for it in specs)
    of_specs = [
        {field.event() for field in it.fields if it.kind is Kind.RECONFIGURED}
        for it in reconfigured or told
    ]
    events = set().union(*of_specs)
    in_all = set.intersection(*of_specs) - shared if of_specs else set()
    own_events = events - shared
    of_some = Counter(it for some in of_specs for it in some - in_all - shared if in_all)
    others = of_some.most_common() if reconfigured else []
    own: Versions = () if versions.gone or versions.came or versions.counts else change.kept
    if own and (kind is Kind.REBUILT or only_shared):
        own = versions_in_order(spec.new.version for spec in specs if spec.new)
    beside: Versions = ()
    some_builds = None
    if change.whole:
        own, versions = change.gone or change.came, VersionMove((), ())
    elif reconfigured:
        of_these = versions_in_order(spec.new.version for spec in reconfigured if spec.new)
        if kind is not Kind.RECONFIGURED or versions.counts:
            beside = of_these
        else:
            own = of_these
        some_builds = _some_builds(change, reconfigured, of_these)
    status = _status(change, versions, lost, gained)
    if status is Status.RECONFIGURED and only_shared:
        status = Status.SHARED
    if not is_builds:
        lost, gained = beside_versions(lost, versions), beside_versions(gained, versions)
        if change.is_dependency and not lost:  # how many users it has is no news
            gained = None
    roots = change.asked_for
    is_product = not change.is_dependency
    paired = [it for it in specs if it.old and it.new]
    is_all = len(paired) == change.builds.old == change.builds.new
    is_other_version = versions.gone and not versions.kept
    builds = change.builds.old + change.builds.new if change.whole else 0
    is_more_alone = versions.is_addition and not (gained or change.specs.removed)
    builds = change.specs.added if is_more_alone else builds
    return Move(
        status=status,
        kind=kind,
        own=own,
        whole=change.whole,
        versions=versions,
        now_with=other_values_of_all(paired) if is_all and is_other_version else (),
        lost=lost,
        gained=gained,
        is_builds=is_builds,
        because=change.because or (_cause_of_all(specs) if kind is Kind.REBUILT else None),
        differs=tuple(sorted(in_all or own_events, key=str)) if reconfigured else (),
        differs_also=others[0] if len(others) == 1 else None,
        differs_more=len(others) > 1,
        shared=tuple(sorted(events, key=str)) if only_shared else (),
        some_builds=some_builds,
        beside=beside,
        needed_by=change.needed_by if change.needed_by and _came_down(change, versions) else (),
        asked_for=None if change.whole or not roots or roots.old == roots.new else roots,
        place=NOWHERE,
        builds=builds if is_product else 0,
        compilers=_each_compiler(specs) if is_product and change.whole else (),
    )


def _each_compiler(specs: Iterable[Change]) -> tuple[str, ...]:
    """Return the compilers of some builds that are gone, or new, if each has another one."""
    names = [canonical_compiler(spec.compiler) for it in specs for spec in it.specs]
    is_each = len(set(names)) == len(names) <= _FEW_COMPILERS and NO_COMPILER not in names
    return tuple(sorted(names)) if is_each else ()


def _told_beside(change: PackageChange, specs: Sequence[Change]) -> Sequence[Change]:
    """Return the specs of a package that are told as reconfigured, where they were."""
    if change.kind is Kind.RECONFIGURED:
        return specs
    if change.is_dependency and not change.lost_a_build:  # beside a loss alone it is news
        return []
    if change.parts:
        return [it for it in specs if it.is_explicit is not change.is_dependency]
    return specs


def _some_builds(
    change: PackageChange, reconfigured: Collection[Change], versions: Versions
) -> tuple[int, int] | None:
    """Return how many builds were reconfigured, of how many with these versions, if not all."""
    number = sum(not (change.different and spec.duplicate) for spec in reconfigured)
    of = sum(it.new for it in builds_by_version(change) if it.version in versions)
    of = of or number_of_builds(change).new
    return (number, of) if 0 < number < of else None


def _cause_of_all(specs: Sequence[Change]) -> Cause | None:
    """Return the cause of all rebuilt specs; None where they have several, or one is not known."""
    causes = [it.cause for it in specs if it.kind is Kind.REBUILT]
    known = [it for it in causes if isinstance(it, Cause)]
    if len(known) < len(causes) or len(set(map(event_of, known))) != 1:
        return None
    return min(known, key=lambda it: (it.build_only, len(it.path), it.path, it.others))


def _are_alike(lost: BuildShare | None, gained: BuildShare | None) -> bool:
    """Return whether for each build that is gone, or came, there is one that looks the same."""
    is_new = gained is not None and gained.number > 0
    return lost is not None and not is_new and (not lost.number or lost.has_twin)


def _status(
    change: PackageChange, versions: VersionMove, lost: BuildShare | None, gained: BuildShare | None
) -> Status:
    """Return the class of a package in one stack: versions decide first, then what was lost."""
    if change.whole:
        return Status.GONE if change.kind is Kind.REMOVED else Status.NEW
    step = step_of(versions.left, change.came, change.kept) if change.came else ""
    if (change.kind is Kind.DOWNGRADED and not step) or versions.went_down:
        return Status.DOWNGRADED
    if step == "scheme":
        return Status.SCHEME
    if change.kind is Kind.UPGRADED and (change.gone or versions.fewer):
        return _class_of_upgrade(versions, lost, step)
    if change.kind in (Kind.REMOVED, Kind.ADDED) and _are_alike(lost, gained):
        return Status.DUPLICATES
    if lost and lost.is_merge:
        return Status.RECONFIGURED
    is_one_alike = bool(change.came and lost and lost.has_twin)  # nobody misses it
    if change.kind is Kind.REMOVED or (change.builds_alone(Kind.REMOVED) and not is_one_alike):
        return _class_of_step(versions) if versions.into else Status.LOST
    if change.kind is Kind.ADDED or (change.came and not change.gone):
        return Status.MORE
    if versions.counts:  # builds went from one version to another that was there before
        return Status.DOWNGRADED if versions.fell else Status.UPGRADED
    return Status[change.kind.name]


def _class_of_upgrade(versions: VersionMove, lost: BuildShare | None, step: Step) -> Status:
    """Return the class of a package that has a higher version: of one that stays builds may go."""
    if versions.lost_by or (versions.fewer and lost and lost.number):
        return Status.LOST
    return Status.MAJOR if step == "major" else Status.UPGRADED


def _class_of_step(versions: VersionMove) -> Status:
    """Return the class of builds that went up to a version that was there before."""
    is_major = step_of(versions.gone, (versions.into,)) == "major"
    return Status.MAJOR if is_major else Status.UPGRADED


# --- What became of its versions, and of its builds ---


def _version_move(change: PackageChange, specs: Sequence[Change]) -> VersionMove:
    """Return what became of a package's versions, with numbers where versions do not say it.

    They do not where some came, or went of a product, and one that stays has fewer builds, or, of a
    product that lost nothing, more; and where none came or went and a spec has another version all
    the same.
    """
    gone, came, kept = change.gone, change.came, change.kept
    counts = builds_by_version(change)
    has_moved = change.kind is Kind.RECONFIGURED and change.specs.reconfigured == 0
    if has_moved and change.versions is not UNSET:
        counts = change.versions  # no build is gone that is equal to another one now
    has_more = any(it.old and it.new > it.old for it in counts)
    has_fewer = any(it.new and it.new < it.old for it in counts)
    kept = kept if gone or came else ()
    is_more = bool(came) and has_more and not (gone or change.specs.removed or change.is_dependency)
    is_other = has_fewer and (came or (has_more and not gone))
    is_other = is_other or (has_fewer and gone and not change.is_dependency)
    if is_more or is_other or (has_moved and (has_fewer or has_more)):
        went = None if change.specs.removed else _went(counts, specs)
        moved = counting(as_told(change.moved_by or ()), went[0].old - went[0].new) if went else ()
        mpis = counting(change.new_with or (), went[1].new - went[1].old) if went else ()
        net = _net_versions(change, specs)
        return VersionMove(gone, came, kept, counts, went, moved, mpis, net=net)
    return VersionMove(gone, came, kept, into=_into(change, specs))


def _net_versions(change: PackageChange, specs: Iterable[Change]) -> Versions:
    """Return the versions of which builds went and others came: their numbers say less."""
    left, came = set[str](), set[str]()
    for spec in specs:
        old, new = (it.version if it else "" for it in (spec.old, spec.new))
        if old != new:
            left.add(old)
            came.add(new)
    return tuple(it for it in change.kept if it in left & came)


def _into(change: PackageChange, specs: Iterable[Change]) -> str:
    """Return the version on both sides to which builds went up from all that are gone, if no other.

    Nothing else may have happened to a version, and no build may be new.
    """
    numbers = change.specs
    is_other = numbers.removed or numbers.added or numbers.downgraded
    if change.kind is not Kind.REMOVED or change.whole or is_other:
        return ""
    moved = [it for it in specs if it.kind is Kind.UPGRADED]
    gone = {it.old.version for it in moved if it.old}
    into = {it.new.version for it in moved if it.new}
    return into.pop() if gone == {*change.gone} and len(into) == 1 else ""


def _came_down(change: PackageChange, versions: VersionMove) -> bool:
    """Return whether a version came that is older than one before: in its series, if it has one."""
    if not (change.gone or change.kept):  # beside roots, where no build was before
        return bool(change.came)
    steps, before = versions.steps, highest((*change.gone, *change.kept))
    olds = {version: steps.get(version, before) for version in change.came}
    return any(old and parse_version(new) < parse_version(old) for new, old in olds.items())


def _went(
    counts: Iterable[VersionCount], specs: Iterable[Change]
) -> tuple[VersionCount, VersionCount] | None:
    """Return the only version with fewer builds and the only one with more, if these went there."""
    fewer = [it for it in counts if it.new < it.old]
    more = [it for it in counts if it.new > it.old]
    if len(fewer) != 1 or len(more) != 1:
        return None
    pairs = Counter((it.old.version, it.new.version) for it in specs if it.old and it.new)
    steps = {pair: number for pair, number in pairs.items() if pair[0] != pair[1]}
    step = (fewer[0].version, more[0].version)
    # All pairs of another version have to make that step, and as many as are missing.
    return (fewer[0], more[0]) if steps == {step: fewer[0].old - fewer[0].new} else None
