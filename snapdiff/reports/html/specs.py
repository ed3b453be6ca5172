"""The specs of a row of the HTML report, as text: what happened, how they were built, hashes."""

from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

from snapdiff.model import Spec
from snapdiff.reports.cause_words import SAME_TO_USE, cause_in_words
from snapdiff.reports.names import short_patches
from snapdiff.result import Change, Field
from snapdiff.result.causes import Cause
from snapdiff.safe_text import shown


class Built(NamedTuple):
    """How a spec was built, as text."""

    compiler: str
    os: str
    platform: str
    target: str
    variants: str


class Difference(NamedTuple):
    """A field that differs, as text."""

    name: str
    old: str
    new: str


class HashedPair(NamedTuple):
    """The old and the new hash of a spec, or the only one it has, and the stacks it is in."""

    hashes: tuple[str, ...]
    stacks: tuple[str, ...]


class SpecGroup(NamedTuple):
    """Specs of one kind that differ in the same fields and were built alike.

    `builds` is once for both sides, or `Old` and `New`. `cause` is why they were rebuilt, empty
    where it is not known.
    """

    kind: str
    cause: str
    differences: tuple[Difference, ...]
    builds: tuple[tuple[str, Built], ...]
    pairs: tuple[HashedPair, ...]


def groups_of(pairs: Iterable[tuple[Change, Iterable[str]]]) -> tuple[SpecGroup, ...]:
    """Return changes, each with its stacks, as pairs of specs: like ones together."""
    found: dict[tuple[object, ...], tuple[Change, list[HashedPair]]] = {}
    for change, stacks in pairs:
        hashes = tuple([shown(spec.hash) for spec in (change.old, change.new) if spec])
        likeness = (
            *(change.kind, change.fields, change.cause, change.same_to_use),
            *(_built(change.old), _built(change.new)),
        )
        members = found.setdefault(likeness, (change, []))[1]
        members.append(HashedPair(hashes, tuple(stacks)))
    return tuple(_group(change, members) for change, members in found.values())


def _group(change: Change, pairs: list[HashedPair]) -> SpecGroup:
    return SpecGroup(
        change.kind.value,
        _cause(change),
        tuple(_difference(field) for field in change.fields) or _versions(change),
        _builds(_built(change.old), _built(change.new)),
        tuple(pairs),
    )


def _cause(change: Change) -> str:
    if not isinstance(change.cause, Cause):
        return ""
    words = cause_in_words(change.cause, shown)
    return f"{words}; {SAME_TO_USE}" if change.same_to_use is True else words


def _versions(change: Change) -> tuple[Difference, ...]:
    """Return the version of specs that differ in no field, or that one side only has."""
    spec = change.new or change.old
    assert spec is not None
    return (Difference("version", shown(spec.version), ""),)


def _builds(old: Built | None, new: Built | None) -> tuple[tuple[str, Built], ...]:
    if old and new and old != new:
        return (("Old", old), ("New", new))
    built = old or new
    assert built is not None
    return (("Built", built),)


def first_specs(groups: Iterable[SpecGroup], most: int) -> tuple[SpecGroup, ...]:
    """Return groups with at most so many specs in all."""
    kept = []
    for group in groups:
        if most <= 0:
            break
        kept.append(group._replace(pairs=group.pairs[:most]))
        most -= len(group.pairs)
    return tuple(kept)


def _difference(field: Field) -> Difference:
    return Difference(shown(field.name), _value(field.old), _value(field.new))


def _value(value: str | tuple[str, ...]) -> str:
    """Return a field's value as text, a dash where it has no variant."""
    return shown(value) if isinstance(value, str) else (_variants(value) or "—")


_shown = lru_cache(maxsize=65536)(shown)


@lru_cache(maxsize=4096)
def _variants(values: tuple[str, ...]) -> str:
    return " ".join(_shown(short_patches(value)) for value in values)


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
