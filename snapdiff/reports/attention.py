"""The news that a reader should not miss, however large the diff: what is gone, what is new."""

from collections.abc import Iterable, Sequence
from shlex import quote

from msgspec import Struct

from snapdiff.model import pair_like_stacks
from snapdiff.reports.lost_builds import StackLoss, stack_loss
from snapdiff.reports.package_lines import PackageLine
from snapdiff.reports.severity import reported_kinds
from snapdiff.reports.short_list import shortened
from snapdiff.result import CatalogDiff, HashConflict, Kind, SkippedPage, StackDiff, TagDiff

HANDFUL = 3
"""How many lines of one sort of bad news there are before the rest is counted."""

FEW = 2
"""How many lines of one sort of other news."""


class TagLine(Struct, frozen=True, kw_only=True):
    """A line of packages, and the tag that it is about."""

    tag: TagDiff
    line: PackageLine


class LineNews(Struct, frozen=True, kw_only=True):
    """The first lines of one sort of news; `more` is the number of packages on the others."""

    lines: tuple[TagLine, ...]
    more: int


class StackNews(Struct, frozen=True, kw_only=True):
    """Stacks of one tag that are removed or added, and how many packages they had or have.

    A package counts in each of these stacks.
    """

    tag: TagDiff
    stacks: tuple[str, ...]
    packages: int


class StackRename(Struct, frozen=True, kw_only=True):
    """A removed stack and an added one that has `shared` of its `packages`."""

    tag: TagDiff
    old: str
    new: str
    shared: int
    packages: int

    @property
    def option(self) -> str:
        """The option that compares them as one, so that a shell takes it as it is."""
        return f"--map-stack {quote(f'{self.old}={self.new}')}"


class LossNews(Struct, frozen=True, kw_only=True):
    """What a stack lost, where one line says it best."""

    tag: TagDiff
    stack: str
    loss: StackLoss


class Attention(Struct, frozen=True, kw_only=True):
    """What needs attention, the worst first, and then what is new.

    `has_losses` says that removed and downgraded packages are reported. Without them, as with
    `--because`, a report cannot say that nothing needs attention.
    """

    has_losses: bool
    removed_tags: tuple[TagDiff, ...]
    removed_stacks: tuple[StackNews, ...]
    losses: tuple[LossNews, ...]
    renames: tuple[StackRename, ...]
    gone: LineNews
    lost: LineNews
    downgraded: LineNews
    skipped: tuple[SkippedPage, ...]
    hash_conflicts: tuple[HashConflict, ...]
    added_tags: tuple[TagDiff, ...]
    added_stacks: tuple[StackNews, ...]
    new: LineNews
    major: LineNews

    @property
    def is_needed(self) -> bool:
        """Whether there is anything to attend to."""
        news = (
            self.removed_tags,
            self.removed_stacks,
            self.losses,
            self.skipped,
            self.hash_conflicts,
        )
        lines = (self.gone, self.lost, self.downgraded)
        return any(news) or any(some.lines for some in lines)

    @property
    def is_calm(self) -> bool:
        """Whether it is sure that there is nothing to attend to."""
        return self.has_losses and not self.is_needed

    @property
    def has_words(self) -> bool:
        """Whether there is anything to say."""
        return self.is_needed or self.is_calm or self.has_new

    @property
    def has_new(self) -> bool:
        """Whether anything is new, or upgraded to another major version."""
        return bool(
            self.added_tags or self.added_stacks or self.new.lines or self.major.lines,
        )


def attention_of(
    diff: CatalogDiff, lines: Sequence[tuple[TagDiff, Sequence[PackageLine]]]
) -> Attention:
    """Return the news of a diff; `lines` has the package lines of each tag, all its stacks."""
    kinds = reported_kinds(diff)
    every = [TagLine(tag=tag, line=line) for tag, some in lines for line in some]
    removed, added = Kind.REMOVED in kinds, Kind.ADDED in kinds
    losses = tuple(_losses(diff.tags)) if removed else ()
    told = {(news.tag.old, news.tag.new, news.stack) for news in losses}
    lost = [
        item
        for item in every
        if removed
        and item.line.lost_a_build
        and not told.issuperset((item.tag.old, item.tag.new, name) for name in item.line.stacks)
    ]
    return Attention(
        has_losses={Kind.REMOVED, Kind.DOWNGRADED} <= set(kinds),
        removed_tags=tuple(tag for tag in diff.tags if tag.status == "removed"),
        removed_stacks=_stack_news(diff.tags, "removed") if removed else (),
        losses=losses,
        renames=tuple(_renames(diff.tags)) if removed and added else (),
        gone=_first(HANDFUL, [item for item in every if _is_of_tag(item.line, Kind.REMOVED)]),
        lost=_first(HANDFUL, lost),
        downgraded=_first(HANDFUL, [item for item in every if item.line.kind is Kind.DOWNGRADED]),
        skipped=diff.skipped,
        hash_conflicts=tuple(
            conflict for tag in diff.tags for conflict in tag.hash_conflicts or ()
        ),
        added_tags=tuple(tag for tag in diff.tags if tag.status == "added"),
        added_stacks=_stack_news(diff.tags, "added") if added else (),
        new=_first(FEW, [item for item in every if _is_of_tag(item.line, Kind.ADDED)]),
        major=_first(FEW, [item for item in every if item.line.is_major]),
    )


def _is_of_tag(line: PackageLine, kind: Kind) -> bool:
    return line.kind is kind and line.in_tag


def _first(number: int, items: Iterable[TagLine]) -> LineNews:
    """Return the first lines: what was asked for, then what is of most packages and stacks.

    Where one more would be left, that one too.
    """

    def order(item: TagLine) -> tuple[bool, int]:
        return item.line.is_dependency, -len(item.line.packages) * len(item.line.stacks)

    found = sorted(items, key=order)
    lines = shortened(found, number).first
    more = sum(len(item.line.packages) for item in found[len(lines) :])
    return LineNews(lines=lines, more=more)


def _stack_news(tags: Iterable[TagDiff], status: str) -> tuple[StackNews, ...]:
    found = []
    for tag in tags:
        stacks = [stack for stack in tag.stacks if stack.status == status]
        if stacks and tag.status == "changed":
            found.append(
                StackNews(
                    tag=tag,
                    stacks=tuple(stack.stack for stack in stacks),
                    packages=sum(stack.packages.old + stack.packages.new for stack in stacks),
                )
            )
    return tuple(found)


def _losses(tags: Iterable[TagDiff]) -> Iterable[LossNews]:
    for tag in tags:
        for stack in tag.stacks:
            loss = stack_loss(stack) if stack.status == "changed" else None
            if loss:
                yield LossNews(tag=tag, stack=stack.stack, loss=loss)


def _renames(tags: Iterable[TagDiff]) -> Iterable[StackRename]:
    """Yield the stacks that may be compared as one: each with one other, the most alike first."""
    for tag in tags:
        if tag.status == "changed":
            old = {stack.stack: set(stack.packages.removed) for stack in _of(tag, "removed")}
            new = {stack.stack: set(stack.packages.added) for stack in _of(tag, "added")}
            for like in pair_like_stacks(old, new):
                yield StackRename(
                    tag=tag,
                    old=like.old,
                    new=like.new,
                    shared=like.shared,
                    packages=len(old[like.old]),
                )


def _of(tag: TagDiff, status: str) -> Iterable[StackDiff]:
    return (stack for stack in tag.stacks if stack.status == status)
