"""What happened to the specs of one package, stack by stack."""

from collections.abc import Iterable, Mapping
from operator import itemgetter

from snapdiff.diff.effort import Effort
from snapdiff.diff.fields import differing_fields
from snapdiff.diff.pairing import Member, Pairing, pair_specs
from snapdiff.filters import Scope
from snapdiff.model import Build, PackagePair
from snapdiff.result import Change, Field, Kind
from snapdiff.spack.version import Version, parse_version

_Side = dict[str, dict[Build, list[str]]]
"""By stack: the specs that one side only has, as builds with their hashes."""

_Order = tuple[Kind, Version, Version, str, str]
"""What the changes of a package are sorted by: kind, version, hash."""


def changes_by_stack(pair: PackagePair, scope: Scope, effort: Effort) -> dict[str, list[Change]]:
    """Return by stack what happened to the specs of a package.

    The changes of a stack are of every kind, sorted by kind, version and hash; a stack in which
    nothing happened is not there. Raises FormatError where pairing would cost too much.
    """
    removed = _one_sided(pair.old, pair.new, scope)
    added = _one_sided(pair.new, pair.old, scope)
    return {
        stack: _changes(pair.name, pair_specs(removed.get(stack, {}), added.get(stack, {}), effort))
        for stack in sorted(removed.keys() | added.keys())
    }


def _one_sided(mine: Mapping[str, Build], other: Mapping[str, Build], scope: Scope) -> _Side:
    """Return the specs that only one side has, stack by stack: the hash decides."""
    alike: dict[Build, list[str]] = {}
    side: _Side = {}
    for spec_hash, build in mine.items():
        twin = other.get(spec_hash)
        if twin is None:
            alike.setdefault(build, []).append(spec_hash)
        elif twin is not build:
            _put(side, scope.stacks(build.stacks - twin.stacks), build, [spec_hash])
    for build, hashes in alike.items():
        _put(side, scope.stacks(build.stacks), build, hashes)
    return side


def _put(side: _Side, stacks: Iterable[str], build: Build, hashes: list[str]) -> None:
    for stack in stacks:
        side.setdefault(stack, {}).setdefault(build, []).extend(hashes)


def _changes(name: str, pairing: Pairing) -> list[Change]:
    rows = [
        _row(name, old, new, differing_fields(old.build, new.build)) for old, new in pairing.pairs
    ]
    rows += [_row(name, member, None) for member in pairing.removed]
    rows += [_row(name, None, member) for member in pairing.added]
    rows.sort(key=itemgetter(0))
    return [change for _, change in rows]


def _row(
    name: str, old: Member | None, new: Member | None, fields: tuple[Field, ...] = ()
) -> tuple[_Order, Change]:
    """Return what happened to a spec, behind what decides its place in the report."""
    first, last = old or new, new or old
    assert first is not None
    assert last is not None
    before, after = first.build.version, last.build.version
    if old is None:
        kind = Kind.ADDED
    elif new is None:
        kind = Kind.REMOVED
    elif before != after:
        kind = Kind.UPGRADED if before < after else Kind.DOWNGRADED
    else:
        kind = Kind.RECONFIGURED if fields else Kind.REBUILT
    change = Change(
        kind,
        name,
        old.build.spec(old.hash) if old else None,
        new.build.spec(new.hash) if new else None,
        fields,
    )
    return (kind, before, after, first.hash, last.hash), change


def kept_versions(pair: PackagePair, stack: str) -> tuple[str, ...]:
    """Return the versions of a package that both sides have in a stack, in their order."""
    kept = _versions(pair.old, pair, stack) & _versions(pair.new, pair, stack)
    return tuple(sorted(kept, key=lambda text: (parse_version(text), text)))


def _versions(side: Mapping[str, Build], pair: PackagePair, stack: str) -> set[str]:
    versions = {build.version_text for build in set(side.values()) if stack in build.stacks}
    return versions | {shared.version_text for shared in pair.common if stack in shared.stacks}
