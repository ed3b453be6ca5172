"""What is said once for the stacks of a tag: why specs changed, and what all of them stand on."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from msgspec import Struct
from msgspec.structs import astuple, replace

from snapdiff.reports.builds import VersionMove, in_order
from snapdiff.reports.cause_words import event_in_words
from snapdiff.reports.names import Mark, Place, Places
from snapdiff.reports.package_lines import PackageLine
from snapdiff.reports.statuses import Versions, field_events, is_shared_field, shared_fields
from snapdiff.result.causes import Cause, Event, event_of
from snapdiff.result.changes import Change, StackDiff
from snapdiff.result.packages import Because, Kind
from snapdiff.spack import (
    COMPILERS,
    NO_COMPILER,
    STOOD_ON,
    TOOLCHAIN,
    Version,
    canonical_compiler,
    parse_version,
)


class CountedCause(Struct, frozen=True, kw_only=True):
    """A cause of some specs, how many and of which packages; one may have made several steps.

    `events` differ in the versions alone. `build_only` says that no spec links or runs it.
    """

    specs: int
    packages: tuple[str, ...]
    events: tuple[Event, ...]
    build_only: bool

    def in_words(self, mark: Mark) -> str:
        """Return a cause of many specs: `gmake added (build only)`, `python in other versions`."""
        words = event_in_words(self.events[0], mark)
        if len(self.events) > 1:
            words = f"{mark(str(self.events[0].package))} in other versions"
        return f"{words} (build only)" if self.build_only else words


class SharedChange(Struct, frozen=True, kw_only=True):
    """A change of a field that many specs of some stacks share, of those that are on both sides."""

    event: Event
    specs: int
    of: int
    place: Place


class Reasons(Struct, frozen=True, kw_only=True):
    """Why the specs of some stacks changed: what is said once for all of them.

    `specs` is how many were rebuilt, each once, of which `packages`, in the stacks of `place`;
    `names_packages` says that no line is about these, so that they are named here;
    `causes` are theirs, those of most first, and `unexplained` have no known dependencies. `widest`
    is the event that most of them reach, and how many do, where that is many more than have it as
    their cause: something else is nearer to them.
    """

    specs: int
    packages: tuple[str, ...]
    names_packages: bool = False
    place: Place
    causes: tuple[CountedCause, ...]
    unexplained: int
    widest: tuple[Event, int] | None
    shared: tuple[SharedChange, ...]

    @property
    def replaced(self) -> list[CountedCause]:
        """The causes that are another MPI, BLAS or LAPACK."""
        some = [it for it in self.causes if it.events[0].what == "replaced"]
        return [it for it in some if it.events[0].old in STOOD_ON]

    @property
    def is_one(self) -> bool:
        """Whether all rebuilt specs have one cause."""
        return len(self.causes) == 1 and not self.unexplained


def reasons_of(stacks: Sequence[StackDiff], places: Places, *, of_roots: bool) -> Reasons | None:
    """Return what is to be said of some stacks of a tag, or None where nothing is known.

    `of_roots` says that nothing is reported but what was asked for.
    """
    rebuilt = [stack for stack in stacks if stack.summary.rebuilt]
    changes = {
        (change.old, change.new): change
        for stack in rebuilt
        for change in stack.changes
        if change.kind is Kind.REBUILT
    }
    counted = _counted_causes(changes.values())
    shared = _shared_changes(stacks, places, of_roots=of_roots)
    if not counted and not shared:
        return None
    is_each_once = len(changes) == sum(stack.summary.rebuilt for stack in rebuilt)
    return Reasons(
        specs=len(changes) if counted else 0,
        packages=tuple(sorted({change.package for change in changes.values()})),
        place=places.place(stack.stack for stack in rebuilt),
        causes=tuple(counted),
        unexplained=len(changes) - sum(item.specs for item in counted),
        widest=_widest(rebuilt) if is_each_once else None,
        shared=shared,
    )


def _counted_causes(changes: Iterable[Change]) -> list[CountedCause]:
    """Return the causes of some changes, those of most specs first.

    All steps of a package from one version to another are one cause.
    """
    together: dict[object, list[tuple[Cause, str]]] = {}
    for change in changes:
        if isinstance(change.cause, Cause):
            cause = change.cause
            key = cause.package if cause.what == "version" else event_of(cause)
            together.setdefault(key, []).append((cause, change.package))
    counted = [
        CountedCause(
            specs=len(causes),
            packages=tuple(sorted({package for _, package in causes})),
            events=tuple(dict.fromkeys(event_of(cause) for cause, _ in causes)),
            build_only=all(cause.build_only for cause, _ in causes),
        )
        for causes in together.values()
    ]
    return sorted(counted, key=lambda item: (-item.specs, item.events[0].package or ""))


def _widest(stacks: Iterable[StackDiff]) -> tuple[Event, int] | None:
    """Return the event that most rebuilt specs reach, if few of them have it as their cause."""
    specs: Counter[Event] = Counter()
    reach: Counter[Event] = Counter()
    for stack in stacks:
        for cause in stack.causes:
            if not is_shared_field(cause):
                specs[event_of(cause)] += cause.specs
                reach[event_of(cause)] += cause.reach
    found = [it for it in reach.most_common(1) if it[1] >= 2 * max(specs[it[0]], 1)]
    return found[0] if found else None


def _shared_changes(
    stacks: Iterable[StackDiff], places: Places, *, of_roots: bool
) -> tuple[SharedChange, ...]:
    found: dict[Event, list[StackDiff]] = {}
    for stack in stacks:
        for cause in shared_fields(stack):
            found.setdefault(event_of(cause), []).append(stack)
    shared = []
    for event, some in found.items():
        moved = event.what, event.old, event.new
        pairs = [it for stack in some for it in stack.changes if it.old and it.new]
        on_both = sum(stack.specs.new - stack.summary.added for stack in some)
        shared.append(
            SharedChange(
                event=event,
                specs=sum(moved in map(astuple, it.fields) for it in pairs),
                of=len(pairs) if of_roots else on_both,  # nothing says how many roots stayed
                place=places.place(stack.stack for stack in some),
            )
        )
    return tuple(shared)


# --- The toolchain: compilers and what else everything stands on; where they changed ---


class ToolStep(NamedTuple):
    """What became of the versions of a part of the toolchain in some stacks, and because of what.

    The latter is known where all of a package is gone, or new, in all of these.
    """

    versions: VersionMove
    place: Place
    because: Because | None


class ToolChange(NamedTuple):
    """A part of the toolchain, and its steps, the highest version first."""

    name: str
    steps: tuple[ToolStep, ...]


class Toolchain(Struct, frozen=True, kw_only=True):
    """What changed of what everything stands on, and what is known to be as before.

    `moved` are the causes of builds that stand on another part of it now: another compiler or MPI.
    """

    as_before: tuple[tuple[str, Versions], ...]
    changes: tuple[ToolChange, ...]
    moved: tuple[CountedCause, ...]


def beside_toolchain(
    lines: Iterable[PackageLine], toolchain: Toolchain | None
) -> list[PackageLine]:
    """Return lines without the dependencies of which they say no more than the toolchain does."""
    lines = list(lines)
    told = {change.name for change in toolchain.changes} if toolchain else set()
    for line in lines:
        if not all(move.is_of_versions and not move.needed_by for move in line.moves):
            told.difference_update(line.packages)
    return [it for it in lines if not (it.is_dependency and told.issuperset(it.packages))]


def toolchain_of(
    stacks: Sequence[StackDiff],
    places: Places,
    shared: Sequence[SharedChange],
    reasons: Reasons | None,
) -> Toolchain | None:
    """Return the toolchain of a tag, or None where no part of it is known to have changed.

    Compilers are what the specs say that they were built with, the rest are packages. Compilers
    that changed in a way that many specs have `shared` are told with those. `reasons` are those of
    all stacks.
    """
    changed: dict[str, dict[VersionMove, list[str]]] = {}
    same: dict[str, set[str]] = {}
    for stack in stacks:
        for name, (old, new) in {**_compilers(stack), **_packages(stack)}.items():
            if old != new:
                step = VersionMove(in_order(old - new), in_order(new - old), in_order(old & new))
                changed.setdefault(name, {}).setdefault(step, []).append(stack.stack)
            else:
                same.setdefault(name, set()).update(new)
        for name, versions in (stack.toolchain or {}).items():
            same.setdefault(name, set()).update(versions)
    changes = []
    for name, steps in sorted(changed.items(), key=lambda item: TOOLCHAIN.index(item[0])):
        every = [
            ToolStep(step, places.place(some), _because_of(name, some, stacks))
            for step, some in _by_version(steps)
        ]
        if untold := [it for it in every if not any(_says(other, name, it) for other in shared)]:
            changes.append(ToolChange(name, tuple(untold)))
    unchanged = {*same} - {*changed}
    if not all(stack.compilers for stack in stacks if stack.changes):  # it may be of others alone
        unchanged -= {*COMPILERS}
    as_before = [(name, in_order(same[name])) for name in TOOLCHAIN if name in unchanged]
    moved = [*_moved(stacks, shared), *(reasons.replaced if reasons else ())]
    if not changes and not moved and not (changed and as_before):
        return None
    return Toolchain(as_before=tuple(as_before), changes=tuple(changes), moved=tuple(moved))


def _moved(stacks: Iterable[StackDiff], shared: Sequence[SharedChange]) -> Iterator[CountedCause]:
    """Yield the compilers that builds have in place of others, where not many specs share that."""
    told = {change.event for change in shared}
    packages: dict[Event, dict[Change, str]] = {}
    for change in (change for stack in stacks for change in stack.changes):
        for event in field_events(change):
            if event.what == "compiler" and event not in told:
                packages.setdefault(event, {})[change] = change.package
    for event, found in packages.items():
        if NO_COMPILER not in (event.old, event.new):
            names = tuple(sorted({*found.values()}))
            yield CountedCause(specs=len(found), packages=names, events=(event,), build_only=False)


def _because_of(name: str, places: Sequence[str], stacks: Iterable[StackDiff]) -> Because | None:
    """Return because of which package another is gone, or new, where that is one in some stacks."""
    found = {
        replace(change.because, direct=False) if change.because else None
        for stack in stacks
        if stack.stack in places
        for change in stack.package_changes
        if change.package == name and name in STOOD_ON
    }
    return found.pop() if len(found) == 1 else None


def _by_version(steps: dict[VersionMove, list[str]]) -> list[tuple[VersionMove, list[str]]]:
    """Return the steps of a tool and their stacks, the highest version first.

    Those of each series are apart where stacks made several at once.
    """
    if len(steps) > 1:
        steps = _by_series(steps)

    def height(item: tuple[VersionMove, list[str]]) -> tuple[Version, int]:
        return parse_version((item[0].came or item[0].gone)[-1]), len(item[1])

    return sorted(steps.items(), key=height, reverse=True)


def _by_series(steps: dict[VersionMove, list[str]]) -> dict[VersionMove, list[str]]:
    found: dict[VersionMove, list[str]] = {}
    for step, stacks in steps.items():
        pairs = step.steps
        came = [VersionMove((), (version,)) for version in step.came if version not in pairs]
        gone = [VersionMove((it,), ()) for it in step.gone if it not in pairs.values()]
        of_series = [VersionMove((old,), (new,)) for new, old in pairs.items()]
        for move in (*of_series, *came, *gone) if pairs else (step,):
            found.setdefault(move, []).extend(stacks)
    return found


def _says(change: SharedChange, name: str, step: ToolStep) -> bool:
    """Return whether a change that specs share says all of a step of a compiler."""
    versions = step.versions
    if change.event.what != "compiler" or change.place is not step.place or versions.kept:
        return False
    values = {canonical_compiler(str(it)) for it in (change.event.old, change.event.new)}
    return values.issuperset(f"{name}@{version}" for version in (*versions.gone, *versions.came))


def _compilers(stack: StackDiff) -> dict[str, tuple[set[str], set[str]]]:
    """Return the versions of compilers on both sides by name, where those of all specs are known.

    What did not change may be built with any, so that what changed alone says nothing.
    """
    old = _by_name(count.compiler for count in stack.compilers or () if count.old)
    new = _by_name(count.compiler for count in stack.compilers or () if count.new)
    if not (old and new):  # a side does not name them
        return {}
    return {name: (old.get(name, set()), new.get(name, set())) for name in {*old, *new}}


def _packages(stack: StackDiff) -> dict[str, tuple[set[str], set[str]]]:
    """Return the versions of the rest of the toolchain on both sides by name, where it changed."""
    return {
        it.package: ({*it.kept, *it.gone}, {*it.kept, *it.came})
        for it in stack.package_changes
        if it.package in STOOD_ON
    }


def _by_name(compilers: Iterable[str]) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for compiler in compilers:
        name, _, version = canonical_compiler(compiler).partition("@")
        if name in COMPILERS and version:
            found.setdefault(name, set()).add(version)
    return found
