"""What a catalog's configuration file may say, and how it is read. Nothing is opened.

An attribute is called as the option of the command line that it stands for, and a key as people
write it (docs/specification.md, section 12). What is not here cannot be said: no file to read or
write, no limit, nothing to leave out. An error names the line.
"""

import functools
import re
import tomllib
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from datetime import date
from difflib import get_close_matches
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType, field

from snapdiff.errors import FormatError
from snapdiff.limits import KEY_PARTS, SETTINGS_SIZE
from snapdiff.report_formats import REPORT
from snapdiff.reports import MARKER_NAME, By
from snapdiff.result import Kind
from snapdiff.safe_text import shown

Globs = tuple[str, ...]
"""Globs as the filters of the command line take them."""


if TYPE_CHECKING:
    ReportFormat = str
else:
    ReportFormat = Literal[tuple(REPORT)]


class DiffSection(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What is compared and how it is reported; a changelog takes what concerns it."""

    format_name: ReportFormat | UnsetType = field(name="format", default=UNSET)
    group_by: Literal["stack", "package"] | UnsetType = field(name="group-by", default=UNSET)
    tag: Globs | UnsetType = field(name="tags", default=UNSET)
    stack: Globs | UnsetType = field(name="stacks", default=UNSET)
    package: Globs | UnsetType = field(name="packages", default=UNSET)
    kind: Globs | UnsetType = field(name="kinds", default=UNSET)
    map_stack: dict[str, str] | UnsetType = field(name="map-stack", default=UNSET)


class AcceptedChange(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A change that the gate lets pass: of a kind, and of packages, stacks or both.

    `package` and `stack` are globs, several of them with commas between; one that is missing stands
    for all. After the day `until` the change counts again. `reason` is for people.
    """

    kind: Kind
    package: str | UnsetType = UNSET
    stack: str | UnsetType = UNSET
    until: date | UnsetType = UNSET
    reason: str | UnsetType = UNSET

    def __post_init__(self) -> None:
        """Raise ValueError where a kind is all that is said: the gate would let all of it pass."""
        if self.package is UNSET and self.stack is UNSET:
            raise ValueError("names neither a package nor a stack; write which is accepted")


_OF_SOMETHING = Meta(
    extra_json_schema={"anyOf": [{"required": ["package"]}, {"required": ["stack"]}]}
)


class GateSection(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The kinds of change that nobody wants, and those that are accepted all the same."""

    fail_on: tuple[Kind, ...] | UnsetType = field(name="fail-on", default=UNSET)
    ignore: tuple[Annotated[AcceptedChange, _OF_SOMETHING], ...] | UnsetType = UNSET


class CommentSection(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How a comment on a pull request is found again."""

    marker: Annotated[str, Meta(pattern=f"^{MARKER_NAME}$(?!\\n)")] | UnsetType = UNSET


class ChangelogSection(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What makes a section of a changelog."""

    by: By | UnsetType = UNSET


class CatalogSettings(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """All that a configuration file may say."""

    diff: DiffSection = DiffSection()
    gate: GateSection = GateSection()
    comment: CommentSection = CommentSection()
    changelog: ChangelogSection = ChangelogSection()

    def options(self) -> dict[str, Any]:
        """Return the options that the file says something of, each with its value."""
        said = {name: value for name, _, value in self._said()}
        if "map_stack" in said:
            said["map_stack"] = tuple(said["map_stack"].items())
        return said

    def path_of(self, option: str) -> tuple[str, str]:
        """Return the section and the key that stand for an option that the file speaks of."""
        return next(path for name, path, _ in self._said() if name == option)

    def _said(self) -> Iterator[tuple[str, tuple[str, str], Any]]:
        for section_name in self.__struct_fields__:
            section = getattr(self, section_name)
            for info in msgspec.structs.fields(section):
                value = getattr(section, info.name)
                if value is not UNSET:
                    yield info.name, (section_name, info.encode_name), value


@functools.cache
def settings_schema() -> dict[str, Any]:
    """Return the JSON Schema (draft 2020-12) that a configuration file fits, read as TOML."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "snapdiff configuration",
        **msgspec.json.schema(CatalogSettings),
    }


# --- How it is read ---

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
    """Return the text of a configuration file, with line breaks as TOML takes them."""
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
    if "unknown field" in error:
        # The way in it is not asked: who chose the key may have written another one into it.
        for path, keys in _unknown_keys(table, settings_schema(), ()):
            near = get_close_matches(str(path[-1]), keys, 1)
            return path, f"is no key here; {f'did you mean {near[0]}?' if near else _choice(keys)}"
    found = _WAY.search(error)
    path = [key or int(n) for key, n in _STEP.findall(found[1] if found else "")]
    value: Any = table
    known = _resolved(settings_schema())
    for step in path:
        value = value[step]
        known = _resolved(known["items"] if isinstance(step, int) else known["properties"][step])
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


def _resolved(known: dict[str, Any]) -> dict[str, Any]:
    """Return a part of the JSON Schema, or the part that it refers to."""
    name = known.get("$ref", "").rpartition("/")[2]
    return settings_schema()["$defs"][name] if name else known


def _unknown_keys(
    value: Any, schema: dict[str, Any], way: KeyPath
) -> Iterator[tuple[KeyPath, list[str]]]:
    """Yield the way to each key that a schema does not have, and the keys that it has there."""
    known = _resolved(schema)
    if isinstance(value, dict) and "properties" in known:  # else it is a table of any keys
        keys = known["properties"]
        yield from (([*way, key], list(keys)) for key in value if key not in keys)
        for key, item in value.items():
            if key in keys:
                yield from _unknown_keys(item, keys[key], [*way, key])
    elif isinstance(value, list) and "items" in known:
        for place, item in enumerate(value):
            yield from _unknown_keys(item, known["items"], [*way, place])


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
    bool: "true or false",  # before numbers, which they are to Python
    int: "a number",
    float: "a number",
    list: "a list",
    dict: "a table",
}
"""What kinds of values are called."""


def _in_words(value: object) -> str:
    """Return a text as it is, of all else what kind of value it is."""
    if isinstance(value, str):
        return f'"{shown(value)}"'
    words = (words for kind, words in _WORDS.items() if isinstance(value, kind))
    return next(words, "a date or a time")


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

    Of a key that is missing, it is that of what it is missing from.
    """
    # It is the first statement after which the file, cut off there, has the value; so what a dotted
    # key, an inline table or a list of tables means is left to tomllib.
    every = list(statements(text))

    def has_it(statement: Statement) -> bool:
        value: Any = tomllib.loads(text[: statement.end])
        try:
            for step in path:
                value = value[step]
        except (KeyError, IndexError, TypeError):
            return False
        return True

    place = bisect_left(every, True, key=has_it)
    return every[place].line if place < len(every) else line_of(text, path[:-1])
