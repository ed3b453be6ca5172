"""The front matter of a Jekyll page as plain values; the only home of PyYAML."""

import re
from typing import Any

import msgspec

from snapdiff.errors import FormatError

_END = re.compile(r"\n(?:---|\.\.\.)[ \t\r]*(?=\n|\Z)")
_KEY = re.compile(r"[a-z_]+")
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


def usual_fields(text: str) -> dict[str, str] | None:
    """Return key and raw value of each line where front matter is plain `key: value` lines.

    None where a line is anything else, or a key comes twice: that takes a YAML reader.
    """
    fields: dict[str, str] = {}
    for line in text.strip("\n").split("\n"):
        key, colon, value = line.partition(": ")
        if not colon or key in fields or not _KEY.fullmatch(key):
            return None
        fields[key] = value.strip(" \r")
    return fields


def usual_scalar(raw: str) -> str | None:
    """Return a raw value as the string YAML would read, or None where that takes a YAML reader."""
    quoted = _QUOTED.fullmatch(raw)
    if quoted:
        return quoted[1]
    return raw if _WORD.fullmatch(raw) and raw.lower() not in _NOT_STRINGS else None


def usual_list(raw: str) -> list[str] | None:
    """Return `[package, develop]` as a list of strings, or None where that takes a YAML reader."""
    found = _WORD_LIST.fullmatch(raw)
    if not found:
        return None
    items = [usual_scalar(item.strip(" ")) for item in found[1].split(",")]
    words = [item for item in items if item is not None]
    return words if len(words) == len(items) else None


def read_yaml(text: str) -> dict[str, Any]:
    """Return front matter of any form as a dictionary; raises FormatError with the line."""
    import yaml  # late: pages in the usual form do not need it

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        fields = yaml.load(text, Loader=loader)  # noqa: S506 - one of two safe ones
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
    if not isinstance(fields, dict):
        raise FormatError("line 2: front matter holds no keys")
    return fields


def explain(error: msgspec.ValidationError, key: str) -> FormatError:
    """Return msgspec's type error as one that begins with the key path: `spec_details[3].hash`."""
    reason, _, path = str(error).partition(" - at `")
    path = path.removesuffix("`").removeprefix("$").replace("[...]", "[]")
    missing = re.fullmatch(r"Object missing required field `(.*)`", reason)
    if missing:
        return FormatError(f"{key}{path}.{missing[1]}: missing")
    return FormatError(f"{key}{path}: {reason[0].lower()}{reason[1:].replace('`', '')}")
