"""Shows the gallery's reports in Markdown as readers see them, below what the command prints."""

import re

from markdown_it import MarkdownIt
from sphinx.application import Sphinx

_REPORT = re.compile(r"```console\n\$ [^\n]*\n((?:<!--[^\n]*-->\n)?# .*?)```\n", re.DOTALL)


def _with_rendered(_app: Sphinx, page: str, source: list[str]) -> None:
    """Put behind each report what it looks like; its title is no heading of the page."""
    if page != "gallery":
        return
    markdown = MarkdownIt("commonmark").enable("table")

    def shown(found: re.Match[str]) -> str:
        html = markdown.render(found[1]).replace("h1>", "h4>")
        return f'{found[0]}\n````{{raw}} html\n<div class="rendered">\n{html}</div>\n````\n'

    source[0] = _REPORT.sub(shown, source[0])


def setup(app: Sphinx) -> dict[str, bool]:
    """Have Sphinx do it to each page that it reads."""
    app.connect("source-read", _with_rendered)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
