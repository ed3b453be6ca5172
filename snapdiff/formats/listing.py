"""What one document lists: its records by hash, each read when something asks for it."""

from abc import abstractmethod
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import NamedTuple

from msgspec import Raw

from snapdiff.formats.base import Claim, Document, PairedPackages
from snapdiff.formats.node_parts import ARCHITECTURE, COMPILER, PARAMETERS, SharedBuilds
from snapdiff.formats.record_pairs import pair_listings
from snapdiff.formats.spec_node import SpecNode, read_edges, read_record
from snapdiff.model import (
    EMPTY_PART,
    Build,
    Edge,
    Graph,
    Node,
    Package,
    PackageCounts,
    StackGraphs,
)
from snapdiff.spack.node import NO_COMPILER, Provider, find_compiler, write_compiler


class Place(NamedTuple):
    """The tag and the stack of a document that lists a whole stack."""

    tag: str
    stack: str

    @property
    def claim(self) -> Claim:
        """What a document of this place lists alone."""
        return Claim(self.tag, "stack", self.stack)


def place_of(folder: str) -> Place:
    """Return what a folder's path says: the stack is the folder, the tag the path above it.

    >>> place_of("environments/23.08/cuda")
    Place(tag='environments/23.08', stack='cuda')
    >>> place_of("")
    Place(tag='.', stack='.')
    """
    above, _, last = folder.rpartition("/")
    return Place(above or EMPTY_PART, last or EMPTY_PART)


class Counted(NamedTuple):
    """What is counted of a spec: in each of `tags`, in each of `stacks`. No tags: not at all."""

    name: str
    version: str
    tags: tuple[str, ...]
    stacks: frozenset[str]


class ListedSpec(NamedTuple):
    """A record as a spec: what is counted of it, and its node."""

    entry: Counted
    node: Node


_REMEMBERED = 20_000
"""Up to how many nodes of a document that is read whole are kept for whoever asks for them next.

An environment has a few thousand; of an index of 378,000, the hashes of what each spec depends on
would be as large as the index.
"""


class Listing(Document):
    """A document split into records by hash, and the graph of its nodes.

    An edge may lead to a record that is not counted: a compiler that is not in the build cache.
    """

    lists_a_stack = True
    """Whether it lists one whole stack: then the tag counts each of its hashes once."""

    def __init__(
        self,
        claims: tuple[Claim, ...],
        records: Mapping[str, Raw],
        builds: SharedBuilds,
        warning: str | None = None,
    ) -> None:
        """Take what is known before any record is read."""
        self.claims = claims
        self.records = records
        self._builds = builds
        self._warning = warning
        self._compilers: dict[tuple[Edge, ...], str | None] = {}
        self._nodes: dict[str, Node] = {}
        self.known_entries: dict[str, Counted] = {}
        """What is known to be counted of records, each read at most once."""
        self._edges_to_nowhere = 0
        self._first_to_nowhere = ""

    def entry(self, spec_hash: str) -> Counted:
        """Return what is counted of a record, read as cheaply as possible; raises FormatError."""
        found = self.known_entries.get(spec_hash)
        if found is None:
            found = self.known_entries[spec_hash] = self._read_entry(spec_hash)
        return found

    @abstractmethod
    def _read_entry(self, spec_hash: str) -> Counted:
        """Return what is counted of a record; raises FormatError."""

    @abstractmethod
    def _read(self, spec_hash: str) -> ListedSpec:
        """Return a record as a spec; raises FormatError."""

    def spec(self, spec_hash: str) -> ListedSpec:
        """Return a record as a spec; raises FormatError."""
        return self._read(spec_hash)

    def keep(self, spec_hash: str, entry: Counted, node: Node | None = None) -> None:
        """Keep what is known of a record: to read it again would take as long as the first time."""
        self.known_entries[spec_hash] = entry
        if node is not None:
            self._nodes[spec_hash] = node

    @cached_property
    def packages(self) -> list[Package]:
        """The packages with all their specs, by tag and name; raises FormatError."""
        found: dict[tuple[str, str], dict[str, Build]] = {}
        for spec_hash in self.records:
            entry, node = self.spec(spec_hash)
            self.keep(spec_hash, entry, node if len(self.records) <= _REMEMBERED else None)
            for tag in entry.tags:
                found.setdefault((tag, entry.name), {})[spec_hash] = node.build
        return [
            Package(tag, name, specs, self.stack, self.graph)
            for (tag, name), specs in sorted(found.items())
        ]

    @property
    def counts(self) -> list[PackageCounts]:
        """The packages with the numbers of their specs; raises FormatError."""
        found: dict[tuple[str, str], Counter[frozenset[str]]] = {}
        for spec_hash in self.records:
            entry = self.entry(spec_hash)
            for tag in entry.tags:
                found.setdefault((tag, entry.name), Counter())[entry.stacks] += 1
        return [
            PackageCounts(tag, name, dict(by_stacks))
            for (tag, name), by_stacks in sorted(found.items())
        ]

    def _all_entries(self) -> Mapping[str, Counted]:
        if len(self.known_entries) < len(self.records):
            for spec_hash in self.records:
                self.entry(spec_hash)
        return self.known_entries

    @property
    def listed_hashes(self) -> Mapping[str, str] | None:
        """The package of each hash that is counted, where the document lists a whole stack."""
        if not self.lists_a_stack:
            return None
        return {found: entry.name for found, entry in self._all_entries().items() if entry.tags}

    @property
    def graphs(self) -> StackGraphs:
        """The dependencies, by the stack that the document lists."""
        return {self.stack: self.graph} if self.graph is not None else {}

    def pair_records(self, old: Document) -> PairedPackages | None:
        """Return the packages of an older version and of this one; raises FormatError.

        Only the records that one side alone has are read. Of the others the name and the version
        are, once for both. Of two indexes of 100,000 specs that share three in four, that takes
        half of the time of reading both.
        """
        if type(self) is not type(old) or not isinstance(old, Listing):
            return None
        return pair_listings(old, self)

    @property
    def stack(self) -> str | None:
        """The stack that the document lists as a whole, if it is such a document."""
        return self.claims[0].name if self.lists_a_stack else None

    @property
    def graph(self) -> Graph | None:
        """The nodes by hash; None where the document does not say which depends on which."""
        return self

    @property
    def size(self) -> int:
        """How many records there are, each of them a node."""
        return len(self.records)

    @property
    def asked_for(self) -> frozenset[str] | None:
        """The packages that somebody asked for; None where the document does not say which."""
        return None

    @cached_property
    def package_names(self) -> frozenset[str]:
        """The packages of the specs that are counted."""
        return frozenset(entry.name for entry in self._all_entries().values() if entry.tags)

    @property
    def hashes(self) -> Iterable[str]:
        """The hashes of all records."""
        return self.records

    def records_in_common(self, other: "Listing") -> list[str]:
        """Return the hashes that another document has with a record in the same words."""
        theirs = other.records
        return [found for found, record in self.records.items() if theirs.get(found) == record]

    def node(self, spec_hash: str) -> Node | None:
        """Return a node, or None where an edge leads to no node of the document.

        Raises FormatError where the record, which nothing asked for before, cannot be read.
        """
        found = self._nodes.get(spec_hash)
        if found is None and spec_hash in self.records:
            found = self._nodes[spec_hash] = self._read(spec_hash).node
        return found

    def record(self, spec_hash: str) -> Mapping[str, Raw]:
        """Return all that is said of a node: each key with its value; raises FormatError."""
        return read_record(self.records[spec_hash], spec_hash)

    @property
    def warning(self) -> str | None:
        """Where the document, as far as it was read, is not what it should be, or None."""
        found = [self._warning] if self._warning else []
        if self._edges_to_nowhere:
            number = self._edges_to_nowhere
            found.append(
                f"{number:,} dependencies are not in the document, "
                f"the first of them {self._first_to_nowhere}"
                if number > 1
                else f"a dependency is not in the document: {self._first_to_nowhere}"
            )
        return "; ".join(found) or None

    def _provided_compiler(self, edges: Iterable[Edge]) -> str | None:
        """Return the dependency that is the compiler as a spec names it, or None."""
        providers = tuple([edge for edge in edges if edge.virtuals])
        if providers not in self._compilers:
            self._compilers[providers] = self._write_compiler(providers)
        return self._compilers[providers]

    def _write_compiler(self, edges: Iterable[Edge]) -> str | None:
        found = find_compiler(Provider(edge.name, edge.hash, edge.virtuals) for edge in edges)
        if found is None:
            return None
        version = self.entry(found.hash).version if found.hash in self.records else ""
        return write_compiler(found.name, version)


class NodeListing(Listing):
    """A document whose records are nodes, or have one in them."""

    @abstractmethod
    def _read_record(self, spec_hash: str) -> tuple[SpecNode, Counted, bool, str]:
        """Return a record's node, what is counted of it, if it is explicit, and its key path."""

    def spec(self, spec_hash: str) -> ListedSpec:
        """Return a record as a spec, and look where its edges lead; raises FormatError."""
        found = self._read(spec_hash)
        self._check_edges(found.node)
        return found

    def _read(self, spec_hash: str) -> ListedSpec:
        node, entry, explicit, key = self._read_record(spec_hash)
        edges = read_edges(node.dependencies, key)
        found = Node(
            name=node.name,
            build=self._build(node, entry, edges, key, explicit=explicit),
            namespace=node.namespace or "",
            recipe=node.package_hash,
            edges=edges,
            external=node.external_words,
        )
        return ListedSpec(entry, found)

    def _check_edges(self, node: Node) -> None:
        """Count the edges that lead to no node: Spack warns of them, and takes the rest."""
        for edge in node.edges:
            if edge.hash not in self.records:
                if not self._edges_to_nowhere:
                    self._first_to_nowhere = f"{edge.name}/{edge.hash[:7]} of {node.name}"
                self._edges_to_nowhere += 1

    def _build(
        self,
        node: SpecNode,
        entry: Counted,
        edges: tuple[Edge, ...],
        key: str,
        *,
        explicit: bool,
    ) -> Build:
        platform, os, target = ARCHITECTURE.read(node.arch, key, "arch")
        compiler = (
            COMPILER.read(node.compiler, key, "compiler")
            or self._provided_compiler(edges)
            or node.annotated_compiler
        )
        return self._builds.build(
            entry.version,
            compiler or NO_COMPILER,
            os,
            platform,
            target,
            PARAMETERS.read(node.parameters, key, "parameters"),
            entry.stacks,
            explicit=explicit,
            external=node.is_external,
        )
