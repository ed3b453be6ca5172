"""A gate: what somebody does not want to happen, what is accepted all the same, where it is.

A package, a stack or a tag that one of the kinds of --fail-on happened to is an offender.
"""

import os
from collections.abc import Iterator, Sequence
from datetime import UTC, date, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple

from msgspec import UNSET, Struct
from msgspec.structs import replace

from snapdiff.catalog.loading import Catalog, document_path, document_paths
from snapdiff.errors import SnapdiffError
from snapdiff.filters import name_filter, split_globs
from snapdiff.output.streams import say_command
from snapdiff.output.whole_files import write_file
from snapdiff.reports.annotations import Offender, code_quality, github_commands
from snapdiff.reports.moves import Move, moves_in
from snapdiff.reports.names import readable, tag_names
from snapdiff.reports.package_counts import tags_worst_first
from snapdiff.reports.statuses import Status
from snapdiff.result import CatalogDiff, Kind, StackDiff, TagDiff
from snapdiff.safe_text import shown

if TYPE_CHECKING:
    from snapdiff.settings import AcceptedChange  # late: few catalogs have any

SPELLED_OUT = 50
"""How many offending lines are printed before they are only counted."""


def find_offenders(diff: CatalogDiff, kinds: tuple[Kind, ...]) -> list[Offender]:
    """Return the packages that one of the kinds happened to, those alike as one, worst tag first.

    What kept a version and lost a build is removed, whatever its kind. A tag or stack that is
    removed or added is one offender, whatever it holds. A hash that names another version or
    package than on the other side is one, whatever the kinds are. The diff is to be one that is
    not narrowed to kinds (docs/specification.md, section 9).
    """
    tags = tags_worst_first(readable(diff).tags) if kinds else ()
    return [offender for tag in tags for offender in _offenders_of_tag(tag, kinds)]


def first_lines(lines: Sequence[str]) -> list[str]:
    """Return some lines; of very many the first ones, and the number of the rest."""
    told = list(lines[:SPELLED_OUT])
    if len(lines) > SPELLED_OUT:
        told.append(f"... and {len(lines) - SPELLED_OUT:,} more lines")
    return told


def _offenders_of_tag(tag: TagDiff, kinds: tuple[Kind, ...]) -> Iterator[Offender]:
    name = " → ".join(tag_names(tag))
    in_tag = f" in {name}" if name else ""
    if tag.status != "changed":
        kind = Kind(tag.status)
        if kind in kinds:
            yield Offender(kind=kind, tag=name, text=f"{kind.value}: tag {name}")
        return
    for conflict in tag.hash_conflicts or ():
        old, new = (f"{side.package} {side.version}" for side in (conflict.old, conflict.new))
        text = f"one hash, {conflict.hash}: {old} → {new}{in_tag}"
        yield Offender(kind=kinds[0], tag=name, packages=(conflict.new.package,), text=text)
    for stack in tag.stacks:
        if stack.status in ("removed", "added") and Kind(stack.status) in kinds:
            text = f"{stack.status}: stack {stack.stack}{in_tag}"
            yield Offender(kind=Kind(stack.status), tag=name, stacks=(stack.stack,), text=text)
    both = [stack for stack in tag.stacks if stack.status in ("changed", "unchanged")]
    alike: dict[tuple[bool, Status, Move], list[str]] = {}
    for (package, is_dependency), some in moves_in(tag, both).items():
        for move in some:
            key = is_dependency, move.status, replace(move, because=None)
            alike.setdefault(key, []).append(package)
    for (_, _, move), packages in sorted(alike.items(), key=lambda item: item[0][:2]):
        found = move.kind in kinds
        if found or (move.lost_a_build and Kind.REMOVED in kinds):
            kind = move.kind if found else Kind.REMOVED
            # A tag and its stack may both be the top folder, which is one place.
            places = ", ".join(dict.fromkeys(place for place in (name, *move.stacks) if place))
            yield Offender(
                kind=kind,
                tag=name,
                stacks=move.stacks,
                packages=tuple(packages),
                text=f"{kind.value}: {', '.join(packages)}{move.in_words(str)}"
                f"{f' in {places}' if places else ''}",
            )


# --- What a configuration accepts: the gate lets it pass, and says so ---


class Verdict(Struct, frozen=True, kw_only=True):
    """What a gate says: its offenders, and what it lets pass with the reason."""

    offenders: list[Offender]
    ignored: "list[tuple[Offender, AcceptedChange]]"

    def lines(self, place: str) -> list[str]:
        """Return a line for each offender: those that pass, with what lets them, then the rest."""
        ignored = []
        for offender, accepted in self.ignored:
            until = f", until {accepted.until}" if accepted.until is not UNSET else ""
            reason = f": {shown(accepted.reason)}" if isinstance(accepted.reason, str) else ""
            ignored.append(f"ignored: {offender.text} ({place}{until}{reason})")
        return first_lines(ignored) + first_lines([offender.text for offender in self.offenders])


class _Place(NamedTuple):
    kind: Kind
    stack: str
    package: str | None  # None where it happened to the whole stack


def judge(
    diff: CatalogDiff, kinds: tuple[Kind, ...], accepted: "Sequence[AcceptedChange]"
) -> Verdict:
    """Return what a gate against some kinds of change says of a diff, as `find_offenders` takes it.

    What two acceptances match, the first one accepts. A tag as a whole is never accepted. Raises
    SnapdiffError where nobody knows which day it is.
    """
    today = _today() if accepted else date.max
    counting = [
        item
        for item in accepted
        if item.kind in kinds and (item.until is UNSET or today <= item.until)
    ]
    places = {
        place
        for tag in diff.tags
        for stack in (tag.stacks if counting and tag.status == "changed" else ())
        for place in _places(stack)
        if place.kind in kinds
    }
    rest, ignored = set(places), []
    for item in counting:
        stacks, packages = (
            name_filter(split_globs([globs]) if isinstance(globs, str) else ())
            for globs in (item.stack, item.package)
        )
        matched = {
            place
            for place in rest
            if place.kind is item.kind
            and stacks(place.stack)
            # What happened to a whole stack is accepted where no package is named.
            and (item.package is UNSET if place.package is None else packages(place.package))
        }
        rest -= matched
        passing = find_offenders(_part_of(diff, matched), (item.kind,))
        ignored += [(offender, item) for offender in passing if offender.stacks]
    # Where all else that happened to a package is accepted, the build that it lost is not.
    accepted_at = {place[1:] for place in places - rest if place.kind is not Kind.REMOVED}
    losses = {place for place in rest if place.kind is Kind.REMOVED and place[1:] in accepted_at}
    left = _part_of(diff, rest - losses) if rest - losses != places else diff
    lost = find_offenders(_part_of(diff, losses), (Kind.REMOVED,)) if losses else []
    offenders = find_offenders(left, kinds) + [offender for offender in lost if offender.stacks]
    return Verdict(offenders=offenders, ignored=ignored)


def _places(stack: StackDiff) -> Iterator[_Place]:
    if stack.status in ("added", "removed"):
        yield _Place(Kind(stack.status), stack.stack, None)
    else:
        for change in stack.package_changes:
            yield from (_Place(kind, stack.stack, change.package) for kind in change.kinds)


def _part_of(diff: CatalogDiff, places: set[_Place]) -> CatalogDiff:
    """Return a diff in which nothing happened to stacks and packages but at some places."""
    tags = []
    for tag in diff.tags:
        stacks = []
        for stack in tag.stacks:
            kept = {place.package for place in _places(stack) if place in places}
            if None not in kept:
                is_whole = stack.status in ("added", "removed")
                changes = tuple(it for it in stack.package_changes if it.package in kept)
                status = "unchanged" if is_whole else stack.status
                stack = replace(stack, status=status, package_changes=changes)
            stacks.append(stack)
        tags.append(replace(tag, stacks=tuple(stacks)))
    return replace(diff, tags=tuple(tags))


def _today() -> date:
    """Return the day, in UTC, or that of SOURCE_DATE_EPOCH; raises SnapdiffError."""
    seconds = os.environ.get("SOURCE_DATE_EPOCH")
    try:
        now = datetime.fromtimestamp(int(seconds), UTC) if seconds else datetime.now(UTC)
    except (ValueError, OverflowError, OSError) as error:
        message = f"SOURCE_DATE_EPOCH: {seconds} is no number of seconds since 1970"
        raise SnapdiffError(message) from error
    return now.date()


# --- The documents of offenders, marked for a CI system ---


def mark_documents(
    host: Literal["github"] | Path, offenders: Sequence[Offender], old: Catalog, new: Catalog
) -> None:
    """Hand offenders over with their documents: to the log for GitHub, for GitLab to a file.

    Raises ReportError where the file cannot be written.
    """
    # Without an offender no side has to be listed for it.
    sides = [document_paths(new), document_paths(old)] if offenders else []
    marked = [
        replace(it, path=document_path(sides, it.tag, [*it.packages, *it.stacks]))
        for it in offenders
    ]
    if isinstance(host, Path):
        write_file(host, [code_quality(marked)])
    else:
        for command in github_commands(marked):
            say_command(command)  # the runner reads both streams, and one is the report's
