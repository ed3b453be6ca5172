"""The JSON report (specification, section 7)."""

from collections.abc import Iterator, Sequence

import msgspec

from snapdiff.reports import ReportOptions
from snapdiff.result import CatalogDiff

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
