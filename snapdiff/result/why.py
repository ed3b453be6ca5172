"""Why the specs of one package changed, in the shape of the JSON of `snapdiff why`."""

from msgspec import UNSET, Struct, UnsetType

from snapdiff.model import Revision
from snapdiff.result import Change, Filters, SkippedPage, Trait
from snapdiff.result.causes import ChangeBelow


class Question(Struct, frozen=True, kw_only=True):
    """What was asked: a package, or those specs of it that have a version or a hash on a side.

    `hash` is the beginning of a hash.
    """

    package: str
    version: str | None = None
    hash: str | None = None


class Neighbour(Struct, frozen=True, gc=False, kw_only=True):
    """A spec at the other end of an edge, on the side that has it; `build_only` is the edge's.

    `stays` says whether the other side has the same spec, by hash.
    """

    package: str
    version: str
    build_only: bool
    stays: bool


class ExplainedSpec(Struct, frozen=True, kw_only=True):
    """One change, with everything that changed below it.

    `below` is empty where a side has no such spec, or no dependencies are known. Of a spec that was
    removed or added there is what it depended on, what needed it, and what all such builds of the
    package have in common in the stack; of others nothing of these.
    """

    change: Change
    below: tuple[ChangeBelow, ...]
    depends_on: tuple[Neighbour, ...] = ()
    needed_by: tuple[Neighbour, ...] = ()
    trait: Trait | None = None


class ExplainedStack(Struct, frozen=True, kw_only=True):
    """The changed specs of the package in one stack."""

    stack: str
    specs: tuple[ExplainedSpec, ...]


class ExplainedTag(Struct, frozen=True, kw_only=True):
    """The stacks of one tag, or of two that are compared, in which the package changed."""

    old: str | None
    new: str | None
    stacks: tuple[ExplainedStack, ...]


class ExplainedPackage(Struct, frozen=True, kw_only=True):
    """Why the specs of one package changed between two revisions.

    `configuration` is there where a configuration file decided anything: its name.
    """

    schema_version: int = 1
    snapdiff: str
    old: Revision
    new: Revision
    filters: Filters
    asked: Question
    tags: tuple[ExplainedTag, ...]
    skipped: tuple[SkippedPage, ...]
    configuration: str | UnsetType = UNSET
