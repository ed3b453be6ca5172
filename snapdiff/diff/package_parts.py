"""What happened to the roots of a package, and what beside (docs/specification.md, section 9).

A root is a place that some build has. Which build has it before and after is found first; what
happened to these builds is then told as of any package.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from typing import Any

from msgspec import UNSET
from msgspec.structs import replace

from snapdiff.diff.package_kinds import (
    by_order,
    change_of_package,
    in_order,
    kind_of_pair,
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
)
from snapdiff.spack import Configuration, Version, parse_configuration, parse_version


def parts_of(
    change: PackageChange,
    versions: tuple[Counter[str], Counter[str]],
    explicit: tuple[Counter[str], Counter[str]],
    specs: Iterable[Change],
) -> PackageParts | None:
    """Return what happened to the roots of a package and what beside, None where roots are all.

    `versions` are how many builds of each version it has before and after, `explicit` how many of
    these are roots; `specs` are all its spec changes, and as pairs of one hash the builds that are
    roots on one side alone. A root that is still there, or was there before, counts on both sides
    unless its place was taken, or it took one.
    """
    own: list[Change] = []
    beside: list[Change] = []
    left: list[Change] = []
    came: list[Change] = []
    for spec in specs:
        was_root, is_root = (bool(it and it.explicit) for it in (spec.old, spec.new))
        if was_root:
            (own if is_root else left).append(spec)
        else:
            (came if is_root else beside).append(spec)
    roots = explicit[0].copy(), explicit[1].copy()
    old, new = ({*map(parse_version, side)} for side in roots)
    for before, after in _places(left, came, (old, new)):
        alone = before if after is None else after if before is None else None
        if alone and _counts_twice(alone, new):
            [other] = (spec for spec in alone.specs if not spec.explicit)
            roots[alone is before][other.version] += 1
            own += [alone] if len({spec.hash for spec in alone.specs}) > 1 else []
        else:
            was, now = before.old if before else None, after.new if after else None
            own += _pair(change.package, was, now)
            beside += _pair(change.package, *_beside_place(before, after))
    if sum(map(Counter.total, roots)) == change.builds.old + change.builds.new:
        return None
    asked_for = _part(change, roots, own) if own else None
    others = _others(change, asked_for, (versions[0] - roots[0], versions[1] - roots[1]), beside)
    return PackageParts(asked_for=asked_for, others=others)


def roots_on_one_side(old: Graph, new: Graph) -> Iterator[Change]:
    """Yield the builds that both sides have and one alone asks for, each as a pair with itself."""
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
    """Return whether one build has the place of another."""
    alone = [len(it.specs) == 1 for it in (before, after)]
    same = [len(it.specs) == 2 and it.specs[0].hash == it.specs[1].hash for it in (before, after)]
    # The same build on both sides is no change, unless no root had its version, or has it now.
    if (same[0] and _version(after) in roots[0]) or (same[1] and _version(before) in roots[1]):
        return False
    # Of two without a partner, for different processors, one is gone and one is new.
    return not all(same) and not all(alone)


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
    """Return whether a root of one side alone is there on the other side as well."""
    if change.old and change.new and change.old.explicit:
        # What was a root and has the version of other roots now is not gone.
        return _is_there(change) or parse_version(change.new.version) in roots
    return _is_there(change)


def _is_there(change: Change) -> bool:
    """Return whether a build is there on both sides, with the version that it had."""
    return len({parse_version(spec.version) for spec in change.specs}) < len(change.specs)


def _configuration(spec: Spec) -> Configuration:
    return parse_configuration(spec.compiler, spec.os, spec.platform, spec.target, spec.variants)


def _pair(package: str, old: Spec | None, new: Spec | None) -> Iterator[Change]:
    """Yield what happened where a build is in the place of another one, or of none."""
    if old and new:
        is_alike = _configuration(old) == _configuration(new)
        versions = parse_version(old.version), parse_version(new.version)
        yield Change(kind_of_pair(*versions, is_alike=is_alike), package, old, new)
    elif old or new:
        yield Change(Kind.REMOVED if old else Kind.ADDED, package, old, new)


def _others(
    change: PackageChange,
    asked_for: PartChange | None,
    versions: tuple[Counter[str], Counter[str]],
    specs: Iterable[Change],
) -> PartChange | None:
    """Return what happened to other builds than roots, None where nothing did.

    Those that went from one version to another as the roots did are counted, and no more.
    """
    along: list[Change] = []
    own: list[Change] = []
    for spec in specs:
        (along if asked_for and _went_along(spec, asked_for) else own).append(spec)
    if not own:
        return None
    old = versions[0] - Counter(it.old.version for it in along if it.old)
    new = versions[1] - Counter(it.new.version for it in along if it.new)
    part = _part(change, (old, new), own)
    if not along:
        return part
    numbers = ChangeCounts(**Counter[str](it.kind for it in (*along, *own)))
    builds = Count(versions[0].total(), versions[1].total())
    return replace(part, specs=numbers, builds=builds, versions=UNSET)


def _part(
    change: PackageChange, versions: tuple[Counter[str], Counter[str]], specs: Collection[Change]
) -> PartChange:
    """Return what happened to some builds of a package.

    `versions` are how many of these there are of each version, before and after, `specs` their
    changes. What other builds have on the side where none of these does is neither gone nor new,
    unless one went from that version, or to it.
    """
    old, new = versions[0].copy(), versions[1].copy()
    before, after = (set(map(parse_version, side)) for side in versions)
    steps = [it for it in specs if it.kind in (Kind.UPGRADED, Kind.DOWNGRADED)]
    left = {parse_version(it.old.version) for it in steps if it.old}
    reached = {parse_version(it.new.version) for it in steps if it.new}
    for text in change.kept:
        version = parse_version(text)
        if version in before - after - left:
            new[text] = 0
        elif version in after - before - reached:
            old[text] = 0
    part = change_of_package(change.package, old, new, specs)
    fields: dict[str, Any] = {it: getattr(part, it) for it in PartChange.__struct_fields__}
    return PartChange(**{**fields, "whole": False})


def narrowed_parts(parts: PackageParts, specs: Collection[Change]) -> PackageParts:
    """Return what happened to the roots of a package and beside, of rebuilt and lost specs alone.

    As of a whole package, what rebuilt specs say is about these, and a part that lost one is told
    from all of its builds.
    """

    def narrowed(part: PartChange | None, *, of_roots: bool) -> PartChange | None:
        some = [it for it in specs if it.is_explicit is of_roots]
        if not part or not some:
            return None
        numbers = ChangeCounts(**Counter[str](it.kind for it in some))
        if numbers.removed:
            return replace(part, specs=numbers)
        kept = in_order(by_order(versions_of(some, "new")))
        return replace(
            part, kind=Kind.REBUILT, gone=(), came=(), kept=kept, specs=numbers, versions=UNSET
        )

    return PackageParts(
        asked_for=narrowed(parts.asked_for, of_roots=True),
        others=narrowed(parts.others, of_roots=False),
    )


def _went_along(change: Change, roots: PartChange) -> bool:
    """Return whether a spec went from one version to another as roots did."""
    if change.kind not in (Kind.UPGRADED, Kind.DOWNGRADED) or not (change.old and change.new):
        return False
    sides = ((change.old, roots.gone), (change.new, roots.came))
    return all(parse_version(it.version) in map(parse_version, some) for it, some in sides)
