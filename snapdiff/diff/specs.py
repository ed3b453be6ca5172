"""What happened to the specs of one package, stack by stack."""

from collections.abc import Iterable
from operator import itemgetter

from snapdiff.diff.fields import differing_fields
from snapdiff.diff.pairing import Member, Pairing, pair_specs
from snapdiff.filters import Scope
from snapdiff.limits import Effort
from snapdiff.model import Package, SpecClass
from snapdiff.result import Change, Field, Kind
from snapdiff.spack.configuration import Build
from snapdiff.spack.version import Version

_Side = dict[str, dict[Build, list[str]]]
"""By stack: the specs that one side only has, as builds with their hashes."""

_Order = tuple[Kind, Version, Version, str, str]
"""What the changes of a package are sorted by: kind, version, hash."""


class _Builds(dict[SpecClass, Build]):
    """The builds of one package, each read when it is first asked for."""

    def __missing__(self, spec_class: SpecClass) -> Build:
        build = self[spec_class] = Build(spec_class.description)
        return build


def package_changes(
    old: Package | None, new: Package | None, scope: Scope
) -> dict[str, list[Change]]:
    """Return by stack what happened to the specs of a package; None where a side has none.

    The changes of a stack are of every kind, sorted by kind, version and hash; a stack in which
    nothing happened is not there. Raises FormatError where pairing would cost too much.
    """
    builds = _Builds()
    gone = _one_sided(old, new, scope, builds)
    come = _one_sided(new, old, scope, builds)
    effort = Effort()
    name = package_name(old, new)
    return {
        stack: _changes(name, pair_specs(gone.get(stack, {}), come.get(stack, {}), effort))
        for stack in sorted(gone.keys() | come.keys())
    }


def _one_sided(mine: Package | None, other: Package | None, scope: Scope, builds: _Builds) -> _Side:
    """Return the specs that only one side has, stack by stack: the hash decides."""
    specs = mine.specs if mine else {}
    there = other.specs if other else {}
    alike: dict[SpecClass, list[str]] = {}
    side: _Side = {}
    differing = [item for item in specs.items() if there.get(item[0]) is not item[1]]
    for spec_hash, spec_class in differing:
        twin = there.get(spec_hash)
        if twin is None:
            alike.setdefault(spec_class, []).append(spec_hash)
        else:
            _put(side, scope.stacks(spec_class.stacks - twin.stacks), builds[spec_class], spec_hash)
    for spec_class, hashes in alike.items():
        _put(side, scope.stacks(spec_class.stacks), builds[spec_class], *hashes)
    return side


def _put(side: _Side, stacks: Iterable[str], build: Build, *hashes: str) -> None:
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
    """Return what happened to a spec, with what decides where it stands."""
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
        old.build.description.spec(old.hash) if old else None,
        new.build.description.spec(new.hash) if new else None,
        fields,
    )
    return (kind, before, after, first.hash, last.hash), change


def versions_by_stack(package: Package | None) -> dict[str, set[str]]:
    """Return the versions that a package has in each stack."""
    versions: dict[str, set[str]] = {}
    if package:
        for item in {*package.specs.values(), *package.shared}:
            for stack in item.stacks:
                versions.setdefault(stack, set()).add(item.description.version)
    return versions


def package_name(old: Package | None, new: Package | None) -> str:
    """Return the name of a package that one side may not have."""
    package = old or new
    assert package is not None
    return package.name
