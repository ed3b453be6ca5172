"""Catalogs from a stranger: each field holds, in turn, all that could break a report."""

import json
from collections.abc import Iterable
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


_LETTERS = "abcdefghijklmnopqrstuvwxyz234567"


HARMLESS = [f"x{number}" for number in range(len(VALUES))]
"""As many values that break nothing."""


def write_catalogs(
    folder: Path, place: str, values: Iterable[str] = VALUES.values()
) -> tuple[Path, Path]:
    """Write two catalogs that differ in every kind of way for each value, which is in one place."""
    for number, value in enumerate(values):
        tag = f"t{number}" if place == "tag" else "develop"
        for side, records in zip(("old", "new"), _sides(_LETTERS[number]), strict=True):
            placed = [_placed(record, place, value) for record in records]
            page = _page(
                value if place == "package" else f"p{number}",
                value if place == "tag" else "develop",
                placed,
            )
            write_files(folder / side, {f"_cache/{tag}/p{number}/specs.md": page})
    return folder / "old", folder / "new"


def _sides(letter: str) -> tuple[list[Record], list[Record]]:
    """Return the specs of both sides of a package; their hashes begin with a letter."""
    before = [
        _spec(f"{letter}a", "1.0"),
        _spec(f"{letter}b", "1.1", os="rhel8"),
        _spec(f"{letter}c", "3.0"),
        _spec(f"{letter}d", "0.9"),
        _spec(f"{letter}h", "5.0", compiler="gcc@9", stacks="gone root"),
    ]
    after = [
        _spec(f"{letter}e", "1.0"),
        _spec(f"{letter}f", "2.0"),
        _spec(f"{letter}g", "3.0", os="rhel8"),
        _spec(f"{letter}i", "5.0", compiler="gcc@9", stacks="come root"),
    ]
    return before, after


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
