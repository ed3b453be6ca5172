"""Two catalogs file by file: what differs is read, what does not is counted where asked."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain

from snapdiff.catalog.compared_files import ChangedFiles, ComparedFiles, path_of
from snapdiff.catalog.loading import Catalog
from snapdiff.catalog.reading import FilePair, Reading, read_versions
from snapdiff.errors import RevisionError, Side
from snapdiff.formats.registry import DOCUMENTS
from snapdiff.limits import Progress, unseen
from snapdiff.sources.source import ContentPair, Entry, EntryPair, Source
from snapdiff.sources.wanted import EVERYWHERE


class RevisionPair(ComparedFiles):
    """Two catalogs, of any two sources."""

    def __init__(self, old: Catalog, new: Catalog, progress: Progress = unseen) -> None:
        """Take the two catalogs; nothing is read yet. `progress` is called for each file."""
        self._old = old
        self._new = new
        self._progress = progress
        self.prefixes = (old.source.prefix, new.source.prefix)

    def changed(self) -> Iterator[FilePair]:
        """Yield every document whose content, or part of it, differs between the two."""
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
        return read_versions(
            path,
            self._old.version(old, before) if old and before is not None else None,
            self._new.version(new, after) if new and after is not None else None,
            reader,
        )

    def entries(self, folder: str = "") -> Iterable[Entry]:
        """Return the files below a folder, as the new side has them."""
        return self._new.source.entries(folder)

    def count(self, entries: Sequence[Entry]) -> Iterator[Reading]:
        """Yield what each of some files is that are the same on both sides."""
        return self._new.read(entries, self.documents)

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
