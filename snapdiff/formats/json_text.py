"""JSON as typed values, with errors that name the line or the key path."""

import codecs
import operator
import re
from collections import Counter
from collections.abc import Collection
from typing import TypeVar

import msgspec
from msgspec import Raw

from snapdiff.errors import FormatError

Typed = TypeVar("Typed")

_BYTE = re.compile(r"\(byte ([0-9]+)\)")
_MISSING = re.compile(r"Object missing required field `(.*)`")
_PLACE = re.compile(r"(.*) - at `(?:key` in `)?\$?([^`]*)`", re.DOTALL)
_CONFLICT = re.compile(rb"^(?:<{7}|={7}|>{7}|\|{7})(?: |\r?$)", re.MULTILINE)

HASH_LENGTH = 32
"""Spack's DAG hash in base 32: the first 160 bits of a digest (Spack's `spack.hash_types`)."""

_ALPHABET = b"abcdefghijklmnopqrstuvwxyz234567"

FileContent = bytes | Raw


class Key(str):
    """A key of a document; every one differs from every other.

    JSON allows the same key twice, and readers take the last. A document that lists two nodes under
    one hash, as a careless merge makes it, would lose one of them without a word. So keys are kept
    apart by what they are, not by what they say.
    """

    __slots__ = ()
    __eq__ = object.__eq__
    __hash__ = object.__hash__


def decode_json(content: FileContent, decoder: msgspec.json.Decoder[Typed], key: str = "") -> Typed:
    """Return what JSON at a path of keys says, in the decoder's type; raises FormatError."""
    try:
        return decoder.decode(content)
    except msgspec.ValidationError as error:
        raise type_error(error, key) from error
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        reason = _syntax_error(bytes(content), error)
        raise FormatError(f"{key}: {reason}" if key else reason) from error


def decoder_by_key(kind: type[Typed]) -> msgspec.json.Decoder[Typed]:
    """Return a decoder of a type that has mappings by `Key`."""
    # The hook is called with a type and a text: `Key` with a key.
    return msgspec.json.Decoder(kind, dec_hook=operator.call)


VALUES = decoder_by_key(dict[Key, Raw])


def values_by_key(content: FileContent, key: str = "") -> dict[str, Raw]:
    """Return the values of a mapping at the key path `key`; raises FormatError for a key twice."""
    return values_once(decode_json(content, VALUES, key), key)


def values_once(values: dict[Key, Typed], key: str) -> dict[str, Typed]:
    """Return values by their keys; raises FormatError where a key is there twice."""
    found = dict(zip(map(str, values), values.values(), strict=True))
    if len(found) < len(values):
        [(name, _)] = Counter(map(str, values)).most_common(1)
        raise there_twice(f"{key}.{name[:64]}".removeprefix("."))
    return found


def there_twice(place: str) -> FormatError:
    """Return the error that a key is there twice, of which readers would take the last."""
    return FormatError(f"{place}: is there twice; resolve the merge that left both")


def records_by_hash(records: dict[Key, Raw], key: str) -> dict[str, Raw]:
    """Return the records at the path `key`; raises FormatError for a bad hash, or one twice."""
    found = values_once(records, key)
    require_hashes(found, key)
    return found


def require_hashes(texts: Collection[str], key: str) -> None:
    """Raise FormatError where one of the keys of a mapping, whose key path is `key`, is no hash."""
    if not are_hashes(texts):
        place = f"{key}: " if key else ""
        text = next(text for text in texts if not are_hashes([text]))
        raise FormatError(f"{place}{text[:64]!r} is no hash, 32 characters of a-z and 2-7")


def are_hashes(texts: Collection[str]) -> bool:
    """Return whether every text is a hash; to ask for all at once takes a tenth of the time."""
    characters = "".join(texts).encode("utf-8", "replace")
    return set(map(len, texts)) <= {HASH_LENGTH} and not characters.translate(None, _ALPHABET)


def type_error(error: msgspec.ValidationError, key: str) -> FormatError:
    """Return msgspec's error as ours: it begins with the key path."""
    reason, path = str(error), ""
    if found := _PLACE.fullmatch(reason):
        reason, path = found[1], found[2]
    path = f"{key}{path.replace('[...]', '[]')}".removeprefix(".")
    if missing := _MISSING.fullmatch(reason):
        path, reason = f"{path}.{missing[1]}".removeprefix("."), "missing"
    elif reason.startswith(("Expected", "Integer")):
        reason = reason[0].lower() + reason[1:].replace("`", "")
    return FormatError(f"{path}: {reason}" if path else f"the document: {reason}")


def _syntax_error(content: bytes, error: Exception) -> str:
    """Return why a text is no JSON, as an error says it."""
    if conflict := _CONFLICT.search(content):
        line = content.count(b"\n", 0, conflict.start()) + 1
        return f"line {line}: a conflict marker of git; resolve the merge first"
    if content.startswith(codecs.BOM_UTF8):
        return "begins with a byte order mark, as no JSON does; save it as UTF-8 without one"
    if isinstance(error, RecursionError):
        return "lists and mappings within each other, deeper than a document can be"
    reason = str(error)
    # Before msgspec 0.23 Python's own error, then one of its own.
    if isinstance(error, UnicodeDecodeError) or "UTF-8" in reason:
        return "a text that is not UTF-8"
    if found := _BYTE.search(reason):
        line = content.count(b"\n", 0, int(found[1])) + 1
        return f"line {line}: no JSON ({reason.partition(': ')[2] or reason})"
    return "no JSON: the file ends early" if "truncated" in reason else f"no JSON: {reason}"
