"""The records of a page, `spec_details`, as specs by hash (docs/specification.md, section 1).

`read_records` is the plain way: it takes records that JSON or YAML made of a list of any form.
`RecordReader` is the quick way, for the text of a list as the catalog's generator writes it. Where
it is not sure what a text says, it returns None, and the plain way reads it. Both give
the same specs.
"""

from collections.abc import Iterable
from itertools import repeat
from sys import intern
from typing import Annotated

import msgspec
from msgspec import Meta, Struct
from msgspec.structs import astuple

from snapdiff.errors import FormatError
from snapdiff.formats.json_text import HASH_LENGTH, are_hashes
from snapdiff.limits import Limits, check_version, has_too_many_parts, over_limit
from snapdiff.model.specs import Build, counting_stacks

_HASH_KEY = '"hash": "'


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


def read_records(records: Iterable[Record]) -> dict[str, Build]:
    """Return specs by hash; a record given twice, also in two spellings, counts once.

    Raises FormatError if a hash is not one, or is there twice with different content.
    """
    found: dict[str, Build] = {}
    for position, record in enumerate(records):
        if not are_hashes([record.hash]):
            raise FormatError(
                f"spec_details[{position}].hash: {record.hash[:64]!r} is not a hash "
                f"({HASH_LENGTH} characters a-z and 2-7)"
            )
        check_version(record.versions[0], f"spec_details[{position}].versions[0]")
        build = _build_of(record)
        known = found.setdefault(record.hash, build)
        if known is build:
            continue
        if _meaning(known) != _meaning(build):
            raise FormatError(
                f"spec_details[{position}].hash: {record.hash} comes twice, with different content"
            )
        # Which of two spellings a report shows is not for the order of records to say.
        found[record.hash] = min(known, build, key=lambda it: astuple(it.spec("")))
    return found


def _meaning(build: Build) -> tuple[object, ...]:
    """Return what a build says, the same for every spelling."""
    return build.version, build.configuration, build.stacks


def _build_of(record: Record) -> Build:
    # Pages differ, their words do not: the builds of a day would hold ten times as many texts.
    return Build(
        record.versions[0],
        intern(record.compiler),
        intern(record.os),
        intern(record.platform),
        intern(record.target),
        tuple(sorted(map(intern, record.variants))),  # by name: a report shows them
        counting_stacks(record.stacks),
    )


# --- The quick way ---
#
# Nearly all of a page's records agree with others in everything but the hash. To compare 569 pages
# of 62 kB with their next version, in folders or in git, takes half of the processor time this way
# (0.7 seconds in place of 1.5).
#
# It cuts the text of the list into records, and each record at its hash; what is around the
# hash is decoded once for all records in which it is the same. Cutting text is safe where every
# part proves to be what it was taken for:
#
# - The list is cut at every `}, {`. If each part then decodes as a record within its braces, the
#   parts put together again are this list and no other.
# - A record is cut at the first `"hash": "`. If it decodes with an empty hash once its hash is
#   taken out, has no backslash and no second `"hash"`, that was the key and the start of its value.
#   No other key may be there twice, either: it would be the last value that counts.


_RECORD = msgspec.json.Decoder(Record)
_KEYS = [f'"{name}"' for name in Record.__struct_fields__]


class RecordReader(dict[tuple[str, str], Build]):
    """Reads the records of pages that are likely to agree: what they share is decoded once.

    As a mapping, it has what records say without their hashes, and decodes what it does not have.
    """

    def __missing__(self, around_hash: tuple[str, str]) -> Build:
        """Return the build; raises KeyError where the record is not in the usual form."""
        before, after = around_hash
        text = f"{{{before}{_HASH_KEY}{after}}}"
        if "\\" in text or any(text.count(key) != 1 for key in _KEYS):
            raise KeyError(around_hash)
        try:
            record = _RECORD.decode(text)
        except (msgspec.DecodeError, RecursionError) as error:
            raise KeyError(around_hash) from error
        if record.hash or has_too_many_parts(record.versions[0]):
            raise KeyError(around_hash)
        self[around_hash] = build = _build_of(record)
        return build

    def read(self, details: memoryview) -> dict[str, Build] | None:
        """Return the specs of a list by hash, or None where that takes the plain way."""
        if bytes(details[:2]) != b"[{" or bytes(details[-2:]) != b"}]":
            return None
        try:
            texts = str(details[2:-2], "utf-8").split("}, {")
        except UnicodeDecodeError:
            return None
        try:
            specs = {
                after[:HASH_LENGTH]: self[before, after[HASH_LENGTH:]]
                for before, _, after in map(str.partition, texts, repeat(_HASH_KEY))
            }
        except KeyError:
            return None
        if len(specs) != len(texts) or not are_hashes(specs):
            return None  # a hash comes twice, or is none
        return specs


# --- What a report of them may take ---

_LINE = 1024
"""What a change costs in a report, in characters, beside what the page says of the spec."""

_ORDERING = 12
"""What a character of a version costs to be put in order, in the same measure."""


def check_listing(builds: Iterable[tuple[Build, int]], limits: Limits) -> None:
    """Raise FormatError where a report, which lists a spec once a stack, could be too long.

    The `builds` are those of a page, each with its number of specs.
    """
    text = 0
    for build, number in builds:
        fields = build.version_text, build.compiler, build.os, build.platform, build.target
        line = _LINE + sum(map(_shown_length, (*fields, *build.variants)))
        line += _ORDERING * len(build.version_text)
        text += number * len(build.stacks) * line
    if text > limits.text:
        what = "listing each spec once for each of its stacks takes too much"
        raise over_limit(what, limits.text, "characters")


def _shown_length(text: str) -> int:
    """Return how long a text is in a report at most: what cannot be printed is escaped."""
    return len(text) if text.isprintable() else len(text) * 8
