"""The directive `every-command`: a section for each command, those that are imported late too.

sphinx-click alone lists the commands that a group holds when it is made. This one asks the group,
as `snapdiff` itself does, so that a new command needs no line in any page.
"""

from inspect import cleandoc
from textwrap import dedent
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
        context = click.Context(group, **group.context_settings)
        return [
            section
            for name in group.list_commands(context)
            for section in self._generate_nodes(
                f"snapdiff {name}", group.get_command(context, name), context, NESTED_NONE
            )
        ]


def _options(_app: Sphinx, context: click.Context, lines: list[str]) -> None:
    """Write each option as `--help` does: `--stack GLOB[,GLOB]`, and not `<GLOB[,GLOB>`."""
    lines.clear()
    for parameter in context.command.get_params(context):
        record = parameter.get_help_record(context)
        if isinstance(parameter, click.Option) and record:
            written, help_text = record
            lines += [f".. option:: {written}", "", f"   {help_text}", ""]


def _no_arguments(_app: Sphinx, _context: click.Context, lines: list[str]) -> None:
    """Leave them out: all that is known of them is whether they are required."""
    lines.clear()


def _examples(_app: Sphinx, context: click.Context, lines: list[str]) -> None:
    """Write what is below the options as it is in `--help`: titles, and lines that keep blanks."""
    lines.clear()
    for block in cleandoc(context.command.epilog or "").split("\n\n"):
        if not block.startswith("\b"):
            lines += [block, ""]
            continue
        title, *rest = block.removeprefix("\b\n").splitlines()
        lines += [f".. rubric:: {title.removesuffix(':')}", "", ".. code-block:: text", ""]
        lines += [f"   {line}" for line in dedent("\n".join(rest)).splitlines()] + [""]


def setup(app: Sphinx) -> dict[str, bool]:
    """Add the directive to Sphinx."""
    app.add_directive("every-command", EveryCommand)
    app.connect("sphinx-click-process-options", _options)
    app.connect("sphinx-click-process-arguments", _no_arguments)
    app.connect("sphinx-click-process-epilog", _examples)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
