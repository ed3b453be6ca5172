"""Generated locks: two environments of one small world, with all that makes a lock hard to read.

Beside what generated graphs have (circles, several dependencies of one name, dependencies that are
not listed), there are spliced specs, environments that include others, and roots of all of them.
"""

import hashlib
import json
import random
from base64 import b32encode
from dataclasses import replace
from typing import Any

from hypothesis import strategies as st

from tests.support.documents import Item, Json, Needs, node
from tests.support.generated_graphs import graphs
from tests.support.graphs import PlainEdge, PlainGraph, PlainNode

VERSIONS = (4, 5, 6, 7)
"""Before version 4 dependencies are keyed by their names, so no two have one."""

INCLUDED = ("/a", "/b")
"""Included environments; the second is included by the first."""


def make_lock(chance: random.Random, graph: PlainGraph, root_names: list[str]) -> Json:
    """A lock of a graph whose roots are the nodes of some names, or some other nodes."""
    roots = [found for found in sorted(graph) if graph[found].name in root_names]
    if chance.random() < 0.3:
        roots = chance.sample(sorted(graph), chance.randint(0, min(3, len(graph))))
    if chance.random() < 0.5:
        graph = spliced(chance, graph)
    version = chance.choice(VERSIONS)
    nodes = {found: written(found, graph[found], version) for found in graph}
    environments = [environment(version), *(environment(version) for _ in INCLUDED)]
    parts = environments if chance.random() < 0.5 else environments[:1]
    for found, said in nodes.items():
        # An environment and one that it includes have nodes in common.
        for part in chance.sample(parts, chance.choice([1, 1, len(parts)])):
            part["concrete_specs"][found] = said
    for root in roots:
        chance.choice(parts)["roots"].append({"hash": root, "spec": graph[root].name})
    for outer, name, inner in zip(parts, INCLUDED, parts[1:], strict=False):
        outer["include_concrete"] = {name: inner}
    return environments[0]


def environment(version: int) -> Json:
    """A lock without specs."""
    meta = {"file-type": "spack-lockfile", "lockfile-version": version}
    return {"_meta": meta, "roots": [], "concrete_specs": {}}


def spliced(chance: random.Random, graph: PlainGraph) -> PlainGraph:
    """The graph with a node whose binary was made of another one, that has a dependency more."""
    if not graph:
        return graph
    chosen = chance.choice(sorted(graph))
    mpi = PlainNode("openmpi", chance.choice(["4.1", "5.0"]))
    mpi_hash = hash_of(mpi)
    edges = (*graph[chosen].edges, PlainEdge(mpi.name, mpi_hash, "build link", "mpi"))
    made_of = replace(graph[chosen], edges=edges, more="{}")
    build_spec = {"name": made_of.name, "hash": hash_of(made_of)}
    more = json.dumps(json.loads(graph[chosen].more) | {"build_spec": build_spec})
    return {
        **graph,
        chosen: replace(graph[chosen], more=more),
        hash_of(made_of): made_of,
        mpi_hash: mpi,
    }


def hash_of(plain: PlainNode) -> str:
    """A hash as Spack's look, which follows from all that the node is."""
    digest = hashlib.sha256(f"made of {plain}".encode()).digest()
    return b32encode(digest).decode("ascii").lower()[:32]


def written(spec_hash: str, plain: PlainNode, version: int) -> Json:
    """A node as the lock of a version writes it."""
    name, _, number = plain.compiler.partition("@")
    item = Item(
        plain.name,
        plain.version,
        spec_hash,
        (name, number) if number else None,
        plain.os,
        plain.platform,
        plain.target,
        dict(map(parameter, plain.variants)),
        tuple(
            Needs(edge.name, edge.hash, tuple(edge.types.split()), tuple(edge.virtuals.split()))
            for edge in plain.edges
        ),
        namespace=plain.namespace,
        recipe=plain.recipe,
    )
    said: Json = node(item, version) | json.loads(plain.more)
    if plain.external:
        said["external"] = {"path": plain.external, "module": None}
    return said


def parameter(variant: str) -> tuple[str, Any]:
    """The name and the value of a variant such as `+mpi` or `api:=default`."""
    if variant[0] in "+~":
        return variant[1:], variant[0] == "+"
    name, _, value = variant.partition(":=")
    return name, value.split(",")


def make_locks(chance: random.Random, old: PlainGraph, new: PlainGraph) -> tuple[Json, Json]:
    """Two locks that ask for nodes of the same names, most of the time."""
    names = sorted({plain.name for graph in (old, new) for plain in graph.values()})
    roots = chance.sample(names, min(len(names), chance.choice([0, 1, 2, 3])))
    return make_lock(chance, old, roots), make_lock(chance, new, roots)


@st.composite
def locks(draw: st.DrawFn, *, most_nodes: int = 14) -> tuple[Json, Json]:
    """An old and a new lock; the sizes shrink, what fills them is random by seed."""
    old, new = draw(graphs(most_nodes=most_nodes))
    return make_locks(draw(st.randoms(use_true_random=True)), old, new)
