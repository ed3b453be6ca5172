"""What some tests need beside what `make test` brings: without it they are skipped, in one line."""

import shutil
import sys
from pathlib import Path
from typing import Any

import pytest


def module(name: str, group: str) -> Any:
    """Return a module of a group of tools; skip the test, or the whole file, where it is missing.

    The groups are those of pyproject.toml.
    """
    return pytest.importorskip(name, reason=f"needs {name}: `make with-{group}` brings it")


def program(name: str) -> str:
    """Return the path of a program of the system; skip where it is missing."""
    return _found(shutil.which(name), name, "make system")


def tool(name: str, group: str) -> str:
    """Return the path of a program of a group of tools; skip where it is missing."""
    here = str(Path(sys.executable).parent)
    return _found(shutil.which(name, path=here), name, f"make with-{group}")


def _found(path: str | None, name: str, word: str) -> str:
    if path is None:
        pytest.skip(f"needs {name}: `{word}` brings it", allow_module_level=True)
    return path
