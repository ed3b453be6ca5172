"""The directive `every-command`: a section for each command, those that are imported late too.

sphinx-click alone lists the commands that a group holds when it is made. This one asks the group,
as `snapdiff` itself does, so that a new command needs no line in any page.
"""

import click
from docutils import nodes
from sphinx.application import Sphinx
from sphinx_click.ext import NESTED_NONE, ClickDirective


class EveryCommand(ClickDirective):
    """Its argument names a click group, as `module:group`."""

    option_spec = {}

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


def setup(app: Sphinx) -> dict[str, bool]:
    """Add the directive to Sphinx."""
    app.add_directive("every-command", EveryCommand)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
