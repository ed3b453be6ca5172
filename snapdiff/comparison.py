"""Two catalogs become one CatalogDiff: packages are matched, then diffed, then summed up."""

from collections.abc import Callable

from msgspec import UNSET, Struct, UnsetType

from snapdiff import __version__
from snapdiff.catalog.compared_files import ComparedFiles, RevisionPair
from snapdiff.catalog.loading import Catalog, check_filters, names_in, require_paths
from snapdiff.catalog.matching import match_packages
from snapdiff.diff.dependencies import unreadable_side
from snapdiff.diff.tags import TagDiffs
from snapdiff.errors import BadPage, BadPagesError, FormatError
from snapdiff.filters import Scope, narrowed_to_kinds, printable_filters, require_mapped_stacks
from snapdiff.limits import Progress, ignored
from snapdiff.model.packages import PackagePair, noun_of
from snapdiff.model.specs import EMPTY_PART, Revision
from snapdiff.result.changes import CatalogDiff, Filters, SkippedPage, Summary, TagDiff


class ComparisonOptions(Struct, frozen=True):
    """How revisions are compared; `diff_catalogs` says what each of these does.

    `configuration` is the name of the configuration file that decided some of it.
    """

    filters: Filters = Filters()
    allow_empty: bool = False
    skip_bad_pages: bool = False
    warn: Callable[[str], None] = ignored
    configuration: str | UnsetType = UNSET


def diff_catalogs(
    old: Catalog,
    new: Catalog,
    *,
    filters: Filters | None = None,
    allow_empty: bool = False,
    skip_bad_pages: bool = False,
    warn: Callable[[str], None] = ignored,
    progress: Progress = ignored,
) -> CatalogDiff:
    """Return what changed from `old` to `new`.

    `warn` is called where a page contradicts itself, `progress` with how many of the files that may
    have changed are compared. Raises RevisionError where a side has no page at all (unless
    `allow_empty`), and BadPagesError where pages cannot be read (unless `skip_bad_pages`, which
    leaves them out on both sides and lists them). Raises SnapdiffError where a filter matches
    nothing on either side.
    """
    options = ComparisonOptions(filters or Filters(), allow_empty, skip_bad_pages, warn)
    return compare_catalogs(old, new, options, progress)


def compare_catalogs(
    old: Catalog,
    new: Catalog,
    options: ComparisonOptions,
    progress: Progress,
    packages: TagDiffs | None = None,
) -> CatalogDiff:
    """Return what changed, as `diff_catalogs` does, and warn of what somebody may not have meant.

    That is a submodule that changed, and a side that begins a folder deeper than the other.
    `packages` are handed over to who wants to keep more of them than the diff.
    """
    if not options.allow_empty:
        require_paths([old.source, new.source])
    check_filters(options.filters, (new, old))
    if options.filters.stack_names:
        require_mapped_stacks(options.filters, *(names_in(it, "stack") for it in (old, new)))
    for path in old.source.changed_submodules(new.source):
        options.warn(
            f"{path}: is a submodule that changed; what is in it is not compared: "
            "run snapdiff there, or with -C"
        )
    files = RevisionPair(old, new, progress)
    found = diff_files(files, (old.revision, new.revision), options, packages)
    is_one_place = old.revision.commit and old.source.folder == new.source.folder
    if not (is_one_place or options.filters.stack or options.filters.tag):
        _warn_of_depth(found, options.warn)
    return found


def diff_files(
    files: ComparedFiles,
    revisions: tuple[Revision, Revision],
    options: ComparisonOptions,
    packages: TagDiffs | None = None,
) -> CatalogDiff:
    """Return what changed between two revisions, given file by file, as `compare_catalogs` does."""
    scope = Scope(options.filters)
    packages = packages or TagDiffs(scope, files.sources[1].limits)
    tags: list[TagDiff] = []
    bad_pages: list[BadPage] = []
    for found in match_packages(files, scope, allow_empty=options.allow_empty, warn=options.warn):
        try:
            if isinstance(found, BadPage):
                bad_pages.append(found)
            elif isinstance(found, PackagePair):
                packages.add(found)
            elif tag := packages.close(found):
                tags.append(tag)
                _warn_of_conflicts(tag, options.warn)
        except BadPage as error:
            bad_pages.append(error)
        except FormatError as error:
            if not isinstance(found, PackagePair):
                raise
            side = unreadable_side(found.graphs or (None, None))
            bad_pages.append(BadPage(found.document, side, str(error)))
    left_out = {page.path for page in bad_pages}
    bad_pages = [
        BadPage(files.shown_path(page.path, page.side), page.side, page.reason)
        for page in bad_pages
    ]
    bad_pages.sort(key=lambda page: (page.path, page.side != "old"))
    if bad_pages and not options.skip_bad_pages:
        raise BadPagesError(bad_pages)
    packages.require_causes()
    everything = CatalogDiff(
        snapdiff=__version__,
        old=revisions[0],
        new=revisions[1],
        filters=printable_filters(scope.filters),
        summary=Summary.total(stack.summary for tag in tags for stack in tag.stacks),
        tags=tuple(tags),
        skipped=tuple(
            SkippedPage(side=page.side, path=page.path, error=page.reason) for page in bad_pages
        ),
        configuration=options.configuration,
        nothing_compared=(
            (left_out and not tags and not files.is_any_readable(left_out, scope)) or UNSET
        ),
    )
    return narrowed_to_kinds(everything)


def _warn_of_depth(diff: CatalogDiff, warn: Callable[[str], None]) -> None:
    """Say that no stack is on both sides, where one of them has its only one at the top."""
    stacks = [stack for tag in diff.tags for stack in tag.stacks]
    is_one_sided = {it.status for it in stacks} == {"added", "removed"}
    if is_one_sided and any(it.stack == EMPTY_PART for it in stacks):
        noun = noun_of([stack.document for stack in stacks])
        warn(
            f"the two sides have no {noun} in common, so all of it is removed or added; name "
            "folders of one depth, or a document each"
        )


def _warn_of_conflicts(tag: TagDiff, warn: Callable[[str], None]) -> None:
    """Say which hashes of a tag name another version or package than on the other side."""
    if tag.hash_conflicts is not UNSET:
        first, *others = tag.hash_conflicts
        more = f", and {len(others):,} more" if others else ""
        warn(
            f"the hash {first.hash} is {first.old.package} {first.old.version} on the old side and "
            f"{first.new.package} {first.new.version} on the new side{more}; two specs never have "
            "one hash, so a document was edited"
        )
