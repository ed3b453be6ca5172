"""The rows of the HTML report's table: what happened to a package, once for all its stacks."""

from collections.abc import Iterator
from functools import lru_cache
from typing import Any, NamedTuple

from msgspec import Struct

from snapdiff.reports.html.specs import Group, groups_of, words
from snapdiff.reports.markdown_text import number
from snapdiff.reports.outline import ATTENTION
from snapdiff.result import CatalogDiff, Change, Field, Kind, StackDiff, TagDiff
from snapdiff.safe_text import shown
from snapdiff.spack.version import parse_version

NAMED_STACKS = 2
"""How many stacks a row names before it says how many more there are."""

NAMED_VERSIONS = 3
"""How many versions that stay a row names before it says how many more there are."""


class Difference(NamedTuple):
    """A field that differs, as text."""

    name: str
    old: str
    new: str


class Row(Struct, frozen=True, kw_only=True):
    """Like changes of one package in one tag, every value fit to be shown.

    `stacks` has the number of specs by stack; `groups` have each of the `specs` once, whatever its
    stacks. `notes` are what a reader should know beside: a new package, versions that stay.
    """

    tag: str
    kind: Kind
    package: str
    link: str
    old: str
    new: str
    differences: tuple[Difference, ...]
    notes: tuple[str, ...]
    stacks: dict[str, int]
    where: str
    specs: int
    groups: tuple[Group, ...]


class _Key(NamedTuple):
    """What the changes in one row have in common."""

    kind: Kind
    package: str
    old: str | None
    new: str | None
    fields: tuple[Field, ...]
    whole: str
    kept: tuple[str, ...]


_Hashes = tuple[str, str]


class _Alike:
    """The changes in one row: each pair of specs once, with its stacks."""

    __slots__ = ("pairs", "stacks")

    def __init__(self) -> None:
        self.pairs: dict[_Hashes, tuple[Change, list[str]]] = {}
        self.stacks: dict[str, int] = {}

    def add(self, change: Change, stack: str) -> None:
        hashes = (change.old.hash if change.old else "", change.new.hash if change.new else "")
        self.pairs.setdefault(hashes, (change, []))[1].append(stack)
        self.stacks[stack] = self.stacks.get(stack, 0) + 1


def rows_of(diff: CatalogDiff, package_url: str) -> list[Row]:
    """Return all rows: what needs attention first, then by package, tag and version.

    `package_url` is the address of a package's page with `{package}` in it, or empty.
    """
    found: list[tuple[tuple[Any, ...], Row]] = []
    for position, tag in enumerate(diff.tags):
        label = tag_label(tag)
        in_both = {
            shown(stack.stack) for stack in tag.stacks if stack.status in ("changed", "unchanged")
        }
        for key, alike in _grouped(tag).items():
            row = _row(label, key, alike, in_both, package_url)
            order = (
                ATTENTION.index(key.kind),
                key.package,
                position,
                parse_version(key.old or key.new or ""),
                parse_version(key.new or key.old or ""),
                row.differences,
                row.notes,
                tuple(row.stacks),
                len(found),
            )
            found.append((order, row))
    found.sort(key=lambda item: item[0])
    return [row for _, row in found]


def tag_label(tag: TagDiff) -> str:
    """Return a tag's name, or both names where two tags are compared with each other."""
    names = [shown(name) for name in (tag.old, tag.new) if name is not None]
    return names[0] if names[0] == names[-1] else " → ".join(names)


def _grouped(tag: TagDiff) -> dict[_Key, _Alike]:
    found: dict[_Key, _Alike] = {}
    for stack in tag.stacks:
        name = shown(stack.stack)
        for change in stack.changes:
            found.setdefault(_key(change, stack), _Alike()).add(change, name)
    return found


def _key(change: Change, stack: StackDiff) -> _Key:
    old, new = change.old, change.new
    kept: tuple[str, ...] = ()
    if change.kind in (Kind.UPGRADED, Kind.DOWNGRADED, Kind.ADDED, Kind.REMOVED):
        versions = stack.kept_versions.get(change.package, ())
        kept = tuple([version for version in versions if new is None or version != new.version])
    return _Key(
        change.kind,
        change.package,
        old.version if old else None,
        new.version if new else None,
        tuple([field for field in change.fields if field.name != "version"]),
        _whole(change, stack),
        kept,
    )


def _whole(change: Change, stack: StackDiff) -> str:
    """Return what came or went with a spec, empty where its package has others there."""
    if change.kind is Kind.ADDED and change.package in stack.packages.added:
        return "new stack" if stack.status == "added" else "new package"
    if change.kind is Kind.REMOVED and change.package in stack.packages.removed:
        return "the stack is gone" if stack.status == "removed" else "the package is gone"
    return ""


def _row(tag: str, key: _Key, alike: _Alike, in_both: set[str], package_url: str) -> Row:
    return Row(
        tag=tag,
        kind=key.kind,
        package=shown(key.package),
        link=_link(key.package, package_url),
        old=shown(key.old or ""),
        new=shown(key.new or ""),
        differences=tuple(_difference(field) for field in key.fields),
        notes=tuple(_notes(key)),
        stacks=alike.stacks,
        where=_where(list(alike.stacks), in_both),
        specs=len(alike.pairs),
        groups=groups_of(alike.pairs.values()),
    )


def _difference(field: Field) -> Difference:
    return Difference(shown(field.name), _value(field.old), _value(field.new))


def _value(value: str | tuple[str, ...]) -> str:
    """Return a field's value as text, `none` where it has no variant."""
    return shown(value) if isinstance(value, str) else (words(value) or "none")


def _notes(key: _Key) -> Iterator[str]:
    if key.whole:
        yield key.whole
    if key.kept:
        named = [shown(version) for version in key.kept[-NAMED_VERSIONS:]]
        left = len(key.kept) - len(named)
        others = f" and {number(left)} more" if left else ""
        yield f"{', '.join(named)}{others} {'stays' if len(key.kept) == 1 else 'stay'}"


def _where(stacks: list[str], in_both: set[str]) -> str:
    """Return which stacks: `e4s`, `e4s, hep and 3 more`, `all 14 stacks`."""
    if len(stacks) > 1 and in_both == set(stacks):
        return "both stacks" if len(stacks) == 2 else f"all {len(stacks)} stacks"
    if len(stacks) <= NAMED_STACKS + 1:
        return ", ".join(stacks)
    return f"{', '.join(stacks[:NAMED_STACKS])} and {number(len(stacks) - NAMED_STACKS)} more"


@lru_cache(maxsize=4096)
def _link(package: str, package_url: str) -> str:
    """Return the address of a package's page, empty where it has none or is no web address."""
    from urllib.parse import quote

    if not package_url.startswith(("https://", "http://")) or shown(package) != package:
        return ""
    return package_url.replace("{package}", quote(package, safe=""))
