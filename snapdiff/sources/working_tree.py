"""The working tree of a repository as a source: its files, as git would compare them."""

import functools
import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from snapdiff.limits import DEFAULT_LIMITS, Limits
from snapdiff.sources.base import (
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
from snapdiff.sources.directory import DirectorySource
from snapdiff.sources.repository import Index, Repository
from snapdiff.sources.settings_file import folders_upwards, path_in, read_in_directory


class WorkingTree:
    """What `git diff HEAD` sees, and the files that git does not know yet.

    A file that a sparse checkout leaves out is not removed: it is read from git's index. A folder
    that is a repository of its own, such as a submodule, is no part of the one around it.
    """

    name = "working tree"
    is_file = False
    commit: str | None = None
    date: str | None = None

    def __init__(self, repository: Repository, root: Path, limits: Limits = DEFAULT_LIMITS) -> None:
        """Take a repository and the folder at the top of its working tree."""
        self.prefix = printable_path(root.resolve().name)
        self._repository = repository
        self._root = root
        self._files = DirectorySource(
            self.name,
            root,
            wanted=repository.wanted,
            limits=limits,
            is_foreign=self._is_foreign,
        )

    @functools.cached_property
    def _index(self) -> Index:
        return self._repository.index()

    def _is_foreign(self, folder: str) -> bool:
        """Return whether a folder is a repository of its own, and not with files of this one."""
        if folder in self._index.folders:
            return False
        place = os.path.join(self._root, folder, ".git")
        if os.path.isfile(place):
            return True
        return all(os.path.lexists(os.path.join(place, name)) for name in _IN_A_REPOSITORY)

    def entries(self, folder: str = "") -> Iterator[Entry]:
        """Yield every wanted file below a folder, in the order of their paths."""
        within = f"{folder}/" if folder else ""
        found = {entry.path: entry for entry in self._files.entries(folder)}
        found.update(
            (path, entry) for path, entry in self._index.unread.items() if path.startswith(within)
        )
        for path in sorted(found):
            yield found[path]

    def location(self, entry: Entry) -> str:
        """Return the file's path from the top of the repository."""
        return joined_path("", entry.path)

    def find(self, path: str) -> Entry | None:
        """Return the wanted file with this path, or None."""
        return find_entry(self.entries(path.rpartition("/")[0]), path)

    def read(self, entries: Iterable[Entry]) -> Iterator[Content]:
        """Yield the content of each entry, in the order given.

        Raises RevisionError where an object is missing or damaged.
        """
        entries = list(entries)
        files = self._files.read(entry for entry in entries if entry.content_id is None)
        objects = self._repository.read((self.name, entry) for entry in entries if entry.content_id)
        for entry in entries:
            yield next(objects if entry.content_id else files)

    def read_both(self, new: Source, pairs: Sequence[EntryPair]) -> Iterator[ContentPair]:
        """Yield old and new content of each pair, in the order given."""
        return read_side_by_side(self, new, pairs)

    def changed_entries(self, new: Source) -> None:
        """Return None: a file has to be read to know whether it changed."""

    def settings_file(self, folder: str = "") -> SettingsFile | None:
        """Return the configuration file in a folder, or else the nearest one above it, or None.

        A folder that is a symbolic link leads somewhere else, and has none.
        """
        top = os.path.realpath(self._root)
        for above in folders_upwards(folder):
            place = os.path.join(top, above) if above else top
            content = read_in_directory(place) if os.path.realpath(place) == place else None
            if content is not None:
                return SettingsFile(path_in(joined_path(self.name, above)), content)
        return None


_IN_A_REPOSITORY = ("HEAD", "objects", "refs")
"""What git looks for in a folder called `.git`: one that lacks it is no repository."""
