"""The finished diff as people read it: one sentence, what is shared, the lines, the numbers.

Every report for people prints this and nothing else: what is said, and in which order, is here.
"""

from collections.abc import Iterable
from typing import Any, Literal

from msgspec import Struct

from snapdiff.reports import GroupBy
from snapdiff.reports.groups import FEW_QUIET, MOST_NAMES, Tally, tallies
from snapdiff.reports.names import SideName, readable, side_names
from snapdiff.reports.package_counts import CountTable, count_table, tags_worst_first
from snapdiff.reports.package_lines import PackageLine
from snapdiff.reports.stack_news import News, news_of
from snapdiff.reports.statuses import Status
from snapdiff.reports.tag_block import TagBlock, TagWriter
from snapdiff.result import CatalogDiff, Kind, SkippedPage, StackDiff

_NOUNS = {"lock": "environment", "index": "build cache", "database": "install tree"}
"""What a stack is called by the kind of document that lists it; what is not here is a stack."""


_FAR = 20
"""How many lines nobody scrolls past to see whether there is worse."""


class Outline(Struct, frozen=True, kw_only=True):
    """All that a report for people says; with `several_changed` tags a line has to name its own.

    `noun` is what a stack is called, `about` what is counted first: products where it is known what
    somebody asked for. `stacks` is the number of stacks in which something changed, `only_stack`
    the name where there is but one. `only_line` is there where it says all there is to say of
    packages.
    """

    sides: tuple[SideName, SideName]
    noun: str
    about: Literal["product", "package"]
    tallies: tuple[Tally, ...]
    dependencies: tuple[Tally, ...]
    stacks: int
    only_stack: str
    only_line: PackageLine | None
    news: News
    table: CountTable | None
    tags: tuple[TagBlock, ...]
    several_changed: bool
    skipped: tuple[SkippedPage, ...]

    @property
    def is_environments(self) -> bool:
        """Whether all stacks are environments."""
        return self.noun == _NOUNS["lock"]

    @property
    def has_long_groups(self) -> bool:
        """Whether so much is gone or less than it was that what comes behind it is far down."""
        return any(
            group.status < Status.UPGRADED and group.size > _FAR
            for tag in self.tags
            for part in tag.parts
            for group in part.groups
            if part.about != "dependencies"
        )

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
    stacks = [stack for tag in diff.tags for stack in tag.stacks]
    return Outline(
        sides=side_names(diff.old, diff.new),
        noun=_noun(stacks),
        about="product" if has_products else "package",
        tallies=tallies(line for line in every if not line.is_dependency),
        dependencies=tallies(line for line in every if line.is_dependency),
        stacks=sum(stack.status == "changed" for tag in changed for stack in tag.stacks),
        only_stack=stacks[0].stack if len(stacks) == 1 else "",
        only_line=told[0] if is_one_line else None,
        news=news_of(diff),
        table=counted if len(counted.rows) > 1 else None,
        tags=tuple(writer.block(group_by, told if is_one_line else ()) for writer in writers),
        several_changed=len(changed) > 1,
        skipped=diff.skipped,
    )


Folds = Literal["none", "dependencies", "all"]


def block_values(
    outline: Outline,
    *,
    lists_all: bool = False,
    folds: Folds = "dependencies",
    on_terminal: bool = False,
) -> dict[str, Any]:
    """Return what the templates of blocks and words ask for; a terminal folds nothing."""
    return {
        "outline": outline,
        "noun": outline.noun,
        "rebuilt": outline.rebuilt,
        "lists_all": lists_all,
        "can_fold": folds != "none" and not on_terminal,
        "folds_all": folds == "all",
        "more_at": "(--detail lists them)" if on_terminal and not lists_all else "",
        "most_names": FEW_QUIET if on_terminal else MOST_NAMES,
    }


def _noun(stacks: Iterable[StackDiff]) -> str:
    """Return what all stacks are; of several kinds they are stacks."""
    nouns = {_NOUNS.get(stack.document, "stack") for stack in stacks}
    return nouns.pop() if len(nouns) == 1 else "stack"


def has_words(outline: Outline) -> bool:
    """Return whether there is anything to say."""
    news = (*outline.news.tags.values(), *outline.news.stacks.values())
    return bool(outline.tallies or outline.dependencies or outline.skipped) or any(news)
