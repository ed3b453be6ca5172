"""The answers of `snapdiff why` and `snapdiff missing`: in text, in Markdown and in JSON.

Of why specs changed, like changes are together, with a tree below each, drawn line by line.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from snapdiff.reports import ReportOptions
from snapdiff.reports.cause_words import event_in_words, events_in_words
from snapdiff.reports.markdown import links
from snapdiff.reports.missing import missing_values
from snapdiff.reports.moves.places import FEW_STACKS
from snapdiff.reports.moves.statuses import SIGNS, WORST_FIRST
from snapdiff.reports.names import joined, readable, short_hash, side_names, with_path_of_both
from snapdiff.reports.templates import environment_of, render_page
from snapdiff.reports.terminal import in_window
from snapdiff.result.causes import Event, Trait, event_of
from snapdiff.result.packages import Kind
from snapdiff.result.questions import (
    ChangeBelow,
    EventBelow,
    ExplainedPackage,
    ExplainedSpec,
    ExplainedTag,
    MissingSpecs,
    Neighbour,
)
from snapdiff.safe_text import shown

_NAMED = 5
"""How many specs that a spec depends on, or that need it, are named before others are counted."""

DEEPEST = 40
"""How far lines are indented: in a chain of 20,000 specs each would be longer than the last."""

_OF_A_DEPENDENCY = ("replaced", "added", "removed", "edge", "compilers")
"""Events that are about a dependency: each is a line of its own, below the spec that has it."""

_UNTOLD = ("external", "namespace", "other", "recipe")
"""Events that are no field of a change."""

_OF_ALL = ("compiler", "os", "platform", "target")
"""Fields that mostly change in many specs at once."""

_FEW = 3
"""How many specs have a line of their own for the same change."""


def render_answer(
    found: ExplainedPackage | MissingSpecs, format_name: str, options: ReportOptions
) -> Iterator[str]:
    """Yield an answer in one of its formats; raises ReportError where a template fails."""
    if format_name == "json":
        yield msgspec.json.encode(found).decode("utf-8")
        yield "\n"
        return
    link = links(options.package_url) if format_name == "markdown" else shown
    values: dict[str, Any] = {"link": link, "folds_all": False, "lists_all": True}
    values["on_terminal"] = on_terminal = format_name == "text"
    if isinstance(found, MissingSpecs):
        name = "missing.j2"
        values |= missing_values(found, detail=options.detail, on_terminal=on_terminal)
    else:
        name = "why.j2"
        found = with_path_of_both(readable(found, names_only_stack=False))
        values["symbols"] = SIGNS
        values["sides"] = side_names(found.old, found.new)
        values["tags"] = [(tag, _roots(tag), _entries(tag)) for tag in found.tags]
        values["has_changes"] = any(
            tag.whole or any(stack.specs for stack in tag.stacks) for tag in found.tags
        )
    page = render_page(environment_of(format_name, options), name, found=found, **values)
    is_drawn = name == "why.j2"  # a drawing stays as it is
    yield from in_window(page, options.width) if on_terminal and not is_drawn else [page]


# --- Why specs changed ---


class WhyEntry(Struct, frozen=True, kw_only=True):
    """Specs that changed alike: what they are, why they changed, and the tree below them.

    There is one version where a side has none, or both have the same. What has no meaning for the
    kind of change is None, empty or false. `reasons` are what has its place, the cause of its other
    hash, and what differs in it. Reports say of those `apart` that one build is gone, and one new.
    `lines` begin with the hashes of each spec, then comes what changed below all of them.
    """

    kind: Kind
    package: str
    versions: tuple[str, ...]
    is_asked_for: bool
    needed_by: tuple[str, ...]
    trait: Trait | None
    reasons: tuple[Event, ...]
    same_to_use: bool
    apart: bool
    lines: tuple[str, ...]


class WhyRoot(NamedTuple):
    """That somebody asks for the package now, or no longer: in which stacks, and who needs it."""

    is_now: bool
    needed_by: tuple[str, ...]
    stacks: tuple[str, ...]


def _roots(tag: ExplainedTag) -> list[WhyRoot]:
    """Return in which stacks of a tag the package is asked for on one side alone."""
    alike: dict[tuple[bool, tuple[str, ...]], list[str]] = {}
    for stack in tag.stacks:
        if stack.asked_for:
            alike.setdefault((stack.asked_for.new, stack.needed_by or ()), []).append(stack.stack)
    return [WhyRoot(*told, tuple(stacks)) for told, stacks in sorted(alike.items())]


def _entries(tag: ExplainedTag) -> list[WhyEntry]:
    """Return the changed specs of the package in one tag, the worst first."""
    alike: dict[WhyEntry, dict[str, list[str]]] = {}
    for stack in tag.stacks:
        for spec in stack.specs:
            hashes = " → ".join(shown(short_hash(side.hash)) for side in spec.change.specs)
            pairs = alike.setdefault(_entry(spec, whole_stack=stack.whole), {})
            pairs.setdefault(hashes, []).append(stack.stack)
    entries = []
    for entry in sorted(alike, key=lambda entry: WORST_FIRST.index(entry.kind)):
        specs = [
            f"{hashes}{f' in {joined(names, FEW_STACKS, mark=shown)}' if all(names) else ''}"
            for hashes, names in alike[entry].items()
        ]
        entries.append(replace(entry, lines=(*specs, *entry.lines)))
    return entries


def _entry(spec: ExplainedSpec, *, whole_stack: bool) -> WhyEntry:
    change = spec.change
    is_new = change.kind is Kind.ADDED
    fields = (it.event() for it in change.fields if it.name != "version")
    sides = change.specs
    lines = _tree_lines(spec.below) if spec.below else _neighbour_lines(spec)
    if spec.below and not lines and change.kind is not Kind.REBUILT:
        # Without it a reader would not know whether that is known; a rebuilt spec's cause says it.
        lines = ("nothing below it changed",)
    if whole_stack:
        lines = (f"the whole stack is {'new' if is_new else 'gone'}", *lines)
    return WhyEntry(
        kind=change.kind,
        package=change.package,
        versions=tuple(dict.fromkeys(side.version for side in sides)),
        is_asked_for=is_new and change.is_explicit,
        needed_by=_names(spec.needed_by) if is_new else (),
        trait=spec.trait,
        reasons=tuple(it for it in (spec.replaced, change.cause, *fields) if isinstance(it, Event)),
        same_to_use=change.same_to_use is True,
        apart=bool(change.two_builds and change.two_builds.lost and change.two_builds.gained),
        lines=lines,
    )


def _names(neighbours: Iterable[Neighbour]) -> tuple[str, ...]:
    """Return the name and version of each, those of several specs once."""
    return tuple(dict.fromkeys(f"{it.package} {it.version}" for it in neighbours))


def _neighbour_lines(spec: ExplainedSpec) -> tuple[str, ...]:
    """Return what an added or removed spec depends on, those that the other side has not first."""
    # What has another hash or version on the other side is neither gone nor new.
    changed = [it for it in spec.depends_on if it.kind not in (None, Kind.ADDED, Kind.REMOVED)]
    stays = [it for it in spec.depends_on if it.stays]
    alone = [it for it in spec.depends_on if it not in changed and it not in stays]
    is_old = spec.change.old is not None
    lines = {
        "was needed by ": _names(spec.needed_by) if is_old else (),
        f"needed {'what is gone' if is_old else 'with it'}: ": _names(alone),
        "needed what changed: ": _names(changed),
        f"needed what {'stays' if is_old else 'was there'}: ": _names(stays),
    }
    return tuple(
        f"{words}{joined(names, _NAMED, mark=shown)}" for words, names in lines.items() if names
    )


# --- The tree ---


def _tree_lines(rows: Sequence[ChangeBelow]) -> tuple[str, ...]:
    """Return a tree as lines: each spec that changed below its parent, with what differs in it.

    A spec that differs in hashes alone is there where it leads to something else. What differs in
    the first one itself is left out where its change says so: its version, target and the like.
    """
    # Of a compiler that was replaced there would be a line for each spec that it compiled.
    numbers = Counter(told for row in rows for event in row.events if (told := _told_once(event)))
    shared = {event: specs for event, specs in numbers.items() if specs > _FEW}
    branches = [
        (1, f"{event_in_words(event, shown)} in {specs:,} specs") for event, specs in shared.items()
    ]
    branches += _branches(_without(rows, shared))
    lines = []
    open_depths: set[int] = set()  # the depths at which another line follows below
    for whole_depth, text in reversed(branches):
        depth = min(whole_depth, DEEPEST)
        open_depths = {other for other in open_depths if other <= depth}
        stems = "".join("│   " if level in open_depths else "    " for level in range(1, depth))
        corner = "├── " if depth in open_depths else "└── "
        far = f"({whole_depth} deep) " if whole_depth > DEEPEST else ""
        lines.append(f"{stems}{corner}{far}{text}")
        open_depths.add(depth)
    return tuple(reversed(lines))


def _told_once(event: EventBelow) -> Event | None:
    """Return the event for all specs that have it alike; None for one that is of a spec alone."""
    if event.what in _OF_A_DEPENDENCY:
        return event_of(event)
    return Event(None, event.what, event.old, event.new) if event.what in _OF_ALL else None


def _without(rows: Iterable[ChangeBelow], shared: Collection[Event]) -> list[ChangeBelow]:
    """Return a tree without some events, and without what is there for nothing else."""
    kept: list[ChangeBelow] = []
    for row in reversed(list(rows)):
        events = tuple(event for event in row.events if _told_once(event) not in shared)
        is_needed = bool(kept) and kept[-1].depth > row.depth
        if events or is_needed or not row.depth:
            kept.append(replace(row, events=events))
    return kept[::-1]


def _branches(rows: Iterable[ChangeBelow]) -> Iterator[tuple[int, str]]:
    """Yield the lines of a tree, each with its depth; the spec that was asked about has none."""
    for row in rows:
        own = [event for event in row.events if event.what not in _OF_A_DEPENDENCY]
        if row.depth:
            words = events_in_words(row.package, own, shown)
            yield row.depth, f"{words}{' (build only)' if row.build_only else ''}"
        else:
            yield from ((1, event_in_words(it, shown)) for it in own if it.what in _UNTOLD)
        for event in row.events:
            if event.what in _OF_A_DEPENDENCY:
                words = event_in_words(event, shown)
                yield row.depth + 1, f"{words}{' (build only)' if event.build_only else ''}"
