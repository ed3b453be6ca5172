"""What several packages of a stack have more builds with: the new compiler or MPI of a site."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence

from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from snapdiff.diff.packages import Loss
from snapdiff.diff.trait_bits import TraitBits
from snapdiff.result.causes import SharedTrait, Trait, TraitCount

_SEVERAL = 3
"""Of how many packages a trait tells the new builds."""


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
    masks = {key: _mask(*key, bits) for key, number in most_first if number >= _SEVERAL}
    found = [SharedTrait(trait, {}, also, {}) for trait, also in masks]
    wanted = {key for gain in reported for key in gain.lost}
    told_of: dict[str, int] = {}
    for gain in gained if masks else ():
        after, before = (bits.linked[side] for side in gain.sides) if gain.sides else (None, None)
        new = [(bits.of_build(*it, after), 1, it[1]) for it in (*gain.lost.items(), *gain.stayed)]
        old = [(bits.of_build(*it, before), -1, it[1]) for it in gain.others]
        of_others = [mask for (it, _), mask in masks.items() if not it.is_of(gain.package)]
        builds = (has for key, (has, *_) in zip(gain.lost, new, strict=False) if key in wanted)
        told_of[gain.package] = sum(any(has & it == it for it in of_others) for has in builds)
        for shared, mask in zip(found, masks.values(), strict=True):
            if shared.trait.is_of(gain.package):
                continue
            having = [(number, it) for has, number, it in (*new, *old) if has & mask == mask]
            if (more := sum(number for number, _ in having)) > 0:
                shared.packages[gain.package] = more
            if shared.asked_for is not UNSET:
                roots = sum(number for number, build in having if build.explicit)
                if roots > 0:
                    shared.asked_for[gain.package] = roots
    return tuple(replace(it, asked_for=it.asked_for or UNSET) for it in found), told_of


def _mask(trait: Trait, also: Trait | UnsetType, bits: TraitBits) -> int:
    return bits.of_trait_and_version(trait) | (bits.of_trait(also) if also else 0)
