"""Why specs were rebuilt, and what lost ones have in common (specification, sections 9 and 11)."""

from typing import Literal, get_args

from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import replace

What = Literal[
    "version",
    "compiler",
    "os",
    "platform",
    "target",
    "variants",
    "external",
    "namespace",
    "replaced",
    "added",
    "removed",
    "edge",
    "compilers",
    "other",
    "recipe",
    "unlisted",
    "rehash",
]
"""What an event may be, in the order in which equally near events are named."""

WHATS: tuple[What, ...] = get_args(What)

LAST_RESORTS: tuple[What, ...] = ("recipe", "unlisted")
"""What is the cause only where nothing else is in reach, and counts for no package there."""

Value = str | tuple[str, ...] | None
"""What an event's `old` and `new` hold: a word, the variants of one side only, or nothing."""


class Event(Struct, frozen=True, gc=False):
    """One difference between two nodes themselves, such as another version.

    - `package`: the package whose node differs, or the dependency that came, left or is needed in
      another way; null for `compilers` and `rehash`, and for a field that a whole stack changed
    - `what`: the kind of event: the field of the node that differs (`variants` with flags,
      `external` with paths and modules); dependencies `added`, `removed`, `replaced` by one with
      the same virtual, or needed in another way (`edge`); `compilers` that became dependencies; the
      `recipe`; `other`, which no rule knows, with its key; `unlisted`, a dependency with another
      hash that a document does not list; or `rehash`, where only hashes differ in all that can be
      reached
    - `old`, `new`: the values before and after, null where the kind of event has none
    """

    package: str | None
    what: What
    old: Value = None
    new: Value = None


def event_of(found: Event) -> Event:
    """Return the event alone of a cause, or of what is told with more than the event."""
    return Event(found.package, found.what, found.old, found.new)


class Cause(Event, frozen=True, gc=False, kw_only=True):
    """Why a spec was rebuilt: the nearest event, and how it is reached.

    - `path`: the packages from the spec's direct dependency to the one above `package`
    - `build_only`: whether every way there has an edge that is needed for building alone
    - `others`: how many other packages have an event that the spec reaches
    """

    path: tuple[str, ...]
    build_only: bool
    others: int


class StackCause(Event, frozen=True, gc=False, kw_only=True):
    """How much of a stack an event explains.

    - `specs`: how many specs have it as their cause
    - `packages`: of how many packages these are
    - `reach`: how many rebuilt specs it could explain
    """

    specs: int
    packages: int
    reach: int


# --- What lost builds have in common ---


TraitWhat = Literal["dependency", "compiler", "target", "os", "variant", "dependency variant"]
"""What a trait may be, in the order in which equally common ones are told."""


class Trait(Struct, frozen=True, gc=False):
    """What all builds that were lost (or gained) have, and none that is there on the other side.

    - `what`: what they share: a `dependency` (linked or run, at any depth), a part of how they were
      built, or a `dependency variant`
    - `name`: the name of the dependency or of the variant, else null
    - `value`: the version of the dependency, null where it differs among them; else what all of
      them have, in the common notation, or the variant of the dependency
    """

    what: TraitWhat
    name: str | None
    value: str | None


class StackTrait(Trait, frozen=True, gc=False, kw_only=True):
    """The trait of what a stack lost (or gained), and how many have it.

    - `specs`: how many of the lost (gained) specs have it, the dependency itself among them
    - `packages`: of how many packages these are
    """

    specs: int
    packages: int


class TraitCount(Struct, frozen=True, gc=False):
    """How many of some lost (or gained) builds have a trait; each build is counted once.

    No other build of their packages has it, on either side.

    - `trait`: what they have in common
    - `specs`: how many of the lost (gained) specs that are not counted before have it
    - `also`: a compiler, target or os that all of these have, too, and no spec on the other side
      together with the trait
    - `version`: of which version of the package they are, where others may have the trait
    """

    trait: Trait
    specs: int
    also: Trait | UnsetType = UNSET
    version: str | UnsetType = UNSET

    def without_numbers(self) -> "TraitCount":
        """Return the same for any number of builds."""
        return replace(self, specs=0)
