"""What happened: kinds, changes, stack, tag and catalog diffs, in the shape of the JSON report.

Every class is one object of the specification's section 7, field by field, so what Python code, a
template and a reader of the JSON see is the same thing under the same names.
"""

from enum import StrEnum
from typing import Literal

from msgspec import Struct

from snapdiff.model import Revision, Spec


class Kind(StrEnum):
    """What happened to a spec (specification, section 6)."""

    ADDED = "added"
    REMOVED = "removed"
    UPGRADED = "upgraded"
    DOWNGRADED = "downgraded"
    REBUILT = "rebuilt"
    RECONFIGURED = "reconfigured"

    __hash__ = str.__hash__  # an enum's own is worked out in Python, every time


class Summary(Struct, frozen=True, kw_only=True):
    """How many specs each kind of change befell, and how many none did."""

    added: int = 0
    removed: int = 0
    upgraded: int = 0
    downgraded: int = 0
    rebuilt: int = 0
    reconfigured: int = 0
    unchanged: int = 0

    def count(self, kind: Kind) -> int:
        """Return the number of changes of one kind."""
        number: int = getattr(self, kind.value)
        return number


class Field(Struct, frozen=True, gc=False):
    """A field in which a paired spec differs, both values in the common notation.

    The values of `variants` are lists of those variants only that stand on one side.
    """

    name: str
    old: str | tuple[str, ...]
    new: str | tuple[str, ...]


class Change(Struct, frozen=True, gc=False):
    """One change: `old` is null for an added spec, `new` for a removed one."""

    kind: Kind
    package: str
    old: Spec | None
    new: Spec | None
    fields: tuple[Field, ...] = ()


class Count(Struct, frozen=True):
    """A number on both sides."""

    old: int
    new: int


class PackageCount(Struct, frozen=True, kw_only=True):
    """How many packages have a spec in a stack, and the names of those that came and went.

    The names are left out in a tag that is on one side only.
    """

    old: int
    new: int
    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()


class StackDiff(Struct, frozen=True, kw_only=True):
    """What happened in one stack of one tag.

    `kept_versions` has, for each package of which a version came or went, those that both sides
    have. `changes` is empty in a tag that is on one side only: its specs are counted, not listed.
    """

    stack: str
    status: Literal["changed", "added", "removed", "unchanged"]
    specs: Count
    packages: PackageCount
    summary: Summary
    kept_versions: dict[str, tuple[str, ...]]
    changes: tuple[Change, ...]


class TagDiff(Struct, frozen=True, kw_only=True):
    """What happened in one tag, or between two: `old` or `new` is null where a side has none."""

    old: str | None
    new: str | None
    status: Literal["changed", "added", "removed"]
    specs: Count
    packages: Count
    stacks: tuple[StackDiff, ...]


class SkippedPage(Struct, frozen=True, kw_only=True):
    """A page that could not be read and was left out on both sides."""

    side: Literal["old", "new"]
    path: str
    error: str


class Filters(Struct, frozen=True, kw_only=True):
    """The globs that the report was narrowed to; an empty list lets everything through."""

    tag: tuple[str, ...] = ()
    stack: tuple[str, ...] = ()
    package: tuple[str, ...] = ()
    kind: tuple[str, ...] = ()


class CatalogDiff(Struct, frozen=True, kw_only=True):
    """The finished comparison of two revisions: the whole JSON report.

    `summary` adds up the stacks of all tags told of. Tags without a change are not in `tags`.
    """

    schema_version: Literal[1] = 1
    snapdiff: str
    old: Revision
    new: Revision
    filters: Filters
    summary: Summary
    tags: tuple[TagDiff, ...]
    skipped: tuple[SkippedPage, ...]

    def is_empty(self) -> bool:
        """Return whether nothing came, went or changed."""
        return not self.tags
