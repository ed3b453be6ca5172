"""YAML of any form as plain values, within bounds; the only home of PyYAML."""

from collections.abc import Mapping
from typing import Any

import yaml

from snapdiff.errors import FormatError
from snapdiff.formats.json_text import there_twice
from snapdiff.limits import DEPTH, DIGITS, Limits, over_limit

_INTEGER, _FLOAT, _TEXT = (f"tag:yaml.org,2002:{kind}" for kind in ("int", "float", "str"))
_NUMBERS = (_INTEGER, _FLOAT)

_CHARACTERS_IN_JSON = "\u0085\u2028\u2029"
"""To YAML 1.1 these end a line, within quotes too; to JSON and YAML 1.2 they are like others."""

_TOO_DEEP = f"over {DEPTH} lists and mappings in each other"


def read_yaml(text: str, limits: Limits) -> Any:
    """Return what front matter of any form says; raises FormatError with the line."""
    most = limits.yaml_size
    if len(text) > most:
        what = f"front matter not in the usual form has {len(text):,} characters"
        raise over_limit(what, most, "characters")
    # A page has to say the same to every reader, and most are read as JSON: what only YAML takes
    # for a line end is read as characters of private use that are not in the text.
    odd = [ord(char) for char in _CHARACTERS_IN_JSON if char in text]
    unused = (number for number in range(0xE000, 0xF900) if chr(number) not in text)
    stand_ins = dict(zip(odd, unused, strict=False))
    try:
        loader = _BoundedLoader(text.translate(stand_ins))
        loader.most_values = limits.values
        loader.own_characters = {value: key for key, value in stand_ins.items()}
        node = loader.get_single_node()
        if node is not None and "*" in text and "&" in text:
            _check_aliases(node, limits.values)
        return None if node is None else loader.construct_document(node)
    except yaml.MarkedYAMLError as error:
        place = _place(error.problem_mark or error.context_mark)
        if error.problem == "exceeded maximum nesting depth":  # of LibYAML 0.2.6, which reads ahead
            raise FormatError(f"{place}{_TOO_DEEP}") from error
        raise FormatError(f"{place}front matter is not YAML: {error.problem}") from error
    except yaml.reader.ReaderError as error:  # in bytes or in characters, as the loader counts
        character = yaml.reader.Reader.NON_PRINTABLE.search(text)
        line = text.count("\n", 0, character.start() if character else 0) + 1
        reason = f"the character U+{error.character:04X} is not allowed in it"
        raise FormatError(f"line {line}: front matter is not YAML: {reason}") from error
    except (ValueError, OverflowError, RecursionError) as error:
        # Values that look like a date or a number and are not: 2025-13-45, a billion digits.
        raise FormatError(f"front matter is not YAML: {error}") from error
    except (AttributeError, LookupError, TypeError) as error:
        # What PyYAML stumbles over where a tag is wrong: !!timestamp x, !!int "", !!bool 7.
        raise FormatError("front matter is not YAML: a value is not what its tag says") from error


class _BoundedLoader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc] # in C where it can be
    """PyYAML's safe loader with bounds on what it takes, and with other keys.

    The loader in C calls itself for every level: without a bound its stack overflows, and with it
    ends the process.
    """

    depth = values = most_values = 0
    own_characters: Mapping[int, int] = {}

    def descend_resolver(self, parent: Any, _index: Any) -> None:
        """Count a value; called before each is read. There are no paths to resolve it by."""
        self.values += 1
        self.depth += 1
        if self.depth > DEPTH:
            raise FormatError(f"{_place(parent)}{_TOO_DEEP}")
        if self.values > self.most_values:
            raise over_limit(f"{_place(parent)}too many values", self.most_values, "values")

    def ascend_resolver(self) -> None:
        """Leave a value."""
        self.depth -= 1

    def construct_scalar(self, node: Any) -> Any:
        """Return the text of a value, its own characters in place of their stand-ins."""
        text = super().construct_scalar(node)
        return text.translate(self.own_characters) if self.own_characters else text

    def construct_mapping(self, node: Any, deep: bool = False) -> Any:
        """Return a mapping whose numbers as keys are text, as in JSON, each of its keys once.

        The hash of a text cannot be foreseen. That of an integer can: 60,000 that share one
        would take a dictionary 40 seconds.
        """
        if node.id == "mapping":
            seen: set[str] = set()
            for key, _ in node.value:
                if key.id == "scalar" and key.value in seen:
                    raise there_twice(f"{_place(key)}{self.construct_scalar(key)[:64]}")
                seen.add(str(key.value))
            self.flatten_mapping(node)
            for position, (key, value) in enumerate(node.value):
                if key.tag in _NUMBERS:
                    text = yaml.ScalarNode(_TEXT, key.value, key.start_mark, key.end_mark)
                    node.value[position] = text, value
        return super().construct_mapping(node, deep)

    def construct_number(self, node: Any) -> Any:
        """Return an integer or a float that is not too long to be worked out."""
        if len(str(node.value)) > DIGITS:
            raise FormatError(f"{_place(node)}a number of over {DIGITS:,} digits")
        is_integer = node.tag == _INTEGER
        return (self.construct_yaml_int if is_integer else self.construct_yaml_float)(node)


for _tag in _NUMBERS:
    _BoundedLoader.add_constructor(_tag, _BoundedLoader.construct_number)


def _place(found: yaml.Node | yaml.Mark | None) -> str:
    mark = found.start_mark if isinstance(found, yaml.Node) else found
    # The text begins at the end of the page's first line; marks count from nought.
    return f"line {mark.line + 1}, column {mark.column + 1}: " if mark else ""


def _check_aliases(root: yaml.Node, most: int) -> None:
    """Raise FormatError where a document is too large, too deep or endless once written out.

    What aliases repeat is one object here, and is counted as often as it is used. A long text
    counts as several values.
    """
    measured: dict[int, tuple[int, int]] = {}  # of each value: how many there are in it, how deep
    begun: set[int] = set()
    waiting = [root]
    while waiting:
        node = waiting[-1]
        inner: list[yaml.Node] = node.value if isinstance(node, yaml.SequenceNode) else []
        if isinstance(node, yaml.MappingNode):
            inner = [value for pair in node.value for value in pair]
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
            raise FormatError(f"{_place(node)}{_TOO_DEEP}")
        measured[id(node)] = size, depth
