"""The directive `json-schema`: the schema of the JSON report as tables, and the file to download.

It is taken from the code when the site is made, and so is always that of `snapdiff schema`.
"""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from snapdiff.reports.json_report import json_schema

_SPECIFICATION = re.compile(r"(docs/)?specification(\.md)?, section")

FILE = "report.schema.json"
"""The schema's name on the site, beside the page that has the directive."""


class JsonSchema(SphinxDirective):
    """A section for each object, with a table of its keys."""

    def run(self) -> list[nodes.Node]:
        """Return the sections, the whole report first."""
        text = "\n".join(
            line
            for name, object_schema in json_schema()["$defs"].items()
            for line in _section(name, object_schema)
        )
        return self.parse_text_to_nodes(text, allow_section_headings=True)


def _section(name: str, schema: dict[str, Any]) -> Iterator[str]:
    """Yield the lines of a section, in Markdown."""
    link = "[specification](../specification.md), section"
    paragraphs = _SPECIFICATION.sub(link, schema["description"])
    yield from (f"(json-{name})=", f"## {name}", "", paragraphs, "")
    if "enum" in schema:
        yield from (f"One of {_values(schema)}.", "")
    if "properties" in schema:
        yield from ("| key | value | meaning | |", "|:--|:--|:--|:--|")
    for key, value in schema.get("properties", {}).items():
        absent = "" if key in schema["required"] else "may be missing"
        default = f"; then `{json.dumps(value['default'])}`" if "default" in value else ""
        yield f"| `{key}` | {_words(value)} | {value['description']} | {absent}{default} |"
    yield ""


def _words(schema: dict[str, Any]) -> str:
    """Return what a value is, in words."""
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        return f"[{name}](#json-{name})"
    if "enum" in schema:
        return _values(schema)
    if "anyOf" in schema:
        return " or ".join(_words(choice) for choice in schema["anyOf"])
    if "prefixItems" in schema:
        return f"a list of {' and '.join(_words(item) for item in schema['prefixItems'])}"
    if schema["type"] == "array":
        return f"a list, each {_words(schema['items'])}"
    return {"null": "`null`", "integer": "a number", "boolean": "`true` or `false`"}.get(
        schema["type"], f"a {schema['type']}"
    )


def _values(schema: dict[str, Any]) -> str:
    return ", ".join(f"`{json.dumps(value)}`" for value in schema["enum"])


def _write_file(app: Sphinx, _exception: Exception | None) -> None:
    if app.builder.format == "html":
        text = json.dumps(json_schema(), indent=2) + "\n"
        Path(app.outdir, FILE).write_text(text, encoding="utf-8")


def setup(app: Sphinx) -> dict[str, bool]:
    """Add the directive to Sphinx, and have it write the file with the pages."""
    app.add_directive("json-schema", JsonSchema)
    app.connect("build-finished", _write_file)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
