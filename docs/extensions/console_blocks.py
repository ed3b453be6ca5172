"""Shows a command in bold, and what it prints as it is.

Pygments takes a line that begins with `#` for a command of root. In what snapdiff prints it is a
heading.
"""

from typing import ClassVar

from pygments.lexer import RegexLexer
from pygments.token import Generic
from sphinx.application import Sphinx


class ConsoleLexer(RegexLexer):
    """Reads blocks in which every command begins with `$`."""

    name = "console"
    tokens: ClassVar = {
        "root": [(r"^\$ .*\n", Generic.Strong), (r".*\n", Generic.Output)],
    }


def setup(app: Sphinx) -> dict[str, bool]:
    """Have Sphinx use it for blocks of `console`."""
    app.add_lexer("console", ConsoleLexer)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
