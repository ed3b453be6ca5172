"""Builds that were lost or gained where versions stayed, and what they have in common, in words."""

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from msgspec.structs import replace

from snapdiff.reports.names import Mark
from snapdiff.result import Kind, PackageChange, StackDiff, StackTrait, Trait


class BuildChanges(NamedTuple):
    """How many builds a package lost and gained in a stack, of how many, and which these are."""

    removed: int
    added: int
    old: int
    new: int
    lost: Trait | None
    gained: Trait | None
    is_kind: bool

    def in_words(self, mark: Mark) -> str:
        """Return what is said behind the versions.

        `: 2 of 18 builds gone, those with mvapich 3.0b` where that is all that happened, and
        `, 5 → 3 builds` where it happened beside something else.
        """
        lost = _share(self.removed, self.old, "gone", self.lost, mark)
        gained = _share(self.added, self.new, "new", self.gained, mark)
        if self.is_kind:
            return ": " + "; ".join(filter(None, (lost, gained)))
        if self.old == self.new:
            return ", " + "; ".join(filter(None, (lost, gained)))
        which = f" (gone: {_those(self.lost, mark)})" if self.lost else ""
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
        change.lost,
        change.gained,
        is_kind=by_builds,
    )


def _share(number: int, of: int, what: str, trait: Trait | None, mark: Mark) -> str:
    if not number:
        return ""
    words = f"{number:,} of {of:,} build{'s' if of != 1 else ''} {what}"
    return f"{words}, {_those(trait, mark)}" if trait else words


def _those(trait: Trait, mark: Mark) -> str:
    return f"those {trait_in_words(trait, mark)}"


def trait_in_words(trait: Trait, mark: Mark) -> str:
    """Return what builds have in common: `with mvapich 3.0b`, `for zen4`, `with +cuda`."""
    value = mark(trait.value) if trait.value is not None else ""
    if trait.what == "dependency":
        return f"with {mark(trait.name or '')}{' ' + value if value else ''}"
    if trait.what == "compiler" and trait.value == "none":
        return "without a compiler"
    return f"{'for' if trait.what in ('target', 'os') else 'with'} {value}"


class StackLoss(NamedTuple):
    """How many builds a stack lost, of how many packages, and what most of them have in common."""

    builds: int
    packages: int
    trait: StackTrait


def stack_loss(stack: StackDiff) -> StackLoss | None:
    """Return what a stack lost, None where the lines of its packages say it as well.

    They do where only whole packages are gone, or one, or the builds have nothing in common.
    """
    losses = [change for change in stack.package_changes if change.specs.removed]
    if stack.lost is None or len(losses) < 2 or all(change.whole for change in losses):
        return None
    return StackLoss(sum(change.specs.removed for change in losses), len(losses), stack.lost)


def loss_of(stacks: Sequence[StackDiff]) -> StackLoss:
    """Return what some stacks lost together, of each of which `stack_loss` says the same trait.

    The trait counts specs of all of them, and packages of the first.
    """
    losses = [loss for stack in stacks if (loss := stack_loss(stack))]
    packages = {
        change.package
        for stack in stacks
        for change in stack.package_changes
        if change.specs.removed
    }
    trait = replace(losses[0].trait, specs=sum(loss.trait.specs for loss in losses))
    return StackLoss(sum(loss.builds for loss in losses), len(packages), trait)


def lost_in_words(loss: StackLoss, mark: Mark) -> str:
    """Return what a stack lost: `24 builds of 14 packages gone: all with mvapich 3.0b`."""
    number = "all" if loss.trait.specs == loss.builds else f"{loss.trait.specs:,}"
    which = f"{number} {trait_in_words(loss.trait, mark)}"
    return f"{loss.builds:,} builds of {loss.packages:,} packages gone: {which}"
