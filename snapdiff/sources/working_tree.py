"""The working tree of a repository as a source: its files, as git would compare them."""

import functools
import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from snapdiff.limits import DEFAULT_LIMITS, Limits
from snapdiff.sources.directory import DirectorySource
from snapdiff.sources.repository import Index, Repository
from snapdiff.sources.source import (
    Content,
    Entry,
    SettingsFile,
    Source,
    folders_upwards,
    joined_path,
    printable_path,
)

_IN_A_REPOSITORY = ("HEAD", "objects", "refs")
"""What git looks for in a folder called `.git`: one that lacks it is no repository."""


class WorkingTree(Source):
    """What `git diff HEAD` sees, and the files that git does not know yet.

    A file that a sparse checkout leaves out is not removed: it is read from git's index. A folder
    that is a repository of its own, such as a submodule, is no part of the one around it.
    """

    name = "working tree"

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

    def files(self, folder: str = "") -> Iterator[Entry]:
        """Yield every wanted file below a folder, in the order of their paths."""
        within = f"{folder}/" if folder else ""
        found = {entry.path: entry for entry in self._files.files(folder)}
        found |= {
            path: entry
            for path, entry in self._index.unread.items()
            if path.startswith(within) and self._repository.selection.has(entry)
        }
        for path in sorted(found):
            yield found[path]

    def find(self, path: str) -> Entry | None:
        """Return the file with this path, whatever it is called, or None."""
        if path in self._index.unread:
            return self._index.unread[path]
        above = folders_upwards(path.rpartition("/")[0])[:-1]
        return None if any(map(self._is_foreign, above)) else self._files.find(path)

    def holds(self, path: str) -> bool:
        """Return whether a file or a folder with this path is here."""
        return path in self._index.unread or self._files.holds(path)

    def read(self, entries: Iterable[Entry]) -> Iterator[Content]:
        """Yield the content of each entry, in the order given.

        Raises RevisionError where an object is missing or damaged.
        """
        entries = list(entries)
        files = self._files.read(entry for entry in entries if entry.content_id is None)
        objects = self._repository.read(entry for entry in entries if entry.content_id)
        for entry in entries:
            yield next(objects if entry.content_id else files)

    def submodules_changed_since(self, repository: Repository, commit: str) -> list[str]:
        """Return the submodules that differ from those of a commit, if it is of this repository."""
        if repository.git_dir != self._repository.git_dir:
            return []
        return repository.submodules_changed_since(commit, self._index)

    def location(self, entry: Entry) -> str:
        """Return the file's path from the top of the repository."""
        return joined_path("", entry.path)

    def settings_file(self, folder: str = "") -> SettingsFile | None:
        """Return the configuration file in a folder, or else the nearest one above it, or None.

        A folder that is a symbolic link leads somewhere else, and has none.
        """
        top = os.path.realpath(self._root)
        for above in folders_upwards(folder):
            place = os.path.join(top, above) if above else top
            if os.path.realpath(place) == place and (found := self._files.settings_file(above)):
                return found._replace(is_of_more=above != folder)
        return None
