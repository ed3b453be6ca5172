"""What a reader should not miss, however large the diff: whole tags and stacks, and what is odd."""

from collections.abc import Iterable, Iterator
from shlex import quote

from msgspec import Struct

from snapdiff.model import pair_like_stacks
from snapdiff.reports.package_lines import reported_kinds
from snapdiff.result import CatalogDiff, HashConflict, Kind, StackDiff, TagDiff


class StackNews(Struct, frozen=True, kw_only=True):
    """Stacks of one tag that are removed or added, and how many packages they had or have."""

    tag: TagDiff
    stacks: tuple[str, ...]
    packages: int

    @property
    def number(self) -> int:
        """How many stacks these are."""
        return len(self.stacks)


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


class News(Struct, frozen=True, kw_only=True):
    """Tags and stacks that are on one side alone, by kind, and what somebody should look at."""

    tags: dict[Kind, tuple[TagDiff, ...]]
    stacks: dict[Kind, tuple[StackNews, ...]]
    hash_conflicts: tuple[HashConflict, ...]
    renames: tuple[StackRename, ...]


def news_of(diff: CatalogDiff) -> News:
    """Return the news of a diff; of stacks only where their kind is reported."""
    kinds = reported_kinds(diff)
    both = (Kind.REMOVED, Kind.ADDED)
    return News(
        tags={kind: tuple(tag for tag in diff.tags if tag.status == kind.value) for kind in both},
        stacks={
            kind: tuple(_stack_news(diff.tags, kind)) if kind in kinds else () for kind in both
        },
        hash_conflicts=tuple(
            conflict for tag in diff.tags for conflict in tag.hash_conflicts or ()
        ),
        renames=tuple(_renames(diff.tags)) if set(both) <= set(kinds) else (),
    )


def _stack_news(tags: Iterable[TagDiff], kind: Kind) -> Iterator[StackNews]:
    for tag in tags:
        stacks = [stack for stack in tag.stacks if stack.status == kind.value]
        if stacks and tag.status == "changed":
            yield StackNews(
                tag=tag,
                stacks=tuple(stack.stack for stack in stacks),
                packages=sum(stack.packages.old + stack.packages.new for stack in stacks),
            )


def _renames(tags: Iterable[TagDiff]) -> Iterator[StackRename]:
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
