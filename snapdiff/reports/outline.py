"""The finished diff as people read it: one sentence, the news, the numbers, then the lines.

Every report for people prints this and nothing else: what is said, and in which order, is here.
"""

from collections.abc import Sequence
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from snapdiff.reports.attention import Attention, attention_of
from snapdiff.reports.names import SideName, readable, side_names
from snapdiff.reports.package_counts import (
    CountTable,
    count_table,
    is_narrowed,
    tags_worst_first,
)
from snapdiff.reports.package_lines import (
    PackageLine,
)
from snapdiff.reports.sentence import Tally, tallies
from snapdiff.reports.tag_block import FEW_QUIET, GroupBy, TagBlock, TagWriter, is_short
from snapdiff.result import CatalogDiff, Kind, SkippedPage


class Outline(Struct, frozen=True, kw_only=True):
    """All that a report for people says; with `several_changed` tags a line has to name its own.

    `about` is what is counted first: products where it is known what somebody asked for. `stacks`
    is the number of stacks in which something changed, `only_stack` the name where there is but
    one. `only_line` is there where it says all that there is to say of packages. `attention` has no
    lines of packages where these are few.
    """

    sides: tuple[SideName, SideName]
    is_environments: bool
    about: Literal["product", "package"]
    tallies: tuple[Tally, ...]
    dependencies: tuple[Tally, ...]
    stacks: int
    only_stack: str
    only_line: PackageLine | None
    attention: Attention
    table: CountTable | None
    tags: tuple[TagBlock, ...]
    several_changed: bool
    skipped: tuple[SkippedPage, ...]

    @property
    def noun(self) -> str:
        """What a stack is called."""
        return "environment" if self.is_environments else "stack"

    @property
    def rebuilt(self) -> str:
        """What is said of a spec of which only the hash changed: a lock builds nothing."""
        return "with another hash" if self.is_environments else "rebuilt"


def outline_of(
    diff: CatalogDiff, group_by: GroupBy, *, details: bool = False, has_table: bool = False
) -> Outline:
    """Return what there is to say of a diff, the worst first everywhere.

    With `details` there is every spec, with `has_table` products are a table where that is good.
    """
    diff = readable(diff)
    narrowed = is_narrowed(diff)
    changed = [tag for tag in tags_worst_first(diff.tags) if tag.status == "changed"]
    writers = [
        TagWriter(tag, diff.filters, details=details, has_table=has_table) for tag in changed
    ]
    every = [line for writer in writers for line in writer.lines]
    has_products = any(writer.products.are_known for writer in writers)
    counted = count_table(diff)
    told = [line for line in every if line.kind is not Kind.REBUILT] or every
    is_one_line = len(told) == len(diff.tags) == 1 and group_by == "package"
    is_one_line = is_one_line and len(told[0].packages) <= FEW_QUIET
    attention = attention_of(diff, [(writer.tag, writer.lines) for writer in writers])
    return Outline(
        sides=side_names(diff.old, diff.new),
        is_environments=has_products,
        about="product" if has_products else "package",
        tallies=tallies(line for line in every if not line.is_dependency),
        dependencies=tallies(line for line in every if line.is_dependency),
        stacks=sum(len(writer.changed_stacks) for writer in writers),
        only_stack=_only_stack(diff),
        only_line=told[0] if is_one_line else None,
        attention=replace(attention, lost=(), new=()) if is_short(every) else attention,
        table=counted if len(counted.rows) > 1 else None,
        tags=tuple(
            _without(writer.block(group_by, narrowed=narrowed), told if is_one_line else [])
            for writer in writers
        ),
        several_changed=len(changed) > 1,
        skipped=diff.skipped,
    )


def _without(block: TagBlock, lines: Sequence[PackageLine]) -> TagBlock:
    """Return a block without some lines, and without the table that tells them."""
    parts = []
    for part in block.parts:
        kinds = (kind for kind in part.kinds if not any(line in lines for line in kind.lines))
        parts.append(replace(part, table=None, kinds=tuple(kinds)))
    kept = tuple(part for part in parts if part.kinds or part.details)
    return replace(block, parts=kept) if lines else block


def _only_stack(diff: CatalogDiff) -> str:
    """Return the name of the only stack there is; nothing where there are several."""
    names = [stack.stack for tag in diff.tags for stack in tag.stacks]
    return names[0] if len(names) == 1 else ""


def has_words(outline: Outline) -> bool:
    """Return whether there is anything to say."""
    news = (*outline.attention.tags.values(), *outline.attention.stacks.values())
    return bool(outline.tallies or outline.dependencies or outline.skipped) or any(news)
