"""Tables of worked cases as text: a line with the name of a case, and indented below what it is."""

from collections.abc import Sequence
from typing import Any

import pytest
from _pytest.mark import ParameterSet  # pytest has no public name for it

from tests.support.helpers import spec
from tests.support.oracle import Record

SPEC_FIELDS = ("compiler", "os", "platform", "target")


def table(text: str, columns: int, between: str = " | ") -> dict[str, tuple[str, ...]]:
    """The cases of a table by name; something is between columns, over lines if need be."""
    rows: dict[str, list[str]] = {}
    for line in filter(None, text.splitlines()):
        if not line.startswith(" "):
            assert line not in rows, line
            name = line
            rows[name] = []
        else:
            rows[name].append(line.strip())
    found = {name: tuple(" ".join(lines).split(between)) for name, lines in rows.items()}
    assert {len(row) for row in found.values()} == {columns}, found
    return found


def cases(text: str, columns: int) -> Sequence[ParameterSet]:
    """The cases of a table, for `parametrize`."""
    return [pytest.param(*row, id=name) for name, row in table(text, columns).items()]


def specs_in(text: str) -> list[Record]:
    """Records such as `b 1.1 gcc@13.1.0 os=rhel8 +x, c`, with version 1.0 where none is said."""
    return [_spec(*part.split()) for part in text.split(", ")] if text else []


def _spec(name: str, *words: str) -> Record:
    version, variants, fields = "1.0", [], dict[str, Any]()
    for word in words:
        key, _, value = word.partition("=")
        if key in SPEC_FIELDS:
            fields[key] = value
        elif "@" in word:
            fields["compiler"] = word
        elif word[0] in "+~" or ("=" in word and not word.startswith("git.")):
            variants.append(word)
        else:
            version = word
    return spec(name, version, variants=" ".join(variants), **fields)
