"""Spack's database format, which a build cache index and an install database have in common."""

from collections.abc import Mapping
from functools import cached_property

import msgspec
from msgspec import Raw, Struct

from snapdiff.errors import FormatError
from snapdiff.formats.json_text import (
    HASH_LENGTH,
    FileContent,
    Key,
    decode_json,
    decoder_by_key,
    records_by_hash,
    values_by_key,
)
from snapdiff.formats.listing import Counted, Listing, NodeListing, Place
from snapdiff.formats.node_parts import SharedBuilds
from snapdiff.formats.spec_node import NODE, NODE_NAMES, NodeNames, SpecNode, only_node, read_record
from snapdiff.model import counting_stacks

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


class _Record(Struct, gc=False):
    """A record whose node is not yet read."""

    spec: Raw


class _InstallByName(Struct, gc=False):
    """A record whose node is keyed by its name."""

    spec: dict[str, Raw] = msgspec.field(default_factory=dict)


_INSTALL_STATE = msgspec.json.Decoder(_InstallState)
_DOCUMENT = decoder_by_key(_Document)
_INSTALL = msgspec.json.Decoder(_Install)
_INSTALL_NAMES = msgspec.json.Decoder(_InstallNames)
_RECORD = msgspec.json.Decoder(_Record)
_INSTALL_BY_NAME = msgspec.json.Decoder(_InstallByName)


class _InstallListing(NodeListing):
    """The records of a database: of an install database (`counts_installed`), or of an index.

    `counts_unsaid` is true where a record of an index need not say that it is in the build cache.
    What is `elsewhere` is not counted here: the stacks of an aggregate have it.
    """

    def __init__(
        self,
        place: Place,
        records: dict[str, Raw],
        version: str | int | None,
        builds: SharedBuilds,
        elsewhere: frozenset[str],
        *,
        counts_installed: bool,
    ) -> None:
        """Take a database split into records, and the version that it names."""
        super().__init__((place.claim,), records, builds, _warning(version))
        number = _number(version)
        self._tags = (place.tag,)
        self._stacks = counting_stacks((place.stack,))
        self.kind = "database" if counts_installed else "index"
        self._counts_installed = counts_installed
        self._like_entries: dict[tuple[_InstallNames, bool], Counted] = {}
        self.elsewhere = elsewhere
        self.counts_unsaid = number is not None and number < _FIRST_WITH_IN_BUILDCACHE

    def _read_entry(self, spec_hash: str) -> Counted:
        """Return the name and version of a record, and whether it is counted.

        Of 87,496 specs, 16,660 differ in this: the others share their entries, a fifth of the time.
        """
        key = _key(spec_hash)
        install = decode_json(self.records[spec_hash], _INSTALL_NAMES, key)
        if not install.spec.name:
            by_name = decode_json(self.records[spec_hash], _INSTALL_BY_NAME, key)
            names = only_node(by_name.spec, NODE_NAMES, f"{key}.spec")
            return self._entry(names, install, spec_hash)
        what = install, spec_hash in self.elsewhere
        found = self._like_entries.get(what)
        if found is None:
            found = self._like_entries[what] = self._entry(install.spec, install, spec_hash)
        return found

    @cached_property
    def asked_for(self) -> frozenset[str] | None:
        """The packages that were installed by hand; None where no record says so."""
        if not self._counts_installed:
            return None
        names = set()
        for spec_hash, record in self.records.items():
            state = decode_json(record, _INSTALL_STATE, _key(spec_hash))
            if state.explicit and self._is_counted(state):
                names.add(self.entry(spec_hash).name)
        return frozenset(names) or None

    def records_in_common(self, other: Listing) -> list[str]:
        """Return the hashes that another database has with a record in the same words.

        The words mean the same only where both leave the same unsaid, and count the same.
        """
        if not isinstance(other, _InstallListing) or self.counts_unsaid != other.counts_unsaid:
            return []
        moved = self.elsewhere ^ other.elsewhere
        return [found for found in super().records_in_common(other) if found not in moved]

    def record(self, spec_hash: str) -> Mapping[str, Raw]:
        """Return all that is said of a node, less what is said of its installation."""
        key = _key(spec_hash)
        said = decode_json(self.records[spec_hash], _RECORD, key)
        return read_record(said.spec, f"{key}.spec")

    def _read_record(self, spec_hash: str) -> tuple[SpecNode, Counted, bool, str]:
        key = _key(spec_hash)
        install = decode_json(self.records[spec_hash], _INSTALL, key)
        node = install.spec
        if not node.name:
            by_name = decode_json(self.records[spec_hash], _INSTALL_BY_NAME, key)
            node = only_node(by_name.spec, NODE, f"{key}.spec")
        entry = self._entry(node, install, spec_hash)
        return node, entry, bool(install.explicit), f"{key}.spec"

    def _entry(self, names: NodeNames, install: _InstallState, spec_hash: str) -> Counted:
        is_counted = spec_hash not in self.elsewhere and self._is_counted(install)
        tags = self._tags if is_counted else ()
        return Counted(
            names.name, names.only_version(f"{_key(spec_hash)}.spec"), tags, self._stacks
        )

    def _is_counted(self, install: _InstallState) -> bool:
        if self._counts_installed:
            return bool(install.installed)
        if install.in_buildcache is None:
            return self.counts_unsaid
        return install.in_buildcache


def open_database(
    content: FileContent,
    place: Place,
    builds: SharedBuilds,
    elsewhere: frozenset[str] = frozenset(),
    *,
    counts_installed: bool,
) -> Listing:
    """Return what a database lists, less what is `elsewhere`; raises FormatError."""
    database = decode_json(content, _DOCUMENT).database
    if database is None:
        raise FormatError("database: missing; this is no index or database of Spack's")
    records = records_by_hash(database.installs, "database.installs")
    _check_nothing_is_lost(content, records)
    return _InstallListing(
        place, records, database.version, builds, elsewhere, counts_installed=counts_installed
    )


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
