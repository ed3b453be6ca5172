"""Package by package, what a tag comes to: counts and changes per stack."""

from collections.abc import Iterable
from typing import Literal

from snapdiff.diff.package_changes import change_of_package
from snapdiff.diff.specs import package_changes, package_name, versions_by_stack
from snapdiff.diff.totals import Totals, specs_by_stack
from snapdiff.filters import Scope
from snapdiff.model import Package
from snapdiff.result import (
    Change,
    Count,
    Kind,
    PackageChange,
    PackageCount,
    StackDiff,
    Summary,
    TagDiff,
)

_Status = Literal["changed", "added", "removed", "unchanged"]


class _StackTally:
    """What one stack comes to so far."""

    __slots__ = (
        "added",
        "changes",
        "kinds",
        "new",
        "new_packages",
        "old",
        "old_packages",
        "package_changes",
        "removed",
    )

    def __init__(self) -> None:
        self.old = self.new = 0
        self.old_packages = self.new_packages = 0
        self.added: list[str] = []
        self.removed: list[str] = []
        self.kinds = dict.fromkeys(Kind, 0)
        self.package_changes: list[PackageChange] = []
        self.changes: list[Change] = []


class TagTally:
    """Adds up one tag, or two that are compared with each other."""

    def __init__(self, scope: Scope) -> None:
        """Begin with nothing; `scope` says what counts."""
        self._scope = scope
        self._stacks: dict[str, _StackTally] = {}
        self._old_specs = self._new_specs = 0
        self._old_packages = self._new_packages = 0
        self._added: list[str] = []
        self._removed: list[str] = []

    def has_changes(self) -> bool:
        """Return whether anything happened so far."""
        return any(stack.changes for stack in self._stacks.values())

    def add_unchanged(self, package: Package) -> None:
        """Count a package that is the same on both sides."""
        self.count(package, package)

    def compare(self, old: Package | None, new: Package | None) -> None:
        """Count a package and find out what happened to its specs; None where a side has none.

        Raises FormatError, and counts nothing, where pairing its specs would cost too much.
        """
        found = package_changes(old, new, self._scope)
        self.count(old, new)
        name = package_name(old, new)
        before, after = (versions_by_stack(package) for package in (old, new))
        for stack, changes in found.items():
            tally = self._stacks[stack]
            for change in changes:
                tally.kinds[change.kind] += 1
            tally.changes += changes
            tally.package_changes.append(
                change_of_package(name, before.get(stack, ()), after.get(stack, ()), changes)
            )

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
        name = package_name(old, new)
        if new_number and not old_number:
            self._added.append(name)
        if old_number and not new_number:
            self._removed.append(name)
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

    def two_sided(self, old: str, new: str) -> TagDiff:
        """Return the diff of two tags that are compared with each other."""
        stacks = [self._changed(name) for name in self._names()]
        return self._finish(old, new, "changed", stacks, listed=True)

    def one_sided(self, tag: str, status: Literal["added", "removed"]) -> TagDiff:
        """Return the diff of a tag that came or went: all counted, nothing listed."""
        old, new = (None, tag) if status == "added" else (tag, None)
        stacks = [
            self._stack_diff(
                name,
                status,
                Summary(**{status: self._stacks[name].old + self._stacks[name].new}),
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
        *,
        listed: bool = False,
    ) -> TagDiff:
        return TagDiff(
            old=old,
            new=new,
            status=status,
            specs=Count(self._old_specs, self._new_specs),
            packages=PackageCount(
                old=self._old_packages,
                new=self._new_packages,
                added=tuple(sorted(self._added)) if listed else (),
                removed=tuple(sorted(self._removed)) if listed else (),
            ),
            stacks=tuple(stacks),
        )

    def _names(self) -> list[str]:
        return sorted(self._stacks)

    def _changed(self, stack: str) -> StackDiff:
        tally = self._stacks[stack]
        tally.changes.sort(key=lambda change: change.package)
        tally.package_changes.sort(key=lambda change: change.package)
        gone = sum(tally.kinds.values()) - tally.kinds[Kind.ADDED]
        summary = Summary(
            unchanged=tally.old - gone,
            **{kind.value: number for kind, number in tally.kinds.items()},
        )
        # Some packages do not tell whether a stack came or went.
        if not tally.old and not self._scope.filters.package:
            return self._stack_diff(stack, "added", summary, listed=True)
        if not tally.new and not self._scope.filters.package:
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
            package_changes=tuple(tally.package_changes),
            changes=tuple(tally.changes),
        )
