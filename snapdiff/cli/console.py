"""What a run says on standard error."""

import os
import sys
from collections.abc import Iterable
from pathlib import Path

import click

from snapdiff.errors import SnapdiffError
from snapdiff.safe_text import visible


def say(message: str) -> None:
    """Print a line to standard error, whatever its text is made of."""
    say_command(f"snapdiff: {visible(message)}")


def is_on_terminal() -> bool:
    """Return whether somebody looks at what is said."""
    return sys.stderr is not None and sys.stderr.isatty()


def say_written(files: Iterable[Path | None], content: str) -> None:
    """Say in a line which files have been written, and what they hold; a device keeps nothing."""
    kept = [str(file) for file in files if file and file.is_file()]
    if kept:
        say(f"wrote {', '.join(kept)}: {content}")


def error_lines(error: Exception) -> list[str]:
    """Return what is said of an error, a line a fault: where it is, what is wrong, the way out."""
    if isinstance(error, SnapdiffError):
        return error.lines()
    if isinstance(error, click.ClickException):
        return [error.format_message()]
    if isinstance(error, OSError):  # without a file: of help and version, which click writes
        place = os.fsdecode(error.filename) if error.filename else "standard output"
        return [f"{place}: {'' if error.filename else 'cannot be written: '}{error.strerror}"]
    return [f"internal fault, please report it: {type(error).__name__}: {error}"]


def say_command(line: str) -> None:
    """Print a line to standard error as it is, for a CI system that reads it."""
    try:
        if sys.stderr is not None:
            click.echo(line, err=True)
    except OSError:
        sys.stderr = None  # full or gone: what is said there is lost, and the report need not be
