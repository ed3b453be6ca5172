"""A node of a document with dependencies as typed values, in all shapes of the years.

Real files mix the shapes of several versions, so no version number is asked: a node is keyed by
its name or has it as a field, its target is a name or a description, its dependencies are a
mapping or a list, its compiler a field, a dependency or an annotation.

A part that many nodes have in the same words is read once. Of the 9,588 nodes of ten E4S locks, 822
differ in their parameters and a few dozen in architecture and compiler; of 189,004 edges in two
indexes of 100,000 specs, 10,556 are not alike. A part is set aside as text when the node is
decoded; what the text means is remembered. That takes half off the time of reading a node.
"""

from collections.abc import Callable, Sequence
from typing import Generic, NamedTuple, TypeVar

import msgspec
from msgspec import Raw, Struct, structs

from snapdiff.errors import FormatError
from snapdiff.formats.json_text import FileContent, are_hashes, decode_json
from snapdiff.limits import check_version
from snapdiff.model.specs import Edge
from snapdiff.spack import LANGUAGES, Scalar, write_compiler, write_parameters

Shape = TypeVar("Shape")
Meaning = TypeVar("Meaning")

_REMEMBERED = 16_384
_LONGEST = 2048
"""How many texts are remembered of each part, and how long one may be: 32 MiB at most."""


class PartReader(dict[bytes, Meaning], Generic[Shape, Meaning]):
    """Reads one part of nodes: `decoder` gives its shape, `convert` what it means.

    As a mapping, it has what the texts mean that were read, and reads those that were not.
    """

    def __init__(
        self, decoder: msgspec.json.Decoder[Shape], convert: Callable[[Shape], Meaning]
    ) -> None:
        super().__init__()
        self._decoder = decoder
        self._convert = convert

    def __missing__(self, text: bytes) -> Meaning:
        """Return what a text means."""
        found = self._convert(self._decoder.decode(text))
        if len(text) <= _LONGEST:
            if len(self) >= _REMEMBERED:
                self.clear()
            self[text] = found
        return found

    def read(self, raw: Raw, *path: str) -> Meaning:
        """Return what a part means; raises FormatError with the key path that leads to it."""
        try:
            return self[bytes(raw)]
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            # Read again, the error gets its key path.
            return self._convert(decode_json(raw, self._decoder, ".".join(path)))


# --- The parts ---


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


_Types = tuple[str, ...] | None


class _EdgeParameters(Struct, gc=False):
    deptypes: _Types = None
    virtuals: tuple[str, ...] = ()


class _Edge(Struct, gc=False):
    """An edge as it is written; which hash it has, and where its types are, differs by version."""

    name: str = ""
    hash: str | None = None
    build_hash: str | None = None
    full_hash: str | None = None
    type: _Types = None
    parameters: _EdgeParameters | None = None


def _read_architecture(found: _Architecture | None) -> tuple[str, str, str]:
    """Return platform, os and target; empty where the node does not say."""
    if found is None:
        return "", "", ""
    target = found.target.name if isinstance(found.target, _Target) else found.target
    return found.platform or "", found.platform_os or "", target or ""


def _read_compiler(found: _Compiler | None) -> str | None:
    if found is None:
        return None
    return write_compiler(found.name, found.version or ",".join(found.versions))


def _read_edge(found: _Edge) -> Edge:
    parameters = found.parameters
    return Edge(
        found.name,
        found.hash or found.build_hash or found.full_hash or "",
        tuple(sorted((parameters.deptypes if parameters else found.type) or ())),
        tuple(sorted(parameters.virtuals if parameters else ())),
    )


_EDGE_OF_HASH_ALONE = ("build", "link")


def _read_named_edge(found: _Edge | str | tuple[str, _Types]) -> Edge:
    if isinstance(found, _Edge):
        return _read_edge(found)
    spec_hash, types = (found, _EDGE_OF_HASH_ALONE) if isinstance(found, str) else found
    return Edge("", spec_hash, tuple(sorted(types or ())), ())


ARCHITECTURE = PartReader(msgspec.json.Decoder(_Architecture | None), _read_architecture)
COMPILER = PartReader(msgspec.json.Decoder(_Compiler | None), _read_compiler)
PARAMETERS = PartReader(msgspec.json.Decoder(dict[str, Scalar | list[Scalar]]), write_parameters)
EDGE = PartReader(msgspec.json.Decoder(_Edge), _read_edge)
NAMED_EDGE = PartReader(msgspec.json.Decoder(_Edge | str | tuple[str, _Types]), _read_named_edge)
"""An edge of a mapping by name, as before 2022: an edge, its hash, or its hash and types."""

_EDGES = msgspec.json.Decoder(list[Raw] | dict[str, Raw] | None)
"""The edges of a node: a list, or before 2022 a mapping by name."""


def read_edges(text: Raw, key: str) -> tuple[Edge, ...]:
    """Return the edges of a node in the order of their names; raises FormatError."""
    place = f"{key}.dependencies"
    edges = decode_json(text, _EDGES, place)
    if isinstance(edges, dict):
        return tuple(
            NAMED_EDGE.read(edges[name], place, name)._replace(name=name) for name in sorted(edges)
        )
    return tuple(sorted([EDGE.read(raw, f"{place}[{at}]") for at, raw in enumerate(edges or ())]))


def find_compiler(edges: Sequence[Edge]) -> Edge | None:
    """Return the compiler of a node: what provides `c`, else `cxx`, else `fortran`; or None."""
    # Of two that provide the same it is the first: edges are sorted by name and hash.
    found = (edge for language in LANGUAGES for edge in edges if language in edge.virtuals)
    return next(found, None)


# --- The node ---


class _External(Struct, gc=False):
    path: str | None = None
    module: str | list[str] | None = None


class _Annotations(Struct, gc=False):
    compiler: str | None = None


class SpecNode(Struct, frozen=True, gc=False):
    """A node, the parts that many nodes have in common not yet read."""

    name: str = ""
    version: str | None = None
    versions: tuple[str, ...] = ()
    arch: Raw = Raw(b"null")
    parameters: Raw = Raw(b"{}")
    dependencies: Raw = Raw(b"null")
    compiler: Raw = Raw(b"null")
    namespace: str | None = None
    external: _External | bool | None = None
    annotations: _Annotations | None = None
    package_hash: str | None = None
    hash: str | None = None

    def only_version(self, key: str) -> str:
        """Return the version; raises FormatError where there is none, or one of too many parts."""
        version = self.version
        if version is None:
            if len(self.versions) != 1:
                raise FormatError(f"{key}.version: missing")
            version = self.versions[0]
        check_version(version, f"{key}.version")
        return version

    @property
    def external_words(self) -> tuple[str, ...]:
        """Where Spack found the spec: the path, then each module; nothing where it built it."""
        found = self.external
        if not isinstance(found, _External):
            return ()
        modules = [found.module] if isinstance(found.module, str) else found.module or []
        return (*filter(None, [found.path]), *(f"module {name}" for name in modules if name))


_NODE = msgspec.json.Decoder(SpecNode)
_BY_NAME = msgspec.json.Decoder(dict[str, Raw])


def decode_node(raw: FileContent, key: str) -> SpecNode:
    """Return a node; raises FormatError with the key path.

    Before 2022 a document has a node as the only one of a mapping: `{"zlib": {...}}`.
    """
    node = decode_json(raw, _NODE, key)
    if node.name:
        return node
    nodes = decode_json(raw, _BY_NAME, key)
    if len(nodes) != 1:
        raise FormatError(f"{key}.name: missing")
    [(name, inner)] = nodes.items()
    if not name:
        raise FormatError(f"{key}.name: empty")
    return structs.replace(decode_json(inner, _NODE, f"{key}.{name}"), name=name)


def read_record(raw: FileContent, key: str) -> dict[str, Raw]:
    """Return what is said of a node, key by key; raises FormatError with the key path."""
    said = decode_json(raw, _BY_NAME, key)
    if "name" in said or len(said) != 1:
        return said
    [(name, node)] = said.items()
    return decode_json(node, _BY_NAME, f"{key}.{name}")


# --- A spec with all that is below it: a file beside an old page, or `spack spec --json` ---


class _SpecNodes(Struct, gc=False):
    nodes: list[Raw]


class _SpecFile(Struct, gc=False):
    spec: _SpecNodes | list[Raw]


_SPEC_FILE = msgspec.json.Decoder(_SpecFile)


class SpecFileNode(NamedTuple):
    """A node of such a file, and the key path that leads to it."""

    key: str
    hash: str
    record: Raw


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
        spec_hash = decode_node(record, key).hash or ""
        if not are_hashes([spec_hash]):
            raise FormatError(f"{key}.hash: missing, or no hash")
        read.append(SpecFileNode(key, spec_hash, record))
    return read
