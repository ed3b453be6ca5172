"""What all of a tag stands on, compilers and MPI among it: what changed, and what is as before."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from snapdiff.reports.moves.builds import VersionMove
from snapdiff.reports.moves.of_stacks import told_stacks
from snapdiff.reports.moves.places import NOWHERE, Place, Places
from snapdiff.reports.moves.statuses import Versions
from snapdiff.reports.outline.lines import PackageLine
from snapdiff.reports.outline.reasons import Replaced, SharedChange
from snapdiff.result.changes import StackDiff, TagDiff
from snapdiff.result.packages import Because
from snapdiff.spack import (
    COMPILERS,
    MPI,
    NO_COMPILER,
    STOOD_ON,
    TOOLCHAIN,
    Version,
    canonical_compiler,
    package_of_compiler,
    parse_version,
    versions_in_order,
)


class ToolStep(NamedTuple):
    """What became of the versions of a part of the toolchain in some stacks, and because of what.

    The latter is known where all of a package is gone, or new, in all of these. `compilers` are
    those of the builds of an MPI that came beside all else, where these are several. Of stacks in
    which nothing changed that did elsewhere it is the versions that stayed.
    """

    versions: VersionMove
    place: Place
    because: Because | None = None
    compilers: Versions = ()

    def shares_place(self, other: "ToolStep") -> bool:
        """Return whether another step has the same place, and this has nothing said behind that."""
        return self.place == other.place and not (self.because or self.compilers)


class Toolchain(Struct, frozen=True, kw_only=True):
    """What changed of what everything stands on, the highest version first, and what did not.

    The latter has the versions of each part, and where these are, if others are elsewhere. `news`
    is what a colleague would say of it: what became of a compiler, MPI or Python in all stacks
    alike, which are `everywhere`, and of CUDA or HIP in any.
    `compilers` are those with which specs are built as before, where that is so of all of them, and
    none of these changed as a package; `others_changed` says that others did, as packages alone.
    `moved` has the compiler, the os and the target to which all builds of some stacks moved,
    `moved_in_part` that to which many did. `replaced` are packages with another one in their place.
    """

    as_before: tuple[tuple[str, tuple[tuple[Versions, Place], ...]], ...]
    changes: tuple[tuple[str, tuple[ToolStep, ...]], ...]
    news: tuple[tuple[str, ToolStep], ...]
    compilers: tuple[str, ...]
    others_changed: bool
    moved: tuple[SharedChange, ...]
    moved_in_part: tuple[SharedChange, ...]
    replaced: tuple[Replaced, ...]
    everywhere: Place

    def changes_beside(
        self, replaced: Iterable[Replaced]
    ) -> list[tuple[str, tuple[ToolStep, ...]]]:
        """Return what changed beside tools of which it is said that one has the other's place."""
        told = {(name, it.place) for it in replaced for name, _ in (it.old, it.new)}
        return [
            (name, steps)
            for name, steps in self.changes
            if not told.issuperset((name, step.place) for step in steps)
        ]

    @property
    def names(self) -> set[str]:
        """What changed, or has another one in its place, or came in its place."""
        both = (side for it in self.replaced for side in (it.old, it.new))
        return {name for name, _ in (*self.changes, *both)}

    @property
    def changed_alone(self) -> "Toolchain":
        """The same without what is as before, everywhere or in some stacks."""
        changes = tuple(
            (name, tuple(it for it in steps if it.versions.gone or it.versions.came))
            for name, steps in self.changes
        )
        return replace(self, as_before=(), changes=changes)

    @property
    def new_compilers(self) -> set[str]:
        """The compilers of its news with which nothing was built before."""
        return {name for name, it in self.news if name in COMPILERS and it.versions.is_new}

    @property
    def gone_compilers(self) -> set[str]:
        """Those with which nothing is built any more."""
        return {name for name, it in self.news if name in COMPILERS and it.versions.is_gone}


_MOVES = ("compiler", "os", "target")
"""The fields of which the first sentence says to which value all builds of some stacks moved."""

_Steps = dict[VersionMove, list[StackDiff]]


def beside_toolchain(
    lines: Iterable[PackageLine], toolchain: Toolchain | None
) -> list[PackageLine]:
    """Return lines without the dependencies of which they say no more than the toolchain does."""
    lines = list(lines)
    told = toolchain.names if toolchain else set()
    for line in lines:
        if not all(move.is_of_versions and not move.needed_by for move in line.moves):
            told.difference_update(line.packages)
    left = [it.without(told) if it.is_dependency else it for it in lines]
    return [line for line in left if line.packages]


def toolchain_of(
    tag: TagDiff,
    places: Places,
    shared: Sequence[SharedChange],
    replaced: Iterable[Replaced],
    *,
    of_fields: Iterable[SharedChange],
    is_all: bool,
) -> Toolchain | None:
    """Return the toolchain of a tag, or None where no part of it is known to have changed.

    Compilers are what the specs say that they were built with, the rest are packages. Compilers
    that changed in a way that many specs have `shared` are told with those: of all such changes
    `of_fields` it is these that are not told by stack. Where not all changes are there, `is_all` is
    false: a package that seems to be as before may have changed, too.
    """
    stacks = told_stacks(tag)
    is_on_both_sides = all(it.specs.old and it.specs.new for it in tag.stacks)
    changed: dict[str, _Steps] = {}
    same: dict[str, dict[Versions, list[str]]] = {}
    for stack in stacks:
        for name, (old, new) in {**_compilers(stack, is_all=is_all), **_packages(stack)}.items():
            if old != new:
                gone, came, kept = map(versions_in_order, (old - new, new - old, old & new))
                step = VersionMove(gone, came, kept)
                changed.setdefault(name, {}).setdefault(step, []).append(stack)
            else:
                same.setdefault(name, {}).setdefault(versions_in_order(new), []).append(stack.stack)
        for name, versions in (stack.toolchain or {}).items():
            same.setdefault(name, {}).setdefault(versions, []).append(stack.stack)
    changes = []
    for name, steps in sorted(changed.items(), key=lambda item: TOOLCHAIN.index(item[0])):
        every = _steps_of(name, steps, places, is_all=is_all)
        if untold := [it for it in every if not any(_says(other, name, it) for other in shared)]:
            # Of a compiler it is not known: some specs may name none any more.
            stays = same.get(name, {}) if is_all and name not in COMPILERS else {}
            untold += [
                ToolStep(VersionMove((), (), it), places.place(some)) for it, some in stays.items()
            ]
            changes.append((name, tuple(untold)))
    unchanged = {it for it in same if it not in changed and (is_all or it in COMPILERS)}
    if not all(stack.compilers for stack in stacks if stack.changes):  # it may be of others alone
        unchanged -= {*COMPILERS}
    # Of a stack that is the same to the byte nothing is read.
    is_unread = any(not (it.changes or it.compilers or it.toolchain) for it in stacks)
    is_unknown = is_unread or not is_on_both_sides  # one that came may have other versions
    as_before = []
    for name in (it for it in TOOLCHAIN if it in unchanged):
        most_first = sorted(same[name].items(), key=lambda it: (-len(it[1]), it[0]))
        is_placed = is_unknown or len(most_first) > 1
        found = ((it, places.place(some) if is_placed else NOWHERE) for it, some in most_first)
        as_before.append((name, tuple(found)))
    if not changes and not (changed and as_before):
        return None
    packages = {change.package for stack in stacks for change in stack.package_changes}
    is_same = is_on_both_sides and {*COMPILERS}.isdisjoint(changed)
    same_compilers = [it for it in COMPILERS if is_same and it in unchanged - packages]
    everywhere = places.place(stack.stack for stack in tag.stacks)
    moved = [it for it in of_fields if it.event.what in _MOVES and it.specs == it.of]
    news = [
        (name, _without_rest(name, step))
        for name, some in changes
        for step in some
        if _is_news(name, step, everywhere) and not any(_says(it, name, step) for it in moved)
    ]
    return Toolchain(
        as_before=tuple(as_before),
        changes=tuple(changes),
        news=tuple(news),
        compilers=tuple(same_compilers),
        others_changed=not packages.isdisjoint(COMPILERS),
        moved=tuple(moved),
        moved_in_part=tuple(it for it in of_fields if it.event.what in _MOVES and it not in moved),
        replaced=tuple(replaced),
        everywhere=everywhere,
    )


def _steps_of(name: str, steps: _Steps, places: Places, *, is_all: bool) -> Iterator[ToolStep]:
    """Yield what became of the versions of a tool, those of several stacks together."""
    for step, stacks in _by_version(steps):
        yield ToolStep(
            step,
            places.place(stack.stack for stack in stacks),
            _because_of(name, stacks),
            _compilers_of(name, step, stacks) if is_all else (),
        )


def _without_rest(name: str, step: ToolStep) -> ToolStep:
    """Return a step as a sentence tells it: of CUDA not which versions are still there."""
    return step if name in COMPILERS else step._replace(versions=step.versions._replace(kept=()))


def _is_news(name: str, step: ToolStep, everywhere: Place) -> bool:
    """Return whether a colleague would tell it; an MPI that is new or gone is a product."""
    is_move = len(step.versions.gone) == len(step.versions.came) == 1
    if name in ("cuda", "hip"):  # some stacks are of other processors
        return is_move
    is_all = is_move and not step.versions.kept
    is_told = name in COMPILERS or (is_all and name in (*MPI, "python"))
    return is_told and step.place is everywhere


def _because_of(name: str, stacks: Iterable[StackDiff]) -> Because | None:
    """Return because of which package another is gone, or new, where that is one in some stacks."""
    found = {
        replace(change.because, direct=False) if change.because else None
        for stack in stacks
        for change in stack.package_changes
        if change.package == name and name in STOOD_ON
    }
    return found.pop() if len(found) == 1 else None


def _compilers_of(name: str, step: VersionMove, stacks: Iterable[StackDiff]) -> Versions:
    """Return for which compilers, the same in all stacks, an MPI came beside all there is."""
    if name not in MPI or step.gone:
        return ()
    found = set()
    for stack in stacks:
        new = (it.new for it in stack.changes if it.new and it.package == name)
        compilers = {canonical_compiler(it.compiler) for it in new if it.version in step.came}
        found.add(tuple(sorted(compilers - {NO_COMPILER})))
    [names, *others] = found
    return names if len(names) > 1 and not others else ()


def _by_version(steps: _Steps) -> list[tuple[VersionMove, list[StackDiff]]]:
    """Return the steps of a tool, those of each series apart, and their stacks, highest first."""
    if len(steps) > 1:
        steps = _by_series(steps)

    def height(item: tuple[VersionMove, list[StackDiff]]) -> tuple[Version, int]:
        return parse_version((item[0].came or item[0].gone)[-1]), len(item[1])

    return sorted(steps.items(), key=height, reverse=True)


def _by_series(steps: _Steps) -> _Steps:
    found: _Steps = {}
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
    if change.specs != change.of and len(set(map(package_of_compiler, values))) > 1:
        return False  # of some builds with another compiler nobody knows whether others have it
    return values.issuperset(f"{name}@{version}" for version in (*versions.gone, *versions.came))


def _compilers(stack: StackDiff, *, is_all: bool) -> dict[str, tuple[set[str], set[str]]]:
    """Return the versions of compilers on both sides by name, where those of all specs are known.

    What did not change may be built with any, so that what changed alone says nothing. A compiler
    is neither gone nor new where all its specs name none on the other side, or may do so, as not
    all changes are there.
    """
    counts = stack.compilers or ()
    pairs = [
        (canonical_compiler(it.old.compiler), canonical_compiler(it.new.compiler))
        for it in stack.changes
        if it.old and it.new
    ]
    left = Counter(old for old, new in pairs if new == NO_COMPILER)
    came = Counter(new for old, new in pairs if old == NO_COMPILER)
    known = [it for it in counts if it.old > left[it.compiler] or it.new > came[it.compiler]]
    if not is_all and any(it.old != it.new for it in counts if it.compiler == NO_COMPILER):
        known = [it for it in known if it.old and it.new]
    old = _by_name(count.compiler for count in known if count.old)
    new = _by_name(count.compiler for count in known if count.new)
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
