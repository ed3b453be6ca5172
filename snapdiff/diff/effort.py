"""What pairing has cost so far, so that no package takes too long."""

from snapdiff.limits import Limits, over_limit


class Effort:
    """Comparisons made so far: one count for all stacks of a package."""

    __slots__ = ("_most", "_spent")

    def __init__(self, limits: Limits) -> None:
        """Begin with nothing spent."""
        self._most = limits.comparisons
        self._spent = 0

    def spend(self, comparisons: int) -> None:
        """Count some more; raises FormatError where that is too much.

        What is over the limit depends on what was compared first, so the error does not say.
        """
        self._spent += comparisons
        if self._spent > self._most:
            what = "the package's specs are too many and too unlike each other to be paired"
            raise over_limit(what, self._most, "comparisons")
