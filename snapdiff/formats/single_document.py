"""A document that was named itself, in any of the forms in which people keep one."""

import re

import msgspec
from msgspec import Raw

from snapdiff.formats.registry import usual_name
from snapdiff.formats.spec_node import read_spec_file
from snapdiff.gzip_stream import is_gzip, unfold_whole
from snapdiff.limits import Limits

_META = {"file-type": "spack-lockfile", "lockfile-version": 6}
"""What the lock says of itself; its nodes are read by their shape."""

_HEAD = 4096
"""Within how many bytes a document says what it is."""

_SIGNED = re.compile(
    rb"-----BEGIN PGP SIGNED MESSAGE-----\r?\n.*?\r?\n\r?\n(.*?)\r?\n-----BEGIN PGP SIGNATURE-----",
    re.DOTALL,
)
_SPEC = re.compile(rb'\{.{0,2000}?"spec"\s*:\s*[\[{]', re.DOTALL)
_BETWEEN = re.compile(r"\}\s*\{(?=\s*\"spec\"\s*:)")


def plain_document(content: bytes, limits: Limits) -> bytes:
    """Return a document as it is in a catalog: unfolded, without a signature, specs as a lock.

    Raises FormatError where it cannot be read.
    """
    if is_gzip(content):
        content = unfold_whole(content, limits.document)
    if signed := _SIGNED.match(content):
        content = signed[1]
    is_spec = usual_name(content) is None and _SPEC.match(content[:_HEAD].lstrip())
    return _as_lock(content) if is_spec else content


def _as_lock(content: bytes) -> bytes:
    """Return the lock of an environment whose roots are these specs.

    `spack spec --json` prints one after another where it is asked for several.
    """
    roots: list[dict[str, str]] = []
    records: dict[str, Raw] = {}
    for text in _BETWEEN.sub("}\0{", content.decode("utf-8", "surrogateescape")).split("\0"):
        nodes = read_spec_file(text.encode("utf-8", "surrogateescape"))
        roots.append({"hash": nodes[0].hash})
        for node in nodes:
            records.setdefault(node.hash, node.record)
    return msgspec.json.encode({"_meta": _META, "roots": roots, "concrete_specs": records})
