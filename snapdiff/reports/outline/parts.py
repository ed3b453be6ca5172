"""What happened to the products, or the dependencies, of a tag or of one stack: groups in order."""

from collections.abc import Collection
from typing import Literal, NamedTuple

from msgspec import Struct

from snapdiff.reports.moves.statuses import Status
from snapdiff.reports.outline.class_counts import Numbers
from snapdiff.reports.outline.groups import FEW, Group
from snapdiff.reports.outline.lines import PackageLine, SpecLines
from snapdiff.reports.outline.reasons import Reasons

SHORT = 8
"""How many lines of packages are read at a glance."""

About = Literal["products", "dependencies", "packages"]
"""What lines are about: packages where nobody knows which of them are products."""


class Layout(NamedTuple):
    """The groups of a part as they stand: nobody should miss the first, the rest may be folded."""

    in_sight: list[Group]
    in_table: list[Group]
    rest: list[Group]

    @property
    def listed(self) -> list[Group]:
        """Those of the rest of which there are lines; of the others there are names."""
        return [it for it in self.rest if it.is_listed]

    @property
    def lists_rebuilt(self) -> bool:
        """Whether packages have lines of which only the hash changed."""
        return any(it.status is Status.REBUILT for it in self.listed)


class Part(Struct, frozen=True, kw_only=True):
    """What happened to the products, or to the dependencies, of one stack or of all of a tag.

    They are packages where nobody knows which is which. `stack` is None where it is about all of
    them, and empty for one without a name. `numbers` count all that changed, but for what the
    toolchain tells, if it `is_beside_toolchain`.
    """

    about: About
    stack: str | None
    reasons: Reasons | None = None
    groups: tuple[Group, ...] = ()
    numbers: Numbers
    is_beside_toolchain: bool = False
    details: SpecLines = ()

    @property
    def one(self) -> str:
        """What one of them is called."""
        return "dependency" if self.about == "dependencies" else self.about.removesuffix("s")

    @property
    def lines(self) -> list[PackageLine]:
        """The lines of all its groups."""
        return [line for group in self.groups for line in group.lines]

    @property
    def has_table(self) -> bool:
        """Whether some of its groups are in a table."""
        return any(group.table for group in self.groups)

    @property
    def quiet(self) -> list[Group]:
        """The groups of which names are enough."""
        return [group for group in self.groups if group.names and not group.lines]

    @property
    def size(self) -> int:
        """How many lines and rows it has."""
        return sum(group.size for group in self.groups)

    @property
    def has_headings(self) -> bool:
        """Whether its groups have headings: of few lines everybody sees what they are."""
        return self.has_table or (self.size > SHORT and len(self.groups) > 1)

    @property
    def is_long(self) -> bool:
        """Whether it has more lines than are read beside others."""
        return self.size > FEW

    def layout(self, named: Collection[Status]) -> Layout:
        """Return how its groups stand below one another, where some classes are `named` above."""
        in_sight = [it for it in self.groups if it.status.is_news and it.status not in named]
        return Layout(
            # What came or went with whole stacks is in no column.
            in_sight=[it for it in in_sight if it.is_listed],
            in_table=[it for it in self.groups if it.table],
            rest=[it for it in self.groups if not (it in in_sight or it.table or it.is_told_above)],
        )
