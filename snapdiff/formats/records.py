"""The records of a page, `spec_details`, as specs by hash (specification, section 1).

A list of records has one meaning and two readers. The usual form, as the catalog's generator
writes it, is read in proportion to what is distinct in it: of the records that agree in all but
the hash only one is decoded. Whatever else JSON or YAML allows goes the plain way. Both give the
same specs, or the same error.
"""

import re
from collections import Counter
from collections.abc import Iterable
from typing import Annotated, Any, NamedTuple

import msgspec
from msgspec import Meta, Struct

from snapdiff.errors import FormatError
from snapdiff.limits import VERSION_PARTS
from snapdiff.model import Build, counting_stacks

HASH_LENGTH = 32
"""Spack's DAG hash in base 32: the first 160 bits of a digest (Spack's `spack.hash_types`)."""

_HASH_ALPHABET = "abcdefghijklmnopqrstuvwxyz234567"
_HASH_BYTES = _HASH_ALPHABET.encode("ascii")
_HASH = re.compile(f"[{_HASH_ALPHABET}]{{{HASH_LENGTH}}}")
_PART = re.compile("[0-9]+|[^0-9._-]+")
_HASH_KEY = b'"hash": "'
_BETWEEN = b"}, "


class Record(Struct, frozen=True):
    """An entry of `spec_details`; keys that are not named here carry nothing we compare."""

    hash: str
    versions: Annotated[tuple[str, ...], Meta(min_length=1, max_length=1)]
    compiler: str
    os: str
    platform: str
    target: str
    variants: tuple[str, ...]
    stacks: tuple[str, ...]

    def meaning(self) -> tuple[Any, ...]:
        """Return what the record says, free of the order of its lists."""
        fields = (self.versions, self.compiler, self.os, self.platform, self.target)
        return (*fields, frozenset(self.variants), frozenset(self.stacks))


class SharedSpecs(NamedTuple):
    """Two versions of a page: what is in both word for word, as numbers, and the specs of one."""

    shared: Counter[Build]
    old: dict[str, Build]
    new: dict[str, Build]


_RECORD = msgspec.json.Decoder(Record)


class _UnusualError(Exception):
    """The text is not in the usual form: the plain reader has to tell what it says."""


class _Builds(dict[tuple[bytes, bytes], Build]):
    """By the text of a record before and after its hash: how its specs were built."""

    def __missing__(self, around_hash: tuple[bytes, bytes]) -> Build:
        before, after = around_hash
        if not after.endswith(_BETWEEN):
            raise _UnusualError
        text = b"{%b%b%b" % (before, _HASH_KEY, after.removesuffix(_BETWEEN[1:]))
        try:
            decoded = _RECORD.decode(text)
        except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
            # Where the hash is none, the text after its length may begin inside a character.
            raise _UnusualError from error
        if _has_too_many_parts(decoded.versions[0]):
            raise _UnusualError
        if decoded.hash or b"\\" in text or text.count(b'"hash"') != 1:
            raise _UnusualError
        known = self[around_hash] = build_of(decoded)
        return known


class _Specs(NamedTuple):
    """Hash and build of each of some specs."""

    hashes: list[bytes]
    builds: list[Build]

    def by_hash(self) -> dict[str, Build]:
        return dict(zip(map(bytes.decode, self.hashes), self.builds, strict=True))


class RecordReader:
    """Reads the records of pages that are likely to agree: what two of them share is read once."""

    def __init__(self) -> None:
        """Begin with nothing known."""
        self._builds = _Builds()
        self._latest: dict[str, Build] = {}
        self._hash_in: dict[bytes, str] = {}

    def read_usual(self, details: memoryview) -> dict[str, Build] | None:
        """Return the specs of a list by hash, or None where that takes the plain reader.

        What stood in the list before this one in the same words is not read again.
        """
        try:
            texts = _record_texts(details)
            come = [text for text in texts if text not in self._hash_in]
            read = self._specs(come).by_hash()
        except _UnusualError:
            return None
        gone = self._hash_in.keys() - texts
        specs = self._latest.copy()
        for text in gone:
            del specs[self._hash_in[text]]
        specs.update(read)
        if len(specs) != len(texts):
            return None  # a hash comes twice
        for text in gone:
            del self._hash_in[text]
        self._hash_in.update(zip(come, read, strict=True))
        self._latest = specs
        return specs

    def count_usual(self, details: memoryview) -> Counter[Build] | None:
        """Return how many specs of each build a list has, or None as `read_usual` does."""
        try:
            specs = self._specs(_record_texts(details))
        except _UnusualError:
            return None
        if len(set(specs.hashes)) != len(specs.hashes):
            return None  # a hash comes twice
        return Counter(specs.builds)

    def read_shared(self, old: memoryview, new: memoryview) -> SharedSpecs | None:
        """Return the specs of two lists, or None where each of them has to be read alone.

        What stands on both sides in the same words is read once.
        """
        try:
            before, after = _record_texts(old), _record_texts(new)
            in_old, in_new = set(before), set(after)
            shared = self._specs([text for text in before if text in in_new])
            gone = self._specs([text for text in before if text not in in_new])
            come = self._specs([text for text in after if text not in in_old])
        except _UnusualError:
            return None
        if len(in_new) != len(after):
            return None  # a record comes twice
        known = set(shared.hashes)
        for specs in (gone, come):
            if len(known.union(specs.hashes)) != len(shared.hashes) + len(specs.hashes):
                return None  # a hash comes twice
        return SharedSpecs(Counter(shared.builds), gone.by_hash(), come.by_hash())

    def _specs(self, texts: list[bytes]) -> _Specs:
        """Return what records say; raises _UnusualError.

        A record is cut at its hash. This is right where the record, its hash taken out, decodes as
        one with an empty hash: with no backslash in the text, `"hash": "` can be nothing but a key
        and the start of its value, and with no second `"hash"` it is the key that counts.
        """
        known = self._builds
        hashes, builds = [], []
        for text in texts:
            before, _, after = text.partition(_HASH_KEY)
            hashes.append(after[:HASH_LENGTH])
            builds.append(known[before, after[HASH_LENGTH:]])
        joined = b"".join(hashes)
        if len(joined) != HASH_LENGTH * len(texts) or joined.translate(None, _HASH_BYTES):
            raise _UnusualError
        return _Specs(hashes, builds)


def _record_texts(details: memoryview) -> list[bytes]:
    """Return the text of each record of a JSON list; raises _UnusualError.

    It is cut at every opening brace, and each text lacks its own and ends as if one more came. This
    is right where each decodes as a record: put together again, they are this list and no other.
    """
    if bytes(details[:2]) != b"[{" or bytes(details[-2:]) != b"}]":
        raise _UnusualError
    texts = bytes(details[2:-1]).split(b"{")
    texts[-1] += _BETWEEN[1:]
    return texts


def _has_too_many_parts(version: str) -> bool:
    return len(version) > VERSION_PARTS and len(_PART.findall(version)) > VERSION_PARTS


def read_plain(records: Iterable[Record]) -> dict[str, Build]:
    """Return specs by hash; a record given twice counts once.

    Raises FormatError where a hash is none, or comes twice with different content.
    """
    seen: dict[str, Record] = {}
    for position, record in enumerate(records):
        if not _HASH.fullmatch(record.hash):
            raise FormatError(
                f"spec_details[{position}].hash: {record.hash[:64]!r} is not a hash "
                f"({HASH_LENGTH} characters a-z and 2-7)"
            )
        if _has_too_many_parts(record.versions[0]):
            raise FormatError(
                f"spec_details[{position}].versions[0]: a version of over {VERSION_PARTS} parts, "
                f"{record.versions[0][:64]!r} and so on"
            )
        earlier = seen.setdefault(record.hash, record)
        if earlier is not record and earlier.meaning() != record.meaning():
            raise FormatError(
                f"spec_details[{position}].hash: {record.hash} comes twice, with different content"
            )
    return {spec_hash: build_of(record) for spec_hash, record in seen.items()}


def build_of(record: Record) -> Build:
    """Return how a record's spec was built."""
    return Build(
        record.versions[0],
        record.compiler,
        record.os,
        record.platform,
        record.target,
        tuple(sorted(record.variants)),  # their order says nothing, and a report shows them
        counting_stacks(record.stacks),
    )
