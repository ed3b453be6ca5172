"""Which builds a package lost in one stack, and which are new there: what tells them."""

from collections import Counter
from collections.abc import Collection, Iterable, Sequence

from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from snapdiff.reports.cause_words import traits_in_words
from snapdiff.reports.moves.builds import BuildShare, VersionMove
from snapdiff.result.causes import Trait, TraitCount
from snapdiff.result.changes import Change
from snapdiff.result.packages import Count, Kind, PackageChange, PackageParts, VersionCount
from snapdiff.spack import package_of_compiler, versions_in_order


def shares_of(
    change: PackageChange, specs: Sequence[Change]
) -> tuple[BuildShare | None, BuildShare | None]:
    """Return what is to be said of lost and of new builds; nothing where versions say it all."""
    by_builds = change.kind in (Kind.REMOVED, Kind.ADDED)
    versions_say_it = change.whole or (by_builds and bool(change.gone or change.came))
    if versions_say_it or not (change.specs.removed or change.specs.added):
        return None, None

    def share(
        kind: Kind, parts: tuple[TraitCount, ...], mpis: tuple[TraitCount, ...] | UnsetType
    ) -> BuildShare:
        is_lost = kind is Kind.REMOVED
        number, duplicates = change.builds_alone(kind), change.equal_builds(kind)
        # By pairs alone a build of another version may be the one that is left over.
        counts = [it for it in builds_by_version(change) if it.old != it.new]
        fewer = {it.version for it in counts if (it.old > it.new) is is_lost}
        found = [it for it in specs if it.kind is kind and not (duplicates and it.duplicate)]
        numbers = Counter(spec.version for it in found if (spec := it.old or it.new))
        versions = versions_in_order(fewer & numbers.keys())
        of_these = [it for it in counts if it.version in versions]
        told = _told_of_builds(parts, mpis or (), found, gone) if len(found) == number else parts
        # The equal one may be beside roots, or the root, and be lost there.
        is_lost_twice = isinstance(change.parts, PackageParts) and change.parts.lose_both
        is_one = is_lost and len(found) == number == 1 and not is_lost_twice
        return BuildShare(
            number=number,
            in_all=builds if number else Count(0, 0),
            what="gone" if is_lost else "new",
            parts=told,
            is_theirs_alone=set(told) <= set(as_told(parts)),
            versions=versions,
            duplicates=0 if number else duplicates,
            numbers=tuple(numbers[it] for it in versions),
            of_versions=Count(sum(it.old for it in of_these), sum(it.new for it in of_these)),
            merged=change.merged or None if is_lost else None,
            has_twin=is_one and not told and _has_twin(found[0], specs),
            none_left=_none_left(change, told) if is_lost and number else (),
        )

    gone = {it.old.compiler for it in specs if it.kind is Kind.REMOVED and it.old}
    is_of_some = change.builds.old and change.builds.new  # beside roots there may be none
    builds = number_of_builds(change) if is_of_some else Count(0, 0)
    return (
        share(Kind.REMOVED, change.lost_by, change.gone_with),
        share(Kind.ADDED, change.gained_by, change.new_with),
    )


def _told_of_builds(
    parts: tuple[TraitCount, ...],
    mpis: tuple[TraitCount, ...],
    specs: Collection[Change],
    compilers_gone: Collection[str],
) -> tuple[TraitCount, ...]:
    """Return what is said of lost or new builds: what tells all, MPIs, or of new ones the compiler.

    Other builds may have the same MPI, or compiler: of all that are lost it is not said alone, and
    of new ones the compiler where others are gone, and none of these has it.
    """
    parts = as_told(parts)
    is_all = bool(counting(parts, len(specs)))
    are_lost = any(it.old for it in specs)
    mpis = counting(mpis, len(specs)) if len(mpis) > are_lost else ()
    if mpis and not (is_all and len(parts) == 1):
        by_mpi = {it.trait: it.specs for it in mpis}
        is_other = any(
            it.trait.what == "dependency" and by_mpi.get(it.trait) != it.specs for it in parts
        )
        if not is_all or is_other or len(mpis) < len(parts):
            return mpis
    compilers = {it.new.compiler for it in specs if it.new}
    is_other = bool(compilers_gone) and compilers.isdisjoint(compilers_gone)
    if is_all or are_lost or len(compilers) != 1 or not is_other:
        return parts
    return (TraitCount(Trait("compiler", None, *compilers), len(specs)),)


def _none_left(change: PackageChange, parts: Iterable[TraitCount]) -> tuple[TraitCount, ...]:
    """Return which compilers, MPIs and BLAS no build has any more, and no part of the lost ones."""
    told = {tool_of(trait) for it in parts for trait in (it.trait, it.also) if trait}
    left = (replace(it, also=UNSET) for it in change.no_longer_with or () if not it.version)
    return tuple(it for it in left if tool_of(it.trait) not in told)


def _has_twin(lost: Change, specs: Iterable[Change]) -> bool:
    """Return whether one like a lost spec is still there: it was rebuilt, or a root is that now.

    If it is known what they depend on, which a cause says, those that are alike in that are equal.
    """
    looks = ((it, it.old and replace(it.old, hash="", explicit=False)) for it in specs)
    own = lost.old and replace(lost.old, hash="", explicit=False)
    alike = [it for it, look in looks if look == own and it is not lost]
    if lost.duplicate:  # of another one, which is as before if nothing happened to it
        return all(it.kind is Kind.REBUILT for it in alike)
    return any(it.kind is Kind.REBUILT and not it.cause for it in alike)


def beside_versions(share: BuildShare | None, versions: VersionMove) -> BuildShare | None:
    """Return what is to be said of builds beside versions: nothing if these say it already."""
    if share is None or not share.number:
        return None
    mine, theirs = versions.gone, versions.came
    stepping = set(versions.steps.values())
    if share.what == "new":
        mine, theirs, stepping = theirs, mine, set(versions.steps)
    alone = set(mine if stepping or not theirs else ()) - stepping
    return None if alone and alone.issuperset(share.versions) else share


def builds_by_version(change: PackageChange) -> tuple[VersionCount, ...]:
    """Return the builds of each version, equal ones once; none where `builds` alone says it."""
    return () if change.versions is UNSET else change.different or change.versions


def number_of_builds(change: PackageChange) -> Count:
    """Return how many builds a package has on each side, equal ones once."""
    if not change.different:
        return change.builds
    return Count(sum(it.old for it in change.different), sum(it.new for it in change.different))


def as_told(parts: Iterable[TraitCount]) -> tuple[TraitCount, ...]:
    """Return traits with those as one that read alike, and with what only a part of one has.

    A compiler may be a field of some builds and a dependency of others; of `with openmpi 5.0.0` and
    `with openmpi 5.0.0 and gcc 12` the first says enough.
    """
    numbers: dict[str, TraitCount] = {}
    for it in sorted(parts, key=lambda it: bool(it.also)):  # stable: what is wider goes first
        wider = traits_in_words(replace(it, also=UNSET), str)
        words = wider if wider in numbers else traits_in_words(it, str)
        alike = numbers.get(words)
        numbers[words] = replace(alike, specs=alike.specs + it.specs) if alike else it
    return tuple(sorted(numbers.values(), key=lambda it: -it.specs))


def counting(parts: tuple[TraitCount, ...], number: int) -> tuple[TraitCount, ...]:
    """Return traits if so many builds have them in all; else none."""
    return parts if sum(it.specs for it in parts) == number else ()


def tool_of(trait: Trait) -> str:
    """Return the package that a trait is, or the compiler."""
    return trait.name or package_of_compiler(trait.value or "")
