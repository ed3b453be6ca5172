"""Which new spec took the place of which old one: four passes (specification, section 6).

Specs that agree in version and configuration form a group of alike with as many members as there
are such specs. The passes work on these groups, so a thousand like specs cost as much as one.
"""

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from operator import attrgetter, itemgetter
from typing import NamedTuple

from snapdiff.diff.common_tokens import by_common_tokens
from snapdiff.diff.effort import Effort
from snapdiff.model import Build
from snapdiff.spack.configuration import Configuration
from snapdiff.spack.targets import target_family
from snapdiff.spack.version import Token, Version


class Member(NamedTuple):
    """One spec to be paired: its hash, and how it was built."""

    hash: str
    build: Build


class Pairing(NamedTuple):
    """What became of the specs of one package in one stack: pairs, and what found no partner."""

    pairs: list[tuple[Member, Member]]
    removed: list[Member]
    added: list[Member]


class AlikeSpecs:
    """The specs of one version and configuration that have no partner yet, lowest hash first."""

    __slots__ = ("configuration", "members", "version")

    def __init__(
        self, version: Version, configuration: Configuration, members: Iterable[Member] = ()
    ) -> None:
        self.version = version
        self.configuration = configuration
        self.members = list(members)

    def version_and_configuration(self) -> Hashable:
        """What agrees in the first pass."""
        return self.version, self.configuration

    def same_configuration(self) -> Hashable:
        """What agrees in the second pass."""
        return self.configuration

    def same_version(self) -> Hashable:
        """What agrees in the third pass."""
        return self.version, self.machine()

    def machine(self) -> Hashable:
        """What agrees in every pair: the platform and the target's family."""
        return self.configuration.platform, target_family(self.configuration.target)

    def release(self) -> tuple[Token, ...]:
        """Return the version's tokens that are compared one by one."""
        return self.version.release


_PASSES: tuple[Callable[[AlikeSpecs], Hashable], ...] = (
    AlikeSpecs.version_and_configuration,
    AlikeSpecs.same_configuration,
    AlikeSpecs.same_version,
    AlikeSpecs.machine,
)

_has_members = attrgetter("members")


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
    old_left, new_left = _alike(old), _alike(new)
    pairs: list[tuple[Member, Member]] = []
    # One group a side: no order to find, and the last pass asks for no more than the same machine.
    only_two = len(old_left) == len(new_left) == 1
    for key in _PASSES[-1:] if only_two else _PASSES:
        if not old_left or not new_left:
            break
        partners = _grouped(new_left, key)
        for value, candidates in _grouped(old_left, key).items():
            if value in partners:
                for mine, theirs in _pair_group(candidates, partners[value], effort):
                    pairs += _take_pairs(mine, theirs, match_hashes)
        old_left = list(filter(_has_members, old_left))
        new_left = list(filter(_has_members, new_left))
    return Pairing(pairs, _members(old_left), _members(new_left))


def _alike(side: Mapping[Build, Sequence[str]]) -> list[AlikeSpecs]:
    groups: dict[tuple[Version, Configuration], AlikeSpecs] = {}
    for build, hashes in side.items():
        key = build.version, build.configuration
        found = groups.get(key)
        if found is None:
            found = groups[key] = AlikeSpecs(*key)
        found.members += [Member(spec_hash, build) for spec_hash in hashes]
    for found in groups.values():
        found.members.sort(key=itemgetter(0))  # the hash
    return list(groups.values())


def _grouped(
    specs: Iterable[AlikeSpecs], key: Callable[[AlikeSpecs], Hashable]
) -> dict[Hashable, list[AlikeSpecs]]:
    groups: dict[Hashable, list[AlikeSpecs]] = {}
    for item in specs:
        groups.setdefault(key(item), []).append(item)
    return groups


def _members(specs: list[AlikeSpecs]) -> list[Member]:
    return [member for item in specs for member in item.members]


def _pair_group(
    old: list[AlikeSpecs], new: list[AlikeSpecs], effort: Effort
) -> Iterator[tuple[AlikeSpecs, AlikeSpecs]]:
    """Yield what agrees in a pass, best first; the caller takes pairs until one has none left."""
    if len(old) == len(new) == 1:
        yield old[0], new[0]
        return
    for near_old, near_new in by_common_tokens(old, new, AlikeSpecs.release, _has_members):
        yield from _best_first(near_old, near_new, effort)


def _take_pairs(
    old: AlikeSpecs, new: AlikeSpecs, match_hashes: MatchHashes
) -> list[tuple[Member, Member]]:
    """Return as many members in pairs as the smaller group has, and take them out of both."""
    if len(old.members) == len(new.members) == 1 or match_hashes is match_in_order:
        count = min(len(old.members), len(new.members))
        pairs = list(zip(old.members[:count], new.members[:count], strict=True))
        del old.members[:count], new.members[:count]
        return pairs
    before, after = dict(old.members), dict(new.members)
    found = match_hashes(list(before), list(after))
    pairs = [
        (Member(mine, before.pop(mine)), Member(theirs, after.pop(theirs)))
        for mine, theirs in found
    ]
    old.members = [Member(*item) for item in before.items()]
    new.members = [Member(*item) for item in after.items()]
    return pairs


_COMPARISON = 32
"""What comparing two specs costs beside their variants: as much as so many of these."""


def _best_first(
    old: list[AlikeSpecs], new: list[AlikeSpecs], effort: Effort
) -> Iterator[tuple[AlikeSpecs, AlikeSpecs]]:
    """Yield pairs in the order in which they take each other's members.

    Fewest differences, then the higher old version, then the higher new one, then the texts of the
    configurations, then the hashes.
    """
    versions = sorted({item.version for item in (*old, *new)}, reverse=True)
    rank = {version: position for position, version in enumerate(versions)}

    def newest_first(item: AlikeSpecs) -> tuple[int, str, str]:
        return rank[item.version], " ".join(item.configuration.words()), item.members[0].hash

    old, new = sorted(old, key=newest_first), sorted(new, key=newest_first)
    if len({item.configuration for item in (*old, *new)}) == 1:
        yield from _in_step(old, new)
        return
    effort.spend(
        len(new) * sum(_COMPARISON + len(item.configuration.variants) for item in old)
        + len(old) * sum(len(item.configuration.variants) for item in new)
    )
    order = _PairOrder(len(rank), len(old), len(new))
    numbers = [
        order.number(
            ours.configuration.differences(theirs.configuration),
            rank[ours.version],
            rank[theirs.version],
            i,
            j,
        )
        for i, ours in enumerate(old)
        for j, theirs in enumerate(new)
    ]
    numbers.sort()
    for number in numbers:
        i, j = order.positions(number)
        if old[i].members and new[j].members:
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
    """Yield the first of both sides that still have members, for as long as both have one."""
    i = j = 0
    while i < len(old) and j < len(new):
        yield old[i], new[j]
        i += not old[i].members
        j += not new[j].members
