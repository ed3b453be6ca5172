"""The rows of the HTML report: a package and what happened to it, once for all its stacks."""

from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from msgspec import Struct

from snapdiff.reports.html.specs import SpecGroup, groups_of
from snapdiff.reports.markdown_text import number
from snapdiff.reports.package_lines import PackageMove, moves_of, unchanged_versions
from snapdiff.reports.severity import rank
from snapdiff.reports.short_list import shortened, tag_names
from snapdiff.result import CatalogDiff, Change, StackDiff, TagDiff
from snapdiff.safe_text import shown
from snapdiff.spack.version import parse_version

NAMED_STACKS = 2
"""How many stacks a row names before it says how many more there are."""

NAMED_VERSIONS = 3
"""How many versions that stay a row names before it says how many more there are."""


class TableRow(Struct, frozen=True, kw_only=True):
    """A package and one change of it in one tag, every value fit to be shown.

    `stacks` has the number of changed specs by stack; `groups` have each of the `specs` once,
    whatever its stacks. `old` and `new` are versions that are gone and that came; `notes` say what
    a reader should know beside.
    """

    tag: str
    move: PackageMove
    package: str
    link: str
    old: str
    new: str
    notes: tuple[str, ...]
    stacks: dict[str, int]
    where: str
    specs: int
    groups: tuple[SpecGroup, ...]


_Pairs = dict[tuple[str, str], tuple[Change, list[str]]]
"""The changed specs of a row by their hashes, each with its stacks."""


def rows_of(diff: CatalogDiff, package_url: str) -> list[TableRow]:
    """Return all rows: what needs attention first, then by package, tag and version.

    `package_url` is the address of a package's page with `{package}` in it, or empty.
    """
    found: list[tuple[tuple[Any, ...], TableRow]] = []
    for position, tag in enumerate(diff.tags):
        changes = {stack.stack: _by_package(stack) for stack in tag.stacks}
        versions = unchanged_versions(tag.stacks)
        for move, stacks in moves_of(tag, tag.stacks).items():
            order = (
                rank(move.kind),
                not move.in_tag,
                move.package,
                position,
                tuple(map(parse_version, (*move.gone, *move.came))),
                len(found),
            )
            some = {name: changes[name].get(move.package, []) for name in stacks}
            kept = versions.get(move.package, ())
            found.append((order, _row(tag, move, kept, some, package_url)))
    found.sort(key=lambda item: item[0])
    return [row for _, row in found]


def tag_label(tag: TagDiff) -> str:
    """Return a tag's name, or both names where two tags are compared with each other."""
    return " → ".join(map(shown, tag_names(tag)))


def _by_package(stack: StackDiff) -> dict[str, list[Change]]:
    found: dict[str, list[Change]] = {}
    for change in stack.changes:
        found.setdefault(change.package, []).append(change)
    return found


def _row(
    tag: TagDiff,
    move: PackageMove,
    versions: tuple[str, ...],
    changes: dict[str, list[Change]],
    package_url: str,
) -> TableRow:
    pairs: _Pairs = {}
    for stack, some in changes.items():
        for change in some:
            hashes = (change.old.hash if change.old else "", change.new.hash if change.new else "")
            pairs.setdefault(hashes, (change, []))[1].append(shown(stack))
    return TableRow(
        tag=tag_label(tag),
        move=move,
        package=shown(move.package),
        link=_link(move.package, package_url),
        old=", ".join(map(shown, move.gone)),
        new=", ".join(map(shown, move.came)),
        notes=tuple(_notes(tag, move, list(changes), versions)),
        stacks={shown(stack): len(some) for stack, some in changes.items()},
        where=_where(list(changes), tag),
        specs=len(pairs),
        groups=groups_of(pairs.values()),
    )


def _notes(
    tag: TagDiff, move: PackageMove, stacks: list[str], versions: tuple[str, ...]
) -> Iterator[str]:
    statuses = {stack.stack: stack.status for stack in tag.stacks}
    if move.whole:
        word, place = ("gone", "from") if move.gone else ("new", "in")
        with_stacks = {statuses[stack] for stack in stacks} <= {"added", "removed"}
        these = "this stack" if len(stacks) == 1 else "these stacks"
        yield word if move.in_tag else f"{word} {'with' if with_stacks else place} {these}"
    elif move.gone and not move.came:
        yield "gone"
    if move.kept:
        yield f"keeps {_versions(move.kept)}"
    if versions and not (move.gone or move.came):
        yield _versions(versions)


def _versions(versions: tuple[str, ...]) -> str:
    """Return the highest of some versions, which matter most, and how many more there are."""
    highest = shortened([shown(version) for version in reversed(versions)], NAMED_VERSIONS)
    more = f" and {number(highest.more)} more" if highest.more else ""
    return f"{', '.join(reversed(highest.first))}{more}"


def _where(stacks: list[str], tag: TagDiff) -> str:
    """Return which stacks: `e4s`, `e4s, hep and 3 more`, `all 14 stacks`."""
    if 1 < len(stacks) == len(tag.stacks):
        return "both stacks" if len(stacks) == 2 else f"all {len(stacks)} stacks"
    list_ = shortened([shown(stack) for stack in stacks], NAMED_STACKS)
    more = f" and {number(list_.more)} more" if list_.more else ""
    return f"{', '.join(list_.first)}{more}"


@lru_cache(maxsize=4096)
def _link(package: str, package_url: str) -> str:
    """Return the address of a package's page, empty where it has none or is no web address."""
    from urllib.parse import quote

    if not package_url.startswith(("https://", "http://")) or shown(package) != package:
        return ""
    return package_url.replace("{package}", quote(package, safe=""))
