"""A step of a git history file by file, and the counts that are carried from step to step.

Most files are the same in most steps. To count each of them again would cost more than all the
rest (a year of daily commits: 1,900 files a step, of which 40 differ), so the counts of a folder
are added up once, and after that only what changed is taken out and put in. `RevisionPair` is the
plain way: it gives the same counts.
"""

from collections.abc import Collection, Iterator, Sequence
from functools import partial

from snapdiff.catalog.counting import CountedFiles
from snapdiff.catalog.memory import DocumentMemory
from snapdiff.catalog.reading import Counting, FilePair, Reading, read_both
from snapdiff.catalog.revision_pair import (
    NO_ENTRY,
    is_within,
    sample_folders,
    topmost,
    unchanged_documents,
)
from snapdiff.errors import Side
from snapdiff.filters import Scope
from snapdiff.formats.base import CountedDocument
from snapdiff.sources.base import Entry, EntryPair, printable_path
from snapdiff.sources.repository import Repository

_ASK_AHEAD = 64


class FolderCounts:
    """The counts of the folders that some step asked for, of the revision that is current."""

    def __init__(self, memory: DocumentMemory) -> None:
        """Begin with no folder."""
        self._memory = memory
        self._folders: dict[str, CountedFiles] = {}

    def take_out(self, pairs: Sequence[EntryPair]) -> None:
        """Take out what differs in a step: what is left is the same on both sides of it."""
        for old, _ in pairs:
            counted = self.covering(old.path) if old else None
            if old and counted:
                counted.take(printable_path(old.path))

    def put_in(self, pairs: Sequence[EntryPair]) -> None:
        """Put in what differs in a step as it is after it."""
        for _, new in pairs:
            counted = self.covering(new.path) if new else None
            if new and counted:
                counted.put(printable_path(new.path), self._memory.count(new))

    def covering(self, path: str) -> CountedFiles | None:
        """Return the counts that a file or folder is part of, if an earlier step asked for them."""
        for folder, counted in self._folders.items():
            if is_within(path, folder):
                return counted
        return None

    def keep(self, folder: str, counted: CountedFiles) -> None:
        """Keep the counts of a folder from now on; they hold those of the folders within it."""
        for known in [name for name in self._folders if is_within(name, folder)]:
            del self._folders[known]
        self._folders[folder] = counted


class HistoryPair:
    """Two revisions of a history as `ComparedFiles`, while their step is the current one."""

    def __init__(
        self,
        memory: DocumentMemory,
        counts: FolderCounts,
        repository: Repository,
        new_tree: str,
        prefix: str,
        pairs: Sequence[EntryPair],
    ) -> None:
        """Take the newer revision's tree, and what differs; nothing is read yet."""
        self._memory = memory
        self._counts = counts
        self._repository = repository
        self._new_tree = new_tree
        self._pairs = pairs
        self.prefixes = (prefix, prefix)

    def changed(self) -> Iterator[FilePair]:
        """Yield every file that differs between the two, or that one side only has."""
        for old, new in self._pairs:
            path = printable_path((old or new or NO_ENTRY).path)
            yield read_both(path, partial(self._read, old, "old"), partial(self._read, new, "new"))

    def _read(self, entry: Entry | None, side: Side, is_document: bool) -> Reading:
        return self._memory.read(entry, side, is_document=is_document) if entry else None

    def samples(self, changed: Collection[str]) -> dict[str, CountedDocument]:
        """Return of each tag's folder one document that is the same on both sides."""
        return sample_folders(self._repository.entries(self._new_tree), changed, self._count)

    def count_folders(
        self, folders: Collection[str], changed: Collection[str], scope: Scope
    ) -> list[CountedFiles]:
        """Return the counts of the files below each folder, less those that differ."""
        found = []
        for folder in topmost(folders):
            counted = self._counts.covering(folder)
            if counted is None:
                counted = CountedFiles(scope)
                listing = self._repository.entries(self._new_tree, folder)
                entries = unchanged_documents(listing, changed)
                for entry, counting in zip(entries, self._count(entries), strict=True):
                    counted.put(printable_path(entry.path), counting)
                self._counts.keep(folder, counted)
            if counted not in found:  # two folders may be within one that is kept
                found.append(counted)
        return found

    def _count(self, entries: Sequence[Entry]) -> Iterator[Counting]:
        for position, entry in enumerate(entries):
            if position % _ASK_AHEAD == 0:
                self._memory.ask(entries[position : position + 2 * _ASK_AHEAD])
            yield self._memory.count(entry)

    def require_documents(self) -> None:
        """Do nothing: a history may pass through a revision without a document."""
