"""`python -m snapdiff`, and what the installed command calls."""

import os
import sys

from snapdiff import __version__
from snapdiff.output.signals import end_on_signals


def main() -> int:
    """Run the command line with the process's own arguments; return the exit status."""
    end_on_signals()  # all else is imported after this: see there
    import contextlib

    if sys.argv[1:] == ["--version"]:
        # Scripts ask this before every call, and importing the command line takes longer. Where it
        # cannot be printed, the command line says so.
        with contextlib.suppress(AttributeError, OSError):
            sys.stdout.write(f"snapdiff {__version__}\n")
            sys.stdout.flush()
            return 0
    from snapdiff.cli.commands import main as run

    status = run()
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(AttributeError, OSError):  # closed, or its reader has gone
            stream.flush()
    # All is written. Taking a million objects apart one by one would only keep the caller waiting.
    os._exit(status)


if __name__ == "__main__":
    sys.exit(main())
