"""What happened to a package in one stack, from its versions there before and after."""

from collections.abc import Collection, Iterable, Mapping
from functools import lru_cache
from typing import NamedTuple

from snapdiff.errors import Side
from snapdiff.result import Change, ChangeCounts, Count, Kind, PackageChange
from snapdiff.spack.version import Version, parse_version

_Versions = dict[Version, str]
"""Versions as they order, each with the text to show for it."""


def change_of_package(
    package: str,
    old_versions: Iterable[str],
    new_versions: Iterable[str],
    changes: Collection[Change],
    builds: Count,
) -> PackageChange:
    """Return what happened to a package in a stack (docs/specification.md, section 9).

    The versions are those of all its specs in the stack, on each side, and `builds` is how many
    specs that are; `changes` are its spec changes there, of every kind and at least one. Versions
    that are the same in Spack's order (`1.2` and `1-2`) are one version, shown as the new side
    writes it.
    """
    moved = _compare_versions(frozenset(old_versions), frozenset(new_versions))
    numbers: dict[str, int] = {}
    for change in changes:
        numbers[change.kind] = numbers.get(change.kind, 0) + 1
    return PackageChange(
        package=package,
        kind=moved.kind or _kind_of_same_versions(numbers),
        whole=moved.whole,
        gone=moved.gone,
        came=moved.came,
        kept=moved.kept,
        specs=ChangeCounts(**numbers),
        builds=builds,
    )


class _VersionChange(NamedTuple):
    """What two sets of versions say; no kind where they are the same."""

    kind: Kind | None
    whole: bool
    gone: tuple[str, ...]
    came: tuple[str, ...]
    kept: tuple[str, ...]


@lru_cache(maxsize=4096)  # the stacks of a package nearly all have the same versions
def _compare_versions(old_texts: frozenset[str], new_texts: frozenset[str]) -> _VersionChange:
    old, new = _by_order(old_texts), _by_order(new_texts)
    gone = {order: text for order, text in old.items() if order not in new}
    came = {order: text for order, text in new.items() if order not in old}
    kept = {order: text for order, text in new.items() if order in old}
    return _VersionChange(
        _kind(old, new, gone, came),
        not old or not new,
        _in_order(gone),
        _in_order(came),
        _in_order(kept),
    )


def changes_of_packages(
    changes: Iterable[Change], whole: Mapping[str, PackageChange]
) -> list[PackageChange]:
    """Return what happened to packages of which nothing is looked at but some of their changes.

    `whole` is what happened to each package where all is looked at: the versions that it kept are
    there all the same.
    """
    by_package: dict[str, list[Change]] = {}
    for change in changes:
        by_package.setdefault(change.package, []).append(change)
    return [
        change_of_package(
            name,
            _versions(some, "old").union(whole[name].kept),
            _versions(some, "new").union(whole[name].kept),
            some,
            whole[name].builds,
        )
        for name, some in by_package.items()
    ]


def _versions(changes: Iterable[Change], side: Side) -> set[str]:
    specs = (change.old if side == "old" else change.new for change in changes)
    return {spec.version for spec in specs if spec}


def _by_order(versions: Iterable[str]) -> _Versions:
    """Return versions by their order; of several spellings the first in the alphabet is shown."""
    return {parse_version(text): text for text in sorted(set(versions), reverse=True)}


def _in_order(versions: _Versions) -> tuple[str, ...]:
    return tuple(versions[order] for order in sorted(versions))


def _kind(old: _Versions, new: _Versions, gone: _Versions, came: _Versions) -> Kind | None:
    """Return the first kind of section 9's table that holds, None where versions do not say."""
    if not old:
        return Kind.ADDED
    if not new:
        return Kind.REMOVED
    if max(old) != max(new):
        return Kind.UPGRADED if max(old) < max(new) else Kind.DOWNGRADED
    if gone and came:
        return Kind.UPGRADED if max(gone) < max(came) else Kind.DOWNGRADED
    if came:
        return Kind.ADDED
    return Kind.REMOVED if gone else None


def _kind_of_same_versions(numbers: Mapping[str, int]) -> Kind:
    """Return the first kind of the rest of that table, from the numbers of spec changes."""
    if numbers.get(Kind.REMOVED):
        return Kind.REMOVED
    if numbers.get(Kind.ADDED):
        return Kind.ADDED
    return Kind.REBUILT if numbers.keys() == {Kind.REBUILT} else Kind.RECONFIGURED
