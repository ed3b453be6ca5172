"""What is asked of catalogs beside a diff: what of environments one lacks, why packages changed."""

import functools
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import PurePosixPath

from msgspec.structs import replace

from snapdiff import __version__
from snapdiff.catalog.loading import Catalog, names_in
from snapdiff.comparison import ComparisonOptions, compare_catalogs
from snapdiff.diff.fields import differing_fields
from snapdiff.diff.packages import hashes_of_builds
from snapdiff.diff.pairing import Effort, pair_specs
from snapdiff.diff.reach import circles_below
from snapdiff.diff.tags import TagDiffs
from snapdiff.diff.why import explain_change
from snapdiff.document_names import LOCK_NAME
from snapdiff.errors import (
    BadPage,
    BadPagesError,
    FormatError,
    RevisionError,
    SnapdiffError,
    place_in,
)
from snapdiff.filters import Scope, nearest_names
from snapdiff.limits import Limits, Progress, ignored
from snapdiff.model.packages import Package
from snapdiff.model.specs import EMPTY_PART, Build, Graph, edges_of
from snapdiff.result.causes import Event, event_of
from snapdiff.result.changes import CatalogDiff, Change, RootChanges, StackDiff, TagDiff
from snapdiff.result.packages import AskedFor, Kind
from snapdiff.result.questions import (
    ExplainedPackage,
    ExplainedSpec,
    ExplainedStack,
    ExplainedTag,
    MissingSpec,
    MissingSpecs,
    NearestSpec,
    Question,
    SkippedDocument,
    WantedCounts,
)
from snapdiff.spack import parse_version


def find_missing(
    wanted: Sequence[Catalog],
    catalog: Catalog,
    *,
    allow_empty: bool = False,
    skip_bad_pages: bool = False,
    warn: Callable[[str], None] = ignored,
) -> MissingSpecs:
    """Return which specs of some environments no stack of a catalog has, by hash alone.

    What is external is not looked for. `warn` is called where an environment contradicts itself.
    Raises RevisionError where one of them has nothing in it (unless `allow_empty`), and
    BadPagesError where documents cannot be read (unless `skip_bad_pages`, which leaves them out and
    lists them).
    """
    bad_pages: list[BadPage] = []
    environments = [_packages(one, bad_pages, warn, allow_empty=allow_empty) for one in wanted]
    others = _packages(catalog, bad_pages, ignored, allow_empty=allow_empty)
    if bad_pages and not skip_bad_pages:
        raise BadPagesError(bad_pages)
    hashes = {spec_hash for package in others for spec_hash in package.specs}
    names = {package.name for package in others if package.specs}
    nearest = _nearest_in(others, catalog.source.limits)
    missing: list[MissingSpec] = []
    external = total = 0
    without_roots = []
    named = list(_environments(wanted, environments))
    for name, packages in named:
        specs = {
            spec_hash: (package.name, build)
            for package in packages
            for spec_hash, build in package.specs.items()
        }
        without_roots += [] if any(build.explicit for _, build in specs.values()) else [name]
        built = {key: found for key, found in specs.items() if not found[1].external}
        total += len(specs)
        external += len(specs) - len(built)
        needed = _needed_by(built.keys() & hashes, packages[0].graph)
        lacking = [
            MissingSpec(
                environment=name,
                package=package,
                spec=build.spec(spec_hash),
                asked_for=build.explicit,
                needed_there=spec_hash in needed,
                package_there=package in names,
                nearest=nearest(package, build),
            )
            for spec_hash, (package, build) in built.items()
            if spec_hash not in hashes
        ]
        missing += sorted(lacking, key=_order)
    return MissingSpecs(
        snapdiff=__version__,
        wanted=tuple(one.revision for one in wanted),
        environments=tuple(name for name, _ in named),
        catalog=catalog.revision,
        specs=WantedCounts(
            wanted=total,
            external=external,
            there=total - external - len(missing),
            missing=len(missing),
        ),
        missing=tuple(missing),
        without_roots=tuple(without_roots),
        skipped=tuple(
            SkippedDocument(source=page.source, path=page.path, error=page.reason)
            for page in bad_pages
        ),
    )


def _packages(
    catalog: Catalog, bad_pages: list[BadPage], warn: Callable[[str], None], *, allow_empty: bool
) -> list[Package]:
    name = catalog.source.name
    number_of_bad = len(bad_pages)
    found: list[Package] = []
    for path, reading in catalog.readings():
        path = catalog.shown_path(path)
        if isinstance(reading, BadPage):
            bad_pages.append(BadPage(path, reading.side, reading.reason, source=name))
        elif reading is not None:
            found += reading.packages
            if reading.warning:
                warn(f"{path}{place_in(name, path)}: {reading.warning}")
    if not found and len(bad_pages) == number_of_bad and not allow_empty:
        raise RevisionError(f"{name}: has no page and no document with a spec in it")
    return found


def _environments(
    wanted: Iterable[Catalog], sides: Iterable[Iterable[Package]]
) -> Iterator[tuple[str, list[Package]]]:
    """Yield the name and the packages of each environment, in the order of the arguments."""
    stacks: dict[tuple[str, str, str], list[Package]] = {}
    for catalog, packages in zip(wanted, sides, strict=True):
        for package in packages:
            place = catalog.source.name, package.tag, package.stack or EMPTY_PART
            stacks.setdefault(place, []).append(package)
    names = Counter(_name(stack, source) for source, _, stack in stacks)
    for place, packages in stacks.items():
        name = _name(place[2], place[0])
        whole = "/".join(part.rstrip("/") for part in place if part != EMPTY_PART)
        is_clear = names[name] == 1 and (name != EMPTY_PART or len(names) == 1)
        yield name if is_clear else whole or EMPTY_PART, packages


def _name(stack: str, source: str) -> str:
    """Return what an environment is called: its stack, or the folder: `gpu` of `HEAD:env/gpu`."""
    if stack != EMPTY_PART:
        return stack
    path = PurePosixPath(source.rpartition(":")[2])
    folder = path.parent if path.name == LOCK_NAME else path
    return folder.name or EMPTY_PART


def _nearest_in(
    packages: Iterable[Package], limits: Limits
) -> Callable[[str, Build], NearestSpec | None]:
    """Return what finds the spec that pairing would take first (specification, section 6)."""
    listed: dict[str, dict[str, Build]] = {}
    for package in packages:
        listed.setdefault(package.name, {}).update(package.specs)

    @functools.cache
    def nearest(package: str, build: Build) -> NearestSpec | None:
        others = listed.get(package, {})
        try:
            pairs = pair_specs({build: [""]}, hashes_of_builds(others), Effort(limits)).pairs
        except FormatError:
            return None  # so many and so different that to find it would take too long
        for _, spec_hash in pairs:  # one at most
            other = others[spec_hash]
            return NearestSpec(other.spec(spec_hash), differing_fields(build, other))
        return None

    return nearest


def _needed_by(there: Iterable[str], graph: Graph | None) -> set[str]:
    """Return what the specs depend on that are there, themselves included."""
    if graph is None:
        return set()
    _, below = circles_below(there, lambda key: [edge.hash for edge in edges_of(graph, key)])
    return set(below)


def _order(missing: MissingSpec) -> tuple[object, ...]:
    """Return what sorts missing specs: what was asked for first, what others need last."""
    spec, is_root = missing.spec, missing.asked_for
    version = parse_version(spec.version)
    return not is_root, not is_root and missing.needed_there, missing.package, version, spec.hash


# --- Why a package changed ---


def parse_question(text: str) -> Question:
    """Return what `hdf5`, `hdf5@1.14.3` or `hdf5@1.14.3/abc1234` asks for.

    Raises SnapdiffError where it names no package, or nothing behind `@` or `/`.
    """
    spec, slash, spec_hash = text.partition("/")
    package, at, version = spec.partition("@")
    version = version.removeprefix("=")
    if not package or (at and not version) or (slash and not spec_hash):
        way_out = "write hdf5, hdf5@1.14.3 or hdf5/abc1234"
        raise SnapdiffError(f"{text or 'an empty name'}: names no package; {way_out}")
    return Question(package=package, version=version or None, hash=spec_hash or None)


def explain_package(
    old: Catalog, new: Catalog, asked: Question, options: ComparisonOptions, progress: Progress
) -> ExplainedPackage:
    """Return why the specs of a package changed from `old` to `new`.

    Raises SnapdiffError where neither side has the package, none of its changed specs is what was
    asked for, or no document that lists it has dependencies; else as `diff_catalogs` does.
    """
    packages = TagDiffs(Scope(options.filters), new.source.limits, keep=asked.package)
    diff = compare_catalogs(old, new, options, progress, packages)
    if asked.package not in packages.names:
        known = names_in(old, "package") | names_in(new, "package")
        if known and asked.package not in known:
            hint = nearest_names(asked.package, known)
            raise SnapdiffError(f"{asked.package}: neither side has a package of this name; {hint}")
    try:
        tags = tuple(_explained_tags(diff, asked, packages))
    except BadPage as error:
        raise BadPagesError([error]) from error
    if not tags:
        _require_no_slip(asked, diff)
    elif _is_about_pages(tags, packages):
        raise SnapdiffError(
            f"{asked.package}: what lists it has no dependencies on both sides, so nothing is "
            "known of why it changed; compare locks, indexes or databases"
        )
    return ExplainedPackage(
        snapdiff=diff.snapdiff,
        old=diff.old,
        new=diff.new,
        filters=diff.filters,
        asked=asked,
        tags=tags,
        skipped=diff.skipped,
        configuration=diff.configuration,
    )


def _is_about_pages(tags: Iterable[ExplainedTag], packages: TagDiffs) -> bool:
    """Return whether specs changed that both sides list without dependencies."""
    is_in_both = any(stack.specs and not stack.whole for tag in tags for stack in tag.stacks)
    pairs = (pair for some in packages.kept.values() for pair in some)
    return is_in_both and not any(pair.graphs for pair in pairs)


def _require_no_slip(asked: Question, diff: CatalogDiff) -> None:
    """Raise SnapdiffError where the package changed, and only the version or hash fits nothing."""
    asked_for = {"version": asked.version, "hash": asked.hash}
    wanted = {what: value for what, value in asked_for.items() if value is not None}
    changed = {
        "/".join(getattr(spec, what) for what in wanted)
        for tag in diff.tags
        for stack in tag.stacks
        for change in stack.changes
        for spec in change.specs
        if change.package == asked.package
    }
    if changed:
        words = " and ".join(f"{what} {value}" for what, value in wanted.items())
        hint = nearest_names("/".join(wanted.values()), changed)
        raise SnapdiffError(f"{asked.package}: no spec that changed has {words}; {hint}")


def _explained_tags(
    diff: CatalogDiff, asked: Question, packages: TagDiffs
) -> Iterator[ExplainedTag]:
    for tag in diff.tags:
        stacks = []
        for stack in tag.stacks:
            changes = [change for change in stack.changes if _is_asked(change, asked)]
            found = ExplainedStack(
                stack=stack.stack,
                whole=stack.status in ("added", "removed"),
                specs=tuple(_explained(changes, stack, tag, packages)) if changes else (),
            )
            if asked.version is None and asked.hash is None:
                found = _with_roots(found, asked.package, stack.asked_for)
            if found.specs or found.asked_for:
                stacks.append(found)
        whole = (tag.old, tag.new) in packages.whole
        if stacks or whole:
            yield ExplainedTag(old=tag.old, new=tag.new, whole=whole, stacks=tuple(stacks))


def _with_roots(found: ExplainedStack, package: str, roots: RootChanges | None) -> ExplainedStack:
    """Return a stack with who asks for the package there, if that is so on one side alone."""
    if roots and package in roots.now:
        return replace(found, asked_for=AskedFor(old=False, new=True))
    if roots and package in roots.no_longer:
        needed_by = roots.needed_by.get(package, ())
        return replace(found, asked_for=AskedFor(old=True, new=False), needed_by=needed_by)
    return found


def _explained(
    changes: Iterable[Change], stack: StackDiff, tag: TagDiff, packages: TagDiffs
) -> Iterator[ExplainedSpec]:
    """Yield some changes of the package in a stack, each with what changed below it."""
    kinds = {spec.hash: it.kind for it in stack.changes for spec in it.specs}
    for change in changes:
        trait = None
        for found in stack.package_changes:
            if found.package == change.package and not found.whole:
                trait = {Kind.REMOVED: found.lost, Kind.ADDED: found.gained}.get(change.kind)
        explained = explain_change(packages, (tag.old, tag.new), stack.stack, change, kinds)
        yield replace(explained, trait=trait, replaced=_replaced(change, stack))


def _replaced(change: Change, stack: StackDiff) -> Event | None:
    """Return the event by which a package left its place to another, or took it: one went whole."""
    whole = {(it.kind, it.package) for it in stack.package_changes if it.whole}
    for cause in stack.causes:
        if not whole.issuperset([(Kind.REMOVED, cause.old), (Kind.ADDED, cause.new)]):
            continue
        package = {Kind.REMOVED: cause.old, Kind.ADDED: cause.new}.get(change.kind)
        if cause.what == "replaced" and package == change.package:
            return event_of(cause)
    return None


def _is_asked(change: Change, asked: Question) -> bool:
    version = parse_version(asked.version) if asked.version is not None else None
    return change.package == asked.package and any(
        (version is None or parse_version(spec.version) == version)
        and (asked.hash is None or spec.hash.startswith(asked.hash))
        for spec in change.specs
    )
