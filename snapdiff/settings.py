"""What a catalog's configuration file may say, and how it is read. Nothing is opened.

An attribute is called as the option of the command line that it stands for, and a key as people
write it (docs/specification.md, section 12). What is not here cannot be said: no file to read or
write, no limit, nothing to leave out. An error names the line.
"""

import re
import tomllib
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from datetime import date
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple, get_args

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType, field

from snapdiff.errors import FormatError
from snapdiff.limits import KEY_PARTS, SETTINGS_SIZE
from snapdiff.report_formats import REPORT
from snapdiff.reports import MARKER_NAME, MARKER_RULE, By, GroupBy
from snapdiff.result.packages import Kind
from snapdiff.safe_text import shown

if TYPE_CHECKING:
    ReportFormat = str
else:
    ReportFormat = Literal[tuple(REPORT)]


class DiffSection(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What is compared and how it is reported; a changelog takes what concerns it.

    - `format`: the format of a report, where neither -f nor the suffix of -o says one
    - `group-by`: one list for each stack, or one for all (default)
    - `tags`: only these tags, such as develop, as globs
    - `stacks`: only these stacks, such as e4s; !GLOB leaves some out
    - `packages`: only these packages
    - `kinds`: only these kinds of change; a gate looks at all
    - `map-stack`: the old names of stacks, each with its new name
    """

    format_name: ReportFormat | UnsetType = field(name="format", default=UNSET)
    group_by: GroupBy | UnsetType = field(name="group-by", default=UNSET)
    tag: tuple[str, ...] | UnsetType = field(name="tags", default=UNSET)
    stack: tuple[str, ...] | UnsetType = field(name="stacks", default=UNSET)
    package: tuple[str, ...] | UnsetType = field(name="packages", default=UNSET)
    kind: tuple[str, ...] | UnsetType = field(name="kinds", default=UNSET)
    stack_names: dict[str, str] | UnsetType = field(name="map-stack", default=UNSET)


RULE_OF_GLOBS = "each ! takes the name that it leaves out"

# With nothing behind it, a "!" would leave out nothing, and accept everything.
_GLOBS = Meta(pattern=r"^(?!(?:.*,)?\s*!\s*(?:,|$))")


class AcceptedChange(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A change that the gate lets pass: of a kind, and of packages, stacks or both.

    - `kind`: one of the kinds of fail-on
    - `package`, `stack`: globs with commas between, where each ! takes the name that it leaves out;
      where it is missing, all are meant
    - `until`: a day: after it (in UTC) the change counts again
    - `reason`: a few words for people, repeated in the log
    """

    kind: Kind
    package: Annotated[str, _GLOBS] | UnsetType = UNSET
    stack: Annotated[str, _GLOBS] | UnsetType = UNSET
    until: date | UnsetType = UNSET
    reason: str | UnsetType = UNSET

    def __post_init__(self) -> None:
        """Raise ValueError where a kind is all that is said: the gate would let all of it pass."""
        if self.package is UNSET and self.stack is UNSET:
            raise ValueError("names neither a package nor a stack")


_OF_SOMETHING = Meta(
    extra_json_schema={"anyOf": [{"required": ["package"]}, {"required": ["stack"]}]}
)


class GateSection(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The kinds of change that nobody wants, and those that are accepted all the same.

    - `fail-on`: exit with 1 where this happened to a package
    - `ignore`: the changes that are accepted all the same
    """

    fail_on: tuple[Kind, ...] | UnsetType = field(name="fail-on", default=UNSET)
    ignore: tuple[Annotated[AcceptedChange, _OF_SOMETHING], ...] | UnsetType = UNSET


_OF_A_MARKER = Meta(pattern=f"^{MARKER_NAME}$(?!\\n)")


class CommentSection(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How a comment on a pull request is found again.

    - `marker`: the name in its invisible first line; a marker is made of letters, digits and . _ /
      with single dashes
    """

    marker: Annotated[str, _OF_A_MARKER] | UnsetType = UNSET


class ChangelogSection(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What makes a section of a changelog.

    - `by`: a section for each of these (default: commit)
    """

    by: By | UnsetType = UNSET


KeyPath = tuple[str | int, ...]
"""The way to a value: keys, and places in lists."""


class CatalogSettings(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """All that a configuration file may say.

    - `diff`: what is compared and how it is reported
    - `gate`: what must not happen, and what is accepted all the same
    - `comment`: the comment on a pull request
    - `changelog`: the sections of a changelog
    """

    diff: DiffSection = DiffSection()
    gate: GateSection = GateSection()
    comment: CommentSection = CommentSection()
    changelog: ChangelogSection = ChangelogSection()

    def said(self) -> Iterator[tuple[str, KeyPath, Any]]:
        """Yield the options that the file says something of, each with its key and its value."""
        for section_name in self.__struct_fields__:
            section = getattr(self, section_name)
            for info in msgspec.structs.fields(section):
                value = getattr(section, info.name)
                if value is not UNSET:
                    pairs = tuple(value.items()) if isinstance(value, dict) else value
                    yield info.name, (section_name, info.encode_name), pairs


def settings_schema() -> dict[str, Any]:
    """Return the JSON Schema that a configuration file fits, read as TOML."""
    from snapdiff.reports.json_report import described_schema  # late: who reads a file needs none

    return described_schema(CatalogSettings, "snapdiff configuration", globals(), {})


# --- How it is read ---


def read_settings(content: bytes) -> CatalogSettings:
    """Return what a configuration file asks for; raises FormatError, which names the line."""
    text, table = _parsed(content)
    try:
        return msgspec.convert(table, CatalogSettings, builtin_types=(date,))
    except msgspec.ValidationError as error:
        raise _located(text, str(error)) from error


def line_of_option(content: bytes, option: str) -> int:
    """Return the line of a configuration file that says something of an option."""
    [path] = [path for name, path, _ in read_settings(content).said() if name == option]
    return line_of(_parsed(content)[0], path)


def _parsed(content: bytes) -> tuple[str, dict[str, Any]]:
    """Return the text of a file, with line breaks as TOML takes them, and what it says."""
    if len(content) > SETTINGS_SIZE:
        raise FormatError(f"has more than {SETTINGS_SIZE:,} bytes, and that is the limit")
    try:
        text = content.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise FormatError(f"line {line}: is not UTF-8; save the file as UTF-8") from error
    for statement in _statements(text):
        if statement.dots >= KEY_PARTS:
            raise FormatError(f"line {statement.line}: a key has too many parts")
    try:
        return text, tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        *_, last = _statements(text)
        end = f"at the end, in what begins on line {last.line}"
        reason = str(error).replace("at end of document", end)
        raise FormatError(f"is no TOML: {shown(reason)}") from error
    except (RecursionError, ValueError) as error:  # int() refuses a number of 5,000 digits
        raise FormatError("a value in it is too deep or too long") from error


_FAULT = re.compile(r"(.*?)(?: - at `\$\.([^`]*)`)?", re.DOTALL)
"""What msgspec says of a value that it refuses, and of the place, as `gate.ignore[0].kind`."""

_RULES = dict.fromkeys(("package", "stack"), RULE_OF_GLOBS) | {"marker": MARKER_RULE}
"""By key what a text is to be, which msgspec says as a regular expression."""

_CHOICES: dict[str | int, Iterable[str]] = {
    "format": REPORT,
    "group-by": get_args(GroupBy),
    "fail-on": Kind,
    "kind": Kind,
    "by": get_args(By),
}
"""By key the words of which a value is to be one."""

_KINDS = {
    "array": "a list",
    "object": "a table",
    "str": "text in quotes",
    "int": "a number",
    "float": "a number",
    "bool": "true or false",
    "date": "a day (2026-12-31)",
    "datetime": "a day with a time",
    "time": "a time",
}
"""What people call the kinds of values that msgspec names."""


def _located(text: str, fault: str) -> FormatError:
    """Return the error for a value that msgspec refuses, with its line and place."""
    found = _FAULT.fullmatch(fault)
    assert found
    reason, place = found[1], f"{found[2]}: " if found[2] else ""
    path: KeyPath = tuple(
        int(step) if step.isdigit() else step for step in re.findall(r"[\w-]+", found[2] or "")
    )
    if "matching regex" in reason:
        reason = _RULES[str(path[-1])]
    elif other := re.fullmatch("Invalid enum value (.*)", reason, re.DOTALL):
        key = next(step for step in reversed(path) if isinstance(step, str))
        reason = f"{other[1]} is none of {', '.join(_CHOICES[key])}"
    elif kinds := re.fullmatch("Expected `(.*)`, got `(.*)`", reason):
        reason = f"is to be {_KINDS[kinds[1]]}, not {_KINDS[kinds[2]]}"
    elif missing := re.fullmatch("Object missing required field `(.*)`", reason):
        reason = f"{missing[1]} is missing"
    elif unknown := re.fullmatch("Object contains unknown field `(.*)`", reason, re.DOTALL):
        path += (unknown[1],)
        reason = f"no key is called {unknown[1]}"
    way_out = "snapdiff schema --of config says what may be there"
    return FormatError(f"line {line_of(text, path)}: {place}{shown(reason)}; {way_out}")


# --- The lines of the file: tomllib gives values without their places ---

_TOKEN = re.compile(
    r"""
    \"{3} (?: \\. | [^\\] )*? (?: \"{3,5} | \Z )  # in three quotes: several lines
  | \'{3} .*? (?: \'{3,5} | \Z )
  | \" (?: \\. | [^"\\\n] )* \"?   # without its end it is no TOML, and not sought for
  | \' [^'\n]* \'?
  | \# [^\n]*
  | [\[{\]}.\n]
    """,
    re.VERBOSE | re.DOTALL,
)
"""What may hold brackets, dots and line breaks that mean nothing, and those that mean something."""


class _Statement(NamedTuple):  # a table's header, or a key with its value
    line: int  # its first one
    end: int  # in the text
    dots: int  # those that are not in quotes: they join the parts of keys


def _statements(text: str) -> Iterator[_Statement]:
    """Yield the statements of a file that is TOML, blank lines and comments among them.

    Of a file that is not TOML they mean nothing, and take no longer.
    """
    line = first = 1
    depth = dots = 0
    for token in _TOKEN.finditer(text):
        line += token[0].count("\n")
        depth += (token[0] in ("[", "{")) - (token[0] in ("]", "}"))
        dots += token[0] == "."
        if token[0] == "\n" and depth <= 0:
            yield _Statement(first, token.end(), dots)
            first, depth, dots = line, 0, 0
    yield _Statement(first, len(text), dots)


def line_of(text: str, path: KeyPath) -> int:
    """Return the line on which the statement begins that gives a value, in a file that is TOML.

    Of a key that is missing, it is that of what it is missing from.
    """
    # It is the first statement after which the file, cut off there, has the value; so what a dotted
    # key, an inline table or a list of tables means is left to tomllib.
    every = list(_statements(text))

    def has_it(statement: _Statement) -> bool:
        value: Any = tomllib.loads(text[: statement.end])
        try:
            for step in path:
                value = value[step]
        except (KeyError, IndexError, TypeError):
            return False
        return True

    place = bisect_left(every, True, key=has_it)
    return every[place].line if place < len(every) else line_of(text, path[:-1])
