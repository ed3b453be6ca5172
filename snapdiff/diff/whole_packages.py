"""Why a dependency is gone from a stack, or new in it: the one package that needed it, or needs it.

What needs a spec that one side alone has is on that side alone, too: no unchanged spec is read.
"""

from collections.abc import Collection, Iterable, Mapping
from collections.abc import Set as AbstractSet
from typing import Literal, NamedTuple

from snapdiff.diff.reach import circles_below
from snapdiff.model import Graph
from snapdiff.result import Because, Change, Field


def reasons_of_one_sided(
    kind: Literal["added", "removed"], mine: Graph, theirs: Graph, changes: Mapping[str, Change]
) -> dict[str, Because]:
    """Return why dependencies are in one document alone, where one package is the reason.

    `kind` is what happened to all that is in `mine` alone; `changes` are those of the stack by the
    hashes in `mine` (specification, section 9). Raises FormatError where a node cannot be read.
    """
    alone = mine.package_names - theirs.package_names
    if not alone:
        return {}
    roots = {mine.names[root] for root in mine.roots or ()}
    users = _users_of(alone, mine, theirs)
    changed = {
        name: _common_fields(changes.get(spec_hash) for spec_hash in hashes)
        for name, hashes in users.specs.items()
    }
    for root in roots & alone:  # nobody asks for it: whether something needed it, too, is no matter
        users.direct[root].clear()
    circles, _ = circles_below(sorted(alone), lambda name: sorted(users.direct[name] & alone))
    leads: dict[str, str] = {}  # itself where no one package is the reason
    for circle in circles:  # first what is needed by nothing else that is alone
        above = set().union(*(users.direct[name] for name in circle)).difference(circle)
        lead = _first_of({leads.get(name, name) for name in above}, users, changed)
        leads.update((name, lead or name) for name in circle)
    return {
        name: Because(
            package=lead,
            status=kind if lead in alone else "changed",
            direct=lead in users.direct[name],
            fields=changed.get(lead, ()),
        )
        for name, lead in leads.items()
        if lead != name
    }


class _Users(NamedTuple):
    """What needs the packages that are in one document alone.

    `direct` has by such a package the names of what depends on it. Of packages that are in both
    documents, `specs` has those that do, by hash, and `above` the names of what depends on these:
    an empty name where one is a root.
    """

    direct: dict[str, set[str]]
    specs: dict[str, set[str]]
    above: dict[str, set[str]]


def _users_of(alone: AbstractSet[str], mine: Graph, theirs: Graph) -> _Users:
    direct: dict[str, set[str]] = {name: set() for name in alone}
    specs: dict[str, set[str]] = {}
    edges: list[tuple[str, str]] = []
    for spec_hash, name in mine.names.items():
        node = mine.node(spec_hash) if spec_hash not in theirs.names else None
        for edge in node.edges if node else ():
            edges.append((name, edge.hash))
            needed = mine.names.get(edge.hash, "")
            if needed in alone and needed != name:
                direct[needed].add(name)
                if name not in alone:
                    specs.setdefault(name, set()).add(spec_hash)
    names = {spec_hash: name for name, hashes in specs.items() for spec_hash in hashes}
    above: dict[str, set[str]] = {name: set() for name in specs}
    for root in names.keys() & (mine.roots or {}).keys():
        above[names[root]].add("")
    for name, spec_hash in edges:
        if spec_hash in names:
            above[names[spec_hash]].add(name)
    return _Users(direct, specs, above)


def _first_of(
    found: Collection[str], users: _Users, changed: Mapping[str, tuple[Field, ...]]
) -> str | None:
    """Return which of some packages is the reason, None where that is not one alone.

    Of several it is one that changed itself, where nothing but these needs any of the others.
    """
    if len(found) == 1:
        return next(iter(found))
    first = [name for name in found if users.above.get(name, {""}).difference(found)]
    return first[0] if len(first) == 1 and changed.get(first[0]) else None


def _common_fields(changes: Iterable[Change | None]) -> tuple[Field, ...]:
    """Return in what of their version and variants some specs changed, all in the same way."""
    every = [{it.name: it for it in change.fields} if change else {} for change in changes]
    found = []
    versions, variants = (
        [fields[name] for fields in every if name in fields] for name in ("version", "variants")
    )
    if len(versions) == len(every) and len(set(versions)) == 1:
        found.append(versions[0])
    if len(variants) == len(every):
        old, new = (
            tuple(value for value in sides[0] if all(value in side for side in sides))
            for sides in ([it.old for it in variants], [it.new for it in variants])
        )
        if old or new:
            found.append(Field("variants", old, new))
    return tuple(found)
