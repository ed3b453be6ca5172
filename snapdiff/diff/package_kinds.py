"""What happened to a package as a whole, from its versions and its specs' changes.

The kinds are those of docs/specification.md, section 9.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from functools import lru_cache

from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from snapdiff.errors import Side
from snapdiff.result.changes import Change, changes_by_package
from snapdiff.result.packages import (
    ChangeCounts,
    Count,
    Duplicates,
    Kind,
    PackageChange,
    VersionCount,
)
from snapdiff.spack import Version, parse_version

_Versions = dict[Version, str]
"""Versions as they order, each with the text to show for it."""

_Texts = tuple[str, ...]


def change_of_package(
    package: str,
    old: Mapping[str, int],
    new: Mapping[str, int],
    changes: Collection[Change],
    equal: tuple[Mapping[Version, int], Mapping[Version, int]] = ({}, {}),
) -> PackageChange:
    """Return what happened to a package in a stack (docs/specification.md, section 9).

    `old` and `new` are how many specs of each version it has in the stack, on each side; `changes`
    are its spec changes there, of every kind and at least one; `equal` says how many specs of each
    version are equal to another one of their side. Versions that are the same in Spack's order
    (`1.2` and `1-2`) are one version, shown as the new side writes it.
    """
    kind, gone, came, kept = compare_versions(frozenset(old), frozenset(new))
    counts = ChangeCounts(**Counter[str](change.kind for change in changes))
    duplicates = [change.kind for change in changes if change.duplicate]
    lost, gained = duplicates.count(Kind.REMOVED), duplicates.count(Kind.ADDED)
    return PackageChange(
        package=package,
        kind=kind or counts.kind_of_same_versions,
        whole=not kept and not (gone and came),
        gone=gone,
        came=came,
        kept=kept,
        specs=counts,
        builds=Count(sum(old.values()), sum(new.values())),
        versions=_count_versions(old, new, kept),
        different=_specs_of_versions(old, new, equal) if any(equal) else UNSET,
        duplicates=Duplicates(lost=lost, gained=gained) if lost or gained else UNSET,
    )


def _count_versions(
    old: Mapping[str, int], new: Mapping[str, int], kept: _Texts
) -> tuple[VersionCount, ...] | UnsetType:
    """Return how many specs of each version there are, where names of versions do not say it."""
    if not kept or (old.keys() == new.keys() and len(old) == 1):  # as mostly
        return UNSET
    found = _specs_of_versions(old, new)
    return found if len(found) > 1 else UNSET


def _specs_of_versions(
    old: Mapping[str, int],
    new: Mapping[str, int],
    equal: tuple[Mapping[Version, int], Mapping[Version, int]] = ({}, {}),
) -> tuple[VersionCount, ...]:
    """Return how many specs of each version there are, less those that are equal to others."""
    texts = by_order(old) | by_order(new)
    before, after = _by_version(old), _by_version(new)
    return tuple(
        VersionCount(texts[it], before[it] - equal[0].get(it, 0), after[it] - equal[1].get(it, 0))
        for it in sorted(texts)
    )


def _by_version(specs: Mapping[str, int]) -> Counter[Version]:
    """Return how many specs there are of each version, however it is written."""
    found: Counter[Version] = Counter()
    for text, number in specs.items():
        found[parse_version(text)] += number
    return found


@lru_cache(maxsize=4096)  # the stacks of a package nearly all have the same versions
def compare_versions(
    old_texts: frozenset[str], new_texts: frozenset[str]
) -> tuple[Kind | None, _Texts, _Texts, _Texts]:
    """Return the first kind of section 9's table that holds, None where versions do not say it.

    Behind it are the versions that are gone, that came, and that are on both sides.
    """
    old, new = by_order(old_texts), by_order(new_texts)
    gone = {order: text for order, text in old.items() if order not in new}
    came = {order: text for order, text in new.items() if order not in old}
    kept = {order: text for order, text in new.items() if order in old}
    kind = None
    if not (old and new):
        kind = Kind.REMOVED if old else Kind.ADDED
    elif max(old) != max(new):
        kind = Kind.UPGRADED if max(old) < max(new) else Kind.DOWNGRADED
    elif gone and came:
        kind = Kind.UPGRADED if max(gone) < max(came) else Kind.DOWNGRADED
    elif gone or came:
        kind = Kind.REMOVED if gone else Kind.ADDED
    return kind, in_order(gone), in_order(came), in_order(kept)


def changes_of_packages(
    changes: Iterable[Change], whole: Mapping[str, PackageChange]
) -> list[PackageChange]:
    """Return what happened to packages of which nothing is looked at but some of their changes.

    `whole` is what happened to each package where all is looked at: the versions that it kept are
    there all the same.
    """
    found = []
    for name, some in changes_by_package(changes).items():
        of_all = whole[name]
        old = versions_of(some, "old").union(of_all.kept)
        new = versions_of(some, "new").union(of_all.kept)
        part = change_of_package(name, dict.fromkeys(old, 0), dict.fromkeys(new, 0), some)
        is_all = (part.gone, part.came, part.kept) == (of_all.gone, of_all.came, of_all.kept)
        versions, different = (of_all.versions, of_all.different) if is_all else (UNSET, UNSET)
        found.append(replace(part, builds=of_all.builds, versions=versions, different=different))
    return found


def versions_of(changes: Iterable[Change], side: Side) -> set[str]:
    """Return the versions that specs have on one side."""
    specs = (change.old if side == "old" else change.new for change in changes)
    return {spec.version for spec in specs if spec}


def kind_of_pair(before: Version, after: Version, *, is_alike: bool) -> Kind:
    """Return what happened to a spec from its versions, and whether its configuration is alike."""
    if before != after:
        return Kind.UPGRADED if before < after else Kind.DOWNGRADED
    return Kind.REBUILT if is_alike else Kind.RECONFIGURED


def by_order(versions: Iterable[str]) -> _Versions:
    """Return versions by their order; of several spellings the first in the alphabet is shown."""
    return {parse_version(text): text for text in sorted(set(versions), reverse=True)}


def in_order(versions: _Versions) -> _Texts:
    """Return versions as they are shown, the lowest first."""
    return tuple(versions[order] for order in sorted(versions))
