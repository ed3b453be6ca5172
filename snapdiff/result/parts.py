"""What happened to the roots of a package, or to its other builds, as to a package."""

from collections.abc import Iterable

from msgspec import UNSET
from msgspec.structs import asdict, replace

from snapdiff.result.changes import Change
from snapdiff.result.packages import AskedFor, Duplicates, Kind, PackageChange, PackageParts


def change_of_part(
    change: PackageChange, parts: PackageParts, specs: Iterable[Change], *, of_roots: bool
) -> PackageChange | None:
    """Return what happened to one part of a package, its roots or its others, as to a package.

    `specs` are the spec changes of the package, as far as they are reported. What tells lost builds
    is told of a part where these are all its own, and who needs an older version of roots where no
    other build got one. A version that roots still have is not gone. Each spec of a part is a
    build, unless all that it lost are duplicates, or all that it gained.
    """
    part = parts.asked_for if of_roots else parts.others
    if part is None:
        return None
    if not of_roots and part.came and set(part.gone) <= set(change.kept):  # roots have these still
        part = replace(part, kind=Kind.ADDED, gone=())
    others_came = bool(parts.others and parts.others.came)
    is_own: dict[Kind, bool] = {}
    equal: dict[Kind, int] = {}
    for kind in (Kind.REMOVED, Kind.ADDED):
        number = part.specs.count(kind)
        some = [it for it in specs if it.kind is kind]
        some.sort(key=lambda it: it.is_explicit is not of_roots)
        is_all = number == change.specs.count(kind)
        is_own[kind] = is_all and all(it.is_explicit is of_roots for it in some)
        in_all = change.equal_builds(kind)
        double = sum(bool(it.duplicate) for it in some[:number]) if some else min(in_all, number)
        equal[kind] = double if double == number else 0
    duplicates = Duplicates(lost=equal[Kind.REMOVED], gained=equal[Kind.ADDED])
    return replace(
        change,
        **asdict(part),
        asked_for=change.asked_for if of_roots else AskedFor(old=False, new=False),
        different=UNSET,
        duplicates=duplicates if any(equal.values()) else UNSET,
        lost_by=change.lost_by if is_own[Kind.REMOVED] else (),
        gained_by=change.gained_by if is_own[Kind.ADDED] else (),
        gone_with=change.gone_with if is_own[Kind.REMOVED] else UNSET,
        new_with=change.new_with if is_own[Kind.ADDED] else UNSET,
        needed_by=UNSET if of_roots and others_came else change.needed_by,
    )
