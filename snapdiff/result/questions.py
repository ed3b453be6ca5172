"""What `snapdiff why` and `snapdiff missing` answer, in the shape of their JSON."""

from msgspec import UNSET, Struct, UnsetType

from snapdiff.model.specs import Revision, Spec
from snapdiff.result.causes import Event, Trait
from snapdiff.result.changes import Change, Filters, SchemaVersion, SkippedPage
from snapdiff.result.packages import AskedFor, Field, Kind

# --- Why the specs of one package changed ---


class Question(Struct, frozen=True, kw_only=True):
    """What was asked: a package, or those specs of it that have a version or a hash on a side.

    - `version`: the version that a spec has to have on a side, or null
    - `hash`: what the hash of a spec has to begin with on a side, or null
    """

    package: str
    version: str | None = None
    hash: str | None = None


class EventBelow(Event, frozen=True, gc=False, kw_only=True):
    """An event in a tree; `build_only` is about a dependency added, removed or replaced."""

    build_only: bool


class ChangeBelow(Struct, frozen=True, gc=False, kw_only=True):
    """One row of a tree of changes: a pair of nodes and what differs between them.

    - `depth`: how far below the spec that was asked about, which has 0
    - `old`, `new`: its hash on that side
    - `build_only`: whether the row above needs it for building alone
    - `events`: what differs between its two nodes themselves
    """

    depth: int
    package: str
    old: str
    new: str
    build_only: bool
    events: tuple[EventBelow, ...]


class Neighbour(Struct, frozen=True, gc=False, kw_only=True):
    """A spec at the other end of an edge, on the side that has it.

    - `stays`: whether the other side has the same spec, by hash
    - `kind`: what happened to it where it does not stay; null where its stack does not list it
    """

    package: str
    version: str
    build_only: bool
    stays: bool
    kind: Kind | None


class ExplainedSpec(Struct, frozen=True, kw_only=True):
    """One change, with everything that changed below it.

    - `change`: what happened to it
    - `below`: the tree of what changed, row by row, parents first; its first row is the spec
      itself. Nothing where a side has no such spec, or no dependencies are known
    - `depends_on`, `needed_by`: what an added or removed spec depends on, what depends on it
    - `trait`: what all added or removed builds of the package have in common in the stack, and no
      build on the other side; null where there is none
    - `replaced`: that another package has the place of a removed one, or that an added one has the
      place of another; null where no rebuilt spec of the stack has that as its cause
    """

    change: Change
    below: tuple[ChangeBelow, ...]
    depends_on: tuple[Neighbour, ...] = ()
    needed_by: tuple[Neighbour, ...] = ()
    trait: Trait | None = None
    replaced: Event | None = None


class ExplainedStack(Struct, frozen=True, kw_only=True):
    """The changed specs of the package in one stack, and whether somebody asks for it.

    - `stack`: its name
    - `whole`: whether one side alone has the stack, so that all of it is gone or new
    - `specs`: each spec of the package that changed
    - `asked_for`: on which side it is a root or installed by hand: there where both sides have it,
      it is so on one alone, and no version or hash was asked for
    - `needed_by`: the packages on the new side that depend on it directly: there where it is not
      asked for any more
    """

    stack: str
    whole: bool
    specs: tuple[ExplainedSpec, ...]
    asked_for: AskedFor | UnsetType = UNSET
    needed_by: tuple[str, ...] | UnsetType = UNSET


class ExplainedTag(Struct, frozen=True, kw_only=True):
    """The stacks of one tag, or of two that are compared, in which the package changed.

    - `old`, `new`: its name on that side, null where it is not there
    - `whole`: whether one side alone has the tag, and the package in it; its specs are not listed
    - `stacks`: each stack in which the package changed
    """

    old: str | None
    new: str | None
    whole: bool
    stacks: tuple[ExplainedStack, ...]


class ExplainedPackage(Struct, frozen=True, kw_only=True):
    """Why the specs of one package changed between two revisions.

    - `old`, `new`: the two sides
    - `filters`: what the answer was narrowed to
    - `asked`: what was asked for
    - `tags`: each tag in which the package changed
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
    """How many specs are wanted, and where they are.

    A spec counts once in each environment.

    - `wanted`: all specs of the environments, the sum of the others
    - `external`: those that Spack does not build, which were not looked for
    - `there`: those that the catalog has
    - `missing`: those that it does not have
    """

    wanted: int
    external: int
    there: int
    missing: int


class NearestSpec(Struct, frozen=True):
    """The spec of the catalog that comes nearest to a missing one, and in what it differs.

    - `spec`: the spec as the catalog has it
    - `fields`: in what the two differ: `old` is the missing one's, `new` this one's
    """

    spec: Spec
    fields: tuple[Field, ...]


class MissingSpec(Struct, frozen=True, kw_only=True):
    """A spec of an environment that is not in the catalog.

    - `environment`: the environment that needs it
    - `spec`: the spec as the environment has it
    - `asked_for`: whether it is a root of the environment
    - `needed_there`: whether a spec of the environment that the catalog has depends on it
    - `package_there`: whether the catalog has its package, if only for other machines
    - `nearest`: the spec of its package in the catalog that is most like it, null where none could
      be paired with it
    """

    environment: str
    package: str
    spec: Spec
    asked_for: bool
    needed_there: bool
    package_there: bool
    nearest: NearestSpec | None


class SkippedDocument(Struct, frozen=True, kw_only=True):
    """A document of an environment or of the catalog that was left out, as it cannot be read.

    - `source`: the environment or the catalog that it is in, as that was named
    """

    source: str
    path: str
    error: str


class MissingSpecs(Struct, frozen=True, kw_only=True):
    """The answer of `snapdiff missing` (specification, section 13).

    - `wanted`: the environments, as they were named
    - `environments`: what each of them is called in `missing`, those that lack nothing too
    - `catalog`: where their specs were looked for
    - `specs`: how many specs are wanted, and where they are
    - `missing`: each spec that the catalog does not have: what was asked for, then the dependencies
      that only that needs, then what specs need that are there
    - `without_roots`: the environments of which nothing says what was asked for, as of pages
    - `skipped`: documents that were left out because they cannot be read: what they list is neither
      wanted nor there
    """

    schema_version: SchemaVersion = 3
    snapdiff: str
    wanted: tuple[Revision, ...]
    environments: tuple[str, ...]
    catalog: Revision
    specs: WantedCounts
    missing: tuple[MissingSpec, ...]
    without_roots: tuple[str, ...]
    skipped: tuple[SkippedDocument, ...]
