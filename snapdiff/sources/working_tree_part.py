"""A folder of the working tree, or a file in it: what `REV:PATH` alone is compared with."""

from collections.abc import Iterable, Iterator, Sequence

from snapdiff.sources.base import (
    Content,
    ContentPair,
    Entry,
    EntryPair,
    SettingsFile,
    Source,
    find_entry,
    printable_path,
    read_side_by_side,
)
from snapdiff.sources.working_tree import WorkingTree


class WorkingTreePart:
    """The files of a working tree that are in a folder, by their paths in it; or one file."""

    commit: str | None = None
    date: str | None = None

    def __init__(self, tree: WorkingTree, path: str, *, is_file: bool) -> None:
        """Take the path of the folder or the file, from the top of the working tree."""
        self.name = f"{tree.name}:{printable_path(path)}"
        self.is_file = is_file
        self._tree = tree
        self._path = path
        self._folder = path.rpartition("/")[0] if is_file else path
        self.prefix = printable_path(self._folder)

    def entries(self, folder: str = "") -> Iterator[Entry]:
        """Yield every wanted file below a folder, in the order of their paths."""
        for entry in self._tree.entries(self._whole(folder)):
            if not self.is_file or entry.path == self._path:
                yield entry._replace(path=entry.path.removeprefix(f"{self._folder}/"))

    def _whole(self, path: str) -> str:
        """Return the path from the top of the working tree of one in the folder."""
        return "/".join(part for part in (self._folder, path) if part)

    def _entry(self, entry: Entry) -> Entry:
        return entry._replace(path=self._whole(entry.path))

    def location(self, entry: Entry) -> str:
        """Return the file's path from the top of the repository."""
        return self._tree.location(self._entry(entry))

    def find(self, path: str) -> Entry | None:
        """Return the wanted file with this path, or None."""
        return find_entry(self.entries(path.rpartition("/")[0]), path)

    def read(self, entries: Iterable[Entry]) -> Iterator[Content]:
        """Yield the content of each entry, in the order given.

        Raises RevisionError where an object is missing or damaged.
        """
        return self._tree.read(map(self._entry, entries))

    def read_both(self, new: Source, pairs: Sequence[EntryPair]) -> Iterator[ContentPair]:
        """Yield old and new content of each pair, in the order given."""
        return read_side_by_side(self, new, pairs)

    def changed_entries(self, new: Source) -> None:
        """Return None: a file has to be read to know whether it changed."""

    def settings_file(self) -> SettingsFile | None:
        """Return the configuration file in the folder, or else the nearest one above it."""
        return self._tree.settings_file(self._folder)
