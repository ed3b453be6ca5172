"""A document that was named itself, in any of the forms in which people keep one."""

import re

import msgspec
from msgspec import Raw

from snapdiff.buildcache_layout import LAYOUT_2
from snapdiff.formats.kinds import DATABASE, LOCK_NAME, PAGE_NAME
from snapdiff.gzip_stream import is_gzip, unfold_whole
from snapdiff.limits import Limits

_META = {"file-type": "spack-lockfile", "lockfile-version": 6}
"""What the lock says of itself; its nodes are read by their shape."""

_HEAD = 4096
"""Within how many bytes a document says what it is; Spack does so at once."""

_SIGNED = re.compile(
    rb"-----BEGIN PGP SIGNED MESSAGE-----\r?\n.*?\r?\n\r?\n(.*?)\r?\n-----BEGIN PGP SIGNATURE-----",
    re.DOTALL,
)
_SPEC = re.compile(rb'\{.{0,2000}?"spec"\s*:\s*[\[{]', re.DOTALL)
_BETWEEN = re.compile(r"\}\s*\{(?=\s*\"spec\"\s*:)")


def usual_name(content: bytes) -> str | None:
    """Return the name that a document like this has in a catalog: `spack.lock` for `old.lock`.

    None where it is no such document. Only what is likely is said here: the kind's reader finds out
    whether the document is one.
    """
    if b'"concrete_specs"' in content:
        return LOCK_NAME
    if b'"database"' in content[:_HEAD]:
        # The records of both kinds are of one shape; each says where its specs are.
        return DATABASE if b'"installed"' in content else LAYOUT_2
    return PAGE_NAME if content.startswith(b"---") else None


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
    from snapdiff.formats.spec_node import read_spec_file  # late: few are named as such

    roots: list[dict[str, str]] = []
    records: dict[str, Raw] = {}
    for text in _BETWEEN.sub("}\0{", content.decode("utf-8", "surrogateescape")).split("\0"):
        nodes = read_spec_file(text.encode("utf-8", "surrogateescape"))
        roots.append({"hash": nodes[0].hash})
        for node in nodes:
            records.setdefault(node.hash, node.record)
    return msgspec.json.encode({"_meta": _META, "roots": roots, "concrete_specs": records})
