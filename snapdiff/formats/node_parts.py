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
from snapdiff.model import Build, Edge
from snapdiff.spack.node import Scalar, write_compiler, write_parameters

Shape = TypeVar("Shape")
Value = TypeVar("Value")

_ERRORS = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)
"""What is raised where a text is not what it should be."""

_REMEMBERED = 16_384
_LONGEST = 2048
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


class _KnownTexts(dict[bytes, Value]):
    """What texts mean; what a text means that is not known is worked out, and remembered."""

    def __init__(self, find: Callable[[bytes], Value]) -> None:
        """Begin with nothing remembered."""
        super().__init__()
        self._find = find

    def __missing__(self, text: bytes) -> Value:
        """Return what a text means; raises what `find` raises."""
        found = self._find(text)
        if len(text) <= _LONGEST:
            if len(self) >= _REMEMBERED:
                self.clear()
            self[text] = found
        return found


class PartReader(Generic[Shape, Value]):
    """Reads one part of nodes: `decoder` gives its shape, `convert` what it means."""

    def __init__(
        self, decoder: msgspec.json.Decoder[Shape], convert: Callable[[Shape], Value]
    ) -> None:
        """Begin with nothing remembered."""
        self._decoder = decoder
        self._convert = convert
        self._known = _KnownTexts(lambda text: convert(decoder.decode(text)))

    def read(self, raw: Raw, *path: str) -> Value:
        """Return what a part means; raises FormatError with the key path that leads to it."""
        try:
            return self._known[bytes(raw)]
        except _ERRORS:  # read again, the error gets its key path
            return self._convert(decode_json(raw, self._decoder, ".".join(path)))

    def read_all(self, parts: Sequence[Raw], *path: str) -> list[Value]:
        """Return what each part of a list means; raises FormatError as `read` does."""
        try:
            return list(map(self._known.__getitem__, map(bytes, parts)))
        except _ERRORS:  # read again one by one
            place = ".".join(path)
            return [self.read(raw, f"{place}[{number}]") for number, raw in enumerate(parts)]


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


Builds = Callable[..., Build]
"""Returns the build of some values: to like specs of all documents of a reader the same object."""

ARCHITECTURE = PartReader(msgspec.json.Decoder(_ArchitectureFields | None), _architecture)
COMPILER = PartReader(msgspec.json.Decoder(_CompilerFields | None), _compiler)
PARAMETERS = PartReader(msgspec.json.Decoder(dict[str, Scalar | list[Scalar]]), write_parameters)
EDGE = PartReader(msgspec.json.Decoder(_EdgeFields), _edge)
NAMED_EDGE = PartReader(msgspec.json.Decoder(_EdgeFields | str | tuple[str, _Types]), _named_edge)
"""An edge of a mapping by name, as before 2022: an edge, its hash, or its hash and types."""
