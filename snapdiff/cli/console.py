"""What a run has with its surroundings: standard error, and signals that ask it to end."""

import signal
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


class Interrupted(BaseException):
    """The process was asked to end; click, which says a word of its own to Ctrl-C, knows it not."""

    def __init__(self, number: int, _frame: object) -> None:
        """Take what a signal handler is given."""
        super().__init__()
        self.status = 128 + number


def end_on_signals() -> None:
    """Make Ctrl-C and a request to terminate end the run tidily, unless they are to be ignored."""

    def end(number: int, frame: object) -> None:
        raise Interrupted(number, frame)

    for number in (signal.SIGINT, signal.SIGTERM):
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, end)
