"""What happened: changes, stack, tag and catalog diffs, in the shape of the JSON report.

Every class is one object of docs/specification.md, section 7, field by field, so what Python code,
a template and a reader of the JSON see is the same thing under the same names.
"""

from collections.abc import Iterable
from typing import Literal, get_args

from msgspec import UNSET, Struct, UnsetType

from snapdiff.model.packages import DocumentKind
from snapdiff.model.specs import Revision, Spec, SpecName
from snapdiff.result.causes import Cause, StackCause, StackTrait
from snapdiff.result.packages import ChangeCounts, Count, Field, Kind, PackageChange

SchemaVersion = Literal[3]
"""The version of the shape of JSON reports: what is added keeps it, any other change raises it."""

(SCHEMA_VERSION,) = get_args(SchemaVersion)


class Summary(ChangeCounts, frozen=True, kw_only=True):
    """How many specs each kind of change happened to, and how many stayed as they were.

    - `unchanged`: how many have the same hash on both sides
    """

    unchanged: int = 0

    @staticmethod
    def total(summaries: "Iterable[Summary]") -> "Summary":
        """Return the sum of some summaries, count by count."""
        totals = dict.fromkeys(Summary.__struct_fields__, 0)
        for summary in summaries:
            for name in totals:
                totals[name] += getattr(summary, name)
        return Summary(**totals)


class TwoBuilds(Struct, frozen=True, kw_only=True):
    """Two specs that section 6 pairs, and that are two builds to people.

    - `lost`, `gained`: whether the old one is lost, and the new one is one more: their side has no
      equal one to which that did not happen
    """

    lost: bool
    gained: bool


class Change(Struct, frozen=True, gc=False):
    """What happened to one spec.

    - `old`: the spec of the old side, null where it was added
    - `new`: the spec of the new side, null where it was removed
    - `fields`: in what the two differ
    - `cause`: why it was rebuilt, null for every other kind; missing where a side has no
      dependencies (specification, section 11)
    - `same_to_use`: there where true: the spec and all that it links and runs differ in nothing but
      hashes and what is needed for building
    - `duplicate`: there where true: its side has another spec of the same version and
      configuration, with the same in all that it links and runs, to which that did not happen, or
      that has a lower hash; the new one of a reconfigured spec is like that of another such one
    - `two_builds`: there of a reconfigured spec of a package that is built with several compilers,
      where the two have compilers of other names, and of a rebuilt one of a package that is built
      with several MPIs, where these have: reports for people tell one as gone, one as new
    """

    kind: Kind
    package: str
    old: Spec | None
    new: Spec | None
    fields: tuple[Field, ...] = ()
    cause: Cause | UnsetType | None = UNSET
    same_to_use: bool | UnsetType = UNSET
    duplicate: bool | UnsetType = UNSET
    two_builds: TwoBuilds | UnsetType = UNSET

    @property
    def specs(self) -> list[Spec]:
        """The spec on each side that has it, the old side first."""
        return [spec for spec in (self.old, self.new) if spec]

    @property
    def is_explicit(self) -> bool:
        """Whether the spec is explicit on either side: a root, or installed by hand."""
        return any(spec.explicit for spec in self.specs)


def changes_by_package(changes: Iterable[Change]) -> dict[str, list[Change]]:
    """Return spec changes by the name of their package, in their order."""
    found: dict[str, list[Change]] = {}
    for change in changes:
        found.setdefault(change.package, []).append(change)
    return found


class CompilerCount(Struct, frozen=True):
    """How many specs of a stack have a compiler, in the common notation, on each side.

    - `compiler`: the compiler, `none` where a spec has none
    """

    compiler: str
    old: int
    new: int


class PackageCount(Struct, frozen=True):
    """How many packages have a spec, or a root, in a tag or stack; the names of those on one side.

    The names are left out in a tag that is on one side only.

    - `old`, `new`: how many on that side
    - `added`, `removed`: the names of those on the new side alone, on the old side alone
    """

    old: int
    new: int
    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()


class RootChanges(Struct, frozen=True, kw_only=True):
    """Packages that are on both sides and asked for on one of them alone: names, sorted.

    - `now`: packages that are asked for now and were only dependencies before
    - `no_longer`: packages that are not asked for any more and still there as dependencies
    - `needed_by`: by each of these, the packages on the new side that depend on it directly
    """

    now: tuple[str, ...]
    no_longer: tuple[str, ...]
    needed_by: dict[str, tuple[str, ...]] = {}


class BuildsApart(Struct, frozen=True, kw_only=True):
    """What reports for people say of a stack in place of its `two_builds` pairs.

    - `changes`: each old build of these is gone, each new one is new; those that agree in their own
      fields and in their MPI were rebuilt
    - `causes`: those of the stack with these in place of the pairs
    """

    changes: tuple[Change, ...]
    causes: tuple[StackCause, ...]

    def of_all(self, changes: Iterable[Change]) -> list[Change]:
        """Return all changes of the stack, with these in place of the pairs."""
        return [*(it for it in changes if not it.two_builds), *self.changes]


class StackDiff(Struct, frozen=True, kw_only=True):
    """What happened in one stack of one tag.

    - `stack`: the name, that of the new side where it was renamed
    - `document`: the kind of document that lists it: an environment's lock, the index of a build
      cache, the database of an install tree, pages of the site or the site's data; the new side's
      where the sides differ
    - `status`: whether it changed, or is on one side only
    - `specs`: how many specs it has
    - `packages`: how many packages it has, and which are on one side only
    - `summary`: what happened to its specs
    - `asked_for`: the packages that became roots and those that are roots no more; null where there
      is none, or no document says it
    - `lost`, `gained`: what most of its removed (added) specs have in common, or null
    - `package_changes`: what happened to each package that changed; nothing in a tag that is on one
      side only
    - `still_there`: packages that are on both sides of the stack without a change of their own
      that is reported, though in a stack of the tag they changed or who asks for them did
    - `versions_there`: the versions that these have on the new side, as far as they are known: not
      where the document of the stack is the same to the byte
    - `roots_there`: those of these that are asked for on the new side; there where a document says
      it that is not the same to the byte
    - `toolchain`: the versions of MPI, BLAS and LAPACK, CUDA, HIP and Python that it has on both
      sides and of which nothing changed, by package; there where its documents list any
    - `compilers`: how many specs have which compiler, the unchanged ones too; there where the
      compilers of all specs are known
    - `causes`: why its specs were rebuilt, what explains most first
    - `changes`: what happened to each spec that changed; nothing in a tag that is on one side only
    - `builds_apart`: what reports for people say in place of pairs that are `two_builds`; there
      where there are any, and all of them are reported
    - `renamed_from`: its name on the old side, where it has another one there
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
    package_changes: tuple[PackageChange, ...] = ()
    still_there: tuple[str, ...] = ()
    versions_there: dict[str, tuple[str, ...]] | UnsetType = UNSET
    roots_there: tuple[str, ...] | UnsetType = UNSET
    toolchain: dict[str, tuple[str, ...]] | UnsetType = UNSET
    compilers: tuple[CompilerCount, ...] | UnsetType = UNSET
    causes: tuple[StackCause, ...] = ()
    changes: tuple[Change, ...] = ()
    builds_apart: BuildsApart | UnsetType = UNSET
    renamed_from: str | UnsetType = UNSET


class HashConflict(Struct, frozen=True, kw_only=True):
    """A hash that names another version or package than on the other side.

    - `old`, `new`: what it names on that side
    """

    hash: str
    old: SpecName
    new: SpecName


class TagDiff(Struct, frozen=True, kw_only=True):
    """What happened in one tag, or between two.

    - `old`, `new`: the tag's name on that side, null where it has no such tag
    - `status`: whether the tag is on both sides, on the new one or on the old one alone
    - `specs`: how many distinct hashes it has
    - `packages`: how many packages it has, and which are on one side only
    - `products`: how many packages are asked for in any of its stacks, and which are on one side
      alone; there where documents of all stacks say it
    - `stacks`: every stack of the tag
    - `hash_conflicts`: hashes that name another spec than on the other side, where there is any:
      such a spec is unchanged
    """

    old: str | None
    new: str | None
    status: Literal["changed", "added", "removed"]
    specs: Count
    packages: PackageCount
    products: PackageCount | UnsetType = UNSET
    stacks: tuple[StackDiff, ...]
    hash_conflicts: tuple[HashConflict, ...] | UnsetType = UNSET


class SkippedPage(Struct, frozen=True, kw_only=True):
    """A page that could not be read and was left out on both sides.

    - `side`: the side that it could not be read on
    """

    side: Literal["old", "new"]
    path: str
    error: str


class Filters(Struct, frozen=True, kw_only=True):
    """What the report was narrowed to: globs; an empty list lets everything through.

    A glob that begins with `!` leaves out what it matches.

    - `tag`, `stack`, `package`, `kind`: globs of these
    - `stack_names`: pairs of an old and a new name of a stack, as they were given
    - `because`: globs of the packages that rebuilt and lost specs have as their reason
    - `explicit`: there where true: only what somebody asked for is reported
    - `path`: the paths that the documents are narrowed to, there where they are
    - `no_renames`: there where true: stacks are compared by name alone
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

    - `old`, `new`: the two sides
    - `filters`: what the report was narrowed to
    - `summary`: what happened to specs, all reported stacks added up
    - `tags`: each tag in which anything changed
    - `nothing_compared`: true where nothing that is asked for can be read on both sides
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
    nothing_compared: bool | UnsetType = UNSET

    @property
    def renamed_stacks(self) -> list[tuple[str, str]]:
        """The old and the new name of each stack that was found under another name, in any tag."""
        every = (stack for tag in self.tags for stack in tag.stacks)
        names = {(it.renamed_from, it.stack) for it in every if it.renamed_from is not UNSET}
        return sorted(names)

    def is_empty(self) -> bool:
        """Return whether nothing was added, removed or changed."""
        return not self.tags
