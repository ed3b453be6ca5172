"""How much of a stack each event explains, and which changes of a field most specs share."""

from collections.abc import Iterable, Mapping
from typing import cast

from snapdiff.result import Field
from snapdiff.result.causes import Cause, Event, StackCause, What


def is_shared(specs: int, of: int) -> bool:
    """Return whether so many specs are enough for a line above a stack: 30% (section 11).

    >>> is_shared(3, 10), is_shared(2, 7)
    (True, False)
    """
    return 10 * specs >= 3 * of


def count_causes(
    causes: Iterable[tuple[str, Cause]], reach: Mapping[Event, int]
) -> list[StackCause]:
    """Return the events of a stack, most specs first, of the cause of each rebuilt spec.

    Each cause comes with the spec's package. `reach` says how many specs reach each event: what
    30% or more of them reach is there even where something else is always nearer, recipes aside.
    """
    packages: dict[Event, list[str]] = {}
    number = 0
    for package, cause in causes:
        event = Event(cause.package, cause.what, cause.old, cause.new)
        packages.setdefault(event, []).append(package)
        number += 1
    for event, specs in reach.items():
        if event.what != "recipe" and specs and is_shared(specs, number):
            packages.setdefault(event, [])
    return sort_most_first(
        # What nothing leads to, a rehash, explains those specs that have it as their cause.
        _stack_cause(event, names, reach.get(event, len(names)))
        for event, names in packages.items()
    )


def shared_changes(reconfigured: Iterable[tuple[str, Iterable[Field]]]) -> list[StackCause]:
    """Return the changes of a field that 30% or more of a stack's reconfigured specs share.

    Each spec is given as its package and the fields in which it differs. Such a cause has no
    package: all of the stack moved, from one compiler to the next.
    """
    packages: dict[Event, list[str]] = {}
    number = 0
    for package, fields in reconfigured:
        number += 1
        for field in fields:
            event = Event(None, cast(What, field.name), field.old, field.new)
            packages.setdefault(event, []).append(package)
    return sort_most_first(
        _stack_cause(event, names, len(names))
        for event, names in packages.items()
        if is_shared(len(names), number)
    )


def _stack_cause(event: Event, packages: list[str], reach: int) -> StackCause:
    return StackCause(
        event.package,
        event.what,
        event.old,
        event.new,
        specs=len(packages),
        packages=len(set(packages)),
        reach=reach,
    )


def sort_most_first(causes: Iterable[StackCause]) -> list[StackCause]:
    """Return the causes of a stack, most specs first, then most in reach."""
    return sorted(causes, key=lambda cause: (-cause.specs, -cause.reach, event_words(cause)))


def event_words(event: Event) -> tuple[str, ...]:
    """Return what decides between events that are equal in all else: the name, then the values."""
    values = (event.old, event.new)
    words = (" ".join(value) if isinstance(value, tuple) else value or "" for value in values)
    return event.package or "", event.what, *words
