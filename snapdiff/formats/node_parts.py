"""The parts of a node that many nodes have in the same words: each is read once.

Of the 9,588 nodes of ten E4S locks, 822 differ in their parameters and a few dozen in architecture
and compiler. Of the 189,004 edges of the 25,008 nodes that differ between two indexes of 100,000
specs, 10,556 are not alike. A part is set aside as text when the node is decoded; what the text
means is remembered. That takes half off the time of reading a node.
"""

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Generic, NamedTuple, TypeVar

import msgspec
from msgspec import Raw, Struct

from snapdiff.formats.json_text import decode_json
from snapdiff.model import Edge
from snapdiff.spack.node import Scalar, write_compiler, write_parameters

Shape = TypeVar("Shape")
Value = TypeVar("Value")

_REMEMBERED = 8192
_LONGEST = 4096
"""How many texts are remembered of each part, and how long one may be: 32 MiB at most."""


class Architecture(NamedTuple):
    """Where a spec runs; empty where the node does not say."""

    platform: str
    os: str
    target: str


class _Target(Struct, gc=False):
    name: str


class _ArchitectureFields(Struct, gc=False):
    platform: str | None = None
    platform_os: str | None = None
    target: str | _Target | None = None


class _CompilerFields(Struct, gc=False):
    name: str
    version: str | None = None
    versions: tuple[str, ...] = ()


_Types = tuple[str, ...] | None


class _EdgeParameters(Struct, gc=False):
    deptypes: _Types = None
    virtuals: tuple[str, ...] = ()


class _EdgeFields(Struct, gc=False):
    """An edge as it is written; which hash it has, and where its types are, differs by version."""

    name: str = ""
    hash: str | None = None
    build_hash: str | None = None
    full_hash: str | None = None
    type: _Types = None
    parameters: _EdgeParameters | None = None


class PartReader(Generic[Shape, Value]):
    """Reads one part of nodes: `decoder` gives its shape, `convert` what it means."""

    def __init__(
        self, decoder: msgspec.json.Decoder[Shape], convert: Callable[[Shape], Value]
    ) -> None:
        """Begin with nothing remembered."""
        self._decoder = decoder
        self._convert = convert
        self._read_known = lru_cache(_REMEMBERED)(lambda text: convert(decoder.decode(text)))

    def read(self, raw: Raw, *path: str) -> Value:
        """Return what a part means; raises FormatError with the key path that leads to it."""
        text = bytes(raw)
        if len(text) <= _LONGEST:
            try:
                return self._read_known(text)
            except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
                pass  # read again, the error gets its key path
        return self._convert(decode_json(raw, self._decoder, ".".join(path)))

    def read_all(self, parts: Sequence[Raw], *path: str) -> list[Value]:
        """Return what each part of a list means; raises FormatError as `read` does."""
        texts = list(map(bytes, parts))
        if max(map(len, texts), default=0) <= _LONGEST:
            try:
                return list(map(self._read_known, texts))
            except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
                pass  # read again, one by one
        key = ".".join(path)
        return [self.read(raw, f"{key}[{position}]") for position, raw in enumerate(parts)]


def _architecture(fields: _ArchitectureFields | None) -> Architecture:
    if fields is None:
        return Architecture("", "", "")
    target = fields.target.name if isinstance(fields.target, _Target) else fields.target
    return Architecture(fields.platform or "", fields.platform_os or "", target or "")


def _compiler(fields: _CompilerFields | None) -> str | None:
    if fields is None:
        return None
    return write_compiler(fields.name, fields.version or ",".join(fields.versions))


def _edge(fields: _EdgeFields) -> Edge:
    parameters = fields.parameters
    return Edge(
        fields.name,
        fields.hash or fields.build_hash or fields.full_hash or "",
        _in_order((parameters.deptypes if parameters else fields.type) or ()),
        _in_order(parameters.virtuals if parameters else ()),
    )


_EDGE_OF_HASH_ALONE = ("build", "link")


def _named_edge(found: _EdgeFields | str | tuple[str, _Types]) -> Edge:
    if isinstance(found, _EdgeFields):
        return _edge(found)
    spec_hash, types = (found, _EDGE_OF_HASH_ALONE) if isinstance(found, str) else found
    return Edge("", spec_hash, _in_order(types or ()), ())


@lru_cache(1024)
def _in_order(words: tuple[str, ...]) -> tuple[str, ...]:
    """Return the types or virtuals of an edge in order: one object for many edges."""
    return tuple(sorted(words))


ARCHITECTURE = PartReader(msgspec.json.Decoder(_ArchitectureFields | None), _architecture)
COMPILER = PartReader(msgspec.json.Decoder(_CompilerFields | None), _compiler)
PARAMETERS = PartReader(msgspec.json.Decoder(dict[str, Scalar | list[Scalar]]), write_parameters)
EDGE = PartReader(msgspec.json.Decoder(_EdgeFields), _edge)
NAMED_EDGE = PartReader(msgspec.json.Decoder(_EdgeFields | str | tuple[str, _Types]), _named_edge)
"""An edge of a mapping by name, as before 2022: an edge, its hash, or its hash and types."""
