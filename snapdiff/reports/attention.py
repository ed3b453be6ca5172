"""The news that a reader should not miss, however large the diff: what is gone, what is new."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from shlex import quote
from typing import NamedTuple

from msgspec import Struct

from snapdiff.model import pair_like_stacks
from snapdiff.reports.lost_builds import StackLoss, loss_of, stack_loss
from snapdiff.reports.names import Place, Places, shortened
from snapdiff.reports.package_lines import PackageLine, reported_kinds
from snapdiff.result import CatalogDiff, HashConflict, Kind, StackDiff, TagDiff, Trait

MOST_PRODUCTS = 8
"""How many lines of one sort of news there are before the rest is counted."""

MOST_DEPENDENCIES = 4
"""How many of what nobody asked for."""


class TagLine(Struct, frozen=True, kw_only=True):
    """A line of packages, and the tag that it is about."""

    tag: TagDiff
    line: PackageLine


class News(Struct, frozen=True, kw_only=True):
    """The first lines of one sort of news; `more` is the number of packages on the others.

    `title` says what happened to them, `of_dependencies` that nobody asked for these.
    """

    title: str
    kind: Kind
    of_dependencies: bool
    lines: tuple[TagLine, ...]
    more: int


class LossNews(Struct, frozen=True, kw_only=True):
    """What stacks lost that has one thing in common, where one line says it best."""

    tag: TagDiff
    stacks: tuple[str, ...]
    place: Place
    loss: StackLoss


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


class Attention(Struct, frozen=True, kw_only=True):
    """What needs attention, and then what is new; in each, products before dependencies."""

    tags: dict[Kind, tuple[TagDiff, ...]]
    stacks: dict[Kind, tuple[StackNews, ...]]
    losses: tuple[LossNews, ...]
    hash_conflicts: tuple[HashConflict, ...]
    renames: tuple[StackRename, ...]
    lost: tuple[News, ...]
    new: tuple[News, ...]


class _Sort(NamedTuple):
    """A sort of news: how it is called, its sign, which lines are of it, and of products alone."""

    title: str
    kind: Kind
    has: Callable[[PackageLine], bool]
    of_products: bool = False


_LOST = (
    _Sort("gone", Kind.REMOVED, lambda line: line.whole and line.kind is Kind.REMOVED),
    _Sort("with builds gone", Kind.REMOVED, lambda line: line.lost_a_build, of_products=True),
    _Sort(
        "downgraded",
        Kind.DOWNGRADED,
        lambda line: line.kind is Kind.DOWNGRADED and not line.lost_a_build,
    ),
)
_NEW = (
    _Sort(
        "new",
        Kind.ADDED,
        lambda line: line.in_tag and line.kind is Kind.ADDED and not line.was_compiler,
        of_products=True,
    ),
    _Sort("to another major version", Kind.UPGRADED, lambda line: line.is_major, of_products=True),
)


def attention_of(
    diff: CatalogDiff, lines: Sequence[tuple[TagDiff, Sequence[PackageLine]]]
) -> Attention:
    """Return the news of a diff; `lines` has the package lines of each tag, all its stacks."""
    kinds = reported_kinds(diff)
    every = [TagLine(tag=tag, line=line) for tag, some in lines for line in some]
    losses = tuple(_losses(diff.tags)) if Kind.REMOVED in kinds else ()
    told = {(news.tag.old, news.tag.new, name) for news in losses for name in news.stacks}
    untold = [
        item
        for item in every
        if not item.line.lost_a_build
        or not told.issuperset((item.tag.old, item.tag.new, name) for name in item.line.stacks)
    ]
    return Attention(
        tags={
            Kind(status): tuple(tag for tag in diff.tags if tag.status == status)
            for status in ("removed", "added")
        },
        stacks={
            kind: tuple(_stack_news(diff.tags, kind)) if kind in kinds else ()
            for kind in (Kind.REMOVED, Kind.ADDED)
        },
        losses=losses,
        hash_conflicts=tuple(
            conflict for tag in diff.tags for conflict in tag.hash_conflicts or ()
        ),
        renames=tuple(_renames(diff.tags)) if {Kind.REMOVED, Kind.ADDED} <= set(kinds) else (),
        lost=tuple(_news(untold, _LOST)),
        new=tuple(_news(untold, _NEW)),
    )


def _news(every: Sequence[TagLine], sorts: Iterable[_Sort]) -> Iterator[News]:
    """Yield the sorts of news that there are: those of products, then those of dependencies."""
    for of_dependencies in (False, True):
        some = [item for item in every if item.line.is_dependency is of_dependencies]
        for title, kind, has, of_products in sorts:
            if of_dependencies and of_products:
                continue
            found = [it for it in some if has(it.line) and not it.line.is_other_scheme]
            found.sort(key=lambda item: (not item.line.in_tag, -len(item.line.stacks)))
            most = MOST_DEPENDENCIES if of_dependencies else MOST_PRODUCTS
            lines = shortened(found, most).first
            if lines:
                yield News(
                    title=title,
                    kind=kind,
                    of_dependencies=of_dependencies,
                    lines=lines,
                    more=sum(len(item.line.packages) for item in found[len(lines) :]),
                )


def _losses(tags: Iterable[TagDiff]) -> Iterator[LossNews]:
    for tag in tags:
        places = Places(stack.stack for stack in tag.stacks)
        alike: dict[Trait, list[StackDiff]] = {}
        for stack in tag.stacks:
            loss = stack_loss(stack) if stack.status == "changed" else None
            if loss:
                alike.setdefault(loss.parts[0].trait, []).append(stack)
        for stacks in alike.values():
            names = tuple(stack.stack for stack in stacks)
            yield LossNews(tag=tag, stacks=names, place=places.place(names), loss=loss_of(stacks))


def _stack_news(tags: Iterable[TagDiff], kind: Kind) -> Iterable[StackNews]:
    for tag in tags:
        stacks = [stack for stack in tag.stacks if stack.status == kind.value]
        if stacks and tag.status == "changed":
            yield StackNews(
                tag=tag,
                stacks=tuple(stack.stack for stack in stacks),
                packages=sum(stack.packages.old + stack.packages.new for stack in stacks),
            )


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
