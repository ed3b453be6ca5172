"""Graphs for tests: from short descriptions, and from real lock files read as plain JSON.

A node is described by a `PlainNode`. The graphs that the package takes are made from these, and the
independent reading of what changed (`tests/support/plain_causes.py`) looks at nothing else.
"""

import json
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Raw

from snapdiff.diff.causes import Explanation
from snapdiff.model.specs import Build, Edge, Node, SpecName
from snapdiff.result.causes import StackCause


@dataclass(frozen=True)
class PlainEdge:
    """A dependency: its name and hash, its types and what it provides, as words."""

    name: str
    hash: str
    types: str = "build link"
    virtuals: str = ""

    @property
    def build_only(self) -> bool:
        return not {"link", "run"} & set(self.types.split())


@dataclass(frozen=True)
class PlainNode:
    """What a document says of a node, values as the site's pages write them.

    `external` is a path; `more` is JSON, a mapping of what else is said.
    """

    name: str
    version: str = "1.0"
    compiler: str = "gcc@12.3.0"
    os: str = "rhel8"
    platform: str = "linux"
    target: str = "x86_64_v3"
    variants: tuple[str, ...] = ()
    external: str = ""
    namespace: str = "builtin"
    recipe: str | None = "first"
    more: str = "{}"
    edges: tuple[PlainEdge, ...] = field(default=())

    def like(self) -> tuple[object, ...]:
        """Return what the class of like specs is known by."""
        return (
            *(self.name, self.version, self.compiler, self.os, self.platform, self.target),
            frozenset(self.variants),
        )

    def record(self) -> dict[str, Any]:
        """Return all that the document says of the node, key by key."""
        said: dict[str, Any] = {
            "name": self.name,
            "version": self.version,
            "arch": {
                "platform": self.platform,
                "platform_os": self.os,
                "target": self.target,
            },
            "compiler": self.compiler,
            "parameters": self.variants,
            "external": {"path": self.external},
            "namespace": self.namespace,
            **({"package_hash": self.recipe} if self.recipe else {}),
        }
        if any({"c", "cxx", "fortran"} & set(edge.virtuals.split()) for edge in self.edges):
            del said["compiler"]  # it is the dependency
        more: dict[str, Any] = json.loads(self.more)
        edges = [vars(edge) for edge in self.edges]
        return said | more | {"dependencies": edges}


PlainGraph = Mapping[str, PlainNode]
"""The nodes of a document by hash."""


class NodesByHash:
    """A `Graph` of some plain nodes; it remembers which of them were asked for."""

    def __init__(self, nodes: PlainGraph) -> None:
        self._nodes = nodes
        self._made: dict[str, Node] = {}

    @property
    def made(self) -> set[str]:
        return set(self._made)

    @property
    def roots(self) -> Mapping[str, SpecName] | None:
        return None

    @property
    def compilers(self) -> Mapping[str, int]:
        return Counter(node.compiler for node in self._nodes.values())

    @cached_property
    def names(self) -> Mapping[str, str]:
        return {key: node.name for key, node in self._nodes.items()}

    @property
    def hashes(self) -> Collection[str]:
        return self._nodes

    def node(self, spec_hash: str) -> Node | None:
        plain = self._nodes.get(spec_hash)
        if plain is None:
            return None
        if spec_hash not in self._made:
            self._made[spec_hash] = node_of(plain)
        return self._made[spec_hash]

    def record(self, spec_hash: str) -> dict[str, Raw]:
        said = self._nodes[spec_hash].record()
        return {key: Raw(msgspec.json.encode(said[key])) for key in said}


def node_of(plain: PlainNode) -> Node:
    """The node as a reader makes it."""
    build = Build(
        plain.version,
        plain.compiler,
        plain.os,
        plain.platform,
        plain.target,
        plain.variants,
        frozenset(["e4s"]),
        external=bool(plain.external),
    )
    edges = tuple(
        Edge(edge.name, edge.hash, tuple(edge.types.split()), tuple(edge.virtuals.split()))
        for edge in plain.edges
    )
    return Node(
        name=plain.name,
        build=build,
        namespace=plain.namespace,
        recipe=plain.recipe,
        edges=edges,
        external=(plain.external,) if plain.external else (),
    )


def described(*lines: str) -> dict[str, PlainNode]:
    """A graph from lines such as `hdf5-2 version=1.14 > zlib-1, cmake-1:build, mpich-1:link:mpi`.

    A node's hash is its name, a dash and a number; `> ` begins its dependencies, each a hash with
    its types (joined by `+`; build and link if there are none) and the virtuals that it provides.
    """
    graph: dict[str, PlainNode] = {}
    for line in lines:
        head, _, tail = line.partition(">")
        node_hash, *words = head.split()
        values: dict[str, Any] = dict(word.split("=", 1) for word in words)
        if "variants" in values:
            values["variants"] = tuple(values["variants"].split(","))
        edges = tuple(_edge(text) for text in tail.split(",") if text.strip())
        graph[node_hash] = PlainNode(name_in(node_hash), **values, edges=edges)
    return graph


def name_in(node_hash: str) -> str:
    """The package's name in a hash such as `py-numpy-2`."""
    return node_hash.rpartition("-")[0]


def _edge(text: str) -> PlainEdge:
    node_hash, _, rest = text.strip().partition(":")
    types, _, virtuals = rest.partition(":")
    return PlainEdge(
        name_in(node_hash),
        node_hash,
        types.replace("+", " ") or "build link",
        virtuals.replace("+", " "),
    )


# --- Real lock files ---


def read_lock(path: Path) -> dict[str, PlainNode]:
    """The nodes of an environment lock of any version, by the key under which it lists them."""
    document = json.loads(path.read_text(encoding="utf-8"))
    return nodes_of(document["concrete_specs"])


def nodes_of(specs: Mapping[str, Any]) -> dict[str, PlainNode]:
    """The nodes that a lock lists under some key."""
    records = {}
    for key, record in specs.items():
        if "name" not in record:  # up to version 2 a node is the value of its name
            [(name, record)] = record.items()
            record = record | {"name": name}
        records[key] = record
    return {key: _plain_node(record, records) for key, record in records.items()}


def _plain_node(record: dict[str, Any], records: Mapping[str, Any]) -> PlainNode:
    edges = tuple(_plain_edges(record.get("dependencies", [])))
    target = record["arch"]["target"]
    return PlainNode(
        record["name"],
        record["version"],
        _compiler(record, edges, records),
        record["arch"]["platform_os"],
        record["arch"]["platform"],
        target if isinstance(target, str) else target["name"],
        tuple(_variants(record["parameters"])),
        external=_external(record),
        namespace=record["namespace"],
        recipe=record.get("package_hash"),
        more=json.dumps({key: record[key] for key in sorted(record) if key not in _COMPARED}),
        edges=edges,
    )


_COMPARED = ("name", "version", "namespace", "hash", "package_hash", "dependencies")


def _external(record: dict[str, Any]) -> str:
    found = record.get("external", {})
    module = found.get("module") or []
    modules = [module] if isinstance(module, str) else module
    return " ".join([found.get("path") or "", *(f"module {name}" for name in modules)])


def _plain_edges(dependencies: Any) -> Iterable[PlainEdge]:
    if isinstance(dependencies, dict):
        dependencies = [{"name": name} | entry for name, entry in dependencies.items()]
    for entry in dependencies:
        node_hash = entry.get("hash") or entry.get("build_hash")
        types = entry.get("type") or entry["parameters"]["deptypes"]
        virtuals = entry.get("parameters", {}).get("virtuals", [])
        yield PlainEdge(entry["name"], node_hash, " ".join(types), " ".join(virtuals))


def _compiler(
    record: dict[str, Any], edges: Iterable[PlainEdge], records: Mapping[str, Any]
) -> str:
    if "compiler" in record:
        return f"{record['compiler']['name']}@{record['compiler']['version']}"
    for language in ("c", "cxx", "fortran"):
        for edge in edges:
            if language in edge.virtuals.split():
                return f"{edge.name}@{records[edge.hash]['version']}"
    compiler = record.get("annotations", {}).get("compiler")
    return compiler if isinstance(compiler, str) else "none"


_FLAGS = ("cflags", "cppflags", "cxxflags", "fflags", "ldflags", "ldlibs")


def _variants(parameters: Mapping[str, Any]) -> Iterable[str]:
    for name, value in sorted(parameters.items()):
        if isinstance(value, bool):
            yield f"{'+' if value else '~'}{name}"
        elif name in _FLAGS:
            if value:
                yield f'{name}="{" ".join(value)}"'
        elif isinstance(value, list):
            values = sorted(item[:7] if name == "patches" else item for item in value)
            yield f"{name}:={','.join(values)}"
        else:
            yield f"{name}={value}"


def listed_causes(
    found: Explanation, wanted: Collection[tuple[str, str]] | None = None
) -> list[StackCause]:
    """Return the causes of a stack with the specs of one document, or some of these."""
    return found.of_stack(found.causes if wanted is None else wanted)
