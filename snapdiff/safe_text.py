"""Untrusted text made visible: what could fool a terminal or a reader becomes an escape.

And text of a server without the secrets that it was sent, however it repeats them.
"""

import re
from functools import lru_cache

LONGEST = 200
"""How many characters of one value a report for people shows."""


def visible(text: str) -> str:
    r"""Return text in one line of printable characters: ESC becomes `\x1b`, a line break `\n`.

    Characters that Unicode calls unprintable (controls, format characters such as the
    right-to-left override, unpaired surrogates, separators other than the blank) are escaped as
    Python writes them. So is what GitHub's runner takes for a command in the log of a job: in each
    line that a step prints, `##[name]` anywhere, and `::name` at the beginning. A long line may be
    broken at any blank. Everything else stays.

    >>> visible("##[stop-commands]x ::error::y std::z")
    '#\\x23[stop-commands]x \\x3a:error::y std::z'
    """
    seen = text if text.isprintable() else text.translate(_ESCAPES)
    if "##[" not in seen and "::" not in seen:
        return seen
    return _COMMAND.sub(lambda found: "#\\x23" if found[0] == "##" else "\\x3a:", seen)


_COMMAND = re.compile(r"##(?=\[)|(?<![^ ])::(?=[A-Za-z])")


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
        return visible(text)
    # Cut while it is escaped: all of 5 million characters would take two seconds, for each line.
    seen = ""
    for position, char in enumerate(text):
        piece = visible(char)
        if len(seen) + len(piece) > LONGEST:
            return f"{visible(seen)}… ({len(text) - position:,} more characters)"
        seen += piece
    return visible(seen)


_SHORTEST = 4
"""How long a secret is at least; taking every `a` out of a text would tell more than it hides."""


def hidden(text: str, secret: str) -> str:
    r"""Return text with a secret replaced, also where it is encoded or broken.

    A server may repeat what it was sent in a URL (`%2B`), in JSON (`\u002b`, `\/`), in HTML
    (`&#43;`), and broken by line breaks, blanks or control characters.
    """
    return _spellings(secret).sub("[token]", text) if len(secret) >= _SHORTEST else text


@lru_cache
def _spellings(secret: str) -> re.Pattern[str]:
    between = r"(?:[^!-~]|\\[nrt]){0,100}"
    return re.compile(between.join(map(_spellings_of_one, secret)))


def _spellings_of_one(char: str) -> str:
    number = ord(char)
    in_url = "".join(f"%(?:25)*(?i:{byte:02x})" for byte in char.encode("utf-8", "surrogatepass"))
    in_json = rf"\\u(?i:{number:04x})"
    in_html = f"&#(?:0*{number}|[xX]0*(?i:{number:x}));"
    return rf"(?:\\?{re.escape(char)}|{in_url}|{in_json}|{in_html})"
