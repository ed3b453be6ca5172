"""Untrusted text made visible: what a terminal or a reader could be fooled by becomes an escape."""

LONGEST = 200
"""How many characters of one value a report for people shows."""


def visible(text: str) -> str:
    r"""Return text in one line of printable characters: ESC becomes `\x1b`, a line break `\n`.

    Characters that Unicode calls unprintable (controls, format characters such as the
    right-to-left override, unpaired surrogates, separators other than the blank) are escaped as
    Python writes them; everything else stays.
    """
    return text if text.isprintable() else text.translate(_ESCAPES)


class _Escapes(dict[int, str]):
    """By the number of a character: how it is shown. Each is worked out once."""

    def __missing__(self, number: int) -> str:
        char = chr(number)
        shown_as = char if char.isprintable() else char.encode("unicode_escape").decode("ascii")
        self[number] = shown_as
        return shown_as


_ESCAPES = _Escapes()


def shown(text: str) -> str:
    """Return a value as reports for people show it: visible, and cut where it is very long.

    What is cut off is counted: `aaaa… (9,800 more characters)`.
    """
    if len(text) <= LONGEST and text.isprintable():
        return text
    # Cut while it is escaped: all of 5 million characters would take two seconds, for each line.
    seen = ""
    for position, char in enumerate(text):
        piece = visible(char)
        if len(seen) + len(piece) > LONGEST:
            return f"{seen}… ({len(text) - position:,} more characters)"
        seen += piece
    return seen
