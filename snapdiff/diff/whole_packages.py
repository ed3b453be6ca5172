"""Why a dependency is gone from a stack, or new in it: the one package that needed it, or needs it.

What needs a spec that one side alone has is on that side alone, too: of unchanged specs only those
are read whose package needed it, or needs it.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import cache
from typing import Literal

from snapdiff.diff.fields import common_differences
from snapdiff.diff.reach import circles_below, parents
from snapdiff.model.specs import Graph, Node, edges_of
from snapdiff.result.packages import Because, Field


def reasons_of_one_sided(
    kind: Literal["added", "removed"], mine: Graph, theirs: Graph
) -> dict[str, Because]:
    """Return why dependencies are in one document alone, where one package is the reason.

    `kind` is what happened to all that is in `mine` alone (specification, section 9).
    """
    alone = set(mine.names.values()).difference(theirs.names.values())
    if not alone:
        return {}
    above, specs = _users_of(alone, mine, theirs)
    changed, still = _own_changes(specs, mine, theirs, kind)
    leads: dict[str, str] = {}  # itself where no one package is the reason

    @cache  # many may be gone that the same packages needed
    def users(name: str) -> set[str]:
        return {leads.get(it, it) for it in above[name]}

    def is_first(name: str, found: AbstractSet[str]) -> bool:
        """Return whether more needed a package than some, and what is alone because of these."""
        return name in alone or not users(name) <= found

    for circle in _from_above(alone, above):
        found = {leads.get(name, name) for one in circle for name in above[one].difference(circle)}
        first = [name for name in found if len(found) == 1 or is_first(name, found)]
        lead = first[0] if len(first) == 1 else None
        if lead and lead not in alone:
            if len(found) > 1 and not changed[lead]:
                lead = None  # it did not change itself: what these have in common is not known
            elif not still[lead].isdisjoint(circle):
                lead = None  # it depends on that still, and the other document does not list it
        leads.update((name, lead or name) for name in circle)
    _tell_by_dependencies(changed, leads, above, kind)
    return {
        name: Because(
            package=lead,
            status=kind if lead in alone else "changed",
            direct=lead in above[name],
            fields=changed.get(lead, ()),
        )
        for name, lead in leads.items()
        if lead != name
    }


def _tell_by_dependencies(
    changed: dict[str, tuple[Field, ...]],
    leads: Mapping[str, str],
    above: Mapping[str, AbstractSet[str]],
    kind: Literal["added", "removed"],
) -> None:
    """Add what packages that nothing else tells needed themselves, of what they are reasons of."""
    direct: dict[str, list[str]] = {}
    for name, lead in sorted(leads.items()):
        if lead in above[name] and not changed.get(lead, True):
            direct.setdefault(lead, []).append(name)
    for lead, names in direct.items():
        sides = (tuple(names), ()) if kind == "removed" else ((), tuple(names))
        changed[lead] = (Field("dependencies", *sides),)


def _users_of(
    alone: AbstractSet[str], mine: Graph, theirs: Graph
) -> tuple[dict[str, set[str]], dict[str, list[str]]]:
    """Return by package what depends on what is alone, and which specs those are that do.

    The specs are by package and of packages that are in both documents. What depends on these is
    there, too, with an empty name where one is a root.
    """
    names = mine.names
    users = parents(
        (key for key in names if key not in theirs.names),
        lambda key: [edge.hash for edge in edges_of(mine, key)],
    )
    wanted = {key: name for key, name in names.items() if name in alone}
    direct = set().union(*(users.get(key, ()) for key in wanted))
    of_both = {key: name for key, name in names.items() if key in direct and name not in alone}
    wanted |= of_both
    above: dict[str, set[str]] = {name: set() for name in wanted.values()}
    for key, name in wanted.items():
        above[name].update(names[user] for user in users.get(key, ()) if names[user] != name)
    specs: dict[str, list[str]] = {}
    for key, name in of_both.items():
        specs.setdefault(name, []).append(key)
    for root in mine.roots or ():
        if root in of_both:
            above[of_both[root]].add("")
        elif root in wanted:  # nobody asks for it: whether it was needed, too, is no matter
            above[wanted[root]].clear()
    return above, specs


def _from_above(
    alone: AbstractSet[str], above: Mapping[str, AbstractSet[str]]
) -> Sequence[tuple[str, ...]]:
    """Return what is alone, in a circle together, after all that leads to it by any packages."""
    order, _ = circles_below(sorted(above), lambda name: sorted(above[name] & above.keys()))
    names = [name for circle in order for name in circle if name in alone]
    circles, _ = circles_below(names[::-1], lambda name: sorted(above[name] & alone))
    return circles


def _own_changes(
    specs: Mapping[str, Iterable[str]],
    mine: Graph,
    theirs: Graph,
    kind: Literal["added", "removed"],
) -> tuple[dict[str, tuple[Field, ...]], dict[str, set[str]]]:
    """Return what tells some specs of each package from all that it has in the other document.

    Its variants did not change where all that are there were beside those, too: it has more builds,
    or less. Behind it are the names of all that it depends on in the other document.
    """
    of_mine, of_theirs = (_nodes_of(specs, graph) for graph in (mine, theirs))
    changes, below = {}, {}
    for name, hashes in specs.items():
        own, other = [of_mine[name].pop(it) for it in hashes], list(of_theirs[name].values())
        rest = of_mine[name].values()
        sides = (own, other) if kind == "removed" else (other, own)
        looks, left = (
            Counter((it.build.version, it.build.configuration) for it in some)
            for some in (other, rest)
        )
        changes[name] = tuple(
            field
            for field in common_differences(*([node.build for node in side] for side in sides))
            if field.name == "version" or not looks <= left
        )
        below[name] = {edge.name for node in other for edge in node.edges}
    return changes, below


def _nodes_of(packages: Collection[str], graph: Graph) -> dict[str, dict[str, Node]]:
    """Return the nodes of some packages by hash."""
    found: dict[str, dict[str, Node]] = {name: {} for name in packages}
    for spec_hash, name in graph.names.items():
        if name in found and (node := graph.node(spec_hash)):
            found[name][spec_hash] = node
    return found
