"""Why specs were rebuilt, read slowly and plainly: what the package finds is held against this.

Written from the specification, section 11, with nothing of the package in it: a breadth-first
search of its own for every rebuilt spec, over plain nodes.
"""

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any

from tests.support.graphs import PlainEdge, PlainGraph, PlainNode
from tests.support.oracle import compare_versions

Pair = tuple[str, str]
"""An old and a new hash."""

PlainEvent = tuple[str | None, str, Any, Any]
"""Package, what, old, new."""

FIELDS = ("compiler", "os", "platform", "target")
OF_DEPENDENCIES = ("replaced", "added", "removed", "edge", "compilers")
ORDER = ("version", *FIELDS, "variants", "external", "namespace", *OF_DEPENDENCIES, "other")
LANGUAGES = {"c", "cxx", "fortran"}
TODAY = {
    "clang": "llvm",
    "oneapi": "intel-oneapi-compilers",
    "rocmcc": "llvm-amdgpu",
    "intel": "intel-oneapi-compilers-classic",
    "arm": "acfl",
}
SAID_BY = {
    "version": ("version", "package_hash"),
    "compiler": ("compiler",),
    "compilers": ("compiler",),
    "os": ("arch.platform_os",),
    "target": ("arch.target",),
    "variants": ("parameters", "patches"),
    "external": ("external.path",),
    "namespace": ("namespace",),
    "recipe": ("package_hash",),
}
HASHES = ("hash", "build_hash", "full_hash")


def in_common_notation(variant: str) -> str:
    return variant.replace(":=", "=", 1)


def as_written(node: PlainNode, variants: set[str]) -> tuple[str, ...]:
    some = [variant for variant in node.variants if in_common_notation(variant) in variants]
    return tuple(sorted(some, key=in_common_notation))


def configuration(node: PlainNode) -> object:
    fields = (node.compiler, node.os, node.platform, node.target)
    return fields, frozenset(map(in_common_notation, node.variants))


def one_edge_a_hash(edges: Iterable[PlainEdge]) -> list[PlainEdge]:
    """What is listed twice under one hash is one dependency, with all types and virtuals."""
    found: dict[str, PlainEdge] = {}
    for edge in edges:
        before = found.get(edge.hash, edge)
        found[edge.hash] = PlainEdge(
            edge.name,
            edge.hash,
            " ".join(sorted({*before.types.split(), *edge.types.split()})),
            " ".join(sorted({*before.virtuals.split(), *edge.virtuals.split()})),
        )
    return list(found.values())


class PlainMatch:
    """The dependencies of two nodes: in pairs, and those of one side alone."""

    def __init__(self, old: Iterable[PlainEdge], new: Iterable[PlainEdge]) -> None:
        self.left = one_edge_a_hash(old)
        self.came = one_edge_a_hash(new)
        self.same: list[tuple[PlainEdge, PlainEdge]] = []
        self.changed: list[tuple[PlainEdge, PlainEdge]] = []
        for before in list(self.left):
            for after in list(self.came):
                if before.hash == after.hash:
                    self.take(before, after, self.same)

    def take(
        self,
        before: PlainEdge,
        after: PlainEdge,
        to: list[tuple[PlainEdge, PlainEdge]],
    ) -> None:
        to.append((before, after))
        self.left.remove(before)
        self.came.remove(after)


def agreement(
    before: PlainEdge, after: PlainEdge, old: PlainGraph, new: PlainGraph
) -> tuple[bool, ...]:
    """In what two dependencies of one name agree; what is first counts most."""
    mine, theirs = old.get(before.hash), new.get(after.hash)
    same_version = same_configuration = mine is theirs
    if mine is not None and theirs is not None:
        same_version = compare_versions(mine.version, theirs.version) == 0
        same_configuration = configuration(mine) == configuration(theirs)
    return (
        same_version,
        same_configuration,
        before.virtuals == after.virtuals,
        before.build_only == after.build_only,
        before.types == after.types,
    )


def is_compiler(edge: PlainEdge) -> bool:
    return bool(LANGUAGES & set(edge.virtuals.split()))


def comes_with_compilers(edge: PlainEdge, before: PlainNode) -> bool:
    named = before.compiler.split("@")[0]
    named = TODAY.get(named, named)
    return (
        is_compiler(edge)
        or edge.name in ("compiler-wrapper", named)
        or edge.name.endswith("-runtime")
    )


def edge_events(match: PlainMatch) -> Iterable[tuple[PlainEvent, bool]]:
    """The dependencies that keep their hash and have other types or virtuals."""
    for before, after in match.same:
        if words_of(before) != words_of(after):
            event = (before.name, "edge", words_of(before), words_of(after))
            yield event, before.build_only and after.build_only


def names_its_compiler(node: PlainNode) -> bool:
    return node.compiler != "none" and not any(map(is_compiler, node.edges))


def words_of(edge: PlainEdge) -> tuple[str, ...]:
    provided = edge.virtuals.split()
    return (*edge.types.split(), *([f"virtuals={','.join(provided)}"] if provided else []))


def differing_keys(old: Any, new: Any, keys: tuple[str, ...] = ()) -> Iterable[tuple[str, ...]]:
    """The keys that lead to what differs in two JSON values, hashes aside."""
    if not isinstance(old, dict) or not isinstance(new, dict):
        if old != new:
            yield keys
        return
    for key in {*old, *new}.difference(HASHES):
        if key in old and key in new:
            yield from differing_keys(old[key], new[key], (*keys, key))
        else:
            yield (*keys, key)


def key_and_value(record: Any, keys: Iterable[str]) -> str | None:
    value = record
    for key in keys:
        if not isinstance(value, dict) or key not in value:
            return None
        value = value[key]
    if not isinstance(value, str):
        value = json.dumps(value, separators=(",", ":"), sort_keys=True)
    return f"{'.'.join(keys)}={value}"


class PlainReading:
    """What two graphs say of their pairs of nodes."""

    def __init__(self, old: PlainGraph, new: PlainGraph) -> None:
        self._graphs = old, new
        self.names: dict[Pair, str] = {}
        """What edges call the nodes of pairs."""
        self.changed = cache(self._changed)
        self.events = cache(self._events)

    def nodes(self, pair: Pair) -> tuple[PlainNode | None, PlainNode | None]:
        return self._graphs[0].get(pair[0]), self._graphs[1].get(pair[1])

    def match(self, old: Iterable[PlainEdge], new: Iterable[PlainEdge]) -> PlainMatch:
        """Dependencies that are one, then of those of one name the most alike, then by hash."""
        found = PlainMatch(old, new)
        while True:
            candidates = [
                (tuple(not agrees for agrees in agreement(before, after, *self._graphs)), i, j)
                for i, before in by_hash(found.left)
                for j, after in by_hash(found.came)
                if before.name == after.name
            ]
            if not candidates:
                return found
            _, i, j = min(candidates)
            before = next(edge for edge in found.left if edge.hash == i)
            after = next(edge for edge in found.came if edge.hash == j)
            found.take(before, after, found.changed)

    def _changed(self, pair: Pair) -> list[tuple[str, Pair, bool]]:
        """The changed dependencies of a pair: name, hashes, whether only for building."""
        old, new = self.nodes(pair)
        if old is None or new is None:
            return []
        matched = self.match(old.edges, new.edges).changed
        self.names |= {(before.hash, after.hash): after.name for before, after in matched}
        return [
            (before.name, (before.hash, after.hash), before.build_only and after.build_only)
            for before, after in matched
        ]

    def compiled_otherwise(self, pair: Pair) -> bool:
        """Whether another compiler is an event of the compiler, not of the pair."""
        old, new = self.nodes(pair)
        if old is None or new is None or names_its_compiler(old) or names_its_compiler(new):
            return False
        return old.compiler != new.compiler

    def _events(self, pair: Pair) -> dict[PlainEvent, bool]:
        """The events of a pair, each with whether the dependency in it is only for building."""
        old, new = self.nodes(pair)
        if old is None or new is None:
            return {(self.names[pair], "unlisted", None, None): False}
        name = old.name
        found: dict[PlainEvent, bool] = {}
        same_version = compare_versions(old.version, new.version) == 0
        if not same_version:
            found[name, "version", old.version, new.version] = False
        had, has = names_its_compiler(old), names_its_compiler(new)
        for what in FIELDS:
            before, after = getattr(old, what), getattr(new, what)
            is_told = what == "compiler" and not has and (not had or new.compiler == "none")
            if before != after and not is_told:
                found[name, what, before, after] = False
        mine, theirs = ({in_common_notation(v) for v in side.variants} for side in (old, new))
        if mine != theirs:
            gone, come = as_written(old, mine - theirs), as_written(new, theirs - mine)
            found[name, "variants", gone, come] = False
        if old.external != new.external:
            one, other = ((node.external,) if node.external else None for node in (old, new))
            found[name, "external", one, other] = False
        if old.namespace != new.namespace:
            found[name, "namespace", old.namespace, new.namespace] = False
        if same_version and old.recipe and new.recipe and old.recipe != new.recipe:
            found[name, "recipe", None, None] = False
        match = self.match(old.edges, new.edges)
        for event, build_only in self._dependency_events(old, new, match):
            found[event] = found.get(event, True) and build_only
        return found or dict.fromkeys(self.other_events(old, new, match), False)

    def _dependency_events(
        self, old: PlainNode, new: PlainNode, match: PlainMatch
    ) -> Iterable[tuple[PlainEvent, bool]]:
        left, came = match.left, match.came
        if names_its_compiler(old) and not names_its_compiler(new):
            if came or old.compiler != new.compiler:
                with_them = [edge for edge in came if comes_with_compilers(edge, old)]
                yield (None, "compilers", None, None), all(edge.build_only for edge in with_them)
            came = [edge for edge in came if not comes_with_compilers(edge, old)]
        yield from edge_events(match)
        replaced_old, replaced_new = set(), set()
        for virtual in {word for edge in left for word in edge.virtuals.split()}:
            ones = sorted((e for e in left if virtual in e.virtuals.split()), key=by_name)
            others = sorted((e for e in came if virtual in e.virtuals.split()), key=by_name)
            if not others:
                continue
            longer = max(len(ones), len(others))
            ones += [ones[-1]] * (longer - len(ones))
            others += [others[-1]] * (longer - len(others))
            for one, other in zip(ones, others, strict=True):
                replaced_old.add(one.name)
                replaced_new.add(other.name)
                event = (other.name, "replaced", one.name, other.name)
                yield event, one.build_only and other.build_only
        for edge in came:
            if edge.name not in replaced_new:
                yield (edge.name, "added", None, None), edge.build_only
        for edge in left:
            if edge.name not in replaced_old:
                yield (edge.name, "removed", None, None), edge.build_only

    def other_events(
        self, old: PlainNode, new: PlainNode, match: PlainMatch
    ) -> Iterable[PlainEvent]:
        """Whatever else the documents say of two nodes."""
        before, after = old.record(), new.record()
        for record in (before, after):
            del record["dependencies"]
        if not (old.recipe and new.recipe):
            before.pop("package_hash", None)
            after.pop("package_hash", None)
        for keys in differing_keys(before, after):
            yield old.name, "other", key_and_value(before, keys), key_and_value(after, keys)
        for mine, theirs in match.changed:
            if (mine.types, mine.virtuals) != (theirs.types, theirs.virtuals):
                one, other = (" ".join(words_of(edge)) for edge in (mine, theirs))
                key = f"dependencies.{mine.name}="
                yield old.name, "other", key + one, key + other

    def all_events(self, pair: Pair) -> dict[PlainEvent, bool]:
        """The events of a pair, and all else that differs, nothing told twice."""
        found = dict(self.events(pair))
        whats = {what for _, what, _, _ in found}
        old, new = self.nodes(pair)
        if found and old and new and "other" not in whats:
            told = {key for what in whats for key in SAID_BY.get(what, ())}
            for event in self.other_events(old, new, self.match(old.edges, new.edges)):
                words = {str(value).partition("=")[0] for value in event[2:] if value is not None}
                if not any(
                    word == key or word.startswith(f"{key}.") for word in words for key in told
                ):
                    found[event] = False
        return found

    def distances(self, root: Pair, *, build_only: bool) -> dict[Pair, int]:
        """How far every pair is that changed edges lead to, build-only ones or not."""
        found = {root: 0}
        queue = [root]
        for pair in queue:
            for _, below, only_for_building in self.changed(pair):
                if below not in found and (build_only or not only_for_building):
                    found[below] = found[pair] + 1
                    queue.append(below)
        return found

    def way_is_there(
        self, root: Pair, path: Iterable[str], event: PlainEvent, *, linked: bool
    ) -> bool:
        """Whether changed edges of those names lead from the root to a pair with the event."""

        def is_there(place: Pair) -> bool:
            found = self.events(place)
            return event in found and not (linked and found[event])

        package, what, _, _ = event
        names = list(path)
        if is_there(root):
            return not names
        if what not in OF_DEPENDENCIES:
            names.append(str(package))
        places = {root}
        for name in names:
            places = {
                below
                for place in places
                for found, below, only_for_building in self.changed(place)
                if found == name and not (linked and only_for_building)
            }
        return any(map(is_there, places))

    def name(self, pair: Pair) -> str:
        old, new = self.nodes(pair)
        node = new or old
        return node.name if node else ""


def by_hash(edges: Iterable[PlainEdge]) -> list[tuple[str, PlainEdge]]:
    return sorted([(edge.hash, edge) for edge in edges], key=lambda item: item[0])


def by_name(edge: PlainEdge) -> tuple[str, str]:
    return edge.name, edge.hash


LAST_RESORTS = ("recipe", "unlisted")


def without_last_resorts(events: Iterable[PlainEvent]) -> set[PlainEvent]:
    return {event for event in events if event[1] not in LAST_RESORTS}


def plain_pairs(old: PlainGraph, new: PlainGraph) -> list[Pair]:
    """Rebuilt specs by a plain rule: one class of like specs, then equal direct dependencies."""
    classes: tuple[Mapping[object, list[str]], ...] = (defaultdict(list), defaultdict(list))
    for side, mine, other in ((0, old, new), (1, new, old)):
        for node_hash in sorted(mine):
            if node_hash not in other:
                classes[side][like(mine[node_hash])].append(node_hash)
    pairs = []
    for key, left in classes[0].items():
        came = list(classes[1].get(key, ()))
        for same_dependencies in (True, False):
            for before in list(left):
                for after in came:
                    if not same_dependencies or versions_below(old, before) == versions_below(
                        new, after
                    ):
                        pairs.append((before, after))
                        left.remove(before)
                        came.remove(after)
                        break
    return pairs


def like(node: PlainNode) -> object:
    return (
        *(node.name, node.version, node.compiler, node.os, node.platform, node.target),
        frozenset(map(in_common_notation, node.variants)),
    )


def versions_below(graph: PlainGraph, node_hash: str) -> set[tuple[str, str]]:
    edges = [edge for edge in graph[node_hash].edges if edge.hash in graph]
    return {(edge.name, graph[edge.hash].version) for edge in edges}
