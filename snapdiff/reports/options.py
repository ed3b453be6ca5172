"""What a caller may ask of a report."""

from pathlib import Path
from typing import Literal

from msgspec import Struct

PACKAGE_URL = "https://packages.spack.io/package.html?name={package}"
"""The page of a package on Spack's package site."""


class ReportOptions(Struct, frozen=True, kw_only=True):
    """How a report is to look; a format ignores what has no meaning for it.

    `package_url` is where a package's name links to, with `{package}` in it; empty for no links.
    `max_length` is in characters; None asks for the format's own limit. `width` is in columns.
    `templates` is a folder whose files replace built-in templates of the same name, and `template`
    a template file of the caller's own.
    """

    group_by: Literal["stack", "package"] = "stack"
    package_url: str = PACKAGE_URL
    max_length: int | None = None
    marker: str = "snapdiff"
    color: bool = False
    width: int | None = None
    templates: Path | None = None
    template: Path | None = None
