"""The finished diff as text: one file a format, and a registry of them."""

from collections.abc import Iterator
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
    """A format by name: the module that renders it, and the file suffixes that stand for it."""

    name: str
    module: str
    suffixes: tuple[str, ...]
    purpose: str


FORMATS = {
    item.name: item
    for item in (
        ReportFormat("markdown", "markdown", (".md", ".markdown"), "release notes"),
        ReportFormat("comment", "comment", (), "a pull-request comment, with a marker and a limit"),
        ReportFormat("text", "text", (".txt",), "a terminal"),
        ReportFormat("html", "html.document", (".html", ".htm"), "a page to search and filter"),
        ReportFormat("json", "json_report", (".json",), "scripts"),
        ReportFormat("csv", "csv_report", (".csv",), "spreadsheets, a row a change"),
        ReportFormat("template", "own_template", (), "words of your own, with --template"),
    )
}
"""Every format; a module is imported when it is first asked for."""


def format_of_file(path: PurePath) -> str | None:
    """Return the format that a file's suffix stands for, or None."""
    for item in FORMATS.values():
        if path.suffix.lower() in item.suffixes:
            return item.name
    return None


def checked_format(name: str) -> str:
    """Return the name of a format; raises ReportError where there is no such format."""
    if name not in FORMATS:
        known = ", ".join(FORMATS)
        raise ReportError(f"{name}: no such report format; there are {known}")
    return name


def render_pieces(
    diff: CatalogDiff, format_name: str, options: ReportOptions | None = None
) -> Iterator[str]:
    """Yield a report's text piece by piece, so that a large one need not be held at once.

    Raises ReportError where there is no such format or it cannot be rendered as asked.
    """
    module = import_module(f"snapdiff.reports.{FORMATS[checked_format(format_name)].module}")
    render: Renderer = module.render
    return render(diff, options or ReportOptions())


def render_report(diff: CatalogDiff, format_name: str, options: ReportOptions | None = None) -> str:
    """Return a report as text; raises ReportError as `render_pieces` does."""
    return "".join(render_pieces(diff, format_name, options))
