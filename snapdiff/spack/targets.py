"""Which targets are of one family, as archspec knows them."""

from collections.abc import Collection
from functools import lru_cache


@lru_cache(maxsize=1024)
def target_family(target: str) -> str:
    """Return the family of a target: `x86_64` for `zen4`; an unknown target is its own family."""
    from archspec.cpu import TARGETS  # late: only a diff with unlike configurations needs it

    known = TARGETS.get(target)
    return str(known.family.name) if known is not None else target


def target_families(targets: Collection[str]) -> dict[str, str]:
    """Return the family of each target; a target alone stands for its own.

    Without another there is nothing to tell it from, and archspec takes 15 ms to import.
    """
    if len(targets) == 1:
        return {target: target for target in targets}
    return {target: target_family(target) for target in targets}
