"""The rows of the HTML report as JSON for its script: each text once, rows as short lists."""

from collections.abc import Hashable, Sequence
from typing import Any, Generic, TypeVar

import msgspec

from snapdiff.reports.html.rows import TableRow
from snapdiff.reports.html.specs import SpecGroup, first_specs
from snapdiff.reports.package_lines import SYMBOLS, WORST_FIRST, rank

LISTED_SPECS = 100_000
"""How many specs a report lists in all; where there are more, each row lists its first few."""

FIRST_SPECS = 10
"""How many specs a row of such a report lists."""

_UNSAFE = {character: f"\\u{ord(character):04x}" for character in "<>&\u2028\u2029"}
"""What could end the element around the JSON, or a line within it."""

_Value = TypeVar("_Value", bound=Hashable)


class _Table(Generic[_Value]):
    """Values by number, each once, in the order in which they were first seen."""

    def __init__(self) -> None:
        self._numbers: dict[_Value, int] = {}

    def number(self, value: _Value) -> int:
        return self._numbers.setdefault(value, len(self._numbers))

    def values(self) -> list[_Value]:
        return list(self._numbers)


def data_of(rows: Sequence[TableRow]) -> str:
    """Return the rows as JSON that may stand inside a script element.

    `packages`, `stacks` and `tags` are sorted, so that the script sorts rows by their numbers.
    """
    packages = sorted({row.package for row in rows})
    stacks = sorted({stack for row in rows for stack in row.stacks})
    tags = sorted({row.tag for row in rows})
    links = {row.package: row.link for row in rows}
    package_numbers, stack_numbers, tag_numbers = map(_numbers, (packages, stacks, tags))
    built: _Table[Any] = _Table()
    places: _Table[tuple[int, ...]] = _Table()
    differences: _Table[Any] = _Table()
    reasons: _Table[str] = _Table()
    causes: _Table[str] = _Table()
    most = LISTED_SPECS if sum(row.specs for row in rows) <= LISTED_SPECS else FIRST_SPECS

    def encoded_group(group: SpecGroup) -> list[Any]:
        return [
            group.kind,
            differences.number(group.differences),
            [[label, built.number(build)] for label, build in group.builds],
            [
                [*pair.hashes, places.number(tuple([stack_numbers[name] for name in pair.stacks]))]
                for pair in group.pairs
            ],
            reasons.number(group.cause),
        ]

    encoded = [
        [
            tag_numbers[row.tag],
            package_numbers[row.package],
            [rank(kind) for kind in row.kinds],
            row.old,
            row.new,
            row.note,
            row.where,
            [part for stack, count in row.stacks.items() for part in (stack_numbers[stack], count)],
            row.specs,
            [causes.number(cause) for cause in row.causes],
            int(row.is_dependency),
            [encoded_group(group) for group in first_specs(row.groups, most)],
        ]
        for row in rows
    ]
    return embedded(
        {
            "kinds": [[kind.value, SYMBOLS[kind]] for kind in WORST_FIRST],
            "tags": tags,
            "packages": packages,
            "links": [links[package] for package in packages],
            "stacks": stacks,
            "places": places.values(),
            "built": built.values(),
            "differences": differences.values(),
            "reasons": reasons.values(),
            "causes": causes.values(),
            "rows": encoded,
        }
    )


def embedded(value: Any) -> str:
    r"""Return a value as JSON without a character that means something to HTML.

    >>> embedded(["</script>"])
    '["\\u003c/script\\u003e"]'
    """
    text = msgspec.json.encode(value).decode("utf-8")
    for character, escape in _UNSAFE.items():
        text = text.replace(character, escape)
    return text


def _numbers(values: Sequence[str]) -> dict[str, int]:
    return {value: position for position, value in enumerate(values)}
