"""Spack's database: of an install tree, and as the index of a build cache, in layout 2 and 3.

The specification, section 10, says which records count.
"""

import hashlib
import re
from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from functools import cached_property
from typing import Literal

import msgspec
from msgspec import Raw, Struct

from snapdiff.buildcache_layout import (
    LAYOUT_2,
    LAYOUT_3,
    VIEW,
    Manifest,
    blob_path,
    index_blob,
    mirror_folder,
)
from snapdiff.document_names import is_called
from snapdiff.errors import FormatError, NoSuchFile
from snapdiff.formats.document import Claim, File, odd_version
from snapdiff.formats.json_text import (
    HASH_LENGTH,
    FileContent,
    decode_json,
    require_hashes,
    values_by_key,
)
from snapdiff.formats.listing import Listing
from snapdiff.formats.spec_node import SpecNode, decode_node
from snapdiff.limits import Limits, plain_content, unfold
from snapdiff.model.specs import SpecName

NEWEST_DATABASE_VERSION = 8
"""The newest version of Spack's database format that was seen; newer ones are read by shape."""

_FIRST_WITH_IN_BUILDCACHE = 6
"""Before this version of the format, an index lists nothing but what is in the build cache."""


_AROUND_RECORD = len(f'"{"a" * HASH_LENGTH}":,')
"""How many characters a database has for each record beside it: its hash."""

_AROUND_RECORDS = 48
"""How many it may have beside all of them: the two keys above them and a version, once."""


class _Database(Struct, gc=False):
    installs: dict[str, Raw]
    version: str | int | None = None


class _Document(Struct, gc=False):
    database: _Database | None = None


class _Install(Struct, gc=False):
    """A record: a node, and what is said of its installation."""

    spec: SpecNode = SpecNode()
    in_buildcache: bool | None = None
    installed: bool | None = None
    explicit: bool | None = None


class _NodeText(Struct, gc=False):
    spec: Raw = Raw(b"{}")


_DOCUMENT = msgspec.json.Decoder(_Document)
_MANIFEST = msgspec.json.Decoder(Manifest)
_INSTALL = msgspec.json.Decoder(_Install)
_NODE_TEXT = msgspec.json.Decoder(_NodeText)


class _InstallListing(Listing):
    """The records of a database: what is installed in a tree, or what is in a build cache.

    What is `elsewhere` is not counted here: the stacks of an aggregate have it.
    """

    def __init__(
        self,
        kind: Literal["database", "index"],
        claim: Claim,
        records: dict[str, Raw],
        version: str | int | None,
        elsewhere: frozenset[str],
    ) -> None:
        digits = re.fullmatch("[0-9]{1,8}", str(version))
        number = int(digits[0]) if digits else None
        warning = odd_version("database.version", version, number, NEWEST_DATABASE_VERSION)
        super().__init__(kind, claim, records, warning)
        self.elsewhere = elsewhere
        self.counts_unsaid = number is not None and number < _FIRST_WITH_IN_BUILDCACHE
        """Whether a record of an index need not say that it is in the build cache."""

    def _key(self, spec_hash: str) -> str:
        return f"database.installs.{spec_hash}.spec"

    def _decode(self, spec_hash: str) -> tuple[SpecNode, bool, bool]:
        install = decode_json(self.records[spec_hash], _INSTALL, f"database.installs.{spec_hash}")
        node = install.spec
        if not node.name:  # it is keyed by its name
            node = decode_node(self._text(spec_hash), self._key(spec_hash))
        if self.kind == "database":
            is_counted = install.installed
        else:
            found = install.in_buildcache
            is_counted = self.counts_unsaid if found is None else found
        is_here = spec_hash not in self.elsewhere
        return node, bool(is_counted) and is_here, bool(install.explicit)

    def _text(self, spec_hash: str) -> Raw:
        """Return what is said of a node, less what is said of its installation."""
        key = f"database.installs.{spec_hash}"
        return decode_json(self.records[spec_hash], _NODE_TEXT, key).spec

    @cached_property
    def roots(self) -> Mapping[str, SpecName] | None:
        """The packages of what was installed by hand; None where no record says so."""
        found = {}
        for spec_hash in self.records if self.kind == "database" else ():
            _, is_counted, explicit = self._decode(spec_hash)
            if is_counted and explicit:
                entry = self.entry(spec_hash)
                found[spec_hash] = SpecName(entry.name, entry.version_text)
        return found or None

    def _moved(self, old: Listing) -> AbstractSet[str]:
        """Return all records where one version alone leaves something unsaid, or what moved."""
        assert isinstance(old, _InstallListing)
        if self.counts_unsaid != old.counts_unsaid:
            return self.records.keys()
        return self.elsewhere ^ old.elsewhere


def open_database(
    kind: Literal["database", "index"],
    claim: Claim,
    content: FileContent,
    elsewhere: frozenset[str] = frozenset(),
) -> Listing:
    """Return what a database lists, less what is `elsewhere`; raises FormatError."""
    database = decode_json(content, _DOCUMENT).database
    if database is None:
        raise FormatError("database: missing; this is no index or database of Spack's")
    records = database.installs
    around = len(content) - sum(map(len, records.values())) - len(records) * _AROUND_RECORD
    if around > _AROUND_RECORDS:
        # Something may be there twice. Where hashes and records are nearly all of the text, as in
        # what Spack writes, there is no room for another record beside them; to look at every key
        # takes a tenth of the time of comparing two indexes of 100,000 specs.
        parts = values_by_key(values_by_key(content)["database"], "database")
        values_by_key(parts["installs"], "database.installs")
    require_hashes(records, "database.installs")
    return _InstallListing(kind, claim, records, database.version, elsewhere)


# --- The index of a build cache ---


def open_index(file: File, claim: Claim, stacks: Iterable[str], limits: Limits) -> Listing | None:
    """Return what an index lists, or None where another index of the mirror has it all.

    `stacks` are the paths of the indexes of its stacks, where the mirror holds others: what these
    list does not count here, so it needs all of them. Raises FormatError.
    """
    is_view = VIEW.fullmatch(file.path) is not None
    if is_view and any(_is_beside(index, file) for index in (LAYOUT_3, LAYOUT_2)):
        return None  # what a mirror has in all is in its main index
    if is_called(file.path, LAYOUT_2) and _is_beside(LAYOUT_3, file):
        return None  # of two indexes of one mirror the newer layout's is taken
    content = file.content
    if is_view or is_called(file.path, LAYOUT_3):
        content = _read_blob(file, limits.document_size)
    elsewhere: set[str] = set()
    for path in stacks:
        try:
            stack = file._replace(path=path, content=file.read_beside(path))
        except NoSuchFile:
            continue  # the other side has this stack
        try:
            listing = open_index(stack, claim, (), limits)
            elsewhere.update(listing.listed_hashes if listing else ())
        except FormatError as error:
            raise FormatError(f"its stack {path} cannot be read: {error}") from error
    return open_database("index", claim, content, frozenset(elsewhere))


def _is_beside(name: str, index: File) -> bool:
    """Return whether a mirror has another index, too."""
    try:
        _read_in_mirror(name, index)
    except FormatError:
        return False
    return True


def _read_in_mirror(path: str, index: File) -> bytes:
    folder = mirror_folder(index.path)
    return index.read_beside(f"{folder}/{path}" if folder else path)


def _read_blob(manifest: File, most: int) -> bytes:
    """Return the index that a manifest names; raises FormatError where it is not that index."""
    place, blob = index_blob(decode_json(manifest.content, _MANIFEST))
    path = blob_path(blob.checksum)
    content = _read_in_mirror(path, manifest)
    if hashlib.sha256(content).hexdigest() != blob.checksum:
        raise FormatError(f"{place}.checksum: the content of {path} has another checksum")
    if blob.compression not in ("none", "gzip"):
        raise FormatError(f"{place}.compression: {blob.compression!r}; only gzip is known")
    is_folded = blob.compression == "gzip"  # one that says so has to be
    return unfold(content, most) if is_folded else plain_content(content, most)
