"""GitHub-flavoured Markdown: untrusted text shown as it is, and the blocks of a report.

A value is always put in code: there it is neither emphasis nor link, and GitHub makes no mention
(`@name`), no issue link (`#1`) and no commit link (a hexadecimal word) of it.
"""

import re
from urllib.parse import quote

from snapdiff.errors import ReportError
from snapdiff.safe_text import LONGEST, shown

_NEEDS_ENTITIES = re.compile(r"[`|]|^ | $|^$")
_URL_CHARACTERS = "!#$%&'()*+,/:;=?@[]~"
_NEEDS_BRACKETS = re.compile(r"[^A-Za-z0-9!#$%&*+,/:;=?@~._-]")
_WEB_ADDRESS = re.compile(r"https?://[^\s<>]+")
_SPECIAL = re.compile(r"[!-,./:-@\[-`{-~]")


def code(text: str) -> str:
    """Return a value as Markdown code, safe in a paragraph, a list, a table and a link.

    A backtick would end a code span, and a `|` a table cell even inside one (a backslash before it
    makes escaping it impossible there), so such a value becomes an HTML element instead, each
    special character an entity.
    """
    seen = shown(text)
    return code_element(text) if _NEEDS_ENTITIES.search(seen) else f"`{seen}`"


def code_element(text: str) -> str:
    """Return a value as an HTML element, for places where Markdown is not read: a fold's summary.

    >>> code_element("a|b")
    '<code>a&#124;b</code>'
    """
    return f"<code>{_SPECIAL.sub(_entity, shown(text))}</code>"


def _entity(found: re.Match[str]) -> str:
    """Return a character as an entity; a comment that nobody sees keeps it from making a link.

    GitHub makes links of addresses (`a@b.example`, `http://…`, `www.…`) in any text, even one that
    is written in entities.
    """
    cut = "<!-- -->" if found[0] in "@:." else ""
    return f"{cut}&#{ord(found[0])};"


class Links:
    """Writes packages as code that links to their pages: each the first time it is named.

    `{package}` in `url` is the name. A name that no package can have gets no link, and without a
    `url` none does.
    """

    def __init__(self, url: str) -> None:
        """Begin with no package named."""
        self._url = url
        self._linked: set[str] = set()

    def __call__(self, package: str) -> str:
        """Return a package's name."""
        if package in self._linked:
            return code(package)
        self._linked.add(package)
        return linked(package, self._url)


def linked(package: str, url: str) -> str:
    """Return a package's name as code that links to its page."""
    if not url or len(package) > LONGEST or not package.isprintable():
        return code(package)
    target = url.replace("{package}", quote(package, safe=""))
    if _NEEDS_BRACKETS.search(target):
        target = f"<{quote(target, safe=_URL_CHARACTERS)}>"
    return f"[{code(package)}]({target})"


def web_address(url: str) -> str:
    """Return an address that may be linked to, as it is; raises ReportError for any other text."""
    if url and not _WEB_ADDRESS.fullmatch(url):
        raise ReportError(f"{url}: no web address to link to; it begins with https:// or http://")
    return url


def number(value: int) -> str:
    """Return 1204 as `1,204`."""
    return f"{value:,}"


def counted(value: int, noun: str) -> str:
    """Return a number with its noun: `1 spec`, `1,204 specs`."""
    return f"{value:,} {noun}" if value == 1 else f"{value:,} {noun}s"
