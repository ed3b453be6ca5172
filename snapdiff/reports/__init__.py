"""What a caller may ask of a report, and the report in one of its formats (`report_formats.py`)."""

import re
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Literal

from msgspec import Struct

from snapdiff.errors import ReportError
from snapdiff.report_formats import OWN_TEMPLATE, RENDERERS, format_named
from snapdiff.result.changes import CatalogDiff

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
    a tag, which None is too, or one a stack. `detail` adds every spec, `stat` leaves the first
    sentence and the table of counts. `package_url` is where a package's name links to, with
    `{package}` in it; empty for no links. `report_url` is where the full report is. `max_length` is
    in characters; None asks for the format's own limit. `width` is in columns. `templates` is a
    folder whose files replace built-in templates of the same name, and `template` a template file
    of the caller's own. `offending` is what a gate has found, a line each, for the comment to say.
    """

    title: str = ""
    group_by: GroupBy = "package"
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


# --- The report ---


def render_pieces(
    diff: CatalogDiff, format_name: str, options: ReportOptions | None = None
) -> Iterator[str]:
    """Yield a report's text piece by piece, so that a large one need not be held at once.

    Raises ReportError where there is no such format or it cannot be rendered as asked.
    """
    known = format_name if format_name == OWN_TEMPLATE else format_named(format_name)
    module, _, name = RENDERERS[known].partition(":")
    render: Callable[[CatalogDiff, ReportOptions], Iterator[str]] = getattr(
        import_module(f"snapdiff.reports.{module}"), name
    )
    return render(diff, options or ReportOptions())


def render_report(diff: CatalogDiff, format_name: str, options: ReportOptions | None = None) -> str:
    """Return a report as text; raises ReportError as `render_pieces` does."""
    return "".join(render_pieces(diff, format_name, options))


# --- The lines by which a bot finds its comment again ---

NOTHING_CHANGED = "<!-- nothing changed -->"
"""The second line of a comment on two catalogs that are equal: a bot need not read the words."""

MARKER_NAME = "[A-Za-z0-9._/]+(?:-[A-Za-z0-9._/]+)*"
"""What a marker's name is made of: nothing that could end the line."""

MARKER_RULE = "a marker is made of letters, digits and . _ / with single dashes"

_MARKER_LINE = re.compile(f"<!-- ({MARKER_NAME}) -->")


def marker_line(name: str) -> str:
    """Return a first line by which a comment is found again; raises ReportError for a bad name."""
    if not re.fullmatch(MARKER_NAME, name):
        raise ReportError(f"{name!r}: {MARKER_RULE}")
    return f"<!-- {name} -->"


def marker_of(text: str) -> str | None:
    """Return the name in the first line of a text, if it has one: `snapdiff/hep`."""
    found = _MARKER_LINE.fullmatch("".join(text.splitlines()[:1]).strip())
    return found[1] if found else None


def says_nothing_changed(text: str) -> bool:
    """Return whether a comment says that nothing changed."""
    second = "".join(text.splitlines()[1:2]).strip()
    return marker_of(text) is not None and second == NOTHING_CHANGED
