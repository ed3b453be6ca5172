"""Why the specs of one package changed, in the shape of the JSON of `snapdiff why`."""

from msgspec import UNSET, Struct, UnsetType

from snapdiff.model import Revision
from snapdiff.result import Change, Filters, SkippedPage
from snapdiff.result.causes import ChangeBelow


class Question(Struct, frozen=True, kw_only=True):
    """What was asked: a package, or those specs of it that have a version or a hash on a side.

    `hash` is the beginning of a hash.
    """

    package: str
    version: str | None = None
    hash: str | None = None


class ExplainedSpec(Struct, frozen=True, kw_only=True):
    """One change, with everything that changed below it.

    `below` is empty where a side has no such spec, or no dependencies are known.
    """

    change: Change
    below: tuple[ChangeBelow, ...]


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
