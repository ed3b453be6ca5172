"""How much some packages come to: what can be added up once need not be counted again."""

from snapdiff.filters import Scope
from snapdiff.model import Package


class Totals:
    """How many specs and packages there are, in all and by stack."""

    __slots__ = ("packages", "specs", "stacks")

    def __init__(self, known: "Totals | None" = None) -> None:
        """Begin with what is known, or with nothing."""
        self.specs: int = known.specs if known else 0
        self.packages: int = known.packages if known else 0
        self.stacks: dict[str, tuple[int, int]] = dict(known.stacks) if known else {}

    def add(self, by_stack: dict[str, int], in_any: int, times: int = 1) -> None:
        """Count a package, as `specs_by_stack` has it; `times` is -1 to take it out."""
        self.specs += times * in_any
        self.packages += times * (in_any > 0)
        for stack, number in by_stack.items():
            specs, packages = self.stacks.get(stack, (0, 0))
            self.stacks[stack] = specs + times * number, packages + times


def specs_by_stack(package: Package, scope: Scope) -> tuple[dict[str, int], int]:
    """Return how many specs of a package each stack has, and how many are in any."""
    by_stack: dict[str, int] = {}
    in_any = 0
    for listed, number in package.counts.items():
        stacks = scope.stacks(listed)
        for stack in stacks:
            by_stack[stack] = by_stack.get(stack, 0) + number
        in_any += number if stacks else 0
    return by_stack, in_any
