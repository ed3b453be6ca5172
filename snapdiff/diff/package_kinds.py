"""What happened to a package as a whole, from its versions and its specs' changes.

The kinds are those of docs/specification.md, section 9; its roots are told apart from what else the
package was built for.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import lru_cache
from itertools import islice

from msgspec import UNSET, UnsetType
from msgspec.structs import astuple, replace

from snapdiff.errors import Side
from snapdiff.model.specs import Spec
from snapdiff.result.changes import Change
from snapdiff.result.packages import (
    ChangeCounts,
    Count,
    Duplicates,
    Kind,
    PackageChange,
    PackageParts,
    PartChange,
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
    kind, gone, came, kept = _compare_versions(frozenset(old), frozenset(new))
    numbers: dict[str, int] = {}
    for change in changes:
        numbers[change.kind] = numbers.get(change.kind, 0) + 1
    duplicates = [change.kind for change in changes if change.duplicate]
    lost, gained = duplicates.count(Kind.REMOVED), duplicates.count(Kind.ADDED)
    return PackageChange(
        package=package,
        kind=kind or _kind_of_same_versions(numbers),
        whole=not kept and not (gone and came),
        gone=gone,
        came=came,
        kept=kept,
        specs=ChangeCounts(**numbers),
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
    texts = _by_order(old) | _by_order(new)
    before, after = _by_version(old), _by_version(new)
    return tuple(
        VersionCount(
            texts[it],
            before.get(it, 0) - equal[0].get(it, 0),
            after.get(it, 0) - equal[1].get(it, 0),
        )
        for it in sorted(texts)
    )


def _by_version(specs: Mapping[str, int]) -> dict[Version, int]:
    """Return how many specs there are of each version, however it is written."""
    found: dict[Version, int] = {}
    for text, number in specs.items():
        version = parse_version(text)
        found[version] = found.get(version, 0) + number
    return found


def parts_of(
    change: PackageChange,
    old: Mapping[str, int],
    new: Mapping[str, int],
    specs: Collection[Change],
) -> PackageParts | None:
    """Return what happened to the roots of a package and what beside, None where that is all one.

    `old` and `new` are how many roots of each version it has; `specs` are all its spec changes. A
    root is not told from a dependency by its hash, so roots are counted, not paired: what was asked
    for once and is asked for once was not lost, whichever build of the same version it is. What is
    only asked for no longer, or only now, is neither gone nor new.
    """
    old, new = _with_those_there(change, old, new)
    builds = Count(sum(old.values()), sum(new.values()))
    if builds == change.builds:
        return None
    kind, gone, came, kept = _compare_versions(frozenset(old), frozenset(new))
    removed, added = max(builds.old - builds.new, 0), max(builds.new - builds.old, 0)
    pairs, left, entered = _of_part(specs, of_roots=True)
    kinds = [*(pair.kind for pair in pairs), *_kinds_across(left, entered, removed, added)]
    if _by_version(old) == _by_version(new):
        # A root that was paired with a dependency has its version still: another root has it.
        kinds = [it if it is Kind.RECONFIGURED else Kind.REBUILT for it in kinds]
    happened = _numbers(kinds, removed, added)
    asked_for = None
    if happened:
        asked_for = PartChange(
            kind=kind or _kind_of_same_versions(happened),
            whole=False,
            gone=gone,
            came=came,
            kept=kept,
            specs=ChangeCounts(**happened),
            builds=builds,
            versions=_count_versions(old, new, kept),
        )
    others = _beside(change, asked_for, specs)
    is_all = not others and (asked_for is None or asked_for.kept == change.kept)
    if is_all and (removed or added):  # unless it has to be said of how many roots builds were lost
        is_all = (removed, added) != (change.specs.removed, change.specs.added)
    return None if is_all else PackageParts(asked_for=asked_for, others=others)


def _with_those_there(
    change: PackageChange, old: Mapping[str, int], new: Mapping[str, int]
) -> tuple[Mapping[str, int], Mapping[str, int]]:
    """Return roots by version on each side, with those of versions that lost, or got, no build.

    Where some versions have fewer roots and others more, that is a step from these to those.
    """
    fewer = {it for it in old if new.get(it, 0) < old[it]}
    more = {it for it in new if old.get(it, 0) < new[it]}
    if not change.kept or (fewer and more):
        return old, new
    counts = change.versions or (VersionCount(change.kept[0], *astuple(change.builds)),)
    not_lost = {it.version for it in counts if it.new >= it.old}
    not_new = {it.version for it in counts if it.new <= it.old}
    return (
        {**old, **{it: new[it] for it in more & not_new}},
        {**new, **{it: old[it] for it in fewer & not_lost}},
    )


def _beside(
    change: PackageChange, asked_for: PartChange | None, specs: Collection[Change]
) -> PartChange | None:
    """Return what happened to a package beside what happened to its roots, None where nothing."""
    gone, came, kept, versions = change.gone, change.came, change.kept, change.versions
    kind, of_roots = change.kind, asked_for.specs if asked_for else ChangeCounts()
    pairs, left, entered = _of_part(specs, of_roots=False)
    removed = min(max(change.specs.removed - of_roots.removed, 0), len(left))
    added = min(max(change.specs.added - of_roots.added, 0), len(entered))
    kinds = [*(pair.kind for pair in pairs), *_kinds_across(left, entered, removed, added)]
    numbers = _numbers(kinds, removed, added)
    if not numbers:
        return None
    if asked_for and asked_for.kind in (Kind.RECONFIGURED, Kind.REBUILT):
        if asked_for.kind is kind and not pairs:
            return None
        if not (gone or came or removed or added):  # the versions are those of these specs
            kind = _kind_of_same_versions(numbers)
            kept, versions = _in_order(_by_order(_versions(pairs, "new"))), UNSET
    elif asked_for:
        versions = UNSET  # these are of roots as well
        moved = set(map(parse_version, (*asked_for.gone, *asked_for.came)))
        gone = tuple(it for it in change.gone if parse_version(it) not in moved)
        came = tuple(it for it in change.came if parse_version(it) not in moved)
        if came and not gone:  # beside those of roots, too; what goes leaves only what was there
            kept = _in_order(_by_order({*change.kept, *change.came}.difference(came)))
        if gone and came:
            is_higher = parse_version(gone[-1]) < parse_version(came[-1])
            kind = Kind.UPGRADED if is_higher else Kind.DOWNGRADED
        elif gone or came or removed or added:
            kind = Kind.REMOVED if gone or (removed and not came) else Kind.ADDED
        elif own := [pair for pair in pairs if not _is_step(pair, moved)]:
            kind = _kind_of_same_versions(Counter(pair.kind for pair in own))
            kept = _in_order(_by_order(_versions(own, "new")))
        else:
            return None
    return PartChange(
        kind=kind,
        whole=False,
        gone=gone,
        came=came,
        kept=kept,
        specs=ChangeCounts(**numbers),
        builds=change.builds,
        versions=versions,
    )


def _of_part(
    specs: Iterable[Change], *, of_roots: bool
) -> tuple[list[Change], list[Spec], list[Spec]]:
    """Return the pairs of two roots, or of two others, and which of these left, and came, alone."""
    pairs: list[Change] = []
    left: list[Spec] = []
    came: list[Spec] = []
    for spec in specs:
        old, new = (it if it and it.explicit is of_roots else None for it in (spec.old, spec.new))
        if old and new:
            pairs.append(spec)
        elif old:
            left.append(old)
        elif new:
            came.append(new)
    return pairs, left, came


def _kinds_across(
    left: Iterable[Spec], came: Iterable[Spec], removed: int, added: int
) -> Iterator[Kind]:
    """Yield what happened to specs of a part that are in pairs with those of the other part.

    What left goes with what came, in the order of versions; so many have no partner.
    """
    before, after = (
        sorted((parse_version(it.version), *astuple(it)[2:]) for it in some)
        for some in (left, came)
    )
    number = min(len(before) - removed, len(after) - added)
    for old, new in islice(zip(before, after, strict=False), max(number, 0)):
        if old[0] != new[0]:
            yield Kind.UPGRADED if old[0] < new[0] else Kind.DOWNGRADED
        else:
            yield Kind.REBUILT if old == new else Kind.RECONFIGURED


def _numbers(kinds: Iterable[Kind], removed: int, added: int) -> dict[str, int]:
    """Return how many specs each kind of change happened to, of the kinds that there are."""
    numbers = {**Counter[str](kinds), Kind.REMOVED: removed, Kind.ADDED: added}
    return {kind: number for kind, number in numbers.items() if number}


def _is_step(change: Change, versions: Collection[Version]) -> bool:
    """Return whether a spec went from one of some versions to another one of them."""
    sides = [parse_version(spec.version) for spec in change.specs]
    return change.kind in (Kind.UPGRADED, Kind.DOWNGRADED) and all(it in versions for it in sides)


@lru_cache(maxsize=4096)  # the stacks of a package nearly all have the same versions
def _compare_versions(
    old_texts: frozenset[str], new_texts: frozenset[str]
) -> tuple[Kind | None, _Texts, _Texts, _Texts]:
    """Return the first kind of section 9's table that holds, None where versions do not say it.

    Behind it are the versions that are gone, that came, and that are on both sides.
    """
    old, new = _by_order(old_texts), _by_order(new_texts)
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
    return kind, _in_order(gone), _in_order(came), _in_order(kept)


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
    found = []
    for name, some in by_package.items():
        of_all = whole[name]
        old = _versions(some, "old").union(of_all.kept)
        new = _versions(some, "new").union(of_all.kept)
        part = change_of_package(name, dict.fromkeys(old, 0), dict.fromkeys(new, 0), some)
        is_all = (part.gone, part.came, part.kept) == (of_all.gone, of_all.came, of_all.kept)
        versions, different = (of_all.versions, of_all.different) if is_all else (UNSET, UNSET)
        found.append(replace(part, builds=of_all.builds, versions=versions, different=different))
    return found


def _versions(changes: Iterable[Change], side: Side) -> set[str]:
    specs = (change.old if side == "old" else change.new for change in changes)
    return {spec.version for spec in specs if spec}


def _by_order(versions: Iterable[str]) -> _Versions:
    """Return versions by their order; of several spellings the first in the alphabet is shown."""
    return {parse_version(text): text for text in sorted(set(versions), reverse=True)}


def _in_order(versions: _Versions) -> _Texts:
    return tuple(versions[order] for order in sorted(versions))


def _kind_of_same_versions(numbers: Mapping[str, int]) -> Kind:
    """Return the first kind of the rest of that table, from the numbers of spec changes."""
    if numbers.get(Kind.REMOVED):
        return Kind.REMOVED
    if numbers.get(Kind.ADDED):
        return Kind.ADDED
    return Kind.REBUILT if numbers.keys() == {Kind.REBUILT} else Kind.RECONFIGURED
