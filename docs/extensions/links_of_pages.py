"""Makes the links of all pages good on the site.

Some pages of the site show a file of another folder: `project/security.md` shows `SECURITY.md`. Its
links are written for its own folder, and other pages link to the file, as on GitHub. Both are
written anew here, before a page is parsed.
"""

import os
import re
from pathlib import Path

from sphinx.application import Sphinx

SHOWN_BY = {
    "README.md": "docs/index.md",
    "CHANGELOG.md": "docs/project/changes.md",
    "CONTRIBUTING.md": "docs/project/contributing.md",
    "SECURITY.md": "docs/project/security.md",
}
"""The files that a page of the site shows, and that page."""

_FENCED = re.compile(r"(^```.*?^```$)", re.DOTALL | re.MULTILINE)
_LINK = re.compile(r"\]\((?![a-z]+:|#)(?P<target>[^)\s#]+)(?P<anchor>#[^)\s]*)?\)")


def relinked(text: str, file: str) -> str:
    """Return the text of a file with the links that the page which shows it has to have.

    A file is named by its path in the repository.
    """
    page = SHOWN_BY.get(file, file)

    def link(found: re.Match[str]) -> str:
        target = os.path.normpath(os.path.join(os.path.dirname(file), found["target"]))
        leads_to = os.path.relpath(SHOWN_BY.get(target, target), os.path.dirname(page))
        return f"]({leads_to}{found['anchor'] or ''})"

    pieces = _FENCED.split(text)  # text, what is fenced, text, what is fenced, text
    return "".join(
        piece if position % 2 else _LINK.sub(link, piece) for position, piece in enumerate(pieces)
    )


def _read(app: Sphinx, file: Path, content: list[str]) -> None:
    content[0] = relinked(content[0], os.path.relpath(file, app.srcdir.parent))


def setup(app: Sphinx) -> dict[str, bool]:
    """Have Sphinx hand over each page, and each file that a page includes."""
    app.connect(
        "source-read", lambda app, page, content: _read(app, app.env.doc2path(page), content)
    )
    app.connect(
        "include-read", lambda app, file, _, content: _read(app, app.srcdir / file, content)
    )
    return {"parallel_read_safe": True, "parallel_write_safe": True}
