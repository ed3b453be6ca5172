"""Catalogs from a stranger: each field holds, in turn, what could break a report."""

import json
from pathlib import Path

from tests.support.helpers import entries_of, spec, write_files
from tests.support.oracle import Record

VALUES = {
    "pipe": "a|b",
    "backslash before a pipe": "a\\|b",
    "backslashes": "a\\\\b\\",
    "backticks": "a`b``c```d",
    "emphasis": "*x* __y__",
    "strikethrough": "~a~b~ ~~c~~",
    "script": "<script>alert(1)</script>",
    "comment begins": "<!--",
    "comment ends": "-->",
    "section ends": "]]>",
    "fold ends": "</details></summary>",
    "code ends": "</code>",
    "entity": "&lt;b&gt; &amp;",
    "mention": "@someone",
    "issue": "#1 org/repo#1",
    "commit": "0123456789abcdef0123456789abcdef01234567",
    "link": "[x](https://example.org) https://example.org ![y](z.png)",
    "line break": "a\nb\n\n# c",
    "carriage return": "a\rb",
    "colour": "a\x1b[31mb\x1b]8;;https://example.org\x07c",
    "right-to-left override": "a\u202eb",
    "byte order mark": "a\ufeffb",
    "NUL": "a\x00b",
    "long": "a" * 10_000,
    "formula": "=1+1",
    "formula with minus": "-1+1",
    "formula with at": "@SUM(1)",
    "blank": " a ",
    "quotes": "'a\"b",
    "template": "{{ 7 * 7 }}{% raw %}",
    "markup": "[bold red]a[/bold red] :smile:",
}
"""By what it tries: the value."""

PLACES = ("package", "stack", "tag", "version", "compiler", "os", "variants")
"""Where a value can stand, in a report for people too; `target` is never told."""


def write_catalogs(folder: Path, place: str, value: str) -> tuple[Path, Path]:
    """Write two catalogs that differ in every kind of way, with the value in one place."""
    before = [
        _spec("a", "1.0"),
        _spec("b", "1.1", os="rhel8"),
        _spec("c", "3.0"),
        _spec("d", "0.9"),
    ]
    after = [_spec("e", "1.0"), _spec("f", "2.0"), _spec("g", "3.0", os="rhel8")]
    before.append(_spec("h", "5.0", compiler="gcc@9", stacks="gone root"))
    after.append(_spec("i", "5.0", compiler="gcc@9", stacks="come root"))
    sides = []
    for name, records in (("old", before), ("new", after)):
        placed = [_placed(record, place, value) for record in records]
        title = value if place == "package" else "zlib"
        tag = value if place == "tag" else "develop"
        page = _page(title, tag, placed)
        sides.append(write_files(folder / name, {"_cache/develop/zlib/specs.md": page}))
    return sides[0], sides[1]


def _spec(name: str, version: str, **fields: str) -> Record:
    return spec(name, version, variants="+mpi ~cuda", **fields)


def _placed(record: Record, place: str, value: str) -> Record:
    if place == "stack":
        return record | {"stacks": [value, *record["stacks"]]}
    if place == "version":
        return record | {"versions": [record["versions"][0] + value]}
    if place == "variants":
        return record | {"variants": [*record["variants"], value + record["versions"][0]]}
    if place in ("compiler", "os", "target"):
        return record | {place: value + record["versions"][0][:1]}
    return record


def _page(title: str, tag: str, records: list[Record]) -> str:
    head = f"title: {json.dumps(title)}\nlayout: cache\ncategories: [package, {json.dumps(tag)}]"
    return f"---\n{head}\nspec_details: {json.dumps(entries_of(records))}\n---\n"
