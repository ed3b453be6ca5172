"""A gate: what somebody does not want to happen, what is accepted all the same, where it is.

A package, a stack or a tag that one of the kinds of --fail-on happened to is an offender.
"""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, date, datetime
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import replace

from snapdiff.catalog.loading import Catalog
from snapdiff.errors import SnapdiffError
from snapdiff.filters import name_filter, split_globs
from snapdiff.model.packages import noun_of
from snapdiff.output.streams import say_command
from snapdiff.output.whole_files import write_file
from snapdiff.reports.annotations import Offender, code_quality, github_commands
from snapdiff.reports.moves.move import Move
from snapdiff.reports.moves.of_stacks import moves_in
from snapdiff.reports.moves.products import parts_of_kinds
from snapdiff.reports.moves.statuses import Status
from snapdiff.reports.names import readable, tag_names
from snapdiff.reports.outline.counts import tags_worst_first
from snapdiff.result.changes import CatalogDiff, StackDiff, TagDiff, changes_by_package
from snapdiff.result.packages import Kind, PackageChange
from snapdiff.safe_text import shown

if TYPE_CHECKING:
    from snapdiff.settings import AcceptedChange  # late: few catalogs have any


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
        return ignored + [offender.text for offender in self.offenders]


def judge(
    diff: CatalogDiff, kinds: tuple[Kind, ...], accepted: "Sequence[AcceptedChange]" = ()
) -> Verdict:
    """Return what a gate against some kinds of change says of a diff, the worst tag first.

    The diff is to be one that is not narrowed to kinds (docs/specification.md, section 9). A hash
    that names another version or package than on the other side is an offender, whatever the kinds
    are. What is accepted is ignored, by the first acceptance that matches; a tag as a whole is
    never accepted. Raises SnapdiffError where nobody knows which day it is.
    """
    today = _today() if accepted else date.max
    counting = [item for item in accepted if item.until is UNSET or today <= item.until]
    tags = tags_worst_first(readable(diff).tags) if kinds else ()
    found = [it for tag in tags for it in _offenders_of_tag(tag, kinds, counting)]
    ignored = [(offender, item) for offender, item in found if item]
    ignored.sort(key=lambda it: counting.index(it[1]))
    return Verdict(offenders=[offender for offender, item in found if not item], ignored=ignored)


def _acceptance(
    accepted: "Sequence[AcceptedChange]", kind: Kind, stack: str, package: str | None
) -> "AcceptedChange | None":
    """Return the first that accepts a kind of change of a stack's package, or of the stack.

    What happened to a whole stack is accepted where no package is named.
    """
    for item in accepted:
        is_meant = item.package is UNSET if package is None else _lets_in(item.package)(package)
        if item.kind is kind and is_meant and _lets_in(item.stack)(stack):
            return item
    return None


@cache
def _lets_in(globs: str | UnsetType) -> Callable[[str], bool]:
    """Return what says whether globs with commas between them let a name in; none do always."""
    return name_filter(split_globs([globs] if isinstance(globs, str) else ()))


def _offenders_of_tag(
    tag: TagDiff, kinds: tuple[Kind, ...], accepted: "Sequence[AcceptedChange]"
) -> "Iterator[tuple[Offender, AcceptedChange | None]]":
    """Yield the offenders of a tag, each with what accepts it."""
    name = " → ".join(tag_names(tag))
    in_tag = f" in {name}" if name else ""
    if tag.status != "changed":
        kind = Kind(tag.status)
        if kind in kinds:
            yield Offender(kind=kind, tag=name, text=f"{kind.value}: tag {name}"), None
        return
    for conflict in tag.hash_conflicts or ():
        old, new = (f"{side.package} {side.version}" for side in (conflict.old, conflict.new))
        text = f"one hash, {conflict.hash}: {old} → {new}{in_tag}"
        packages = (conflict.new.package,)
        yield Offender(kind=kinds[0], tag=name, packages=packages, text=text), None
    for stack in tag.stacks:
        if stack.status in ("removed", "added") and (kind := Kind(stack.status)) in kinds:
            noun = noun_of([stack.document])
            which = f"{noun} {stack.stack}" if stack.stack else f"the only {noun}"
            text = f"{kind.value}: {which}{in_tag}"
            offender = Offender(kind=kind, tag=name, stacks=(stack.stack,), text=text)
            yield offender, _acceptance(accepted, kind, stack.stack, None)
    both = [
        replace(stack, package_changes=tuple(_as_reported(stack, kinds)))
        for stack in tag.stacks
        if stack.status in ("changed", "unchanged")
    ]
    losing = {
        (stack.stack, change.package, change.is_dependency)
        for stack in both
        for change in stack.package_changes
        if change.lost_a_build
    }
    alike: dict[tuple[bool, Status, Move, Kind, AcceptedChange | None], list[str]] = {}
    for (package, is_dependency), some in moves_in(tag, both).items():
        for move in some:
            key = package, is_dependency or move.as_dependency
            where = {stack for stack in move.stacks if (stack, *key) in losing}
            for (kind, item), stacks in _found_in(package, move, kinds, accepted, where).items():
                # A version is gone though its builds went up to another one: that is the kind.
                versions = move.versions._replace(into="")
                part = replace(move, versions=versions, because=None, stacks=tuple(stacks))
                alike.setdefault((is_dependency, move.status, part, kind, item), []).append(package)
    for (_, _, move, kind, item), names in sorted(alike.items(), key=lambda it: it[0][:2]):
        # A tag and its stack may both be the top folder, which is one place.
        places = ", ".join(dict.fromkeys(place for place in (name, *move.stacks) if place))
        in_places = f" in {places}" if places else ""
        lost = "" if kind is not Kind.REMOVED or _says_loss(move) else ", and builds gone"
        text = f"{kind.value}: {', '.join(names)}{move.in_words(str)}{lost}{in_places}"
        offender = Offender(
            kind=kind, tag=name, stacks=move.stacks, packages=tuple(names), text=text
        )
        yield offender, item


def _says_loss(move: Move) -> bool:
    """Return whether the words of what happened to a package say what is gone of it.

    Beside a step nobody misses a build that is equal to another one; a gate finds it.
    """
    if move.whole or move.versions.fewer or (move.lost and move.lost.number):
        return True
    has_new = move.gained is not None and move.gained.number > 0
    return move.kind is Kind.REMOVED and (bool(move.versions.gone) or not has_new)


def _as_reported(stack: StackDiff, kinds: Iterable[Kind]) -> Iterator[PackageChange]:
    """Yield what happened to packages, of roots and beside where reports tell these apart."""
    specs = changes_by_package(stack.changes)
    for change in stack.package_changes:
        own = specs.get(change.package, ())
        # What a gate finds is a kind of the package itself.
        yield from parts_of_kinds(change, own, set(change.kinds).intersection(kinds))


def _found_in(
    package: str,
    move: Move,
    kinds: tuple[Kind, ...],
    accepted: "Sequence[AcceptedChange]",
    losing: set[str],
) -> "dict[tuple[Kind, AcceptedChange | None], list[str]]":
    """Return the stacks in which what happened to a package is found, by kind and what accepts it.

    `losing` are those in which it lost a build: beside a step that is found as the step, unless
    that is accepted.
    """
    found: dict[tuple[Kind, AcceptedChange | None], list[str]] = {}
    for stack in move.stacks:
        both = dict.fromkeys([move.kind, *([Kind.REMOVED] if stack in losing else [])])
        items = {it: _acceptance(accepted, it, stack, package) for it in both if it in kinds}
        not_accepted = [kind for kind, item in items.items() if item is None]
        for kind, item in items.items():
            if item or kind is not_accepted[0]:
                found.setdefault((kind, item), []).append(stack)
    return found


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
    sides = [_document_paths(new), _document_paths(old)] if offenders else []
    marked = [replace(it, path=_document_of(it, sides)) for it in offenders]
    if isinstance(host, Path):
        write_file(host, [code_quality(marked)])
    else:
        for command in github_commands(marked):
            say_command(command)  # the runner reads both streams, and one is the report's


_DocumentPaths = Mapping[tuple[str | None, str | None], str]
"""The documents of one side by tag, and by package or stack; None stands for any."""


def _document_paths(catalog: Catalog) -> _DocumentPaths:
    """Return where the documents and tags of a catalog are; no document is read."""
    source, documents = catalog.source, catalog.documents
    found: dict[tuple[str | None, str | None], str] = {}
    for entry, claim in catalog.claims():
        path = source.location(entry)
        folder = source.location(entry._replace(path=documents.tag_folder(entry.path)))
        for tag, name, place in (
            (claim.tag, claim.name, path),
            (None, claim.name, path),
            (claim.tag, None, folder),
            (None, None, path),
        ):
            found.setdefault((tag, name), place)
    return found


def _document_of(offender: Offender, sides: Sequence[_DocumentPaths]) -> str | None:
    """Return the document in which the packages or stacks are, or the nearest there is, or None."""
    # A stack of pages has no document of its own, and is in the folder of its tag. A tag that has
    # another name on that side is not found: any document will do, as each side has one tag alone.
    names = (*offender.packages, *offender.stacks, None)
    keys = [(tag, name) for tag in (offender.tag, None) for name in names]
    return next((side[key] for key in keys for side in sides if key in side), None)
