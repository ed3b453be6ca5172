"""The formats of a changelog and of first sightings: suffixes, and options that have an effect."""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from snapdiff.errors import ReportError


class ChangelogFormat(NamedTuple):
    """A format by name, the suffixes that stand for it, the options that have an effect in it."""

    name: str
    suffixes: tuple[str, ...]
    options: frozenset[str]


def _by_name(*formats: ChangelogFormat) -> dict[str, ChangelogFormat]:
    return {item.name: item for item in formats}


_SECTIONS = frozenset(["group-by", "detail", "template-folder"])

CHANGELOG = _by_name(
    ChangelogFormat("markdown", (".md", ".markdown"), _SECTIONS | {"package-url"}),
    ChangelogFormat("text", (".txt",), _SECTIONS | {"color"}),
    ChangelogFormat("html", (".html", ".htm"), _SECTIONS | {"package-url"}),
    ChangelogFormat("json", (".json",), frozenset()),
    ChangelogFormat("ndjson", (".ndjson", ".jsonl"), frozenset()),
)
"""The formats of a changelog."""

TEMPLATE = ChangelogFormat("template", (), frozenset(["template"]))
"""What --template asks for: no format to choose by name."""

FIRST_SEEN = _by_name(
    ChangelogFormat("markdown", (".md", ".markdown"), frozenset(["template-folder"])),
    ChangelogFormat("text", (".txt",), frozenset(["template-folder", "color"])),
    ChangelogFormat("json", (".json",), frozenset()),
    ChangelogFormat("csv", (".csv",), frozenset()),
)
"""The formats of first sightings."""


def chosen_format(
    name: str | None,
    target: Path | None,
    known: Mapping[str, ChangelogFormat],
    *,
    on_terminal: bool,
) -> ChangelogFormat:
    """Return the format that was asked for, that a file's suffix stands for, or the usual one.

    Raises ReportError where there is no such format.
    """
    if name is not None:
        for item in known.values():
            if name == item.name or f".{name}" in item.suffixes:
                return item
        raise ReportError(f"{name}: no such format here; there are {', '.join(known)}")
    suffix = target.suffix.lower() if target else ""
    if suffix:
        for item in known.values():
            if suffix in item.suffixes:
                return item
        suffixes = ", ".join(suffix for item in known.values() for suffix in item.suffixes)
        raise ReportError(
            f"{target}: no format here has the suffix {suffix}; known are {suffixes}, or say -f"
        )
    return known["text" if on_terminal else "markdown"]


def without_effect(
    chosen: ChangelogFormat, known: Mapping[str, ChangelogFormat], options: Iterable[str]
) -> Iterator[str]:
    """Yield a line for each option that was given and does nothing in a format."""
    for option in options:
        if option not in chosen.options:
            others = [item.name for item in known.values() if option in item.options]
            way_out = f"it goes with {', '.join(others)}" if others else "leave it out"
            yield f"--{option} has no effect in {chosen.name}; {way_out}"
