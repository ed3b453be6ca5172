"""What a caller may ask of a report."""

from pathlib import Path
from typing import Literal

from msgspec import Struct

PACKAGE_URL = "https://packages.spack.io/package.html?name={package}"
"""The page of a package on Spack's package site."""

MARKER = "snapdiff"
"""The name in a comment's first line, by which a bot finds the comment again."""

GroupBy = Literal["stack", "package"]
"""One list of packages a stack, or one a tag."""


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
