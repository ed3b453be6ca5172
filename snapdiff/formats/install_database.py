"""Spack's database, of an install tree: `.spack-db/index.json`; an index has the same format."""

from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Literal

import msgspec
from msgspec import Raw, Struct

from snapdiff.errors import FormatError
from snapdiff.formats.base import Claim, Counted, File, Format
from snapdiff.formats.document_names import DATABASE, DATABASE_FOLDER, is_called
from snapdiff.formats.json_text import (
    HASH_LENGTH,
    FileContent,
    Key,
    decode_json,
    decoder_by_key,
    records_by_hash,
    values_by_key,
)
from snapdiff.formats.listing import Listing, ListingReader
from snapdiff.formats.node_parts import SharedBuilds
from snapdiff.formats.spec_node import (
    NODE,
    NODE_NAMES,
    AnyNode,
    NodeNames,
    SpecNode,
    decode_node,
    read_record,
)
from snapdiff.limits import Limits
from snapdiff.model import Node, counting_stacks

NEWEST_VERSION = 8
"""The newest version of Spack's database format that was seen; newer ones are read by shape."""

_FIRST_WITH_IN_BUILDCACHE = 6
"""Before this version of the format, an index lists nothing but what is in the build cache."""


_AROUND_RECORD = len(f'"{"a" * HASH_LENGTH}":,')
"""How many characters a database has for each record beside it: its hash."""

_AROUND_RECORDS = 48
"""How many it may have beside all of them: the two keys above them and a version, once."""


class _Database(Struct, gc=False):
    installs: dict[Key, Raw]
    version: str | int | None = None


class _Document(Struct, gc=False):
    database: _Database | None = None


class _InstallState(Struct, frozen=True, gc=False):
    """What a record says beside its node."""

    in_buildcache: bool | None = None
    installed: bool | None = None
    explicit: bool | None = None


class _Install(_InstallState, frozen=True, gc=False):
    spec: SpecNode = msgspec.field(default_factory=SpecNode)


class _InstallNames(_InstallState, frozen=True, gc=False):
    spec: NodeNames = msgspec.field(default_factory=NodeNames)


class _InstallText(Struct, gc=False):
    """A record whose node is not yet read."""

    spec: Raw = Raw(b"{}")


_DOCUMENT = decoder_by_key(_Document)
_INSTALL = msgspec.json.Decoder(_Install)
_INSTALL_NAMES = msgspec.json.Decoder(_InstallNames)
_INSTALL_TEXT = msgspec.json.Decoder(_InstallText)


class _InstallListing(Listing):
    """The records of a database: what is installed in a tree, or what is in a build cache.

    `counts_unsaid` is true where a record of an index need not say that it is in the build cache.
    What is `elsewhere` is not counted here: the stacks of an aggregate have it.
    """

    def __init__(
        self,
        kind: Literal["database", "index"],
        claim: Claim,
        records: dict[str, Raw],
        version: str | int | None,
        builds: SharedBuilds,
        elsewhere: frozenset[str],
    ) -> None:
        """Take a database split into records, and the version that it names."""
        super().__init__((claim,), records, builds, _warning(version))
        self.kind = kind
        number = _number(version)
        self._tags = (claim.tag,)
        self._stacks = counting_stacks((claim.name,))
        self._like_entries: dict[tuple[_InstallNames, bool], Counted] = {}
        self.elsewhere = elsewhere
        self.counts_unsaid = number is not None and number < _FIRST_WITH_IN_BUILDCACHE

    def _read_entry(self, spec_hash: str) -> Counted:
        """Return the name and version of a record, and whether it is counted.

        Of 87,496 specs, 16,660 differ in this: the others share their entries, a fifth of the time.
        """
        install = decode_json(self.records[spec_hash], _INSTALL_NAMES, _key(spec_hash))
        if not install.spec.name:
            return self._entry(self._decode_node(spec_hash, NODE_NAMES), install, spec_hash)
        what = install, spec_hash in self.elsewhere
        found = self._like_entries.get(what)
        if found is None:
            found = self._like_entries[what] = self._entry(install.spec, install, spec_hash)
        return found

    @cached_property
    def asked_for(self) -> frozenset[str] | None:
        """The packages that were installed by hand; None where no record says so."""
        if self.kind == "index":
            return None
        names = set()
        for spec_hash, record in self.records.items():
            install = decode_json(record, _INSTALL_NAMES, _key(spec_hash))
            if install.explicit and self._is_counted(install):
                names.add(self.entry(spec_hash).name)
        return frozenset(names) or None

    def _same_words(self, old: Listing) -> Iterable[str]:
        """Return the hashes of which both have the same words.

        They mean the same only where both leave the same unsaid, and count the same.
        """
        assert isinstance(old, _InstallListing)
        if self.counts_unsaid != old.counts_unsaid:
            return []
        moved = self.elsewhere ^ old.elsewhere
        return [found for found in super()._same_words(old) if found not in moved]

    def record(self, spec_hash: str) -> Mapping[str, Raw]:
        """Return all that is said of a node, less what is said of its installation."""
        key = _key(spec_hash)
        said = decode_json(self.records[spec_hash], _INSTALL_TEXT, key)
        return read_record(said.spec, f"{key}.spec")

    def _read(self, spec_hash: str) -> tuple[Counted, Node]:
        key = _key(spec_hash)
        install = decode_json(self.records[spec_hash], _INSTALL, key)
        node = install.spec if install.spec.name else self._decode_node(spec_hash, NODE)
        entry = self._entry(node, install, spec_hash)
        return entry, self._make_node(node, entry, f"{key}.spec", explicit=bool(install.explicit))

    def _decode_node(self, spec_hash: str, decoder: msgspec.json.Decoder[AnyNode]) -> AnyNode:
        """Return a node that is keyed by its name."""
        key = _key(spec_hash)
        said = decode_json(self.records[spec_hash], _INSTALL_TEXT, key)
        return decode_node(said.spec, decoder, f"{key}.spec")

    def _entry(self, names: NodeNames, install: _InstallState, spec_hash: str) -> Counted:
        is_counted = spec_hash not in self.elsewhere and self._is_counted(install)
        tags = self._tags if is_counted else ()
        return Counted(
            names.name, names.only_version(f"{_key(spec_hash)}.spec"), tags, self._stacks
        )

    def _is_counted(self, install: _InstallState) -> bool:
        if self.kind == "database":
            return bool(install.installed)
        if install.in_buildcache is None:
            return self.counts_unsaid
        return install.in_buildcache


def open_database(
    kind: Literal["database", "index"],
    claim: Claim,
    content: FileContent,
    builds: SharedBuilds,
    elsewhere: frozenset[str] = frozenset(),
) -> Listing:
    """Return what a database lists, less what is `elsewhere`; raises FormatError."""
    database = decode_json(content, _DOCUMENT).database
    if database is None:
        raise FormatError("database: missing; this is no index or database of Spack's")
    records = records_by_hash(database.installs, "database.installs")
    _check_nothing_is_lost(content, records)
    return _InstallListing(kind, claim, records, database.version, builds, elsewhere)


def _check_nothing_is_lost(content: FileContent, records: Mapping[str, Raw]) -> None:
    """Raise FormatError where the database, or a part of it, is there twice.

    Where hashes and records are nearly all of the text, as in what Spack writes, there is no room
    for another record beside them. To look at every key takes a tenth of the time of comparing two
    indexes of 100,000 specs.
    """
    around = len(content) - sum(map(len, records.values())) - len(records) * _AROUND_RECORD
    if around > _AROUND_RECORDS:
        values_by_key(values_by_key(content)["database"], "database")


def _key(spec_hash: str) -> str:
    return f"database.installs.{spec_hash}"


def _number(version: str | int | None) -> int | None:
    if isinstance(version, str):
        return (
            int(version) if version.isascii() and version.isdigit() and len(version) < 9 else None
        )
    return version


def _warning(version: str | int | None) -> str | None:
    number = _number(version)
    if number is not None and number <= NEWEST_VERSION:
        return None
    found = "missing" if version is None else repr(version)
    return (
        f"database.version is {found}, and those up to {NEWEST_VERSION} are known; "
        "the database is read by its shape"
    )


class InstallDatabase(Format):
    """The format of an install database: the stack is the tree's folder, the tag the path above."""

    def is_named(self, path: str) -> bool:
        """Return whether a file is `.spack-db/index.json` in some folder."""
        return is_called(path, DATABASE)

    def folder(self, path: str) -> str:
        """Return the folder of the tree, which is above that of its database."""
        folder = super().folder(path)
        if is_called(folder, DATABASE_FOLDER):
            return folder.removesuffix(DATABASE_FOLDER).removesuffix("/")
        return folder

    def reader(self, limits: Limits) -> ListingReader:
        """Return a reader that knows nothing yet."""
        return ListingReader(limits, self._open)

    def _open(self, file: File, _limits: Limits, builds: SharedBuilds) -> Listing:
        return open_database("database", self.claim_of_path(file.path), file.content, builds)
