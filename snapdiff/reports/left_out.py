"""What is left out of a report that is too long, and how: each part of an outline by its name."""

from collections.abc import Callable

from msgspec.structs import replace

from snapdiff.reports.cause_words import other_values
from snapdiff.reports.moves.move import Move
from snapdiff.reports.moves.statuses import Status
from snapdiff.reports.outline.class_counts import Named
from snapdiff.reports.outline.groups import Group, grouped
from snapdiff.reports.outline.opening import Opening
from snapdiff.reports.outline.outline import Outline
from snapdiff.reports.outline.parts import Part
from snapdiff.reports.outline.reasons import Reasons
from snapdiff.reports.outline.tag_block import TagBlock
from snapdiff.result.causes import Event

Less = Callable[[Outline], Outline]
"""Leaves something out of an outline."""


def _tags(changed: Callable[[TagBlock], TagBlock]) -> Less:
    """Return what changes each tag of an outline; the next ones, something of each tag."""
    return lambda outline: replace(outline, tags=tuple(map(changed, outline.tags)))


def _openings(changed: Callable[[Opening], Opening]) -> Less:
    return _tags(lambda tag: replace(tag, opening=changed(tag.opening)))


def each_part(changed: Callable[[Part], Part]) -> Less:
    """Return what changes each part of an outline."""
    return _tags(lambda tag: replace(tag, parts=tuple(map(changed, tag.parts))))


def _groups(changed: Callable[[Group], Group]) -> Less:
    return each_part(lambda part: replace(part, groups=tuple(map(changed, part.groups))))


def _without_whole_names(outline: Outline) -> Outline:
    one, other = (it._replace(whole="", commit_id="") for it in outline.sides)
    return replace(outline, sides=(one, other))


def _without_table(outline: Outline) -> Outline:
    is_table = len(outline.counted.rows) > 1
    return replace(outline, counted=replace(outline.counted, rows=())) if is_table else outline


def _without_told(outline: Outline) -> Outline:
    """Return an outline without lines about products that it begins with, where it names these.

    What lost builds in another way than its class says keeps its line, unless that is told as well.
    """
    named = {it.status for it in outline.names_below if not it.loses_builds}
    together = (some for tag in outline.tags for some in tag.opening.lost_together)
    lost = {it for some in together for it in some.products}
    demoted = set(outline.demoted_told)

    def without_told(part: Part) -> Part:
        if not named or part.about == "dependencies":
            return part
        groups = []
        for it in part.groups:
            is_demoted = it.status is Status.ROOTS and demoted.issuperset(it.packages)
            is_told = it.steps or is_demoted or it.status in named
            groups.append(_told_above(it, lost) if is_told else it)
        return replace(part, groups=tuple(groups))

    return each_part(without_told)(outline)


def _told_above(group: Group, lost: set[str]) -> Group:
    """Return a group with the lines alone of packages that lost builds and are not among these."""
    left = [it for it in group.lines if it.loses_otherwise and not lost.issuperset(it.packages)]
    if not left:
        return replace(group, lines=(), table=None, names=(), is_told_above=True)
    [others] = grouped(left, None, lists_all=True)
    return replace(others, steps=group.steps, also=group.also)


def _without_dependencies(tag: TagBlock) -> TagBlock:
    def untold(reasons: Reasons | None) -> Reasons | None:  # of no specs nothing is said
        return None if reasons and reasons.specs else reasons

    left = (it for it in tag.parts if it.about != "dependencies")
    parts = tuple(replace(it, reasons=untold(it.reasons)) for it in left)
    return replace(tag, parts=parts, reasons=untold(tag.reasons), only_rebuilt=())


def _without_losses_below(opening: Opening) -> Opening:
    """Return an opening that has no more than a number of what dependencies lost."""
    gone, off = opening.versions_gone[0], opening.turned_off[0]
    return replace(opening, versions_gone=(gone, ()), turned_off=(off, ()), gone_because=())


def _of_steps(status: Status | None, changed: Callable[[Named], Named]) -> Less:
    """Return what changes the steps of a class, or of all, where products are named with these."""

    def of_group(group: Group) -> Group:
        if status not in (None, group.status):
            return group
        return replace(group, steps=changed(group.steps), also=changed(group.also))

    return lambda outline: _groups(of_group)(outline) if outline.names_below else outline


def _without_others(status: Status) -> Less:
    """Return what leaves products of other classes out of one that does not count them."""
    return _groups(lambda it: replace(it, also=()) if it.steps and it.status is status else it)


def _without_old_versions(steps: Named) -> Named:
    """Return packages with the versions alone that came."""

    def came(move: Move) -> Move:
        return replace(move, versions=move.versions._replace(gone=()))

    return tuple((name, tuple(map(came, moves))) for name, moves in steps)


def _without_new_variants(steps: Named) -> Named:
    """Return packages with the variants alone that had another value before."""

    def other(it: Event) -> Event:
        if it.what != "variants":
            return it
        return replace(it, new=tuple(other_values(it.old or (), it.new or ())))

    def told(move: Move) -> Move:
        return replace(move, differs=tuple(map(other, move.differs)))

    return tuple((name, tuple(map(told, moves))) for name, moves in steps)


def _without_tools_as_before(tag: TagBlock) -> TagBlock:
    if not (tag.toolchain and tag.tells_toolchain):
        return tag
    return replace(tag, toolchain=tag.toolchain.changed_alone)


def _without_toolchain(outline: Outline) -> Outline:
    """Return an outline without the toolchain; of one tag the sentence has its news."""

    def without(tag: TagBlock) -> TagBlock:
        news = outline.several_changed and tag.toolchain and tag.toolchain.news
        is_there = tag.tells_toolchain or news or tag.opening.shared or tag.opening.replaced
        return replace(tag, tells_toolchain=None) if is_there else tag

    return _tags(without)(outline)


DEPENDENCIES = "details of dependencies and hashes"
"""What readers ask for first, of all that is left out."""

NEEDED_LEAST: dict[str, Less] = {
    "the full names of what is compared": _without_whole_names,
    "the table of counts": _without_table,
    "details of what is named above": _without_told,
    DEPENDENCIES: _tags(_without_dependencies),
    "unchanged tools": _tags(_without_tools_as_before),
    "old versions": _of_steps(Status.UPGRADED, _without_old_versions),
    "new builds of upgraded products": _without_others(Status.MORE),
    "the toolchain": _without_toolchain,
    "which variants are new": _of_steps(Status.RECONFIGURED, _without_new_variants),
    "upgrades of products named above": _without_others(Status.UPGRADED),
    "which products are upgraded": _of_steps(Status.UPGRADED, lambda _: ()),
    "which versions dependencies lost": _openings(_without_losses_below),
    "how many builds there are": _openings(lambda it: replace(it, builds=None)),
    "what many packages share": _openings(
        lambda it: replace(it, shared=(), replaced=(), new_roots=())
    ),
}
"""What is left out of a report that is too long, what is needed least first, and how."""

NEEDED_MOST: dict[str, Less] = {
    "what became of products": _of_steps(None, lambda _: ()),
    "where products are only dependencies now": _openings(lambda it: replace(it, roots_no_more=())),
    "which versions and builds products lost": _openings(lambda _: Opening()),
}
"""What is left out after that, rather than to cut the text."""
