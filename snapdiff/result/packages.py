"""What happened to a package as a whole: kinds, versions, builds (specification, section 9)."""

from enum import StrEnum
from typing import Literal

from msgspec import UNSET, Struct, UnsetType

from snapdiff.result.causes import Cause, Trait, TraitCount


class Kind(StrEnum):
    """What happened to a spec (docs/specification.md, section 6)."""

    ADDED = "added"
    REMOVED = "removed"
    UPGRADED = "upgraded"
    DOWNGRADED = "downgraded"
    REBUILT = "rebuilt"
    RECONFIGURED = "reconfigured"

    __hash__ = str.__hash__  # an enum's own is worked out in Python, every time


class ChangeCounts(Struct, frozen=True, kw_only=True):
    """How many specs each kind of change happened to."""

    added: int = 0
    removed: int = 0
    upgraded: int = 0
    downgraded: int = 0
    rebuilt: int = 0
    reconfigured: int = 0

    def count(self, kind: Kind) -> int:
        """Return the number of changes of one kind."""
        number: int = getattr(self, kind.value)
        return number


class Count(Struct, frozen=True):
    """A number on both sides."""

    old: int
    new: int


class AskedFor(Struct, frozen=True):
    """Whether a package is a root of an environment, or installed by hand, on each side."""

    old: bool
    new: bool


class Duplicates(Struct, frozen=True, kw_only=True):
    """How many of the lost and of the gained builds of a package are duplicates of others."""

    lost: int
    gained: int


class VersionCount(Struct, frozen=True):
    """How many builds of a package have a version, on each side."""

    version: str
    old: int
    new: int


class Field(Struct, frozen=True, gc=False):
    """A field in which a paired spec differs in the common notation, both values as written.

    The values of `variants` are lists of those variants only that stand on one side.
    """

    name: str
    old: str | tuple[str, ...]
    new: str | tuple[str, ...]


class Because(Struct, frozen=True, kw_only=True):
    """The one package that needed what is gone from a stack, or that needs what is new in it.

    `status` says whether it is itself gone from the stack, or new in it, `direct` that it needed it
    itself, and not by way of others alone. `fields` are its version and variants, as far as they
    tell its specs that needed what is gone, or need what is new, from all on the other side.
    """

    package: str
    status: Literal["changed", "added", "removed"]
    direct: bool
    fields: tuple[Field, ...]


class PartChange(Struct, frozen=True, kw_only=True):
    """What happened to some builds of a package; of roots, `specs` says how many fewer and more.

    `versions` counts these builds, there where a version was kept and there are several.
    """

    kind: Kind
    whole: bool
    gone: tuple[str, ...]
    came: tuple[str, ...]
    kept: tuple[str, ...]
    specs: ChangeCounts
    builds: Count
    versions: tuple[VersionCount, ...] | UnsetType = UNSET


class PackageParts(Struct, frozen=True, kw_only=True):
    """What happened to the roots of a package and what beside that, each null where nothing did."""

    asked_for: PartChange | None
    others: PartChange | None


class PackageChange(Struct, frozen=True, kw_only=True):
    """What happened to a package in one stack (docs/specification.md, section 9).

    `gone`, `came` and `kept` are its versions in Spack's order: only before, only after, on both
    sides. `whole` says that the package itself was added to or removed from the stack. `specs`
    counts its spec changes, of every kind, `builds` all its specs. `versions`, there where one was
    kept and there are several, has the builds of each, in the same order; `different` has those of
    which equal ones count once, there where that is less. `asked_for` is null where no document
    says what was. `lost` and `gained` are what all its removed and its added specs have
    in common, `lost_by` and `gained_by` what most of them have, then most of the others, and so on;
    `duplicates`, there where it has any, are not among these. `merged` is there where all builds
    are one now: the variant of that which lists the values of all. `cause` is the one that most of
    its rebuilt specs have, where dependencies are known. `because` is there where it is whole, a
    dependency, and one package alone needed it, or needs it. `was_compiler` is there where true, of
    a package that is whole and added: it was the compiler of specs before, which was a field of
    theirs, and is a dependency now. `needed_by` is there where a version came that is older than
    one before: what is new in the stack, asked for, and links or runs that version.
    `parts` is there where it is asked for on both sides, and not all that happened is about roots.
    """

    package: str
    kind: Kind
    whole: bool
    gone: tuple[str, ...]
    came: tuple[str, ...]
    kept: tuple[str, ...]
    specs: ChangeCounts
    builds: Count
    versions: tuple[VersionCount, ...] | UnsetType = UNSET
    different: tuple[VersionCount, ...] | UnsetType = UNSET
    asked_for: AskedFor | None = None
    lost: Trait | None = None
    gained: Trait | None = None
    lost_by: tuple[TraitCount, ...] = ()
    gained_by: tuple[TraitCount, ...] = ()
    merged: Trait | UnsetType = UNSET
    duplicates: Duplicates | UnsetType = UNSET
    cause: Cause | UnsetType = UNSET
    because: Because | UnsetType = UNSET
    was_compiler: bool | UnsetType = UNSET
    needed_by: tuple[str, ...] | UnsetType = UNSET
    parts: PackageParts | UnsetType = UNSET

    @property
    def is_dependency(self) -> bool:
        """Whether it is known that nobody asked for it, on either side."""
        return self.asked_for is not None and not (self.asked_for.old or self.asked_for.new)

    @property
    def lost_a_build(self) -> bool:
        """Whether it kept a version and lost a build: a loss, whatever its kind is."""
        return bool(self.kept and self.specs.removed)

    @property
    def kinds(self) -> tuple[Kind, ...]:
        """The kinds that filters and gates find it by: its own, and `removed` for such a loss."""
        if self.lost_a_build and self.kind is not Kind.REMOVED:
            return self.kind, Kind.REMOVED
        return (self.kind,)
