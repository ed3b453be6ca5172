"""The blocks of a report that people read: a tag, its stacks, the kinds of change in a stack."""

from collections.abc import Iterable

from msgspec import Struct

from snapdiff.reports.package_counts import PackageCounts
from snapdiff.reports.package_lines import PackageLine
from snapdiff.reports.short_list import shortened
from snapdiff.reports.spec_lines import SpecSection
from snapdiff.reports.stack_reasons import StackReasons
from snapdiff.result import Kind, StackDiff, TagDiff

FEW_DEPENDENCIES = 4
"""How many lines of what came along are told beside what was asked for."""


class KindBlock(Struct, frozen=True, kw_only=True):
    """The lines of one kind; `left_out` is the number of packages on lines that are not there.

    What was asked for comes first, then what came along: together they are the `lines`. `anchor` is
    what a link to the block's heading is made of, in Markdown; empty for none.
    """

    kind: Kind
    symbol: str
    lines: tuple[PackageLine, ...]
    left_out: int
    anchor: str

    @property
    def packages(self) -> int:
        """How many packages there are, each counted once."""
        return _number_of_packages(self.lines)

    @property
    def asked_for(self) -> tuple[PackageLine, ...]:
        """The lines of what somebody asked for, and of what nobody is known to have asked for."""
        return tuple(line for line in self.lines if not line.is_dependency)

    @property
    def dependencies(self) -> tuple[PackageLine, ...]:
        """The lines of what only came along."""
        return tuple(line for line in self.lines if line.is_dependency)

    @property
    def has_fold(self) -> bool:
        """Whether so much came along that it is worth a fold."""
        return len(self.dependencies) > FEW_DEPENDENCIES

    @property
    def first_dependencies(self) -> tuple[PackageLine, ...]:
        """The first lines of what only came along, for where it has one line in all."""
        return shortened(self.dependencies, FEW_DEPENDENCIES).first

    @property
    def more_dependencies(self) -> int:
        """How many packages are on the other lines of what only came along."""
        return _number_of_packages(self.dependencies[len(self.first_dependencies) :])

    @property
    def dependency_packages(self) -> int:
        """How many packages only came along."""
        return _number_of_packages(self.dependencies)


def _number_of_packages(lines: Iterable[PackageLine]) -> int:
    return len({name for line in lines for name in line.packages})


class StackBlock(Struct, frozen=True, kw_only=True):
    """What happened in one stack, or, where `stack` is None, in all stacks of a tag.

    `reasons` say why its specs changed, `details` are the changes spec by spec, where they are
    asked for. A stack that is not named is called an empty string.
    """

    stack: str | None
    counts: PackageCounts | None
    reasons: StackReasons | None
    kinds: tuple[KindBlock, ...]
    details: tuple[SpecSection, ...]

    @property
    def has_fold(self) -> bool:
        """Whether so much came along, whatever happened to it, that it is worth a fold."""
        return sum(len(kind.dependencies) for kind in self.kinds) > FEW_DEPENDENCIES

    @property
    def dependency_packages(self) -> int:
        """How many packages only came along, whatever happened to them."""
        return _number_of_packages(line for kind in self.kinds for line in kind.dependencies)


class TagBlock(Struct, frozen=True, kw_only=True):
    """What happened in one tag that is on both sides.

    `removed`, `added` and `only_rebuilt` name the stacks that have no block of their own; `reasons`
    say why specs changed in those and, where one block is for all, in all stacks.
    """

    tag: TagDiff
    removed: tuple[str, ...]
    added: tuple[str, ...]
    only_rebuilt: tuple[str, ...]
    reasons: tuple[StackReasons, ...]
    stacks: tuple[StackBlock, ...]

    def stacks_of(self, block: StackBlock) -> list[StackDiff]:
        """Return the stacks that one of the blocks is about."""
        return [stack for stack in self.tag.stacks if block.stack in (None, stack.stack)]
