"""`python -m snapdiff`, and what the installed command calls."""

import contextlib
import os
import sys

from snapdiff import __version__


def main() -> int:
    """Run the command line with the process's own arguments; return the exit status."""
    if sys.argv[1:] == ["--version"]:
        # Scripts ask this before every call, and importing the command line takes longer.
        print(f"snapdiff {__version__}")  # noqa: T201 - the answer itself
        return 0
    from snapdiff.cli import main as run

    status = run()
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(AttributeError, OSError):  # closed, or its reader has gone
            stream.flush()
    # All is written. Taking a million objects apart one by one would only keep the caller waiting.
    os._exit(status)


if __name__ == "__main__":
    sys.exit(main())
