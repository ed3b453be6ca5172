"""The lines of a TOML file: tomllib gives values without their places."""

import re
import tomllib
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

KeyPath = Sequence[str | int]
"""The way to a value: keys, and places in lists."""

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
