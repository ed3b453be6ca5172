"""One stack of a tag: the changes and counts of its packages, and what somebody asked for."""

from collections import Counter
from collections.abc import Callable, Collection, Iterable
from itertools import chain
from operator import attrgetter
from typing import Literal, NamedTuple

from msgspec import UNSET
from msgspec.structs import asdict, replace

from snapdiff.diff.causes import explain_changes, main_causes
from snapdiff.diff.changed_pairs import KnownGraphs
from snapdiff.diff.compilers import count_compilers, former_compilers
from snapdiff.diff.dependencies import Graphs, direct_dependents, roots_above
from snapdiff.diff.package_kinds import changes_of_packages, parts_of
from snapdiff.diff.packages import PackageDiff
from snapdiff.diff.traits import Loss, Traits, find_traits, narrowed_losses, read_builds
from snapdiff.errors import BadPage, FormatError
from snapdiff.filters import Scope
from snapdiff.model import Graph, TagPair, packages_asked_for
from snapdiff.result import (
    AskedFor,
    Change,
    Count,
    Kind,
    PackageChange,
    PackageCount,
    RootChanges,
    StackDiff,
    Summary,
)
from snapdiff.spack.version import Version, parse_version


class AskedForNames(NamedTuple):
    """The packages of a stack that are asked for, on each side, and its documents."""

    old: frozenset[str]
    new: frozenset[str]
    graphs: tuple[Graph | None, Graph | None]

    def of(self, package: str) -> AskedFor:
        """Return on which sides a package is asked for."""
        return AskedFor(package in self.old, package in self.new)

    @property
    def on_one_side(self) -> frozenset[str]:
        """The packages that are asked for on one side alone."""
        return self.old ^ self.new

    def versions(self) -> tuple[dict[str, Counter[str]], dict[str, Counter[str]]]:
        """Return how many roots of each version each side has, by package."""
        found: tuple[dict[str, Counter[str]], dict[str, Counter[str]]] = ({}, {})
        for graph, versions in zip(self.graphs, found, strict=True):
            for root in ((graph and graph.roots) or {}).values():
                versions.setdefault(root.package, Counter())[root.version] += 1
        return found

    def changes(self, scope: Scope, one_sided: Collection[str]) -> RootChanges | None:
        """Return what is asked for now or no longer, less what is `one_sided` itself, or None.

        Raises FormatError where a node of the new side cannot be read.
        """
        flipped = {
            name for name in self.on_one_side if scope.has_package(name) and name not in one_sided
        }
        if not flipped or scope.filters.because:
            return None
        no_longer = tuple(sorted(flipped & self.old))
        return RootChanges(
            now=tuple(sorted(flipped & self.new)),
            no_longer=no_longer,
            needed_by=direct_dependents(no_longer, self.graphs[1]) if self.graphs[1] else {},
        )

    def needed_by(
        self, changes: Iterable[PackageChange], known: KnownGraphs
    ) -> dict[str, tuple[str, ...]]:
        """Return which new roots link or run a version that came, by package.

        Of packages of which a version came that is older than one before. Raises FormatError where
        a node cannot be read.
        """
        old, new = self.graphs
        older: dict[str, set[Version]] = {}
        for change in changes:
            before = [parse_version(version) for version in (*change.gone, *change.kept)]
            for version in map(parse_version, change.came) if before else ():
                if version < max(before):
                    older.setdefault(change.package, set()).add(version)
        if not older or old is None or new is None:
            return {}
        roots = {
            spec_hash: root.package
            for spec_hash, root in (new.roots or {}).items()
            if root.package not in old.package_names
        }
        return roots_above(older, roots, known.dependencies((old, new))[1])


def asks_for_others(tag: TagPair, stack: str) -> bool:
    """Return whether both sides have a document of a stack, and ask for other packages in it."""
    old, new = tag.graphs[0].get(stack), tag.graphs[1].get(stack)
    return bool(old and new and packages_asked_for(old) != packages_asked_for(new))


_PACKAGE = attrgetter("package")


class StackTotal:
    """What is known of one stack so far."""

    def __init__(self, name: str, tag: TagPair) -> None:
        """Begin with what is the same on both sides of the tag."""
        self.name = name
        self.tag = tag
        specs, packages = tag.counts.stacks.get(name, (0, 0))
        self.old = self.new = specs
        self.old_packages = self.new_packages = packages
        self.added: list[str] = []
        self.removed: list[str] = []
        self.package_changes: list[PackageChange] = []
        self.changes: list[Change] = []
        self.graphs: dict[str, Graphs] = {}
        self.documents: set[str] = set()
        self.losses: dict[Kind, list[Loss]] = {Kind.REMOVED: [], Kind.ADDED: []}
        self.unchanged = set(tag.unchanged.get(name, ()))  # those that changed in other stacks

    def add(self, package: PackageDiff) -> None:
        """Add a package that has a spec in the stack, on either side."""
        name = package.pair.name
        old, new = (side.by_stack.get(self.name, 0) for side in (package.old, package.new))
        self.old += old
        self.new += new
        self.old_packages += old > 0
        self.new_packages += new > 0
        if not old:
            self.added.append(name)
        if not new:
            self.removed.append(name)
        found = package.stacks.get(self.name)
        if found:
            if package.pair.graphs:
                self.graphs[name] = package.pair.graphs
                self.documents.add(package.pair.document)
            for kind, loss in found.losses.items():
                self.losses[kind].append(loss)
            self.package_changes.append(found.package)
            self.changes += found.specs
        elif old and new:
            self.unchanged.add(name)

    def diff(self, scope: Scope, known: KnownGraphs) -> StackDiff:
        """Return the diff of the stack.

        Raises BadPage where its document cannot be followed from dependency to dependency.
        """
        self.package_changes.sort(key=_PACKAGE)
        self.changes.sort(key=_PACKAGE)
        graphs = self.tag.graphs[0].get(self.name), self.tag.graphs[1].get(self.name)
        old_names, new_names = (
            packages_asked_for(graph) if graph else None if number else frozenset[str]()
            for graph, number in zip(graphs, (self.old, self.new), strict=True)
        )
        asked_for = None  # where nobody says it
        if old_names is not None and new_names is not None:
            asked_for = AskedForNames(old_names, new_names, graphs)
        is_reported = _reported(scope, asked_for)
        try:
            changes, causes = explain_changes(self.changes, self.graphs, known, scope, is_reported)
            lost, gained = self._traits(changes, scope)
            roots = asked_for.changes(scope, {*self.added, *self.removed}) if asked_for else None
            packages = self._packages(changes, scope)
            needed_by = asked_for.needed_by(packages, known) if asked_for else {}
            compilers = (
                count_compilers(self.changes, (self.old, self.new), graphs)
                if self.changes and not scope.filters.package  # else nobody knows all of them
                else UNSET
            )
        except FormatError as error:
            raise BadPage(min(self.documents, default=self.name), "new", str(error)) from error
        removed_or_paired = sum(change.old is not None for change in self.changes)
        kinds: dict[str, int] = Counter(change.kind for change in changes)
        # With `-p` the changes do not say which compilers there were.
        compared = None if scope.filters.package else self.changes
        became = former_compilers(self.added, self.graphs, compared)
        main = main_causes(changes)
        there = self.unchanged.union(it.package for it in self.package_changes if not it.whole)
        if asked_for and not scope.filters.because:
            packages = _told_in_parts(packages, changes, asked_for, scope)
        packages = [
            replace(
                change,
                asked_for=asked_for and asked_for.of(change.package),
                lost=lost.common.get(change.package),
                gained=gained.common.get(change.package),
                lost_by=lost.packages.get(change.package, ()),
                gained_by=gained.packages.get(change.package, ()),
                cause=main.get(change.package, UNSET),
                was_compiler=change.package in became or UNSET,
                needed_by=needed_by.get(change.package, UNSET),
            )
            for change in packages
        ]
        return StackDiff(
            stack=self.name,
            document=self.tag.document_of(self.name, on_new_side=self.new > 0),
            status=self._status(scope, is_changed=bool(changes or roots)),
            specs=Count(self.old, self.new),
            packages=PackageCount(
                old=self.old_packages,
                new=self.new_packages,
                added=tuple(sorted(self.added)),
                removed=tuple(sorted(self.removed)),
            ),
            summary=Summary(unchanged=self.old - removed_or_paired, **kinds),
            asked_for=roots,
            lost=lost.stack,
            gained=gained.stack,
            lost_by=lost.of_stack,
            gained_by=gained.of_stack,
            package_changes=tuple(packages),
            still_there=tuple(sorted(there - {it.package for it in packages})),
            compilers=compilers,
            causes=tuple(causes),
            changes=tuple(changes),
            renamed_from=self.tag.renamed.get(self.name, UNSET),
        )

    def _traits(self, changes: Iterable[Change], scope: Scope) -> tuple[Traits, Traits]:
        """Return what the removed and the added builds have in common; raises FormatError."""
        losses = {kind: sorted(some, key=_PACKAGE) for kind, some in self.losses.items()}
        if scope.filters.because or scope.filters.explicit:  # then not all is reported
            for kind in losses:
                specs = (change.old or change.new for change in changes if change.kind is kind)
                wanted = {spec.hash for spec in specs if spec}
                losses[kind] = list(narrowed_losses(losses[kind], wanted))
        bits = read_builds(chain.from_iterable(losses.values()))
        # With `-p`, the packages that are compared do not say what else is gone.
        gone = (None, None) if scope.filters.package else (self.removed, self.added)
        return (
            find_traits(losses[Kind.REMOVED], gone[0], bits),
            find_traits(losses[Kind.ADDED], gone[1], bits),
        )

    def _packages(self, changes: Collection[Change], scope: Scope) -> list[PackageChange]:
        """Return what happened to packages, as far as it is looked at."""
        whole = {change.package: change for change in self.package_changes}
        if scope.filters.because:
            # Rebuilt specs say nothing of the versions beside them. What lost one may have others
            # left, or newer ones: only all of its builds say whether it is gone.
            rebuilt = {name: replace(change, kept=()) for name, change in whole.items()}
            lost = {change.package for change in changes if change.kind is Kind.REMOVED}
            return [
                replace(whole[it.package], specs=it.specs, duplicates=it.duplicates)
                if it.package in lost
                else it
                for it in changes_of_packages(changes, rebuilt)
            ]
        if scope.filters.explicit:
            return changes_of_packages(changes, whole)
        return self.package_changes

    def _status(
        self, scope: Scope, *, is_changed: bool
    ) -> Literal["changed", "added", "removed", "unchanged"]:
        # Some packages, and what was rebuilt, do not say whether a stack is new or gone.
        if not scope.filters.package and not scope.filters.because:
            if not self.old:
                return "added"
            if not self.new:
                return "removed"
        return "changed" if is_changed else "unchanged"


def _told_in_parts(
    packages: Iterable[PackageChange],
    changes: Iterable[Change],
    asked_for: AskedForNames,
    scope: Scope,
) -> list[PackageChange]:
    """Return what happened to packages, with what of it is about roots; with `--explicit` no more.

    `changes` are those of all their specs.
    """
    specs: dict[str, list[Change]] = {}
    for change in changes:
        specs.setdefault(change.package, []).append(change)
    old, new = asked_for.versions()
    found = []
    for package in packages:
        name, parts = package.package, None
        if name in old and name in new:
            parts = parts_of(package, old[name], new[name], specs[name])
        if not parts:
            found.append(package)
        elif not scope.filters.explicit:
            found.append(replace(package, parts=parts))
        elif parts.asked_for:
            found.append(replace(package, **asdict(parts.asked_for)))
    return found


def _reported(scope: Scope, asked_for: AskedForNames | None) -> Callable[[Change], bool]:
    """Return what says whether a change is reported: with `--explicit`, of what is asked for.

    What is asked for on one side alone is reported with all its specs: those that nobody asked for
    say whether it is still there.
    """
    if not scope.filters.explicit:
        return lambda _: True
    names = asked_for.on_one_side if asked_for else frozenset()
    return lambda change: change.is_explicit or change.package in names
