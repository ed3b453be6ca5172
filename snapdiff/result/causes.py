"""Why specs were rebuilt, and what lost ones have in common (specification, sections 9 and 11)."""

from typing import Literal, get_args

from msgspec import UNSET, Struct, UnsetType

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
    "rehash",
]
"""What an event may be, in the order in which equally near events are named."""

WHATS: tuple[What, ...] = get_args(What)

Value = str | tuple[str, ...] | None
"""What an event's `old` and `new` hold: a word, the variants of one side only, or nothing."""


class Event(Struct, frozen=True, gc=False):
    """One difference between two nodes themselves, such as another version.

    `package` is the node's own, or the dependency's that was added, removed, came in place of
    another, or is needed in another way (`edge`); it is null for `compilers` and `rehash`, and for
    a field that a whole stack changed.
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

    `path` leads from the spec's direct dependency to the node above `package`. `others` is how many
    other packages have an event that the spec reaches.
    """

    path: tuple[str, ...]
    build_only: bool
    others: int


class StackCause(Event, frozen=True, gc=False, kw_only=True):
    """How much of a stack an event explains.

    `specs` and `packages` count what has it as its cause, `reach` the rebuilt specs that it could
    explain.
    """

    specs: int
    packages: int
    reach: int


# --- What lost builds have in common ---


TraitWhat = Literal["dependency", "compiler", "target", "os", "variant", "dependency variant"]
"""What a trait may be, in the order in which equally common ones are told."""


class Trait(Struct, frozen=True, gc=False):
    """What all builds that were lost (or gained) have, and none that is there on the other side.

    `name` is the dependency's or the variant's, else null. `value` is the version of the
    dependency, null where it differs among them; else what all of them have, in the common
    notation. Of a `dependency variant`, `name` is the dependency's and `value` the variant.
    """

    what: TraitWhat
    name: str | None
    value: str | None


class StackTrait(Trait, frozen=True, gc=False, kw_only=True):
    """The trait of what a stack lost (or gained), and how many have it.

    `specs` and `packages` count those that have it, the dependency itself among them.
    """

    specs: int
    packages: int


class TraitCount(Struct, frozen=True, gc=False):
    """How many of some lost (or gained) builds have a trait; each build is counted once.

    No other build of their packages has it, on either side. `also` is there where it takes two to
    tell them: what all of them have, too.
    """

    trait: Trait
    specs: int
    also: Trait | UnsetType = UNSET
