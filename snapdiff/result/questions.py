"""What `snapdiff why` and `snapdiff missing` answer, in the shape of their JSON."""

from msgspec import UNSET, Struct, UnsetType

from snapdiff.model import Revision, Spec
from snapdiff.result.causes import Event, Trait
from snapdiff.result.changes import Change, Filters, SchemaVersion, SkippedPage
from snapdiff.result.packages import Field, Kind

# --- Why the specs of one package changed ---


class Question(Struct, frozen=True, kw_only=True):
    """What was asked: a package, or those specs of it that have a version or a hash on a side.

    `hash` is the beginning of a hash.
    """

    package: str
    version: str | None = None
    hash: str | None = None


class EventBelow(Event, frozen=True, gc=False, kw_only=True):
    """An event in a tree; `build_only` is about a dependency added, removed or replaced."""

    build_only: bool


class ChangeBelow(Struct, frozen=True, gc=False, kw_only=True):
    """One row of a tree of changes: a pair of nodes and what differs between them.

    Rows come parent first; `depth` is 0 for the pair that was asked about. `build_only` is whether
    the edge from the row's parent is one. `old` and `new` are hashes.
    """

    depth: int
    package: str
    old: str
    new: str
    build_only: bool
    events: tuple[EventBelow, ...]


class Neighbour(Struct, frozen=True, gc=False, kw_only=True):
    """A spec at the other end of an edge, on the side that has it; `build_only` is the edge's.

    `stays` says whether the other side has the same spec, by hash, `kind` what happened to one that
    does not stay; None where the stack does not list it.
    """

    package: str
    version: str
    build_only: bool
    stays: bool
    kind: Kind | None


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


# --- What of some environments is not in a catalog ---


class WantedCounts(Struct, frozen=True, kw_only=True):
    """How many specs are wanted, and where they are: `wanted` is the sum of the others.

    A spec counts once in each environment.
    """

    wanted: int
    external: int
    there: int
    missing: int


class NearestSpec(Struct, frozen=True):
    """The spec of the catalog that comes nearest to a missing one, and in what it differs.

    In `fields`, `old` is of the missing spec.
    """

    spec: Spec
    fields: tuple[Field, ...]


class MissingSpec(Struct, frozen=True, kw_only=True):
    """A spec of an environment that is not in the catalog.

    `nearest` is null where the catalog has no spec of its package that could be paired with it.
    """

    environment: str
    package: str
    spec: Spec
    asked_for: bool
    nearest: NearestSpec | None


class SkippedDocument(Struct, frozen=True, kw_only=True):
    """A document of an environment or of the catalog that was left out, as it cannot be read.

    `source` is which of them, as it was named.
    """

    source: str
    path: str
    error: str


class MissingSpecs(Struct, frozen=True, kw_only=True):
    """The answer of `snapdiff missing` (specification, section 13).

    `missing` has what was asked for first in each environment, then the dependencies that only that
    needs, then what specs need that are there. `without_roots` are the environments of which
    nothing says what was asked for, as of pages. What a document that is `skipped` lists is neither
    wanted nor there.
    """

    schema_version: SchemaVersion = 3
    snapdiff: str
    wanted: tuple[Revision, ...]
    catalog: Revision
    specs: WantedCounts
    missing: tuple[MissingSpec, ...]
    without_roots: tuple[str, ...]
    skipped: tuple[SkippedDocument, ...]
