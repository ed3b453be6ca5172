"""The JSON report, and the JSON Schema of reports and answers (specification, section 7)."""

import inspect
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from snapdiff.model import specs
from snapdiff.reports import ReportOptions
from snapdiff.result import causes, changes, packages, questions
from snapdiff.result.changes import CatalogDiff
from snapdiff.result.questions import ExplainedPackage, MissingSpecs

_encoder = msgspec.json.Encoder()


def render(diff: CatalogDiff, _options: ReportOptions) -> Iterator[str]:
    """Yield the report on one line, a stack at a time: a large one is never held as text."""
    yield from _object(diff, ("tags", "stacks"))
    yield "\n"


def _object(value: msgspec.Struct, listed: Sequence[str]) -> Iterator[str]:
    """Yield a struct as JSON: the field named first in `listed` item by item, and so on below."""
    if not listed:
        yield _encoder.encode(value).decode("utf-8")
        return
    separator = "{"
    for name in value.__struct_fields__:
        content = getattr(value, name)
        if content is msgspec.UNSET:
            continue
        yield f'{separator}"{name}":'
        separator = ","
        if name == listed[0]:
            yield "["
            for position, item in enumerate(content):
                if position:
                    yield ","
                yield from _object(item, listed[1:])
            yield "]"
        else:
            yield _encoder.encode(content).decode("utf-8")
    yield "}"


# --- Its schema, with what each key means ---

DOCUMENTS: dict[str, type[msgspec.Struct]] = {
    "report": CatalogDiff,
    "missing": MissingSpecs,
    "why": ExplainedPackage,
}
"""What has a schema: the report, and the answers of the commands of these names."""

CLASSES = vars(specs) | vars(causes) | vars(changes) | vars(packages) | vars(questions)
"""The classes of all objects, by name."""

COMMON = {
    "schema_version": "the version of this shape: what is added keeps it, other changes raise it",
    "snapdiff": "the version of snapdiff that made the report",
    "old": "on the old side",
    "new": "on the new side",
    "package": "its package",
    "version": "its version",
    "hash": "its hash",
    "kind": "what happened to it",
    "path": "where it is",
    "build_only": "whether it is needed for building alone",
    "configuration": "the configuration file that decided anything, where one did",
    "skipped": "the pages that were left out on both sides because they cannot be read",
    "error": "what is wrong with it",
}
"""What keys mean in each object of which nothing else is said."""

_ITEM = re.compile(r"^- (`[\w-]+`(?:, `[\w-]+`)*): (.*(?:\n  .*)*)\n?", re.MULTILINE)
"""What the docstring of a class says of one of its keys, or of several."""


def json_schema(document: str = "report") -> dict[str, Any]:
    """Return the JSON Schema of a `report`, or of the answer of a command."""
    return described_schema(DOCUMENTS[document], f"snapdiff {document}", CLASSES, COMMON)


def described_schema(
    kind: type[msgspec.Struct], title: str, classes: Mapping[str, Any], common: Mapping[str, str]
) -> dict[str, Any]:
    """Return the JSON Schema (draft 2020-12) of a class, with those of all its objects by name.

    Each object and each key has a description: those in the docstrings of their classes, and of
    keys of which these say nothing, in `common`.
    """
    schema = msgspec.json.schema(kind)
    for name, definition in schema["$defs"].items():
        definition["description"] = _ITEM.sub("", _docstring(classes[name])).strip()
        meanings = {**common, **meanings_of_keys(classes[name])}
        for key, value in definition.get("properties", {}).items():
            value["description"] = meanings.get(key, "")  # `python -OO` has no docstrings
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": title, **schema}


def meanings_of_keys(kind: type) -> dict[str, str]:
    """Return what the docstrings of a class, and of those that it extends, say of its keys."""
    return {
        key.strip("`"): " ".join(meaning.split())
        for each in reversed(kind.__mro__)
        for keys, meaning in _ITEM.findall(_docstring(each))
        for key in keys.split(", ")
    }


def _docstring(kind: type) -> str:
    return inspect.cleandoc(kind.__doc__ or "")
