"""Why the specs of a package changed, as people read it: like changes together."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple, cast

from msgspec import Struct
from msgspec.structs import replace

from snapdiff.reports.cause_words import SAME_TO_USE, cause_in_words, event_in_words
from snapdiff.reports.lost_builds import trait_in_words
from snapdiff.reports.names import Mark, short_hash
from snapdiff.reports.package_lines import SYMBOLS, rank
from snapdiff.reports.why_trees import tree_lines
from snapdiff.result import Field, Kind
from snapdiff.result.causes import Cause, Event, What
from snapdiff.result.why import ExplainedPackage, ExplainedSpec, ExplainedTag, Neighbour
from snapdiff.safe_text import shown

_NAMED = 5
"""How many specs that a spec depends on, or that need it, are named before others are counted."""


class WhyPair(NamedTuple):
    """One changed spec: its hashes, or the only one it has, cut short, and the stacks it is in."""

    hashes: tuple[str, ...]
    stacks: tuple[str, ...]


class WhyEntry(Struct, frozen=True, kw_only=True):
    """Specs that changed alike: what they are, why they changed, and the tree below them.

    There is one version where a side has none, or both have the same. `reason` is empty for specs
    that were added or removed, `same_to_use` where it does not hold. `is_alone` says that nothing
    below changed: without it a reader would not know whether that is known.
    """

    kind: Kind
    symbol: str
    package: str
    versions: tuple[str, ...]
    reason: str
    same_to_use: str
    lines: tuple[str, ...]
    is_alone: bool
    pairs: tuple[WhyPair, ...] = ()


class WhyTag(Struct, frozen=True, kw_only=True):
    """The changed specs of the package in one tag, the worst first; `names` are the tag's."""

    names: tuple[str, ...]
    entries: tuple[WhyEntry, ...]


def why_tags(found: ExplainedPackage, mark: Mark) -> tuple[WhyTag, ...]:
    """Return what there is to say, tag by tag; `mark` is how values are written."""
    return tuple(
        WhyTag(
            names=tuple(dict.fromkeys(name for name in (tag.old, tag.new) if name is not None)),
            entries=tuple(_entries(tag, mark)),
        )
        for tag in found.tags
    )


def _entries(tag: ExplainedTag, mark: Mark) -> Iterator[WhyEntry]:
    alike: dict[WhyEntry, dict[tuple[str, ...], list[str]]] = {}
    for stack in tag.stacks:
        for spec in stack.specs:
            sides = (spec.change.old, spec.change.new)
            hashes = tuple(short_hash(side.hash) for side in sides if side)
            pairs = alike.setdefault(_entry(spec, mark), {})
            pairs.setdefault(hashes, []).append(stack.stack)
    for entry in sorted(alike, key=lambda entry: rank(entry.kind)):
        pairs = alike[entry]
        found = tuple(WhyPair(hashes, tuple(stacks)) for hashes, stacks in pairs.items())
        yield replace(entry, pairs=found)


def _entry(spec: ExplainedSpec, mark: Mark) -> WhyEntry:
    change = spec.change
    sides = [side for side in (change.old, change.new) if side]
    lines = tree_lines(spec.below) or neighbour_lines(spec)
    return WhyEntry(
        kind=change.kind,
        symbol=SYMBOLS[change.kind],
        package=change.package,
        versions=tuple(dict.fromkeys(side.version for side in sides)),
        reason=_reason(spec, mark),
        same_to_use=SAME_TO_USE if change.same_to_use is True else "",
        lines=lines,
        # The reason of a rebuilt spec says so itself.
        is_alone=bool(spec.below) and not lines and change.kind is not Kind.REBUILT,
    )


def _reason(spec: ExplainedSpec, mark: Mark) -> str:
    """Return why a spec was rebuilt, in which fields it differs, or why it was added or removed."""
    change = spec.change
    if change.kind is Kind.REMOVED or change.kind is Kind.ADDED:
        is_new = change.kind is Kind.ADDED
        parts = ["asked for"] if is_new and change.is_explicit else []
        if is_new and spec.needed_by:
            parts.append(f"a dependency now of {_names(spec.needed_by, mark)}")
        if spec.trait:
            parts.append(trait_in_words(spec.trait, mark))
        return ", ".join(parts)
    if isinstance(change.cause, Cause):
        return cause_in_words(change.cause, mark)
    fields = (field for field in change.fields if field.name != "version")
    return ", ".join(event_in_words(_event(field), mark) for field in fields)


def _names(neighbours: Sequence[Neighbour], mark: Mark) -> str:
    """Return the first few specs, and how many more: `hdf5 1.14.3, netcdf-c 4.9.2 (+2 more)`."""
    names = ", ".join(f"{mark(it.package)} {mark(it.version)}" for it in neighbours[:_NAMED])
    more = len(neighbours) - _NAMED
    return f"{names} (+{more:,} more)" if more > 0 else names


def neighbour_lines(spec: ExplainedSpec) -> tuple[str, ...]:
    """Return what an added or removed spec depends on, those that the other side has not first."""
    alone = [it for it in spec.depends_on if not it.stays]
    stays = [it for it in spec.depends_on if it.stays]
    is_old = spec.change.old is not None
    lines = []
    if is_old and spec.needed_by:
        lines.append(f"was needed by {_names(spec.needed_by, shown)}")
    if alone:
        lines.append(f"needed {'what is gone' if is_old else 'with it'}: {_names(alone, shown)}")
    if stays:
        lines.append(f"needed what {'stays' if is_old else 'was there'}: {_names(stays, shown)}")
    return tuple(lines)


def _event(field: Field) -> Event:
    return Event(None, cast(What, field.name), field.old, field.new)
