"""Reads documents with dependencies: one alone, one only to be counted, two versions of one."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property, partial
from operator import attrgetter, itemgetter
from typing import NamedTuple

from msgspec import Struct, field

from snapdiff.errors import FormatError
from snapdiff.formats.base import CountedDocument, Document, DocumentPair, File
from snapdiff.formats.document_limits import check_document_size
from snapdiff.formats.listing import Entry, ListedSpec, Listing
from snapdiff.formats.shared_builds import SharedBuilds
from snapdiff.limits import Limits
from snapdiff.model import (
    NO_GRAPHS,
    Build,
    InCommon,
    Package,
    PackageCounts,
    PackagePair,
    count_by_stacks,
)

_HASH = attrgetter("hash")


class Opening(NamedTuple):
    """What a format needs to split a file into records."""

    file: File
    limits: Limits
    builds: SharedBuilds


class _PairedPackage(Struct):
    """A package of a tag in two versions of a document: the specs of one side alone, and others."""

    specs: tuple[dict[str, Build], dict[str, Build]] = field(default_factory=lambda: ({}, {}))
    common: dict[InCommon, int] = field(default_factory=dict)


class _PairedListings:
    """Two versions of a document, put together record by record."""

    def __init__(self, old: Listing, new: Listing) -> None:
        """Take both; only the records that one side alone has are read."""
        self.packages: dict[tuple[str, str], _PairedPackage] = defaultdict(_PairedPackage)
        # Most records are passed over with one look-up: each takes longer the more there are.
        common = {found: new.entry(found) for found in new.records_in_common(old)}
        others = [[key for key in side.records if key not in common] for side in (old, new)]
        common.update(_counted_alike(old, new, others[0]))
        self._new = new
        self._common = common
        names = {found: entry.name for found, entry in common.items() if entry.tags}
        self.hashes = (dict(names), names)
        for entry, number in Counter(common.values()).items():
            for tag in entry.tags:
                package = self.packages[tag, entry.name]
                package.common[InCommon(entry.version, entry.stacks)] = number
        for side, listing in enumerate((old, new)):
            for spec_hash in others[side]:
                if spec_hash not in common:
                    entry, node = listing.spec(spec_hash)
                    listing.keep_node(spec_hash, node)  # it will be asked for next
                    self._add_one_sided(side, spec_hash, entry, node.build)

    def kept(self, tag: str, package: str) -> Iterator[tuple[str, Build]]:
        """Yield the specs of a package that both versions have; each is read for it."""
        for spec_hash in self._kept.get((tag, package), ()):
            node = self._new.node(spec_hash)
            assert node is not None
            yield spec_hash, node.build

    @cached_property
    def _kept(self) -> Mapping[tuple[str, str], list[str]]:
        found: dict[tuple[str, str], list[str]] = {}
        for spec_hash, entry in self._common.items():
            for tag in entry.tags:
                found.setdefault((tag, entry.name), []).append(spec_hash)
        return found

    def _add_one_sided(self, side: int, spec_hash: str, entry: Entry, build: Build) -> None:
        if entry.tags:
            self.hashes[side][spec_hash] = entry.name
        for tag in entry.tags:
            self.packages[tag, entry.name].specs[side][spec_hash] = build


class _ReadListing(NamedTuple):
    """A document that was read, and all its records as specs."""

    listing: Listing
    specs: dict[str, ListedSpec]


_REMEMBERED = 20_000
"""How many specs are remembered from one version of a document to the next.

An environment has a few thousand; of an index of 378,000, the hashes of what each spec depends on
would be as large as the index.
"""


class SpecDocumentReader:
    """Reads documents of one kind; `open_listing` splits a file into records."""

    def __init__(self, limits: Limits, open_listing: Callable[[Opening], Listing | None]) -> None:
        """Begin with no build known."""
        self._limits = limits
        self._open_listing = open_listing
        self._builds = SharedBuilds()
        self._latest: _ReadListing | None = None

    def read(self, file: File) -> Document | None:
        """Return all that a file lists, or None where its content is of another kind.

        Raises FormatError with the key path, such as `concrete_specs.<hash>.arch.target`.
        """
        listing = self._open(file)
        if listing is None:
            return None
        packages: dict[tuple[str, str], dict[str, Build]] = {}
        hashes: dict[str, str] = {}
        for spec_hash, (entry, node) in self._specs(listing):
            if entry.tags:
                hashes[spec_hash] = entry.name
            for tag in entry.tags:
                packages.setdefault((tag, entry.name), {})[spec_hash] = node.build
        found = sorted(packages.items())
        return Document(
            claims=listing.claims,
            packages=[
                Package(tag, name, specs, listing.stack, listing.graph)
                for (tag, name), specs in found
            ],
            counts=[
                PackageCounts(tag, name, count_by_stacks(Counter(specs.values()), {}))
                for (tag, name), specs in found
            ],
            warning=listing.warning,
            hashes=hashes if listing.lists_a_stack else None,
            graphs={listing.stack: listing.graph} if listing.graph is not None else {},
        )

    def _specs(self, listing: Listing) -> Iterable[tuple[str, ListedSpec]]:
        """Return all records as specs; those of a large document are not kept.

        Of 135 versions of a lock of 1,000 specs, nine in ten records of a version are in the one
        before it in the same words. Such a spec is not read again if that holds of all that it
        depends on, too: its compiler may be one of these. Nor is its node, which causes are found
        from. Both together take a third off the time of a changelog.
        """
        known = self._latest if self._latest and listing.is_like(self._latest.listing) else None
        self._latest = None
        if len(listing.records) > _REMEMBERED:
            return ((spec_hash, listing.spec(spec_hash)) for spec_hash in listing.records)
        same = set(listing.specs_in_common(known.listing)) if known else set()
        found: dict[str, ListedSpec] = {}
        for spec_hash in listing.records:
            spec = known.specs[spec_hash] if known and spec_hash in same else None
            if spec is None or not same.issuperset(map(_HASH, spec.node.edges)):
                spec = listing.spec(spec_hash)
            listing.keep_node(spec_hash, spec.node)
            found[spec_hash] = spec
        self._latest = _ReadListing(listing, found)
        return found.items()

    def count(self, file: File) -> CountedDocument | None:
        """Return the counts of a file that is the same on both sides, or None as `read` does.

        What costs most and is not needed is left out: no variant, compiler or dependency is read,
        so no error in them is found. Raises FormatError.
        """
        listing = self._open(file)
        if listing is None:
            return None
        counts: dict[tuple[str, str], Counter[frozenset[str]]] = {}
        hashes: dict[str, str] = {}
        for spec_hash in listing.records:
            entry = listing.entry(spec_hash)
            if entry.tags:
                hashes[spec_hash] = entry.name
            for tag in entry.tags:
                counts.setdefault((tag, entry.name), Counter())[entry.stacks] += 1
        return CountedDocument(
            claims=listing.claims,
            counts=[
                PackageCounts(tag, name, dict(by_stacks))
                for (tag, name), by_stacks in sorted(counts.items())
            ],
            warning=listing.warning,
            hashes=hashes if listing.lists_a_stack else None,
        )

    def read_pair(self, old: File, new: File) -> DocumentPair | None:
        """Return two versions of a file; only the records that one side alone has are read.

        Of the others the name and the version are read, once for both. None where the two are of
        different stacks or tags, or one of them cannot be read: read alone, it says why.
        """
        try:
            return self._read_pair(old, new)
        except FormatError:
            return None

    def _read_pair(self, old: File, new: File) -> DocumentPair | None:
        before, after = self._open(old), self._open(new)
        if before is None or after is None or not before.is_like(after):
            return None
        both = _PairedListings(before, after)
        old_graph, new_graph = before.graph, after.graph
        graphs, by_stack = None, NO_GRAPHS
        if old_graph and new_graph:
            graphs = old_graph, new_graph
            by_stack = {before.stack: old_graph}, {after.stack: new_graph}
        pairs, unchanged = [], []
        for (tag, name), package in sorted(both.packages.items(), key=itemgetter(0)):
            if any(package.specs):
                pair = PackagePair(
                    tags=(tag, tag),
                    name=name,
                    old=package.specs[0],
                    new=package.specs[1],
                    common=package.common,
                    document=new.path,
                    kept=partial(both.kept, tag, name),
                    graphs=graphs,
                )
                pairs.append(pair)
            else:
                unchanged.append(PackageCounts(tag, name, count_by_stacks({}, package.common)))
        return DocumentPair(
            claims=tuple(sorted({*before.claims, *after.claims})),
            pairs=pairs,
            unchanged=unchanged,
            warnings=(before.warning, after.warning),
            hashes=both.hashes if before.lists_a_stack else None,
            graphs=by_stack,
        )

    def _open(self, file: File) -> Listing | None:
        check_document_size(file.content, self._limits.document)
        return self._open_listing(Opening(file, self._limits, self._builds))


def _counted_alike(
    old: Listing, new: Listing, hashes: Iterable[str]
) -> Iterator[tuple[str, Entry]]:
    """Yield what is counted of those specs that count the same on both sides, by hash.

    Records of one hash may differ in what is not the spec's own: how many others need it, say.
    """
    for spec_hash in hashes:
        if spec_hash in new.records:
            entry = new.entry(spec_hash)
            if old.entry(spec_hash) == entry:
                yield spec_hash, entry
