"""The rows of the HTML report: a package and what happened to it, once for all its stacks.

Below each row are its specs, like ones together.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from msgspec import Struct

from snapdiff.model import Spec
from snapdiff.reports.cause_words import SAME_TO_USE, cause_in_words
from snapdiff.reports.html.picture import TagPicture
from snapdiff.reports.html.writing import value_text
from snapdiff.reports.names import shortened
from snapdiff.reports.package_lines import (
    PackageLine,
    changes_by_package,
    order_of_reading,
    package_lines,
)
from snapdiff.result import Change, Kind
from snapdiff.result.causes import Cause
from snapdiff.safe_text import shown

MOST_STACKS = 3
"""How many stacks a row names before the others are counted; below it are those of each spec."""

BuiltAs = tuple[str, ...]
"""Compiler, os, platform, target and variants of a spec, as text."""


class HashedPair(NamedTuple):
    """The old and the new hash of a spec, or the only one it has, and the stacks it is in."""

    hashes: tuple[str, ...]
    stacks: tuple[str, ...]


class SpecGroup(NamedTuple):
    """Specs that differ in the same fields and were built alike, in words.

    Of each field there are name, old and new value; of specs that one side only has, the version
    and no new value. `builds` has how they were built: once for both sides, or once for each.
    """

    kind: Kind
    differences: tuple[tuple[str, str, str], ...]
    builds: tuple[tuple[str, BuiltAs], ...]
    reason: str
    pairs: tuple[HashedPair, ...]


class TableRow(Struct, frozen=True, kw_only=True):
    """A package and one change of it in one tag.

    `stacks` has the number of changed specs by stack; `groups` have each of the `specs` once,
    whatever its stacks. `note` says what a reader should know beside versions, `where` which stacks
    it is about; `causes` are those of its rebuilt specs, as their bars name them.
    """

    tag: str
    package: str
    line: PackageLine
    note: str
    where: str
    causes: tuple[str, ...]
    stacks: dict[str, int]
    groups: tuple[SpecGroup, ...]
    specs: int


Words = Callable[[str, object], str]
"""What a macro of `words.j2`, called by its name, says of a value."""


def rows_of(pictures: Iterable[TagPicture], words: Words) -> list[TableRow]:
    """Return all rows in the order of reading: products first."""
    rows = [row for picture in pictures for row in _rows_of_tag(picture, words)]
    return sorted(rows, key=lambda row: (*order_of_reading(row.line), row.tag))


def _rows_of_tag(picture: TagPicture, words: Words) -> Iterator[TableRow]:
    tag = picture.tag
    changes = {stack.stack: changes_by_package(stack) for stack in tag.stacks}
    for line in package_lines(tag, tag.stacks, together=False):
        [package] = line.packages
        some = {name: changes[name].get(package, []) for name in line.stacks}
        groups = _groups_of(some)
        yield TableRow(
            tag=picture.label,
            package=package,
            line=line,
            note=words("note", line),
            where=_where(line, words),
            causes=picture.causes.of(change for changed in some.values() for change in changed),
            stacks={name: len(changed) for name, changed in some.items()},
            groups=groups,
            specs=sum(len(group.pairs) for group in groups),
        )


def _where(line: PackageLine, words: Words) -> str:
    """Return which stacks a row is about: of many without a shorter name, the first ones."""
    if line.place.before:
        return words("place", line.place)
    return words("names", shortened(line.place.names, MOST_STACKS))


def _groups_of(changes: Mapping[str, Sequence[Change]]) -> tuple[SpecGroup, ...]:
    """Return the changes of some stacks, each spec once: like ones together."""
    stacks: dict[tuple[str, ...], list[str]] = {}
    alike: dict[tuple[object, ...], tuple[Change, list[tuple[str, ...]]]] = {}
    for stack, some in changes.items():
        for change in some:
            sides = [spec for spec in (change.old, change.new) if spec]
            hashes = (change.kind.value, *(spec.hash for spec in sides))
            if hashes not in stacks:
                differs = (change.kind, change.fields, change.cause, change.same_to_use)
                likeness = (*differs, *map(_configuration, sides))
                alike.setdefault(likeness, (change, []))[1].append(hashes)
            stacks.setdefault(hashes, []).append(stack)
    return tuple(
        _group(change, [HashedPair(key[1:], tuple(stacks[key])) for key in members])
        for change, members in alike.values()
    )


def _configuration(spec: Spec) -> tuple[str | tuple[str, ...], ...]:
    return spec.compiler, spec.os, spec.platform, spec.target, spec.variants


def _group(change: Change, pairs: Iterable[HashedPair]) -> SpecGroup:
    """Return specs that are like those of a change."""
    differences = tuple(
        (shown(field.name), value_text(field.old) or "—", value_text(field.new) or "—")
        for field in change.fields
    )
    sides = [spec for spec in (change.old, change.new) if spec]
    configurations = list(map(_configuration, sides))
    labels = ("Built",) if len(set(configurations)) == 1 else ("Old", "New")
    texts = [tuple(map(value_text, configuration)) for configuration in configurations]
    reason = ""
    if isinstance(change.cause, Cause):
        same = f"; {SAME_TO_USE}" if change.same_to_use is True else ""
        reason = f"{cause_in_words(change.cause, shown)}{same}"
    differences = differences or (("version", shown(sides[-1].version), ""),)
    builds = tuple(zip(labels, texts, strict=False))  # of one for both sides, the first
    return SpecGroup(change.kind, differences, builds, reason, tuple(pairs))


def first_specs(groups: Sequence[SpecGroup], most: int) -> tuple[SpecGroup, ...]:
    """Return groups with at most so many specs in all."""
    kept = []
    for group in groups:
        if most <= 0:
            break
        kept.append(group._replace(pairs=group.pairs[:most]))
        most -= len(group.pairs)
    return tuple(kept)
