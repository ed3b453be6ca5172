"""What happened to the roots of a package, and what beside (docs/specification.md, section 9).

A root is a place that some build has. Which build has it before and after is found first; what
happened to these builds is then told as of any package.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Any

from msgspec import UNSET
from msgspec.structs import replace

from snapdiff.diff.package_kinds import (
    by_order,
    change_of_package,
    compare_versions,
    in_order,
    kind_of_same_versions,
    versions_of,
)
from snapdiff.model.specs import Graph, Spec
from snapdiff.result.changes import Change
from snapdiff.result.packages import (
    ChangeCounts,
    Count,
    Kind,
    PackageChange,
    PackageParts,
    PartChange,
    VersionCount,
)
from snapdiff.spack import Configuration, Version, parse_configuration, parse_version


def parts_of(
    change: PackageChange,
    old: Mapping[str, int],
    new: Mapping[str, int],
    specs: Iterable[Change],
) -> PackageParts | None:
    """Return what happened to the roots of a package and what beside, None where roots are all.

    `old` and `new` are how many roots of each version it has; `specs` are all its spec changes, and
    as pairs of one hash the builds that are roots on one side alone. A root that is still there, or
    was there before, counts on both sides unless its place was taken, or it took one.
    """
    own: list[Change] = []
    beside: list[Change] = []
    left: list[Change] = []
    came: list[Change] = []
    for spec in specs:
        was_root, is_root = (bool(it and it.explicit) for it in (spec.old, spec.new))
        if spec.old and spec.new and was_root is is_root:
            (own if is_root else beside).append(spec)
        else:
            (left if was_root else came if is_root else beside).append(spec)
    roots = Counter(old), Counter(new)
    versions = {parse_version(it) for it in old}, {parse_version(it) for it in new}
    for before, after in _places(left, came, versions):
        alone = before if after is None else after if before is None else None
        if alone and _counts_twice(alone, versions[1]):
            roots[alone is before][_no_root(alone).version] += 1
            own += [alone] if len({spec.hash for spec in alone.specs}) > 1 else []
        else:
            was, now = before.old if before else None, after.new if after else None
            own += _pair(change.package, was, now)
            beside += _pair(change.package, *_beside_place(before, after))
    if sum(map(Counter.total, roots)) == change.builds.old + change.builds.new:
        return None
    asked_for = None
    if own:
        part = change_of_package(change.package, *roots, own)
        asked_for = _part(_without_those_left(part, change.kept))
    return PackageParts(asked_for=asked_for, others=_others(change, asked_for, roots, beside))


def roots_on_one_side(old: Graph, new: Graph) -> Iterator[Change]:
    """Yield the builds that both sides have and one alone asks for, each as a pair with itself.

    Raises FormatError where a node cannot be read.
    """
    for key in sorted((old.roots or {}).keys() ^ (new.roots or {}).keys()):
        if key in old.names and key in new.names:
            before, after = old.node(key), new.node(key)
            if before and after:
                package = new.names[key]
                yield Change(Kind.REBUILT, package, before.build.spec(key), after.build.spec(key))


def _places(
    left: Sequence[Change],
    came: Sequence[Change],
    roots: tuple[AbstractSet[Version], AbstractSet[Version]],
) -> Iterator[tuple[Change | None, Change | None]]:
    """Yield what was a root with what is one in its place: of one version, then in their order.

    `left` are spec changes of which the old side alone is a root, `came` the new side alone;
    `roots` are the versions of all, before and after. What is there on both sides has another one
    in its place only where no other can have it.
    """
    by_version: dict[Version, tuple[list[Change], list[Change]]] = {}
    for side, specs in enumerate((left, came)):
        for spec in sorted(specs, key=_order):
            by_version.setdefault(_version(spec), ([], []))[side].append(spec)
    pairs: list[tuple[Change, Change]] = []
    rest: tuple[list[Change], list[Change]] = ([], [])
    for gone, new in by_version.values():
        pairs += zip(gone, new, strict=False)
        rest[0].extend(gone[len(new) :])
        rest[1].extend(new[len(gone) :])
    number = min(map(len, rest))
    gone, new = (sorted(specs, key=_order) for specs in rest)
    pairs += zip(*(sorted(it[:number], key=_version) for it in (gone, new)), strict=True)
    for before, after in pairs:
        if _is_exchange(before, after, roots):
            yield before, after
        else:
            yield before, None
            yield None, after
    yield from ((before, None) for before in gone[number:])
    yield from ((None, after) for after in new[number:])


def _is_exchange(
    before: Change, after: Change, roots: tuple[AbstractSet[Version], AbstractSet[Version]]
) -> bool:
    """Return whether one build has the place of another.

    What both sides have with the same hash has not changed: it is only a version that no root had
    that takes its place, or one that none has any more that leaves it. Of two without a partner,
    which are for different processors, one is gone and one is new.
    """
    sizes = [(len(it.specs), len({spec.hash for spec in it.specs})) for it in (before, after)]
    is_left = sizes[0] == (2, 1) and _version(after) in roots[0]
    is_new = sizes[1] == (2, 1) and _version(before) in roots[1]
    return not (is_left or is_new) and set(sizes) not in ({(1, 1)}, {(2, 1)})


def _without_those_left(roots: PackageChange, kept: Collection[str]) -> PackageChange:
    """Return what happened to roots with no version gone, or new, that is there on both sides.

    It is the one of a dependency there. A step from it, or to it, is one all the same.
    """
    is_step = roots.kind in (Kind.UPGRADED, Kind.DOWNGRADED)
    there = set(map(parse_version, kept))
    gone, came = (
        tuple(it for it in some if parse_version(it) not in there or (is_step and it == some[-1]))
        for some in (roots.gone, roots.came)
    )
    stay = {*roots.kept, *roots.gone, *roots.came}.difference(gone, came)
    return replace(roots, gone=gone, came=came, kept=in_order(by_order(stay)))


def _beside_place(before: Change | None, after: Change | None) -> tuple[Spec | None, Spec | None]:
    """Return what was no root and is in a place now, and what had the place and is no root.

    A step to another version says itself of one that is gone, or new: no other one is.
    """
    old, new = after.old if after else None, before.new if before else None
    if before and after and _version(before) != _version(after):
        old = None if not new and _is_there(after) else old
        new = None if not after.old and _is_there(before) else new
    return old, new


def _root(change: Change) -> Spec:
    return next(spec for spec in change.specs if spec.explicit)


def _version(change: Change) -> Version:
    return parse_version(_root(change).version)


def _order(change: Change) -> tuple[int, bool, Version, Configuration]:
    """Return a key that orders roots: first those that are there on one side alone."""
    root = _root(change)
    return len(change.specs), _is_there(change), _version(change), _configuration(root)


def _counts_twice(change: Change, roots: AbstractSet[Version]) -> bool:
    """Return whether what is a root on one side alone counts as one on the other side as well.

    It does where it is there, with the same version; and what was a root and has the version of
    other `roots` now is not gone.
    """
    if change.old and change.new and change.old.explicit:
        return _is_there(change) or parse_version(change.new.version) in roots
    return _is_there(change)


def _no_root(change: Change) -> Spec:
    return next(spec for spec in change.specs if not spec.explicit)


def _is_there(change: Change) -> bool:
    """Return whether a build is there on both sides, with the version that it had."""
    return len({parse_version(spec.version) for spec in change.specs}) < len(change.specs)


def _configuration(spec: Spec) -> Configuration:
    return parse_configuration(spec.compiler, spec.os, spec.platform, spec.target, spec.variants)


def _pair(package: str, old: Spec | None, new: Spec | None) -> Iterator[Change]:
    """Yield what happened where a build is in the place of another one, or of none."""
    if old and new:
        before, after = parse_version(old.version), parse_version(new.version)
        kind = Kind.UPGRADED if before < after else Kind.DOWNGRADED
        if before == after:
            is_same = _configuration(old) == _configuration(new)
            kind = Kind.REBUILT if is_same else Kind.RECONFIGURED
        yield Change(kind, package, old, new)
    elif old or new:
        yield Change(Kind.REMOVED if old else Kind.ADDED, package, old, new)


def _others(
    change: PackageChange,
    asked_for: PartChange | None,
    roots: Sequence[Mapping[str, int]],
    specs: Collection[Change],
) -> PartChange | None:
    """Return what happened to a package beside what happened to its roots, None where nothing.

    `roots` are how many of these there are of each version, before and after.
    """
    if not specs:
        return None
    found: PackageChange | None = change
    numbers = Counter[str](spec.kind for spec in specs)
    if asked_for and asked_for.kind not in (Kind.RECONFIGURED, Kind.REBUILT):
        found = _beside_moved_roots(change, asked_for, roots, specs)
    elif asked_for and not (change.gone or change.came or {*numbers} & {Kind.REMOVED, Kind.ADDED}):
        kept = in_order(by_order(versions_of(specs, "new")))  # the versions of these specs
        kind = kind_of_same_versions(numbers)
        found = replace(change, kind=kind, kept=kept, versions=UNSET)
    if found is None:
        return None
    versions = found.versions and _beside(found.versions, roots)
    old, new = (sum(some.values()) for some in roots)
    builds = Count(change.builds.old - old, change.builds.new - new)
    numbered = replace(found, specs=ChangeCounts(**numbers), builds=builds, versions=versions)
    return _part(numbered)


def _beside_moved_roots(
    change: PackageChange,
    asked_for: PartChange,
    roots: Sequence[Mapping[str, int]],
    specs: Iterable[Change],
) -> PackageChange | None:
    """Return the same where versions of roots came or went, or a root itself did."""
    own = [spec for spec in specs if not _went_along(spec, asked_for)]
    if not own:
        return None
    moved = set(map(parse_version, (*asked_for.gone, *asked_for.came)))
    moved.difference_update(parse_version(it.version) for spec in own for it in spec.specs)
    gone = tuple(it for it in change.gone if parse_version(it) not in moved)
    came = tuple(it for it in change.came if parse_version(it) not in moved)
    kept, kinds = change.kept, {spec.kind for spec in own}
    if came and not gone:  # beside those of roots, too; what goes leaves only what was there
        kept = in_order(by_order({*change.kept, *change.came}.difference(came)))
    if gone and came:
        is_higher = parse_version(gone[-1]) < parse_version(came[-1])
        kind = Kind.UPGRADED if is_higher else Kind.DOWNGRADED
    elif gone or came or kinds & {Kind.REMOVED, Kind.ADDED}:
        kind = Kind.REMOVED if gone or (Kind.REMOVED in kinds and not came) else Kind.ADDED
        if not (gone or came):
            alone = (spec for it in own if not (it.old and it.new) for spec in it.specs)
            versions = {parse_version(spec.version) for spec in alone}
            kept = tuple(it for it in change.kept if parse_version(it) in versions)
    else:  # from a version that is still there, or to one that was, as roots have these
        kind = kind_of_same_versions(Counter(spec.kind for spec in own))
        kept = in_order(by_order(versions_of(own, "new")))
        if kinds & {Kind.UPGRADED, Kind.DOWNGRADED}:
            counts = _beside(change.versions or (), roots)
            old = frozenset(it.version for it in counts if it.old > 0)
            new = frozenset(it.version for it in counts if it.new > 0)
            step, gone, came, kept = compare_versions(old, new)
            kind = step or kind
    return replace(change, kind=kind, gone=gone, came=came, kept=kept, versions=UNSET)


def _beside(
    counts: Iterable[VersionCount], roots: Sequence[Mapping[str, int]]
) -> tuple[VersionCount, ...]:
    """Return how many builds of each version there are without the roots, where there are any."""
    old, new = (
        Counter({parse_version(it): number for it, number in some.items()}) for some in roots
    )
    orders = ((it, parse_version(it.version)) for it in counts)
    beside = (VersionCount(it.version, it.old - old[at], it.new - new[at]) for it, at in orders)
    return tuple(it for it in beside if it.old or it.new)


def _part(change: PackageChange) -> PartChange:
    """Return what a part says of a change of some builds."""
    fields: dict[str, Any] = {it: getattr(change, it) for it in PartChange.__struct_fields__}
    return PartChange(**fields)


def _went_along(change: Change, roots: PartChange) -> bool:
    """Return whether a spec went from one version to another as roots did."""
    if change.kind not in (Kind.UPGRADED, Kind.DOWNGRADED) or not (change.old and change.new):
        return False
    sides = ((change.old, roots.gone), (change.new, roots.came))
    return all(parse_version(it.version) in map(parse_version, some) for it, some in sides)
