"""What is said once for the stacks of a tag: why their specs changed, and what replaced what."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from msgspec import Struct

from snapdiff.reports.cause_words import event_in_words
from snapdiff.reports.moves.places import Place, Placed, Places
from snapdiff.reports.moves.statuses import Versions, shared_fields
from snapdiff.reports.names import Mark, ShortList, shortened
from snapdiff.reports.outline.lost_builds import LEAST_TOGETHER
from snapdiff.result.causes import Cause, Event, event_of
from snapdiff.result.changes import Change, StackDiff
from snapdiff.result.packages import Kind
from snapdiff.spack import NO_COMPILER

_MOST_CAUSES = 5


class CountedCause(Struct, frozen=True, kw_only=True):
    """A cause of some specs, how many and of which packages; one may have made several steps.

    `events` differ in the versions alone. `build_only` says that no spec links or runs it.
    """

    specs: int
    packages: tuple[str, ...]
    events: tuple[Event, ...]
    build_only: bool

    def in_words(self, mark: Mark) -> str:
        """Return a cause of many specs: `gmake added (build only)`, `python in other versions`."""
        words = event_in_words(self.events[0], mark)
        if len(self.events) > 1:
            words = f"{mark(str(self.events[0].package))} in other versions"
        return f"{words} (build only)" if self.build_only else words


class SharedChange(Struct, frozen=True, kw_only=True):
    """A change of a field that many specs of some stacks share, of those that are on both sides.

    How many those are is not known where not all that changed is reported.
    """

    event: Event
    specs: int
    of: int | None
    place: Place


class Reasons(Struct, frozen=True, kw_only=True):
    """Why the specs of some stacks changed: what is said once for all of them.

    `specs` is how many were rebuilt, each once, of which `packages`, in the stacks of `place`:
    first `products`, of that number, then the others;
    `names_packages` says that no line is about these, so that they are named here, by where if it
    `is_placed`: `packages_at` has this;
    `causes` are theirs, those of most first, and `unexplained` have no known dependencies. `widest`
    is the event that most of them reach, and how many do, where that is many more than have it as
    their cause: something else is nearer to them. `wide` are the other events that 30% or more of
    them reach and that are no cause that is told, those of most first.
    """

    specs: int
    packages: tuple[str, ...]
    products: int
    packages_at: Placed[str] = ()
    names_packages: bool = False
    place: Place
    causes: tuple[CountedCause, ...]
    unexplained: int
    widest: tuple[Event, int] | None
    wide: tuple[Event, ...] = ()
    shared: tuple[SharedChange, ...]

    @property
    def told(self) -> ShortList[CountedCause]:
        """The causes that are told; the others are counted."""
        return shortened(self.causes, _MOST_CAUSES)

    @property
    def is_placed(self) -> bool:
        """Whether the packages are not all in the same stacks, and in few sets of these."""
        return 1 < len(self.packages_at) <= _MOST_CAUSES

    @property
    def is_one(self) -> bool:
        """Whether all rebuilt specs have one cause."""
        return len(self.causes) == 1 and not self.unexplained


def reasons_of(stacks: Sequence[StackDiff], places: Places, *, is_all: bool) -> Reasons | None:
    """Return what is to be said of some stacks of a tag, or None where nothing is known.

    Where `is_all`, all that changed in them is there.
    """
    rebuilt = [stack for stack in stacks if stack.summary.rebuilt]
    every = [
        (it, stack.stack) for stack in rebuilt for it in stack.changes if it.kind is Kind.REBUILT
    ]
    changes = {tuple(spec.hash for spec in it.specs): it for it, _ in every}
    causes = _counted_causes(changes.values())
    shared = tuple(_shared_changes(stacks, places, is_all=is_all))
    if not causes and not shared:
        return None
    number = sum(stack.summary.rebuilt for stack in rebuilt)
    specs, reach = _counted_events(rebuilt)
    most = [it for it in reach.most_common(1) if it[1] >= 2 * max(specs[it[0]], 1)]
    widest = most[0] if most and len(changes) == number else None
    told = {event for cause in shortened(causes, _MOST_CAUSES).first for event in cause.events}
    told.update([widest[0]] if widest else ())
    wide = (it for it, some in reach.most_common() if 10 * some >= 3 * number and it not in told)
    packages, products = _products_first(changes.values(), rebuilt)
    return Reasons(
        specs=len(changes) if causes else 0,
        packages=packages,
        products=products,
        packages_at=places.by_place(dict.fromkeys((it.package, stack) for it, stack in every)),
        place=places.place(stack.stack for stack in rebuilt),
        causes=tuple(causes),
        unexplained=len(changes) - sum(it.specs for it in causes),
        widest=widest,
        wide=tuple(wide),
        shared=shared,
    )


def _products_first(
    changes: Iterable[Change], stacks: Iterable[StackDiff]
) -> tuple[tuple[str, ...], int]:
    """Return the packages of some changes: products, whose number is returned, then the others.

    Of both those of most builds are first.
    """
    builds = Counter(change.package for change in changes)
    products = {
        it.package for stack in stacks for it in stack.package_changes if not it.is_dependency
    }
    in_order = sorted(builds, key=lambda it: (it not in products, -builds[it], it))
    return tuple(in_order), len(products & builds.keys())


def _counted_causes(changes: Iterable[Change]) -> list[CountedCause]:
    """Return the causes of some changes, those of most specs first."""
    together: dict[object, list[tuple[Cause, str]]] = {}
    for change in changes:
        if isinstance(change.cause, Cause):
            cause = change.cause
            # All steps of a package from one version to another are one cause.
            key = cause.package if cause.what == "version" else event_of(cause)
            together.setdefault(key, []).append((cause, change.package))
    counted = [
        CountedCause(
            specs=len(causes),
            packages=tuple(sorted({package for _, package in causes})),
            events=tuple(dict.fromkeys(event_of(cause) for cause, _ in causes)),
            build_only=all(cause.build_only for cause, _ in causes),
        )
        for causes in together.values()
    ]
    return sorted(counted, key=lambda item: (-item.specs, item.events[0].package or ""))


def _counted_events(stacks: Iterable[StackDiff]) -> tuple[Counter[Event], Counter[Event]]:
    """Return of how many rebuilt specs each event is the cause, and how many reach it."""
    specs: Counter[Event] = Counter()
    reach: Counter[Event] = Counter()
    for stack in stacks:
        for cause in stack.causes:
            if cause.package:
                specs[event_of(cause)] += cause.specs
                reach[event_of(cause)] += cause.reach
    return specs, reach


def _shared_changes(
    stacks: Iterable[StackDiff], places: Places, *, is_all: bool
) -> Iterator[SharedChange]:
    found: dict[Event, list[StackDiff]] = {}
    for stack in stacks:
        for cause in shared_fields(stack):
            found.setdefault(event_of(cause), []).append(stack)
    if found:  # beside these nobody should think that all other compilers are as before
        for stack in stacks:
            for cause in stack.causes:
                event = event_of(cause)
                is_field = cause.package is None and cause.what == "compiler"
                is_move = is_field and NO_COMPILER not in (event.old, event.new)
                if is_move and cause.packages > 1 and stack not in found.setdefault(event, []):
                    found[event].append(stack)
    for event, some in found.items():
        pairs = [it for stack in some for it in stack.changes if it.old and it.new]
        specs = sum(any(field.event() == event for field in it.fields) for it in pairs)
        on_both = sum(stack.specs.new - stack.summary.added for stack in some)
        place = places.place(stack.stack for stack in some)
        yield SharedChange(event=event, specs=specs, of=on_both if is_all else None, place=place)


class Replaced(NamedTuple):
    """A package, with its versions, in the place of which there is another one, and where."""

    old: tuple[str, Versions]
    new: tuple[str, Versions]
    place: Place


def replaced_tools(stacks: Iterable[StackDiff], places: Places) -> tuple[Replaced, ...]:
    """Return which package took the place of which, where it made others change, and where."""
    causes = [it for stack in stacks for it in stack.causes if it.what == "replaced"]
    many = dict.fromkeys(event_of(it) for it in causes if it.packages >= LEAST_TOGETHER)
    found: dict[tuple[tuple[str, Versions], tuple[str, Versions]], list[str]] = {}
    for stack in stacks:
        whole = {(it.kind, it.package): it for it in stack.package_changes if it.whole}
        for event in many:
            gone = whole.get((Kind.REMOVED, str(event.old)))
            came = whole.get((Kind.ADDED, str(event.new)))
            if gone and came:
                pair = (gone.package, gone.gone), (came.package, came.came)
                found.setdefault(pair, []).append(stack.stack)
    return tuple(Replaced(*pair, places.place(some)) for pair, some in found.items())
