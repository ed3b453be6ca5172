"""The front matter of a Jekyll page as plain values; the only home of PyYAML."""

import re
from functools import cache
from typing import TYPE_CHECKING, Any

import msgspec

from snapdiff.errors import FormatError
from snapdiff.limits import DEPTH, DIGITS, Limits, over_limit

if TYPE_CHECKING:
    import yaml

_END = re.compile(r"\n(?:---|\.\.\.)[ \t\r]*(?=\n|\Z)")
_FIRST_LINE = re.compile(rb"---[ \t\r]*\n")
_LAST_LINE = re.compile(rb"(?:---|\.\.\.)[ \t\r]*(?:\n|\Z)")
_KEY = re.compile(rb"([a-z_]+): ")
_QUOTED = re.compile(r'"([ !#-\[\]-~]*)"')
_WORD = re.compile(r"[A-Za-z][A-Za-z0-9._-]*")
_WORD_LIST = re.compile(r"\[([A-Za-z0-9._, -]*)\]")
_NOT_STRINGS = frozenset(["y", "n", "yes", "no", "on", "off", "true", "false", "null"])
"""Words that YAML 1.1 does not read as strings, in any case of letters."""


def front_matter_text(page: str) -> str:
    """Return the text between a first line `---` and the next `---` or `...`, as Jekyll sees it.

    The text begins with the line break that ends the first line. Raises FormatError.
    """
    first, line_break, _ = page.partition("\n")
    if first.rstrip(" \t\r") != "---":
        raise FormatError("line 1: no front matter; a page begins with a line '---'")
    if line_break:
        # Found by plain search: a pattern would look at each of the page's 700,000 characters.
        for mark in ("\n---", "\n..."):
            start = page.find(mark)
            while start >= 0:
                if _END.match(page, start):
                    return page[len(first) : start + 1]
                start = page.find(mark, start + 1)
    raise FormatError("line 1: front matter begins with '---' and never ends")


def usual_fields(page: bytes) -> dict[str, memoryview] | None:
    """Return key and raw value of each line where front matter is plain `key: value` lines.

    None where a line is anything else, a key comes twice or the page is not UTF-8: that takes the
    plain reader. Values are views of the page: one of them is nearly all of it.
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


def read_yaml(text: str, limits: Limits) -> dict[str, Any]:
    """Return front matter of any form as a dictionary; raises FormatError with the line."""
    import yaml  # late: pages in the usual form do not need it

    most = limits.yaml_size
    if len(text) > most:
        what = f"front matter not in the usual form has {len(text):,} characters"
        raise over_limit(what, most, "characters")
    try:
        fields = _load(text, limits.yaml_values)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        # The text begins at the end of the page's first line; marks count from nought.
        place = f"line {mark.line + 1}, column {mark.column + 1}: " if mark else ""
        raise FormatError(f"{place}front matter is not YAML: {error.problem}") from error
    except yaml.YAMLError as error:
        reason = re.sub(r"\s+", " ", str(error))
        raise FormatError(f"front matter is not YAML: {reason}") from error
    except (ValueError, OverflowError, RecursionError) as error:
        # Values that look like a date or a number and are none: 2025-13-45, a billion digits.
        raise FormatError(f"front matter is not YAML: {error}") from error
    except (AttributeError, LookupError, TypeError) as error:
        # What PyYAML stumbles over where a tag is wrong: !!timestamp x, !!int "", !!bool 7.
        raise FormatError("front matter is not YAML: a value is not what its tag says") from error
    if not isinstance(fields, dict):
        raise FormatError("line 2: front matter holds no keys")
    return fields


def _load(text: str, most: int) -> Any:
    loader = _bounded_loader()(text)
    loader.most_values = most
    try:
        node = loader.get_single_node()
        if node is None:
            return None
        if "*" in text and "&" in text:
            _check_aliases(node, most)
        return loader.construct_document(node)
    finally:
        loader.dispose()


@cache
def _bounded_loader() -> Any:
    """Return PyYAML's safe loader, in C where there is one, with bounds on what it takes.

    The one in C calls itself for every level: without a bound its stack overflows, and with it
    ends the process.
    """
    import yaml

    class BoundedLoader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]
        depth = values = most_values = 0

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

        def construct_number(self, node: Any) -> Any:
            """Return an integer or a float that is not too long to be worked out."""
            if len(str(node.value)) > DIGITS:
                raise FormatError(f"{_place(node)}a number of over {DIGITS:,} digits")
            is_integer = node.tag == "tag:yaml.org,2002:int"
            return (self.construct_yaml_int if is_integer else self.construct_yaml_float)(node)

    for tag in ("tag:yaml.org,2002:int", "tag:yaml.org,2002:float"):
        BoundedLoader.add_constructor(tag, BoundedLoader.construct_number)
    return BoundedLoader


def _place(node: "yaml.Node | None") -> str:
    # The text begins at the end of the page's first line; marks count from nought.
    return f"line {node.start_mark.line + 1}, column {node.start_mark.column + 1}: " if node else ""


def _check_aliases(root: "yaml.Node", most: int) -> None:
    """Raise FormatError where a document is too large, too deep or endless once written out.

    What aliases repeat is one object here, and is counted as often as it stands there. A long text
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


def explain(error: msgspec.ValidationError, key: str) -> FormatError:
    """Return msgspec's type error as one that begins with the key path: `spec_details[3].hash`."""
    reason, _, path = str(error).partition(" - at `")
    path = key + path.removesuffix("`").removeprefix("$").replace("[...]", "[]")
    path = path.removeprefix(".")  # the key of a field of the front matter itself
    missing = re.fullmatch(r"Object missing required field `(.*)`", reason)
    if missing:
        return FormatError(f"{path}.{missing[1]}: missing")
    return FormatError(f"{path}: {reason[0].lower()}{reason[1:].replace('`', '')}")
