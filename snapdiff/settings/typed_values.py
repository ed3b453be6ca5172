"""Parsed TOML becomes values of our types, or an error with the way to the value at fault."""

import re
from collections.abc import Sequence
from datetime import date
from difflib import get_close_matches
from typing import Any

from msgspec.inspect import (
    DateType,
    DictType,
    EnumType,
    LiteralType,
    Metadata,
    StrType,
    StructType,
    Type,
    VarTupleType,
)

from snapdiff.safe_text import shown
from snapdiff.settings.toml_statements import KeyPath


class WrongValueError(Exception):
    """A value that is not what it is to be: the way to it, and what is wrong with it."""

    def __init__(self, path: KeyPath, reason: str) -> None:
        """Keep the way, so that the line can be looked up."""
        super().__init__(f"{_called(path)} {reason}")
        self.path = path


def typed_value(value: object, wanted: Type, path: KeyPath = ()) -> object:
    """Return a value as an instance of a type; raises WrongValueError.

    `wanted` is a type as `msgspec.inspect.type_info` describes it, `path` the way to the value.
    (`msgspec.convert` would say as much, but the way to the value is only in its message.)
    """
    match wanted:
        case StructType():
            return _section(value, wanted, path)
        case DictType():
            return {
                key: typed_value(item, wanted.value_type, (*path, key))
                for key, item in _table(value, path).items()
            }
        case VarTupleType():
            return tuple(
                typed_value(item, wanted.item_type, (*path, place))
                for place, item in enumerate(_list(value, path))
            )
        case EnumType():
            return wanted.cls(_one_of([item.value for item in wanted.cls], value, path))
        case LiteralType():
            return _one_of(wanted.values, value, path)
        case DateType():
            return _date(value, path)
        case StrType():
            return _text(value, wanted, path)
        case Metadata():
            return typed_value(value, wanted.type, path)
    raise AssertionError(wanted)


def _section(value: object, wanted: StructType, path: KeyPath) -> object:
    known = {field.encode_name: field for field in wanted.fields}
    found = {}
    for key, item in _table(value, path).items():
        if key not in known:
            raise WrongValueError((*path, key), _not_among(key, list(known)))
        found[known[key].name] = typed_value(item, known[key].type, (*path, key))
    for field in wanted.fields:
        if field.required and field.name not in found:
            raise WrongValueError(path, f"has no {field.encode_name}")
    try:
        return wanted.cls(**found)
    except ValueError as error:
        raise WrongValueError(path, str(error)) from error


def _not_among(key: str, known: Sequence[str]) -> str:
    found = get_close_matches(key, known, 1)
    return f"is no key here; {f'did you mean {found[0]}?' if found else _choice(known)}"


def _table(value: object, path: KeyPath) -> dict[str, object]:
    if not isinstance(value, dict):
        raise WrongValueError(path, f"is {_in_words(value)}, and is to be a table")
    return value


def _list(value: object, path: KeyPath) -> list[object]:
    if not isinstance(value, list):
        message = f"is {_in_words(value)}, and is to be a list, in square brackets"
        raise WrongValueError(path, message)
    return value


def _date(value: object, path: KeyPath) -> date:
    if type(value) is not date:  # a time of a day is one too
        message = f"is {_in_words(value)}, and is to be a day, without quotes: 2026-12-01"
        raise WrongValueError(path, message)
    return value


def _text(value: object, wanted: StrType, path: KeyPath) -> str:
    if not isinstance(value, str):
        raise WrongValueError(path, f"is {_in_words(value)}, and is to be a text, in quotes")
    if wanted.pattern and not re.fullmatch(wanted.pattern, value):
        raise WrongValueError(path, f"is {_in_words(value)}, which does not fit {wanted.pattern}")
    return value


def _one_of(known: Sequence[Any], value: object, path: KeyPath) -> Any:
    if value not in known:
        raise WrongValueError(path, f"is {_in_words(value)}; {_choice(known)}")
    return value


def _choice(known: Sequence[str]) -> str:
    return f"there are {', '.join(known)}" if len(known) > 1 else f"there is only {known[0]}"


def _called(path: KeyPath) -> str:
    """Return what a value is called: by its key and section, or by its place in a list."""
    *above, last = path
    if isinstance(last, int):
        return f"item {last + 1} of {shown(str(above[-1]))}"
    return f"{shown(last)}{f' in {_called(above)}' if len(above) > 1 else ''}"


def _in_words(value: object) -> str:
    """Return a value in an error: a text as it is, of all else what kind of value it is."""
    if isinstance(value, str):
        return f'"{shown(value)}"'
    for kind, words in _WORDS.items():
        if isinstance(value, kind):
            return words
    return "a date or a time"


_WORDS = {
    bool: "true or false",
    int: "a number",
    float: "a number",
    list: "a list",
    dict: "a table",
}
"""What kinds of values are called; true and false are numbers to Python."""
