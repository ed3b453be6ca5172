"""`python -m snapdiff`, and what the installed command calls."""

import sys

from snapdiff import __version__


def main() -> int:
    """Run the command line with the process's own arguments; return the exit status."""
    if sys.argv[1:] == ["--version"]:
        # Scripts ask this before every call, and importing the command line takes longer.
        print(f"snapdiff {__version__}")  # noqa: T201 - the answer itself
        return 0
    from snapdiff.cli import main as run

    return run()


if __name__ == "__main__":
    sys.exit(main())
