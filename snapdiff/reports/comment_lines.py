"""The invisible lines that a comment begins with: its marker, and whether anything changed."""

import re

from snapdiff.errors import ReportError

NOTHING_CHANGED = "<!-- nothing changed -->"
"""The second line of a comment on two catalogs that are equal: a bot need not read the words."""

MARKER_NAME = "[A-Za-z0-9._/]+(?:-[A-Za-z0-9._/]+)*"
"""What a marker's name is made of: nothing that could end the line."""

_MARKER_LINE = re.compile(f"<!-- ({MARKER_NAME}) -->")


def marker_line(name: str) -> str:
    """Return the first line of a comment, by which a bot finds the comment again.

    Raises ReportError where the name could end the line that no reader sees.
    """
    if not re.fullmatch(MARKER_NAME, name):
        raise ReportError(
            f"{name!r}: a marker is made of letters, digits and . _ / with single dashes"
        )
    return f"<!-- {name} -->"


def marker_of(text: str) -> str | None:
    r"""Return the name in the first line of a text, if it has one.

    >>> marker_of("<!-- snapdiff/hep -->\n# Changes")
    'snapdiff/hep'
    """
    found = _MARKER_LINE.fullmatch(_line(text, 0))
    return found[1] if found else None


def says_nothing_changed(text: str) -> bool:
    """Return whether a comment says that nothing changed."""
    return marker_of(text) is not None and _line(text, 1) == NOTHING_CHANGED


def _line(text: str, number: int) -> str:
    return "".join(text.splitlines()[number : number + 1]).strip()
