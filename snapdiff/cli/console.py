"""What a run says on standard error."""

import sys

import click

from snapdiff.safe_text import visible


def say(message: str) -> None:
    """Print a line to standard error, whatever its text is made of."""
    try:
        if sys.stderr is not None:
            click.echo(f"snapdiff: {visible(message)}", err=True)
    except OSError:
        sys.stderr = None  # full or gone: what is said there is lost, and the report need not be
