"""Write what the documentation's commands print into it: each `$ snapdiff` is run and shown.

The tables of modules in architecture.md, and those of templates and of the names in them in
templates.md, are written too, from the first line of each.

python docs/refresh.py                          rewrite the pages
python docs/refresh.py docs/architecture.md     only these
python docs/refresh.py --check                  exit with 1 where a page is not what it would be
"""

import ast
import contextlib
import inspect
import io
import os
import re
import shlex
import sys
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from jinja2.defaults import DEFAULT_FILTERS, DEFAULT_NAMESPACE

from snapdiff.cli.commands import main as main_of_command
from snapdiff.reports import ReportOptions
from snapdiff.reports.templates import OWN_FILTERS, environment_of

ROOT = Path(__file__).resolve().parents[1]
_CONSOLE = re.compile(r"```console\n\$ (snapdiff [^\n]*)\n.*?```\n", re.DOTALL)
_FILE = re.compile(r"kept in `([^`]*)`:\n\n```(jinja|toml)\n.*?```\n", re.DOTALL)
_ROWS = r"(?:\|.*\n)+"
_MODULES = re.compile(
    r"(### (?:At the top|`(\w+)/`).*\n\n(?:[^|#\n].*\n+)*)\| file \| what it has \|\n" + _ROWS
)
_TEMPLATES = re.compile(r"\| template \| what it has \|\n" + _ROWS)
_OWN_FILTERS = re.compile(r"\| filter \| gives \|\n" + _ROWS)
_NAMES = re.compile(r"\| name \| gives \|\n" + _ROWS)
_COMMENT = re.compile(r"\{#-?(.*?)-?#\}", re.DOTALL)
_DAY = "1767225600"
"""Which day it is, for what is accepted until another: 1 January 2026."""


def refreshed(text: str) -> str:
    """Return a page with the output of its commands, and the files it shows, made anew."""
    text = _MODULES.sub(lambda found: found[1] + _modules(found[2]), text)
    text = _TEMPLATES.sub(lambda _: _templates(), text)
    text = _OWN_FILTERS.sub(lambda _: _names("filter", OWN_FILTERS), text)
    text = _NAMES.sub(lambda _: _names("name", _names_of_built_in()), text)
    text = _CONSOLE.sub(lambda found: _console(found[1]), text)
    return _FILE.sub(lambda found: _file(found[1], found[2]), text)


@cache  # some commands are shown on several pages
def _console(command: str) -> str:
    out, err = io.TextIOWrapper(io.BytesIO(), "utf-8"), io.TextIOWrapper(io.BytesIO(), "utf-8")
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        status = main_of_command(shlex.split(command)[1:])
    said = ["", ""]
    for number, stream in enumerate((out, err)):
        stream.seek(0)
        said[number] = stream.read()
    if status > 1:  # 1 is the answer of a gate
        raise SystemExit(f"{command}: {said[1]}")
    return f"```console\n$ {command}\n{''.join(said).rstrip()}\n```\n"


def _file(name: str, language: str) -> str:
    return f"kept in `{name}`:\n\n```{language}\n{(ROOT / name).read_text()}```\n"


def _templates() -> str:
    """Return the table of the built-in templates: name, first sentence of the comment on top."""
    rows = ["| template | what it has |", "|:--|:--|"]
    for file in sorted((ROOT / "templates").glob("*.j2")):
        found = _COMMENT.search(file.read_text(encoding="utf-8"))
        if found is None:
            raise SystemExit(f"{file.name}: has no comment that says what it has")
        rows.append(
            f"| `{file.name}` | {' '.join(found[1].split()).partition('. ')[0].rstrip('.')} |"
        )
    return "\n".join(rows) + "\n"


def _names_of_built_in() -> dict[str, Any]:
    """Return what the built-in templates can name beside Jinja2's own, but for what all can."""
    environment = environment_of("markdown", ReportOptions())
    named = environment.globals | environment.filters
    known = {*DEFAULT_FILTERS, *DEFAULT_NAMESPACE, *OWN_FILTERS}
    return {name: named[name] for name in named if name not in known}


def _names(head: str, named: Mapping[str, Any]) -> str:
    """Return the table of what templates can name: the first lines of the docstrings."""
    rows = [f"| {head} | gives |", "|:--|:--|"]
    for name, value in sorted(named.items()):
        function = getattr(value, "func", value)
        first = (inspect.getdoc(function) or "").partition("\n")[0] if callable(value) else value
        if not first:
            raise SystemExit(f"{name}: has no docstring that says what it gives")
        rows.append(f"| `{name}` | {first.removeprefix('Return ').rstrip('.')} |")
    return "\n".join(rows) + "\n"


def _modules(room: str | None) -> str:
    """Return the table of a room's modules, or of those at the top: name, first line."""
    folder = ROOT / "snapdiff" / (room or "")
    rows = ["| file | what it has |", "|:--|:--|"]
    for file in sorted(folder.rglob("*.py") if room else folder.glob("*.py")):
        module = ast.parse(file.read_text(encoding="utf-8"))
        defines = any(isinstance(part, ast.FunctionDef | ast.ClassDef) for part in module.body)
        if defines or file.name != "__init__.py":  # most of these only say what their folder is
            first = (ast.get_docstring(module) or "").partition("\n")[0]
            rows.append(f"| `{file.relative_to(folder).as_posix()}` | {first} |")
    return "\n".join(rows) + "\n"


def main() -> int:
    """Rewrite or check the pages that are named, or every one; return the exit status."""
    os.chdir(ROOT)
    os.environ["SOURCE_DATE_EPOCH"] = _DAY
    stale = []
    named = [ROOT / name for name in sys.argv[1:] if not name.startswith("-")]
    for page in named or (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))):
        text = page.read_text(encoding="utf-8")
        if refreshed(text) != text:
            stale.append(page.relative_to(ROOT).as_posix())
            if "--check" not in sys.argv:
                page.write_text(refreshed(text), encoding="utf-8")
    for name in stale:
        print(name)
    return 1 if stale and "--check" in sys.argv else 0


if __name__ == "__main__":
    sys.exit(main())
