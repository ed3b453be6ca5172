"""Package by package, what a tag comes to: counts and changes per stack."""

from collections.abc import Iterable
from typing import Literal

from snapdiff.changes import Change, Count, Kind, PackageCount, StackDiff, Summary, TagDiff
from snapdiff.differences import Differences
from snapdiff.limits import Effort
from snapdiff.model import Package, SpecClass
from snapdiff.pairing import Member, pair_specs
from snapdiff.scope import Scope
from snapdiff.totals import Totals, specs_by_stack
from snapdiff.version import Version, parse_version

_Side = dict[str, dict[SpecClass, list[str]]]
"""By stack: the specs that one side only has, as classes with their hashes."""

_Status = Literal["changed", "added", "removed", "unchanged"]


class _StackTally:
    """What one stack comes to so far."""

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

    def __init__(self) -> None:
        self.old = self.new = 0
        self.old_packages = self.new_packages = 0
        self.added: list[str] = []
        self.removed: list[str] = []
        self.kinds = dict.fromkeys(Kind, 0)
        self.kept_versions: dict[str, tuple[str, ...]] = {}
        self.changes: list[Change] = []


_VERSION_KINDS = frozenset([Kind.ADDED, Kind.REMOVED, Kind.UPGRADED, Kind.DOWNGRADED])
"""The kinds of change with which a version can come or go."""


class TagTally:
    """Adds up one tag, or two that are compared with each other."""

    def __init__(self, scope: Scope, differences: Differences) -> None:
        """Begin with nothing; `scope` says what counts."""
        self._scope = scope
        self._differences = differences
        self._stacks: dict[str, _StackTally] = {}
        self._old_specs = self._new_specs = 0
        self._old_packages = self._new_packages = 0

    def has_changes(self) -> bool:
        """Return whether anything happened so far that the scope lets through."""
        return any(stack.changes for stack in self._stacks.values())

    def add_unchanged(self, package: Package) -> None:
        """Count a package that is the same on both sides."""
        self.count(package, package)

    def compare(self, old: Package | None, new: Package | None) -> None:
        """Count a package and find out what happened to its specs; None where a side has none.

        Raises FormatError, and counts nothing, where pairing its specs would cost too much.
        """
        gone, come = self._one_sided(old, new), self._one_sided(new, old)
        name = _name(old, new)
        effort = Effort()
        pairings = {
            stack: pair_specs(gone.get(stack, {}), come.get(stack, {}), effort)
            for stack in gone.keys() | come.keys()
        }
        self.count(old, new)
        kept: dict[str, tuple[str, ...]] | None = None
        for stack, pairing in pairings.items():
            tally = self._stacks[stack]
            changes = [self._paired(name, before, after) for before, after in pairing.pairs]
            changes += [_change(Kind.REMOVED, name, member, None) for member in pairing.removed]
            changes += [_change(Kind.ADDED, name, None, member) for member in pairing.added]
            for change in changes:
                tally.kinds[change.kind] += 1
            changes = [change for change in changes if change.kind in self._scope.kinds]
            changes.sort(key=_order)
            tally.changes += changes
            if old and new and any(change.kind in _VERSION_KINDS for change in changes):
                kept = _kept_versions(old, new) if kept is None else kept
                tally.kept_versions[name] = kept.get(stack, ())

    def has_specs(self) -> bool:
        """Return whether any spec so far is in a stack that is compared."""
        return bool(self._stacks)

    def count(self, old: Package | None, new: Package | None) -> None:
        """Count a package without finding out what happened to it; None where a side has none."""
        before, old_number = self._specs_by_stack(old)
        after, new_number = (before, old_number) if new is old else self._specs_by_stack(new)
        self._old_specs += old_number
        self._new_specs += new_number
        self._old_packages += old_number > 0
        self._new_packages += new_number > 0
        name = _name(old, new)
        for stack in before.keys() | after.keys():
            tally = self._stacks.get(stack)
            if tally is None:
                tally = self._stacks[stack] = _StackTally()
            old_number, new_number = before.get(stack, 0), after.get(stack, 0)
            tally.old += old_number
            tally.new += new_number
            tally.old_packages += old_number > 0
            tally.new_packages += new_number > 0
            if not old_number:
                tally.added.append(name)
            if not new_number:
                tally.removed.append(name)

    def _specs_by_stack(self, package: Package | None) -> tuple[dict[str, int], int]:
        return specs_by_stack(package, self._scope) if package else ({}, 0)

    def add_unchanged_totals(self, totals: Totals) -> None:
        """Count packages that are the same on both sides, added up before."""
        self._old_specs += totals.specs
        self._new_specs += totals.specs
        self._old_packages += totals.packages
        self._new_packages += totals.packages
        for stack, (specs, packages) in totals.stacks.items():
            if packages:
                tally = self._stacks.setdefault(stack, _StackTally())
                tally.old += specs
                tally.new += specs
                tally.old_packages += packages
                tally.new_packages += packages

    def _one_sided(self, mine: Package | None, other: Package | None) -> _Side:
        """Return the specs that only one side has, stack by stack: the hash decides."""
        specs = mine.specs if mine else {}
        there = other.specs if other else {}
        side: _Side = {}
        for spec_hash, spec_class in specs.items():
            twin = there.get(spec_hash)
            if twin is spec_class:
                continue
            stacks = spec_class.stacks - twin.stacks if twin else spec_class.stacks
            for stack in self._scope.stacks(stacks):
                members = side.setdefault(stack, {})
                members.setdefault(spec_class, []).append(spec_hash)
        return side

    def _paired(self, name: str, old: Member, new: Member) -> Change:
        before = parse_version(old.description.version)
        after = parse_version(new.description.version)
        fields = self._differences.between(
            old.description, new.description, version=before != after
        )
        return Change(
            _kind(before, after, reconfigured=bool(fields)),
            name,
            old.description.spec(old.hash),
            new.description.spec(new.hash),
            fields,
        )

    def two_sided(self, old: str, new: str) -> TagDiff:
        """Return the diff of two tags that are compared with each other."""
        return self._finish(old, new, "changed", [self._changed(name) for name in self._names()])

    def one_sided(self, tag: str, status: Literal["added", "removed"]) -> TagDiff:
        """Return the diff of a tag that came or went: all counted, nothing listed."""
        old, new = (None, tag) if status == "added" else (tag, None)
        stacks = [
            self._stack_diff(
                name,
                status,
                Summary(
                    **self._told({Kind(status): self._stacks[name].old + self._stacks[name].new})
                ),
            )
            for name in self._names()
        ]
        return self._finish(old, new, status, stacks)

    def _finish(
        self,
        old: str | None,
        new: str | None,
        status: Literal["changed", "added", "removed"],
        stacks: Iterable[StackDiff],
    ) -> TagDiff:
        return TagDiff(
            old=old,
            new=new,
            status=status,
            specs=Count(self._old_specs, self._new_specs),
            packages=Count(self._old_packages, self._new_packages),
            stacks=tuple(stacks),
        )

    def _names(self) -> list[str]:
        return sorted(self._stacks)

    def _told(self, kinds: dict[Kind, int]) -> dict[str, int]:
        return {kind.value: number for kind, number in kinds.items() if kind in self._scope.kinds}

    def _changed(self, stack: str) -> StackDiff:
        tally = self._stacks[stack]
        tally.changes.sort(key=lambda change: change.package)
        gone = sum(tally.kinds.values()) - tally.kinds[Kind.ADDED]
        summary = Summary(unchanged=tally.old - gone, **self._told(tally.kinds))
        if not tally.old:
            return self._stack_diff(stack, "added", summary, listed=True)
        if not tally.new:
            return self._stack_diff(stack, "removed", summary, listed=True)
        status: _Status = "changed" if tally.changes else "unchanged"
        return self._stack_diff(stack, status, summary, listed=True)

    def _stack_diff(
        self, stack: str, status: _Status, summary: Summary, *, listed: bool = False
    ) -> StackDiff:
        tally = self._stacks[stack]
        return StackDiff(
            stack=stack,
            status=status,
            specs=Count(tally.old, tally.new),
            packages=PackageCount(
                old=tally.old_packages,
                new=tally.new_packages,
                added=tuple(sorted(tally.added)) if listed else (),
                removed=tuple(sorted(tally.removed)) if listed else (),
            ),
            summary=summary,
            kept_versions=dict(sorted(tally.kept_versions.items())),
            changes=tuple(tally.changes),
        )


def _kept_versions(old: Package, new: Package) -> dict[str, tuple[str, ...]]:
    """Return by stack the versions that both sides have, in their order."""
    before, after = _versions(old), _versions(new)
    return {
        stack: tuple(sorted(versions & after[stack], key=lambda text: (parse_version(text), text)))
        for stack, versions in before.items()
        if stack in after
    }


def _versions(package: Package) -> dict[str, set[str]]:
    by_stack: dict[str, set[str]] = {}
    for item in {*package.specs.values(), *package.shared.values()}:
        for stack in item.stacks:
            by_stack.setdefault(stack, set()).add(item.description.version)
    return by_stack


def _kind(old: Version, new: Version, *, reconfigured: bool) -> Kind:
    if old < new:
        return Kind.UPGRADED
    if new < old:
        return Kind.DOWNGRADED
    return Kind.RECONFIGURED if reconfigured else Kind.REBUILT


def _change(kind: Kind, name: str, old: Member | None, new: Member | None) -> Change:
    return Change(
        kind,
        name,
        old.description.spec(old.hash) if old else None,
        new.description.spec(new.hash) if new else None,
    )


def _order(change: Change) -> tuple[str, Version, Version, str, str]:
    """Return what changes of one package are sorted by: kind, version, hash."""
    old = change.old or change.new
    new = change.new or change.old
    assert old is not None
    assert new is not None
    return (
        change.kind.value,
        parse_version(old.version),
        parse_version(new.version),
        old.hash,
        new.hash,
    )


def _name(old: Package | None, new: Package | None) -> str:
    package = old or new
    assert package is not None
    return package.name
