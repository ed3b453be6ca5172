"""What some tests need beside what `make test` brings: without it they are skipped, in one line."""

import importlib.util
import shutil
import sys
from pathlib import Path

import pytest


def needs(module: str, group: str) -> None:
    """Skip the test, or the whole file, where a module of a group of tools is missing.

    The groups are those of pyproject.toml. The module is not imported: some take seconds.
    """
    found = importlib.util.find_spec(module) is not None
    _found(module if found else None, module, f"make with-{group}")


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
