"""What several packages of a stack have more builds with: the new compiler or MPI of a site."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence

from msgspec import UNSET, UnsetType

from snapdiff.diff.packages import Loss
from snapdiff.diff.trait_bits import TraitBits
from snapdiff.result.causes import SharedTrait, Trait, TraitCount

_SEVERAL = 3
"""Of how many packages a trait tells the new builds."""

_Key = tuple[Trait, Trait | UnsetType]


def shared_traits(
    gained: Sequence[Loss],
    reported: Iterable[Loss],
    packages: Mapping[str, Collection[TraitCount]],
    bits: TraitBits,
) -> tuple[tuple[SharedTrait, ...], Mapping[str, int]]:
    """Return the traits that tell the new builds of several packages from those that these had.

    Those of most `packages` come first, each with how many more builds of a package have it than
    before, whichever were paired. With them is how many new builds of a package have any of them,
    of those that are `reported`.
    """
    had = [gain.package for gain in gained if gain.others]
    numbers = Counter((it.trait, it.also) for name in had for it in packages.get(name, ()))
    most_first = sorted(numbers.items(), key=lambda it: (-it[1], str(it[0])))
    masks = {
        (trait, also): bits.of_trait_and_version(trait) | (bits.of_trait(also) if also else 0)
        for (trait, also), number in most_first
        if number >= _SEVERAL
    }
    counts: dict[_Key, tuple[dict[str, int], dict[str, int]]] = {key: ({}, {}) for key in masks}
    wanted = {key for gain in reported for key in gain.lost}
    told: dict[str, int] = {}
    for gain in gained if masks else ():
        own = {key: mask for key, mask in masks.items() if not key[0].is_of(gain.package)}
        after, before = (bits.linked[side] for side in gain.sides) if gain.sides else (None, None)
        new = [(bits.of_build(*it, after), *it) for it in (*gain.lost.items(), *gain.stayed)]
        old = [(bits.of_build(*it, before), *it) for it in gain.others]
        for key, mask in own.items():
            having = [[it for has, _, it in side if has & mask == mask] for side in (new, old)]
            roots = [[it for it in side if it.explicit] for side in having]
            for more, (now, then) in zip(counts[key], (having, roots), strict=True):
                if len(now) > len(then):
                    more[gain.package] = len(now) - len(then)
        came = [has for has, key, _ in new if key in gain.lost and key in wanted]
        told[gain.package] = sum(any(has & it == it for it in own.values()) for has in came)
    found = (
        SharedTrait(trait, some, also, roots or UNSET)
        for (trait, also), (some, roots) in counts.items()
    )
    return tuple(found), told
