"""What happened to the specs of one package, stack by stack."""

from collections.abc import Iterable, Mapping
from operator import itemgetter

from snapdiff.diff.fields import differing_fields
from snapdiff.diff.pairing import Effort, MatchHashes, Pairing, pair_specs
from snapdiff.filters import Scope
from snapdiff.model import Build, PackagePair
from snapdiff.result import Change, Kind
from snapdiff.spack.version import Version

BuildHashes = dict[Build, list[str]]
"""Some specs as their builds, each with the hashes of those that were built like this."""

_Order = tuple[Kind, Version, Version, str, str]
"""What the changes of a package are sorted by: kind, version, hash."""


def changes_by_stack(
    pair: PackagePair,
    builds: tuple[BuildHashes, BuildHashes],
    scope: Scope,
    effort: Effort,
    match_hashes: MatchHashes,
) -> dict[str, list[Change]]:
    """Return by stack what happened to the specs of a package.

    `builds` are those of both sides, and `match_hashes` decides between specs that are alike in all
    their own fields. The changes of a stack are of every kind, sorted by kind, version and hash; a
    stack in which nothing happened is not there. Raises FormatError where pairing would cost too
    much.
    """
    removed = _one_sided(builds[0], pair.new, scope)
    added = _one_sided(builds[1], pair.old, scope)
    found = {}
    for stack in sorted(removed.keys() | added.keys()):
        pairing = pair_specs(removed.get(stack, {}), added.get(stack, {}), effort, match_hashes)
        found[stack] = _changes(pair, pairing)
    return found


def hashes_of_builds(side: Mapping[str, Build]) -> BuildHashes:
    """Return the specs that a side of a package has as builds with their hashes."""
    found: BuildHashes = {}
    for spec_hash, build in side.items():
        known = found.get(build)
        if known is None:
            found[build] = [spec_hash]
        else:
            known.append(spec_hash)
    return found


def _one_sided(
    mine: BuildHashes, other: Mapping[str, Build], scope: Scope
) -> dict[str, BuildHashes]:
    """Return by stack the specs that only one side has: the hash decides."""
    side: dict[str, BuildHashes] = {}
    for build, hashes in mine.items():
        stacks = scope.stacks(build.stacks)
        alone = []
        for spec_hash in hashes:
            twin = other.get(spec_hash)
            if twin is None:
                alone.append(spec_hash)
            elif twin is not build:
                _put(side, stacks - twin.stacks, build, [spec_hash])
        if alone:
            _put(side, stacks, build, alone)
    return side


def _put(
    side: dict[str, BuildHashes], stacks: Iterable[str], build: Build, hashes: list[str]
) -> None:
    for stack in stacks:
        side.setdefault(stack, {}).setdefault(build, []).extend(hashes)


def _changes(pair: PackagePair, pairing: Pairing) -> list[Change]:
    rows = [_paired(pair, old, new) for old, new in pairing.pairs]
    for spec_hash in pairing.removed:
        build = pair.old[spec_hash]
        change = Change(Kind.REMOVED, pair.name, build.spec(spec_hash), None)
        rows.append(((change.kind, build.version, build.version, spec_hash, spec_hash), change))
    for spec_hash in pairing.added:
        build = pair.new[spec_hash]
        change = Change(Kind.ADDED, pair.name, None, build.spec(spec_hash))
        rows.append(((change.kind, build.version, build.version, spec_hash, spec_hash), change))
    rows.sort(key=itemgetter(0))
    return [change for _, change in rows]


def _paired(pair: PackagePair, old_hash: str, new_hash: str) -> tuple[_Order, Change]:
    """Return what happened to a spec, behind what decides its place in the report."""
    old, new = pair.old[old_hash], pair.new[new_hash]
    before, after = old.version, new.version
    fields = differing_fields(old, new)
    if before != after:
        kind = Kind.UPGRADED if before < after else Kind.DOWNGRADED
    else:
        kind = Kind.RECONFIGURED if fields else Kind.REBUILT
    change = Change(kind, pair.name, old.spec(old_hash), new.spec(new_hash), fields)
    return (kind, before, after, old_hash, new_hash), change
