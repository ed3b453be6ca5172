"""Hashes that name another version or package than on the other side: no spec can change so.

A hash decides that a spec is unchanged, so what somebody wrote into a page by hand would pass.
"""

from collections.abc import Iterable, Mapping

from snapdiff.filters import Scope
from snapdiff.model import Build, PackagePair
from snapdiff.result import HashConflict, SpecName
from snapdiff.spack.version import parse_version


def find_hash_conflicts(pairs: Iterable[PackagePair], scope: Scope) -> tuple[HashConflict, ...]:
    """Return the hashes of a tag that no package lists with the same version on both sides."""
    pairs = list(pairs)
    hashes = set().union(*(pair.old for pair in pairs))
    hashes.intersection_update(set().union(*(pair.new for pair in pairs)))
    if not hashes:
        return ()
    old = _names_of(((pair.name, pair.old) for pair in pairs), hashes, scope)
    new = _names_of(((pair.name, pair.new) for pair in pairs), hashes, scope)
    return tuple(
        HashConflict(hash=spec_hash, old=_name(old[spec_hash]), new=_name(new[spec_hash]))
        for spec_hash in sorted(old.keys() & new.keys())
        if not _agree(old[spec_hash], new[spec_hash])
    )


def _names_of(
    packages: Iterable[tuple[str, Mapping[str, Build]]], hashes: set[str], scope: Scope
) -> dict[str, dict[str, str]]:
    found: dict[str, dict[str, str]] = {}
    for name, specs in packages:
        for spec_hash in specs.keys() & hashes:
            if scope.stacks(specs[spec_hash].stacks):
                found.setdefault(spec_hash, {})[name] = specs[spec_hash].version_text
    return found


def _agree(old: Mapping[str, str], new: Mapping[str, str]) -> bool:
    both = old.keys() & new.keys()
    return any(parse_version(old[name]) == parse_version(new[name]) for name in both)


def _name(versions: Mapping[str, str]) -> SpecName:
    package = min(versions)
    return SpecName(package=package, version=versions[package])
