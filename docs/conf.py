"""How Sphinx makes the site of these pages: `make site`.

The pages are Markdown that reads well on GitHub, too. Only `index.md`, `reference/` and `project/`
are written for the site: they collect, include or generate. `extensions/` does what Sphinx and its
extensions do not.
"""

import sys
from pathlib import Path

from snapdiff import __version__

sys.path.insert(0, str(Path(__file__).parent / "extensions"))

project = "snapdiff"
project_copyright = "the snapdiff authors. Licence: Apache-2.0 OR MIT"
release = __version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx_click",
    # of docs/extensions:
    "console_blocks",
    "every_command",
    "json_schema",
    "links_of_pages",
    "python_names",
    "rendered_reports",
]
exclude_patterns = ["examples"]  # catalogs, not pages

myst_heading_anchors = 4  # the anchors of GitHub, so that one link is good on both
default_role = "code"  # single backticks in docstrings and in --help are code

autodoc_member_order = "bysource"
autodoc_preserve_defaults = True
python_maximum_signature_line_length = 80
nitpick_ignore_regex = [
    # Python's and msgspec's own names: their pages are on other hosts, which a build does not ask.
    (r"py:.*", r"(collections|pathlib|typing|enum|msgspec)\..*"),
]

html_theme = "furo"
html_title = "snapdiff"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_favicon = "_static/favicon.svg"
html_copy_source = False
html_theme_options = {
    "light_css_variables": {"color-brand-primary": "#1b5e86", "color-brand-content": "#1b5e86"},
    "dark_css_variables": {"color-brand-primary": "#79c0ff", "color-brand-content": "#79c0ff"},
}
