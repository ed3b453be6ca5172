"""Which dependencies of two nodes of a package belong together."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from snapdiff.model import Edge


def is_build_only(edge: Edge) -> bool:
    """Return whether a dependency is neither linked nor run."""
    return "link" not in edge.types and "run" not in edge.types


class Matched(NamedTuple):
    """Which dependencies of two nodes belong together, and what is on one side only."""

    pairs: list[tuple[Edge, Edge]]
    removed: list[Edge]
    added: list[Edge]


def match_dependencies(old: Sequence[Edge], new: Sequence[Edge]) -> Matched:
    """Match dependencies by name; those that have the same hash on both sides are left out."""
    before = {edge.name: edge for edge in old}
    after = {edge.name: edge for edge in new}
    if len(before) < len(old) or len(after) < len(new):
        return _match_several(old, new)
    found = Matched([], [], [])
    for name, edge in before.items():
        other = after.pop(name, None)
        if other is None:
            found.removed.append(edge)
        elif other.hash != edge.hash:
            found.pairs.append((edge, other))
    found.added.extend(after.values())
    return found


def _match_several(old: Iterable[Edge], new: Iterable[Edge]) -> Matched:
    """Match dependencies where a node has several of one name, which is rare.

    The same hash is no change. Linked and run ones go together first, then build-only ones, then
    the rest, always by hash: Spack may build with one `python` and run with another.
    """
    found = Matched([], [], [])
    unchanged = {edge.hash for edge in old} & {edge.hash for edge in new}
    before, after = _by_name_and_kind(old, unchanged), _by_name_and_kind(new, unchanged)
    rest_old: dict[str, list[Edge]] = {}
    rest_new: dict[str, list[Edge]] = {}
    for key in sorted(before.keys() | after.keys()):
        mine, theirs = before.get(key, []), after.get(key, [])
        found.pairs.extend(zip(mine, theirs, strict=False))
        rest_old.setdefault(key[0], []).extend(mine[len(theirs) :])
        rest_new.setdefault(key[0], []).extend(theirs[len(mine) :])
    for name, mine in rest_old.items():
        theirs = rest_new[name]
        found.pairs.extend(zip(mine, theirs, strict=False))
        found.removed.extend(mine[len(theirs) :])
        found.added.extend(theirs[len(mine) :])
    return found


def _by_name_and_kind(
    edges: Iterable[Edge], unchanged: set[str]
) -> dict[tuple[str, bool], list[Edge]]:
    """Return edges by their name and whether they are build-only, each list by hash."""
    by_hash: dict[str, Edge] = {}
    for edge in edges:
        if edge.hash in unchanged:
            continue
        known = by_hash.get(edge.hash)
        # What is listed twice, once for building and once for linking, is one dependency.
        by_hash[edge.hash] = _united(known, edge) if known else edge
    found: dict[tuple[str, bool], list[Edge]] = {}
    for _, edge in sorted(by_hash.items()):
        found.setdefault((edge.name, is_build_only(edge)), []).append(edge)
    return found


def _united(one: Edge, other: Edge) -> Edge:
    return one._replace(types=one.types + other.types, virtuals=one.virtuals + other.virtuals)
