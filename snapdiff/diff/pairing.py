"""Which new spec took the place of which old one: four passes (specification, section 6).

Specs that agree in version and configuration form a group of alike with as many members as there
are such specs. The passes work on these groups, so a thousand like specs cost as much as one.
"""

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from operator import attrgetter
from typing import NamedTuple

from snapdiff.diff.common_tokens import by_common_tokens
from snapdiff.diff.effort import Effort
from snapdiff.model import Build
from snapdiff.spack.configuration import Configuration
from snapdiff.spack.targets import target_family
from snapdiff.spack.version import Token, Version


class Pairing(NamedTuple):
    """What became of the specs of one package in one stack, by their hashes.

    `pairs` are an old and a new one each; the others found no partner.
    """

    pairs: list[tuple[str, str]]
    removed: list[str]
    added: list[str]


class AlikeSpecs:
    """The specs of one version and configuration that have no partner yet, lowest hash first.

    `build` is one of theirs; `family` is that of its target.
    """

    __slots__ = ("build", "family", "hashes")

    def __init__(self, build: Build, hashes: list[str]) -> None:
        self.build = build
        self.hashes = hashes
        self.family = ""

    def version_and_configuration(self) -> Hashable:
        """What agrees in the first pass."""
        return self.build.version, self.build.configuration

    def same_configuration(self) -> Hashable:
        """What agrees in the second pass."""
        return self.build.configuration

    def same_version(self) -> Hashable:
        """What agrees in the third pass."""
        return self.build.version, self.machine()

    def machine(self) -> Hashable:
        """What agrees in every pair: the platform and the target's family."""
        return self.build.platform, self.family

    def release(self) -> tuple[Token, ...]:
        """Return the version's tokens that are compared one by one."""
        return self.build.version.release


_PASSES: tuple[Callable[[AlikeSpecs], Hashable], ...] = (
    AlikeSpecs.version_and_configuration,
    AlikeSpecs.same_configuration,
    AlikeSpecs.same_version,
    AlikeSpecs.machine,
)

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
    before, after = _alike(old), _alike(new)
    pairs: list[tuple[str, str]] = []
    for key in _passes(before, after):
        if not before or not after:
            break
        partners = _grouped(after, key)
        for value, candidates in _grouped(before, key).items():
            if value in partners:
                for mine, theirs in _pair_group(candidates, partners[value], effort):
                    pairs += _take_pairs(mine, theirs, match_hashes)
        before = list(filter(_has_hashes, before))
        after = list(filter(_has_hashes, after))
    return Pairing(pairs, _hashes(before), _hashes(after))


def _alike(side: Mapping[Build, Sequence[str]]) -> list[AlikeSpecs]:
    if len(side) == 1:  # as mostly: what it is need not be parsed
        return [AlikeSpecs(build, sorted(hashes)) for build, hashes in side.items()]
    groups: dict[tuple[Version, Configuration], AlikeSpecs] = {}
    for build, hashes in side.items():
        key = build.version, build.configuration
        if key not in groups:
            groups[key] = AlikeSpecs(build, [])
        groups[key].hashes += hashes
    for found in groups.values():
        found.hashes.sort()
    return list(groups.values())


def _passes(
    old: Sequence[AlikeSpecs], new: Sequence[AlikeSpecs]
) -> Sequence[Callable[[AlikeSpecs], Hashable]]:
    """Return which passes there is something to do in, once the families of targets are known.

    Where there is one group a side, the last pass alone decides: it asks for no more than the same
    machine. Where there is one target, it stands for its family: archspec takes 15 ms to import.
    """
    both = (*old, *new)
    several = len({item.build.target for item in both}) > 1
    for item in both:
        item.family = target_family(item.build.target) if several else item.build.target
    return _PASSES[-1:] if len(old) == len(new) == 1 else _PASSES


def _grouped(
    specs: Iterable[AlikeSpecs], key: Callable[[AlikeSpecs], Hashable]
) -> dict[Hashable, list[AlikeSpecs]]:
    groups: dict[Hashable, list[AlikeSpecs]] = {}
    for item in specs:
        groups.setdefault(key(item), []).append(item)
    return groups


def _hashes(specs: Iterable[AlikeSpecs]) -> list[str]:
    return [spec_hash for item in specs for spec_hash in item.hashes]


def _pair_group(
    old: list[AlikeSpecs], new: list[AlikeSpecs], effort: Effort
) -> Iterator[tuple[AlikeSpecs, AlikeSpecs]]:
    """Yield what agrees in a pass, best first; the caller takes pairs until one has none left."""
    if len(old) == len(new) == 1:
        yield old[0], new[0]
        return
    for near_old, near_new in by_common_tokens(old, new, AlikeSpecs.release, _has_hashes):
        yield from _best_first(near_old, near_new, effort)


def _take_pairs(
    old: AlikeSpecs, new: AlikeSpecs, match_hashes: MatchHashes
) -> list[tuple[str, str]]:
    """Return as many hashes in pairs as the smaller group has, and take them out of both."""
    only_one = len(old.hashes) == len(new.hashes) == 1
    found = (match_in_order if only_one else match_hashes)(old.hashes, new.hashes)
    taken = set(chain.from_iterable(found))
    old.hashes = [spec_hash for spec_hash in old.hashes if spec_hash not in taken]
    new.hashes = [spec_hash for spec_hash in new.hashes if spec_hash not in taken]
    return found


_COMPARISON = 32
"""What comparing two specs costs beside their variants: as much as so many of these."""


def _best_first(
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
        yield from _in_step(old, new)
        return
    effort.spend(
        len(new) * sum(_COMPARISON + len(item.build.configuration.variants) for item in old)
        + len(old) * sum(len(item.build.configuration.variants) for item in new)
    )
    order = _PairOrder(len(rank), len(old), len(new))
    numbers = [
        order.number(
            ours.build.configuration.differences(theirs.build.configuration),
            rank[ours.build.version],
            rank[theirs.build.version],
            i,
            j,
        )
        for i, ours in enumerate(old)
        for j, theirs in enumerate(new)
    ]
    numbers.sort()
    for number in numbers:
        i, j = order.positions(number)
        if old[i].hashes and new[j].hashes:
            yield old[i], new[j]


class _PairOrder(NamedTuple):
    """Gives each pair one number to sort by: as tuples they would take ten times the memory.

    What decides first is in front, as in a date that is written year, month, day: whatever the
    positions are, 2 differences and old rank 1 sort before 2 differences and old rank 2.
    """

    ranks: int
    old: int
    new: int

    def number(self, differences: int, old_rank: int, new_rank: int, i: int, j: int) -> int:
        """Return the number of the pair at positions `i` and `j`, which decide what ties."""
        versions = (differences * self.ranks + old_rank) * self.ranks + new_rank
        return (versions * self.old + i) * self.new + j

    def positions(self, number: int) -> tuple[int, int]:
        """Return the positions of a pair, old and new, from its number."""
        return divmod(number % (self.old * self.new), self.new)


def _in_step(
    old: list[AlikeSpecs], new: list[AlikeSpecs]
) -> Iterator[tuple[AlikeSpecs, AlikeSpecs]]:
    """Yield the first of both sides that still have hashes, for as long as both have one."""
    i = j = 0
    while i < len(old) and j < len(new):
        yield old[i], new[j]
        i += not old[i].hashes
        j += not new[j].hashes
