"""Which new spec took the place of which old one: four passes (specification, section 6).

Specs that agree in version and configuration form a group of alike with as many members as there
are such specs. The passes work on these groups, so a thousand like specs cost as much as one.
"""

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from operator import attrgetter

from msgspec import Struct

from snapdiff.limits import Limits, over_limit
from snapdiff.model.specs import Build
from snapdiff.spack import Configuration, Version, target_families


class Effort:
    """Comparisons made so far: one count for all stacks of a package."""

    def __init__(self, limits: Limits) -> None:
        self._most = limits.comparisons
        self._spent = 0

    def spend(self, comparisons: int) -> None:
        """Count some more; raises FormatError where that is too much."""
        self._spent += comparisons
        if self._spent > self._most:
            # This does not name a spec: which is over the limit depends on what was compared first.
            what = "the package's specs are too many and too unlike each other to be paired"
            raise over_limit(what, self._most, "comparisons")


class AlikeSpecs(Struct):
    """The specs of one version and configuration that have no partner yet, lowest hash first.

    Of their builds, which agree in both, one says what both are; `family` is its target's.
    """

    build: Build
    family: str
    hashes: list[str]


def _group_alike(
    side: Mapping[Build, Iterable[str]], families: Mapping[str, str]
) -> list[AlikeSpecs]:
    """Return specs, given as the hashes of each build, in groups of alike.

    `families` has the family of each target.
    """
    if len(side) == 1:  # as mostly: what it is need not be parsed
        return [AlikeSpecs(one, families[one.target], sorted(side[one])) for one in side]
    groups: dict[tuple[Version, Configuration], AlikeSpecs] = {}
    for build, hashes in side.items():
        key = build.version, build.configuration
        if key not in groups:
            groups[key] = AlikeSpecs(build, families[build.target], [])
        groups[key].hashes += hashes
    for group in groups.values():
        group.hashes.sort()
    return list(groups.values())


class Pairing(Struct, frozen=True, gc=False):
    """What became of the specs of one package in one stack, by their hashes.

    `pairs` are an old and a new one each; the others found no partner.
    """

    pairs: list[tuple[str, str]]
    removed: list[str]
    added: list[str]


_PASSES: tuple[Callable[[AlikeSpecs], Hashable], ...] = (
    lambda specs: (specs.build.version, specs.build.configuration),
    lambda specs: specs.build.configuration,
    lambda specs: (specs.build.version, specs.build.platform, specs.family),
    lambda specs: (specs.build.platform, specs.family),
)
"""What agrees in the pairs of each pass; a configuration has platform and family, too."""

_has_hashes = attrgetter("hashes")


MatchHashes = Callable[[Sequence[str], Sequence[str]], list[tuple[str, str]]]
"""Returns which hashes of two groups of like specs belong together, as many as the smaller has."""


def match_in_order(old: Sequence[str], new: Sequence[str]) -> list[tuple[str, str]]:
    """Return hashes in pairs, the lowest with the lowest."""
    return list(zip(old, new, strict=False))


def pair_specs(
    old: Mapping[Build, Sequence[str]],
    new: Mapping[Build, Sequence[str]],
    effort: Effort,
    match_hashes: MatchHashes = match_in_order,
) -> Pairing:
    """Return how the old-only and new-only specs of one package in one stack belong together.

    Each side is given as the hashes of each build; `match_hashes` decides between specs that are
    alike in all their own fields. The result does not depend on the order of the input
    (specification, section 6). Raises FormatError where that would take too long, together with
    what the same `effort` went into before.
    """
    families = target_families({build.target for build in chain(old, new)})
    before, after = _group_alike(old, families), _group_alike(new, families)
    pairs: list[tuple[str, str]] = []
    for mine, theirs in _that_may_pair(before, after, effort):
        pairs += _take_pairs(mine, theirs, match_hashes)
    removed, added = (
        [spec_hash for item in left for spec_hash in item.hashes] for left in (before, after)
    )
    return Pairing(pairs, removed, added)


def _that_may_pair(
    old: list[AlikeSpecs], new: list[AlikeSpecs], effort: Effort
) -> Iterator[tuple[AlikeSpecs, AlikeSpecs]]:
    """Yield what agrees in the first pass, best first, then what of the rest in the second, ...

    The caller takes pairs of what it gets, until one of the two has no hash left.
    """
    if len(old) == len(new) == 1:  # as mostly: the last pass asks for no more than the same machine
        if _PASSES[-1](old[0]) == _PASSES[-1](new[0]):
            yield old[0], new[0]
        return
    for key in _PASSES:
        if not old or not new:
            return
        for candidates, partners in _that_agree(old, new, key):
            if len(candidates) == len(partners) == 1:
                yield candidates[0], partners[0]
                continue
            for mine, theirs in _by_common_tokens(candidates, partners):
                yield from _fewest_differences_first(mine, theirs, effort)
        old, new = list(filter(_has_hashes, old)), list(filter(_has_hashes, new))


_Both = tuple[list[AlikeSpecs], list[AlikeSpecs]]


def _that_agree(
    old: Iterable[AlikeSpecs], new: Iterable[AlikeSpecs], key: Callable[[AlikeSpecs], Hashable]
) -> list[_Both]:
    """Return what has the same key, where both sides have some."""
    groups: dict[Hashable, _Both] = {}
    for side, specs in enumerate((old, new)):
        for item in specs:
            groups.setdefault(key(item), ([], []))[side].append(item)
    return [(mine, theirs) for mine, theirs in groups.values() if mine and theirs]


def _take_pairs(
    old: AlikeSpecs, new: AlikeSpecs, match_hashes: MatchHashes
) -> list[tuple[str, str]]:
    """Return as many hashes in pairs as the smaller group has, and take them out of both."""
    if match_hashes is match_in_order or len(old.hashes) == len(new.hashes) == 1:
        found = match_in_order(old.hashes, new.hashes)
        # Thousands of groups may take one hash each of a large group: looked through each time,
        # 30,000 like specs that became unlike would take half a minute.
        del old.hashes[: len(found)], new.hashes[: len(found)]
        return found
    found = match_hashes(old.hashes, new.hashes)
    taken = set(chain.from_iterable(found))
    old.hashes = [spec_hash for spec_hash in old.hashes if spec_hash not in taken]
    new.hashes = [spec_hash for spec_hash in new.hashes if spec_hash not in taken]
    return found


COMPARISON = 32
"""What comparing two specs, or what they depend on, costs: as much as so many variants."""


def _fewest_differences_first(
    old: list[AlikeSpecs], new: list[AlikeSpecs], effort: Effort
) -> Iterator[tuple[AlikeSpecs, AlikeSpecs]]:
    """Yield pairs in the order in which they take each other's members.

    Fewest differences, then the higher old version, then the higher new one, then the texts of the
    configurations, then the hashes.
    """
    versions = sorted({item.build.version for item in (*old, *new)}, reverse=True)
    rank = {version: position for position, version in enumerate(versions)}

    def newest_first(item: AlikeSpecs) -> tuple[int, str, str]:
        return rank[item.build.version], " ".join(item.build.configuration.words()), item.hashes[0]

    old, new = sorted(old, key=newest_first), sorted(new, key=newest_first)
    if len({item.build.configuration for item in (*old, *new)}) == 1:
        i = j = 0  # the first of both sides that still have hashes, for as long as both have one
        while i < len(old) and j < len(new):
            yield old[i], new[j]
            i += not old[i].hashes
            j += not new[j].hashes
        return
    effort.spend(
        len(new) * sum(COMPARISON + len(item.build.configuration.variants) for item in old)
        + len(old) * sum(len(item.build.configuration.variants) for item in new)
    )
    # One number for each pair, as tuples would take ten times the memory. What decides first is in
    # front, as in a date that is written year, month, day.
    numbers = []
    for i, ours in enumerate(old):
        for j, theirs in enumerate(new):
            number = ours.build.configuration.differences(theirs.build.configuration)
            number = number * len(rank) + rank[ours.build.version]
            number = number * len(rank) + rank[theirs.build.version]
            numbers.append((number * len(old) + i) * len(new) + j)
    numbers.sort()
    for number in numbers:
        i, j = divmod(number % (len(old) * len(new)), len(new))
        if old[i].hashes and new[j].hashes:
            yield old[i], new[j]


def _by_common_tokens(
    old: list[AlikeSpecs], new: list[AlikeSpecs], tokens: int = 0
) -> Iterator[_Both]:
    """Yield what has most leading version tokens in common, then what has one less, and so on.

    All that is given has so many `tokens` in common. The caller pairs what it gets; what has no
    hash left then is not given again.
    """
    before, after = (
        [item for item in side if len(item.build.version.release) > tokens] for side in (old, new)
    )
    for mine, theirs in _that_agree(before, after, lambda it: it.build.version.release[tokens]):
        yield from _by_common_tokens(mine, theirs, tokens + 1)
    old, new = list(filter(_has_hashes, old)), list(filter(_has_hashes, new))
    if old and new:
        yield old, new
