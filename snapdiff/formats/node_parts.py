"""The parts of a node that many nodes have in the same words: each is read once.

Of the 9,588 nodes of ten E4S locks, 822 differ in their parameters and a few dozen in architecture
and compiler. A part is set aside as text when the node is decoded; what the text means is
remembered. That takes a third off the time of reading a node.
"""

from collections.abc import Callable
from functools import lru_cache
from typing import Generic, NamedTuple, TypeVar

import msgspec
from msgspec import Raw, Struct

from snapdiff.formats.json_text import decode_json
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


def _architecture(fields: _ArchitectureFields | None) -> Architecture:
    if fields is None:
        return Architecture("", "", "")
    target = fields.target.name if isinstance(fields.target, _Target) else fields.target
    return Architecture(fields.platform or "", fields.platform_os or "", target or "")


def _compiler(fields: _CompilerFields | None) -> str | None:
    if fields is None:
        return None
    return write_compiler(fields.name, fields.version or ",".join(fields.versions))


ARCHITECTURE = PartReader(msgspec.json.Decoder(_ArchitectureFields | None), _architecture)
COMPILER = PartReader(msgspec.json.Decoder(_CompilerFields | None), _compiler)
PARAMETERS = PartReader(msgspec.json.Decoder(dict[str, Scalar | list[Scalar]]), write_parameters)
EDGE_TYPES = PartReader(
    msgspec.json.Decoder(list[str] | None), lambda found: tuple(sorted(found or []))
)
