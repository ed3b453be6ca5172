"""A directory as a source; nothing outside it is ever read."""

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from snapdiff.errors import FormatError, RevisionError
from snapdiff.sources.base import PAGE_NAME, PAGE_SUFFIX, Content, Entry, Source


class DirectorySource:
    """The pages below a directory.

    Symbolic links below it are not followed: one could lead out of the catalog, or in a circle. A
    page that is a link, or no regular file, is named as unreadable.
    """

    commit: str | None = None
    date: str | None = None

    def __init__(self, name: str, root: Path) -> None:
        """Take the directory `root`, which the user called `name`."""
        self.name = name
        self.prefix = printable_path(root.resolve().name)
        self._root = root

    def entries(self, folder: str = "") -> Iterator[Entry]:
        """Yield every file whose name ends in `.md` below a folder, in the order of their paths."""
        try:
            found = sorted(os.scandir(self._root / folder), key=lambda item: item.name)
        except OSError as error:
            if folder and isinstance(error, FileNotFoundError):
                return
            message = f"{self._root / folder}: cannot list the directory: {error.strerror}"
            raise RevisionError(message) from error
        for item in found:
            path = f"{folder}/{item.name}" if folder else item.name
            if item.is_dir(follow_symlinks=False):
                if item.name != ".git":
                    yield from self.entries(path)
            elif item.is_file(follow_symlinks=False):
                if item.name.endswith(PAGE_SUFFIX):
                    yield Entry(path, None)
            elif item.name == PAGE_NAME:
                yield Entry(path, None, _fault(item))

    def read(self, entries: Iterable[Entry]) -> Iterator[Content]:
        """Yield the content of each entry, in the order given."""
        for entry in entries:
            if entry.fault:
                yield FormatError(entry.fault)
                continue
            try:
                yield self._read_file(entry.path)
            except OSError as error:
                yield FormatError(f"cannot be read: {error.strerror}")

    def _read_file(self, path: str) -> bytes:
        # What was a regular file when it was listed may be a link or a FIFO now.
        flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
        with open(os.open(self._root / path, flags), "rb", buffering=0) as file:
            return file.readall()

    def changed_entries(self, new: Source) -> None:
        """Return None: a file has to be read to know whether it changed."""


def _fault(item: "os.DirEntry[str]") -> str:
    if item.is_symlink():
        return "is a symbolic link, and links are not followed"
    return "is not a regular file"


def printable_path(path: str) -> str:
    r"""Return a path as text that can be encoded: a byte that is not UTF-8 becomes `\xff`."""
    return os.fsencode(path).decode("utf-8", "backslashreplace")
