"""Two versions of a document record by record: what both have in the same words is not decoded."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from functools import cached_property, partial
from operator import itemgetter
from typing import TYPE_CHECKING

from msgspec import Struct, field

from snapdiff.formats.base import PairedPackages
from snapdiff.model import Build, InCommon, PackageCounts, PackagePair, count_by_stacks

if TYPE_CHECKING:
    from snapdiff.formats.listing import Counted, Listing


def pair_listings(old: "Listing", new: "Listing") -> PairedPackages:
    """Return the packages of two versions of a document; raises FormatError.

    Only the records that one side alone has are read. Of the others the name and the version are,
    once for both. Of two indexes of 100,000 specs that share three in four, that takes half of the
    time of reading both.
    """
    graphs = (old.graph, new.graph) if old.graph and new.graph else None
    common, others = _compare_records(old, new)
    packages: dict[tuple[str, str], _PairedPackage] = defaultdict(_PairedPackage)
    kept = _KeptSpecs(new, common)
    for entry, number in Counter(common.values()).items():
        for tag in entry.tags:
            packages[tag, entry.name].common[InCommon(entry.version, entry.stacks)] = number
    for side, (listing, hashes) in enumerate(zip((old, new), others, strict=True)):
        for spec_hash in hashes:
            entry, node = listing.spec(spec_hash)
            listing.keep(spec_hash, entry, node)  # the node will be asked for next
            for tag in entry.tags:
                packages[tag, entry.name].specs[side][spec_hash] = node.build
    pairs, unchanged = [], []
    for (tag, name), package in sorted(packages.items(), key=itemgetter(0)):
        if any(package.specs):
            pair = PackagePair(
                tags=(tag, tag),
                name=name,
                old=package.specs[0],
                new=package.specs[1],
                common=package.common,
                kept=partial(kept.of, tag, name),
                graphs=graphs,
            )
            pairs.append(pair)
        else:
            unchanged.append(PackageCounts(tag, name, count_by_stacks({}, package.common)))
    return PairedPackages(pairs, unchanged)


def _compare_records(
    old: "Listing", new: "Listing"
) -> tuple[dict[str, "Counted"], tuple[list[str], list[str]]]:
    """Return what both versions have, and the hashes that one of them has alone or otherwise.

    Records of one hash may differ in what is not the spec's own: how many others need it, say.
    """
    # In a history the older version was the newer one of the step before.
    known = old.known_entries
    alike = {
        spec_hash: known.get(spec_hash) or new.entry(spec_hash)
        for spec_hash in new.records_in_common(old)
    }
    for listing in (old, new):
        listing.known_entries.update(alike)
    for spec_hash in old.records.keys() - alike.keys():
        if spec_hash in new.records and old.entry(spec_hash) == new.entry(spec_hash):
            alike[spec_hash] = new.entry(spec_hash)
    before, after = (
        [spec_hash for spec_hash in side.records if spec_hash not in alike] for side in (old, new)
    )
    return alike, (before, after)


class _PairedPackage(Struct):
    """A package of a tag in two versions of a document: the specs of one side alone, and others."""

    specs: tuple[dict[str, Build], dict[str, Build]] = field(default_factory=lambda: ({}, {}))
    common: dict[InCommon, int] = field(default_factory=dict)


class _KeptSpecs:
    """The specs that two versions of a document have, each read when somebody asks for it."""

    def __init__(self, new: "Listing", entries: "Mapping[str, Counted]") -> None:
        self._new = new
        self._entries = entries

    def of(self, tag: str, package: str) -> Iterator[tuple[str, Build]]:
        """Yield the specs of a package with their hashes."""
        for spec_hash in self._hashes.get((tag, package), ()):
            node = self._new.node(spec_hash)
            assert node is not None
            yield spec_hash, node.build

    @cached_property
    def _hashes(self) -> Mapping[tuple[str, str], list[str]]:
        found: dict[tuple[str, str], list[str]] = {}
        for spec_hash, entry in self._entries.items():
            for tag in entry.tags:
                found.setdefault((tag, entry.name), []).append(spec_hash)
        return found
