"""A configuration file: what is read, what is refused, and the line that an error names."""

import json
import re
import tomllib
from datetime import date
from typing import Any, get_args

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import UNSET
from msgspec.structs import fields

from snapdiff.errors import FormatError
from snapdiff.limits import KEY_PARTS, SETTINGS_SIZE
from snapdiff.report_formats import REPORT
from snapdiff.result.packages import Kind
from snapdiff.settings import (
    AcceptedChange,
    CatalogSettings,
    DiffSection,
    line_of,
    read_settings,
    settings_schema,
)
from tests.support.helpers import run_cli
from tests.support.work import seconds, yardstick

EVERYTHING = """\
[diff]
format = "comment"
group-by = "package"
tags = ["develop"]
stacks = ["e4s", "!ml-*"]
packages = ["py-*"]
kinds = ["removed"]
map-stack = { "e4s power" = "e4s-ppc64le" }

[gate]
fail-on = ["removed", "downgraded"]

[[gate.ignore]]
kind = "downgraded"
package = "hipblas,rccl"
stack = "e4s*"
until = 2026-12-01
reason = "ROCm 6.4 does not build"

[comment]
marker = "snapdiff/e4s"

[changelog]
by = "week"
"""


def refused(content: str | bytes) -> str:
    """The error of a file that is refused."""
    with pytest.raises(FormatError) as caught:
        read_settings(content.encode("utf-8") if isinstance(content, str) else content)
    return str(caught.value)


def options_of(settings: CatalogSettings) -> dict[str, Any]:
    """The options that a file says something of."""
    return {name: value for name, _, value in settings.said()}


def test_everything_that_a_file_may_say_is_read() -> None:
    found = read_settings(EVERYTHING.encode("utf-8"))
    accepted = AcceptedChange(
        kind=Kind.DOWNGRADED,
        package="hipblas,rccl",
        stack="e4s*",
        until=date(2026, 12, 1),
        reason="ROCm 6.4 does not build",
    )
    assert options_of(found) == {
        "format_name": "comment",
        "group_by": "package",
        "tag": ("develop",),
        "stack": ("e4s", "!ml-*"),
        "package": ("py-*",),
        "kind": ("removed",),
        "stack_names": (("e4s power", "e4s-ppc64le"),),
        "fail_on": (Kind.REMOVED, Kind.DOWNGRADED),
        "ignore": (accepted,),
        "marker": "snapdiff/e4s",
        "by": "week",
    }
    sections = [getattr(found, section.name) for section in fields(found)]
    assert options_of(found).keys() == {it.name for section in sections for it in fields(section)}


@pytest.mark.parametrize("content", [b"", b"\n# nothing\n", b"[diff]\n[gate]\n"])
def test_a_file_may_say_nothing(content: bytes) -> None:
    assert read_settings(content) == CatalogSettings()
    assert options_of(read_settings(content)) == {}


@pytest.mark.parametrize(
    "content",
    [
        EVERYTHING.encode("utf-8"),
        EVERYTHING.replace("\n", "\r\n").encode("utf-8"),
        b"\xef\xbb\xbf" + EVERYTHING.encode("utf-8"),
    ],
)
def test_line_breaks_and_a_byte_order_mark_make_no_difference(content: bytes) -> None:
    assert read_settings(content) == read_settings(EVERYTHING.encode("utf-8"))


BAD: dict[str | bytes, str] = {
    "x = 1": "line 1: no key is called x;",
    "[diff]\n\nfromat = 'text'": "line 3: diff: no key is called fromat;",
    '[diff]\n"a\\nb" = 1': "line 2: diff: no key is called a\\nb;",
    "diff.fromat = 'text'": "line 1: diff: no key is called fromat;",
    "[gate]\n[gat]": "line 2: no key is called gat;",
    "[diff.tags]\nx = 1": "line 1: diff.tags: is to be a list, not a table;",
    "[comment]\nname = 'x'": "line 2: comment: no key is called name;",
    "diff = 3": "line 1: diff: is to be a table, not a number;",
    "[[diff]]": "line 1: diff: is to be a table, not a list;",
    "[diff]\nstacks = 'e4s'": "line 2: diff.stacks: is to be a list, not text in quotes;",
    "[diff]\ntags = [\n'a',\n3]": "line 2: diff.tags[1]: is to be text in quotes, not a number;",
    "[diff]\ngroup-by = 'x'": "line 2: diff.group-by: 'x' is none of stack, package;",
    "[[gate.ignore]]\nkind = 'x'": "line 2: gate.ignore[0].kind: 'x' is none of added, removed, ",
    "[diff]\ngroup-by = true": "line 2: diff.group-by: is to be text in quotes, not true ",
    "[diff]\nformat = 'htlm'": "line 2: diff.format: 'htlm' is none of markdown, comment, text, ",
    "[diff]\nformat = 'unknown field'": "line 2: diff.format: 'unknown field' is none of ",
    "[diff]\nmap-stack = ['a=b']": "line 2: diff.map-stack: is to be a table, not a list;",
    "[diff.map-stack]\na = 'b'\nc = 1": (
        "line 1: diff.map-stack[...]: is to be text in quotes, not a number;"
    ),
    "[diff]\nlimits = 1": "line 2: diff: no key is called limits;",
    "[diff]\noutput = '/etc/passwd'": "line 2: diff: no key is called output;",
    "[diff]\ntemplate = 'x'": "line 2: diff: no key is called template;",
    "[gate]\nfail-on = [\n'removed',\n'remvoed',\n]": (
        "line 2: gate.fail-on[1]: 'remvoed' is none of added, removed, upgraded, "
    ),
    "[gate]\nignore = [{kind = 'added'}]": (
        "line 2: gate.ignore[0]: names neither a package nor a stack;"
    ),
    "[[gate.ignore]]\nkind = 'added'\nstack = '*, !'": (
        "line 3: gate.ignore[0].stack: each ! takes the name that it leaves out;"
    ),
    "[[gate.ignore]]\nkind = 'added'\npackage = '! ,hdf5'": (
        "line 3: gate.ignore[0].package: each ! takes the name that it leaves out;"
    ),
    "[[gate.ignore]]\nkind = 'added'\nstack = 'a'\n\n[[gate.ignore]]\nstack = 'b'": (
        "line 5: gate.ignore[1]: kind is missing;"
    ),
    "[[gate.ignore]]\nkind = 'added'\nstack = 'a'\nuntil = '2026-12-01'": (
        "line 4: gate.ignore[0].until: is to be a day (2026-12-31), not text in quotes;"
    ),
    "[[gate.ignore]]\nkind = 'added'\nstack = 'a'\nuntil = 2026-12-01T10:00:00": (
        "line 4: gate.ignore[0].until: is to be a day (2026-12-31), not a day with a time;"
    ),
    "[[gate.ignore]]\nkind = 'added'\nstack = ['a']": (
        "line 3: gate.ignore[0].stack: is to be text in quotes, not a list;"
    ),
    "[[gate.ignore]]\nkind = 'added'\nstack = 'a'\nkinds = 1": (
        "line 4: gate.ignore[0]: no key is called kinds;"
    ),
    "[comment]\nmarker = 'a -->'": (
        "line 2: comment.marker: a marker is made of letters, digits and . _ / with single dashes;"
    ),
    '[comment]\nmarker = "a\\n"': "line 2: comment.marker: a marker is made of letters, ",
    "[changelog]\nby = 'year'": "line 2: changelog.by: 'year' is none of commit, day, week, ",
    "a = 1\na = 2": "is no TOML: Cannot overwrite a value (at the end, in what begins on line 2)",
    "[diff]\n\n[diff]\n": "is no TOML: Cannot declare ('diff',) twice (at line 3, ",
    "[diff]\nx = '": 'is no TOML: Expected "\'" (at the end, in what begins on line 2)',
    "[diff]\n\nstacks = [\n'a',\n\n": (
        "is no TOML: Invalid value (at the end, in what begins on line 3)"
    ),
    "# a\n[gate": (
        "is no TOML: Expected ']' at the end of a table declaration "
        "(at the end, in what begins on line 2)"
    ),
    '[diff]\r\nx = """\r\na\r\n': (
        "is no TOML: Unterminated string (at the end, in what begins on line 2)"
    ),
    "[diff]\rformat = 'text'": "is no TOML: Expected newline or end of document ",
    "a = 2026-02-30": "is no TOML: Invalid date or datetime (at line 1, ",
    f"a = {'[' * 5000}": "a value in it is too deep or too long",
    f"a = {'9' * 5000}": "a value in it is too deep or too long",
    "a" + ".a" * KEY_PARTS + " = 1": "line 1: a key has too many parts",
    b"[diff]\n#\xff": "line 2: is not UTF-8; save the file as UTF-8",
    "[diff]\n".encode("utf-16"): "line 1: is not UTF-8; save the file as UTF-8",
    b"#" * (SETTINGS_SIZE + 1): "has more than 65,536 bytes, and that is the limit",
}


@pytest.mark.parametrize(("content", "error"), BAD.items(), ids=lambda value: str(value)[:30])
def test_a_bad_file_is_refused_with_the_line(content: str | bytes, error: str) -> None:
    assert refused(content).startswith(error)
    assert "\n" not in refused(content)


@pytest.mark.parametrize(
    ("text", "path", "line"),
    [
        ('[diff]\nstacks = ["""\n[gate]\n"""]\nfoo = 1', ("diff", "foo"), 5),
        ("[diff]\ntags = ['''\n\n[\n''', '\"[']\nfoo=1", ("diff", "foo"), 6),
        ('[diff]\nkinds = ["# \\"]"] # ]]\n\n"fo\\u006f" = 1', ("diff", "foo"), 4),
        ("a = {b = 1, c = {d = [1]}}", ("a", "c", "d"), 1),
        ("a = [\n{b = 1},\n{b = [{c = 1},\n{c = 2}]},\n]\nd = 1", ("d",), 6),
        ("\n\n#\n[a]\n#\nb.c = 1\nb.d = 2", ("a", "b", "d"), 7),
        ("[[a]]\nb = 1\n[[a]]\n[a.c]\nd = 1", ("a", 1, "c", "d"), 5),
        ("[a]\nb = 1", ("a", "c"), 1),
    ],
)
def test_the_line_is_that_on_which_the_statement_begins(
    text: str, path: tuple[str | int, ...], line: int
) -> None:
    assert line_of(text, path) == line


SCALARS = st.one_of(
    st.integers(), st.booleans(), st.text("a'\"#[]{}=.\n,\\", max_size=8), st.dates()
)
VALUES = st.recursive(SCALARS, lambda inner: st.lists(inner, max_size=3), max_leaves=6)


def written(value: Any) -> str:
    """A value as TOML; lists with line breaks, and with a comment that means nothing."""
    if isinstance(value, list):
        return "[ # ]\n" + "".join(f"{written(item)},\n" for item in value) + "]"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return json.dumps(value)
    return str(value)


@given(st.lists(st.tuples(st.booleans(), VALUES), min_size=1, max_size=8))
def test_the_line_of_every_key_is_where_it_was_written(entries: list[tuple[bool, Any]]) -> None:
    text = ""
    expected: dict[tuple[str, ...], int] = {}
    for number, (is_header, value) in enumerate(entries):
        line = text.count("\n") + 1
        if is_header:
            text += f"[t{number}] # [x]\nk = {written(value)}\n\n"
            expected[f"t{number}",] = line
            expected[f"t{number}", "k"] = line + 1
        else:
            text += f"[t{number}.u]\nv.w = {written(value)}\n"
            expected[f"t{number}", "u", "v", "w"] = line + 1
    tomllib.loads(text)
    assert {path: line_of(text, path) for path in expected} == expected


KEYS = [
    "kind",
    "package",
    "stack",
    "until",
    "reason",
    "format",
    "tags",
    "map-stack",
    "ignore",
    "by",
]
WORDS = st.one_of(st.sampled_from([*Kind, "text", "stack", "week"]), SCALARS)
ITEMS = st.recursive(
    WORDS,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from(KEYS), inner),
    max_leaves=8,
)


def in_line(value: Any) -> str:
    """A value as TOML, in one line."""
    if isinstance(value, dict):
        return f"{{{', '.join(f'{key} = {in_line(item)}' for key, item in value.items())}}}"
    if isinstance(value, list):
        return f"[{', '.join(map(in_line, value))}]"
    return written(value)


@given(st.sampled_from(list(CatalogSettings.__struct_fields__)), st.sampled_from(KEYS), ITEMS)
def test_whatever_is_said_is_read_or_refused(section: str, key: str, value: Any) -> None:
    content = f"[{section}]\n{key} = {in_line(value)}\n".encode()
    try:
        said: Any = options_of(read_settings(content))
    except FormatError as error:
        said = str(error)
    assert said if isinstance(said, dict) else said.startswith("line 2: ")


@pytest.mark.slow
@pytest.mark.parametrize(
    "content",
    [
        "[" + ".".join(["a"] * (SETTINGS_SIZE // 4)) + "]\n" + "b=1\n" * (SETTINGS_SIZE // 8),
        ".".join(["a"] * (SETTINGS_SIZE // 2 - 8)) + " = 1",
        "".join(f"x.b{number:x}=1\n" for number in range(SETTINGS_SIZE // 10)),
        "[[gate.ignore]]\n" * (SETTINGS_SIZE // 16),
        "diff = {" + ",".join(f"b{number:x}=1" for number in range(SETTINGS_SIZE // 9)) + "}",
        "a = " + "'''" * (SETTINGS_SIZE // 4),
        'a = """' + '\\"' * (SETTINGS_SIZE // 3),
    ],
    ids=["deep table", "deep key", "many keys", "many tables", "inline", "quotes", "escapes"],
)
def test_a_hostile_file_ends_soon(content: str) -> None:
    # A hundred times what it takes; it once took minutes.
    assert seconds(lambda: refused(content)) < 6000 * yardstick()


def test_the_schema_takes_what_is_read_and_refuses_what_is_refused() -> None:
    schema = settings_schema()
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    validator.validate(json.loads(json.dumps(tomllib.loads(EVERYTHING), default=str)))
    for content, error in BAD.items():
        # JSON has no dates, and a `$` is before a line break to Python alone.
        if isinstance(content, bytes) or re.search("TOML|too ", error):
            continue
        if "until" not in content and "\\n" not in content:
            assert not validator.is_valid(tomllib.loads(content)), content


def test_the_schema_is_printed() -> None:
    assert json.loads(run_cli("schema", "--of", "config").out) == settings_schema()
    assert run_cli("schema").out == run_cli("schema", "--of", "report").out
    assert run_cli("schema", "--of", "sumarry").status == 2


def test_the_formats_are_those_that_there_are() -> None:
    [info] = [field for field in fields(DiffSection) if field.name == "format_name"]
    literal, unset = get_args(info.type)
    assert set(get_args(literal)) == set(REPORT)
    assert unset is type(UNSET)
