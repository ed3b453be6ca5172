"""A report that must not be longer than so many characters: as much news of it as fits."""

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from itertools import count, islice
from typing import NamedTuple

from msgspec.structs import replace

from snapdiff.errors import ReportError
from snapdiff.reports.moves.move import Move
from snapdiff.reports.moves.statuses import Status
from snapdiff.reports.outline.class_counts import Named
from snapdiff.reports.outline.groups import FEW_QUIET, Group, grouped
from snapdiff.reports.outline.opening import Opening
from snapdiff.reports.outline.outline import Outline
from snapdiff.reports.outline.parts import Part
from snapdiff.reports.outline.reasons import Reasons
from snapdiff.reports.outline.tag_block import TagBlock
from snapdiff.reports.templates import Folds

_ENOUGH = 0.98
"""How much of the room is used before no further text is tried: each takes as long as a report."""

_SHORTEST_LINE = 8
"""How many characters a line has at the least: what cannot fit need not be rendered to be known."""

_ABOVE_OTHERS = re.compile(r"\n|#|<details>|\*\*[^*\n]*\*\*\n")
"""The beginning of a line that says nothing without those below it."""


class Extent(NamedTuple):
    """How much a text has beside its lines; `shortened` is to say that something is left out.

    `left_out` names what is left out without a number.
    """

    shortened: bool = True
    left_out: tuple[str, ...] = ()
    has_links: bool = False
    folds: Folds = "dependencies"


Rendered = Callable[[Outline, Extent], str]
"""Makes text of an outline."""

_Less = Callable[[Outline], Outline]
"""Leaves something out of an outline."""


def fitted(outline: Outline, rendered: Rendered, most: int | None) -> str:
    """Return the fullest text of at most `most` characters; it says what it leaves out.

    First the specs go, then the links, then lines, the least important first, while there is room
    for all that is news; then what else is said, what is needed least first. Raises ReportError.
    """
    full = Extent(shortened=False, has_links=True)
    if most is None:
        return rendered(outline, full)
    if len(lines_by_weight(outline)) * _SHORTEST_LINE <= most:
        less = _shorter(outline)
        without_specs = [(less, Extent(has_links=True))] if less != outline else []
        for it, extent in [(outline, full), *without_specs]:
            text = rendered(it, extent)
            if len(text) <= most:
                return text
    text = ""
    for less, left_out, least in _ever_less(outline):
        text = _most_lines(less, least, rendered, Extent(left_out=left_out), most)
        if len(text) <= most:
            return text
    return _cut(text, most)


def _most_lines(outline: Outline, least: int, rendered: Rendered, extent: Extent, most: int) -> str:
    """Return a text with as many of the lines as have room, and with the `least` at any rate."""
    lines = lines_by_weight(outline)
    texts: dict[int, str] = {}

    def length(number: int) -> int:
        less = _shorter(outline, lines[:number])
        only_links = number == len(lines) and not extent.left_out and less == outline
        of_text = extent._replace(left_out=("links of packages",)) if only_links else extent
        texts[number] = rendered(less, of_text)
        return len(texts[number])

    fits, highest = least, max(least, min(len(lines), most // _SHORTEST_LINE))
    if length(least) > most or length(highest) <= most:
        return texts[highest if highest in texts else least]
    while highest - fits > 1 and len(texts[fits]) < _ENOUGH * most:
        # Lines are about as long as one another; where they are not, halves find the place as well.
        share = (most - len(texts[fits])) / (len(texts[highest]) - len(texts[fits]))
        share = 0.5 if len(texts) % 3 == 0 else share
        number = fits + min(max(round((highest - fits) * share), 1), highest - fits - 1)
        if length(number) <= most:
            fits = number
        else:
            highest = number
    return texts[fits]


def _ever_less(outline: Outline) -> Iterator[tuple[Outline, tuple[str, ...], int]]:
    """Yield an outline with ever less in it, what is left out, and how many lines have to fit.

    Those are all of products as long as there are dependencies to leave out; then all of what is
    news and not named above the lines, as long as there is anything else; in the end one.
    """
    left_out: tuple[str, ...] = ()
    needed = [it for it in Status if not it.is_quiet]
    yield outline, left_out, _product_lines(outline, needed)
    for words, without in _NEEDED_LEAST.items():
        less = without(outline)
        needed = [it for it in Status if it.is_news] if words == _DEPENDENCIES else needed
        if less != outline:
            outline, left_out = less, (*left_out, words)
            yield outline, left_out, _product_lines(outline, needed)
    yield outline, left_out, 1
    for words, without in _NEEDED_MOST.items():
        less = without(outline)
        if less != outline:
            outline, left_out = less, (*left_out, words)
            yield outline, left_out, 1


def _product_lines(outline: Outline, classes: Collection[Status]) -> int:
    """Return how many lines and rows there are about products, or packages, of some classes."""
    parts = (part for tag in outline.tags for part in tag.parts if part.about != "dependencies")
    return sum(it.size for part in parts for it in part.groups if it.status in classes)


def _tags(changed: Callable[[TagBlock], TagBlock]) -> _Less:
    """Return what changes each tag of an outline; the next ones, something of each tag."""
    return lambda outline: replace(outline, tags=tuple(map(changed, outline.tags)))


def _openings(changed: Callable[[Opening], Opening]) -> _Less:
    return _tags(lambda tag: replace(tag, opening=changed(tag.opening)))


def _parts(changed: Callable[[Part], Part]) -> _Less:
    return _tags(lambda tag: replace(tag, parts=tuple(map(changed, tag.parts))))


def _groups(changed: Callable[[Group], Group]) -> _Less:
    return _parts(lambda part: replace(part, groups=tuple(map(changed, part.groups))))


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
    demoted = set(outline.demoted if outline.names_demoted else ())

    def without_told(part: Part) -> Part:
        if not named or part.about == "dependencies":
            return part
        groups = []
        for it in part.groups:
            is_demoted = it.status is Status.ROOTS and demoted.issuperset(it.packages)
            is_told = it.steps or is_demoted or it.status in named
            groups.append(_told_above(it, lost) if is_told else it)
        return replace(part, groups=tuple(groups))

    return _parts(without_told)(outline)


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


def _of_steps(status: Status | None, changed: Callable[[Named], Named]) -> _Less:
    """Return what changes the steps of a class, or of all, where products are named with these."""

    def of_group(group: Group) -> Group:
        if status not in (None, group.status):
            return group
        return replace(group, steps=changed(group.steps), also=changed(group.also))

    return lambda outline: _groups(of_group)(outline) if outline.names_below else outline


def _without_others(group: Group) -> Group:
    """Return a group without products of other classes, of which it counts none."""
    return replace(group, also=()) if group.status is Status.UPGRADED else group


def _without_old_versions(steps: Named) -> Named:
    """Return packages with the versions alone that came."""

    def came(move: Move) -> Move:
        return replace(move, versions=move.versions._replace(gone=()))

    return tuple((name, tuple(map(came, moves))) for name, moves in steps)


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


_DEPENDENCIES = "details of dependencies and hashes"

_NEEDED_LEAST: dict[str, _Less] = {
    "the full names of what is compared": _without_whole_names,
    "the table of counts": _without_table,
    "details of what is named above": _without_told,
    _DEPENDENCIES: _tags(_without_dependencies),
    "unchanged tools": _tags(_without_tools_as_before),
    "upgrades of products named above": _groups(_without_others),
    "old versions of upgrades": _of_steps(Status.UPGRADED, _without_old_versions),
    "which products are upgraded": _of_steps(Status.UPGRADED, lambda _: ()),
    "the toolchain": _without_toolchain,
    "which versions dependencies lost": _openings(_without_losses_below),
    "how many builds there are": _openings(lambda it: replace(it, builds=None)),
    "what many packages share": _openings(
        lambda it: replace(it, shared=(), replaced=(), new_roots=())
    ),
}
"""What is left out of a report that is too long, what is needed least first, and how."""

_NEEDED_MOST: dict[str, _Less] = {
    "what became of products": _of_steps(None, lambda _: ()),
    "which versions and builds products lost": _openings(lambda _: Opening()),
}
"""What is left out after that, rather than to cut the text."""


def _cut(text: str, most: int) -> str:
    """Return the first lines of a text, and what it says is left out, if that is short beside them.

    A fold that is open after them ends there. Raises ReportError where not even the first fits.
    """
    lines = text.splitlines(keepends=True)
    kept, open_folds, closed, whole = "", 0, "", ""
    for line in lines:
        open_folds += line.startswith("<details>") - line.startswith("</details>")
        left = "\n… and more, left out to fit.\n" + "\n</details>\n" * open_folds
        if len(kept) + len(line) + len(left) > most:
            if not kept:
                message = f"a report of {most} characters is too short to say anything"
                raise ReportError(f"{message}; allow more with --max-length")
            is_title = all(it.startswith(("#", "<!--")) for it in kept.split("\n") if it)
            first = _first_words(line, most - len(kept + left)) if is_title else ""
            return kept + first + closed if is_title else whole
        kept, closed = kept + line, left
        if not _ABOVE_OTHERS.match(line):
            whole = kept + closed
    return text


def _first_words(sentence: str, most: int) -> str:
    """Return what of a sentence fits, up to a comma outside of code; nothing where none does."""
    ends = (at for at, it in enumerate(sentence[: max(most - 1, 0)]) if it == ",")
    whole = [at for at in ends if sentence[:at].count("`") % 2 == 0]
    return f"{sentence[: whole[-1]]}\n" if whole else ""


def lines_by_weight(outline: Outline) -> list[int]:
    """Return the number of its group for each line and row, the most important first."""
    parts = (part for tag in outline.tags for part in tag.parts)
    groups = ((part.about == "dependencies", group) for part in parts for group in part.groups)
    # Of one status each part's first line comes before any second.
    weights = sorted(
        (is_dependency, group.status, position, number)
        for number, (is_dependency, group) in enumerate(groups)
        for position in range(group.size)
    )
    return [number for *_, number in weights]


def _shorter(outline: Outline, lines: Iterable[int] | None = None) -> Outline:
    """Return an outline without details, and of each group as many of these lines as it has."""
    room, numbers = Counter(lines), count()

    def shorter(part: Part) -> Part:
        groups = part.groups
        if lines is not None:
            groups = tuple(_shortened(group, room[next(numbers)]) for group in groups)
        return replace(part, groups=groups, details=())

    return _parts(shorter)(outline)


def _shortened(group: Group, most: int) -> Group:
    """Return a group with so many lines or rows at most; of mere names only the first stay."""
    if group.is_told_above:
        return group
    if group.table:
        rows = dict(islice(group.table.rows.items(), most))
        table = group.table._replace(rows=rows) if most else None
        left_out = len(group.table.rows) - len(rows)
        return replace(group, table=table, lines=(), steps=(), left_out=left_out)
    told = {name for line in group.lines[:most] for name in line.packages}
    names = group.names[: FEW_QUIET * max(most - len(group.lines), 0)]
    untold = len({name for line in group.lines[most:] for name in line.packages})
    return replace(
        group,
        lines=group.lines[:most],
        names=names,
        named_at=group.named_at if names == group.names else (),
        steps=tuple(it for it in group.steps if it[0] in told),
        left_out=untold + len(group.names) - len(names),
    )
