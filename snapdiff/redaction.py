"""Text of a server without the secrets that it was sent, however it repeats them."""

import re
from functools import lru_cache

_SHORTEST = 4
"""How long a secret is at least; taking every `a` out of a text would tell more than it hides."""


def hidden(text: str, *secrets: str, instead: str = "[token]") -> str:
    r"""Return text with each secret replaced, also where it is encoded or broken.

    A server may repeat what it was sent in a URL (`%2B`), in JSON (`\u002b`, `\/`), in HTML
    (`&#43;`), and broken by line breaks, blanks or control characters.

    >>> hidden("no entry for a%2Fb+\n  c", "a/b+c")
    'no entry for [token]'
    """
    for secret in sorted(secrets, key=len, reverse=True):
        if len(secret) >= _SHORTEST:
            text = _spellings(secret).sub(lambda _: instead, text)
    return text


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
