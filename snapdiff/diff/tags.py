"""What happened in each tag: its packages' changes and counts, added up stack by stack."""

from collections.abc import Collection, Iterable, Sequence
from collections.abc import Set as AbstractSet
from typing import Literal

from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from snapdiff.diff.changed_pairs import KnownGraphs
from snapdiff.diff.packages import PackageDiff, diff_package
from snapdiff.diff.stacks import ComparedStack
from snapdiff.diff.trait_bits import TraitBits
from snapdiff.filters import Scope, require_causes, with_changes_elsewhere
from snapdiff.limits import DEFAULT_LIMITS, Limits
from snapdiff.model.packages import PackagePair, TagPair, Tags
from snapdiff.model.specs import SpecName, asked_for_on_one_side
from snapdiff.result.changes import HashConflict, PackageCount, StackDiff, Summary, TagDiff
from snapdiff.result.packages import Count
from snapdiff.spack import parse_version


class TagDiffs:
    """Takes packages in pairs, in any order, and gives the diff of each tag when it is complete.

    `names` are those of all packages, `graphs` what was found out about their dependencies, `kept`
    has by tags the pairs of one package, if there is one to keep, and `whole` the tags of one side
    alone that list it.
    """

    def __init__(
        self, scope: Scope, limits: Limits = DEFAULT_LIMITS, keep: str | None = None
    ) -> None:
        self.names: set[str] = set()
        self.graphs = KnownGraphs()
        self.kept: dict[Tags, list[PackagePair]] = {}
        self.whole: set[Tags] = set()
        self._keep = keep
        self._scope = scope
        self._limits = limits
        self._packages: dict[Tags, list[PackageDiff]] = {}
        self._differs = False
        self._names_with_graphs: set[str] = set()

    def add(self, pair: PackagePair) -> None:
        """Find out what happened to a package.

        Raises FormatError, and counts nothing, where pairing its specs would cost too much.
        """
        found = diff_package(pair, self._scope, self._limits, self.graphs)
        self._packages.setdefault(pair.tags, []).append(found)
        self.names.add(pair.name)
        if pair.name == self._keep:
            self.kept.setdefault(pair.tags, []).append(pair)
        if pair.old != pair.new:
            self._differs = True
            if pair.graphs:
                self._names_with_graphs.add(pair.name)

    def close(self, tag: TagPair) -> TagDiff | None:
        """Return the diff of a tag whose packages have all been added, None where it is empty.

        Raises BadPage where a document cannot be followed from dependency to dependency.
        """
        self.names.update(tag.counts.packages)
        packages = self._packages.pop(tag.tags, [])
        if tag.tags[0] is None or tag.tags[1] is None:
            if self._keep in tag.counts.packages:
                self.whole.add(tag.tags)
            return _one_sided_tag(tag, self._scope)
        reported = []
        for package in packages:
            stacks = package.old.versions.keys() | package.new.versions.keys()
            if not stacks or not stacks <= tag.left_out_stacks:
                reported.append(package)
        has_changes = any(package.stacks for package in reported)
        conflicts = find_hash_conflicts([package.pair for package in packages], self._scope)
        if not has_changes and not tag.renamed and not conflicts and not _asks_for_others(tag):
            return None
        found = _two_sided_tag(tag, reported, self._scope, self.graphs)
        gone = (it for it in found.stacks if it.stack in tag.graphs[0] and not it.specs.new)
        self._names_with_graphs.update(*(it.packages.removed for it in gone))
        if conflicts:
            return replace(found, hash_conflicts=conflicts)
        # A stack that was renamed may have none of the packages that are asked for.
        is_changed = any(
            stack.status != "unchanged" or stack.renamed_from is not UNSET for stack in found.stacks
        )
        return found if is_changed else None

    def require_causes(self) -> None:
        """Raise SnapdiffError where a wanted cause is no package that was compared."""
        if self._differs and self._scope.filters.because:  # else no glob has a slip in it
            require_causes(self._scope.filters, self._names_with_graphs | self.graphs.packages())


def _asks_for_others(tag: TagPair) -> bool:
    """Return whether both sides have a document of a stack, and ask for other packages in it."""
    found = asked_for_on_one_side(*tag.graphs)
    return any(found[stack] for stack in found.keys() - {None} - tag.left_out_stacks)


def _two_sided_tag(
    tag: TagPair, packages: Collection[PackageDiff], scope: Scope, known: KnownGraphs
) -> TagDiff:
    old_names = {it.pair.name for it in packages if it.old.in_any}.union(tag.counts.packages)
    new_names = {it.pair.name for it in packages if it.new.in_any}.union(tag.counts.packages)
    old_hashes, new_hashes = tag.hashes
    if old_hashes is None:
        old_hashes = tag.counts.specs + sum(it.old.in_any for it in packages)
    if new_hashes is None:
        new_hashes = tag.counts.specs + sum(it.new.in_any for it in packages)
    bits = TraitBits()  # of all stacks, as most builds of a page are in several
    stacks: dict[str, list[PackageDiff]] = {name: [] for name in tag.counts.specs_in}
    for package in packages:
        for name in package.old.versions.keys() | package.new.versions.keys():
            stacks.setdefault(name, []).append(package)
    diffs, asked_for = [], []
    for name, some in sorted(stacks.items()):
        stack = ComparedStack(name, some, tag, scope, known, bits)
        diffs.append(stack.diff())
        asked_for.append(stack.asked_for)
    return TagDiff(
        old=tag.tags[0],
        new=tag.tags[1],
        status="changed",
        specs=Count(old_hashes, new_hashes),
        packages=_package_count(old_names, new_names),
        products=_count_products(asked_for, scope),
        stacks=with_changes_elsewhere(diffs),
    )


def _count_products(
    asked_for: Iterable[tuple[AbstractSet[str], AbstractSet[str]] | None], scope: Scope
) -> PackageCount | UnsetType:
    """Return which packages are asked for in any stack, where the documents of all say it."""
    old, new = set[str](), set[str]()
    for sides in asked_for:
        if sides is None:
            return UNSET
        old.update(filter(scope.has_package, sides[0]))
        new.update(filter(scope.has_package, sides[1]))
    return _package_count(old, new)


def _package_count(old: AbstractSet[str], new: AbstractSet[str]) -> PackageCount:
    return PackageCount(
        len(old), len(new), added=tuple(sorted(new - old)), removed=tuple(sorted(old - new))
    )


def _one_sided_tag(tag: TagPair, scope: Scope) -> TagDiff | None:
    """Return a tag that one side alone has: all is counted, nothing is listed."""
    old, new = tag.tags
    is_narrowed = bool(scope.filters.package or scope.filters.stack)
    if scope.filters.because or (is_narrowed and not tag.counts.specs_in):
        return None  # nothing was rebuilt in it
    hashes = tag.hashes[old is None]
    status: Literal["added", "removed"] = "added" if old is None else "removed"

    def count(number: int) -> tuple[int, int]:
        return (0, number) if old is None else (number, 0)

    return TagDiff(
        old=old,
        new=new,
        status=status,
        specs=Count(*count(tag.counts.specs if hashes is None else hashes)),
        packages=PackageCount(*count(len(tag.counts.packages))),
        stacks=tuple(
            StackDiff(
                stack=name,
                document=tag.document_of(name, on_new_side=old is None),
                status=status,
                specs=Count(*count(specs)),
                packages=PackageCount(*count(tag.counts.packages_in[name])),
                summary=Summary(**{status: specs}),
            )
            for name, specs in sorted(tag.counts.specs_in.items())
        ),
    )


def find_hash_conflicts(pairs: Sequence[PackagePair], scope: Scope) -> tuple[HashConflict, ...]:
    """Return the hashes of a tag that no package lists with the same version on both sides."""
    hashes = set().union(*(pair.old for pair in pairs))
    hashes.intersection_update(set().union(*(pair.new for pair in pairs)))
    versions: dict[str, tuple[dict[str, str], dict[str, str]]] = {it: ({}, {}) for it in hashes}
    for pair in pairs if hashes else ():
        for place, specs in enumerate((pair.old, pair.new)):
            for spec_hash in specs.keys() & hashes:
                if scope.stacks(specs[spec_hash].stacks):
                    versions[spec_hash][place][pair.name] = specs[spec_hash].version_text
    return tuple(
        HashConflict(
            hash=spec_hash, old=SpecName(*min(old.items())), new=SpecName(*min(new.items()))
        )
        for spec_hash, (old, new) in sorted(versions.items())
        if old and new
        if all(
            parse_version(old[name]) != parse_version(new[name]) for name in old.keys() & new.keys()
        )
    )
