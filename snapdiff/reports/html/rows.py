"""The rows of the HTML report: a package and what happened to it, once for all its stacks.

Below each row are its specs, like ones together.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple, Protocol

from msgspec import Struct

from snapdiff.model import Spec
from snapdiff.reports.html.picture import TagPicture
from snapdiff.reports.names import Place
from snapdiff.reports.package_lines import (
    PackageLine,
    changes_by_package,
    order_of_reading,
    package_lines,
)
from snapdiff.result import Change
from snapdiff.result.causes import Cause
from snapdiff.safe_text import shown


class HashedPair(NamedTuple):
    """The old and the new hash of a spec, or the only one it has, and the stacks it is in."""

    hashes: tuple[str, ...]
    stacks: tuple[str, ...]


class SpecGroup(NamedTuple):
    """Specs that differ in the same fields and were built alike; `change` is the first of them."""

    change: Change
    pairs: tuple[HashedPair, ...]

    @property
    def cause(self) -> Cause | None:
        """Why they were rebuilt, where it is known."""
        return self.change.cause if isinstance(self.change.cause, Cause) else None

    @property
    def builds(self) -> tuple[tuple[str, Spec], ...]:
        """Specs that say how they were built: one for both sides, or one for each."""
        old, new = self.change.old, self.change.new
        if old and new and _built(old) != _built(new):
            return ("Old", old), ("New", new)
        return tuple(("Built", spec) for spec in (old or new,) if spec)


class TableRow(Struct, frozen=True, kw_only=True):
    """A package and one change of it in one tag.

    `stacks` has the number of changed specs by stack; `groups` have each of the `specs` once,
    whatever its stacks. `note` says what a reader should know beside versions, `where` which stacks
    it is about; `causes` are those of its rebuilt specs, as their bars name them.
    """

    tag: str
    line: PackageLine
    note: str
    where: str
    causes: tuple[str, ...]
    stacks: dict[str, int]
    groups: tuple[SpecGroup, ...]
    specs: int

    @property
    def package(self) -> str:
        """Its only package."""
        return self.line.packages[0]


class Words(Protocol):
    """The macros of `words.j2` that say what is in a row."""

    def note(self, line: PackageLine) -> str:
        """Return what a reader should know beside: a new package, versions that stay."""
        ...

    def place(self, place: Place) -> str:
        """Return which stacks: `e4s`, `all 14`."""
        ...


def rows_of(pictures: Iterable[TagPicture], words: Words) -> list[TableRow]:
    """Return all rows in the order of reading: products first."""
    rows = [row for picture in pictures for row in _rows_of_tag(picture, words)]
    return sorted(rows, key=lambda row: (*order_of_reading(row.line), row.tag))


def _rows_of_tag(picture: TagPicture, words: Words) -> Iterator[TableRow]:
    tag = picture.tag
    changes = {stack.stack: changes_by_package(stack) for stack in tag.stacks}
    for line in package_lines(tag, tag.stacks, together=False):
        some = {name: changes[name].get(line.packages[0], []) for name in line.stacks}
        groups = _groups_of(some)
        yield TableRow(
            tag=picture.label,
            line=line,
            note=str(words.note(line)).strip(),
            where=_where(line, words),
            causes=picture.causes.of(change for changed in some.values() for change in changed),
            stacks={name: len(changed) for name, changed in some.items()},
            groups=groups,
            specs=sum(len(group.pairs) for group in groups),
        )


def _where(line: PackageLine, words: Words) -> str:
    """Return which stacks a row is about; the page has no list of sets, so it names some."""
    if line.place.letter:
        return f"{', '.join(map(shown, line.stacks[:2]))} and {len(line.stacks) - 2:,} more"
    return str(words.place(line.place))


def _groups_of(changes: dict[str, list[Change]]) -> tuple[SpecGroup, ...]:
    """Return the changes of some stacks, each spec once: like ones together."""
    stacks: dict[tuple[str, ...], list[str]] = {}
    alike: dict[tuple[object, ...], tuple[Change, list[tuple[str, ...]]]] = {}
    for stack, some in changes.items():
        for change in some:
            sides = [spec for spec in (change.old, change.new) if spec]
            hashes = (change.kind.value, *(spec.hash for spec in sides))
            if hashes not in stacks:
                differs = (change.kind, change.fields, change.cause, change.same_to_use)
                likeness = (*differs, *map(_built, sides))
                alike.setdefault(likeness, (change, []))[1].append(hashes)
            stacks.setdefault(hashes, []).append(stack)
    return tuple(
        SpecGroup(change, tuple(HashedPair(key[1:], tuple(stacks[key])) for key in members))
        for change, members in alike.values()
    )


def _built(spec: Spec) -> tuple[object, ...]:
    return spec.compiler, spec.os, spec.platform, spec.target, spec.variants


def first_specs(groups: Sequence[SpecGroup], most: int) -> tuple[SpecGroup, ...]:
    """Return groups with at most so many specs in all."""
    kept = []
    for group in groups:
        if most <= 0:
            break
        kept.append(group._replace(pairs=group.pairs[:most]))
        most -= len(group.pairs)
    return tuple(kept)
