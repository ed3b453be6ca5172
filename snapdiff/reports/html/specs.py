"""The specs of a row of the HTML report, as text: how they were built, and their hashes."""

from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

from snapdiff.model import Spec
from snapdiff.result import Change
from snapdiff.safe_text import shown


class Built(NamedTuple):
    """How a spec was built, as text."""

    compiler: str
    os: str
    platform: str
    target: str
    variants: str


class Pair(NamedTuple):
    """The old and the new hash of a spec, or the only one it has, and the stacks it is in."""

    hashes: tuple[str, ...]
    stacks: tuple[str, ...]


class Group(NamedTuple):
    """Pairs that were built alike: once for both sides, or `Old` and `New`."""

    builds: tuple[tuple[str, Built], ...]
    pairs: tuple[Pair, ...]


def groups_of(pairs: Iterable[tuple[Change, Iterable[str]]]) -> tuple[Group, ...]:
    """Return changes, each with its stacks, as pairs of specs: those built alike together."""
    found: dict[tuple[Built | None, Built | None], list[Pair]] = {}
    for change, stacks in pairs:
        hashes = tuple([shown(spec.hash) for spec in (change.old, change.new) if spec])
        builds = (_built(change.old), _built(change.new))
        found.setdefault(builds, []).append(Pair(hashes, tuple(stacks)))
    return tuple(Group(_builds(*builds), tuple(pairs)) for builds, pairs in found.items())


def _builds(old: Built | None, new: Built | None) -> tuple[tuple[str, Built], ...]:
    if old and new and old != new:
        return (("Old", old), ("New", new))
    built = old or new
    assert built is not None
    return (("Built", built),)


def first_specs(groups: Iterable[Group], most: int) -> tuple[Group, ...]:
    """Return groups with at most so many specs in all."""
    kept = []
    for group in groups:
        if most <= 0:
            break
        kept.append(Group(group.builds, group.pairs[:most]))
        most -= len(group.pairs)
    return tuple(kept)


def words(values: Iterable[str]) -> str:
    """Return values one after the other, each fit to be shown."""
    return " ".join(map(_shown, values))


_shown = lru_cache(maxsize=65536)(shown)


@lru_cache(maxsize=4096)
def _variants(values: tuple[str, ...]) -> str:
    return words(values)


def _built(spec: Spec | None) -> Built | None:
    if spec is None:
        return None
    return Built(
        _shown(spec.compiler),
        _shown(spec.os),
        _shown(spec.platform),
        _shown(spec.target),
        _variants(spec.variants),
    )
