"""The front matter of a page: where it is, and what it says in the usual form beside its specs."""

import re
from typing import NamedTuple

import msgspec
from msgspec import Struct

from snapdiff.errors import FormatError
from snapdiff.formats.kinds import names_in_path
from snapdiff.limits import Limits, over_limit
from snapdiff.model import ROOT, StackCounts

_FIRST_LINE = re.compile(rb"(?:\xef\xbb\xbf)?---[ \t\r]*(?:\n|\Z)")
_END = re.compile(rb"\n(?=(?:---|\.\.\.)[ \t\r]*(?:\n|\Z))")
_LAST_LINE = re.compile(rb"(?:---|\.\.\.)[ \t\r]*(?:\n|\Z)")
_KEY = re.compile(rb"([a-z_]+): ")
_QUOTED = re.compile(r'"([ !#-\[\]-~]*)"')
_WORD = re.compile(r"[A-Za-z][A-Za-z0-9._-]*")
_WORD_LIST = re.compile(r"\[([A-Za-z0-9._, -]*)\]")
_NOT_STRINGS = frozenset(["y", "n", "yes", "no", "on", "off", "true", "false", "null"])
"""Words that YAML 1.1 does not read as strings, in any case of letters."""


def check_size(page: bytes, limits: Limits) -> None:
    """Raise FormatError where a page is larger, or holds more values, than is taken."""
    limits.page.check(page)
    most = limits.values
    # There are no more values than commas, line breaks and one; a short page need not be counted.
    if len(page) > most and page.count(b",") + page.count(b"\n") >= most:
        raise over_limit("the page holds too many values", most, "values")


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


def _usual_scalar(raw: str) -> str | None:
    """Return a raw value as the string YAML would read, or None where that takes a YAML reader."""
    raw = raw.strip(" \r")
    quoted = _QUOTED.fullmatch(raw)
    if quoted:
        return quoted[1]
    return raw if _WORD.fullmatch(raw) and raw.lower() not in _NOT_STRINGS else None


def _usual_list(raw: str) -> list[str] | None:
    """Return `[package, develop]` as a list of strings, or None where that takes a YAML reader."""
    found = _WORD_LIST.fullmatch(raw.strip(" \r"))
    if not found:
        return None
    if not found[1].strip(" "):
        return []
    items = [_usual_scalar(item) for item in found[1].split(",")]
    words = [item for item in items if item is not None]
    return words if len(words) == len(items) else None


# --- The head of a page: title, tag and derived numbers ---

LAYOUT = "cache"
"""The layout of the pages of a catalog."""

_USUAL_KEYS = frozenset(["title", "layout", "categories", "meta", "spec_details"])


class Meta(Struct, frozen=True):
    """What the catalog's generator derived from the page's specs."""

    num_specs: int | None = None
    num_specs_by_stack: dict[str, int] | None = None


class PageHead(Struct, frozen=True):
    """The front matter of a page but its specs."""

    title: str = ""
    categories: tuple[str, ...] = ()
    meta: Meta = Meta()


class UsualPage(NamedTuple):
    """A page in the usual form, its specs not yet read."""

    layout: str
    head: PageHead
    details: memoryview


_META = msgspec.json.Decoder(Meta)


def usual_page(content: bytes) -> UsualPage | None:
    """Return a page in the usual form, or None where it takes a YAML reader to read its head."""
    fields = usual_fields(content)
    if fields is None or not fields.keys() <= _USUAL_KEYS or "spec_details" not in fields:
        return None
    title = _usual_scalar(_text(fields, "title", '""'))
    categories = _usual_list(_text(fields, "categories", "[]"))
    layout = _usual_scalar(_text(fields, "layout", '""'))
    if title is None or categories is None or layout is None:
        return None
    try:
        meta = _META.decode(fields["meta"]) if "meta" in fields else Meta()
    except (msgspec.DecodeError, RecursionError):
        return None
    return UsualPage(layout, PageHead(title, tuple(categories), meta), fields["spec_details"])


def _text(fields: dict[str, memoryview], key: str, default: str) -> str:
    return str(fields[key], "utf-8") if key in fields else default


def names_of_page(path: str, head: PageHead) -> tuple[str, str]:
    """Return tag and package, as the front matter has them or else the path.

    Raises FormatError where nothing names the tag.
    """
    tag_in_path, name_in_path = names_in_path(path)
    tag = (head.categories[1] if len(head.categories) > 1 else "") or tag_in_path
    if not tag:
        raise FormatError("categories: no tag (the second entry), and no folder is named for one")
    return tag, head.title or name_in_path


def contradiction(meta: Meta, counts: StackCounts) -> str | None:
    """Return where a page's `meta` is wrong about the page's own specs, or None."""
    number = sum(counts.values())
    if meta.num_specs is not None and meta.num_specs != number:
        return f"meta.num_specs is {meta.num_specs}, but the page lists {number} specs"
    if meta.num_specs_by_stack is None:
        return None
    found: dict[str, int] = {}
    for stacks, number in counts.items():
        for stack in stacks:
            found[stack] = found.get(stack, 0) + number
    claimed = meta.num_specs_by_stack
    for stack in sorted(found.keys() | claimed.keys()):
        # `root` counts every spec there, and here only those in no other stack.
        if stack != ROOT and claimed.get(stack, 0) != found.get(stack, 0):
            return (
                f"meta.num_specs_by_stack has {claimed.get(stack, 0)} for {stack}, "
                f"but the page lists {found.get(stack, 0)}"
            )
    return None
