"""What happened in each tag: its packages' changes and counts, added up stack by stack."""

from collections.abc import Iterable, Mapping
from typing import Literal, NamedTuple

from snapdiff.diff.effort import Effort
from snapdiff.diff.specs import changes_by_stack, kept_versions
from snapdiff.filters import Scope
from snapdiff.limits import DEFAULT_LIMITS, Limits
from snapdiff.model import Build, Counts, PackagePair, TagPair, Tags, count_by_stacks
from snapdiff.result import Change, Count, Kind, PackageCount, StackDiff, Summary, TagDiff

_VERSION_KINDS = frozenset([Kind.ADDED, Kind.REMOVED, Kind.UPGRADED, Kind.DOWNGRADED])
"""The kinds of change with which a version can be new or gone."""


class _SideCounts(NamedTuple):
    """The specs of one package on one side: by stack, and how many are in any."""

    by_stack: dict[str, int]
    in_any: int


class _PackageDiff(NamedTuple):
    """What happened to one package: all its changes, and the counts of both sides."""

    name: str
    old: _SideCounts
    new: _SideCounts
    changes: dict[str, list[Change]]
    kept: dict[str, tuple[str, ...]]


class TagDiffs:
    """Takes packages in pairs, in any order, and gives the diff of each tag when it is complete."""

    def __init__(self, scope: Scope, limits: Limits = DEFAULT_LIMITS) -> None:
        """Begin with nothing; `scope` says which stacks count and which kinds are reported."""
        self._scope = scope
        self._limits = limits
        self._packages: dict[Tags, list[_PackageDiff]] = {}

    def add(self, pair: PackagePair) -> None:
        """Find out what happened to a package.

        Raises FormatError, and counts nothing, where pairing its specs would cost too much.
        """
        changes = changes_by_stack(pair, self._scope, Effort(self._limits))
        kept = {
            stack: kept_versions(pair, stack)
            for stack, found in changes.items()
            if any(change.kind in _VERSION_KINDS & self._scope.kinds for change in found)
        }
        self._packages.setdefault(pair.tags, []).append(
            _PackageDiff(
                pair.name,
                self._side_counts(pair, pair.old),
                self._side_counts(pair, pair.new),
                changes,
                kept,
            )
        )

    def _side_counts(self, pair: PackagePair, side: Mapping[str, Build]) -> _SideCounts:
        by_stack: dict[str, int] = {}
        in_any = 0
        for listed, number in count_by_stacks(side.values(), pair.common).items():
            stacks = self._scope.stacks(listed)
            for stack in stacks:
                by_stack[stack] = by_stack.get(stack, 0) + number
            in_any += number if stacks else 0
        return _SideCounts(by_stack, in_any)

    def close(self, tag: TagPair) -> TagDiff | None:
        """Return the diff of a tag whose packages have all been added, None where it is empty."""
        packages = [
            package
            for package in self._packages.pop(tag.tags, [])
            if package.name not in tag.left_out
        ]
        if tag.tags[0] is None or tag.tags[1] is None:
            return _one_sided_tag(tag, self._scope)
        total = _TagTotal(self._scope, tag.counts)
        for package in packages:
            total.add(package)
        return total.diff(tag) if total.has_changes() else None


class _StackTotal:
    """What is known of one stack so far."""

    __slots__ = (
        "added",
        "changes",
        "kept_versions",
        "kinds",
        "new",
        "new_packages",
        "old",
        "old_packages",
        "removed",
    )

    def __init__(self, specs: int, packages: int) -> None:
        self.old = self.new = specs
        self.old_packages = self.new_packages = packages
        self.added: list[str] = []
        self.removed: list[str] = []
        self.kinds = dict.fromkeys(Kind, 0)
        self.kept_versions: dict[str, tuple[str, ...]] = {}
        self.changes: list[Change] = []

    def diff(self, stack: str, scope: Scope) -> StackDiff:
        """Return the diff of the stack."""
        self.changes.sort(key=lambda change: change.package)
        paired_or_removed = sum(self.kinds.values()) - self.kinds[Kind.ADDED]
        status: Literal["changed", "added", "removed", "unchanged"]
        status = "changed" if self.changes else "unchanged"
        if not scope.filters.package:  # some packages do not say whether a stack is new or gone
            status = "added" if not self.old else "removed" if not self.new else status
        return StackDiff(
            stack=stack,
            status=status,
            specs=Count(self.old, self.new),
            packages=PackageCount(
                old=self.old_packages,
                new=self.new_packages,
                added=tuple(sorted(self.added)),
                removed=tuple(sorted(self.removed)),
            ),
            summary=Summary(unchanged=self.old - paired_or_removed, **_reported(self.kinds, scope)),
            kept_versions=dict(sorted(self.kept_versions.items())),
            changes=tuple(self.changes),
        )


class _TagTotal:
    """What is known of one tag so far."""

    def __init__(self, scope: Scope, unchanged: Counts) -> None:
        self._scope = scope
        self._specs = [unchanged.specs, unchanged.specs]
        self._packages = [len(unchanged.packages), len(unchanged.packages)]
        self._stacks = {
            stack: _StackTotal(specs, packages)
            for stack, (specs, packages) in unchanged.stacks.items()
        }

    def add(self, package: _PackageDiff) -> None:
        """Add a package."""
        self._specs[0] += package.old.in_any
        self._specs[1] += package.new.in_any
        self._packages[0] += package.old.in_any > 0
        self._packages[1] += package.new.in_any > 0
        for name in package.old.by_stack.keys() | package.new.by_stack.keys():
            stack = self._stacks.get(name)
            if stack is None:
                stack = self._stacks[name] = _StackTotal(0, 0)
            old, new = package.old.by_stack.get(name, 0), package.new.by_stack.get(name, 0)
            stack.old += old
            stack.new += new
            stack.old_packages += old > 0
            stack.new_packages += new > 0
            if not old:
                stack.added.append(package.name)
            if not new:
                stack.removed.append(package.name)
        for name, changes in package.changes.items():
            stack = self._stacks[name]
            for change in changes:
                stack.kinds[change.kind] += 1
            stack.changes += [change for change in changes if change.kind in self._scope.kinds]
        for name, versions in package.kept.items():
            if package.old.in_any and package.new.in_any:
                self._stacks[name].kept_versions[package.name] = versions

    def has_changes(self) -> bool:
        """Return whether anything happened that is reported."""
        return any(stack.changes for stack in self._stacks.values())

    def diff(self, tag: TagPair) -> TagDiff:
        """Return the diff of the tag."""
        return TagDiff(
            old=tag.tags[0],
            new=tag.tags[1],
            status="changed",
            specs=Count(self._specs[0] - tag.repeated[0], self._specs[1] - tag.repeated[1]),
            packages=Count(*self._packages),
            stacks=tuple(
                self._stacks[stack].diff(stack, self._scope) for stack in sorted(self._stacks)
            ),
        )


def _one_sided_tag(tag: TagPair, scope: Scope) -> TagDiff | None:
    """Return a tag that one side alone has: all is counted, nothing is listed."""
    old, new = tag.tags
    status: Literal["added", "removed"] = "added" if old is None else "removed"
    is_narrowed = bool(scope.filters.package or scope.filters.stack)
    if Kind(status) not in scope.kinds or (is_narrowed and not tag.counts.stacks):
        return None
    stacks = [
        StackDiff(
            stack=stack,
            status=status,
            specs=_one_sided_count(specs, status),
            packages=PackageCount(
                old=packages if status == "removed" else 0,
                new=packages if status == "added" else 0,
            ),
            summary=Summary(**{status: specs}),
            kept_versions={},
            changes=(),
        )
        for stack, (specs, packages) in sorted(tag.counts.stacks.items())
    ]
    return TagDiff(
        old=old,
        new=new,
        status=status,
        specs=_one_sided_count(tag.counts.specs, status),
        packages=_one_sided_count(len(tag.counts.packages), status),
        stacks=tuple(stacks),
    )


def _one_sided_count(number: int, status: Literal["added", "removed"]) -> Count:
    return Count(0, number) if status == "added" else Count(number, 0)


def _reported(kinds: dict[Kind, int], scope: Scope) -> dict[str, int]:
    return {kind.value: number for kind, number in kinds.items() if kind in scope.kinds}


def sum_summaries(summaries: Iterable[Summary]) -> Summary:
    """Return the numbers of several summaries added up."""
    totals = dict.fromkeys(Summary.__struct_fields__, 0)
    for summary in summaries:
        for name in totals:
            totals[name] += getattr(summary, name)
    return Summary(**totals)
