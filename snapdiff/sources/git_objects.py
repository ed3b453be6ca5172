"""A conversation with `git cat-file --batch`: names in, objects out."""

import contextlib
import os
import re
from collections.abc import Callable, Iterable, Iterator
from datetime import datetime, timedelta, timezone
from itertools import takewhile
from typing import IO, NamedTuple

from snapdiff.errors import FormatError, RevisionError
from snapdiff.limits import SizeLimit
from snapdiff.sources.source import Content, Entry

_READ_AHEAD = 64
"""How many objects git is asked for before the first is taken, so that it never waits for us."""

_HEADER = re.compile(rb"([0-9a-f]{40}|[0-9a-f]{64}) ([a-z]+) ([0-9]+)\n")
_COMMITTER = re.compile(rb"^committer .*> (-?\d+ [+-]\d{4})$", re.MULTILINE)
_CHUNK = 1 << 20


class GitObject(NamedTuple):
    """An object of a repository; `kind` is commit, tree, blob or tag.

    Of one whose `size` is over the limit for a page, `content` is the beginning.
    """

    object_id: str
    kind: str
    size: int
    content: bytes


class Objects:
    """The objects of a repository, as a running git hands them over."""

    def __init__(
        self, stdin: IO[bytes], stdout: IO[bytes], size_limit: Callable[[str], SizeLimit]
    ) -> None:
        """Take the standard input and output of the running git.

        `size_limit` says of a path how large a file may be to be read.
        """
        self._stdin = stdin
        self._stdout = stdout
        self._size_limit = size_limit

    def look_up(self, name: str) -> GitObject | None:
        """Return the object of a name (anything `git rev-parse` takes), or None."""
        if "\n" in name:
            return None  # git would take it for two questions
        self.ask(name)
        self.send()
        return self.answer()

    def ask(self, name: str) -> None:
        """Put a question, to be sent with those that follow and answered in its turn."""
        with contextlib.suppress(BrokenPipeError):  # git is gone, and will be missed in `answer`
            self._stdin.write(os.fsencode(f"{name}\n"))

    def send(self) -> None:
        """Send the questions put so far: before that, git may not have seen them."""
        with contextlib.suppress(BrokenPipeError):
            self._stdin.flush()

    def answer(self, path: str = "") -> GitObject | None:
        """Return the next object asked for, or None where there is none or it is damaged.

        `path` says how much of it is wanted: of one that is larger, `content` is the beginning.
        """
        most = self._size_limit(path).size
        header = _HEADER.fullmatch(self._stdout.readline())
        if header is None:
            return None
        object_id, kind, size = header[1].decode("ascii"), header[2].decode("ascii"), int(header[3])
        taken = min(size, most + 1)
        content = self._stdout.read(taken)
        rest = size - taken
        while rest and (dropped := self._stdout.read(min(rest, _CHUNK))):
            rest -= len(dropped)
        if rest or len(content) != taken or self._stdout.read(1) != b"\n":
            return None
        return GitObject(object_id, kind, size, content)

    def read(self, entries: Iterable[tuple[str, Entry]]) -> Iterator[Content]:
        """Yield the content of each entry, given with its revision's name, in the order given.

        Git works ahead while its last answers are looked at. Raises RevisionError where an object
        is missing or damaged.
        """
        waiting: list[tuple[str, Entry]] = []
        for revision, entry in entries:
            waiting.append((revision, entry))
            if not entry.fault:
                self.ask(str(entry.content_id))
            if len(waiting) == _READ_AHEAD:
                self.send()
                for asked in waiting[: _READ_AHEAD // 2]:
                    yield self._content(*asked)
                del waiting[: _READ_AHEAD // 2]
        self.send()
        for asked in waiting:
            yield self._content(*asked)

    def _content(self, revision: str, entry: Entry) -> Content:
        if entry.fault:
            return FormatError(entry.fault)
        found = self.answer(entry.path)
        if found is None:
            raise missing_object(revision, f"object {entry.content_id} of {entry.path}")
        return self.file_content(found, entry.path)

    def file_content(self, found: GitObject, path: str) -> Content:
        """Return the content of a file, or that there is too much of it."""
        limit = self._size_limit(path)
        if found.size > limit.size:
            return limit.error(f"has {found.size:,} bytes")
        return found.content


def missing_object(where: str, what: str) -> RevisionError:
    """Return the error for an object that the repository names and does not have."""
    return RevisionError(
        f"{where}: {what} is missing or damaged; see git fsck, "
        "and in a partial clone run git fetch --refetch --no-filter"
    )


def commit_date(commit: bytes) -> str | None:
    """Return the committer's date of a commit's content in ISO 8601, or None where it has none."""
    found = _COMMITTER.search(commit)
    return iso_date(found[1].decode("ascii")) if found else None


def commit_subject(commit: bytes) -> str:
    r"""Return the subject of a commit's content as git prints it: its first paragraph as one line.

    >>> commit_subject(b"tree 1\n\nUpdate\nzlib\n\nNew.\n")
    'Update zlib'
    """
    message = commit.partition(b"\n\n")[2].decode("utf-8", "backslashreplace")
    lines = [line.rstrip() for line in message.lstrip().split("\n")]
    return " ".join(takewhile(bool, lines))


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
