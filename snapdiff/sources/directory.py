"""A directory as a source; nothing outside it is ever read."""

import os
import stat
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from snapdiff.errors import FormatError, RevisionError
from snapdiff.limits import limits, over_limit
from snapdiff.sources.base import (
    PAGE_NAME,
    PAGE_SUFFIX,
    Content,
    ContentPair,
    Entry,
    EntryPair,
    Source,
    printable_path,
    read_side_by_side,
)

_NOT_A_FILE = "is not a regular file"


class DirectorySource:
    """The pages below a directory.

    Symbolic links below it are not followed: one could lead out of the catalog, or in a circle. A
    page that is a link, or no regular file, is named as unreadable.
    """

    commit: str | None = None
    date: str | None = None

    def __init__(self, name: str, root: Path, *, nested_repositories: bool = True) -> None:
        """Take the directory `root`, which the user called `name`.

        Without `nested_repositories`, a folder below it that is a git repository is no part of it,
        as for git: a submodule's files are not those of the working tree around it.
        """
        self.name = printable_path(name)
        self.prefix = printable_path(root.resolve().name)
        self._root = root
        self._nested_repositories = nested_repositories
        self._entries: list[Entry] | None = None
        self._states: dict[str, tuple[int, int, int]] = {}

    def entries(self, folder: str = "") -> Iterator[Entry]:
        """Yield every file whose name ends in `.md` below a folder, in the order of their paths.

        The directory is listed once, when this is first called.
        """
        if self._entries is None:
            self._entries = list(self._list(""))
        for entry in self._entries:
            if not folder or entry.path.startswith(f"{folder}/"):
                yield entry

    def _list(self, folder: str) -> Iterator[Entry]:
        place = os.path.join(self._root, folder)
        try:
            found = sorted(os.scandir(place), key=lambda item: item.name)
        except OSError as error:
            message = f"{place}: cannot list the directory: {error.strerror}"
            raise RevisionError(message) from error
        if folder and not self._nested_repositories and any(item.name == ".git" for item in found):
            return
        for item in found:
            path = f"{folder}/{item.name}" if folder else item.name
            if item.is_dir(follow_symlinks=False):
                if item.name != ".git":
                    yield from self._list(path)
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
            except FormatError as error:
                yield error

    def _read_file(self, path: str) -> bytes:
        # What was a regular file when it was listed may be a link, a FIFO or a device now.
        flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
        with open(os.open(os.path.join(self._root, path), flags), "rb", buffering=0) as file:
            before = os.fstat(file.fileno())
            if not stat.S_ISREG(before.st_mode):
                raise FormatError(_NOT_A_FILE)
            if before.st_size > limits().page_size:
                raise over_limit(
                    f"the page has {before.st_size:,} bytes", limits().page_size, "bytes"
                )
            content = file.read(before.st_size + 1)
            after = os.fstat(file.fileno())
        # A page is read again to count it, and has to be the one that was compared.
        state = before.st_ino, before.st_mtime_ns, before.st_size
        is_same = state == (after.st_ino, after.st_mtime_ns, len(content))
        if not is_same or self._states.setdefault(path, state) != state:
            raise FormatError("changed while it was read; run again when nothing writes to it")
        return content

    def read_both(self, new: Source, pairs: Sequence[EntryPair]) -> Iterator[ContentPair]:
        """Yield old and new content of each pair, in the order given."""
        return read_side_by_side(self, new, pairs)

    def changed_entries(self, new: Source) -> None:
        """Return None: a file has to be read to know whether it changed."""


def _fault(item: "os.DirEntry[str]") -> str:
    if item.is_symlink():
        return "is a symbolic link, and links are not followed"
    return _NOT_A_FILE
