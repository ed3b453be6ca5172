"""Builds that were lost or gained where versions stayed, and what they have in common, in words."""

from collections import Counter
from collections.abc import Sequence
from typing import Literal, NamedTuple

from msgspec import UNSET, Struct
from msgspec.structs import replace

from snapdiff.reports.names import Mark, Place, Places, counted, versions_in_words
from snapdiff.reports.products import specs_by_part
from snapdiff.result import Change, Duplicates, Kind, PackageChange, StackDiff, Trait, TraitCount
from snapdiff.spack.version import parse_version


class BuildShare(NamedTuple):
    """How many builds a package lost or gained, `of` how many (0 of several packages), and which.

    `versions` are those of these builds, in order; `has_others` says that the package has builds of
    other versions, too, which are counted. `duplicates` are not among the number: nobody misses a
    build of which there is an equal one.
    """

    number: int
    of: int
    what: Literal["lost", "new"]
    parts: tuple[TraitCount, ...]
    versions: tuple[str, ...]
    has_others: bool
    duplicates: int

    def in_words(self, mark: Mark) -> str:
        """Return what is said of them: `2 of 18 builds lost (built with mvapich 3.0b)`."""
        of = f"{self.number:,} of {counted(self.of, 'build')}"
        words = f"{of} {self.what}"
        if not self.of:
            words = f"{counted(self.number, 'build')} {self.what} each"
        notes = [versions_in_words(self.versions, mark)] if self.has_others and self.of else []
        if self.parts and self.parts[0].specs == self.number:
            notes.append(_traits_in_words(self.parts[0], mark))
        else:
            notes += [
                f"{it.specs:,} {_traits_in_words(it, mark).removeprefix('built ')}"
                for it in self.parts
            ]
        return f"{words} ({', '.join(notes)})" if notes else words

    def alike(self) -> "BuildShare":
        """Return what is said of several packages at once, without what is of one alone."""
        return self._replace(of=0, versions=(), has_others=False)

    def duplicates_in_words(self) -> str:
        """Return what is said of builds that are equal to others: `2 equal builds are one now`."""
        number = self.duplicates
        if self.what == "lost":
            return "2 equal builds are one now" if number == 1 else f"{number:,} equal builds fewer"
        return "a build is there twice now" if number == 1 else f"{number:,} equal builds more"


class BuildChanges(NamedTuple):
    """What builds a package lost and gained in a stack; `is_kind` where that is all there is."""

    lost: BuildShare
    gained: BuildShare
    is_kind: bool

    @property
    def versions(self) -> tuple[str, ...]:
        """The versions of these builds, in order."""
        return tuple(sorted({*self.lost.versions, *self.gained.versions}, key=parse_version))

    @property
    def main(self) -> BuildShare:
        """What is told first."""
        return self.lost if self.lost.number else self.gained

    @property
    def alike(self) -> "BuildChanges | None":
        """What is the same of all packages on one line; None where nothing tells the builds."""
        are_duplicates = not (self.lost.number or self.gained.number)
        if not self.is_kind or not (self.lost.parts or self.gained.parts or are_duplicates):
            return None
        return BuildChanges(self.lost.alike(), self.gained.alike(), is_kind=True)

    def in_words(self, mark: Mark) -> str:
        """Return what is said of them: `2 of 18 builds lost, 1 of 17 builds new`."""
        sides = (self.lost, self.gained)
        words = [it.in_words(mark) for it in sides if it.number]
        return ", ".join(words or [it.duplicates_in_words() for it in sides if it.duplicates])


def duplicates_of(change: PackageChange) -> Duplicates:
    """Return how many builds a package lost and gained of which there is an equal one."""
    return Duplicates(lost=0, gained=0) if change.duplicates is UNSET else change.duplicates


def builds_in_words(builds: BuildChanges | None, mark: Mark) -> str:
    """Return what is said of builds behind versions: after a colon where they are all there is."""
    if builds is None or not (builds.is_kind or builds.lost.number):
        return ""
    return f"{':' if builds.is_kind else ','} {builds.in_words(mark)}"


class BuildMoves(NamedTuple):
    """Builds of a package that have another version now, though no version of it is gone.

    `steps` are an old and a new version, and how many of its builds, `of` how many before, made
    that step. `is_all` says that nothing else is new.
    """

    steps: tuple[tuple[str, str, int], ...]
    of: int
    is_all: bool

    @property
    def is_down(self) -> bool:
        """Whether any build has a lower version now."""
        return any(parse_version(new) < parse_version(old) for old, new, _ in self.steps)

    def in_words(self, mark: Mark) -> str:
        """Return what is said of them: `3 of 5 builds 1.0.0 → 0.5.5`."""
        builds = counted(self.of, "build")
        return ", ".join(
            f"{number:,} of {builds} {mark(old)} → {mark(new)}" for old, new, number in self.steps
        )


class StackBuilds:
    """Says of the packages of a stack which builds they lost and gained, and which moved."""

    def __init__(self, stack: StackDiff) -> None:
        """Take a stack with all its changes."""
        self._specs = specs_by_part(stack)

    def changes(self, change: PackageChange) -> BuildChanges | None:
        """Return what is to be said of a package's builds; None where its versions say it all."""
        specs = change.specs
        by_builds = change.kind in (Kind.REMOVED, Kind.ADDED)
        versions_say_it = change.whole or (by_builds and bool(change.gone or change.came))
        if versions_say_it or not (specs.removed or (by_builds and specs.added)):
            return None
        duplicates = duplicates_of(change)
        lost = BuildShare(
            specs.removed - duplicates.lost,
            change.builds.old,
            "lost",
            change.lost_by,
            self._versions_of(Kind.REMOVED, change),
            len(change.gone) + len(change.kept) > 1,
            duplicates.lost,
        )
        gained = BuildShare(
            specs.added - duplicates.gained,
            change.builds.new,
            "new",
            change.gained_by,
            self._versions_of(Kind.ADDED, change),
            len(change.came) + len(change.kept) > 1,
            duplicates.gained,
        )
        return BuildChanges(lost, gained, is_kind=by_builds)

    def specs(self, change: PackageChange) -> Sequence[Change]:
        """Return what happened to the specs of a package."""
        return self._specs[change.package, change.is_dependency]

    def moves(self, change: PackageChange) -> BuildMoves | None:
        """Return which builds of a package have another version, where its versions do not say."""
        if change.gone or change.kind is Kind.REBUILT:
            return None
        steps = Counter(
            (it.old.version, it.new.version)
            for it in self.specs(change)
            if it.old and it.new and it.kind in (Kind.UPGRADED, Kind.DOWNGRADED)
        )
        if not steps:
            return None
        came = {new for _, new in steps}
        return BuildMoves(
            tuple((old, new, number) for (old, new), number in sorted(steps.items())),
            change.builds.old,
            is_all=not change.specs.added and came.issuperset(change.came),
        )

    def _versions_of(self, kind: Kind, change: PackageChange) -> tuple[str, ...]:
        specs = [it for it in self.specs(change) if it.kind is kind and it.duplicate is UNSET]
        found = {spec.version for it in specs if (spec := it.old or it.new)}
        return tuple(sorted(found, key=parse_version))


def _traits_in_words(part: TraitCount, mark: Mark) -> str:
    words = trait_in_words(part.trait, mark)
    also = trait_in_words(part.also, mark).removeprefix("built with ") if part.also else ""
    return f"{words} and {also}" if also else words


def trait_in_words(trait: Trait, mark: Mark) -> str:
    """Return what builds have in common: `built with mvapich 3.0b`, `for zen4`, `with +cuda`."""
    value = mark(trait.value) if trait.value is not None else ""
    if trait.what == "dependency":
        return f"built with {_dependency(trait, mark)}"
    if trait.what == "dependency variant":
        return f"with {mark(f'^{trait.name} {trait.value}')}"
    if trait.what == "compiler":
        return _compiler_in_words(trait.value or "", mark)
    return f"{'for' if trait.what in ('target', 'os') else 'with'} {value}"


def _dependency(trait: Trait, mark: Mark) -> str:
    value = mark(trait.value) if trait.value is not None else ""
    return f"{mark(trait.name or '')}{' ' + value if value else ''}"


def _compiler_in_words(compiler: str, mark: Mark) -> str:
    if compiler == "none":
        return "without a compiler"
    name, _, version = compiler.partition("@")
    words = " ".join(filter(None, (name, version.lstrip("="))))
    return f"built with {mark(words)}"


class StackLoss(Struct, frozen=True, kw_only=True):
    """How many builds stacks lost, `of` how many, and which traits many of them have.

    `packages` are those that lost them: where a dependency that they have in common lost builds
    too, these are among what is counted.
    """

    place: Place
    builds: int
    of: int
    packages: frozenset[str]
    parts: tuple[TraitCount, ...]

    def in_words(self, mark: Mark) -> str:
        """Return what is said: `24 of 80 builds lost, of 16 packages: 15 built with mvapich 3.0b`.

        A dependency that lost builds of its own is `15 of mvapich 3.0b or built with it`.
        """
        parts = [
            f"{'all' if part.specs == self.builds else f'{part.specs:,}'} "
            f"{self._traits_in_words(part, mark)}"
            for part in self.parts
        ]
        others = self.builds - sum(part.specs for part in self.parts)
        rest = f"; the other {others:,} have nothing in common" if others > 1 else "; one other"
        packages = counted(len(self.packages), "package")
        lost = f"{self.builds:,} of {self.of:,} builds lost, of {packages}"
        return f"{lost}: {', '.join(parts)}{rest if others else ''}"

    def _traits_in_words(self, part: TraitCount, mark: Mark) -> str:
        if part.trait.what != "dependency" or part.trait.name not in self.packages:
            return _traits_in_words(part, mark)
        also = trait_in_words(part.also, mark).removeprefix("built ") if part.also else ""
        return (
            f"of {_dependency(part.trait, mark)} or built with it{', all ' if also else ''}{also}"
        )


def losses_of(stacks: Sequence[StackDiff], places: Places) -> tuple[StackLoss, ...]:
    """Return what stacks lost, those together that lost builds with the same first trait.

    Nothing is said of a stack where the lines of its packages say it as well: where only whole
    packages are gone, or one, or half of the builds or more have no trait that is told.
    """
    alike: dict[Trait, list[StackDiff]] = {}
    for stack in stacks:
        lost = _losing(stack)
        if stack.status == "changed" and len(lost) > 1 and not all(it.whole for it in lost):
            loss = _loss([stack], places)
            if 2 * sum(part.specs for part in loss.parts) > loss.builds:
                alike.setdefault(loss.parts[0].trait, []).append(stack)
    return tuple(_loss(some, places) for some in alike.values())


def _losing(stack: StackDiff) -> list[PackageChange]:
    return [change for change in stack.package_changes if _lost(change)]


def _lost(change: PackageChange) -> int:
    return change.specs.removed - duplicates_of(change).lost


def _loss(stacks: Sequence[StackDiff], places: Places) -> StackLoss:
    """Return what stacks lost together; a trait is told that a tenth of the builds has.

    Builds are counted one by one: with `-k removed` an upgraded package that lost one is left out.
    """
    changes = (change for stack in stacks for change in stack.changes)
    lost = [it.package for it in changes if it.kind is Kind.REMOVED and it.duplicate is UNSET]
    numbers: Counter[TraitCount] = Counter()
    for stack in stacks:
        for part in stack.lost_by:
            numbers[replace(part, specs=0)] += part.specs
    told = ((part, specs) for part, specs in numbers.items() if 10 * specs >= len(lost))
    return StackLoss(
        place=places.place(stack.stack for stack in stacks),
        builds=len(lost),
        of=sum(stack.specs.old for stack in stacks),
        packages=frozenset(lost),
        parts=tuple(replace(part, specs=specs) for part, specs in told),
    )
