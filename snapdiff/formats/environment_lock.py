"""An environment's lock file, `spack.lock`, versions 1 to 7 (docs/specification.md, section 10)."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from functools import cached_property
from typing import NamedTuple

from msgspec import Raw, Struct, field

from snapdiff.errors import FormatError
from snapdiff.formats.document import Claim, Counted, File
from snapdiff.formats.json_text import (
    FileContent,
    Key,
    decode_json,
    decoder_by_key,
    records_by_hash,
    values_by_key,
)
from snapdiff.formats.listing import Listing
from snapdiff.formats.node_parts import Builds
from snapdiff.formats.spec_node import (
    NODE,
    NODE_EDGES,
    NODE_NAMES,
    NodeNames,
    decode_node,
    read_edges,
)
from snapdiff.limits import DEPTH
from snapdiff.model import Edge, Node, Root, counting_stacks

NEWEST_VERSION = 7
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


class _Lock(Struct, gc=False):
    """A lock file, or an environment that one includes."""

    concrete_specs: dict[Key, Raw] | None = None
    roots: list[_Root] = field(default_factory=list)
    include_concrete: Raw = Raw(b"{}")
    meta: _Meta = field(name="_meta", default_factory=_Meta)


_LOCK = decoder_by_key(_Lock)


class _Environment(NamedTuple):
    """An environment of a lock file: the key path that leads to it, and what it lists."""

    key: str
    lock: _Lock
    nodes: dict[str, Raw]


def open_lock(file: File, claim: Claim, builds: Builds) -> Listing:
    """Return the specs of a lock file; raises FormatError."""
    return _LockListing(claim, list(_read_environments(file.content)), builds)


class _LockListing(Listing):
    """The specs of a lock file and of the environments that it includes."""

    def __init__(self, claim: Claim, environments: list[_Environment], builds: Builds) -> None:
        """Take all environments of a file, its own first."""
        records: dict[str, Raw] = {}
        self._keys: dict[str, str] = {}
        for environment in environments:
            for spec_hash, record in environment.nodes.items():
                # An environment and one that it includes have nodes in common.
                if records.setdefault(spec_hash, record) is record and environment.key:
                    self._keys[spec_hash] = environment.key
        super().__init__("lock", (claim,), records, builds, _warning(environments[0].lock.meta))
        self._tags = (claim.tag,)
        self._stacks = counting_stacks((claim.name,))
        self.edges: dict[str, tuple[Edge, ...]] = {}
        """Where dependencies lead to from the roots: each record's are read once."""
        self.root_hashes = frozenset(_roots(environments, records))

    def _read_entry(self, spec_hash: str) -> Counted:
        key = self._key(spec_hash)
        return self._entry(spec_hash, decode_node(self.records[spec_hash], NODE_NAMES, key), key)

    def _read(self, spec_hash: str) -> tuple[Counted, Node]:
        key = self._key(spec_hash)
        node = decode_node(self.records[spec_hash], NODE, key)
        entry = self._entry(spec_hash, node, key)
        explicit, edges = spec_hash in self.root_hashes, self.edges.get(spec_hash)
        return entry, self._make_node(node, entry, key, edges, explicit=explicit)

    def _entry(self, spec_hash: str, names: NodeNames, key: str) -> Counted:
        tags = self._tags if spec_hash in self.counted else ()
        return Counted(names.name, names.only_version(key), tags, self._stacks)

    @property
    def roots(self) -> Mapping[str, Root] | None:
        """The packages of the roots; None where there are specs and none of them is a root."""
        found = {root: Root(*self.entry(root)[:2]) for root in self.root_hashes}
        return found if found or not self.records else None

    def _same_words(self, old: Listing) -> Iterable[str]:
        """Return the hashes of which both have the same words, counted in both or in none."""
        assert isinstance(old, _LockListing)
        same_words, theirs = super()._same_words(old), old.counted
        # In a history of 135 locks the edges of each node would be read 135 times.
        edges = old.edges
        self.edges.update((found, edges[found]) for found in same_words if found in edges)
        changed = self.counted ^ theirs
        return [found for found in same_words if found not in changed]

    def _same_nodes(self, old: Listing, same_words: Iterable[str]) -> Iterable[str]:
        """Return as any listing, less what is a root of one version alone: its node says so."""
        assert isinstance(old, _LockListing)
        changed = self.root_hashes ^ old.root_hashes
        return [found for found in super()._same_nodes(old, same_words) if found not in changed]

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
            below = {edge.hash for spec_hash in found for edge in self._edges_of(spec_hash)}
            found = (below & self.records.keys()) - reached
        return reached

    def _edges_of(self, spec_hash: str) -> tuple[Edge, ...]:
        if spec_hash not in self.edges:
            key = self._key(spec_hash)
            node = decode_node(self.records[spec_hash], NODE_EDGES, key)
            self.edges[spec_hash] = read_edges(node.dependencies, key)
        return self.edges[spec_hash]

    def _key(self, spec_hash: str) -> str:
        return f"{self._keys.get(spec_hash, '')}concrete_specs.{spec_hash}"


def _read_environments(content: FileContent) -> Iterator[_Environment]:
    """Yield a lock file's own environment, then those that it includes, each with its key path."""
    waiting: list[tuple[FileContent, str, int]] = [(content, "", 0)]
    while waiting:
        text, key, depth = waiting.pop(0)
        lock = decode_json(text, _LOCK, key.removesuffix("."))
        values_by_key(text, key.removesuffix("."))
        included = values_by_key(lock.include_concrete, f"{key}include_concrete")
        _check_is_lock(lock, key, is_known=bool(key and included))
        nodes = records_by_hash(lock.concrete_specs or {}, f"{key}concrete_specs")
        yield _Environment(key, lock, nodes)
        if depth == DEPTH:
            raise FormatError(f"{key}include_concrete: over {DEPTH} environments in each other")
        for name, environment in included.items():
            place = f"{key}include_concrete.{name[:_LONGEST_NAME]}."
            waiting.append((environment, place, depth + 1))


def _roots(environments: Iterable[_Environment], listed: Collection[str]) -> Iterator[str]:
    """Yield the hashes of all roots; raises FormatError where the lock does not list one."""
    for environment in environments:
        for position, root in enumerate(environment.lock.roots):
            if root.hash not in listed:
                place = f"{environment.key}roots[{position}].hash"
                raise FormatError(f"{place}: {root.hash[:64]!r} is not in concrete_specs")
            yield root.hash


def _check_is_lock(lock: _Lock, key: str, *, is_known: bool) -> None:
    kind = lock.meta.file_type
    if kind not in (None, _FILE_TYPE):
        raise FormatError(f"{key}_meta.file-type: {kind!r}; a lock has {_FILE_TYPE!r}")
    # An environment that is included may have nothing but others that it includes.
    if lock.concrete_specs is None and not is_known:
        raise FormatError(f"{key}concrete_specs: missing; this is no lock of an environment")


def _warning(meta: _Meta) -> str | None:
    if meta.version is not None and 1 <= meta.version <= NEWEST_VERSION:
        return None
    found = "missing" if meta.version is None else str(meta.version)
    return (
        f"_meta.lockfile-version is {found}, and 1 to {NEWEST_VERSION} are known; "
        "the lock is read by its shape"
    )
