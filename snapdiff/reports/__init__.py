"""What a caller may ask of a report: formats, by kind of output, and options; and the report."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib import import_module
from pathlib import Path, PurePath
from typing import Literal, Protocol

from msgspec import Struct

from snapdiff.errors import ReportError
from snapdiff.result import CatalogDiff

PACKAGE_URL = "https://packages.spack.io/package.html?name={package}"
"""The page of a package on Spack's package site."""

MARKER = "snapdiff"
"""The name in a comment's first line, by which a bot finds the comment again."""

GroupBy = Literal["stack", "package"]
"""One list of packages a stack, or one a tag."""

By = Literal["commit", "day", "week", "month", "tag"]
"""The commits that make one section of a changelog."""


class ReportOptions(Struct, frozen=True, kw_only=True):
    """How a report is to look; a format ignores what has no meaning for it.

    `title` heads the report in place of the names of both sides. `group_by` is one list of packages
    a tag, or one a stack; None asks for the format's own way. `detail` adds every spec, `stat`
    leaves the table of counts alone. `package_url` is where a package's name links to, with
    `{package}` in it; empty for no links. `report_url` is where the full report is. `max_length` is
    in characters; None asks for the format's own limit. `width` is in columns. `templates` is a
    folder whose files replace built-in templates of the same name, and `template` a template file
    of the caller's own. `offending` is what a gate has found, a line each, for the comment to say.
    """

    title: str = ""
    group_by: GroupBy | None = None
    detail: bool = False
    stat: bool = False
    package_url: str = PACKAGE_URL
    report_url: str = ""
    max_length: int | None = None
    marker: str = MARKER
    color: bool = False
    width: int | None = None
    templates: Path | None = None
    template: Path | None = None
    offending: tuple[str, ...] = ()


# --- Formats ---

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


_IN_MARKDOWN = "title templates group_by detail package_url report_url max_length"

REPORT = _formats(
    markdown=f"{_IN_MARKDOWN} stat",
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
FIRST_SEEN = _formats(markdown="templates", text="templates color", json="", csv="")
ANSWER = _formats(text="templates", markdown="templates package_url", json="")

OWN_TEMPLATE = "template"
"""What --template asks for: words of the user's own, and no format to choose by name."""

_RENDERERS = {
    "markdown": "for_people:render_markdown",
    "comment": "for_people:render_comment",
    "text": "for_people:render_text",
    "html": "html.document:render",
    "json": "json_report:render",
    "csv": "csv_report:render",
    OWN_TEMPLATE: "templates:render_own",
}
"""Where a report is rendered; a module is imported when it is first asked for."""


class Renderer(Protocol):
    """What renders a report in one format."""

    def __call__(self, diff: CatalogDiff, options: ReportOptions, /) -> Iterator[str]:
        """Yield the report's text, piece by piece."""
        ...


def format_named(name: str, formats: Formats = REPORT) -> str:
    """Return the format that a name or a suffix means: `md` is markdown.

    Raises ReportError where there is no such format.
    """
    for known in formats:
        if name == known or f".{name}" in SUFFIXES.get(known, ()):
            return known
    raise ReportError(f"{name}: no such format here; there are {', '.join(formats)}")


def chosen_format(formats: Formats, name: str | None, file: PurePath | None, usual: str) -> str:
    """Return the format that was asked for, that a file's suffix stands for, or the usual one.

    Raises ReportError where there is no such format.
    """
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


def without_effect(formats: Formats, chosen: Sequence[str], fields: Iterable[str]) -> Iterator[str]:
    """Yield a line for each field of ReportOptions with which no chosen format does anything."""
    heeded = {OWN_TEMPLATE: frozenset(["template"]), **formats}
    for field in sorted(fields):
        if not any(field in heeded[name] for name in chosen):
            others = [name for name, some in formats.items() if field in some]
            way_out = f"it goes with {', '.join(others)}" if others else "leave it out"
            yield f"--{option_name(field)} has no effect in {', '.join(chosen)}; {way_out}"


def option_name(field: str) -> str:
    """Return what the option of a field of ReportOptions is called."""
    return "template-folder" if field == "templates" else field.replace("_", "-")


# --- The report ---


def render_pieces(
    diff: CatalogDiff, format_name: str, options: ReportOptions | None = None
) -> Iterator[str]:
    """Yield a report's text piece by piece, so that a large one need not be held at once.

    Raises ReportError where there is no such format or it cannot be rendered as asked.
    """
    known = format_name if format_name == OWN_TEMPLATE else format_named(format_name)
    module, _, name = _RENDERERS[known].partition(":")
    render: Renderer = getattr(import_module(f"snapdiff.reports.{module}"), name)
    return render(diff, options or ReportOptions())


def render_report(diff: CatalogDiff, format_name: str, options: ReportOptions | None = None) -> str:
    """Return a report as text; raises ReportError as `render_pieces` does."""
    return "".join(render_pieces(diff, format_name, options))


# --- The lines by which a bot finds its comment again ---

NOTHING_CHANGED = "<!-- nothing changed -->"
"""The second line of a comment on two catalogs that are equal: a bot need not read the words."""

MARKER_NAME = "[A-Za-z0-9._/]+(?:-[A-Za-z0-9._/]+)*"
"""What a marker's name is made of: nothing that could end the line."""

_MARKER_LINE = re.compile(f"<!-- ({MARKER_NAME}) -->")


def marker_line(name: str) -> str:
    """Return the first line of a comment, by which a bot finds the comment again.

    Raises ReportError where the name could end the line that no reader sees.
    """
    if not re.fullmatch(MARKER_NAME, name):
        raise ReportError(
            f"{name!r}: a marker is made of letters, digits and . _ / with single dashes"
        )
    return f"<!-- {name} -->"


def marker_of(text: str) -> str | None:
    r"""Return the name in the first line of a text, if it has one.

    >>> marker_of("<!-- snapdiff/hep -->\n# Changes")
    'snapdiff/hep'
    """
    found = _MARKER_LINE.fullmatch(_line(text, 0))
    return found[1] if found else None


def says_nothing_changed(text: str) -> bool:
    """Return whether a comment says that nothing changed."""
    return marker_of(text) is not None and _line(text, 1) == NOTHING_CHANGED


def _line(text: str, number: int) -> str:
    return "".join(text.splitlines()[number : number + 1]).strip()
