"""Git itself, as commands: run in a directory, without a trace.

The only home of GitPython. Every command is plumbing that looks at objects or the index: none reads
the files of the work tree, runs a filter, a hook or a pager, or asks a remote.
"""

import contextlib
import os
import shutil
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import IO, TYPE_CHECKING

from snapdiff.errors import RevisionError

if TYPE_CHECKING:
    from types import ModuleType

_ENVIRONMENT = {
    # No transport, no lock, no question: an object that is not here is an error.
    "GIT_ALLOW_PROTOCOL": "",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    # A path is taken to the letter, whatever the environment says of patterns.
    "GIT_LITERAL_PATHSPECS": "1",
    "GIT_GLOB_PATHSPECS": "0",
    "GIT_NOGLOB_PATHSPECS": "0",
    "GIT_ICASE_PATHSPECS": "0",
}

_OPTIONS = (
    # Even `diff-tree` of two trees would start a file system monitor that a repository names.
    *("-c", "core.fsmonitor=false"),
    # Git hands over what is larger without having all of it in memory.
    *("-c", "core.bigFileThreshold=1m"),
    # Nothing that a repository names is run, so it does not matter whose it is.
    *("-c", "safe.directory=*", "-c", "safe.bareRepository=all"),
)

_PIPE_SIZE = 1 << 20
_MOST_WORDS = 1 << 14


class GitRunner:
    """Runs git commands as if git were started in a directory."""

    def __init__(self, directory: Path) -> None:
        """Take the directory; raises RevisionError where there is no git."""
        git = _import_git()
        executable = git.Git.GIT_PYTHON_GIT_EXECUTABLE or "git"
        # GitPython would read `~` and `$HOME` in a directory that it is given itself.
        self._command = [executable, "-C", str(directory.absolute()), *_OPTIONS]
        self._git = git.Git()
        self._git.update_environment(**_ENVIRONMENT)
        self._git_error: type[Exception] = git.GitError

    def run(self, *arguments: str) -> bytes:
        """Return what a git command prints; raises RevisionError with git's own words."""
        with self._started(arguments) as (process, words):
            assert process.stdin is not None
            assert process.stdout is not None
            process.stdin.close()
            output = process.stdout.read()
            if process.wait():
                raise RevisionError(f"git {_name(arguments)}: {words.last()}")
        return output

    @contextlib.contextmanager
    def process(self, *arguments: str) -> Iterator[tuple[IO[bytes], IO[bytes]]]:
        """Run a git command; yield its standard input and output while it runs."""
        with self._started(arguments) as (process, _):
            assert process.stdin is not None
            assert process.stdout is not None
            _widen(process.stdout)
            try:
                yield process.stdin, process.stdout
            except BrokenPipeError as error:  # git is gone, and was asked something
                message = f"git {_name(arguments)} stopped in the middle; see git fsck"
                raise RevisionError(message) from error

    @contextlib.contextmanager
    def _started(
        self, arguments: tuple[str, ...]
    ) -> Iterator[tuple["subprocess.Popen[bytes]", "_Words"]]:
        try:
            guarded = self._git.execute(
                [*self._command, *arguments], istream=subprocess.PIPE, as_process=True
            )
            process = guarded.proc
            assert process is not None
            assert process.stderr is not None
            words = _Words(process.stderr)
        except (OSError, self._git_error) as error:
            reason = getattr(error, "strerror", None) or error
            raise RevisionError(f"git cannot be started: {reason}") from error
        words.start()
        try:
            yield process, words
        finally:
            process.kill()  # it only reads, so there is nothing that it could leave half done
            for pipe in (process.stdin, process.stdout):
                with contextlib.suppress(OSError, AttributeError):
                    pipe.close()
            process.wait()


class _Words(threading.Thread):
    """What git says on standard error: without a reader it would wait after 64 KiB, for good."""

    def __init__(self, stream: IO[bytes]) -> None:
        super().__init__(daemon=True)
        # A pipe's end of its own: GitPython closes the other when it lets go of the process.
        self._pipe = os.dup(stream.fileno())
        self._end = b""

    def run(self) -> None:
        """Read until git is gone, and keep the end."""
        with open(self._pipe, "rb", buffering=0) as pipe:
            while more := pipe.read(_MOST_WORDS):
                self._end = (self._end + more)[-_MOST_WORDS:]

    def last(self) -> str:
        """Return why git gave up, or else the last line it said."""
        self.join(timeout=1)  # a process that git started may be there for longer
        lines = self._end.decode("utf-8", "backslashreplace").splitlines()
        reasons = [line for line in lines if line.startswith(("fatal: ", "error: "))]
        return (reasons or lines or ["gave up without a word"])[-1]


def _name(arguments: tuple[str, ...]) -> str:
    return next(word for word in arguments if word[0] in "abcdefghijklmnopqrstuvwxyz")


def _import_git() -> "ModuleType":
    try:
        import git
    except (ImportError, OSError) as error:  # GitPython starts git when it is imported
        if shutil.which("git") is None:
            message = "git is not installed, so only directories can be compared; install git"
        else:
            message = "git cannot be used: " + " ".join(str(error).split())
        raise RevisionError(message) from error
    return git


def _widen(pipe: IO[bytes]) -> None:
    """Let git run ahead by a megabyte where the system allows it."""
    with contextlib.suppress(ImportError, AttributeError, OSError):
        import fcntl

        fcntl.fcntl(pipe.fileno(), fcntl.F_SETPIPE_SZ, _PIPE_SIZE)
