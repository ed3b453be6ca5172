"""What happened to the specs of one package, stack by stack."""

from collections.abc import Callable, Iterable, Mapping
from operator import itemgetter

from snapdiff.diff.effort import Effort
from snapdiff.diff.fields import differing_fields
from snapdiff.diff.pairing import MatchHashes, Member, Pairing, pair_specs
from snapdiff.filters import Scope, Stacks
from snapdiff.model import Build, PackagePair
from snapdiff.result import Change, Field, Kind
from snapdiff.spack.version import Version

_Side = dict[str, dict[Build, list[str]]]
"""By stack: the specs that one side only has, as builds with their hashes."""

_Order = tuple[Kind, Version, Version, str, str]
"""What the changes of a package are sorted by: kind, version, hash."""


def changes_by_stack(
    pair: PackagePair, scope: Scope, effort: Effort, match_hashes: MatchHashes
) -> dict[str, list[Change]]:
    """Return by stack what happened to the specs of a package.

    `match_hashes` decides between specs that are alike in all their own fields.
    The changes of a stack are of every kind, sorted by kind, version and hash; a stack in which
    nothing happened is not there. Raises FormatError where pairing would cost too much.
    """
    removed: _Side = {}
    added: _Side = {}
    for spec_hash, build in pair.old.items():
        twin = pair.new.get(spec_hash)
        if twin is not build:
            stacks = scope.old_stacks(build.stacks)
            _put(removed, stacks.difference(twin.stacks) if twin else stacks, build, spec_hash)
    for spec_hash, build in pair.new.items():
        twin = pair.old.get(spec_hash)
        if twin is not build:
            stacks = scope.stacks(build.stacks)
            before = scope.old_stacks(twin.stacks) if twin else ()
            _put(added, stacks.difference(before) if twin else stacks, build, spec_hash)
    return {
        stack: _changes(
            pair.name,
            pair_specs(removed.get(stack, {}), added.get(stack, {}), effort, match_hashes),
        )
        for stack in sorted(removed.keys() | added.keys())
    }


def _put(side: _Side, stacks: Iterable[str], build: Build, spec_hash: str) -> None:
    for stack in stacks:
        side.setdefault(stack, {}).setdefault(build, []).append(spec_hash)


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


def versions_by_stack(
    side: Mapping[str, Build], pair: PackagePair, stacks_of: Callable[[frozenset[str]], Stacks]
) -> dict[str, set[str]]:
    """Return the versions that one side of a package has in each stack."""
    listed = {(build.version_text, build.stacks) for build in set(side.values())}
    versions: dict[str, set[str]] = {}
    for version, stacks in listed | pair.common.keys():
        for stack in stacks_of(stacks):
            versions.setdefault(stack, set()).add(version)
    return versions
