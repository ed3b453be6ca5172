"""What several packages of a stack have more builds with: the new compiler or MPI of a site."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence

from msgspec import UnsetType

from snapdiff.diff.packages import Loss
from snapdiff.diff.trait_bits import TraitBits
from snapdiff.result.causes import SharedTrait, Trait, TraitCount

_SEVERAL = 3
"""Of how many packages a trait tells the new builds."""


def shared_traits(
    gained: Sequence[Loss], packages: Mapping[str, Collection[TraitCount]], bits: TraitBits
) -> tuple[SharedTrait, ...]:
    """Return the traits that tell the new builds of several packages from those that these had.

    Those of most `packages` come first, each with how many more builds of a package have it than
    before, whichever were paired.
    """
    had = [gain.package for gain in gained if gain.others]
    told = Counter((it.trait, it.also) for name in had for it in packages.get(name, ()))
    most_first = sorted(told.items(), key=lambda it: (-it[1], str(it[0])))
    masks = {key: _mask(*key, bits) for key, number in most_first if number >= _SEVERAL}
    found: dict[tuple[Trait, Trait | UnsetType], dict[str, int]] = {key: {} for key in masks}
    for gain in gained if masks else ():
        after, before = (bits.linked[side] for side in gain.sides) if gain.sides else (None, None)
        new = [bits.of_build(*it, after) for it in (*gain.lost.items(), *gain.stayed)]
        old = [bits.of_build(*it, before) for it in gain.others]
        for key, mask in masks.items():
            more = sum(it & mask == mask for it in new) - sum(it & mask == mask for it in old)
            if more > 0 and not key[0].is_of(gain.package):
                found[key][gain.package] = more
    return tuple(SharedTrait(trait, some, also) for (trait, also), some in found.items())


def _mask(trait: Trait, also: Trait | UnsetType, bits: TraitBits) -> int:
    return bits.of_trait_and_version(trait) | (bits.of_trait(also) if also else 0)
