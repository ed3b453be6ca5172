"""The two settings by which git calls `snapdiff git-driver`: a command, and for which files.

The files are named in `info/attributes` of a repository, or in the user's own attributes file:
neither is a part of what is committed, so nobody else is concerned.
"""

import os
import shlex
import subprocess
import sys
from pathlib import Path

from snapdiff.cli.console import say
from snapdiff.errors import SnapdiffError
from snapdiff.output.whole_file import write_file

PATTERNS = ("specs.md", "spack.lock", "**/build_cache/index.json", "**/.spack-db/index.json")
"""The documents that can be read without the files beside them, as gitattributes(5) has it.

Not every `index.json`: most of those in the world are something else.
"""

_COMMAND = "diff.snapdiff.command"
_LINES = tuple(f"{pattern} diff=snapdiff" for pattern in PATTERNS)


def install_driver(repository: Path, *, everywhere: bool, detail: bool) -> None:
    """Make git call the driver in a repository, or in all of the user's (`everywhere`).

    Raises SnapdiffError where git refuses or the file of attributes cannot be written.
    """
    # By this very Python: the first `snapdiff` on PATH may be another project's. -P, as a
    # repository may have a folder that is called like one of our libraries.
    words = [sys.executable, "-P", "-m", "snapdiff", "git-driver", *(["--detail"] * detail), "--"]
    file = _attributes_file(repository, everywhere=everywhere)
    lines = _lines_of(file)
    known = [line.strip() for line in lines]
    if lines and not lines[-1].endswith("\n"):
        lines[-1] += "\n"
    _write(file, lines + [f"{line}\n" for line in _LINES if line not in known])
    # Last: without the attributes a command does nothing.
    _git(repository, "config", _scope(everywhere), "--replace-all", _COMMAND, shlex.join(words))
    say(f"git diff shows {', '.join(PATTERNS)} as reports: {_COMMAND}, {file}")


def uninstall_driver(repository: Path, *, everywhere: bool) -> None:
    """Take out what `install_driver` wrote, and nothing else; raises SnapdiffError as it does."""
    if _git(repository, "config", _scope(everywhere), "--get-all", _COMMAND, absent=True):
        _git(repository, "config", _scope(everywhere), "--unset-all", _COMMAND)
    file = _attributes_file(repository, everywhere=everywhere)
    _write(file, [line for line in _lines_of(file) if line.strip() not in _LINES])
    say(f"git diff shows lines again: no {_COMMAND}, nothing of snapdiff in {file}")


def git_wants_color(*, on_terminal: bool) -> bool:
    """Return whether git, as it is set up, colours a diff; it knows of the pager it started."""
    answer = str(on_terminal).lower()
    try:
        done = _run("config", "--get-colorbool", "color.diff", answer)
    except OSError:
        return False
    return done.stdout == "true\n"


def _run(*arguments: str, folder: Path = Path()) -> "subprocess.CompletedProcess[str]":
    # Not by `GitRunner`, which only reads, takes a tenth of a second to begin, and is for the
    # repositories of strangers: these settings are the user's own, and so is the git on PATH.
    command = ["git", "-C", str(folder), *arguments]
    return subprocess.run(  # noqa: S603
        # A folder may have a name that is not UTF-8.
        command,
        capture_output=True,
        encoding="utf-8",
        errors="surrogateescape",
        check=False,
    )


def _scope(everywhere: bool) -> str:
    return "--global" if everywhere else "--local"


def _git(repository: Path, *arguments: str, absent: bool = False) -> str:
    """Return what a git command prints; with `absent` a setting that is not there is empty."""
    try:
        done = _run(*arguments, folder=repository)
    except OSError as error:
        raise SnapdiffError(f"git cannot be started: {error.strerror}") from error
    if done.returncode and not (absent and done.returncode == 1):
        words = done.stderr.strip().splitlines() or ["gave up without a word"]
        raise SnapdiffError(f"{repository}: git {arguments[0]}: {words[-1]}")
    return done.stdout.rstrip("\n")


def _attributes_file(repository: Path, *, everywhere: bool) -> Path:
    if not everywhere:
        return repository / _git(repository, "rev-parse", "--git-path", "info/attributes")
    setting = ["--global", "--includes", "--type=path", "--get", "core.attributesFile"]
    named = _git(repository, "config", *setting, absent=True)
    settings = os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config"
    return Path(named) if named else Path(settings) / "git" / "attributes"


def _lines_of(file: Path) -> list[str]:
    r"""Return the lines of a file, each with its end; of these git knows `\n` alone."""
    try:
        with file.open(encoding="utf-8", errors="surrogateescape", newline="\n") as lines:
            return list(lines)
    except FileNotFoundError:
        return []
    except OSError as error:
        raise SnapdiffError(f"{file}: cannot be read: {error.strerror}") from error


def _write(file: Path, lines: list[str]) -> None:
    """Write a file of lines where it does not have them already."""
    if lines == _lines_of(file):
        return
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise SnapdiffError(f"{file.parent}: cannot be made: {error.strerror}") from error
    write_file(file, lines)
