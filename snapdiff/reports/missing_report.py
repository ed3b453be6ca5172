"""The answer of `snapdiff missing`: in text, in Markdown and in JSON."""

from collections.abc import Callable, Iterator
from itertools import groupby

import msgspec
from msgspec import Struct

from snapdiff.reports.cause_words import event_in_words
from snapdiff.reports.markdown_text import code
from snapdiff.reports.names import Mark, short_hash
from snapdiff.reports.options import ReportOptions
from snapdiff.reports.templates import markdown_environment, render_template, text_environment
from snapdiff.result.causes import Event
from snapdiff.result.missing import MissingSpec, MissingSpecs
from snapdiff.safe_text import shown


class MissingLine(Struct, frozen=True, kw_only=True):
    """One missing spec as people read it; `nearest` says in what the nearest one differs."""

    package: str
    version: str
    hash: str
    asked_for: bool
    nearest: str


class MissingBlock(Struct, frozen=True, kw_only=True):
    """What is missing of one environment."""

    environment: str
    lines: tuple[MissingLine, ...]


Render = Callable[[MissingSpecs, ReportOptions], Iterator[str]]


def render_text(found: MissingSpecs, options: ReportOptions) -> Iterator[str]:
    """Yield the answer for a terminal."""
    environment = text_environment(options.templates, lambda text, _style: text)
    blocks = _blocks(found, shown)
    yield render_template(environment, "missing.txt.j2", found=found, blocks=blocks)


def render_markdown(found: MissingSpecs, options: ReportOptions) -> Iterator[str]:
    """Yield the answer in Markdown."""
    environment = markdown_environment(options.templates)
    blocks = _blocks(found, code)
    url = options.package_url
    yield render_template(environment, "missing.md.j2", found=found, blocks=blocks, url=url)


def render_json(found: MissingSpecs, _options: ReportOptions) -> Iterator[str]:
    """Yield the answer on one line."""
    yield msgspec.json.encode(found).decode("utf-8")
    yield "\n"


RENDERERS: dict[str, Render] = {
    "text": render_text,
    "markdown": render_markdown,
    "json": render_json,
}
"""What `-f` may name."""


def _blocks(found: MissingSpecs, mark: Mark) -> list[MissingBlock]:
    return [
        MissingBlock(environment=name, lines=tuple(_line(item, mark) for item in some))
        for name, some in groupby(found.missing, key=lambda item: item.environment)
    ]


def _line(item: MissingSpec, mark: Mark) -> MissingLine:
    return MissingLine(
        package=item.package,
        version=item.spec.version,
        hash=short_hash(item.spec.hash),
        asked_for=item.asked_for,
        nearest=_nearest(item, mark),
    )


def _nearest(item: MissingSpec, mark: Mark) -> str:
    """Return what comes nearest: `nearest abc1234: version 1.14.3 → 1.12.3`."""
    if item.nearest is None:
        return "no build of it is there"
    found = f"nearest {mark(short_hash(item.nearest.spec.hash))}"
    differs = [
        event_in_words(Event(None, field.name, field.old, field.new), mark)  # type: ignore[arg-type]
        for field in item.nearest.fields
    ]
    return f"{found}: {', '.join(differs) or 'alike in all its own fields'}"
