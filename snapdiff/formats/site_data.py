"""The data of the 2026 site, `specs_data.json` and `package_data.json`, compressed or not.

`specs_data.json` maps the hash of a spec to what it is, `package_data.json` the name of a package
to its hashes (docs/specification.md, section 10). A spec lists stacks and releases; which stack
belongs to which release is not known, so it counts in each stack of each of its releases.
"""

from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from itertools import product

import msgspec
from msgspec import Raw, Struct

from snapdiff.document_names import COMPRESSED, PACKAGE_DATA
from snapdiff.errors import FormatError
from snapdiff.formats.document import Claim, Document, File
from snapdiff.formats.json_text import VALUES, decode_json, records_by_hash
from snapdiff.formats.listing import Listing, build_of
from snapdiff.formats.spec_node import read_edges
from snapdiff.limits import Limits, check_version, plain_content
from snapdiff.model.packages import Counted
from snapdiff.model.specs import EMPTY_PART, Node, counting_stacks
from snapdiff.spack import NO_COMPILER

PLACES = 10_000
"""How many pairs of stack and release a spec of the site's data may have; real ones have a few."""


class _SitePackage(Struct, gc=False):
    specs: tuple[str, ...]


class _SitePlaces(Struct, gc=False):
    """What is counted of a spec."""

    version: str
    stacks: tuple[str, ...] = ()
    releases: tuple[str, ...] = ()


class _SiteSpec(_SitePlaces, gc=False):
    """A spec of the site's data; the name of its package is in the other file."""

    os: str = ""
    platform: str = ""
    target: str = ""
    variants: tuple[str, ...] = ()
    dependencies: Raw = Raw(b"null")


_PACKAGES_BY_NAME = msgspec.json.Decoder(dict[str, _SitePackage])
_PLACES = msgspec.json.Decoder(_SitePlaces)
_SPEC = msgspec.json.Decoder(_SiteSpec)


class _SiteListing(Listing):
    """The specs of the site's data, in all their stacks and releases."""

    is_whole = False  # it is of several catalogs

    def __init__(self, records: Mapping[str, Raw], names: Mapping[str, str]) -> None:
        super().__init__("site data", None, records)
        self.names = names
        claims: set[Claim] = set()
        for spec_hash in records:
            entry = self.entry(spec_hash)
            claims.update(
                Claim(tag, "stack", stack) for tag, stack in product(entry.tags, entry.stacks)
            )
        self.claims = tuple(sorted(claims))

    def _read_entry(self, spec_hash: str) -> Counted:
        return self._counted(spec_hash, decode_json(self.records[spec_hash], _PLACES, spec_hash))

    def is_version_of(self, other: Document) -> bool:
        """Return whether another document has the same releases; their stacks may differ."""
        return {claim.tag for claim in self.claims} == {claim.tag for claim in other.claims}

    def _moved(self, old: Listing) -> AbstractSet[str]:
        """Return the hashes that are of another package."""
        assert isinstance(old, _SiteListing)
        return {spec_hash for spec_hash, _ in self.names.items() ^ old.names.items()}

    def record(self, spec_hash: str) -> Mapping[str, Raw]:
        """Return all that is said of a spec, less where it is listed."""
        said = super().record(spec_hash)
        return {key: said[key] for key in said if key not in ("stacks", "releases")}

    def _read(self, spec_hash: str) -> tuple[Counted, Node]:
        spec = decode_json(self.records[spec_hash], _SPEC, spec_hash)
        entry = self._counted(spec_hash, spec)
        found = read_edges(spec.dependencies, spec_hash)
        edges = tuple([edge for edge in found if edge.hash])
        if found and not edges:
            self.is_graph = False  # they are links for people, as until August 2026
        compiler = self._provided_compiler(edges) or NO_COMPILER
        words = spec.version, compiler, spec.os, spec.platform, spec.target, spec.variants
        build = build_of(*words, entry.stacks)
        return entry, Node(name=entry.name, build=build, namespace="", recipe=None, edges=edges)

    def _counted(self, spec_hash: str, spec: _SitePlaces) -> Counted:
        if len(spec.stacks) * len(spec.releases) > PLACES:
            raise FormatError(
                f"{spec_hash}: {len(spec.stacks):,} stacks and {len(spec.releases):,} releases; "
                f"a spec may be in {PLACES:,} pairs of the two"
            )
        check_version(spec.version, f"{spec_hash}.version")
        name = self.names.get(spec_hash)
        if name is None:
            raise FormatError(f"{spec_hash}: no package of {PACKAGE_DATA} lists this spec")
        tags = tuple(sorted(set(spec.releases))) or (EMPTY_PART,)
        return Counted(name, spec.version, tags, counting_stacks(spec.stacks))


def open_site_data(file: File, limits: Limits) -> Listing:
    """Return the specs of the site's data; raises FormatError."""
    content = plain_content(file.content, limits.document_size)
    records = records_by_hash(decode_json(content, VALUES), "")
    folder, slash, name = file.path.rpartition("/")
    ending = COMPRESSED if name.endswith(COMPRESSED) else ""
    beside = file.read_beside(f"{folder}{slash}{PACKAGE_DATA}{ending}")
    beside = plain_content(beside, limits.document_size)
    packages = decode_json(beside, _PACKAGES_BY_NAME, PACKAGE_DATA)
    names: dict[str, str] = {}
    for package, listed in packages.items():
        for spec_hash in listed.specs:
            if names.setdefault(spec_hash, package) != package:
                raise FormatError(
                    f"{PACKAGE_DATA}: {names[spec_hash]} and {package} both list {spec_hash}"
                )
    return _SiteListing(records, names)
