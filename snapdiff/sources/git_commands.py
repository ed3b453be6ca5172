"""How git is run: in a directory without a trace, or as a process that reads objects by name.

Every command is plumbing that looks at objects or the index: none reads the files of the work tree,
runs a filter, a hook or a pager, or asks a remote.
"""

import contextlib
import fcntl
import os
import re
import shutil
import subprocess
import threading
import weakref
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime, timedelta, timezone
from itertools import dropwhile, takewhile
from operator import not_
from pathlib import Path
from typing import IO, NamedTuple

from snapdiff.errors import FormatError, RevisionError
from snapdiff.limits import over_limit
from snapdiff.sources.source import Commit, Content, Entry

ENVIRONMENT = {
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
    # What git says is looked at, and in English.
    "LANGUAGE": "C",
    "LC_ALL": "C",
}
"""What git is told by its environment, so that it does no more than it is asked for."""

SETTINGS = (
    # Even `diff-tree` of two trees would start a file system monitor that a repository names.
    "core.fsmonitor=false",
    # Git hands over what is larger without having all of it in memory.
    "core.bigFileThreshold=1m",
    # Nothing that a repository names is run, so it does not matter whose it is.
    "safe.directory=*",
    "safe.bareRepository=all",
)
"""What git is told in place of what a configuration file says."""

_MOST_WORDS = 1 << 14
_CHUNK = 1 << 20

READ_AHEAD = 64
"""How many objects git is asked for before the first is taken, so that it never waits for us."""

_MOST_ASKED = 512
"""How many objects git may owe us: more, and it could wait for us while we wait for it."""

_HEADER = re.compile(rb"([0-9a-f]{40}|[0-9a-f]{64}) ([a-z]+) ([0-9]+)\n")


class GitRunner:
    """Runs git commands as if git were started in a directory."""

    def __init__(self, directory: Path) -> None:
        """Take the directory; raises RevisionError where there is no git."""
        executable = shutil.which("git")
        if executable is None:
            raise RevisionError(
                "git is not installed, so only directories can be compared; install git"
            )
        settings = (word for setting in SETTINGS for word in ("-c", setting))
        self._command = [executable, "-C", str(directory.absolute()), *settings]

    def run(self, *arguments: str) -> bytes:
        """Return what a git command prints; raises RevisionError with git's own words."""
        return b"".join(self._stream(*arguments))

    def words(self, *arguments: str, given: bytes = b"") -> Iterator[bytes]:
        """Yield what a git command prints while it runs; a zero byte ends each word but the last.

        Raises RevisionError with git's own words.
        """
        rest = b""
        for piece in self._stream(*arguments, given=given):
            *words, rest = (rest + piece).split(b"\0")
            yield from words
        if rest:
            yield rest

    def _stream(self, *arguments: str, given: bytes = b"") -> Iterator[bytes]:
        with contextlib.ExitStack() as stack:
            stdin: IO[bytes] | int = subprocess.DEVNULL
            if given:  # as a file: git could wait for us to read while we wait for it to do so
                import tempfile  # late: a comparison of two revisions gives nothing

                stdin = stack.enter_context(tempfile.TemporaryFile())
                stdin.write(given)
                stdin.seek(0)
            process, words = stack.enter_context(self.started(arguments, stdin))
            assert process.stdout is not None
            while piece := os.read(process.stdout.fileno(), _CHUNK):
                yield piece
            if process.wait():
                raise words.error(next(word for word in arguments if word[0].isalpha()))

    @contextlib.contextmanager
    def started(
        self, arguments: tuple[str, ...], stdin: IO[bytes] | int
    ) -> Iterator[tuple["subprocess.Popen[bytes]", "_Words"]]:
        """Start a git command; yield it, and what it says, while it runs."""
        try:
            process = subprocess.Popen(  # noqa: S603 - each word is an argument of its own
                [*self._command, *arguments],
                stdin=stdin,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env={**os.environ, **ENVIRONMENT},
            )
        except OSError as error:
            raise RevisionError(f"git cannot be started: {error.strerror}") from error
        assert process.stderr is not None
        words = _Words(process.stderr)
        words.start()
        try:
            yield process, words
        finally:
            process.kill()  # it only reads, so there is nothing that it could leave half done
            for pipe in filter(None, (process.stdin, process.stdout)):
                with contextlib.suppress(OSError):
                    pipe.close()
            process.wait()


class _Words(threading.Thread):
    """What git says on standard error: without a reader it would wait after 64 KiB, for good."""

    def __init__(self, stream: IO[bytes]) -> None:
        super().__init__(daemon=True)
        self._stream = stream
        self._end = b""

    def run(self) -> None:
        """Read until git is gone, and keep the end."""
        with self._stream as pipe:
            while more := os.read(pipe.fileno(), _MOST_WORDS):
                self._end = (self._end + more)[-_MOST_WORDS:]

    def error(self, command: str) -> RevisionError:
        """Return the error with which a command ended: why git gave up, or else its last line."""
        self.join(timeout=1)  # a process that git started may be there for longer
        lines = self._end.decode("utf-8", "backslashreplace").splitlines()
        reasons = [line for line in lines if line.startswith(("fatal: ", "error: "))]
        last = (reasons or lines or ["stopped in the middle; see git fsck"])[-1]
        return RevisionError(f"git {command}: {last}")


class GitObject(NamedTuple):
    """An object of a repository; `kind` is commit, tree, blob or tag.

    Of a blob, `content` may be the beginning alone; `size` is that of all of it.
    """

    object_id: str
    kind: str
    size: int
    content: bytes


class Objects:
    """The objects of a repository, as one `git cat-file --batch` hands them over."""

    def __init__(self, git: GitRunner, size_limit: Callable[[str], int]) -> None:
        """Start git, which ends with this; `size_limit` is how many bytes a path may have."""
        running = contextlib.ExitStack()
        weakref.finalize(self, running.close)
        question = ("cat-file", "--batch")
        process, self._words = running.enter_context(git.started(question, subprocess.PIPE))
        assert process.stdin is not None
        assert process.stdout is not None
        self._stdin: IO[bytes] = process.stdin
        self._stdout: IO[bytes] = process.stdout
        # Git runs ahead by a megabyte where the system allows it.
        with contextlib.suppress(AttributeError, OSError):
            fcntl.fcntl(self._stdout, fcntl.F_SETPIPE_SZ, _CHUNK)
        self._size_limit = size_limit
        self._asked: dict[str, str] = {}  # in the order of the answers: object ids and paths
        self._arrived: dict[str, Content] = {}
        self._owed = 0
        self._has_answered = False

    @property
    def is_idle(self) -> bool:
        """Whether all that git was asked for has been taken: else it may be gone."""
        return not (self._owed or self._arrived)

    def look_up(self, names: Sequence[str], most: int = 0) -> Iterator[GitObject | None]:
        """Yield the object of each name (anything `git rev-parse` takes), or None.

        Of a blob, no more than `most` bytes. Not to be called while files are asked for. Raises
        RevisionError with git's own words where it ends before it has answered anything.
        """
        for start in range(0, len(names), READ_AHEAD):
            some = names[start : start + READ_AHEAD]
            self._send(some)
            for _ in some:
                found = self._answer(most)
                if not self._has_answered:
                    raise self._words.error("cat-file")
                yield found

    def ask(self, entries: Iterable[Entry]) -> None:
        """Ask git for some files, as far as it is not yet busy enough: it works ahead."""
        names = []
        for entry in entries:
            if len(self._asked) + len(self._arrived) >= _MOST_ASKED:
                break
            object_id = str(entry.content_id)
            if not (entry.fault or object_id in self._asked or object_id in self._arrived):
                self._asked[object_id] = entry.path
                names.append(object_id)
        self._send(names)

    def take(self, entry: Entry) -> Content:
        """Return a file's content, or why it is not taken; raises RevisionError if it is lost."""
        if entry.fault:
            return FormatError(entry.fault)
        wanted = str(entry.content_id)
        if wanted not in self._arrived and wanted not in self._asked:
            self._asked[wanted] = entry.path
            self._send([wanted])
        while wanted not in self._arrived:
            object_id = next(iter(self._asked))
            path = self._asked.pop(object_id)
            most = self._size_limit(path)
            found = self._answer(most)
            if found is None:
                raise missing_object(path, f"object {object_id}")
            self._arrived[object_id] = found.content
            if found.size > most:
                self._arrived[object_id] = over_limit(f"has {found.size:,} bytes", most, "bytes")
        return self._arrived.pop(wanted)

    def _send(self, names: Sequence[str]) -> None:
        self._owed += len(names)
        with contextlib.suppress(BrokenPipeError):  # git is gone: `_answer` will miss it
            self._stdin.write(b"".join(os.fsencode(f"{name}\n") for name in names))
            self._stdin.flush()

    def _answer(self, most: int) -> GitObject | None:
        """Return the next object asked for, or None where there is none or it is damaged."""
        line = self._stdout.readline()
        self._has_answered = self._has_answered or bool(line)
        header = _HEADER.fullmatch(line)
        if header is None:
            self._owed -= bool(line)
            return None
        object_id, kind, size = header[1].decode("ascii"), header[2].decode("ascii"), int(header[3])
        taken = min(size, most) if kind == "blob" else size
        content = self._stdout.read(taken)
        rest = size - taken
        while rest and (dropped := self._stdout.read(min(rest, _CHUNK))):
            rest -= len(dropped)
        if rest or len(content) != taken or self._stdout.read(1) != b"\n":
            return None
        self._owed -= 1
        return GitObject(object_id, kind, size, content)


def missing_object(where: str, what: str) -> RevisionError:
    """Return the error for an object that the repository names and does not have."""
    return RevisionError(
        f"{where}: {what} is missing or damaged; see git fsck, "
        "and in a partial clone run git fetch --refetch --no-filter"
    )


def read_commit(found: GitObject) -> Commit:
    """Return the commit that an object is; its subject is taken for UTF-8."""
    head, _, message = found.content.partition(b"\n\n")
    # Of two headers of one name the first counts, and a blank begins what continues another.
    facts = dict(line.split(b" ", 1) for line in reversed(head.split(b"\n")) if b" " in line)
    lines = (line.rstrip() for line in message.partition(b"\0")[0].split(b"\n"))
    subject = b" ".join(takewhile(bool, dropwhile(not_, lines)))
    text = subject.decode("utf-8", "backslashreplace")
    date = facts.get(b"committer", b"").rpartition(b"> ")[2].decode("ascii", "replace")
    tree = facts.get(b"tree", b"").decode("ascii", "replace")
    return Commit(found.object_id, iso_date(date), tree, text)


def iso_date(raw: str) -> str | None:
    """Return git's raw date, seconds and zone, in ISO 8601, or None where it is no date.

    A zone beyond a day, which a careless clock can give a commit, cannot be written: the same
    moment is given in UTC then.

    >>> iso_date("1700000000 -0530"), iso_date("1700000000 +5130")
    ('2023-11-14T16:43:20-05:30', '2023-11-14T22:13:20+00:00')
    """
    try:
        seconds, zone = raw.split(" ")
        offset = timedelta(hours=int(zone[1:3]), minutes=int(zone[3:5]))
        if offset >= timedelta(days=1):
            offset = timedelta(0)
        where = timezone(-offset if zone.startswith("-") else offset)
        return datetime.fromtimestamp(int(seconds), where).isoformat()
    except (ValueError, OverflowError, OSError):
        return None
