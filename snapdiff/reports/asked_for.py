"""What somebody asked for, and what came along with it as a dependency."""

from collections.abc import Iterable

from snapdiff.result import StackDiff


class AskedFor:
    """Which packages of some stacks somebody asked for: those of which a change is explicit."""

    def __init__(self, stacks: Iterable[StackDiff]) -> None:
        """Take the stacks; in one without any explicit change, nothing is known to come along."""
        self._explicit = {
            stack.stack: {change.package for change in stack.changes if change.is_explicit}
            for stack in stacks
        }

    def came_along(self, package: str, stacks: Iterable[str]) -> bool:
        """Return whether a package only came along in all of some stacks."""
        explicit = [self._explicit[stack] for stack in stacks]
        return all(names and package not in names for names in explicit)
