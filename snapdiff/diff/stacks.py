"""One stack of a tag: the changes and counts of its packages, and what somebody asked for."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Literal

from msgspec import UNSET
from msgspec.structs import replace

from snapdiff.diff.causes import explain_changes, main_causes
from snapdiff.diff.changed_pairs import KnownGraphs
from snapdiff.diff.compilers import (
    count_compilers,
    former_compilers,
    mpis_of_builds,
    tools_left,
    unchanged_toolchain,
)
from snapdiff.diff.dependencies import direct_dependents, unreadable_side
from snapdiff.diff.package_kinds import changes_of_packages
from snapdiff.diff.package_parts import narrowed_parts, parts_of, roots_on_one_side
from snapdiff.diff.packages import PackageDiff, narrowed_losses
from snapdiff.diff.trait_bits import TraitBits
from snapdiff.diff.traits import Traits, find_traits, read_linked
from snapdiff.diff.whole_packages import reasons_of_one_sided
from snapdiff.errors import BadPage, FormatError
from snapdiff.filters import Scope
from snapdiff.model.packages import TagPair
from snapdiff.model.specs import packages_asked_for
from snapdiff.result.changes import (
    BuildsApart,
    Change,
    PackageCount,
    RootChanges,
    StackDiff,
    Summary,
    changes_by_package,
)
from snapdiff.result.packages import AskedFor, Because, Count, Kind, PackageChange
from snapdiff.result.parts import change_of_part
from snapdiff.spack import STOOD_ON, Version, older_versions, parse_version


class ComparedStack:
    """A stack with what happened to each package that has a spec in it, on either side.

    `changes` and `package_changes` are all of them, `dependencies` has the known graphs of both
    sides by package; `both_graphs` are those of documents that list the whole stack. `there` are
    the packages on both sides, `asked_for` the roots of each, None where nobody says it.
    """

    def __init__(
        self,
        name: str,
        packages: Iterable[PackageDiff],
        tag: TagPair,
        scope: Scope,
        known: KnownGraphs,
        bits: TraitBits,
    ) -> None:
        packages = sorted(packages, key=lambda package: package.pair.name)
        self.name = name
        self.tag = tag
        self.scope = scope
        self.known = known
        self._bits = bits
        self._is_part = bool(scope.filters.package) or not tag.is_whole(name)
        counted = [(it.pair.name, it.old.in_stack(name), it.new.in_stack(name)) for it in packages]
        specs, listed = tag.counts.specs_in[name], tag.counts.packages_in[name]  # of what is alike
        self.specs = Count(
            specs + sum(old for _, old, _ in counted), specs + sum(new for _, _, new in counted)
        )
        self.packages = PackageCount(
            old=listed + sum(old > 0 for _, old, _ in counted),
            new=listed + sum(new > 0 for _, _, new in counted),
            added=tuple(package for package, old, _ in counted if not old),
            removed=tuple(package for package, _, new in counted if not new),
        )
        changed = [(it.pair, it.stacks[name]) for it in packages if name in it.stacks]
        self.package_changes = [found.package for _, found in changed]
        self._counts = {it.pair.name: (it.old, it.new) for it in packages}
        self.changes = [change for _, found in changed for change in found.specs]
        self._apart = [change for _, found in changed for change in found.apart]
        self.losses = {
            kind: [found.losses[kind] for _, found in changed if kind in found.losses]
            for kind in (Kind.REMOVED, Kind.ADDED, Kind.UPGRADED)
        }
        self.there = {package for package, old, new in counted if old and new}
        self.there.update(tag.unchanged.get(name, ()))
        self.dependencies = {pair.name: pair.graphs for pair, _ in changed if pair.graphs}
        self.document = min((pair.document for pair, _ in changed if pair.graphs), default=name)
        old, new = self.graphs = tag.graphs[0].get(name), tag.graphs[1].get(name)
        self.both_graphs = (old, new) if old and new else None
        self._sides = known.dependencies((old, new)) if old and new else None
        if scope.filters.because and old and not self.specs.new:
            # What went with the whole stack was lost, too; its old side says what used what.
            self.dependencies = dict.fromkeys((pair.name for pair, _ in changed), (old, old))
        old_names, new_names = (
            packages_asked_for(graph) if graph else None if number else frozenset[str]()
            for graph, number in zip(self.graphs, (self.specs.old, self.specs.new), strict=True)
        )
        self.asked_for = None
        self.asked_for_on_one_side = frozenset[str]()
        if old_names is not None and new_names is not None:
            self.asked_for = old_names, new_names
            self.asked_for_on_one_side = old_names ^ new_names

    def diff(self) -> StackDiff:
        """Return the diff of the stack.

        Raises BadPage where its document cannot be followed from dependency to dependency.
        """
        scope = self.scope
        # A part of the changes does not say which compilers there were.
        all_changes = None if self._is_part else self.changes
        try:
            changes, causes = explain_changes(
                self.changes, self.dependencies, self.known, scope, self._is_reported
            )
            apart = self._builds_apart()
            told = apart.of_all(changes) if apart else changes
            lost, gained, moved = self._traits(changes)
            roots = self._root_changes()
            packages = self._packages(changes)
            needed_by = self._needed_by(packages)
            because = self._because()
            specs = self.specs.old, self.specs.new
            compilers = count_compilers(all_changes, specs, self.graphs) if all_changes else UNSET
            unchanged = STOOD_ON.difference(it.package for it in self.package_changes)
            toolchain = unchanged_toolchain(self.graphs, set(filter(scope.has_package, unchanged)))
            several = {it.package for it in packages if it.builds.old > 1 and not it.whole}
            left = tools_left(self._sides, several) if self._sides else {}
            old, new = self._sides or (None, None)
            some = {it.package for it in packages if not it.whole}
            fewer, more = some & lost.packages.keys(), {*gained.packages, *moved.packages} & some
            gone_with = mpis_of_builds(old, told, Kind.REMOVED, fewer) if old else {}
            new_with = mpis_of_builds(new, told, Kind.ADDED, more) if new else {}
            became = former_compilers(self.packages.added, self.dependencies, all_changes)
        except FormatError as error:
            raise BadPage(self.document, unreadable_side(self.graphs), str(error)) from error
        main = main_causes(changes)
        asked_for = self.asked_for
        packages = [
            replace(
                change,
                asked_for=asked_for and AskedFor(*(change.package in side for side in asked_for)),
                lost=lost.common.get(change.package),
                gained=gained.common.get(change.package),
                lost_by=lost.packages.get(change.package, ()),
                gained_by=gained.packages.get(change.package, ()),
                moved_by=moved.packages.get(change.package) or UNSET,
                merged=lost.merged.get(change.package, UNSET),
                cause=main.get(change.package, UNSET),
                because=because.get(change.package, UNSET) if change.whole else UNSET,
                was_compiler=change.package in became or UNSET,
                needed_by=needed_by.get(change.package, UNSET),
                no_longer_with=left.get(change.package, UNSET),
                gone_with=gone_with.get(change.package, UNSET),
                new_with=new_with.get(change.package, UNSET),
            )
            for change in packages
        ]
        still_there = sorted(self.there.difference(it.package for it in packages))
        removed_or_paired = sum(change.old is not None for change in self.changes)
        kinds: dict[str, int] = Counter(change.kind for change in changes)
        return StackDiff(
            stack=self.name,
            document=self.tag.document_of(self.name, on_new_side=self.specs.new > 0),
            status=self._status(is_changed=bool(changes or roots)),
            specs=self.specs,
            packages=self.packages,
            summary=Summary(unchanged=self.specs.old - removed_or_paired, **kinds),
            asked_for=roots,
            lost=lost.stack,
            gained=gained.stack,
            package_changes=tuple(packages),
            still_there=tuple(still_there),
            versions_there=self._versions_there(still_there) or UNSET,
            roots_there=tuple(it for it in still_there if it in asked_for[1])
            if asked_for
            else UNSET,
            toolchain=toolchain or UNSET,
            compilers=compilers,
            causes=tuple(causes),
            changes=tuple(changes),
            builds_apart=apart or UNSET,
            renamed_from=self.tag.renamed.get(self.name, UNSET),
        )

    def _builds_apart(self) -> BuildsApart | None:
        """Return what reports say in place of pairs that are two builds, if all are reported."""
        if not self._apart or self.scope.filters.because:  # then some of the pairs are not reported
            return None
        changes = [*(it for it in self.changes if not it.two_builds), *self._apart]
        changes, causes = explain_changes(
            changes, self.dependencies, self.known, self.scope, self._is_reported
        )
        hashes = {spec.hash for it in self._apart for spec in it.specs}
        apart = (it for it in changes if not hashes.isdisjoint(spec.hash for spec in it.specs))
        return BuildsApart(changes=tuple(apart), causes=tuple(causes))

    def _versions_there(self, names: Sequence[str]) -> dict[str, tuple[str, ...]]:
        """Return which versions packages have on the new side, as far as that is known.

        What is the same on both sides of a document was not compared: of that it is the roots'.
        """
        versions = {name: set[str]() for name in names}
        graph = self.graphs[1]
        if graph is None:
            for name in versions.keys() & self._counts.keys():
                versions[name].update(self._counts[name][1].versions.get(self.name, ()))
        for root in ((graph and graph.roots) or {}).values():
            if root.package in versions:
                versions[root.package].add(root.version)
        return {it: tuple(sorted(versions[it], key=parse_version)) for it in names if versions[it]}

    def _is_reported(self, change: Change) -> bool:
        """Return whether a change is reported: with `--explicit`, of what is asked for."""
        return (
            not self.scope.filters.explicit
            or change.is_explicit
            # With all its specs: those that nobody asked for say whether it is still there.
            or change.package in self.asked_for_on_one_side
        )

    def _traits(self, changes: Iterable[Change]) -> tuple[Traits, Traits, Traits]:
        """Return what removed, added, and moved builds have in common."""
        filters, losses = self.scope.filters, self.losses
        if filters.because or filters.explicit:  # then not all is reported
            reported = {spec.hash for it in changes for spec in it.specs}
            losses = {kind: list(narrowed_losses(it, reported)) for kind, it in losses.items()}
        read_linked(chain.from_iterable(self.losses.values()), self._bits)
        # Some packages do not say what else is gone.
        gone = None if self._is_part else self.packages.removed
        came = None if self._is_part else self.packages.added
        return (
            find_traits(losses[Kind.REMOVED], gone, self._bits, are_lost=True),
            find_traits(losses[Kind.ADDED], came, self._bits, are_lost=False),
            find_traits(losses[Kind.UPGRADED], (), self._bits, are_lost=False),
        )

    def _root_changes(self) -> RootChanges | None:
        """Return what that is on both sides is asked for now or no longer, None if nothing is."""
        one_sided = {*self.packages.added, *self.packages.removed}
        names = sorted(filter(self.scope.has_package, self.asked_for_on_one_side - one_sided))
        if not names or not self.asked_for or self.scope.filters.because:
            return None
        old, new = self.asked_for
        no_longer = tuple(name for name in names if name in old)
        return RootChanges(
            now=tuple(name for name in names if name in new),
            no_longer=no_longer,
            needed_by=direct_dependents(no_longer, self.graphs[1]) if self.graphs[1] else {},
        )

    def _needed_by(self, changes: Iterable[PackageChange]) -> dict[str, tuple[str, ...]]:
        """Return which new roots link or run a version that came, or has more builds, by package.

        Of packages of which that version is older than one before; none where most roots that
        fell are needed by none of these: then everything went back, and no new root is the reason.
        """
        if not self.asked_for or not self._sides:
            return {}
        older: dict[str, set[Version]] = {}
        for change in changes:
            before = (*change.gone, *change.kept)
            if before and (came := older_versions(change.versions_with_more, before)):
                older[change.package] = set(map(parse_version, came))
        if not older:
            return {}
        old, new = self._sides
        there = set(old.graph.names.values())
        wanted = new.graph.roots or {}
        roots = {key: it.package for key, it in wanted.items() if it.package not in there}
        above = new.roots_above(older, roots)
        lower = {it.package for it in self.package_changes if it.kind is Kind.DOWNGRADED}
        fell = lower.intersection(chain(*self.asked_for))
        return above if 2 * len(fell - above.keys()) <= len(fell) else {}

    def _because(self) -> Mapping[str, Because]:
        """Return why dependencies are gone, or new, by package."""
        if not self.asked_for or not self.both_graphs:
            return {}
        old, new = self.both_graphs
        return reasons_of_one_sided("removed", old, new) | reasons_of_one_sided("added", new, old)

    def _packages(self, changes: Collection[Change]) -> list[PackageChange]:
        """Return what happened to packages, as far as it is looked at."""
        whole = {change.package: change for change in self.package_changes}
        if self.scope.filters.because:
            if self.asked_for:
                whole |= {it.package: it for it in self._in_parts(*self.asked_for)}
            return list(_because_of_some(changes, whole))
        if self.asked_for:
            return list(self._in_parts(*self.asked_for))
        if self.scope.filters.explicit:
            return changes_of_packages(changes, whole)
        return self.package_changes

    def _in_parts(
        self, was_asked_for: Collection[str], is_asked_for: Collection[str]
    ) -> Iterator[PackageChange]:
        """Yield what happened to packages, with what is about roots; with `--explicit` no more."""
        explicit = self.scope.filters.explicit
        roots: tuple[dict[str, Counter[str]], dict[str, Counter[str]]] = ({}, {})
        for graph, versions in zip(self.graphs, roots, strict=True):
            for root in ((graph and graph.roots) or {}).values():
                versions.setdefault(root.package, Counter())[root.version] += 1
        one_sided = roots_on_one_side(*self.both_graphs) if self.both_graphs else ()
        specs = changes_by_package(chain(self.changes, one_sided))
        for package in self.package_changes:
            name = package.package
            if name in was_asked_for and name in is_asked_for:
                before, after = (Counter(it.versions.get(self.name)) for it in self._counts[name])
                of_roots = roots[0][name], roots[1][name]
                parts = parts_of(package, (before, after), of_roots, specs[name])
                if not parts or not explicit:
                    yield replace(package, parts=parts or UNSET)
                elif asked_for := change_of_part(package, parts, specs[name], of_roots=True):
                    yield asked_for
            elif not explicit or name in was_asked_for or name in is_asked_for:
                yield package

    def _status(self, *, is_changed: bool) -> Literal["changed", "added", "removed", "unchanged"]:
        # Some packages, and what was rebuilt, do not say whether a stack is new or gone.
        if not self._is_part and not self.scope.filters.because:
            if not self.specs.old:
                return "added"
            if not self.specs.new:
                return "removed"
        return "changed" if is_changed else "unchanged"


def _because_of_some(
    changes: Collection[Change], whole: Mapping[str, PackageChange]
) -> Iterator[PackageChange]:
    """Yield what happened to packages of which only rebuilt and lost specs are looked at.

    Rebuilt specs say nothing of the versions beside them. What lost one may have others left, or
    newer ones: only all of its builds say whether it is gone.
    """
    rebuilt = {name: replace(change, kept=()) for name, change in whole.items()}
    specs = changes_by_package(changes)
    for change in changes_of_packages(changes, rebuilt):
        of_all = whole[change.package]
        if change.specs.removed:
            change = replace(of_all, specs=change.specs, duplicates=change.duplicates)
        parts = of_all.parts and narrowed_parts(of_all.parts, specs[change.package])
        yield replace(change, parts=parts)
