"""What happened: changes, stack, tag and catalog diffs, in the shape of the JSON report.

Every class is one object of docs/specification.md, section 7, field by field, so what Python code,
a template and a reader of the JSON see is the same thing under the same names.
"""

from collections.abc import Iterable
from typing import Literal, get_args

from msgspec import UNSET, Struct, UnsetType

from snapdiff.model import DocumentKind, Revision, Spec
from snapdiff.result.causes import Cause, StackCause, StackTrait, TraitCount
from snapdiff.result.packages import ChangeCounts, Count, Field, Kind, PackageChange

SchemaVersion = Literal[3]
"""The version of the shape of JSON reports: what is added keeps it, any other change raises it."""

(SCHEMA_VERSION,) = get_args(SchemaVersion)


class Summary(ChangeCounts, frozen=True, kw_only=True):
    """How many specs each kind of change happened to, and how many stayed as they were."""

    unchanged: int = 0

    @staticmethod
    def total(summaries: "Iterable[Summary]") -> "Summary":
        """Return the sum of some summaries, count by count."""
        totals = dict.fromkeys(Summary.__struct_fields__, 0)
        for summary in summaries:
            for name in totals:
                totals[name] += getattr(summary, name)
        return Summary(**totals)


class Change(Struct, frozen=True, gc=False):
    """One change: `old` is null for an added spec, `new` for a removed one.

    Where both sides have dependencies there is a `cause`: null but for a rebuilt spec
    (specification, section 11). `same_to_use` is there where true: the spec and all that it links
    and runs differ in nothing but hashes and what is needed for building. `duplicate` is there
    where true: the side of a removed or added spec, and the new side of a reconfigured one, has
    another one of the same version and configuration, with the same in all that it links and runs,
    to which that did not happen, or that has a lower hash.
    """

    kind: Kind
    package: str
    old: Spec | None
    new: Spec | None
    fields: tuple[Field, ...] = ()
    cause: Cause | UnsetType | None = UNSET
    same_to_use: bool | UnsetType = UNSET
    duplicate: bool | UnsetType = UNSET

    @property
    def is_explicit(self) -> bool:
        """Whether the spec is explicit on either side: a root, or installed by hand."""
        return any(spec is not None and spec.explicit for spec in (self.old, self.new))


class CompilerCount(Struct, frozen=True):
    """How many specs of a stack have a compiler, in the common notation, on each side."""

    compiler: str
    old: int
    new: int


class PackageCount(Struct, frozen=True):
    """How many packages have a spec in a tag or stack; the names of those on one side only.

    The names are left out in a tag that is on one side only.
    """

    old: int
    new: int
    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()


class RootChanges(Struct, frozen=True, kw_only=True):
    """Packages that are on both sides and asked for on one of them alone: names, sorted.

    `needed_by` says of those that are asked for no longer what depends on them now, directly.
    """

    now: tuple[str, ...]
    no_longer: tuple[str, ...]
    needed_by: dict[str, tuple[str, ...]] = {}


class StackDiff(Struct, frozen=True, kw_only=True):
    """What happened in one stack of one tag.

    `document` is the kind of document that lists it: the new side's where the sides differ and
    that has the stack. `renamed_from` is there where the stack was found under another name on the
    old side. `package_changes` and `changes` are empty in a tag that is on one side only: what it
    holds is counted, not listed. `asked_for` is null where no document says what was, or a side has
    none. `lost` and `gained` are what most of the stack's removed and its added specs have in
    common, `lost_by` and `gained_by` what tells most of them from others, then most of the rest.
    `still_there` are packages that are on both sides here, though only other stacks of the tag have
    a change of them that is reported. `compilers`, there where those of all specs are known, counts
    the unchanged specs too.
    """

    stack: str
    document: DocumentKind
    status: Literal["changed", "added", "removed", "unchanged"]
    specs: Count
    packages: PackageCount
    summary: Summary
    asked_for: RootChanges | None = None
    lost: StackTrait | None = None
    gained: StackTrait | None = None
    lost_by: tuple[TraitCount, ...] = ()
    gained_by: tuple[TraitCount, ...] = ()
    package_changes: tuple[PackageChange, ...]
    still_there: tuple[str, ...] = ()
    compilers: tuple[CompilerCount, ...] | UnsetType = UNSET
    causes: tuple[StackCause, ...]
    changes: tuple[Change, ...]
    renamed_from: str | UnsetType = UNSET


class SpecName(Struct, frozen=True):
    """What a spec is called: its package and version."""

    package: str
    version: str


class HashConflict(Struct, frozen=True, kw_only=True):
    """A hash that names another version or package than on the other side."""

    hash: str
    old: SpecName
    new: SpecName


class TagDiff(Struct, frozen=True, kw_only=True):
    """What happened in one tag, or between two: `old` or `new` is null where a side has none.

    `hash_conflicts` is there where there is any: such a spec is unchanged, as its hash is.
    """

    old: str | None
    new: str | None
    status: Literal["changed", "added", "removed"]
    specs: Count
    packages: PackageCount
    stacks: tuple[StackDiff, ...]
    hash_conflicts: tuple[HashConflict, ...] | UnsetType = UNSET


class SkippedPage(Struct, frozen=True, kw_only=True):
    """A page that could not be read and was left out on both sides."""

    side: Literal["old", "new"]
    path: str
    error: str


class Filters(Struct, frozen=True, kw_only=True):
    """What the report was narrowed to: globs; an empty list lets everything through.

    A glob that begins with `!` leaves out what it matches. `stack_names` are the stacks of the old
    side that are compared under another name: pairs of the old name and the new one. `because` are
    packages: only specs are reported that were rebuilt or lost because of them. `explicit` is there
    where true: only specs are reported that are explicit on either side. `path` is there where the
    documents are narrowed to paths, as they were given after `--`. `no_renames` is there where
    true: no stack was looked for under another name.
    """

    tag: tuple[str, ...] = ()
    stack: tuple[str, ...] = ()
    package: tuple[str, ...] = ()
    kind: tuple[str, ...] = ()
    stack_names: tuple[tuple[str, str], ...] = ()
    because: tuple[str, ...] = ()
    explicit: bool | UnsetType = UNSET
    path: tuple[str, ...] | UnsetType = UNSET
    no_renames: bool | UnsetType = UNSET


class CatalogDiff(Struct, frozen=True, kw_only=True):
    """The finished comparison of two revisions: the whole JSON report.

    `summary` adds up the stacks of all reported tags. Tags without a change are not in `tags`.
    `configuration` is there where a configuration file decided anything: its name.
    """

    schema_version: SchemaVersion = 3
    snapdiff: str
    old: Revision
    new: Revision
    filters: Filters
    summary: Summary
    tags: tuple[TagDiff, ...]
    skipped: tuple[SkippedPage, ...]
    configuration: str | UnsetType = UNSET

    @property
    def renamed_stacks(self) -> list[tuple[str, str]]:
        """The old and the new name of each stack that was found under another name, in any tag."""
        return sorted(
            {
                (stack.renamed_from, stack.stack)
                for tag in self.tags
                for stack in tag.stacks
                if stack.renamed_from is not UNSET
            }
        )

    def is_empty(self) -> bool:
        """Return whether nothing was added, removed or changed."""
        return not self.tags
