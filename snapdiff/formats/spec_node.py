"""A node of a document with dependencies as typed values, in all shapes of the years.

Real files mix the shapes of several versions, so no version number is asked: a node is keyed by
its name or has it as a field, its target is a name or a description, its dependencies are a
mapping or a list, its compiler a field, a dependency or an annotation.
"""

from collections.abc import Iterable
from typing import TypeVar

import msgspec
from msgspec import Raw, Struct

from snapdiff.errors import FormatError
from snapdiff.formats.document_limits import check_version
from snapdiff.formats.json_text import FileContent, decode_json
from snapdiff.formats.node_parts import EDGE_TYPES
from snapdiff.limits import VERSION_PARTS
from snapdiff.model import Edge

_NULL = Raw(b"null")
_EMPTY = Raw(b"{}")


class _External(Struct, gc=False):
    path: str | None = None
    module: str | list[str] | None = None


class _Annotations(Struct, gc=False):
    compiler: str | None = None


class _EdgeParameters(Struct, gc=False):
    deptypes: Raw = _NULL
    virtuals: tuple[str, ...] = ()


class EdgeFields(Struct, gc=False):
    """An edge as it is written; which hash it has, and where its types are, differs by version."""

    name: str = ""
    hash: str | None = None
    build_hash: str | None = None
    full_hash: str | None = None
    type: Raw = _NULL
    parameters: _EdgeParameters | None = None

    @property
    def target_hash(self) -> str:
        """The key of the node that the edge leads to."""
        return self.hash or self.build_hash or self.full_hash or ""


Edges = list[EdgeFields] | dict[str, EdgeFields | str | tuple[str, Raw]] | None
"""The edges of a node: a list, or before 2022 a mapping by name, of edges or of their hashes."""

_DEFAULT_TYPES = Raw(b'["build", "link"]')
"""The types of an edge that is nothing but a hash."""


class NodeNames(Struct, gc=False):
    """The name and version of a node, which is all that is asked of most."""

    name: str = ""
    version: str | None = None
    versions: tuple[str, ...] = ()

    def only_version(self, key: str) -> str:
        """Return the version; raises FormatError where there is none, or one of too many parts."""
        version = self.version
        if version is None:
            if len(self.versions) != 1:
                raise FormatError(f"{key}.version: missing")
            version = self.versions[0]
        if len(version) > VERSION_PARTS:
            check_version(version, f"{key}.version")
        return version


class SpecNode(NodeNames, gc=False):
    """A node, the parts that many nodes have in common not yet read."""

    arch: Raw = _NULL
    compiler: Raw = _NULL
    namespace: str | None = None
    parameters: Raw = _EMPTY
    dependencies: Edges = None
    external: _External | bool | None = None
    annotations: _Annotations | None = None
    package_hash: str | None = None
    hash: str | None = None

    @property
    def is_external(self) -> bool:
        """Whether Spack found the spec and did not build it."""
        found = self.external
        return isinstance(found, _External) and bool(found.path or found.module)

    @property
    def annotated_compiler(self) -> str | None:
        """The compiler of a node that was written anew in a later version, or None."""
        return self.annotations.compiler if self.annotations else None


AnyNode = TypeVar("AnyNode", bound=NodeNames)

NODE = msgspec.json.Decoder(SpecNode)
NODE_NAMES = msgspec.json.Decoder(NodeNames)
_BY_NAME = msgspec.json.Decoder(dict[str, Raw])


def decode_node(raw: FileContent, decoder: msgspec.json.Decoder[AnyNode], key: str) -> AnyNode:
    """Return a node, or what `NODE_NAMES` reads of it; raises FormatError with the key path."""
    node = decode_json(raw, decoder, key)
    return node if node.name else only_node(decode_json(raw, _BY_NAME, key), decoder, key)


def only_node(nodes: dict[str, Raw], decoder: msgspec.json.Decoder[AnyNode], key: str) -> AnyNode:
    """Return the only node of a mapping, as documents before 2022 have it: `{"zlib": {...}}`."""
    if len(nodes) != 1:
        raise FormatError(f"{key}.name: missing")
    [(name, raw)] = nodes.items()
    if not name:
        raise FormatError(f"{key}.name: empty")
    node = decode_json(raw, decoder, f"{key}.{name}")
    node.name = name
    return node


def listed_edges(edges: Edges) -> list[EdgeFields]:
    """Return the edges of a node in one shape."""
    if isinstance(edges, list):
        return edges
    found = []
    for name, value in (edges or {}).items():
        if isinstance(value, str):
            edge = EdgeFields(hash=value, type=_DEFAULT_TYPES)
        elif isinstance(value, tuple):
            edge = EdgeFields(hash=value[0], type=value[1])
        else:
            edge = value
        edge.name = name
        found.append(edge)
    return found


def write_edges(edges: Iterable[EdgeFields], key: str) -> tuple[Edge, ...]:
    """Return edges as the model has them, in the order of their names; raises FormatError."""
    written = []
    for edge in edges:
        types = edge.parameters.deptypes if edge.parameters else edge.type
        written.append(
            Edge(
                edge.name,
                edge.target_hash,
                EDGE_TYPES.read(types, key, "dependencies", edge.name, "type"),
                tuple(sorted(edge.parameters.virtuals)) if edge.parameters else (),
            )
        )
    return tuple(sorted(written))
