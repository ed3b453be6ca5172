"""The front matter of a Jekyll page: where it is, and what it says in the usual form."""

import re

from snapdiff.errors import FormatError

_FIRST_LINE = re.compile(rb"(?:\xef\xbb\xbf)?---[ \t\r]*(?:\n|\Z)")
_END = re.compile(rb"\n(?=(?:---|\.\.\.)[ \t\r]*(?:\n|\Z))")
_LAST_LINE = re.compile(rb"(?:---|\.\.\.)[ \t\r]*(?:\n|\Z)")
_KEY = re.compile(rb"([a-z_]+): ")
_QUOTED = re.compile(r'"([ !#-\[\]-~]*)"')
_WORD = re.compile(r"[A-Za-z][A-Za-z0-9._-]*")
_WORD_LIST = re.compile(r"\[([A-Za-z0-9._, -]*)\]")
_NOT_STRINGS = frozenset(["y", "n", "yes", "no", "on", "off", "true", "false", "null"])
"""Words that YAML 1.1 does not read as strings, in any case of letters."""


def begins_with_front_matter(page: bytes) -> bool:
    """Return whether the first line of a file is `---`, behind a byte order mark or not."""
    return _FIRST_LINE.match(page) is not None


def front_matter_text(page: bytes) -> str:
    """Return the text between a first line `---` and the next `---` or `...`, as Jekyll sees it.

    The text begins with the line break that ends the first line. Raises FormatError, which names
    the line.
    """
    first = _FIRST_LINE.match(page)
    if not first:
        raise FormatError("line 1: no front matter; a page begins with a line '---'")
    end = _END.search(page, first.end() - 1)
    if not end:
        raise FormatError("line 1: front matter begins with '---' and never ends")
    return decode_page(page, first.end() - 1, end.end())


def decode_page(page: bytes, start: int = 0, end: int | None = None) -> str:
    """Return a page, or a part of it, as text; raises FormatError, which names the line."""
    try:
        return page[start:end].decode("utf-8")
    except UnicodeDecodeError as error:
        position = start + error.start
        line = page.count(b"\n", 0, position) + 1
        raise FormatError(f"line {line}: not UTF-8 (byte 0x{page[position]:02x})") from None


def plain_words(page: bytes, key: str) -> set[str]:
    """Return the words that front matter gives for a key in whole lines `key: word`.

    This takes no YAML reader, so it works where front matter is cut off or broken.
    """
    first = _FIRST_LINE.match(page)
    start = first.end() - 1 if first else len(page)
    end = _END.search(page, start)
    line = rb"\n%b:[ \t]+([\"']?)([\w.-]+)\1[ \t]*(?:[ \t]#[^\n]*)?\r?(?=\n)" % key.encode()
    return {
        found[2].decode("ascii")
        for found in re.compile(line).finditer(page, start, end.end() if end else len(page))
    }


def usual_fields(page: bytes) -> dict[str, memoryview] | None:
    """Return key and raw value of each line where front matter is plain `key: value` lines.

    None where a line is anything else, a key is there twice or the page is not UTF-8: that takes a
    YAML reader. Values are views of the page: one of them is nearly all of it.
    """
    first_line = _FIRST_LINE.match(page)
    if not first_line or not _is_utf_8(page):
        return None
    fields: dict[str, memoryview] = {}
    whole = memoryview(page)
    start = first_line.end()
    while key := _KEY.match(page, start):
        end = page.find(b"\n", start)
        name = key[1].decode("ascii")
        if end < 0 or name in fields:
            return None
        start = end + 1
        while page[end - 1] in b" \r":
            end -= 1
        fields[name] = whole[key.end() : end]
    return fields if _LAST_LINE.match(page, start) else None


def _is_utf_8(page: bytes) -> bool:
    try:
        return page.isascii() or bool(page.decode("utf-8"))
    except UnicodeDecodeError:
        return False


def usual_scalar(raw: str) -> str | None:
    """Return a raw value as the string YAML would read, or None where that takes a YAML reader."""
    raw = raw.strip(" \r")
    quoted = _QUOTED.fullmatch(raw)
    if quoted:
        return quoted[1]
    return raw if _WORD.fullmatch(raw) and raw.lower() not in _NOT_STRINGS else None


def usual_list(raw: str) -> list[str] | None:
    """Return `[package, develop]` as a list of strings, or None where that takes a YAML reader."""
    found = _WORD_LIST.fullmatch(raw.strip(" \r"))
    if not found:
        return None
    if not found[1].strip(" "):
        return []
    items = [usual_scalar(item) for item in found[1].split(",")]
    words = [item for item in items if item is not None]
    return words if len(words) == len(items) else None
