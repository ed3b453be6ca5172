"""Two catalogs file by file: what differs is read, what does not is counted where asked."""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from itertools import chain
from typing import Protocol

from snapdiff.catalog.changed_files import ChangedFiles
from snapdiff.catalog.counting import CountedFiles
from snapdiff.catalog.loading import Catalog
from snapdiff.catalog.reading import FilePair, Reading, read_file, read_versions, read_whole
from snapdiff.errors import RevisionError, Side
from snapdiff.filters import Scope
from snapdiff.formats.base import Document
from snapdiff.formats.registry import DOCUMENTS, Documents
from snapdiff.limits import Progress, unseen
from snapdiff.sources.source import ContentPair, Entry, EntryPair, Source, printable_path
from snapdiff.sources.wanted import EVERYWHERE


class ComparedFiles(Protocol):
    """Two revisions, file by file."""

    prefixes: tuple[str, str]
    """The folders above the files of the old and the new side, as far as they are known."""

    documents: Documents
    """The kinds of documents there are: known for certain once a document was yielded."""

    def changed(self) -> Iterator[FilePair]:
        """Yield every document that differs between the two, or that one side only has."""
        ...

    def samples(self, changed: Collection[str]) -> dict[str, Document]:
        """Return of each tag's folder one document that is the same on both sides."""
        ...

    def count_folders(
        self, folders: Collection[str], changed: Collection[str], scope: Scope
    ) -> list[CountedFiles]:
        """Return the counts of the files below each folder, less those that differ."""
        ...

    def require_documents(self) -> None:
        """Raise RevisionError where a side has not a single document."""
        ...

    def shown_path(self, path: str, side: Side) -> str:
        """Return what a document is called in an error: one that was named itself as it was."""
        ...


class RevisionPair:
    """Two catalogs as `ComparedFiles`."""

    def __init__(self, old: Catalog, new: Catalog, progress: Progress = unseen) -> None:
        """Take the two catalogs; nothing is read yet. `progress` is called for each file."""
        self._old = old
        self._new = new
        self._progress = progress
        self.documents = DOCUMENTS
        self.prefixes = (old.source.prefix, new.source.prefix)

    def changed(self) -> Iterator[FilePair]:
        """Yield every document whose content, or part of it, differs between the two."""
        with self._old.source.kept_open(), self._new.source.kept_open():
            yield from self._changed()

    def _changed(self) -> Iterator[FilePair]:
        pairs = self._old.source.changed_entries(self._new.source)
        if any(DOCUMENTS.is_index(path_of(pair)) for pair in pairs):
            both = (self._old.paths_of_mirrors(), self._new.paths_of_mirrors())
            self.documents = DOCUMENTS.with_mirrors(chain(*both))
        changes = ChangedFiles(pairs, self.documents)
        for done, (pair, contents) in enumerate(self._differing(changes.documents)):
            self._progress(done, len(changes.documents))
            if contents is not None:
                changes.add(path_of(pair))
                yield self._read(pair, contents)
        for pair, contents in self._differing(changes.parts):
            if contents is not None:
                changes.add(path_of(pair))
        others = [
            (self._old.source.find(path), self._new.source.find(path)) for path in changes.others()
        ]
        for pair, contents in zip(others, self._contents(others), strict=True):
            if any(pair):
                yield self._read(pair, contents)

    def _contents(self, pairs: Sequence[EntryPair]) -> Iterator[ContentPair]:
        return self._old.source.read_both(self._new.source, pairs)

    def _differing(
        self, pairs: Sequence[EntryPair]
    ) -> Iterator[tuple[EntryPair, ContentPair | None]]:
        """Yield each pair with its contents, or with None where these are the same."""
        for pair, (before, after) in zip(pairs, self._contents(pairs), strict=True):
            is_same = isinstance(before, bytes) and before == after
            yield pair, None if is_same else (before, after)

    def _read(self, pair: EntryPair, contents: ContentPair) -> FilePair:
        (old, new), (before, after) = pair, contents
        path = path_of(pair)
        reader = self.documents.reader(path, self._new.limits)
        versions = (
            self._old.version(old, before) if old and before is not None else None,
            self._new.version(new, after) if new and after is not None else None,
        )
        return read_versions(path, versions, reader)

    def samples(self, changed: Collection[str]) -> dict[str, Document]:
        """Return of each tag's folder one document that is the same on both sides."""
        return sample_folders(self._new.source.entries(), changed, self._count, self.documents)

    def count_folders(
        self, folders: Collection[str], changed: Collection[str], scope: Scope
    ) -> list[CountedFiles]:
        """Return the counts of the files below each folder, less those that differ."""
        found = []
        for folder in topmost(folders):
            entries = unchanged_documents(self._new.source.entries(folder), changed, self.documents)
            counted = CountedFiles(scope)
            for entry, counting in zip(entries, self._count(entries), strict=True):
                counted.put(printable_path(entry.path), counting)
            found.append(counted)
        return found

    def _count(self, entries: Sequence[Entry]) -> Iterator[Reading]:
        contents = self._new.source.read(entries)
        with self._new.source.kept_open():
            for entry, content in zip(entries, contents, strict=True):
                path = printable_path(entry.path)
                reader = self.documents.reader(path, self._new.limits)
                found = read_file(reader, path, self._new.version(entry, content), "old")
                yield read_whole(found, path, "old")

    def require_documents(self) -> None:
        """Raise RevisionError where a side has not a single document."""
        empty = [catalog for catalog in (self._old, self._new) if not has_document(catalog)]
        if len(empty) == 1 and self._new.source.paths is not EVERYWHERE:
            return  # a path may well have come or gone
        for catalog in empty:
            way_out = DOCUMENTS.way_out(catalog.source.holds)
            raise RevisionError(
                f"{catalog.source.name}: holds nothing to compare: no {DOCUMENTS.names}; "
                f"{way_out or 'name a folder that does, or pass --allow-empty'}"
            )

    def shown_path(self, path: str, side: Side) -> str:
        """Return the path of a document, or what it is called where it was named itself."""
        source = (self._old if side == "old" else self._new).source
        entry = source.find(path) if source.is_file else None
        return source.location(entry) if entry else path


def path_of(pair: EntryPair) -> str:
    """Return the path of a file that one side may not have, as it can be printed."""
    entry = pair[0] or pair[1]
    assert entry is not None
    return printable_path(entry.path)


def topmost(folders: Iterable[str]) -> list[str]:
    """Return the folders less those that are within another one, in order."""
    found: list[str] = []
    for folder in sorted(set(folders), key=lambda name: name.count("/") if name else -1):
        if not any(is_within(folder, other) for other in found):
            found.append(folder)
    return sorted(found)


def is_within(path: str, folder: str) -> bool:
    """Return whether a path is in a folder, at any depth, or the folder itself."""
    return not folder or path == folder or path.startswith(f"{folder}/")


def unchanged_documents(
    entries: Iterable[Entry], changed: Collection[str], documents: Documents
) -> list[Entry]:
    """Return which of the files may be documents and are not among `changed`."""
    return [
        entry
        for entry in entries
        if documents.is_read(entry.path) and printable_path(entry.path) not in changed
    ]


def sample_folders(
    entries: Iterable[Entry],
    changed: Collection[str],
    count: Callable[[Sequence[Entry]], Iterator[Reading]],
    documents: Documents,
) -> dict[str, Document]:
    """Return of each tag's folder one document that is not among `changed`."""
    candidates: dict[str, list[Entry]] = {}
    for entry in unchanged_documents(entries, changed, documents):
        candidates.setdefault(documents.tag_folder(entry.path), []).append(entry)
    found: dict[str, Document] = {}
    for position in range(max(map(len, candidates.values()), default=0)):
        # One file of each folder at a time: nearly always the first is a document.
        left = [
            folder
            for folder, files in candidates.items()
            if folder not in found and position < len(files)
        ]
        counted = zip(left, count([candidates[folder][position] for folder in left]), strict=True)
        found.update((folder, it) for folder, it in counted if isinstance(it, Document))
    return found


def require_paths(sources: Sequence[Source]) -> None:
    """Raise RevisionError where no source has a file for one of the paths that narrow them."""
    left = set.intersection(
        *(set(source.paths.unmatched(entry.path for entry in source.files())) for source in sources)
    )
    if left:
        raise RevisionError(
            f"{', '.join(sorted(left))}: there is nothing to compare on either side, neither a "
            "folder nor a document; mind that paths begin where you are"
        )


def has_document(catalog: Catalog) -> bool:
    """Return whether a catalog has a document, or what should be one."""
    if any(DOCUMENTS.is_document(entry.path) for entry in catalog.source.entries()):
        return True
    return any(True for _ in catalog.packages())
