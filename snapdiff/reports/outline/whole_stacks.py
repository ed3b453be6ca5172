"""Stacks that are on one side alone: what is said of them, and which may be one under two names."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from functools import partial
from shlex import quote
from typing import NamedTuple

from snapdiff.model.packages import LikeStacks, like_stacks
from snapdiff.model.specs import EMPTY_PART, ROOT
from snapdiff.reports.names import TOP_FOLDER
from snapdiff.result.changes import TagDiff
from snapdiff.result.packages import Kind
from snapdiff.spack import target_family

_HARDWARE = re.compile(
    "(?<![a-z0-9])"
    "(?:aarch64|cpu|cuda|gpu|hip|mps|neoverse|oneapi|ppc64le|rocm|sycl|x86_64)"
    "(?![a-z0-9])"
)
"""The parts of stacks' names that say what they are for."""


_FEW_PACKAGES = 5
"""How many packages of a stack are named that came or went with it."""


class StackNews(NamedTuple):
    """Stacks of one tag that are removed or added, and the packages that they have in all.

    `alone` are those of them that no other stack has, or had, None where not all stacks were looked
    at. `may_be_old` says that pages of others may not have named these stacks.
    """

    tag: TagDiff
    stacks: tuple[str, ...]
    packages: tuple[str, ...]
    alone: tuple[str, ...] | None
    may_be_old: bool

    @property
    def few(self) -> tuple[str, ...]:
        """The packages, if they are few."""
        return self.packages if len(self.packages) <= _FEW_PACKAGES else ()

    @property
    def are_alone(self) -> bool:
        """Whether no other stack has any of them."""
        return self.alone == self.packages


def stack_news(tags: Iterable[TagDiff], kind: Kind, *, has_all: bool) -> Iterator[StackNews]:
    """Yield the stacks of each tag on both sides that are removed, or added.

    The tags may not have all of their stacks, if these were narrowed.
    """
    for tag in tags:
        stacks = [stack for stack in tag.stacks if stack.status == kind.value]
        if stacks and tag.status == "changed":
            sides = [names for it in stacks for names in (it.packages.removed, it.packages.added)]
            names = sorted(set().union(*sides))
            whole = {*tag.packages.removed, *tag.packages.added}
            of_pages = all(it.document == "page" for it in stacks)
            is_unsure = len(names) == 1 < len(stacks) and of_pages and kind is Kind.ADDED
            # What nobody else has counts in `root`, which is no stack.
            is_known = has_all and not any(it.stack == ROOT and it.specs.new for it in tag.stacks)
            yield StackNews(
                tag=tag,
                stacks=tuple(it.stack for it in stacks),
                packages=tuple(names),
                alone=tuple(it for it in names if it in whole) if is_known else None,
                may_be_old=is_unsure,
            )


def _may_be_one(families: Mapping[str, AbstractSet[str]], old: str, new: str) -> bool:
    """Return whether a stack may have got a name; `root` is none, and `cuda` is never `cpu`."""
    parts = [set(_HARDWARE.findall(name.lower())) for name in (old, new)]
    is_other = (all(parts) and parts[0] != parts[1]) or families[old] != families[new]
    return ROOT not in (old, new) and not is_other


def likely_renames(tags: Iterable[TagDiff]) -> Iterator[tuple[LikeStacks, str]]:
    """Yield the stacks that may be compared as one, where neither may be another as well."""
    for tag in tags:
        if tag.status != "changed":
            continue
        old = {it.stack: set(it.packages.removed) for it in tag.stacks if it.status == "removed"}
        new = {it.stack: set(it.packages.added) for it in tag.stacks if it.status == "added"}
        families = {
            stack.stack: {target_family(spec.target) for it in stack.changes for spec in it.specs}
            for stack in tag.stacks
            if stack.stack in (*old, *new)
        }
        likely = like_stacks(old, new, partial(_may_be_one, families))
        olds, news = Counter(it.old for it in likely), Counter(it.new for it in likely)
        for like in likely:
            if olds[like.old] == news[like.new] == 1:
                given = (EMPTY_PART if it == TOP_FOLDER else it for it in (like.old, like.new))
                yield like, f"--map-stack {quote('='.join(given))}"
