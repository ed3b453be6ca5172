"""A node of a document with dependencies as typed values, in all shapes of the years.

Real files mix the shapes of several versions, so no version number is asked: a node is keyed by
its name or has it as a field, its target is a name or a description, its dependencies are a
mapping or a list, its compiler a field, a dependency or an annotation.
"""

from typing import NamedTuple, TypeVar

import msgspec
from msgspec import Raw, Struct, structs

from snapdiff.errors import FormatError
from snapdiff.formats.json_text import FileContent, decode_json, is_hash
from snapdiff.formats.node_parts import EDGE, NAMED_EDGE
from snapdiff.limits import VERSION_PARTS, check_version
from snapdiff.model import Edge

_NULL = Raw(b"null")
_EMPTY = Raw(b"{}")


class _External(Struct, gc=False):
    path: str | None = None
    module: str | list[str] | None = None


class _Annotations(Struct, gc=False):
    compiler: str | None = None


Edges = list[Raw] | dict[str, Raw] | None
"""The edges of a node as text: a list, or before 2022 a mapping by name."""


class NodeNames(Struct, frozen=True, gc=False):
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


class NodeEdges(NodeNames, frozen=True, gc=False):
    """A node as far as it leads to others."""

    dependencies: Edges = None


class SpecNode(NodeEdges, frozen=True, gc=False):
    """A node, the parts that many nodes have in common not yet read."""

    arch: Raw = _NULL
    compiler: Raw = _NULL
    namespace: str | None = None
    parameters: Raw = _EMPTY
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
    def external_words(self) -> tuple[str, ...]:
        """Where Spack found the spec: the path, then each module; nothing where it built it."""
        found = self.external
        if not isinstance(found, _External):
            return ()
        modules = [found.module] if isinstance(found.module, str) else found.module or []
        return (*filter(None, [found.path]), *(f"module {name}" for name in modules if name))

    @property
    def annotated_compiler(self) -> str | None:
        """The compiler of a node that was written anew in a later version, or None."""
        return self.annotations.compiler if self.annotations else None


class _SpecNodes(Struct, gc=False):
    nodes: list[Raw]


class _SpecFile(Struct, gc=False):
    """A spec with all that is below it: a file beside an old page, or `spack spec --json`."""

    spec: _SpecNodes | list[Raw]


class SpecFileNode(NamedTuple):
    """A node of such a file, and the key path that leads to it."""

    key: str
    hash: str
    record: Raw


AnyNode = TypeVar("AnyNode", bound=NodeNames)

NODE = msgspec.json.Decoder(SpecNode)
NODE_EDGES = msgspec.json.Decoder(NodeEdges)
NODE_NAMES = msgspec.json.Decoder(NodeNames)
_SPEC_FILE = msgspec.json.Decoder(_SpecFile)
_BY_NAME = msgspec.json.Decoder(dict[str, Raw])


def decode_node(raw: FileContent, decoder: msgspec.json.Decoder[AnyNode], key: str) -> AnyNode:
    """Return a node, or what `NODE_NAMES` reads of it; raises FormatError with the key path."""
    node = decode_json(raw, decoder, key)
    return node if node.name else only_node(decode_json(raw, _BY_NAME, key), decoder, key)


def read_record(raw: FileContent, key: str) -> dict[str, Raw]:
    """Return what is said of a node, key by key; raises FormatError with the key path."""
    said = decode_json(raw, _BY_NAME, key)
    if "name" in said or len(said) != 1:
        return said
    [(name, node)] = said.items()
    return decode_json(node, _BY_NAME, f"{key}.{name}")


def only_node(nodes: dict[str, Raw], decoder: msgspec.json.Decoder[AnyNode], key: str) -> AnyNode:
    """Return the only node of a mapping, as documents before 2022 have it: `{"zlib": {...}}`."""
    if len(nodes) != 1:
        raise FormatError(f"{key}.name: missing")
    [(name, raw)] = nodes.items()
    if not name:
        raise FormatError(f"{key}.name: empty")
    return structs.replace(decode_json(raw, decoder, f"{key}.{name}"), name=name)


def read_edges(edges: Edges, key: str) -> tuple[Edge, ...]:
    """Return the edges of a node in the order of their names; raises FormatError."""
    if isinstance(edges, dict):
        place = f"{key}.dependencies"
        return tuple(
            NAMED_EDGE.read(edges[name], place, name)._replace(name=name) for name in sorted(edges)
        )
    return tuple(sorted(EDGE.read_all(edges or (), key, "dependencies")))


def read_spec_file(content: bytes, path: str = "") -> list[SpecFileNode]:
    """Return the nodes of a spec with all that is below it, the spec first.

    `path` is the beginning of the key paths of errors. Raises FormatError.
    """
    found = decode_json(content, _SPEC_FILE, path.removesuffix(".")).spec
    nodes = found if isinstance(found, list) else found.nodes
    place = f"{path}spec" if isinstance(found, list) else f"{path}spec.nodes"
    if not nodes:
        raise FormatError(f"{place}: empty; its first node is the spec")
    read = []
    for position, record in enumerate(nodes):
        key = f"{place}[{position}]"
        spec_hash = decode_node(record, NODE, key).hash or ""
        if not is_hash(spec_hash):
            raise FormatError(f"{key}.hash: missing, or no hash")
        read.append(SpecFileNode(key, spec_hash, record))
    return read
