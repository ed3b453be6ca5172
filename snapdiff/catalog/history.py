"""A step of a git history file by file: each version of a document read once, counts carried on.

Most files are the same in most steps. To count each of them again would cost more than all the
rest (a year of daily commits: 1,900 files a step, of which 40 differ), so the counts of a folder
are added up once, and after that only what changed is taken out and put in. `RevisionPair` is the
plain way: it gives the same counts.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import partial

from snapdiff.catalog.compared_files import ChangedFiles, ComparedFiles, entry_of, path_of
from snapdiff.catalog.loading import Catalog
from snapdiff.catalog.reading import FilePair, Reading, read_missing, read_pair, read_whole
from snapdiff.catalog.sides import CountedFiles
from snapdiff.errors import BadPage, Side
from snapdiff.filters import Scope
from snapdiff.formats.document import Document, DocumentReader
from snapdiff.formats.kinds import Documents, naming_end
from snapdiff.sources.git import GitSource
from snapdiff.sources.git_commands import Objects
from snapdiff.sources.source import Entry, EntryPair, Source, printable_path

_ASK_AHEAD = 64

_MOST_READINGS = 24
"""After how many versions of a document what its reader remembers of them is dropped."""


class History(ComparedFiles):
    """The steps of a history, one after the other: the two revisions of the current one.

    Documents are read by content id; what is kept does not grow with the number of steps.
    `last_use` says in which step each content is compared last.
    """

    def __init__(self, objects: Objects, documents: Documents, last_use: dict[str, int]) -> None:
        self.documents = documents
        self._objects = objects
        self._last_use = last_use
        self._pairs: list[EntryPair] = []
        self._counts = _FolderCounts()
        self._known: dict[tuple[str, str], Document | str | None] = {}
        """What each content is, by id and naming end, or as text why it cannot be read."""
        self._readers: dict[str, tuple[DocumentReader, int]] = {}
        """A reader of each document, which remembers its versions, and how many it read."""

    def begin(self, old: GitSource, new: GitSource, pairs: Sequence[EntryPair]) -> None:
        """Begin the next step: two sources, and the files that differ between them."""
        changes = ChangedFiles(pairs, self.documents)
        for pair in changes.documents:
            changes.add(path_of(pair))
        self.sources = old, new
        self._pairs = changes.documents + changes.others(old, new)
        self._counts.take_out(self._pairs)

    def changed(self) -> Iterator[FilePair]:
        """Yield every document that differs between the two, or that one side only has."""
        for pair in self._pairs:
            yield read_pair(path_of(pair), partial(self._read, pair))

    def read(self, side: Side, entries: Sequence[Entry]) -> Iterator[Reading]:
        """Yield what each of some files is on one side, whether it differs or not."""
        for position, entry in enumerate(entries):
            if position % _ASK_AHEAD == 0:
                self.ask(entries[position : position + 2 * _ASK_AHEAD])
            yield self._count(entry, self.sources[side == "new"])

    def count_folder(self, folder: str, changed: Collection[str], scope: Scope) -> CountedFiles:
        """Return the counts of the files below a folder, carried on where they are known."""
        counted = self._counts.of_folder(folder)
        if counted is None:
            counted = super().count_folder(folder, changed, scope)
            self._counts.keep(folder, counted)
        return counted

    def finish(self, step: int) -> None:
        """End the step: count what differs as it is now, forget what no later step compares."""
        for _, new in self._pairs:
            if new:
                count = partial(self._count, new, self.sources[1])
                is_late = self._is_used_after(new, step)
                self._counts.put_in(printable_path(new.path), count, is_late=is_late)
        self._forget(step)

    def ask(self, entries: Iterable[Entry | None]) -> None:
        """Let git work ahead on the files that are not known."""
        self._objects.ask(it for it in entries if it and _key(it) not in self._known)

    def _read(self, pair: EntryPair, side: Side, is_document: bool) -> Reading:
        is_new = side == "new"
        entry, source = pair[is_new], self.sources[is_new]
        if entry is None:
            path = entry_of(pair).path
            return read_missing(source, path, side) if is_document else None
        return self._reading(entry, source, side, is_document=is_document)

    def _reading(
        self, entry: Entry, source: Source, side: Side, *, is_document: bool = False
    ) -> Reading:
        """Return what a file is, kept only if a step needs it; `is_document` is as in `File`."""
        path = printable_path(entry.path)
        if entry.fault:
            return BadPage(path, side, entry.fault)
        key = _key(entry)
        if key in self._known and not is_document:
            known = self._known[key]
            return BadPage(path, side, known) if isinstance(known, str) else known
        _, end = key
        reader, readings = self._readers.get(end, (None, 0))
        if reader is None or readings == _MOST_READINGS:
            reader, readings = self.documents.reader(path, source.limits), 0
        is_kept = str(entry.content_id) in self._last_use
        if is_kept:
            self._readers[end] = reader, readings + 1
        parts: list[str] = []
        content = self._objects.take(entry)
        found = Catalog(source).read_file(
            reader, entry, content, side, is_document=is_document, parts=parts
        )
        # What has parts in other files can change without being changed itself.
        if is_kept and not parts:
            self._known[key] = found.reason if isinstance(found, BadPage) else found
        return found

    def _count(self, entry: Entry, source: Source) -> Reading:
        """Return a file that is the same on both sides of a step."""
        return read_whole(self._reading(entry, source, "old"), printable_path(entry.path), "old")

    def _forget(self, step: int) -> None:
        """Forget those files of a step that no step after it compares."""
        for pair in self._pairs:
            for entry in pair:
                if entry and not self._is_used_after(entry, step):
                    self._last_use.pop(str(entry.content_id), None)
                    self._known.pop(_key(entry), None)
            last = pair[1] or pair[0]
            if last and not self._is_used_after(last, step):
                self._readers.pop(naming_end(last.path), None)

    def _is_used_after(self, entry: Entry, step: int) -> bool:
        """Return whether a later step compares a file."""
        return self._last_use.get(str(entry.content_id), step) > step


def _key(entry: Entry) -> tuple[str, str]:
    """Return what a document's meaning depends on: content, and what of its path may name it."""
    return str(entry.content_id), naming_end(entry.path)


class _FolderCounts:
    """The counts of the folders that some step asked for, of the revision that is current.

    What a step changed is counted when the next one asks for counts and did not change it again: of
    a lock that every commit changes, no version is counted.
    """

    def __init__(self) -> None:
        self._folders: dict[str, CountedFiles] = {}
        self._waiting: dict[str, Callable[[], Reading]] = {}

    def take_out(self, pairs: Sequence[EntryPair]) -> None:
        """Take out what differs in a step: what is left is the same on both sides of it."""
        for path in (printable_path(old.path) for old, _ in pairs if old):
            if self._waiting.pop(path, None) is None and (counted := self._around(path)):
                counted.take(path)

    def put_in(self, path: str, count: Callable[[], Reading], *, is_late: bool) -> None:
        """Put in what differs in a step as it is after it, now or when somebody asks for counts."""
        if is_late:
            self._waiting[path] = count
        elif counted := self._around(path):
            counted.put(path, count())

    def of_folder(self, folder: str) -> CountedFiles | None:
        """Return the counts that a folder is part of, if an earlier step asked for them."""
        for path, count in self._waiting.items():
            self.put_in(path, count, is_late=False)
        self._waiting.clear()
        return self._around(folder)

    def _around(self, path: str) -> CountedFiles | None:
        around = (counted for folder, counted in self._folders.items() if _is_within(path, folder))
        return next(around, None)

    def keep(self, folder: str, counted: CountedFiles) -> None:
        """Keep the counts of a folder from now on; they hold those of the folders within it."""
        for known in [name for name in self._folders if _is_within(name, folder)]:
            del self._folders[known]
        self._folders[folder] = counted


def _is_within(path: str, folder: str) -> bool:
    """Return whether a path is in a folder, at any depth, or the folder itself."""
    return not folder or path == folder or path.startswith(f"{folder}/")
