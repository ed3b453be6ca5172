"""A node of a document with dependencies as typed values, in all shapes of the years.

Real files mix the shapes of several versions, so no version number is asked: a node is keyed by
its name or has it as a field, its target is a name or a description, its dependencies are a
mapping or a list, its compiler a field, a dependency or an annotation.
"""

from collections.abc import Iterable
from typing import TypeVar

import msgspec
from msgspec import Raw, Struct, field

from snapdiff.errors import FormatError
from snapdiff.formats.document_limits import check_version
from snapdiff.formats.json_text import FileContent, decode_json
from snapdiff.limits import VERSION_PARTS
from snapdiff.model import Edge
from snapdiff.spack.node import Scalar, write_compiler


class _Target(Struct, gc=False):
    name: str


class _Architecture(Struct, gc=False):
    platform: str | None = None
    platform_os: str | None = None
    target: str | _Target | None = None


class _Compiler(Struct, gc=False):
    name: str
    version: str | None = None
    versions: tuple[str, ...] = ()


class _External(Struct, gc=False):
    path: str | None = None
    module: str | list[str] | None = None


class _Annotations(Struct, gc=False):
    compiler: str | None = None


class _EdgeParameters(Struct, gc=False):
    deptypes: tuple[str, ...] = ()
    virtuals: tuple[str, ...] = ()


class EdgeFields(Struct, gc=False):
    """An edge as it is written; which hash it has, and where its types are, differs by version."""

    name: str = ""
    hash: str | None = None
    build_hash: str | None = None
    full_hash: str | None = None
    type: tuple[str, ...] | None = None
    parameters: _EdgeParameters | None = None

    @property
    def target_hash(self) -> str:
        """The key of the node that the edge leads to."""
        return self.hash or self.build_hash or self.full_hash or ""

    @property
    def virtuals(self) -> tuple[str, ...]:
        """The virtual packages that the dependency provides here."""
        return self.parameters.virtuals if self.parameters else ()

    @property
    def types(self) -> tuple[str, ...]:
        """Among build, link, run and test; the oldest documents leave them out."""
        found = self.parameters.deptypes if self.parameters else self.type
        return _DEFAULT_TYPES if found is None else found


Edges = list[EdgeFields] | dict[str, EdgeFields | str | tuple[str, tuple[str, ...]]] | None
"""The edges of a node: a list, or before 2022 a mapping by name, of edges or of their hashes."""

_DEFAULT_TYPES = ("build", "link")


class NodeNames(Struct, gc=False):
    """The name and version of a node, which is all that is asked of most."""

    name: str = ""
    version: str | None = None
    versions: tuple[str, ...] = ()

    def only_version(self, key: str) -> str:
        """Return the version; raises FormatError where there is none, or one of too many parts."""
        version = self.version or _version(self)
        if version is None:
            raise FormatError(f"{key}.version: missing")
        if len(version) > VERSION_PARTS:
            check_version(version, key)
        return version


class SpecNode(NodeNames, gc=False):
    """A node."""

    arch: _Architecture | None = None
    compiler: _Compiler | None = None
    namespace: str | None = None
    parameters: dict[str, Scalar | list[Scalar]] = field(default_factory=dict)
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
    def platform(self) -> str:
        """The platform, such as `linux`."""
        return (self.arch and self.arch.platform) or ""

    @property
    def os(self) -> str:
        """The operating system, such as `ubuntu22.04`."""
        return (self.arch and self.arch.platform_os) or ""

    @property
    def target(self) -> str:
        """The target by name."""
        target = self.arch and self.arch.target
        return target.name if isinstance(target, _Target) else target or ""

    @property
    def own_compiler(self) -> str | None:
        """The compiler that the node itself names, or None."""
        if self.compiler is None:
            return None
        return write_compiler(self.compiler.name, _version(self.compiler) or "")

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
            edge = EdgeFields(hash=value)
        elif isinstance(value, tuple):
            edge = EdgeFields(hash=value[0], type=value[1])
        else:
            edge = value
        edge.name = name
        found.append(edge)
    return found


def write_edges(edges: Iterable[EdgeFields]) -> tuple[Edge, ...]:
    """Return edges as the model has them, in the order of their names."""
    return tuple(
        sorted(
            Edge(
                edge.name, edge.target_hash, tuple(sorted(edge.types)), tuple(sorted(edge.virtuals))
            )
            for edge in edges
        )
    )


def _version(item: NodeNames | _Compiler) -> str | None:
    if item.version is not None:
        return item.version
    return item.versions[0] if len(item.versions) == 1 else None
