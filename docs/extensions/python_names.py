"""Shows the Python names as callers see them, without what only the package passes on."""

import re
from typing import Any

from sphinx.application import Sphinx

MADE_BY_CALLERS = {"snapdiff.Filters", "snapdiff.limits.Limits", "snapdiff.reports.ReportOptions"}

_SPECIFICATION = re.compile(r"(docs/)?specification(\.md)?, section")


def _without_signature(_app: Sphinx, what: str, name: str, *_: object) -> tuple[str, None] | None:
    """Return no signature for a class that only the package makes: its fields are listed."""
    by_the_package = what == "class" and name not in MADE_BY_CALLERS
    return ("", None) if by_the_package else None


def _with_links(*event: Any) -> None:
    """Make a link of each mention of the specification in a docstring."""
    *_, lines = event
    for number, line in enumerate(lines):
        link = ":doc:`specification </specification>`, section"
        lines[number] = _SPECIFICATION.sub(link, line)


def setup(app: Sphinx) -> dict[str, bool]:
    """Have Sphinx hand over each signature and each docstring."""
    app.connect("autodoc-process-docstring", _with_links)
    app.connect("autodoc-process-signature", _without_signature)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
