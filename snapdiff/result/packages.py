"""What happened to a package as a whole: kinds, versions, builds (specification, section 9)."""

from enum import StrEnum
from typing import Literal, cast

from msgspec import UNSET, Struct, UnsetType

from snapdiff.result.causes import Cause, Event, Trait, TraitCount, What


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
    """How many specs each kind of change happened to.

    - `added`: how many were added: no partner on the old side
    - `removed`: how many were removed: no partner on the new side
    - `upgraded`: how many have a higher version
    - `downgraded`: how many have a lower version
    - `rebuilt`: how many differ in the hash alone
    - `reconfigured`: how many have the same version in another configuration
    """

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

    @property
    def kind_of_same_versions(self) -> Kind:
        """What happened to a package whose versions stay: the first kind that holds (section 9)."""
        if self.removed:
            return Kind.REMOVED
        if self.added:
            return Kind.ADDED
        is_moved = self.upgraded or self.downgraded or self.reconfigured
        return Kind.RECONFIGURED if is_moved else Kind.REBUILT


class Count(Struct, frozen=True):
    """A number on both sides."""

    old: int
    new: int


class AskedFor(Struct, frozen=True):
    """Whether a package is a root of an environment, or installed by hand, on each side."""

    old: bool
    new: bool


class Duplicates(Struct, frozen=True, kw_only=True):
    """How many of the lost and of the gained builds of a package are duplicates of others.

    - `lost`, `gained`: how many of its removed (added) specs are duplicates
    """

    lost: int
    gained: int


class VersionCount(Struct, frozen=True):
    """How many builds of a package have a version, on each side."""

    version: str
    old: int
    new: int


class Field(Struct, frozen=True, gc=False):
    """A field in which a paired spec differs in the common notation, both values as written.

    - `name`: the field: `version`, `compiler`, `os`, `platform`, `target` or `variants`, of a
      reason also `dependencies`
    - `old`, `new`: the value on that side, as written; of variants and dependencies those that it
      alone has
    """

    name: str
    old: str | tuple[str, ...]
    new: str | tuple[str, ...]

    def event(self, package: str | None = None) -> Event:
        """Return the same as an event of a package, or of a whole stack."""
        return Event(package, cast(What, self.name), self.old, self.new)


class Because(Struct, frozen=True, kw_only=True):
    """The one package that needed what is gone from a stack, or that needs what is new in it.

    - `package`: the package that needed it, or needs it, itself or by another dependency
    - `status`: whether that package is itself gone from the stack, or new in it
    - `direct`: whether it needed it itself, or needs it, and not by way of others alone
    - `fields`: the version and variants that tell its specs that needed what is gone, or need what
      is new, from all its specs on the other side; where none do, `dependencies`: what it needed
      itself, or needs, of all that is gone, or new, because of it
    """

    package: str
    status: Literal["changed", "added", "removed"]
    direct: bool
    fields: tuple[Field, ...]


class PartChange(Struct, frozen=True, kw_only=True):
    """What happened to some builds of a package.

    - `kind`: what happened to these builds as a whole, as the kind of a package
    - `whole`: false: the package itself neither came nor left
    - `gone`, `came`, `kept`: their versions on the old side alone, on the new side alone, on both;
      one that other builds have where these do not is `kept`, unless one went from it, or to it
    - `specs`: what happened to them, and not to the other part
    - `builds`: how many of them there are; roots are also those no longer asked for, or only now
    - `versions`: how many of these there are of each version, as of a package
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
    """What happened to the roots of a package, and what beside that.

    - `asked_for`, `others`: what happened to roots, to others; null where nothing did, and of
      others where they went along with the roots
    """

    asked_for: PartChange | None
    others: PartChange | None

    @property
    def lose_both(self) -> bool:
        """Whether a spec of either found no partner."""
        return all(it is not None and it.specs.removed for it in (self.asked_for, self.others))


class PackageChange(Struct, frozen=True, kw_only=True):
    """What happened to a package in one stack (docs/specification.md, section 9).

    - `kind`: what happened to it as a whole, from its versions before and after
    - `whole`: whether the package itself came to the stack or left it
    - `gone`, `came`, `kept`: its versions on the old side alone, on the new side alone, on both
    - `specs`: what happened to its specs
    - `builds`: how many specs it has in the stack, changed or not
    - `versions`: how many of these there are of each version, the lowest first; there where a
      version is kept, and there are two or more
    - `different`: how many builds of each version there are, equal ones counted once; there where
      that is less, and more happened than that specs were rebuilt
    - `asked_for`: on which sides it is a root or was installed by hand; null where no document says
      that
    - `lost`, `gained`: what all its removed (added) specs have and none that is there on the other
      side, or null
    - `lost_by`, `gained_by`: what most of its lost (gained) builds have and no other build of it on
      either side, then what most of the rest have; three at most, each counted once. These are its
      removed (added) specs, and those of which the partner is another build (`two_builds`)
    - `moved_by`: the same of its builds that have another version now, told from those of the same
      versions as before that kept theirs; there where anything tells them, of documents with
      dependencies where one was asked for
    - `merged`: of builds that are one now, the variant of that which lists the values that each of
      them had; there where that is so
    - `duplicates`: how many of its lost and gained builds are duplicates, where any is
    - `cause`: the cause that most of its rebuilt specs have, where dependencies are known
    - `because`: of a dependency that is gone from the stack, or new in it, the one package through
      which all led that needed it, or needs it; there where that is one alone
    - `was_compiler`: whether it was the compiler of specs, as a field of theirs, and is a
      dependency now
    - `needed_by`: of a package of which a version came that is older than one before: what is asked
      for, new in the stack, and links or runs that version; there where anything does, and not most
      roots that fell did so without it
    - `no_longer_with`: the compilers, and packages of MPI, BLAS and LAPACK, that builds of it had
      and none has now, though the stack still has it, each with how many had it, and their
      compiler, if that is one; then those of a version that is still there; there where it had
      several builds and any is
    - `gone_with`, `new_with`: which MPI its lost (gained) builds have, and how many have each:
      removed (added) ones and `two_builds`, the new ones also if they only have another version;
      there where it is on both sides and each of these has one
    - `parts`: what happened to its roots and what beside that; there where it is a root on both
      sides, and has other builds
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
    moved_by: tuple[TraitCount, ...] | UnsetType = UNSET
    merged: Trait | UnsetType = UNSET
    duplicates: Duplicates | UnsetType = UNSET
    cause: Cause | UnsetType = UNSET
    because: Because | UnsetType = UNSET
    was_compiler: bool | UnsetType = UNSET
    needed_by: tuple[str, ...] | UnsetType = UNSET
    no_longer_with: tuple[TraitCount, ...] | UnsetType = UNSET
    gone_with: tuple[TraitCount, ...] | UnsetType = UNSET
    new_with: tuple[TraitCount, ...] | UnsetType = UNSET
    parts: PackageParts | UnsetType = UNSET

    @property
    def is_dependency(self) -> bool:
        """Whether it is known that nobody asked for it, on either side."""
        return self.asked_for is not None and not (self.asked_for.old or self.asked_for.new)

    @property
    def versions_with_more(self) -> tuple[str, ...]:
        """The versions of which there are more builds than before, those that came among them."""
        more = (it.version for it in self.versions or () if it.new > it.old)
        return (*self.came, *more)

    @property
    def versions_now(self) -> tuple[str, ...]:
        """The versions that the stack has, the lowest first."""
        if self.versions:
            return tuple(it.version for it in self.versions if it.new)
        return (*self.kept, *self.came)

    @property
    def lost_a_build(self) -> bool:
        """Whether it kept a version and lost a build: a loss, whatever its kind is."""
        return bool(self.kept and self.specs.removed)

    def equal_builds(self, kind: Kind) -> int:
        """Return how many builds that are equal to others it lost (`removed`), or got (`added`)."""
        if not self.duplicates:
            return 0
        return self.duplicates.lost if kind is Kind.REMOVED else self.duplicates.gained

    def builds_alone(self, kind: Kind) -> int:
        """Return how many builds it lost (`removed`), or got (`added`), without those."""
        return self.specs.count(kind) - self.equal_builds(kind)

    @property
    def kinds(self) -> tuple[Kind, ...]:
        """The kinds that filters and gates find it by: its own, and `removed` for such a loss."""
        if self.lost_a_build and self.kind is not Kind.REMOVED:
            return self.kind, Kind.REMOVED
        return (self.kind,)
