"""The directive `every-command`: a section for each command, those that are imported late too.

sphinx-click alone lists the commands that a group holds when it is made. This one asks the group,
as `snapdiff` itself does, so that a new command needs no line in any page.
"""

import re
from typing import ClassVar

import click
from docutils import nodes
from sphinx.application import Sphinx
from sphinx_click.ext import NESTED_NONE, ClickDirective


class EveryCommand(ClickDirective):
    """Its argument names a click group, as `module:group`."""

    option_spec: ClassVar = {}

    def run(self) -> list[nodes.section]:
        """Return the sections, in the group's own order."""
        self.env = self.state.document.settings.env
        group = self._load_module(self.arguments[0])
        context = click.Context(group)
        return [
            section
            for name in group.list_commands(context)
            for section in self._generate_nodes(
                f"snapdiff {name}", group.get_command(context, name), None, NESTED_NONE
            )
        ]


def _as_help_prints_them(_app: Sphinx, _context: click.Context, lines: list[str]) -> None:
    """Write the values of options as `--help` does: `GLOB[,GLOB]`, and not `<GLOB[,GLOB>`."""
    for position, line in enumerate(lines):
        value = re.search("<(.*)>$", line) if line.startswith(".. option::") else None
        if value:
            closed = value[1] + "]" * (value[1].count("[") - value[1].count("]"))
            lines[position] = line[: value.start()] + closed


def setup(app: Sphinx) -> dict[str, bool]:
    """Add the directive to Sphinx."""
    app.add_directive("every-command", EveryCommand)
    app.connect("sphinx-click-process-options", _as_help_prints_them)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
