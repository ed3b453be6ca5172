"""The rows of the HTML report as JSON for its script: each text once, rows as short lists."""

from collections.abc import Callable, Hashable, Sequence
from typing import Any, Generic, TypeVar

import msgspec

from snapdiff.model import Spec
from snapdiff.reports.cause_words import SAME_TO_USE, cause_in_words
from snapdiff.reports.html.rows import SpecGroup, TableRow, first_specs
from snapdiff.reports.html.writing import address_of, value_text
from snapdiff.reports.package_lines import SYMBOLS, WORST_FIRST, rank
from snapdiff.safe_text import shown

LISTED_SPECS = 100_000
"""How many specs a report lists in all; where there are more, each row lists its first few."""

FIRST_SPECS = 10
"""How many specs a row of such a report lists."""

_UNSAFE = {character: f"\\u{ord(character):04x}" for character in "<>&\u2028\u2029"}
"""What could end the element around the JSON, or a line within it."""

_Value = TypeVar("_Value", bound=Hashable)


class _Table(Generic[_Value]):
    """Values by number, each once, in the order in which they were first seen."""

    def __init__(self, values: Sequence[_Value] = ()) -> None:
        self._numbers = {value: number for number, value in enumerate(values)}

    def number(self, value: _Value) -> int:
        return self._numbers.setdefault(value, len(self._numbers))

    def values(self, text: Callable[[_Value], Any]) -> list[Any]:
        return list(map(text, self._numbers))


def data_of(rows: Sequence[TableRow], package_url: str) -> str:
    """Return the rows as JSON that may stand inside a script element.

    `packages`, `stacks` and `tags` are sorted, so that the script sorts rows by their numbers.
    `package_url` is the address of a package's page with `{package}` in it, or empty.
    """
    packages = _Table(sorted({row.package for row in rows}))
    stacks = _Table(sorted({stack for row in rows for stack in row.stacks}))
    tags = _Table(sorted({row.tag for row in rows}))
    built: _Table[tuple[str | tuple[str, ...], ...]] = _Table()
    places: _Table[tuple[str, ...]] = _Table()
    differences: _Table[Any] = _Table()
    reasons: _Table[str] = _Table()
    causes: _Table[str] = _Table()
    most = LISTED_SPECS if sum(row.specs for row in rows) <= LISTED_SPECS else FIRST_SPECS

    def encoded_group(group: SpecGroup) -> list[Any]:
        return [
            group.change.kind.value,
            differences.number(_differences(group)),
            [[label, built.number(_built(spec))] for label, spec in group.builds],
            [[*map(shown, pair.hashes), places.number(pair.stacks)] for pair in group.pairs],
            reasons.number(_reason(group)),
        ]

    encoded = [
        [
            tags.number(row.tag),
            packages.number(row.package),
            [rank(kind) for kind in row.line.kinds],
            ", ".join(map(shown, reversed(row.line.gone))),
            ", ".join(map(shown, reversed(row.line.came))),
            row.note,
            row.where,
            [part for name, count in row.stacks.items() for part in (stacks.number(name), count)],
            row.specs,
            [causes.number(cause) for cause in row.causes],
            int(row.line.is_dependency),
            [encoded_group(group) for group in first_specs(row.groups, most)],
        ]
        for row in rows
    ]
    return embedded(
        {
            "kinds": [[kind.value, SYMBOLS[kind]] for kind in WORST_FIRST],
            "tags": tags.values(str),
            "packages": packages.values(shown),
            "links": packages.values(lambda name: address_of(name, package_url)),
            "stacks": stacks.values(shown),
            "places": places.values(lambda names: [stacks.number(name) for name in names]),
            "built": built.values(lambda build: [value_text(value) for value in build]),
            "differences": differences.values(list),
            "reasons": reasons.values(str),
            "causes": causes.values(str),
            "rows": encoded,
        }
    )


def _built(spec: Spec) -> tuple[str | tuple[str, ...], ...]:
    return spec.compiler, spec.os, spec.platform, spec.target, spec.variants


def _differences(group: SpecGroup) -> tuple[tuple[str, str, str], ...]:
    """Return the fields that differ, or the version of specs that one side only has."""
    change = group.change
    spec = change.new or change.old
    if not change.fields and spec:
        return (("version", shown(spec.version), ""),)
    return tuple(
        (shown(field.name), value_text(field.old) or "—", value_text(field.new) or "—")
        for field in change.fields
    )


def _reason(group: SpecGroup) -> str:
    if group.cause is None:
        return ""
    words = cause_in_words(group.cause, shown)
    return f"{words}; {SAME_TO_USE}" if group.change.same_to_use is True else words


def embedded(value: Any) -> str:
    r"""Return a value as JSON without a character that means something to HTML.

    >>> embedded(["</script>"])
    '["\\u003c/script\\u003e"]'
    """
    text = msgspec.json.encode(value).decode("utf-8")
    for character, escape in _UNSAFE.items():
        text = text.replace(character, escape)
    return text
