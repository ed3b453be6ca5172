"""Text on a terminal: painted, and broken between words where the window is narrow."""

import re
from collections.abc import Callable
from functools import cache

from snapdiff.result import Kind

PLAIN_WIDTH = 120
"""How many columns a report has that goes to no window."""

_INDENT = "      "
"""What the rest of a broken line begins with."""

_STYLES = {
    "heading": "1",
    "quiet": "2",
    Kind.REMOVED.value: "31",
    Kind.DOWNGRADED.value: "1;35",
    Kind.ADDED.value: "32",
    Kind.UPGRADED.value: "36",
    Kind.RECONFIGURED.value: "33",
    Kind.REBUILT.value: "2",
}
"""The control codes (ECMA-48, SGR) of a kind of change, a heading, and what is beside the point."""

_CODES = re.compile("\x1b\\[[0-9;]*m")


@cache
def painter(*, color: bool) -> Callable[[str, str], str]:
    """Return what colours a text in a style; without `color` the text stays as it is.

    It is the same object each time: the environment for the terminal is kept by it.
    """

    def paint(text: str, style: str) -> str:
        return f"\x1b[{_STYLES[style]}m{text}\x1b[0m" if color and text else text

    return paint


def broken(line: str, width: int) -> str:
    """Return a line broken between words where it is wider than the window; no word is broken."""
    if len(line) <= width or _shown_width(line) <= width:
        return line.rstrip(" ")
    lines = [""]
    for word in re.findall(r" *[^ ]+", line):
        if lines[-1] and _shown_width(lines[-1] + word) > width:
            lines.append(_INDENT + word.lstrip(" "))
        else:
            lines[-1] += word
    return "\n".join(lines)


def _shown_width(text: str) -> int:
    """Return how wide a text is on a terminal: control codes take no room."""
    return len(_CODES.sub("", text))
