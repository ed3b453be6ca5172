"""The records of a page, `spec_details`, as specs by hash (contract, section 1).

A list of records has one meaning and two readers. The usual form, as the catalog's generator
writes it, is read in proportion to what is distinct in it: records are cut apart as text, and of
those that agree in all but the hash only one is decoded. Whatever else JSON or YAML allows goes
the plain way. Both give the same specs, or the same error.
"""

import re
from collections.abc import Iterable
from typing import Annotated, Any

import msgspec
from msgspec import Meta, Struct

from snapdiff.errors import FormatError
from snapdiff.model import Description, SpecClass, counting_stacks

HASH_LENGTH = 32
"""Spack's DAG hash in base 32: the first 160 bits of a digest (Spack's `spack.hash_types`)."""

_HASH_ALPHABET = "abcdefghijklmnopqrstuvwxyz234567"
_NOTHING_BUT_HASHES = str.maketrans("", "", _HASH_ALPHABET)
_HASH = re.compile(f"[{_HASH_ALPHABET}]{{{HASH_LENGTH}}}")
_HASH_KEY = '"hash": "'
_BETWEEN = "}, {"


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


_RECORD = msgspec.json.Decoder(Record)


class _UnusualError(Exception):
    """The text is not in the usual form: the plain reader has to tell what it says."""


class _Cuts(dict[str, tuple[str, str]]):
    """By the text between two hashes: the end of one record, and the beginning of the next."""

    def __missing__(self, text: str) -> tuple[str, str]:
        end, between, begin = text.partition(_BETWEEN)
        if not between or _BETWEEN in begin or '"hash"' in text:
            raise _UnusualError
        self[text] = end, begin
        return end, begin


class _Classes(dict[tuple[str, str], SpecClass]):
    """By the text of a record before and after its hash: the class of its specs."""

    def __missing__(self, record: tuple[str, str]) -> SpecClass:
        begin, end = record
        try:
            decoded = _RECORD.decode(f"{{{begin}{_HASH_KEY}{end}}}")
        except msgspec.DecodeError as error:
            raise _UnusualError from error
        if decoded.hash:
            raise _UnusualError
        known = self[record] = spec_class(decoded)
        return known


class RecordReader:
    """Reads the records of pages that are likely to agree: what two of them share is read once."""

    def __init__(self) -> None:
        """Begin with nothing known."""
        self._cuts = _Cuts()
        self._classes = _Classes()

    def read_usual(self, details: str) -> dict[str, SpecClass] | None:
        """Return the specs of `[{...}, {...}]` by hash, or None where that takes the plain reader.

        The text is cut at `"hash": "`, so that a piece is a hash, the end of its record and the
        beginning of the next. This is right where each record, its hash taken out, decodes as an
        object of its own that has an empty hash: then the list is the list of these objects. With
        no backslash in the text, `"hash": "` can be nothing but a key and the start of its value.
        """
        if "\\" in details or details[:2] != "[{" or details[-2:] != "}]":
            return None
        first, *pieces = f"{_BETWEEN}{details[2:-2]}{_BETWEEN}".split(_HASH_KEY)
        hashes = [piece[:HASH_LENGTH] for piece in pieces]
        if "".join(hashes).translate(_NOTHING_BUT_HASHES):
            return None
        cuts, classes = self._cuts, self._classes
        try:
            ends = [cuts[piece[HASH_LENGTH:]] for piece in pieces]
            begins = [cuts[first], *ends[:-1]]
            specs = {
                spec_hash: classes[before[1], after[0]]
                for spec_hash, before, after in zip(hashes, begins, ends, strict=True)
            }
        except _UnusualError:
            return None
        return specs if len(specs) == len(pieces) and ends[-1][1] == "" else None


def read_plain(records: Iterable[Record]) -> dict[str, SpecClass]:
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
        earlier = seen.setdefault(record.hash, record)
        if earlier is not record and earlier.meaning() != record.meaning():
            raise FormatError(
                f"spec_details[{position}].hash: {record.hash} comes twice, with different content"
            )
    return {spec_hash: spec_class(record) for spec_hash, record in seen.items()}


def spec_class(record: Record) -> SpecClass:
    """Return what a record says beside its hash."""
    description = Description(
        record.versions[0],
        record.compiler,
        record.os,
        record.platform,
        record.target,
        record.variants,
    )
    return SpecClass(description, counting_stacks(record.stacks))
