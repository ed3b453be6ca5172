"""The finished diff as people read it: news first, one table of counts, then lines by package."""

from collections.abc import Iterable, Sequence
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from snapdiff.reports.attention import Attention, attention_of
from snapdiff.reports.blocks import KindBlock, StackBlock, TagBlock
from snapdiff.reports.only_names import without_only_names
from snapdiff.reports.package_counts import (
    CountTable,
    count_table,
    counts_of_stack,
    fate_of,
    is_narrowed,
    stacks_worst_first,
    tags_worst_first,
)
from snapdiff.reports.package_lines import PackageLine, by_kind, package_lines
from snapdiff.reports.severity import SYMBOLS, rank
from snapdiff.reports.spec_lines import spec_sections
from snapdiff.reports.stack_reasons import reasons_of, without_shared
from snapdiff.result import CatalogDiff, Kind, StackDiff, TagDiff

GroupBy = Literal["stack", "package"]


class Outline(Struct, frozen=True, kw_only=True):
    """All that a report for people says; with `several_changed` tags a line has to name its own."""

    attention: Attention
    table: CountTable
    tags: tuple[TagBlock, ...]
    several_changed: bool


def outline_of(diff: CatalogDiff, group_by: GroupBy, *, details: bool = False) -> Outline:
    """Return what there is to say of a diff, the worst first everywhere."""
    diff = without_only_names(diff)
    changed = [tag for tag in tags_worst_first(diff.tags) if tag.status == "changed"]
    lines = [(tag, package_lines(tag, _told_stacks(tag))) for tag in changed]
    blocks = [
        _tag_block(tag, some, group_by, narrowed=is_narrowed(diff), details=details)
        for tag, some in lines
    ]
    return Outline(
        attention=attention_of(diff, lines),
        table=count_table(diff),
        tags=_with_anchors(blocks) if group_by == "package" else tuple(blocks),
        several_changed=len(changed) > 1,
    )


def _told_stacks(tag: TagDiff) -> list[StackDiff]:
    """Return the stacks of a tag whose packages are listed.

    Of a stack that is removed or added as a whole, only those packages are that the whole tag lost
    or got with it: the others would repeat one piece of news line by line.
    """
    names = {*tag.packages.added, *tag.packages.removed}
    told = []
    for stack in tag.stacks:
        if stack.status in ("changed", "unchanged"):
            told.append(without_shared(stack))
        elif any(change.package in names for change in stack.package_changes):
            some = tuple(change for change in stack.package_changes if change.package in names)
            told.append(replace(stack, package_changes=some))
    return told


def _tag_block(
    tag: TagDiff, lines: Sequence[PackageLine], group_by: GroupBy, *, narrowed: bool, details: bool
) -> TagBlock:
    fates: dict[str, list[StackDiff]] = {"changed": [], "rebuilt": []}
    for stack in stacks_worst_first(tag.stacks):
        fates.setdefault(fate_of(stack), []).append(stack)
    if group_by == "package":
        told = fates["changed"] + fates["rebuilt"]
        blocks = [
            StackBlock(
                stack=None,
                counts=None,
                reasons=None,
                kinds=_kinds(lines),
                details=spec_sections(told) if details else (),
            )
        ]
    else:
        blocks = [
            StackBlock(
                stack=stack.stack,
                counts=counts_of_stack(stack, narrowed=narrowed),
                reasons=next(iter(reasons_of([stack])), None),
                kinds=_kinds(package_lines(tag, [without_shared(stack)])),
                details=spec_sections([stack]) if details else (),
            )
            for stack in fates["changed"]
        ]
    return TagBlock(
        tag=tag,
        removed=_names(fates.get("removed", ())),
        added=_names(fates.get("added", ())),
        only_rebuilt=_names(fates["rebuilt"]) if group_by == "stack" else (),
        reasons=reasons_of(tag.stacks if group_by == "package" else fates["rebuilt"]),
        stacks=tuple(blocks),
    )


def _names(stacks: Iterable[StackDiff]) -> tuple[str, ...]:
    return tuple(sorted(stack.stack for stack in stacks))


def _kinds(lines: Iterable[PackageLine]) -> tuple[KindBlock, ...]:
    return tuple(
        KindBlock(kind=kind, symbol=SYMBOLS[kind], lines=some, left_out=0, anchor="")
        for kind, some in by_kind(lines).items()
    )


def _with_anchors(blocks: Iterable[TagBlock]) -> tuple[TagBlock, ...]:
    """Return the blocks with the anchors that GitHub gives their headings, one a kind and tag.

    Of several headings that read alike it numbers all but the first: `removed`, `removed-1`.
    """
    seen: dict[Kind, int] = {}

    def anchored(block: KindBlock) -> KindBlock:
        number = seen[block.kind] = seen.get(block.kind, -1) + 1
        return replace(block, anchor=f"{block.kind.value}-{number}" if number else block.kind.value)

    return tuple(
        replace(
            block,
            stacks=tuple(
                replace(stack, kinds=tuple(anchored(kind) for kind in stack.kinds))
                for stack in block.stacks
            ),
        )
        for block in blocks
    )


def number_of_lines(outline: Outline) -> int:
    """Return how many package lines an outline has."""
    return sum(
        len(kind.lines) for tag in outline.tags for stack in tag.stacks for kind in stack.kinds
    )


def with_at_most(outline: Outline, most: int) -> Outline:
    """Return an outline without details and with at most so many package lines.

    What was asked for keeps its lines before what came along, the worst kinds before others, and of
    one kind each stack keeps its first before any its second.
    """
    places = sorted(
        (line.is_dependency, rank(kind.kind), position, (tag_number, stack_number))
        for tag_number, tag in enumerate(outline.tags)
        for stack_number, stack in enumerate(tag.stacks)
        for kind in stack.kinds
        for position, line in enumerate(kind.lines)
    )
    room: dict[tuple[int, tuple[int, int]], int] = {}
    for _, kind_rank, _, place in places[:most]:
        room[kind_rank, place] = room.get((kind_rank, place), 0) + 1

    def cut(kind: KindBlock, place: tuple[int, int]) -> KindBlock:
        kept = room.get((rank(kind.kind), place), 0)
        left_out = sum(len(line.packages) for line in kind.lines[kept:])
        return replace(kind, lines=kind.lines[:kept], left_out=left_out)

    tags = tuple(
        replace(
            tag,
            stacks=tuple(
                replace(
                    stack,
                    kinds=tuple(cut(kind, (tag_number, number)) for kind in stack.kinds),
                    details=(),
                )
                for number, stack in enumerate(tag.stacks)
            ),
        )
        for tag_number, tag in enumerate(outline.tags)
    )
    return replace(outline, tags=tags)
