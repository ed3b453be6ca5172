"""Two catalogs and the name of a package become everything that is known of why it changed."""

import re
from collections.abc import Callable, Iterator, Mapping

from snapdiff.catalog.loading import Catalog, RevisionPair
from snapdiff.comparison import check_narrowing, diff_files
from snapdiff.diff.why import PackageTrees
from snapdiff.errors import BadPage, BadPagesError, SnapdiffError
from snapdiff.filters import Scope, nearest_names
from snapdiff.limits import Limits, Progress, unseen
from snapdiff.result import CatalogDiff, Change, Filters, Kind, StackDiff, TagDiff
from snapdiff.result.questions import (
    ExplainedPackage,
    ExplainedSpec,
    ExplainedStack,
    ExplainedTag,
    Question,
)
from snapdiff.spack.version import parse_version

_ASKED = re.compile(r"(?P<package>[^@/]*)(@=?(?P<version>[^/]*))?(/(?P<hash>.*))?", re.DOTALL)


def parse_question(text: str) -> Question:
    """Return what `hdf5`, `hdf5@1.14.3` or `hdf5@1.14.3/abc1234` asks for.

    Raises SnapdiffError where it names no package, or nothing behind `@` or `/`.
    """
    found = _ASKED.fullmatch(text)
    assert found is not None
    if not found["package"] or "" in (found["version"], found["hash"]):
        raise SnapdiffError(f"{text}: names no package; write hdf5, hdf5@1.14.3 or hdf5/abc1234")
    return Question(package=found["package"], version=found["version"], hash=found["hash"])


def explain_package(
    old: Catalog,
    new: Catalog,
    asked: Question,
    *,
    filters: Filters | None = None,
    allow_empty: bool = False,
    skip_bad_pages: bool = False,
    warn: Callable[[str], None] = lambda _: None,
    progress: Progress = unseen,
) -> ExplainedPackage:
    """Return why the specs of a package changed from `old` to `new`.

    Raises SnapdiffError where neither side has the package, none of its changed specs is what was
    asked for, or no document that lists it has dependencies; else as `diff_catalogs` does.
    """
    found: list[PackageTrees] = []

    def begin(scope: Scope, limits: Limits) -> PackageTrees:
        found.append(PackageTrees(asked.package, scope, limits))
        return found[0]

    check_narrowing(filters or Filters(), old, new, allow_empty=allow_empty)
    diff = diff_files(
        RevisionPair(old, new, progress),
        (old.revision, new.revision),
        filters=filters,
        allow_empty=allow_empty,
        skip_bad_pages=skip_bad_pages,
        warn=warn,
        limits=new.limits,
        begin=begin,
    )
    [trees] = found
    _require_known(asked, trees)
    try:
        tags = tuple(_explained_tags(diff, asked, trees))
    except BadPage as error:
        raise BadPagesError([error]) from error
    if not tags:
        _require_no_slip(asked, diff)
    elif not trees.has_dependencies:
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
    )


def _require_known(asked: Question, trees: PackageTrees) -> None:
    """Raise SnapdiffError where something differs, and neither side has the package."""
    if trees.names and asked.package not in trees.names:
        hint = nearest_names(asked.package, trees.names)
        raise SnapdiffError(f"{asked.package}: neither side has a package of this name; {hint}")


def _require_no_slip(asked: Question, diff: CatalogDiff) -> None:
    """Raise SnapdiffError where the package changed, and only the version or hash fits nothing."""
    specs = [
        spec
        for tag in diff.tags
        for stack in tag.stacks
        for change in stack.changes
        for spec in (change.old, change.new)
        if spec and change.package == asked.package
    ]
    if specs and asked.hash is not None:
        raise SnapdiffError(f"/{asked.hash}: no changed spec of {asked.package} has this hash")
    if specs:
        versions = ", ".join(sorted({spec.version for spec in specs}, key=parse_version))
        raise SnapdiffError(
            f"{asked.package}@{asked.version}: no changed spec has this version; there are "
            f"{versions}"
        )


def _explained_tags(
    diff: CatalogDiff, asked: Question, trees: PackageTrees
) -> Iterator[ExplainedTag]:
    for tag in diff.tags:
        stacks = []
        for stack in tag.stacks:
            sides = ((it.kind, spec) for it in stack.changes for spec in (it.old, it.new) if spec)
            kinds = {spec.hash: kind for kind, spec in sides}
            specs = tuple(
                _explained_spec(tag, stack, change, trees, kinds)
                for change in stack.changes
                if _is_asked(change, asked)
            )
            if specs:
                stacks.append(ExplainedStack(stack=stack.stack, specs=specs))
        if stacks:
            yield ExplainedTag(old=tag.old, new=tag.new, stacks=tuple(stacks))


def _explained_spec(
    tag: TagDiff,
    stack: StackDiff,
    change: Change,
    trees: PackageTrees,
    kinds: Mapping[str, Kind],
) -> ExplainedSpec:
    tags = tag.old, tag.new
    neighbours = trees.neighbours(tags, stack.stack, change, kinds)
    traits = {
        kind: trait
        for found in stack.package_changes
        if found.package == change.package and not found.whole
        for kind, trait in ((Kind.REMOVED, found.lost), (Kind.ADDED, found.gained))
    }
    return ExplainedSpec(
        change=change,
        below=trees.below(tags, stack.stack, change),
        depends_on=neighbours.depends_on,
        needed_by=neighbours.needed_by,
        trait=None if change.duplicate else traits.get(change.kind),
    )


def _is_asked(change: Change, asked: Question) -> bool:
    """Return whether a spec of either side is one that was asked for."""
    if change.package != asked.package:
        return False
    specs = [spec for spec in (change.old, change.new) if spec]
    version = parse_version(asked.version) if asked.version is not None else None
    return any(
        (version is None or parse_version(spec.version) == version)
        and (asked.hash is None or spec.hash.startswith(asked.hash))
        for spec in specs
    )
