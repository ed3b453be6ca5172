"""What -f may name, of every kind of output: the one table that help and configuration files have.

It imports next to nothing, as help and a shell that completes a word import it.
"""

from collections.abc import Mapping
from pathlib import PurePath

from snapdiff.errors import ReportError

Formats = Mapping[str, frozenset[str]]
"""Formats by name, each with the fields of ReportOptions that have an effect in it."""

SUFFIXES = {
    "markdown": (".md", ".markdown"),
    "text": (".txt",),
    "html": (".html", ".htm"),
    "json": (".json",),
    "ndjson": (".ndjson", ".jsonl"),
    "csv": (".csv",),
}
"""The suffixes of files that stand for a format."""


def _formats(**fields: str) -> Formats:
    return {name: frozenset(some.split()) for name, some in fields.items()}


_IN_MARKDOWN = "title templates group_by detail stat package_url report_url max_length"

REPORT = _formats(
    markdown=_IN_MARKDOWN,
    comment=f"{_IN_MARKDOWN} marker",
    text="title templates group_by detail stat color",
    html="title templates package_url",
    json="",
    csv="",
)
CHANGELOG = _formats(
    markdown="templates group_by detail package_url",
    text="templates group_by detail color",
    html="templates group_by detail package_url",
    json="",
    ndjson="",
)
SEEN_REPORT = _formats(markdown="templates detail", text="templates detail color", json="", csv="")
ANSWER = _formats(text="templates detail", markdown="templates detail package_url", json="")

OWN_TEMPLATE = "template"
"""What --template asks for: words of the user's own, and no format to choose by name."""

RENDERERS = {
    "markdown": "for_people:render_markdown",
    "comment": "for_people:render_comment",
    "text": "for_people:render_text",
    "html": "html.document:render",
    "json": "json_report:render",
    "csv": "csv_report:render",
    OWN_TEMPLATE: "templates:render_own",
}
"""Which module of `reports/` renders a report, and its function there."""


def in_words(formats: Formats, **notes: str) -> str:
    """Return the names of formats for a sentence, some with a note: `text (default) or json`."""
    *names, last = [f"{name} ({notes[name]})" if name in notes else name for name in formats]
    return f"{', '.join(names)} or {last}"


def that_heed(option: str, formats: Formats = REPORT) -> str:
    """Return the names of the formats that heed an option: `markdown, comment, text`."""
    return ", ".join(name for name, heeded in formats.items() if option in heeded)


def format_named(name: str, formats: Formats = REPORT) -> str:
    """Return the format that a name or a suffix means, as `md` does; raises ReportError."""
    for known in formats:
        if name == known or f".{name.lower()}" in SUFFIXES.get(known, ()):
            return known
    raise ReportError(f"{name}: no such format here; there are {', '.join(formats)}")


def chosen_format(formats: Formats, name: str | None, file: PurePath | None, usual: str) -> str:
    """Return the format asked for, that of a file's suffix, or the usual; raises ReportError."""
    if name is not None:
        return format_named(name, formats)
    if file is None or not file.suffix or not file.name.strip("."):
        return usual
    known = {suffix: item for item in formats for suffix in SUFFIXES.get(item, ())}
    suffix = file.suffix.lower()
    if suffix not in known:
        message = f"no format here has the suffix {suffix}; known are {', '.join(known)}, or say -f"
        raise ReportError(f"{file}: {message}")
    return known[suffix]


def option_name(field: str) -> str:
    """Return what the option of a field of ReportOptions is called."""
    return "template-folder" if field == "templates" else field.replace("_", "-")
