"""Untrusted text made visible: what a terminal or a reader could be fooled by becomes an escape."""

LONGEST = 200
"""How many characters of one value a report for people shows."""


def visible(text: str) -> str:
    r"""Return text in one line of printable characters: ESC becomes `\x1b`, a line break `\n`.

    Characters that Unicode calls unprintable (controls, format characters such as the
    right-to-left override, unpaired surrogates, separators other than the blank) are escaped as
    Python writes them; everything else stays.
    """
    if text.isprintable():
        return text
    return "".join(
        char if char.isprintable() else char.encode("unicode_escape").decode("ascii")
        for char in text
    )


def shown(text: str) -> str:
    """Return a value as reports for people show it: visible, and cut where it is very long.

    What is cut off is counted: `aaaa… (9,800 more characters)`.
    """
    seen = visible(text)
    if len(seen) <= LONGEST:
        return seen
    return f"{seen[:LONGEST]}… ({len(seen) - LONGEST:,} more characters)"
