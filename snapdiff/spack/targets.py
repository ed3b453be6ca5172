"""Which targets are of one family, as archspec knows them."""

from functools import lru_cache


@lru_cache(maxsize=1024)
def target_family(target: str) -> str:
    """Return the family of a target: `x86_64` for `zen4`; an unknown target is its own family."""
    from archspec.cpu import TARGETS  # late: only a diff with unlike configurations needs it

    known = TARGETS.get(target)
    return str(known.family.name) if known is not None else target
