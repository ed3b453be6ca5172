"""In a wheel the templates are compiled, too: a report in Markdown takes two fifths less work.

A hook of hatchling. An editable install, and Jinja2 of another version, read the sources.
"""

import shutil
import tempfile
from pathlib import Path
from typing import Any

import jinja2
from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from jinja2 import nodes

FOLDERS = {"plain": False, "html": True}
"""The folder of each environment of `snapdiff/reports/templates.py`; whether it escapes."""


class CompiledTemplates(BuildHookInterface[Any]):
    """Adds the folder `snapdiff/compiled` to a wheel."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile the templates, unless the wheel is one of an editable install."""
        if version == "editable":
            return
        self._place = Path(tempfile.mkdtemp())
        for name, escapes in FOLDERS.items():
            _compile(Path(self.root, "templates"), self._place / name, escapes=escapes)
        build_data["force_include"][str(self._place)] = f"snapdiff/compiled/{jinja2.__version__}"

    def finalize(self, version: str, _build_data: dict[str, Any], _artifact_path: str) -> None:
        """Remove what was compiled: the wheel has it."""
        if version != "editable":
            shutil.rmtree(self._place)


def _compile(templates: Path, target: Path, *, escapes: bool) -> None:
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(templates),
        autoescape=escapes,  # noqa: S701 - Markdown escapes by its own filters
        optimized=False,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    for file in templates.glob("*.j2"):
        for used in environment.parse(file.read_text("utf-8")).find_all(nodes.Filter):
            # What it does is looked up when the template runs; here its name has to be known.
            environment.filters.setdefault(used.name, str)
    environment.compile_templates(target, extensions=["j2"], zip=None, ignore_errors=False)
