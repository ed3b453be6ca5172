"""Why the specs of a stack changed, as its heading says it: the main causes, and shared changes."""

from collections.abc import Iterable, Mapping
from typing import cast

from msgspec import Struct
from msgspec.structs import replace

from snapdiff.reports.lost_builds import StackLoss, stack_loss
from snapdiff.result import Change, Kind, PackageChange, StackDiff
from snapdiff.result.causes import Cause, Event, StackCause, What

NAMED_CAUSES = 5
"""How many causes of a stack are named before the others are counted."""

SHARED_BY_PACKAGES = 10
"""How many packages make a change of a field one line: of fewer, each is worth its own."""


class CountedCause(Struct, frozen=True, kw_only=True):
    """What a stack's heading names: how many specs, and why; several versions may lead to one.

    `events` differ in the old version alone. `build_only` says that no spec links or runs it.
    """

    specs: int
    events: tuple[Event, ...]
    build_only: bool


class RebuiltSummary(Struct, frozen=True, kw_only=True):
    """Why the specs of a stack were rebuilt: the most frequent causes, and how many others.

    `widest` is the event that most specs reach, where that is many more than have it as their
    cause: something else is nearer to them.
    """

    specs: int
    named: tuple[CountedCause, ...]
    other_specs: int
    other_causes: int
    unexplained: int
    widest: StackCause | None


class StackReasons(Struct, frozen=True, kw_only=True):
    """What is said above the lines of a stack, with the number of its reconfigured specs."""

    stack: str
    lost: StackLoss | None
    rebuilt: RebuiltSummary | None
    reconfigured: int
    shared: tuple[StackCause, ...]


def reasons_of(stacks: Iterable[StackDiff]) -> tuple[StackReasons, ...]:
    """Return what is to be said of each stack, less those of which nothing is known."""
    found = (
        StackReasons(
            stack=stack.stack,
            lost=stack_loss(stack) if stack.status == "changed" else None,
            rebuilt=rebuilt_summary(stack),
            reconfigured=stack.summary.reconfigured,
            shared=shared_fields(stack),
        )
        for stack in stacks
    )
    return tuple(reasons for reasons in found if reasons.lost or reasons.rebuilt or reasons.shared)


def rebuilt_summary(stack: StackDiff) -> RebuiltSummary | None:
    """Return why the specs of a stack were rebuilt; None where no cause is known."""
    number = stack.summary.rebuilt
    causes = [cause for cause in stack.causes if not _is_shared_field(cause)]
    counted = counted_causes(stack.changes)
    if not counted or not number:
        return None
    named = NAMED_CAUSES if len(counted) > NAMED_CAUSES + 1 else len(counted)
    widest = max(causes, key=lambda cause: cause.reach, default=None)
    return RebuiltSummary(
        specs=number,
        named=tuple(counted[:named]),
        other_specs=sum(item.specs for item in counted[named:]),
        other_causes=len(counted) - named,
        unexplained=max(number - sum(item.specs for item in counted), 0),
        widest=widest if widest and widest.reach >= 2 * max(widest.specs, 1) else None,
    )


def counted_causes(changes: Iterable[Change]) -> list[CountedCause]:
    """Return the causes of some changes, those of most specs first.

    Several old versions of a package that went to one new version are one cause.
    """
    together: dict[object, list[Cause]] = {}
    for change in changes:
        if isinstance(change.cause, Cause):
            cause = change.cause
            key = (cause.package, cause.new) if cause.what == "version" else event_of(cause)
            together.setdefault(key, []).append(cause)
    counted = [
        CountedCause(
            specs=len(causes),
            events=tuple(dict.fromkeys(map(event_of, causes))),
            build_only=all(cause.build_only for cause in causes),
        )
        for causes in together.values()
    ]
    return sorted(counted, key=lambda item: (-item.specs, item.events[0].package or ""))


def event_of(cause: Event) -> Event:
    """Return the event that a cause is, without the way to it."""
    return Event(cause.package, cause.what, cause.old, cause.new)


def shared_fields(stack: StackDiff) -> tuple[StackCause, ...]:
    """Return the changes of a field that many packages of a stack share: one line says it best."""
    return tuple(
        cause
        for cause in stack.causes
        if _is_shared_field(cause)
        and cause.packages >= SHARED_BY_PACKAGES
        and stack.summary.reconfigured
    )


def _is_shared_field(cause: StackCause) -> bool:
    return cause.package is None and cause.what != "rehash"


def without_shared(stack: StackDiff) -> StackDiff:
    """Return a stack without the packages of which its shared changes of fields say everything."""
    shared = {event_of(cause) for cause in shared_fields(stack)}
    if not shared:
        return stack
    changes = _by_package(stack.changes)
    return replace(
        stack,
        package_changes=tuple(
            package
            for package in stack.package_changes
            if not _is_told(package, changes.get(package.package, ()), shared)
        ),
    )


def _by_package(changes: Iterable[Change]) -> Mapping[str, list[Change]]:
    found: dict[str, list[Change]] = {}
    for change in changes:
        found.setdefault(change.package, []).append(change)
    return found


def _is_told(package: PackageChange, changes: Iterable[Change], shared: set[Event]) -> bool:
    """Return whether all that happened to a package, rebuilt specs aside, is a shared change."""
    if package.kind is not Kind.RECONFIGURED:
        return False
    others = [change for change in changes if change.kind is not Kind.REBUILT]
    return bool(others) and all(
        change.kind is Kind.RECONFIGURED
        and all(
            Event(None, cast(What, field.name), field.old, field.new) in shared
            for field in change.fields
        )
        for change in others
    )
