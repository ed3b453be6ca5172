"""An environment's lock file, `spack.lock`, versions 1 to 7 (docs/specification.md, section 10)."""

import operator
import re
from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet
from functools import cached_property
from typing import NamedTuple

from msgspec import Raw, Struct, field, json

from snapdiff.errors import FormatError
from snapdiff.formats.document import Claim, odd_version
from snapdiff.formats.json_text import FileContent, Key, decode_json, records_by_hash, values_by_key
from snapdiff.formats.listing import Listing
from snapdiff.formats.spec_node import decode_node, read_edges, read_spec_file
from snapdiff.limits import DEPTH
from snapdiff.model.specs import SpecName

NEWEST_LOCK_VERSION = 7
"""The newest version of lock files that was seen; what is newer is read by its shape."""

_FILE_TYPE = "spack-lockfile"

_LONGEST_NAME = 64
"""So many characters of an environment's name are in a key path: there may be 20,000 in it."""


class _Meta(Struct, gc=False):
    file_type: str | None = field(name="file-type", default=None)
    version: int | None = field(name="lockfile-version", default=None)


class _Root(Struct, gc=False):
    """A spec that the environment asks for; since version 7 it has a group, too."""

    hash: str


_NODES = json.Decoder(dict[Key, Raw] | None, dec_hook=operator.call)
_ROOTS = json.Decoder(list[_Root])
_META = json.Decoder(_Meta)


class _Environment(NamedTuple):
    """An environment of a lock file: the key path that leads to it, and what it says."""

    key: str
    version: int | None
    roots: list[_Root]
    records: dict[str, Raw]


class LockListing(Listing):
    """The specs of a lock file and of the environments that it includes."""

    def __init__(self, claim: Claim, content: bytes) -> None:
        """Read all but the nodes; raises FormatError."""
        environments = list(_read_environments(content))
        records: dict[str, Raw] = {}
        self._keys: dict[str, str] = {}
        for one in environments:
            for spec_hash, record in one.records.items():
                # An environment and one that it includes have nodes in common.
                if records.setdefault(spec_hash, record) is record and one.key:
                    self._keys[spec_hash] = one.key
        version = environments[0].version
        warning = odd_version("_meta.lockfile-version", version, version, NEWEST_LOCK_VERSION)
        super().__init__("lock", claim, records, warning)
        roots = set()
        for one in environments:
            for position, root in enumerate(one.roots):
                if root.hash not in records:
                    place = f"{one.key}roots[{position}].hash"
                    raise FormatError(f"{place}: {root.hash[:64]!r} is not in concrete_specs")
                roots.add(root.hash)
        self.root_hashes = frozenset(roots)

    @cached_property
    def roots(self) -> Mapping[str, SpecName] | None:
        """The packages of the roots; None where there are specs and none of them is a root."""
        entries = {root: self.entry(root) for root in self.root_hashes}
        found = {root: SpecName(it.name, it.version_text) for root, it in entries.items()}
        return found if found or not self.records else None

    @cached_property
    def counted(self) -> AbstractSet[str]:
        """What dependencies lead to from the roots; everything where there is no root.

        The others are no part of the environment: of a spliced spec, `build_spec` says which spec
        its binary was made of, and that one has dependencies of its own in the lock. Raises
        FormatError.
        """
        if not self.root_hashes:
            return self.records.keys()
        reached: set[str] = set()
        found: AbstractSet[str] = self.root_hashes
        while found:
            reached |= found
            for spec_hash in found - self.edges.keys():
                key = self._key(spec_hash)
                node = decode_node(self.records[spec_hash], key)
                self._decoded[spec_hash] = node
                self.edges[spec_hash] = read_edges(node.dependencies, key)
            below = {edge.hash for spec_hash in found for edge in self.edges[spec_hash]}
            found = (below - reached) & self.records.keys()
        return reached

    def _key(self, spec_hash: str) -> str:
        return f"{self._keys.get(spec_hash, '')}concrete_specs.{spec_hash}"


def _read_environments(content: FileContent) -> Iterator[_Environment]:
    """Yield a lock file's own environment, then those that it includes; raises FormatError."""
    waiting: list[tuple[FileContent, str, int]] = [(content, "", 0)]
    while waiting:
        text, key, depth = waiting.pop(0)
        said = values_by_key(text, key.removesuffix("."))
        nodes = decode_json(said.get("concrete_specs", b"null"), _NODES, f"{key}concrete_specs")
        roots = decode_json(said.get("roots", b"[]"), _ROOTS, f"{key}roots")
        meta = decode_json(said.get("_meta", b"{}"), _META, f"{key}_meta")
        included = values_by_key(said.get("include_concrete", b"{}"), f"{key}include_concrete")
        if meta.file_type not in (None, _FILE_TYPE):
            wrong = f"{meta.file_type!r}; a lock has {_FILE_TYPE!r}"
            raise FormatError(f"{key}_meta.file-type: {wrong}")
        # An environment that is included may have nothing but others that it includes.
        if nodes is None and not (key and included):
            raise FormatError(f"{key}concrete_specs: missing; this is no lock of an environment")
        records = records_by_hash(nodes or {}, f"{key}concrete_specs")
        yield _Environment(key, meta.version, roots, records)
        if depth == DEPTH:
            raise FormatError(f"{key}include_concrete: over {DEPTH} environments in each other")
        for name, environment in included.items():
            place = f"{key}include_concrete.{name[:_LONGEST_NAME]}."
            waiting.append((environment, place, depth + 1))


# --- Specs that are no environment yet ---

_BETWEEN = re.compile(rb"\}\s*\{(?=\s*\"spec\"\s*:)")

_OWN_META = {"file-type": _FILE_TYPE, "lockfile-version": 6}
"""What the lock says of itself; its nodes are read by their shape."""


def lock_of_specs(content: bytes) -> bytes:
    """Return the lock of an environment whose roots are these specs; raises FormatError.

    `spack spec --json` prints one after another where it is asked for several.
    """
    roots: list[dict[str, str]] = []
    records: dict[str, Raw] = {}
    for text in _BETWEEN.sub(b"}\0{", content).split(b"\0"):
        nodes = read_spec_file(text)
        roots.append({"hash": nodes[0].hash})
        for node in nodes:
            records.setdefault(node.hash, node.record)
    return json.encode({"_meta": _OWN_META, "roots": roots, "concrete_specs": records})
