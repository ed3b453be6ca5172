"""Generated graphs: two sides of one small world, with everything that can change below a spec."""

import base64
import hashlib
import random
from dataclasses import replace

from hypothesis import strategies as st

from tests.support.graphs import PlainEdge, PlainNode

Graphs = tuple[dict[str, PlainNode], dict[str, PlainNode]]
"""The nodes of an old and of a new document, by hash."""

PROVIDES = {
    "mpich": "mpi",
    "openmpi": "mpi",
    "zlib": "zlib-api",
    "zlib-ng": "zlib-api",
    "mkl": "blas lapack",
    "openblas": "blas lapack",
    "netlib": "lapack",
}
COMPILERS = {"gcc": "c cxx fortran", "llvm": "c cxx"}
WITH_COMPILERS = ("compiler-wrapper", "gcc-runtime")
NAMES = (
    *("hdf5", "netcdf", "boost", "python", "cmake", "gmake", "perl"),
    *PROVIDES,
    *COMPILERS,
    *WITH_COMPILERS,
)
TYPES = ("build", "build", "link", "build link", "run", "build run", "test")

FIELDS = ("version", "compiler", "target", "os", "variants", "external", "namespace", "recipe")
CHANGES = (*FIELDS, "more", "recipe", "add", "remove", "remove", "retarget", "types", "types")
MORE = (
    '{"patches": ["b", "a"], "build_spec": {"hash": "c"}}',
    '{"annotations": {"version": 5}}',
    '{"annotations": {"version": 4, "of": {}}, "build_spec": {"hash": "d"}}',
)

Planned = tuple[PlainNode, list[tuple[int, str]]]
"""A node without its edges, and these: the place of a node in the plan, and types."""


def make_plan(chance: random.Random, size: int) -> list[Planned]:
    """Nodes whose edges lead to later ones, with several nodes of some names."""
    plan: list[Planned] = []
    for place in range(size):
        node = PlainNode(chance.choice(NAMES), chance.choice(["1.0", "1.2"]))
        later = range(place + 1, size)
        targets = chance.sample(later, min(len(later), chance.choice([0, 1, 2, 2, 3, 4])))
        plan.append((node, [(target, chance.choice(TYPES)) for target in sorted(targets)]))
    return plan


def changed_plan(chance: random.Random, plan: list[Planned], changes: int) -> list[Planned]:
    """The same plan after some changes of its nodes and edges."""
    changed = [(node, list(edges)) for node, edges in plan]
    for _ in range(changes):
        place = chance.randrange(len(changed))
        node, edges = changed[place]
        what = chance.choice(CHANGES)
        later = range(place + 1, len(changed))
        if what == "add" and later:
            edges.append((chance.choice(later), chance.choice(TYPES)))
        elif what == "remove" and edges:
            edges.remove(chance.choice(edges))
        elif what in ("retarget", "types") and edges:
            at = chance.randrange(len(edges))
            target, types = edges[at]
            if what == "types":
                edges[at] = target, chance.choice(TYPES)
            else:
                edges[at] = chance.choice(later), types
        else:
            changed[place] = changed_node(chance, node, what), edges
    return changed


def changed_node(chance: random.Random, node: PlainNode, what: str) -> PlainNode:
    """The node with another value in one field."""
    if what == "version":
        # 1.2 and 1.02 are one version in two spellings.
        return replace(node, version=chance.choice(["1.0", "1.02", "1.3", "2.0"]), recipe="second")
    if what == "compiler":
        return replace(node, compiler="gcc@13.1.0")
    if what == "target":
        return replace(node, target="zen4")
    if what == "os":
        return replace(node, os="ubuntu22.04")
    if what == "variants":
        return replace(node, variants=(chance.choice(["+mpi", "~mpi", "api:=default"]),))
    if what == "external":
        return replace(node, external=chance.choice(["", "/usr", "/opt"]))
    if what == "namespace":
        return replace(node, namespace="site")
    if what == "more":
        return replace(node, more=chance.choice(MORE))
    return replace(node, recipe=chance.choice(["second", "third", None]))


def built(plan: list[Planned], salt: str = "", *, compilers: bool = False) -> dict[str, PlainNode]:
    """The nodes of a plan under hashes of all that is in them and below them, as Spack has them.

    With `compilers` these are dependencies, as since Spack 1.
    """
    provides = {**PROVIDES, **COMPILERS}
    hashes: dict[int, str] = {}
    graph: dict[str, PlainNode] = {}
    for place in reversed(range(len(plan))):
        node, targets = plan[place]
        used = [plan[target][0] for target, _ in targets if plan[target][0].name in COMPILERS]
        edges = tuple(
            PlainEdge(
                plan[target][0].name, hashes[target], types, provides.get(plan[target][0].name, "")
            )
            for target, types in targets
            if compilers or plan[target][0].name not in COMPILERS
        )
        if used:
            node = replace(node, compiler=f"{used[0].name}@{used[0].version}")
        elif compilers:
            node = replace(node, compiler="none")
        node = replace(node, edges=edges)
        digest = hashlib.sha256(f"{salt}{node}".encode()).digest()
        hashes[place] = base64.b32encode(digest).decode("ascii").lower()[:32]
        graph[hashes[place]] = node
    return graph


def with_circles(
    chance: random.Random, graph: dict[str, PlainNode], side: str
) -> dict[str, PlainNode]:
    """The graph under other hashes, with edges back to nodes above."""
    names = {old: f"{old[:-1]}{side}" for old in graph}
    upward = chance.sample(sorted(graph), min(len(graph), 3))
    circular: dict[str, PlainNode] = {}
    for node_hash in graph:
        node = graph[node_hash]
        edges = tuple(replace(edge, hash=names[edge.hash]) for edge in node.edges)
        if chance.random() < 0.4:
            target = chance.choice(upward)
            edges += (PlainEdge(graph[target].name, names[target], chance.choice(TYPES)),)
        circular[names[node_hash]] = replace(node, edges=edges)
    return circular


def make_graphs(
    chance: random.Random, size: int, changes: int, *, compilers_move: bool = True
) -> Graphs:
    """Two graphs of a plan before and after some changes; compilers may become dependencies."""
    plan = make_plan(chance, size)
    after = changed_plan(chance, plan, changes)
    # Now and then Spack hashes in another way.
    salt = chance.choice(["", "", "", "version 5"])
    before, later = chance.choice(
        [(False, False), (False, False), (True, True), (False, compilers_move)]
    )
    old, new = built(plan, compilers=before), built(after, salt, compilers=later)
    where = chance.random()
    if where < 0.2:
        old, new = with_circles(chance, old, "o"), with_circles(chance, new, "n")
    elif where < 0.3:
        for side in (old, new):
            del side[chance.choice(sorted(side))]
    return old, new


@st.composite
def graphs(draw: st.DrawFn, *, most_nodes: int = 14, compilers_move: bool = True) -> Graphs:
    """Two small graphs; the sizes shrink, what fills them is random by seed."""
    size, changes = draw(st.integers(1, most_nodes)), draw(st.integers(0, 5))
    chance = draw(st.randoms(use_true_random=True))
    return make_graphs(chance, size, changes, compilers_move=compilers_move)
