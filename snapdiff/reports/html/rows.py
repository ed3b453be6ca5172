"""The rows of the HTML report: a package and what happened to it, once for all its stacks."""

from collections.abc import Iterator
from functools import lru_cache
from typing import Any, Protocol

from msgspec import Struct

from snapdiff.reports.html.cause_bars import cause_picture, labels_of
from snapdiff.reports.html.specs import SpecGroup, groups_of
from snapdiff.reports.package_lines import (
    AskedForPackages,
    PackageMove,
    moves_of,
    unchanged_versions,
)
from snapdiff.reports.severity import rank
from snapdiff.reports.short_list import ShortList, shortened, tag_names
from snapdiff.result import CatalogDiff, Change, Kind, StackDiff, TagDiff
from snapdiff.safe_text import shown
from snapdiff.spack.version import parse_version

NAMED_STACKS = 2
"""How many stacks a row names before it says how many more there are."""

NAMED_VERSIONS = 3
"""How many versions that stay a row names before it says how many more there are."""


class TableRow(Struct, frozen=True, kw_only=True):
    """A package and one change of it in one tag, every value fit to be shown.

    `stacks` has the number of changed specs by stack; `groups` have each of the `specs` once,
    whatever its stacks. `old` and `new` are versions that are gone and that came; `note` says what
    a reader should know beside; `causes` are those of its rebuilt specs, as their bars name them.
    `is_dependency` as in `PackageLine`.
    """

    tag: str
    kind: Kind
    package: str
    link: str
    old: str
    new: str
    note: str
    causes: tuple[str, ...]
    stacks: dict[str, int]
    where: str
    specs: int
    groups: tuple[SpecGroup, ...]
    is_dependency: bool


_Pairs = dict[tuple[str, str], tuple[Change, list[str]]]
"""The changed specs of a row by their hashes, each with its stacks."""


class RowWords(Protocol):
    """The macros of `row_words.txt.j2`."""

    def note(
        self,
        move: PackageMove,
        with_stacks: bool,
        stacks: int,
        kept: ShortList[str],
        versions: ShortList[str],
    ) -> str:
        """Return what a reader should know beside: a new package, versions that stay."""
        ...

    def where(self, stacks: ShortList[str], everywhere: bool, number: int) -> str:
        """Return which stacks: `e4s`, `e4s, hep and 3 more`, `all 14 stacks`."""
        ...


def rows_of(diff: CatalogDiff, package_url: str, words: RowWords) -> list[TableRow]:
    """Return all rows: what needs attention first, then by package, tag and version.

    `package_url` is the address of a package's page with `{package}` in it, or empty.
    """
    found: list[tuple[tuple[Any, ...], TableRow]] = []
    for position, tag in enumerate(diff.tags):
        for move, row in _rows_of_tag(tag, package_url, words):
            order = (
                rank(move.kind),
                row.is_dependency,
                not move.in_tag,
                move.package,
                position,
                tuple(map(parse_version, (*move.gone, *move.came))),
                len(found),
            )
            found.append((order, row))
    found.sort(key=lambda item: item[0])
    return [row for _, row in found]


def _rows_of_tag(
    tag: TagDiff, package_url: str, words: RowWords
) -> Iterator[tuple[PackageMove, TableRow]]:
    changes = {stack.stack: _by_package(stack) for stack in tag.stacks}
    one_sided = {stack.stack for stack in tag.stacks if stack.status in ("added", "removed")}
    versions = unchanged_versions(tag.stacks)
    labels = cause_picture(tag).labels
    asked_for = AskedForPackages(tag.stacks)
    for move, stacks in moves_of(tag, tag.stacks).items():
        pairs = _pairs({name: changes[name].get(move.package, []) for name in stacks})
        note = words.note(
            move,
            one_sided.issuperset(stacks),
            len(stacks),
            _highest(move.kept),
            _highest(versions.get(move.package, ())),
        )
        everywhere = 1 < len(stacks) == len(tag.stacks)
        yield (
            move,
            TableRow(
                tag=tag_label(tag),
                kind=move.kind,
                package=shown(move.package),
                link=_link(move.package, package_url),
                old=", ".join(map(shown, move.gone)),
                new=", ".join(map(shown, move.came)),
                note=note,
                causes=labels_of((change for change, _ in pairs.values()), labels),
                stacks={shown(name): len(changes[name].get(move.package, ())) for name in stacks},
                where=words.where(shortened(stacks, NAMED_STACKS), everywhere, len(stacks)),
                specs=len(pairs),
                groups=groups_of(pairs.values()),
                is_dependency=asked_for.is_dependency(move.package, stacks),
            ),
        )


def _pairs(changes: dict[str, list[Change]]) -> _Pairs:
    pairs: _Pairs = {}
    for stack, some in changes.items():
        for change in some:
            hashes = (change.old.hash if change.old else "", change.new.hash if change.new else "")
            pairs.setdefault(hashes, (change, []))[1].append(shown(stack))
    return pairs


def tag_label(tag: TagDiff) -> str:
    """Return a tag's name, or both names where two tags are compared with each other."""
    return " → ".join(map(shown, tag_names(tag)))


def _by_package(stack: StackDiff) -> dict[str, list[Change]]:
    found: dict[str, list[Change]] = {}
    for change in stack.changes:
        found.setdefault(change.package, []).append(change)
    return found


def _highest(versions: tuple[str, ...]) -> ShortList[str]:
    """Return the highest of some versions, which matter most, and how many more there are."""
    kept = shortened(versions[::-1], NAMED_VERSIONS)
    return ShortList(kept.first[::-1], kept.more)


@lru_cache(maxsize=4096)
def _link(package: str, package_url: str) -> str:
    """Return the address of a package's page, empty where it has none or is no web address."""
    from urllib.parse import quote

    if not package_url.startswith(("https://", "http://")) or shown(package) != package:
        return ""
    return package_url.replace("{package}", quote(package, safe=""))
