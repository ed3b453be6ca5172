"""Say whether a tag can be released: `python -m release.ready v1.2.3`.

A release cannot be taken back, so what the tests of every day let through is asked for here.
"""

import re
import sys
import tomllib
from pathlib import Path

from snapdiff import __version__

ROOT = Path(__file__).resolve().parents[1]

PLACEHOLDER = "YOUR_ORGANIZATION"
"""Stands for the owner of the repository until there is one."""

RECIPE = "release/spack/package.py"


def missing_for(tag: str) -> list[str]:
    """Return what is missing for the release of a tag, a line each."""
    missing = []
    if tag != f"v{__version__}":
        missing.append(f"the tag is {tag}, and the version in snapdiff/__init__.py {__version__}")
    headings = re.findall(r"^## (\S+)", _text("CHANGELOG.md"), re.MULTILINE)
    if __version__ not in headings:
        missing.append(f"CHANGELOG.md has no section {__version__}")
    if "urls" not in tomllib.loads(_text("pyproject.toml"))["project"]:
        missing.append("pyproject.toml has no project.urls, the addresses of the repository")
    if PLACEHOLDER in _text(RECIPE):
        missing.append(f"{RECIPE} still names {PLACEHOLDER} as the owner of the repository")
    return missing


def _text(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def main() -> int:
    """Print what is missing; return the exit status."""
    missing = missing_for(sys.argv[1])
    for line in missing:
        print(line, file=sys.stderr)
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
