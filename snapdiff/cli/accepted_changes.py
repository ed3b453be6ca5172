"""Changes that a configuration accepts: the gate lets them pass, and says so."""

import os
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, date, datetime
from typing import TYPE_CHECKING, NamedTuple

from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import replace

from snapdiff.cli.gate import Offender, find_offenders, first_lines
from snapdiff.cli.given_options import split_globs
from snapdiff.errors import SnapdiffError
from snapdiff.filters import NameFilter
from snapdiff.result import CatalogDiff, Kind, StackDiff
from snapdiff.safe_text import shown

if TYPE_CHECKING:
    from snapdiff.settings.catalog_settings import AcceptedChange


class Verdict(Struct, frozen=True, kw_only=True):
    """What a gate says: its offenders, what it lets pass, and which acceptances do nothing.

    `ended` are those whose day is over. `unused` are those that no change of the diff is like.
    """

    offenders: list[Offender]
    ignored: "list[tuple[Offender, AcceptedChange]]"
    ended: "list[AcceptedChange]"
    unused: "list[AcceptedChange]"


class _Place(NamedTuple):
    """What happened to a package in a stack, or to the whole stack where there is no package."""

    kind: Kind
    stack: str
    package: str | None


def judge(
    diff: CatalogDiff, kinds: tuple[Kind, ...], accepted: "Sequence[AcceptedChange]"
) -> Verdict:
    """Return what a gate against some kinds of change says of a diff, as `find_offenders` takes it.

    What two acceptances match, the first one accepts. A tag as a whole is never accepted. Raises
    SnapdiffError where nobody knows which day it is.
    """
    today = current_day() if accepted else date.max
    ended = [item for item in accepted if item.until is not UNSET and item.until < today]
    counting = [item for item in accepted if item.kind in kinds and item not in ended]
    places = list(_places(diff)) if counting else []
    matched = {item: set(_matched(places, item)) for item in counting}
    taken: set[_Place] = set()
    ignored = []
    for item in counting:
        part = _part_of(diff, matched[item] - taken)
        taken |= matched[item]
        ignored += [(offender, item) for offender in find_offenders(part, kinds) if offender.stacks]
    return Verdict(
        offenders=find_offenders(_part_of(diff, {*places} - taken) if taken else diff, kinds),
        ignored=ignored,
        ended=ended,
        unused=[item for item in counting if not matched[item]],
    )


def _places(diff: CatalogDiff) -> Iterator[_Place]:
    for tag in diff.tags:
        for stack in tag.stacks if tag.status == "changed" else ():
            yield from _places_of(stack)


def _places_of(stack: StackDiff) -> Iterator[_Place]:
    if stack.status in ("added", "removed"):
        yield _Place(Kind(stack.status), stack.stack, None)
    else:
        for change in stack.package_changes:
            for kind in change.kinds:
                yield _Place(kind, stack.stack, change.package)


def _matched(places: Iterable[_Place], accepted: "AcceptedChange") -> Iterator[_Place]:
    stacks, packages = map(_name_filter, (accepted.stack, accepted.package))
    for place in places:
        if place.kind is accepted.kind and stacks.lets_in(place.stack):
            if place.package is None:
                is_like_it = accepted.package is UNSET
            else:
                is_like_it = packages.lets_in(place.package)
            if is_like_it:
                yield place


def _name_filter(globs: str | UnsetType) -> NameFilter:
    return NameFilter(split_globs([globs]) if isinstance(globs, str) else ())


def _part_of(diff: CatalogDiff, places: set[_Place]) -> CatalogDiff:
    """Return a diff in which nothing happened to stacks and packages but at some places."""

    def part(stack: StackDiff) -> StackDiff:
        if stack.status in ("added", "removed"):
            is_in = not places.isdisjoint(_places_of(stack))
            return stack if is_in else replace(stack, status="unchanged", package_changes=())
        return replace(
            stack,
            package_changes=tuple(
                change
                for change in stack.package_changes
                if any(_Place(kind, stack.stack, change.package) in places for kind in change.kinds)
            ),
        )

    return replace(
        diff, tags=tuple(replace(tag, stacks=tuple(map(part, tag.stacks))) for tag in diff.tags)
    )


def ignored_lines(verdict: Verdict, place: str) -> list[str]:
    """Return a line for each offender that passes, with where that is said, and until when."""
    lines = []
    for offender, accepted in verdict.ignored:
        until = f", until {accepted.until}" if accepted.until is not UNSET else ""
        reason = f": {shown(accepted.reason)}" if isinstance(accepted.reason, str) else ""
        lines.append(f"ignored: {offender.text} ({place}{until}{reason})")
    return first_lines(lines)


def warning_lines(verdict: Verdict, place: str, *, is_narrowed: bool) -> list[str]:
    """Return a line for each acceptance that does nothing, for a warning.

    Where less is compared than the file speaks of, one may be unused because of that.
    """
    ended = [
        f"{place}: accepted {_described(item)} until {item.until}; "
        "that day is over: remove it, or set a later one"
        for item in verdict.ended
    ]
    unused = [
        f"{place}: accepts {_described(item)}, and no change is like that; "
        "remove it where it is no longer needed"
        for item in (() if is_narrowed else verdict.unused)
    ]
    return first_lines([*ended, *unused])


def _described(accepted: "AcceptedChange") -> str:
    """Return an acceptance in words: `downgraded hipblas in e4s`."""
    package = accepted.package if isinstance(accepted.package, str) else "any package"
    stack = f" in {shown(accepted.stack)}" if isinstance(accepted.stack, str) else ""
    return f"{accepted.kind.value} {shown(package)}{stack}"


def current_day() -> date:
    """Return today, in UTC, or the day of SOURCE_DATE_EPOCH where that is set.

    Raises SnapdiffError where it is no number of seconds.
    """
    seconds = os.environ.get("SOURCE_DATE_EPOCH")
    try:
        now = datetime.fromtimestamp(int(seconds), UTC) if seconds else datetime.now(UTC)
    except (ValueError, OverflowError, OSError) as error:
        message = f"SOURCE_DATE_EPOCH: {seconds} is no number of seconds since 1970"
        raise SnapdiffError(message) from error
    return now.date()
