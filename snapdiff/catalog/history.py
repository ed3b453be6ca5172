"""A step of a git history file by file, and the counts that are carried from step to step.

Most files are the same in most steps. To count each of them again would cost more than all the
rest (a year of daily commits: 1,900 files a step, of which 40 differ), so the counts of a folder
are added up once, and after that only what changed is taken out and put in. `RevisionPair` is the
plain way: it gives the same counts.
"""

from collections.abc import Callable, Collection, Iterator, Sequence
from functools import partial

from snapdiff.catalog.changed_files import document_pairs
from snapdiff.catalog.counting import CountedFiles
from snapdiff.catalog.memory import DocumentMemory
from snapdiff.catalog.reading import FilePair, Reading, read_pair
from snapdiff.catalog.revision_pair import (
    is_within,
    path_of,
    sample_folders,
    topmost,
    unchanged_documents,
)
from snapdiff.errors import FormatError, Side
from snapdiff.filters import Scope
from snapdiff.formats.base import Document, no_file
from snapdiff.formats.registry import Documents
from snapdiff.sources.repository import Repository
from snapdiff.sources.source import Entry, EntryPair, printable_path

_ASK_AHEAD = 64


class FolderCounts:
    """The counts of the folders that some step asked for, of the revision that is current."""

    def __init__(self) -> None:
        """Begin with no folder."""
        self._folders: dict[str, CountedFiles] = {}

    def take_out(self, pairs: Sequence[EntryPair]) -> None:
        """Take out what differs in a step: what is left is the same on both sides of it."""
        for old, _ in pairs:
            counted = self.covering(old.path) if old else None
            if old and counted:
                counted.take(printable_path(old.path))

    def put_in(self, pairs: Sequence[EntryPair], count: Callable[[Entry], Reading]) -> None:
        """Put in what differs in a step as it is after it."""
        for _, new in pairs:
            counted = self.covering(new.path) if new else None
            if new and counted:
                counted.put(printable_path(new.path), count(new))

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


class History:
    """What the steps of a history share: where its files come from, and what is known of them."""

    def __init__(
        self, repository: Repository, prefix: str, documents: Documents, memory: DocumentMemory
    ) -> None:
        """Take the repository, and the folders above the catalog in it."""
        self.repository = repository
        self.prefix = prefix
        self.documents = documents
        self.memory = memory
        self.counts = FolderCounts()

    def pair(self, trees: tuple[str, str], pairs: Sequence[EntryPair]) -> "HistoryPair":
        """Return the next step: two trees, and the files that differ between them."""

        def find(path: str) -> EntryPair:
            return self.repository.find(trees[0], path), self.repository.find(trees[1], path)

        found = document_pairs(pairs, self.documents, find)
        self.counts.take_out(found)
        return HistoryPair(self, trees, found)

    def read_beside(self, tree: str, path: str) -> bytes:
        """Return the content of a file of a tree; raises FormatError where there is none."""
        content = self.repository.content(tree, path)
        if content is None:
            return no_file(path)
        if isinstance(content, FormatError):
            raise content
        return content


class HistoryPair:
    """Two revisions of a history as `ComparedFiles`, while their step is the current one."""

    def __init__(self, history: History, trees: tuple[str, str], pairs: list[EntryPair]) -> None:
        """Take both trees and the documents that differ; nothing is read yet."""
        self._history = history
        self._trees = trees
        self._pairs = pairs
        self.prefixes = (history.prefix, history.prefix)
        self.documents = history.documents

    def changed(self) -> Iterator[FilePair]:
        """Yield every document that differs between the two, or that one side only has."""
        for pair in self._pairs:
            old, new = pair
            yield read_pair(
                path_of(pair), partial(self._read, old, "old"), partial(self._read, new, "new")
            )

    def _read(self, entry: Entry | None, side: Side, is_document: bool) -> Reading:
        if entry is None:
            return None
        beside = partial(self._history.read_beside, self._trees[side != "old"])
        return self._history.memory.read(entry, side, beside, is_document=is_document)

    def samples(self, changed: Collection[str]) -> dict[str, Document]:
        """Return of each tag's folder one document that is the same on both sides."""
        entries = self._history.repository.entries(self._trees[1])
        return sample_folders(entries, changed, self._count_all, self.documents)

    def count_folders(
        self, folders: Collection[str], changed: Collection[str], scope: Scope
    ) -> list[CountedFiles]:
        """Return the counts of the files below each folder, less those that differ."""
        found = []
        for folder in topmost(folders):
            counted = self._history.counts.covering(folder)
            if counted is None:
                counted = CountedFiles(scope)
                listing = self._history.repository.entries(self._trees[1], folder)
                entries = unchanged_documents(listing, changed, self.documents)
                for entry, counting in zip(entries, self._count_all(entries), strict=True):
                    counted.put(printable_path(entry.path), counting)
                self._history.counts.keep(folder, counted)
            if counted not in found:  # two folders may be within one that is kept
                found.append(counted)
        return found

    def _count_all(self, entries: Sequence[Entry]) -> Iterator[Reading]:
        for position, entry in enumerate(entries):
            if position % _ASK_AHEAD == 0:
                self._history.memory.ask(entries[position : position + 2 * _ASK_AHEAD])
            yield self._count(entry)

    def _count(self, entry: Entry) -> Reading:
        beside = partial(self._history.read_beside, self._trees[1])
        return self._history.memory.count(entry, beside)

    def require_documents(self) -> None:
        """Do nothing: a history may pass through a revision without a document."""

    def shown_path(self, path: str, _side: Side) -> str:
        """Return the path as it is."""
        return path

    def finish(self, step: int) -> None:
        """End the step: count what differs as it is now, forget what no later step compares."""
        self._history.counts.put_in(self._pairs, self._count)
        self._history.memory.forget(self._pairs, step)
