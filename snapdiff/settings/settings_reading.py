"""A configuration file's bytes become what it asks for, or an error that names the line."""

import re
import tomllib
from typing import Any

from msgspec.inspect import type_info

from snapdiff.errors import FormatError
from snapdiff.limits import KEY_PARTS, SETTINGS_SIZE
from snapdiff.safe_text import shown
from snapdiff.settings.catalog_settings import CatalogSettings
from snapdiff.settings.toml_statements import line_of, statements
from snapdiff.settings.typed_values import WrongValueError, typed_value

_PLACE = re.compile(r" \(at (?:line (\d+), column \d+|end of document)\)$")
"""How tomllib ends a message."""


def read_settings(content: bytes) -> CatalogSettings:
    """Return what a configuration file asks for.

    Raises FormatError, which names the line, where it is too large, no TOML, or says something
    that is not known.
    """
    text = settings_text(content)
    try:
        settings = typed_value(_parsed(text), type_info(CatalogSettings))
    except WrongValueError as error:
        raise FormatError(f"line {line_of(text, error.path)}: {error}") from error
    assert isinstance(settings, CatalogSettings)
    return settings


def settings_text(content: bytes) -> str:
    """Return the text of a configuration file, with line breaks as TOML takes them.

    Raises FormatError where it is too large, or not in UTF-8.
    """
    if len(content) > SETTINGS_SIZE:
        raise FormatError(f"has more than {SETTINGS_SIZE:,} bytes, and that is the limit")
    try:
        return content.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise FormatError(f"line {line}: is not UTF-8; save the file as UTF-8") from error


def _parsed(text: str) -> dict[str, Any]:
    for statement in statements(text):
        if statement.dots >= KEY_PARTS:
            raise FormatError(f"line {statement.line}: a key has too many parts")
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        found = _PLACE.search(str(error))
        line = found[1] if found and found[1] else text.rstrip("\n").count("\n") + 1
        reason = shown(_PLACE.sub("", str(error)))
        raise FormatError(f"line {line}: is no TOML: {reason}") from error
    except (RecursionError, ValueError) as error:  # int() refuses a number of 5,000 digits
        raise FormatError("a value in it is too deep or too long") from error
