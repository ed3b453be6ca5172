"""The JSON report and its schema (specification, section 7)."""

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from snapdiff.reports.json_keys import MEANINGS
from snapdiff.reports.options import ReportOptions
from snapdiff.result import CatalogDiff
from snapdiff.result.missing import MissingSpecs
from snapdiff.result.why import ExplainedPackage

DOCUMENTS: dict[str, type[msgspec.Struct]] = {
    "report": CatalogDiff,
    "missing": MissingSpecs,
    "why": ExplainedPackage,
}
"""What has a schema: the report, and the answers of the commands of these names."""

_encoder = msgspec.json.Encoder()


def render(diff: CatalogDiff, _options: ReportOptions) -> Iterator[str]:
    """Yield the report on one line, a stack at a time: a large one is never held as text."""
    yield from _object(diff, ("tags", "stacks"))
    yield "\n"


def _object(value: msgspec.Struct, listed: Sequence[str]) -> Iterator[str]:
    """Yield a struct as JSON: the field named first in `listed` item by item, and so on below."""
    separator = "{"
    for name in value.__struct_fields__:
        content = getattr(value, name)
        if content is msgspec.UNSET:
            continue
        yield f'{separator}"{name}":'
        separator = ","
        if listed and name == listed[0]:
            yield "["
            for position, item in enumerate(content):
                if position:
                    yield ","
                yield from _object(item, listed[1:])
            yield "]"
        else:
            yield _encoder.encode(content).decode("utf-8")
    yield "}"


def json_schema(document: str = "report") -> dict[str, Any]:
    """Return the JSON Schema (draft 2020-12) of a `report`, or of the answer of a command.

    Each object and each key has a description.
    """
    schema = msgspec.json.schema(DOCUMENTS[document])
    for name, definition in schema["$defs"].items():
        for key, value in definition.get("properties", {}).items():
            value["description"] = MEANINGS[name][key]
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"snapdiff {document}",
        **schema,
    }
