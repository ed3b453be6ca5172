"""The front matter of a page: plain lines, read as they are, or YAML of any form, within bounds.

This is the only home of PyYAML.
"""

import re
from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING, Any

from snapdiff.errors import FormatError
from snapdiff.limits import DEPTH, DIGITS, Limits, over_limit

if TYPE_CHECKING:
    import yaml

    _Loader = yaml.SafeLoader
else:
    _Loader = object  # the real one is found when it is needed

_FIRST_LINE = re.compile(rb"(?:\xef\xbb\xbf)?---[ \t\r]*(?:\n|\Z)")
_END = re.compile(rb"\n(?=(?:---|\.\.\.)[ \t\r]*(?:\n|\Z))")
_LAST_LINE = re.compile(rb"(?:---|\.\.\.)[ \t\r]*(?:\n|\Z)")
_LAYOUT = re.compile(rb"\nlayout:[ \t]+([\"']?)([\w.-]+)\1[ \t]*(?:[ \t]#[^\n]*)?\r?(?=\n)")
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


def plain_layouts(page: bytes) -> set[str]:
    """Return the words that front matter gives as the layout in whole lines `layout: word`.

    This takes no YAML reader, so it works where front matter is cut off or broken.
    """
    first = _FIRST_LINE.match(page)
    start = first.end() - 1 if first else len(page)
    end = _END.search(page, start)
    lines = _LAYOUT.finditer(page, start, end.end() if end else len(page))
    return {found[2].decode("ascii") for found in lines}


def usual_fields(page: bytes) -> dict[str, memoryview] | None:
    """Return key and raw value of each line where front matter is plain `key: value` lines.

    None where a line is anything else, a key is there twice or the page is not UTF-8: that takes a
    YAML reader. Values are views of the page: one of them is nearly all of it.
    """
    first_line = _FIRST_LINE.match(page)
    try:
        if not first_line or not (page.isascii() or page.decode("utf-8")):
            return None
    except UnicodeDecodeError:
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


# --- YAML of any form ---

_NUMBERS = ("tag:yaml.org,2002:int", "tag:yaml.org,2002:float")

_CHARACTERS_IN_JSON = "\u0085\u2028\u2029"
"""To YAML 1.1 these end a line, within quotes too; to JSON and YAML 1.2 they are like others."""


def read_yaml(text: str, limits: Limits) -> Any:
    """Return what front matter of any form says; raises FormatError with the line."""
    import yaml  # late: pages in the usual form do not need it

    most = limits.yaml_size
    if len(text) > most:
        what = f"front matter not in the usual form has {len(text):,} characters"
        raise over_limit(what, most, "characters")
    try:
        return _load(text, limits.values)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        # The text begins at the end of the page's first line; marks count from nought.
        place = f"line {mark.line + 1}, column {mark.column + 1}: " if mark else ""
        raise FormatError(f"{place}front matter is not YAML: {error.problem}") from error
    except yaml.YAMLError as error:
        reason = re.sub(r"\s+", " ", str(error))
        raise FormatError(f"front matter is not YAML: {reason}") from error
    except (ValueError, OverflowError, RecursionError) as error:
        # Values that look like a date or a number and are not: 2025-13-45, a billion digits.
        raise FormatError(f"front matter is not YAML: {error}") from error
    except (AttributeError, LookupError, TypeError) as error:
        # What PyYAML stumbles over where a tag is wrong: !!timestamp x, !!int "", !!bool 7.
        raise FormatError("front matter is not YAML: a value is not what its tag says") from error


def _load(text: str, most: int) -> Any:
    stand_ins = _stand_ins(text)
    loader = _bounded_loader()(text.translate({value: key for key, value in stand_ins.items()}))
    loader.most_values = most
    loader.stand_ins = stand_ins
    try:
        node = loader.get_single_node()
        if node is None:
            return None
        if "*" in text and "&" in text:
            _check_aliases(node, most)
        return loader.construct_document(node)
    finally:
        loader.dispose()


def _stand_ins(text: str) -> dict[int, int]:
    """Return a character of private use, not in the text, for each that YAML takes for a line end.

    A page has to say the same to every reader, and most are read as JSON.
    """
    odd = [ord(char) for char in _CHARACTERS_IN_JSON if char in text]
    unused = (number for number in range(0xE000, 0xF900) if chr(number) not in text)
    return dict(zip(unused, odd, strict=False))


class _Bounds(_Loader):
    """What is put before PyYAML's safe loader: bounds on what it takes, and what keys are.

    The loader in C calls itself for every level: without a bound its stack overflows, and with it
    ends the process.
    """

    depth = values = most_values = 0
    stand_ins: Mapping[int, int] = {}

    def descend_resolver(self, parent: Any, index: Any) -> None:
        """Count a value; called before each is read."""
        self.values += 1
        self.depth += 1
        if self.depth > DEPTH:
            raise FormatError(f"{_place(parent)}over {DEPTH} lists and mappings in each other")
        if self.values > self.most_values:
            raise over_limit(f"{_place(parent)}too many values", self.most_values, "values")
        super().descend_resolver(parent, index)

    def ascend_resolver(self) -> None:
        """Leave a value."""
        self.depth -= 1
        super().ascend_resolver()

    def construct_scalar(self, node: Any) -> Any:
        """Return the text of a value, its own characters in place of their stand-ins."""
        text = super().construct_scalar(node)
        return text.translate(self.stand_ins) if self.stand_ins else text

    def construct_mapping(self, node: Any, deep: bool = False) -> Any:
        """Return a mapping whose numbers as keys are text, as in JSON.

        The hash of a text cannot be foreseen. That of an integer can: 60,000 that share one
        would take a dictionary 40 seconds.
        """
        if node.id == "mapping":
            self.flatten_mapping(node)
            node.value = [(_as_text(key), value) for key, value in node.value]
        return super().construct_mapping(node, deep)

    def construct_number(self, node: Any) -> Any:
        """Return an integer or a float that is not too long to be worked out."""
        if len(str(node.value)) > DIGITS:
            raise FormatError(f"{_place(node)}a number of over {DIGITS:,} digits")
        is_integer = node.tag == "tag:yaml.org,2002:int"
        return (self.construct_yaml_int if is_integer else self.construct_yaml_float)(node)


@cache
def _bounded_loader() -> Any:
    """Return PyYAML's safe loader, in C where there is one, with bounds."""
    import yaml

    class BoundedLoader(_Bounds, getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]
        """A loader that the bounds go before."""

    for tag in _NUMBERS:
        BoundedLoader.add_constructor(tag, BoundedLoader.construct_number)
    return BoundedLoader


def _as_text(key: "yaml.Node") -> "yaml.Node":
    import yaml

    if key.tag in _NUMBERS:
        return yaml.ScalarNode("tag:yaml.org,2002:str", key.value, key.start_mark, key.end_mark)
    return key


def _place(node: "yaml.Node | None") -> str:
    # The text begins at the end of the page's first line; marks count from nought.
    return f"line {node.start_mark.line + 1}, column {node.start_mark.column + 1}: " if node else ""


def _check_aliases(root: "yaml.Node", most: int) -> None:
    """Raise FormatError where a document is too large, too deep or endless once written out.

    What aliases repeat is one object here, and is counted as often as it is used. A long text
    counts as several values.
    """
    measured: dict[int, tuple[int, int]] = {}  # of each value: how many there are in it, how deep
    begun: set[int] = set()
    waiting = [root]
    while waiting:
        node = waiting[-1]
        inner = _values_in(node)
        if id(node) not in begun:
            begun.add(id(node))
            waiting += [value for value in inner if id(value) not in measured]
            continue
        waiting.pop()
        if id(node) in measured:
            continue
        if any(id(value) not in measured for value in inner):
            raise FormatError(f"{_place(node)}an alias stands within what it stands for")
        text = 0 if inner else len(node.value) // 64
        size = 1 + text + sum(measured[id(value)][0] for value in inner)
        depth = 1 + max((measured[id(value)][1] for value in inner), default=0)
        if size > most:
            raise over_limit(f"{_place(node)}too many values behind aliases", most, "values")
        if depth > DEPTH:
            raise FormatError(f"{_place(node)}over {DEPTH} lists and mappings in each other")
        measured[id(node)] = size, depth


def _values_in(node: "yaml.Node") -> "list[yaml.Node]":
    import yaml

    if isinstance(node, yaml.MappingNode):
        return [value for pair in node.value for value in pair]
    return list(node.value) if isinstance(node, yaml.SequenceNode) else []
