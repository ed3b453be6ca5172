"""Which new spec took the place of which old one: the four passes of the contract's section 6.

Specs that agree in version and configuration form a class with as many members as there are such
specs. The passes work on classes, so a thousand like specs cost as much as one.
"""

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from operator import itemgetter
from typing import NamedTuple

from snapdiff.limits import Effort
from snapdiff.spack.configuration import Build, Configuration
from snapdiff.spack.targets import target_family
from snapdiff.spack.version import Token, Version


class Member(NamedTuple):
    """One spec to be paired: its hash, and what its page says of it."""

    hash: str
    build: Build


class Pairing(NamedTuple):
    """What became of the specs of one package in one stack: pairs, and what found no partner."""

    pairs: list[tuple[Member, Member]]
    removed: list[Member]
    added: list[Member]


class _Class:
    """The specs of one version and configuration that have no partner yet, lowest hash first."""

    __slots__ = ("configuration", "members", "version")

    def __init__(self, version: Version, configuration: Configuration) -> None:
        self.version = version
        self.configuration = configuration
        self.members: list[Member] = []

    def version_and_configuration(self) -> Hashable:
        return self.version, self.configuration

    def same_configuration(self) -> Hashable:
        return self.configuration

    def same_version(self) -> Hashable:
        return self.version, self.machine()

    def machine(self) -> Hashable:
        """What must agree in every pair: the platform and the target's family."""
        return self.configuration.platform, target_family(self.configuration.target)


_PASSES: tuple[Callable[[_Class], Hashable], ...] = (
    _Class.version_and_configuration,
    _Class.same_configuration,
    _Class.same_version,
    _Class.machine,
)


def pair_specs(
    old: Mapping[Build, Sequence[str]],
    new: Mapping[Build, Sequence[str]],
    effort: Effort | None = None,
) -> Pairing:
    """Return how the old-only and new-only specs of one package in one stack belong together.

    Each side is given as the hashes of each build. The result does not depend on the order
    of the input (contract, section 6). Raises FormatError where that would take too long, together
    with what the same `effort` went into before.
    """
    effort = effort or Effort()
    old_classes, new_classes = _classes(old), _classes(new)
    pairs: list[tuple[Member, Member]] = []
    # One class a side: nobody goes first, and the last pass asks for no more than the same machine.
    only_two = len(old_classes) == len(new_classes) == 1
    for key in _PASSES[-1:] if only_two else _PASSES:
        if not old_classes or not new_classes:
            break
        partners = _grouped(new_classes, key)
        for group, candidates in _grouped(old_classes, key).items():
            if group in partners:
                _pair_group(candidates, partners[group], pairs, effort)
        old_classes = _unpaired(old_classes)
        new_classes = _unpaired(new_classes)
    return Pairing(pairs, _members(old_classes), _members(new_classes))


def _classes(side: Mapping[Build, Sequence[str]]) -> list[_Class]:
    classes: dict[Hashable, _Class] = {}
    for build, hashes in side.items():
        found = _Class(build.version, build.configuration)
        found = classes.setdefault(found.version_and_configuration(), found)
        found.members += [Member(spec_hash, build) for spec_hash in hashes]
    for found in classes.values():
        found.members.sort(key=itemgetter(0))  # the hash
    return list(classes.values())


def _grouped(
    classes: Iterable[_Class], key: Callable[[_Class], Hashable]
) -> dict[Hashable, list[_Class]]:
    groups: dict[Hashable, list[_Class]] = {}
    for item in classes:
        groups.setdefault(key(item), []).append(item)
    return groups


def _unpaired(classes: list[_Class]) -> list[_Class]:
    return [item for item in classes if item.members]


def _members(classes: list[_Class]) -> list[Member]:
    return [member for item in classes for member in item.members]


def _pair_group(
    old: list[_Class], new: list[_Class], pairs: list[tuple[Member, Member]], effort: Effort
) -> None:
    """Pair the classes of one group until one side has none left, the best pair first."""
    if len(old) == len(new) == 1:
        _pair_members(old[0], new[0], pairs)
        return
    for near_old, near_new in _by_common_tokens(old, new):
        for candidate, partner in _best_first(near_old, near_new, effort):
            _pair_members(candidate, partner, pairs)


def _pair_members(old: _Class, new: _Class, pairs: list[tuple[Member, Member]]) -> None:
    count = min(len(old.members), len(new.members))
    pairs.extend(zip(old.members[:count], new.members[:count], strict=True))
    del old.members[:count], new.members[:count]


class _Part:
    """What shares so many leading version tokens and still has members."""

    __slots__ = ("length", "new", "old")

    def __init__(self, length: int, old: list[_Class], new: list[_Class]) -> None:
        self.length = length
        self.old = old
        self.new = new


def _by_common_tokens(
    old: list[_Class], new: list[_Class]
) -> Iterator[tuple[list[_Class], list[_Class]]]:
    """Yield what still has members and shares leading version tokens, most tokens first.

    Two parts neither of which holds the other have no class in common, so the order in which they
    come does not matter. In the order of their tokens, those that share most stand together: each
    part is complete once something comes that shares less.
    """
    rows = [(item.version.release, True, item) for item in old]
    rows += [(item.version.release, False, item) for item in new]
    rows.sort(key=lambda row: row[0])
    open_parts: list[_Part] = []
    for position, (tokens, is_old, item) in enumerate(rows):
        if position:
            yield from _close(open_parts, _leading_in_common(rows[position - 1][0], tokens))
        if not open_parts or open_parts[-1].length < len(tokens):
            open_parts.append(_Part(len(tokens), [], []))
        (open_parts[-1].old if is_old else open_parts[-1].new).append(item)
    yield from _close(open_parts, 0)
    for part in open_parts:
        if part.old and part.new:
            yield part.old, part.new


def _close(open_parts: list[_Part], length: int) -> Iterator[tuple[list[_Class], list[_Class]]]:
    """Yield every open part of more tokens than `length`; what is left joins the part around it."""
    while open_parts and open_parts[-1].length > length:
        part = open_parts.pop()
        if part.old and part.new:
            yield part.old, part.new
            part.old, part.new = _unpaired(part.old), _unpaired(part.new)
        if open_parts and open_parts[-1].length >= length:
            open_parts[-1].old += part.old
            open_parts[-1].new += part.new
        else:
            open_parts.append(_Part(length, part.old, part.new))


def _leading_in_common(one: tuple[Token, ...], other: tuple[Token, ...]) -> int:
    pairs = enumerate(zip(one, other, strict=False))
    shorter = min(len(one), len(other))
    return next((count for count, (mine, theirs) in pairs if mine != theirs), shorter)


_COMPARISON = 32
"""What comparing two specs costs beside their variants: as much as so many of these."""


def _best_first(
    old: list[_Class], new: list[_Class], effort: Effort
) -> Iterator[tuple[_Class, _Class]]:
    """Yield pairs of classes in the order in which they take each other's members.

    Fewest differences, then the higher old version, then the higher new one, then the texts.
    """
    versions = sorted({item.version for item in (*old, *new)}, reverse=True)
    rank = {version: position for position, version in enumerate(versions)}

    def newest_first(item: _Class) -> tuple[int, str, list[str]]:
        words = item.configuration.words()
        return rank[item.version], " ".join(words), words

    old, new = sorted(old, key=newest_first), sorted(new, key=newest_first)
    if len({item.configuration for item in (*old, *new)}) == 1:
        yield from _in_step(old, new)
        return
    effort.spend(
        len(new) * sum(_COMPARISON + len(item.configuration.variants) for item in old)
        + len(old) * sum(len(item.configuration.variants) for item in new)
    )
    # A number a pair, in which what decides first stands in front: tuples would take ten times
    # the memory.
    order = sorted(
        (
            (ours.configuration.differences(theirs.configuration) * len(rank) + rank[ours.version])
            * len(rank)
            + rank[theirs.version]
        )
        * len(old)
        * len(new)
        + i * len(new)
        + j
        for i, ours in enumerate(old)
        for j, theirs in enumerate(new)
    )
    for number in order:
        i, j = divmod(number % (len(old) * len(new)), len(new))
        if old[i].members and new[j].members:
            yield old[i], new[j]


def _in_step(old: list[_Class], new: list[_Class]) -> Iterator[tuple[_Class, _Class]]:
    """Yield the first classes that still have members, for as long as both sides have one."""
    i = j = 0
    while i < len(old) and j < len(new):
        yield old[i], new[j]
        i += not old[i].members
        j += not new[j].members
