"""What of some environments is not in a catalog: the JSON of `snapdiff missing`."""

from msgspec import Struct

from snapdiff.model import Revision, Spec
from snapdiff.result.changes import Field, SchemaVersion


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
    needs, then what specs need that are there. What a document that is `skipped` lists is neither
    wanted nor there.
    """

    schema_version: SchemaVersion = 3
    snapdiff: str
    wanted: tuple[Revision, ...]
    catalog: Revision
    specs: WantedCounts
    missing: tuple[MissingSpec, ...]
    skipped: tuple[SkippedDocument, ...]
