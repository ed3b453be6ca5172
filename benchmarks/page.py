"""A page of the catalog: its specs, and its text in the layout of the public catalog."""

from __future__ import annotations

import json
from dataclasses import dataclass

from benchmarks.names import Place


@dataclass(frozen=True, slots=True)
class Record:
    """What a page says of a spec, except its hash."""

    place: Place
    version: str
    variants: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Page:
    """A page: package, tag, and its specs as pairs of hash and record, sorted by hash."""

    package: str
    tag: str
    specs: tuple[tuple[str, Record], ...]

    @property
    def path(self) -> str:
        """The page's path in the catalog."""
        return f"_cache/{self.tag}/{self.package}/specs.md"

    @property
    def stack_specs(self) -> int:
        """The number of specs, each counted in all its stacks (in `root` where it has no other)."""
        return sum(len(record.place.stacks) or 1 for _, record in self.specs)


def render(page: Page) -> bytes:
    """The page as the public catalog writes it, byte for byte in the same layout."""
    around: dict[Record, tuple[str, str]] = {}
    parts = []
    for digest, record in page.specs:
        if record not in around:
            around[record] = _around_hash(record)
        before, after = around[record]
        parts.append(before + digest + after)
    meta = json.dumps(_meta(page), sort_keys=True)
    return (
        f'---\ntitle: "{page.package}"\nlayout: cache\ncategories: [package, {page.tag}]\n'
        f"meta: {meta}\nspec_details: [{', '.join(parts)}]\n---"
    ).encode()


def _around_hash(record: Record) -> tuple[str, str]:
    """A spec's JSON before and after the value of its hash."""
    place = record.place
    fields = {
        "compiler": place.compiler,
        "hash": "#",
        "os": place.os,
        "platform": place.platform,
        "size": "-",
        "stacks": sorted((*place.stacks, "root")),
        "target": place.target,
        "variants": record.variants,
        "versions": [record.version],
    }
    before, _, after = json.dumps(fields, sort_keys=True).partition('"#"')
    return before + '"', '"' + after


def _meta(page: Page) -> dict[str, object]:
    """What the catalog's own generator derives from a page's specs."""
    by_stack: dict[str, int] = {"root": len(page.specs)}
    for _, record in page.specs:
        for stack in record.place.stacks:
            by_stack[stack] = by_stack.get(stack, 0) + 1
    records = {record for _, record in page.specs}
    return {
        "compilers": sorted({record.place.compiler for record in records}),
        "num_specs": len(page.specs),
        "num_specs_by_stack": by_stack,
        "oss": sorted({record.place.os for record in records}),
        "platforms": sorted({record.place.platform for record in records}),
        "stacks": sorted(by_stack),
        "targets": sorted({record.place.target for record in records}),
        "versions": sorted({record.version for record in records}),
    }
