"""The rows of the HTML report: a package and what happened to it, once for all its stacks."""

from collections.abc import Iterator
from typing import Any, Protocol

from msgspec import Struct

from snapdiff.reports.html.picture import cause_labels, labels_of
from snapdiff.reports.html.specs import SpecGroup, groups_of
from snapdiff.reports.html.writing import address_of
from snapdiff.reports.names import Place, tag_label
from snapdiff.reports.package_lines import PackageLine, order_of_reading, package_lines
from snapdiff.result import CatalogDiff, Change, Kind, StackDiff, TagDiff
from snapdiff.safe_text import shown


class TableRow(Struct, frozen=True, kw_only=True):
    """A package and one change of it in one tag, every value fit to be shown.

    `stacks` has the number of changed specs by stack; `groups` have each of the `specs` once,
    whatever its stacks. `old` and `new` are versions that are gone and that came; `note` says what
    a reader should know beside; `kinds` are what `-k` finds it by; `causes` are those of its
    rebuilt specs, as their bars name them.
    """

    tag: str
    kind: Kind
    kinds: tuple[Kind, ...]
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


class Words(Protocol):
    """The macros of `words.j2` that say what is in a row."""

    def note(self, line: PackageLine) -> str:
        """Return what a reader should know beside: a new package, versions that stay."""
        ...

    def place(self, place: Place) -> str:
        """Return which stacks: `e4s`, `all 14`."""
        ...


def rows_of(diff: CatalogDiff, package_url: str, words: Words) -> list[TableRow]:
    """Return all rows in the order of reading: products first.

    `package_url` is the address of a package's page with `{package}` in it, or empty.
    """
    found: list[tuple[tuple[Any, ...], TableRow]] = []
    for position, tag in enumerate(diff.tags):
        for line, row in _rows_of_tag(tag, package_url, words):
            found.append(((*order_of_reading(line), position, len(found)), row))
    found.sort(key=lambda item: item[0])
    return [row for _, row in found]


def _rows_of_tag(
    tag: TagDiff, package_url: str, words: Words
) -> Iterator[tuple[PackageLine, TableRow]]:
    changes = {stack.stack: _by_package(stack) for stack in tag.stacks}
    labels = cause_labels(tag)
    for line in package_lines(tag, tag.stacks, together=False):
        [package] = line.packages
        pairs = _pairs({name: changes[name].get(package, []) for name in line.stacks})
        yield (
            line,
            TableRow(
                tag=tag_label(tag),
                kind=line.kind,
                kinds=line.kinds,
                package=shown(package),
                link=address_of(package, package_url),
                old=", ".join(map(shown, reversed(line.gone))),
                new=", ".join(map(shown, reversed(line.came))),
                note=str(words.note(line)).strip(),
                causes=labels_of((change for change, _ in pairs.values()), labels),
                stacks={shown(name): len(changes[name].get(package, ())) for name in line.stacks},
                where=_where(line.place, line.stacks, words),
                specs=len(pairs),
                groups=groups_of(pairs.values()),
                is_dependency=line.is_dependency,
            ),
        )


def _where(place: Place, stacks: tuple[str, ...], words: Words) -> str:
    """Return which stacks a row is about; the page has no list of sets, so it names some."""
    if place.letter:
        return f"{', '.join(map(shown, stacks[:2]))} and {len(stacks) - 2:,} more"
    return str(words.place(place))


def _pairs(changes: dict[str, list[Change]]) -> _Pairs:
    pairs: _Pairs = {}
    for stack, some in changes.items():
        for change in some:
            hashes = (change.old.hash if change.old else "", change.new.hash if change.new else "")
            pairs.setdefault(hashes, (change, []))[1].append(shown(stack))
    return pairs


def _by_package(stack: StackDiff) -> dict[str, list[Change]]:
    found: dict[str, list[Change]] = {}
    for change in stack.changes:
        found.setdefault(change.package, []).append(change)
    return found
