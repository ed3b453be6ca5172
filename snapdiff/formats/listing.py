"""What one document with dependencies lists: its records by hash, each read when asked for."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import cached_property, lru_cache

from msgspec import Raw

from snapdiff.formats.document import Claim, Document
from snapdiff.formats.spec_node import (
    ARCHITECTURE,
    COMPILER,
    PARAMETERS,
    SpecNode,
    decode_node,
    find_compiler,
    read_edges,
    read_record,
)
from snapdiff.model.packages import Counted, DocumentKind, Package, PackageCounts, StackCounts
from snapdiff.model.specs import Build, Edge, Node, SpecName, StackGraphs, counting_stacks
from snapdiff.spack import NO_COMPILER, write_compiler

_REMEMBERED = 20_000
"""Up to how many nodes of a document that is read whole are kept for whoever asks for them next.

An environment has a few thousand; of an index of 378,000, the hashes of what each spec depends on
would be as large as the index.
"""


build_of = lru_cache(65_536)(Build)
"""Returns the build of some values: of like specs, in versions of a document too, one object."""

_Specs = Mapping[tuple[str, str], Mapping[str, Build]]
"""The specs of each tag and package by hash."""


class Listing(Document):
    """A document split into records by hash, and the graph of its nodes.

    An edge may lead to a record that is not counted: a compiler that is not in the build cache.
    """

    is_whole = True
    """Whether what its specs depend on should be in it, too."""

    is_graph = True
    """Whether it says which of its specs depends on which, as far as it was read."""

    def __init__(
        self,
        kind: DocumentKind,
        claim: Claim | None,
        records: Mapping[str, Raw],
        warning: str | None = None,
    ) -> None:
        """Take what is known before any record is read."""
        super().__init__(kind, (claim,) if claim else (), warning=warning)
        self.records = records
        self.hashes: Collection[str] = records
        """The hashes of all records, each of them a node."""
        self._stack = claim.name if claim and claim.what == "stack" else None
        self._tags = (claim.tag,) if claim else ()
        self._stacks = counting_stacks((self._stack,) if self._stack else ())
        self._compilers: dict[tuple[Edge, ...], str | None] = {}
        self.entries: dict[str, Counted] = {}
        """What is known to be counted of records, each read at most once."""
        self.nodes: dict[str, Node] = {}
        """Those that are kept for whoever asks for them next."""
        self.edges: dict[str, tuple[Edge, ...]] = {}
        """Edges that were read before their nodes."""
        self.root_hashes: AbstractSet[str] = frozenset()
        """What was asked for itself, where the records do not say it."""
        self._decoded: dict[str, SpecNode] = {}
        """What was decoded for its edges."""
        self._edges_to_nowhere = 0
        self._first_to_nowhere = ""

    # --- What the kinds have in ways of their own ---

    def _key(self, spec_hash: str) -> str:
        """Return the key path of a node."""
        return spec_hash

    @cached_property
    def counted(self) -> AbstractSet[str]:
        """Which records are counted, where they do not say it themselves; raises FormatError."""
        raise NotImplementedError

    def _text(self, spec_hash: str) -> Raw:
        """Return what is said of a node."""
        return self.records[spec_hash]

    def _decode(self, spec_hash: str) -> tuple[SpecNode, bool, bool]:
        """Return a node, if it is counted, and if it was asked for; raises FormatError."""
        is_counted = spec_hash in self.counted  # to know that, it may have been decoded
        node = self._decoded.get(spec_hash)
        node = node or decode_node(self.records[spec_hash], self._key(spec_hash))
        return node, is_counted, spec_hash in self.root_hashes

    def _count(self, node: SpecNode, is_counted: bool, key: str) -> Counted:
        """Return what is counted of a node; raises FormatError."""
        tags = self._tags if is_counted else ()
        return Counted(node.name, node.only_version(key), tags, self._stacks)

    def _moved(self, old: "Listing") -> AbstractSet[str]:
        """Return whose words mean something else in an older version; raises FormatError."""
        return (self.counted ^ old.counted) | (self.root_hashes ^ old.root_hashes)

    # --- One record ---

    def entry(self, spec_hash: str) -> Counted:
        """Return what is counted of a record; raises FormatError."""
        found = self.entries.get(spec_hash)
        if found is None:
            found = self.entries[spec_hash] = self._read_entry(spec_hash)
        return found

    def _read_entry(self, spec_hash: str) -> Counted:
        """Return what is counted of a record, read as cheaply as possible; raises FormatError."""
        node, is_counted, _ = self._decode(spec_hash)
        return self._count(node, is_counted, self._key(spec_hash))

    def _read(self, spec_hash: str) -> tuple[Counted, Node]:
        """Return a record as a spec: what is counted of it, and its node; raises FormatError."""
        key = self._key(spec_hash)
        node, is_counted, explicit = self._decode(spec_hash)
        entry = self._count(node, is_counted, key)
        edges = self.edges.get(spec_hash)
        if edges is None:
            edges = read_edges(node.dependencies, key)
        platform, os, target = ARCHITECTURE.read(node.arch, key, "arch")
        compiler = (
            COMPILER.read(node.compiler, key, "compiler")
            or self._provided_compiler(edges)
            or (node.annotations and node.annotations.compiler)
            or NO_COMPILER
        )
        variants = PARAMETERS.read(node.parameters, key, "parameters")
        external = node.external_words
        words = entry.version_text, compiler, os, platform, target, variants, entry.stacks
        return entry, Node(
            name=node.name,
            build=build_of(*words, explicit=explicit, external=bool(external)),
            namespace=node.namespace or "",
            recipe=node.package_hash,
            edges=edges,
            external=external,
        )

    def _provided_compiler(self, edges: Iterable[Edge]) -> str | None:
        """Return the dependency that is the compiler as a spec names it, or None."""
        providers = tuple([edge for edge in edges if edge.virtuals])
        if providers not in self._compilers:
            found = find_compiler(providers)
            version = ""
            if found and found.hash in self.records:
                version = self.entry(found.hash).version_text
            self._compilers[providers] = found and write_compiler(found.name, version)
        return self._compilers[providers]

    # --- What a document lists ---

    @property
    def packages(self) -> Sequence[Package]:
        """The packages with all their specs, by tag and name; raises FormatError."""
        return self._as_packages(self._all_specs)

    def packages_besides(self, known: Collection[str]) -> Sequence[Package]:
        """Return the packages with their specs, less those that are `in_common`."""
        # Their nodes will be asked for next: to read one again would take as long as now.
        others = [spec_hash for spec_hash in self.records if spec_hash not in known]
        return self._as_packages(self._read_specs(others, keep_nodes=True))

    def _as_packages(self, specs: _Specs) -> Sequence[Package]:
        graph = self if self.is_graph else None
        return [
            Package(tag, name, specs[tag, name], self._stack, graph) for tag, name in sorted(specs)
        ]

    @cached_property
    def _all_specs(self) -> _Specs:
        # Packages know the listing: if it knew them, nothing would free either, as in a run cycles
        # are not looked for.
        return self._read_specs(self.records, keep_nodes=len(self.records) <= _REMEMBERED)

    def _read_specs(self, hashes: Iterable[str], *, keep_nodes: bool) -> _Specs:
        found: dict[tuple[str, str], dict[str, Build]] = {}
        for spec_hash in hashes:
            entry, node = self.entries.get(spec_hash), self.nodes.get(spec_hash)
            if entry is None or node is None:
                entry, node = self._read(spec_hash)
            for edge in node.edges if self.is_whole else ():
                if edge.hash not in self.records:  # Spack warns of it, and takes the rest
                    if not self._edges_to_nowhere:
                        self._first_to_nowhere = f"{edge.name}/{edge.hash[:7]} of {node.name}"
                    self._edges_to_nowhere += 1
            self.entries[spec_hash] = entry
            if keep_nodes:
                self.nodes[spec_hash] = node
            for tag in entry.tags:
                found.setdefault((tag, entry.name), {})[spec_hash] = node.build
        return found

    @property
    def counts(self) -> Sequence[PackageCounts]:
        """The packages with the numbers of their specs; raises FormatError."""
        found: dict[tuple[str, str], StackCounts] = defaultdict(Counter)
        for entry, number in Counter(map(self.entry, self.records)).items():
            for tag in entry.tags:
                found[tag, entry.name][entry.stacks] += number
        return [
            PackageCounts(tag, name, by_stacks) for (tag, name), by_stacks in sorted(found.items())
        ]

    @cached_property
    def names(self) -> Mapping[str, str]:
        """The package of each spec that is counted, by hash; raises FormatError."""
        return {key: entry.name for key, entry in self.listed_hashes.items()}

    @property
    def listed_hashes(self) -> Mapping[str, Counted]:
        """What is counted of each hash that is; raises FormatError."""
        return {key: entry for key in self.records if (entry := self.entry(key)).tags}

    def in_common(self, old: Document) -> Mapping[str, Counted]:
        """Return what an older version has in the same words, or counts the same way.

        Only the records that one side alone has are decoded. Of the others the name and the version
        are, once for both; in a history the older version was the newer one of the step before. Of
        two indexes of 100,000 specs that share three in four, that takes half of the time. Records
        of one hash may differ in what is not the spec's own: how many others need it, say.
        """
        if not isinstance(old, Listing) or type(self) is not type(old):
            return {}
        theirs, known = old.records, old.entries
        same_words = [found for found, words in self.records.items() if theirs.get(found) == words]
        # In a history of 135 locks the edges of each node would be read 135 times, and the nodes.
        self.edges.update((found, old.edges[found]) for found in same_words if found in old.edges)
        moved = self._moved(old)
        alike = {
            found: known.get(found) or self.entry(found)
            for found in same_words
            if found not in moved
        }
        self.entries.update(alike)
        old.entries.update(alike)
        if len(self.records) <= _REMEMBERED:
            self.nodes.update((found, old.nodes[found]) for found in alike if found in old.nodes)
        for spec_hash in old.records.keys() - alike.keys():
            if spec_hash in self.records and old.entry(spec_hash) == self.entry(spec_hash):
                alike[spec_hash] = self.entry(spec_hash)
        return alike

    def builds(self, hashes: Iterable[str]) -> Iterator[tuple[str, Build]]:
        """Return some specs, each decoded when it is taken."""
        return ((key, node.build) for key in hashes if (node := self.node(key)))

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

    # --- The graph ---

    @property
    def graphs(self) -> StackGraphs:
        """The dependencies, by the stack that the document lists."""
        return {self._stack: self} if self.is_graph else {}

    @property
    def roots(self) -> Mapping[str, SpecName] | None:
        """What somebody asked for, by hash; None where the document does not say it."""
        return None

    @cached_property
    def compilers(self) -> Mapping[str, int]:
        """How many of the specs that are counted have which compiler; raises FormatError."""
        return Counter(build.compiler for _, build in self.builds(self.names))

    def node(self, spec_hash: str) -> Node | None:
        """Return a node, or None where an edge leads to no node of the document.

        Raises FormatError where the record, which nothing asked for before, cannot be read.
        """
        found = self.nodes.get(spec_hash)
        if found is None and spec_hash in self.records:
            _, found = self._read(spec_hash)
            self.nodes[spec_hash] = found
        return found

    def record(self, spec_hash: str) -> Mapping[str, Raw]:
        """Return all that is said of a node: each key with its value; raises FormatError."""
        return read_record(self._text(spec_hash), self._key(spec_hash))
