"""What specs depend on: nodes and edges of a document with dependencies."""

from collections.abc import Iterable, Mapping
from typing import NamedTuple, Protocol

from msgspec import Raw, Struct

from snapdiff.model.specs import Build


class Edge(NamedTuple):
    """A dependency of a spec: what Spack calls a `DependencySpec`.

    `types` are among build, link, run and test; `virtuals` are the virtual packages that the
    dependency provides here, such as `mpi`.
    """

    name: str
    hash: str
    types: tuple[str, ...]
    virtuals: tuple[str, ...]


class Node(Struct, frozen=True, kw_only=True):
    """A spec of a document with dependencies (specification, section 10).

    `recipe` is Spack's `package_hash`, None in documents that do not have it; `namespace` is the
    package repository, such as `builtin`. `external` is where Spack found what it did not build:
    the path and the modules, nothing where it built it.
    """

    name: str
    build: Build
    namespace: str
    recipe: str | None
    edges: tuple[Edge, ...]
    external: tuple[str, ...] = ()


class Graph(Protocol):
    """The nodes of one document by hash, each decoded when it is first asked for."""

    @property
    def size(self) -> int:
        """How many nodes there are."""
        ...

    @property
    def asked_for(self) -> frozenset[str] | None:
        """The packages that somebody asked for; None where the document does not say which."""
        ...

    @property
    def package_names(self) -> frozenset[str]:
        """The packages that the document lists."""
        ...

    @property
    def hashes(self) -> Iterable[str]:
        """The hashes of all nodes."""
        ...

    def node(self, spec_hash: str) -> Node | None:
        """Return a node, or None where an edge leads to no node of the document."""
        ...

    def record(self, spec_hash: str) -> Mapping[str, Raw]:
        """Return all that the document says of a node: each key with its value as JSON text."""
        ...


StackGraphs = Mapping[str | None, Graph]
"""The dependencies of one side's documents, by the stack that each of them lists."""

NO_GRAPHS: tuple[StackGraphs, StackGraphs] = ({}, {})
"""Both sides have no document with dependencies."""
