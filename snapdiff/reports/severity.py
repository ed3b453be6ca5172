"""What needs attention first: the order of the kinds of change, and their signs."""

from collections.abc import Iterable

from snapdiff.filters import wanted_kinds
from snapdiff.result import CatalogDiff, Kind

WORST_FIRST = (
    Kind.REMOVED,
    Kind.DOWNGRADED,
    Kind.ADDED,
    Kind.UPGRADED,
    Kind.RECONFIGURED,
    Kind.REBUILT,
)
"""The kinds of change in the order in which somebody should look at them."""

SYMBOLS = {
    Kind.REMOVED: "−",
    Kind.DOWNGRADED: "↓",
    Kind.ADDED: "+",
    Kind.UPGRADED: "↑",
    Kind.RECONFIGURED: "≠",
    Kind.REBUILT: "=",
}

_RANKS = {kind: rank for rank, kind in enumerate(WORST_FIRST)}


def rank(kind: Kind) -> int:
    """Return how far down a report a kind comes: 0 for the worst."""
    return _RANKS[kind]


def worst_rank(kinds: Iterable[Kind]) -> int:
    """Return the rank of the worst of some kinds, and one beyond all where there is none."""
    return min(map(rank, kinds), default=len(WORST_FIRST))


def reported_kinds(diff: CatalogDiff) -> tuple[Kind, ...]:
    """Return the kinds of change that a report was not narrowed away from, worst first."""
    wanted = wanted_kinds(diff.filters)
    return tuple(kind for kind in WORST_FIRST if kind in wanted)
