"""A configuration file's bytes become what it asks for, or an error that names the line."""

import contextlib
import re
import tomllib
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from datetime import date
from difflib import get_close_matches
from typing import Any, NamedTuple

import msgspec

from snapdiff.errors import FormatError
from snapdiff.limits import KEY_PARTS, SETTINGS_SIZE
from snapdiff.safe_text import shown
from snapdiff.settings.catalog_settings import CatalogSettings, settings_schema

KeyPath = Sequence[str | int]
"""The way to a value: keys, and places in lists."""

_PLACE = re.compile(r" \(at (?:line (\d+), column \d+|end of document)\)$")
"""How tomllib ends a message."""


def read_settings(content: bytes) -> CatalogSettings:
    """Return what a configuration file asks for.

    Raises FormatError, which names the line, where it is too large, no TOML, or says something
    that is not known.
    """
    text = _text(content)
    table = _parsed(text)
    try:
        return msgspec.convert(table, CatalogSettings, builtin_types=(date,))
    except msgspec.ValidationError as error:
        path, reason = _explained(str(error), table)
        raise FormatError(f"line {line_of(text, path)}: {_called(path)} {reason}") from error


def line_of_option(content: bytes, option: str) -> int:
    """Return the line of a configuration file that says something of an option."""
    return line_of(_text(content), read_settings(content).path_of(option))


def _text(content: bytes) -> str:
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


_WAY = re.compile(r" - at `\$([^`]*)`\Z")
_STEP = re.compile(r"\.([\w-]+)|\[(\d+)\]")
"""The way at the end of an error of msgspec, and a step; `[...]` is any key of a dictionary."""


def _explained(error: str, table: dict[str, Any]) -> tuple[KeyPath, str]:
    """Return the way to the value that msgspec refuses, and what is wrong with it."""
    found = _WAY.search(error)
    path: list[str | int] = [key or int(n) for key, n in _STEP.findall(found[1] if found else "")]
    if "unknown field" in error:
        return _unknown_key(table)
    value, known = _value_and_schema(table, path)
    if found and "[...]" in found[1]:
        path.append(next(key for key, item in value.items() if not isinstance(item, str)))
        value = value[path[-1]]
    reason = error[: found.start()] if found else error
    named = reason.partition("`")[2].rpartition("`")[0]
    if "missing required field" in reason:
        return path, f"has no {named}"
    if "enum" in known:
        return path, f"is {_in_words(value)}; {_choice(known['enum'])}"
    if "matching regex" in reason:
        return path, f"is {_in_words(value)}, which does not fit {known['pattern']}"
    if reason.startswith("Expected"):
        return path, f"is {_in_words(value)}, and is to be {_WANTED[named.partition('`')[0]]}"
    return path, reason  # of one of our own types


def _value_and_schema(value: Any, path: KeyPath) -> tuple[Any, dict[str, Any]]:
    """Return what a way leads to: the value, and the part of the JSON Schema that it is to fit."""
    schema = settings_schema()
    known = schema
    for step in (*path, None):
        if "$ref" in known:
            known = schema["$defs"][known["$ref"].rpartition("/")[2]]
        if step is not None:
            value = value[step]
            known = known["items"] if isinstance(step, int) else known["properties"][step]
    return value, known


def _unknown_key(table: dict[str, Any]) -> tuple[KeyPath, str]:
    """Return the way to a key that is not known, and what there is instead.

    The way in the error is not asked: who chose the key may have written another one into it.
    """
    for way in _ways_to_tables(table, ()):
        with contextlib.suppress(KeyError):  # of a table of any keys nothing is known
            value, schema = _value_and_schema(table, way)
            known = list(schema["properties"])
            for key in value:
                if key not in known:
                    return [*way, key], _not_among(key, known)
    raise AssertionError(table)


def _ways_to_tables(
    value: dict[str, Any] | list[Any], way: tuple[str | int, ...]
) -> Iterator[KeyPath]:
    if isinstance(value, dict):
        yield way
    inner = value.items() if isinstance(value, dict) else enumerate(value)
    for step, item in inner:
        if isinstance(item, dict | list):
            yield from _ways_to_tables(item, (*way, step))


def _not_among(key: str, known: Sequence[str]) -> str:
    found = get_close_matches(key, known, 1)
    return f"is no key here; {f'did you mean {found[0]}?' if found else _choice(known)}"


def _choice(known: Sequence[str]) -> str:
    return f"there are {', '.join(known)}" if len(known) > 1 else f"there is only {known[0]}"


def _called(path: KeyPath) -> str:
    """Return what a value is called: by its key and section, or by its place in a list."""
    *above, last = path
    if isinstance(last, int):
        return f"item {last + 1} of {shown(str(above[-1]))}"
    return f"{shown(last)}{f' in {_called(above)}' if len(above) > 1 else ''}"


_WANTED = {
    "object": "a table",
    "array": "a list, in square brackets",
    "date": "a day, without quotes: 2026-12-01",
    "str": "a text, in quotes",
}
"""What a value is to be, by msgspec's word for it."""

_WORDS = {
    bool: "true or false",
    int: "a number",
    float: "a number",
    list: "a list",
    dict: "a table",
}
"""What kinds of values are called; true and false are numbers to Python."""


def _in_words(value: object) -> str:
    """Return a value in an error: a text as it is, of all else what kind of value it is."""
    if isinstance(value, str):
        return f'"{shown(value)}"'
    return next(
        (words for kind, words in _WORDS.items() if isinstance(value, kind)), "a date or a time"
    )


# --- The lines of the file: tomllib gives values without their places ---

_TOKEN = re.compile(
    r"""
    (?P<text> \"{3} (?: \\. | [^\\] )*? (?: \"{3,5} | \Z )  # in three quotes: several lines
            | \'{3} .*? (?: \'{3,5} | \Z )
            | \" (?: \\. | [^"\\\n] )* \"?   # without its end it is no TOML, and not sought for
            | \' [^'\n]* \'? )
  | (?P<comment> \#[^\n]* )
  | (?P<open> [\[{] )
  | (?P<close> [\]}] )
  | (?P<end> \n )
  | (?P<dot> \. )
    """,
    re.VERBOSE | re.DOTALL,
)


class Statement(NamedTuple):
    """A table's header or a key with its value: its first line, where it ends, its dots.

    `dots` counts those that are not in quotes: they join the parts of keys.
    """

    line: int
    end: int
    dots: int


def statements(text: str) -> Iterator[Statement]:
    """Yield the statements of a file that is TOML, blank lines and comments among them.

    Of a file that is not TOML they mean nothing, and take no longer.
    """
    line = first = 1
    depth = dots = 0
    for token in _TOKEN.finditer(text):
        line += token[0].count("\n")
        depth += bool(token["open"]) - bool(token["close"])
        dots += bool(token["dot"])
        if token["end"] and depth <= 0:
            yield Statement(first, token.end(), dots)
            first, depth, dots = line, 0, 0
    yield Statement(first, len(text), dots)


def line_of(text: str, path: KeyPath) -> int:
    """Return the line on which the statement begins that gives a value, in a file that is TOML.

    That is the first statement after which the file, cut off there, has the value; so what a dotted
    key, an inline table or a list of tables means is left to tomllib. Where nothing has the value,
    as it is a key that is missing, the line is that of what it is missing from.
    """
    every = list(statements(text))

    def has_it(statement: Statement) -> bool:
        return _has(tomllib.loads(text[: statement.end]), path)

    place = bisect_left(every, True, key=has_it)
    return every[place].line if place < len(every) else line_of(text, path[:-1])


def _has(value: Any, path: KeyPath) -> bool:
    try:
        for step in path:
            value = value[step]
    except (KeyError, IndexError, TypeError):
        return False
    return True
