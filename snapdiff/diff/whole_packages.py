"""Why a dependency is gone from a stack, or new in it: the one package that needed it, or needs it.

What needs a spec that one side alone has is on that side alone, too: no unchanged spec is read.
"""

from collections.abc import Collection, Iterable, Mapping
from collections.abc import Set as AbstractSet
from typing import Literal, NamedTuple

from snapdiff.diff.fields import common_differences
from snapdiff.diff.reach import circles_below
from snapdiff.model import Graph
from snapdiff.result import Because, Field


def reasons_of_one_sided(
    kind: Literal["added", "removed"], mine: Graph, theirs: Graph
) -> dict[str, Because]:
    """Return why dependencies are in one document alone, where one package is the reason.

    `kind` is what happened to all that is in `mine` alone (specification, section 9). Raises
    FormatError where a node cannot be read.
    """
    alone = set(mine.names.values()).difference(theirs.names.values())
    if not alone:
        return {}
    users = _users_of(alone, mine, theirs)
    for root in mine.roots or ():  # nobody asks for it: whether it was needed, too, is no matter
        users.direct.get(mine.names[root], set()).clear()
    changed = _own_changes(users.specs, mine, theirs, kind)
    circles, _ = circles_below(sorted(alone), lambda name: sorted(users.direct[name] & alone))
    leads: dict[str, str] = {}  # itself where no one package is the reason
    for circle in circles:  # first what is needed by nothing else that is alone
        above = set().union(*(users.direct[name] for name in circle)).difference(circle)
        found = {leads.get(name, name) for name in above}
        lead = _first_of(found, users.above, leads)
        if lead and len(found) > 1 and lead not in alone and not changed[lead]:
            lead = None  # it did not change itself: what these have in common is not known
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
    specs: dict[str, list[str]]
    above: dict[str, set[str]]


def _users_of(alone: AbstractSet[str], mine: Graph, theirs: Graph) -> _Users:
    hashes = {spec_hash: name for spec_hash, name in mine.names.items() if name in alone}
    edges: dict[str, tuple[str, list[str]]] = {}
    for spec_hash, name in mine.names.items():
        if spec_hash not in theirs.names and (node := mine.node(spec_hash)):
            edges[spec_hash] = name, [edge.hash for edge in node.edges]
    users = _Users({name: set() for name in alone}, {}, {})
    of_both: dict[str, str] = {}
    for spec_hash, (name, below) in edges.items():
        needed = {hashes[it] for it in below if it in hashes} - {name}
        for package in needed:
            users.direct[package].add(name)
        if needed and name not in alone:
            of_both[spec_hash] = name
            users.specs.setdefault(name, []).append(spec_hash)
            users.above.setdefault(name, set())
    for name, below in edges.values():
        for spec_hash in of_both.keys() & below:
            users.above[of_both[spec_hash]].add(name)
    for spec_hash in of_both.keys() & (mine.roots or {}):
        users.above[of_both[spec_hash]].add("")
    return users


def _first_of(
    found: Collection[str], above: Mapping[str, Iterable[str]], leads: Mapping[str, str]
) -> str | None:
    """Return which of some packages is the reason, None where that is not one alone.

    Of several it is the one without which nothing but these needed any of the others.
    """
    if len(found) == 1:
        return next(iter(found))
    first = [
        name
        for name in found
        if {leads.get(it, it) for it in above.get(name, ("",))}.difference(found)
    ]
    return first[0] if len(first) == 1 else None


def _own_changes(
    specs: Mapping[str, Iterable[str]],
    mine: Graph,
    theirs: Graph,
    kind: Literal["added", "removed"],
) -> dict[str, tuple[Field, ...]]:
    """Return what tells some specs of each package from all that it has in the other document."""
    others: dict[str, list[str]] = {name: [] for name in specs}
    for spec_hash, name in theirs.names.items():
        if name in others:
            others[name].append(spec_hash)
    found = {}
    for name, hashes in specs.items():
        builds = [
            [node.build for spec_hash in some if (node := graph.node(spec_hash))]
            for graph, some in ((mine, hashes), (theirs, others[name]))
        ]
        found[name] = common_differences(*(builds if kind == "removed" else builds[::-1]))
    return found
