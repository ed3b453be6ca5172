"""Builds that were lost or gained where versions stayed, and what they have in common, in words."""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple, Protocol

from msgspec.structs import replace

from snapdiff.reports.names import Mark
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
        """Return what is said behind the versions.

        `: 2 of 18 builds gone, those with mvapich 3.0b` where that is all that happened,
        `: 2 of 18 builds gone: 1 with mvapich 3.0b, 1 with +cuda` where they share nothing, and
        `, 5 → 3 builds` where it happened beside something else.
        """
        lost = _share(self.removed, self.old, "gone", self.lost, mark)
        gained = _share(self.added, self.new, "new", self.gained, mark)
        if self.is_kind:
            return ": " + "; ".join(filter(None, (lost, gained)))
        if self.old == self.new:
            return ", " + "; ".join(filter(None, (lost, gained)))
        which = f" (gone: {_which(self.removed, self.lost, mark)})" if self.lost else ""
        return f", {self.old:,} → {self.new:,} build{'s' if self.new != 1 else ''}{which}"


class HasBuilds(Protocol):
    """What has something to say of builds: a line of a report, or a row."""

    @property
    def builds(self) -> BuildChanges | None:
        """How many builds were lost and gained."""
        ...


def builds_in_words(line: HasBuilds, mark: Mark) -> str:
    """Return what is said of the builds of a line, behind its versions, or an empty string."""
    return line.builds.in_words(mark) if line.builds else ""


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
    return f"{words}{',' if _has_one_trait(number, parts) else ':'} {_which(number, parts, mark)}"


def _has_one_trait(number: int, parts: Sequence[TraitCount]) -> bool:
    return parts[0].specs == number


def _which(number: int, parts: Sequence[TraitCount], mark: Mark) -> str:
    if _has_one_trait(number, parts):
        return f"those {_part_in_words(parts[0], mark)}"
    return _parts_in_words(parts, mark)


def _parts_in_words(parts: Iterable[TraitCount], mark: Mark) -> str:
    return ", ".join(f"{part.specs:,} {_part_in_words(part, mark)}" for part in parts)


def _part_in_words(part: TraitCount, mark: Mark) -> str:
    words = trait_in_words(part.trait, mark)
    return f"{words} and {trait_in_words(part.also, mark)}" if part.also else words


def trait_in_words(trait: Trait, mark: Mark) -> str:
    """Return what builds have in common: `with mvapich 3.0b`, `for zen4`, `with +cuda`."""
    value = mark(trait.value) if trait.value is not None else ""
    if trait.what == "dependency":
        return f"with {mark(trait.name or '')}{' ' + value if value else ''}"
    if trait.what == "compiler" and trait.value == "none":
        return "without a compiler"
    return f"{'for' if trait.what in ('target', 'os') else 'with'} {value}"


class StackLoss(NamedTuple):
    """How many builds a stack lost, of how many packages, and which traits many of them have."""

    builds: int
    packages: int
    parts: tuple[TraitCount, ...]


def stack_loss(stack: StackDiff) -> StackLoss | None:
    """Return what a stack lost, None where the lines of its packages say it as well.

    They do where only whole packages are gone, or one, or half of the builds or more have no trait
    that is told.
    """
    losses = [change for change in stack.package_changes if change.specs.removed]
    if len(losses) < 2 or all(change.whole for change in losses):
        return None
    loss = loss_of([stack])
    return loss if 2 * sum(part.specs for part in loss.parts) > loss.builds else None


def loss_of(stacks: Iterable[StackDiff]) -> StackLoss:
    """Return what some stacks lost together; a trait is told that a tenth of the builds has."""
    builds = 0
    packages: set[str] = set()
    numbers: Counter[TraitCount] = Counter()
    for stack in stacks:
        losses = [change for change in stack.package_changes if change.specs.removed]
        builds += sum(change.specs.removed for change in losses)
        packages.update(change.package for change in losses)
        for part in stack.lost_by:
            numbers[replace(part, specs=0)] += part.specs
    parts = (replace(part, specs=specs) for part, specs in numbers.items() if 10 * specs >= builds)
    return StackLoss(builds, len(packages), tuple(parts))


def lost_in_words(loss: StackLoss, mark: Mark) -> str:
    """Return what a stack lost: `24 builds of 14 packages gone: all with mvapich 3.0b`."""
    if _has_one_trait(loss.builds, loss.parts):
        which = f"all {_part_in_words(loss.parts[0], mark)}"
    else:
        which = _parts_in_words(loss.parts, mark)
    return f"{loss.builds:,} builds of {loss.packages:,} packages gone: {which}"
