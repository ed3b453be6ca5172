"""What a run says on standard error."""

import sys
from collections.abc import Iterable
from pathlib import Path

import click

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


def say_command(line: str) -> None:
    """Print a line to standard error as it is, for a CI system that reads it."""
    try:
        if sys.stderr is not None:
            click.echo(line, err=True)
    except OSError:
        sys.stderr = None  # full or gone: what is said there is lost, and the report need not be
