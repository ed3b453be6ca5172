"""A directory, or one file of it, as a source; nothing outside it is ever read."""

import os
import stat
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

from snapdiff.errors import FormatError, RevisionError
from snapdiff.limits import DEFAULT_LIMITS, Limits
from snapdiff.sources.base import (
    IS_A_LINK,
    NOT_A_FILE,
    Content,
    ContentPair,
    Entry,
    EntryPair,
    SettingsFile,
    Source,
    find_entry,
    joined_path,
    printable_path,
    read_side_by_side,
)
from snapdiff.sources.settings_file import path_in, read_in_directory
from snapdiff.sources.wanted import Selection, Wanted


class DirectorySource:
    """The wanted files below a directory.

    Symbolic links below it are not followed: one could lead out of the catalog, or in a circle. A
    document that is a link, or no regular file, is named as unreadable.
    """

    commit: str | None = None
    date: str | None = None

    def __init__(
        self,
        name: str,
        root: Path,
        *,
        wanted: Wanted,
        limits: Limits = DEFAULT_LIMITS,
        only: str | None = None,
        is_foreign: Callable[[str], bool] = lambda _folder: False,
    ) -> None:
        """Take the directory `root`, which the user called `name`.

        `only` is the one file in it that is meant, if not all are. `is_foreign` says of a folder
        below it, by its path, whether it is no part of the source.
        """
        self.name = printable_path(name)
        self.prefix = printable_path(root.resolve().name)
        self._root = root
        self._wanted = wanted
        self._limits = limits
        self._is_foreign = is_foreign
        self.is_file = only is not None
        self._entries = None if only is None else [Entry(only, None)]
        self._states: dict[str, tuple[int, int, int]] = {}

    def entries(self, folder: str = "") -> Iterator[Entry]:
        """Yield every wanted file below a folder, in the order of their paths.

        The directory is listed once, when this is first called.
        """
        if self._entries is None:
            self._entries = list(self._list())
        for entry in self._entries:
            if not folder or entry.path.startswith(f"{folder}/"):
                yield entry

    def _list(self) -> Iterator[Entry]:
        selection = Selection(self._wanted)
        # A folder is put off by its path: folders can be deeper than functions call each other.
        waiting: list[str | Entry] = [""]
        while waiting:
            item = waiting.pop()
            if isinstance(item, str):
                waiting.extend(reversed(self._items(item, selection)))
            else:
                yield item

    def _items(self, folder: str, selection: Selection) -> list[str | Entry]:
        """Return the folders and the wanted files in a folder, by name."""
        place = os.path.join(self._root, folder)
        try:
            found = sorted(os.scandir(place), key=lambda item: item.name)
        except OSError as error:
            message = f"{place}: cannot list the directory: {error.strerror}"
            raise RevisionError(message) from error
        items: list[str | Entry] = []
        for item in found:
            path = f"{folder}/{item.name}" if folder else item.name
            if item.is_dir(follow_symlinks=False):
                if self._wanted.is_searched(item.name) and not self._is_foreign(path):
                    items.append(path)
                continue
            entry = selection.entry(path, None, _fault(item))
            if entry:
                items.append(entry)
        return items

    def location(self, entry: Entry) -> str:
        """Return the file's path below the directory as it was named."""
        folder = os.path.dirname(self.name) if self.is_file else self.name
        return joined_path(folder, entry.path)

    def find(self, path: str) -> Entry | None:
        """Return the wanted file with this path, or None."""
        return find_entry(self.entries(), path)

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
                raise FormatError(NOT_A_FILE)
            limit = self._wanted.size_limit(path, self._limits)
            if before.st_size > limit.size:
                raise limit.error(f"has {before.st_size:,} bytes")
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

    def settings_file(self) -> SettingsFile | None:
        """Return the configuration file in the directory, or None; a single file has none.

        A folder that a file happens to be in, such as `/tmp`, may be filled by anybody.
        """
        content = None if self.is_file else read_in_directory(self._root)
        if content is None:
            return None
        return SettingsFile(path_in(self.name.rstrip("/")), content)


def _fault(item: "os.DirEntry[str]") -> str | None:
    if item.is_file(follow_symlinks=False):
        return None
    return IS_A_LINK if item.is_symlink() else NOT_A_FILE
