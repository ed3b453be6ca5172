"""Builds that were lost or gained where versions stayed, and what they have in common, in words."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from snapdiff.reports.names import Mark, Place, Places
from snapdiff.result import Kind, PackageChange, StackDiff, Trait, TraitCount


class BuildChanges(NamedTuple):
    """How many builds a package lost and gained in a stack, of how many, and which these are."""

    removed: int
    added: int
    old: int
    new: int
    lost: tuple[TraitCount, ...]
    gained: tuple[TraitCount, ...]
    is_kind: bool

    def in_words(self, mark: Mark) -> str:
        """Return what is said of them: `2 of 18 builds lost (with mvapich 3.0b)`, `1 build new`."""
        lost = _share(self.removed, self.old, "lost", self.lost, mark)
        gained = _share(self.added, self.new, "new", self.gained, mark)
        return ", ".join(filter(None, (lost, gained)))


def builds_in_words(builds: BuildChanges | None, mark: Mark) -> str:
    """Return what is said of builds behind versions: after a colon where they are all there is."""
    return f"{':' if builds.is_kind else ','} {builds.in_words(mark)}" if builds else ""


def build_changes(change: PackageChange) -> BuildChanges | None:
    """Return what is to be said of a package's builds; None where its versions say everything."""
    specs = change.specs
    by_builds = change.kind in (Kind.REMOVED, Kind.ADDED)
    versions_say_it = change.whole or (by_builds and bool(change.gone or change.came))
    if versions_say_it or not (specs.removed or (by_builds and specs.added)):
        return None
    return BuildChanges(
        specs.removed,
        specs.added,
        change.builds.old,
        change.builds.new,
        change.lost_by,
        change.gained_by,
        is_kind=by_builds,
    )


def _share(number: int, of: int, what: str, parts: Sequence[TraitCount], mark: Mark) -> str:
    if not number:
        return ""
    words = f"{number:,} of {of:,} build{'s' if of != 1 else ''} {what}"
    if not parts:
        return words
    if parts[0].specs == number:
        return f"{words} ({_traits_in_words(parts[0], mark)})"
    which = (f"{part.specs:,} {_traits_in_words(part, mark)}" for part in parts)
    return f"{words} ({', '.join(which)})"


def _traits_in_words(part: TraitCount, mark: Mark) -> str:
    words = trait_in_words(part.trait, mark)
    also = trait_in_words(part.also, mark).removeprefix("built with ") if part.also else ""
    return f"{words} and {also}" if also else words


def trait_in_words(trait: Trait, mark: Mark) -> str:
    """Return what builds have in common: `built with mvapich 3.0b`, `for zen4`, `with +cuda`."""
    value = mark(trait.value) if trait.value is not None else ""
    if trait.what == "dependency":
        return f"built with {_dependency(trait, mark)}"
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
    """How many builds stacks lost, of how many packages, and which traits many of them have.

    `replaced_by` has the dependency that came in place of one that they have in common. `names` are
    those of the packages: where such a dependency lost builds too, these are among what is counted.
    """

    place: Place
    builds: int
    packages: int
    parts: tuple[TraitCount, ...]
    replaced_by: Mapping[str, str]
    names: frozenset[str]

    def in_words(self, mark: Mark) -> str:
        """Return what is said: `24 builds of 16 packages lost: 15 built with zlib 1.2, 9 for sles`.

        A dependency that another one replaced is followed by that; one that lost builds of its own
        is `15 of mvapich 3.0b or built with it`.
        """
        parts = []
        for part in self.parts:
            number = "all" if part.specs == self.builds else f"{part.specs:,}"
            new = self.replaced_by.get(part.trait.name or "")
            replaced = f", which {mark(new)} replaced" if new else ""
            parts.append(f"{number} {self._traits_in_words(part, mark)}{replaced}")
        return f"{self.builds:,} builds of {self.packages:,} packages lost: {', '.join(parts)}"

    def _traits_in_words(self, part: TraitCount, mark: Mark) -> str:
        if part.trait.what != "dependency" or part.trait.name not in self.names:
            return _traits_in_words(part, mark)
        also = f" (all {trait_in_words(part.also, mark)})" if part.also else ""
        return f"of {_dependency(part.trait, mark)} or built with it{also}"


def losses_of(stacks: Sequence[StackDiff], places: Places) -> tuple[StackLoss, ...]:
    """Return what stacks lost, those together that lost builds with the same first trait.

    Nothing is said of a stack where the lines of its packages say it as well: where only whole
    packages are gone, or one, or half of the builds or more have no trait that is told.
    """
    replaced_by = {
        str(cause.old): str(cause.new)
        for stack in stacks
        for cause in stack.causes
        if cause.what == "replaced"
    }
    alike: dict[Trait, list[StackDiff]] = {}
    for stack in stacks:
        lost = _losing(stack)
        if stack.status == "changed" and len(lost) > 1 and not all(it.whole for it in lost):
            loss = _loss([stack], replaced_by, places)
            if 2 * sum(part.specs for part in loss.parts) > loss.builds:
                alike.setdefault(loss.parts[0].trait, []).append(stack)
    return tuple(_loss(some, replaced_by, places) for some in alike.values())


def _losing(stack: StackDiff) -> list[PackageChange]:
    return [change for change in stack.package_changes if change.specs.removed]


def _loss(stacks: Sequence[StackDiff], replaced_by: Mapping[str, str], places: Places) -> StackLoss:
    """Return what stacks lost together; a trait is told that a tenth of the builds has."""
    lost = [change for stack in stacks for change in _losing(stack)]
    names = frozenset(change.package for change in lost)
    builds = sum(change.specs.removed for change in lost)
    numbers: Counter[TraitCount] = Counter()
    for stack in stacks:
        for part in stack.lost_by:
            numbers[replace(part, specs=0)] += part.specs
    parts = (replace(part, specs=specs) for part, specs in numbers.items() if 10 * specs >= builds)
    return StackLoss(
        place=places.place(stack.stack for stack in stacks),
        builds=builds,
        packages=len(names),
        parts=tuple(parts),
        replaced_by=replaced_by,
        names=names,
    )
