"""JSON that cannot be read: the line, or the key path, and the reason in plain words."""

import pytest
from msgspec import Raw, Struct

from snapdiff.errors import FormatError
from snapdiff.formats.json_text import Key, decode_json, decoder_by_key, records_by_hash

ONE, OTHER = "a" * 32, "b" * 32


class Named(Struct):
    """A document that has to have a name."""

    name: str


NAMED = decoder_by_key(Named)


@pytest.mark.parametrize(
    ("content", "key", "reason"),
    [
        (b"{}", "", "name: missing"),
        (b"{}", "specs.x", "specs.x.name: missing"),
        (b'{"name": 5}', "", "name: expected str, got int"),
        (b'\n{"name" 5}', "", "line 2: no JSON (expected ':' (byte 9))"),
        (b'\n{"name" 5}', "specs.x", "specs.x: line 2: no JSON (expected ':' (byte 9))"),
        (
            b"\xef\xbb\xbf{}",
            "",
            "begins with a byte order mark, as no JSON does; save it as UTF-8 without one",
        ),
        (b"\n<<<<<<< HEAD\n{}", "", "line 2: a conflict marker of git; resolve the merge first"),
    ],
)
def test_what_cannot_be_read_is_named_by_line_or_key_path(
    content: bytes, key: str, reason: str
) -> None:
    with pytest.raises(FormatError) as error:
        decode_json(content, NAMED, key)
    assert str(error.value) == reason


def test_the_key_that_is_there_twice_is_named_and_not_the_one_before_it() -> None:
    records = {Key(key): Raw(b"{}") for key in (ONE, OTHER, OTHER)}
    with pytest.raises(FormatError, match=f"^specs.{OTHER}: is there twice; resolve"):
        records_by_hash(records, "specs")


def test_of_a_long_key_that_is_no_hash_the_beginning_is_shown() -> None:
    records = {Key("x" * 65): Raw(b"{}")}
    with pytest.raises(FormatError, match=f"^specs: '{'x' * 64}' is no hash, 32 characters"):
        records_by_hash(records, "specs")
