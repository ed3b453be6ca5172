"""The finished diff as text: one file a format, and a registry of them."""

from collections.abc import Iterable, Iterator, Sequence
from importlib import import_module
from pathlib import PurePath
from typing import NamedTuple, Protocol

from snapdiff.errors import ReportError
from snapdiff.reports.options import ReportOptions
from snapdiff.result import CatalogDiff


class Renderer(Protocol):
    """What a report's module offers as `render`."""

    def __call__(self, diff: CatalogDiff, options: ReportOptions, /) -> Iterator[str]:
        """Yield the report's text, piece by piece."""
        ...


class ReportFormat(NamedTuple):
    """A format by name: its module, the file suffixes that stand for it, what it is for.

    `options` are the fields of ReportOptions that have an effect in it.
    """

    name: str
    module: str
    suffixes: tuple[str, ...]
    purpose: str
    options: frozenset[str] = frozenset()


_FOR_PEOPLE = frozenset(["title", "templates"])
_IN_MARKDOWN = _FOR_PEOPLE | {"group_by", "detail", "package_url", "report_url", "max_length"}

FORMATS = {
    item.name: item
    for item in (
        ReportFormat(
            "markdown", "markdown", (".md", ".markdown"), "release notes", _IN_MARKDOWN | {"stat"}
        ),
        ReportFormat(
            "comment",
            "markdown:render_comment",
            (),
            "a pull-request comment, with a marker and a limit",
            _IN_MARKDOWN | {"marker"},
        ),
        ReportFormat(
            "text",
            "text",
            (".txt",),
            "a terminal",
            _FOR_PEOPLE | {"group_by", "detail", "stat", "color"},
        ),
        ReportFormat(
            "html",
            "html.document",
            (".html", ".htm"),
            "a page to search and filter",
            _FOR_PEOPLE | {"package_url"},
        ),
        ReportFormat("json", "json_report", (".json",), "scripts"),
        ReportFormat("csv", "csv_report", (".csv",), "spreadsheets, a row a change"),
    )
}
"""Every format; a module is imported when it is first asked for."""

OWN_TEMPLATE = ReportFormat(
    "template", "templates:render_own", (), "words of your own", frozenset(["template"])
)
"""What --template asks for: no format to choose by name."""


def format_of_file(path: PurePath) -> str | None:
    """Return the format that a file's suffix stands for, or None where it has no suffix.

    Raises ReportError where no format has the suffix.
    """
    suffix = path.suffix.lower()
    if not suffix or not path.name.strip("."):
        return None
    for item in FORMATS.values():
        if suffix in item.suffixes:
            return item.name
    known = ", ".join(suffix for item in FORMATS.values() for suffix in item.suffixes)
    raise ReportError(f"{path}: no format has the suffix {suffix}; known are {known}, or say -f")


def checked_format(name: str) -> str:
    """Return the format that a name or a suffix means: `md` is markdown.

    Raises ReportError where there is no such format.
    """
    for item in FORMATS.values():
        if name == item.name or f".{name}" in item.suffixes:
            return item.name
    raise ReportError(f"{name}: no such report format; there are {', '.join(FORMATS)}")


def without_effect(format_names: Sequence[str], options: Iterable[str]) -> Iterator[str]:
    """Yield a line for each field of ReportOptions with which none of the formats does anything."""
    for name in options:
        if not any(name in _format(item).options for item in format_names):
            others = [item.name for item in FORMATS.values() if name in item.options]
            goes_with = f"it goes with {', '.join(others)}" if others else "leave it out"
            nowhere = ", ".join(format_names)
            yield f"{_option(name)} has no effect in {nowhere}; {goes_with}"


def _option(name: str) -> str:
    return {"templates": "--template-folder"}.get(name, f"--{name.replace('_', '-')}")


def _format(name: str) -> ReportFormat:
    return OWN_TEMPLATE if name == OWN_TEMPLATE.name else FORMATS[checked_format(name)]


def render_pieces(
    diff: CatalogDiff, format_name: str, options: ReportOptions | None = None
) -> Iterator[str]:
    """Yield a report's text piece by piece, so that a large one need not be held at once.

    Raises ReportError where there is no such format or it cannot be rendered as asked.
    """
    module, _, name = _format(format_name).module.partition(":")
    render: Renderer = getattr(import_module(f"snapdiff.reports.{module}"), name or "render")
    return render(diff, options or ReportOptions())


def render_report(diff: CatalogDiff, format_name: str, options: ReportOptions | None = None) -> str:
    """Return a report as text; raises ReportError as `render_pieces` does."""
    return "".join(render_pieces(diff, format_name, options))
