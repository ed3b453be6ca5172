"""Two revisions file by file: what is asked of them, and which of their documents differ."""

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from itertools import chain

from snapdiff.buildcache_layout import BLOB, is_index
from snapdiff.catalog.loading import Catalog, has_document
from snapdiff.catalog.reading import FilePair, Reading, read_missing, read_pair
from snapdiff.catalog.sides import CountedFiles
from snapdiff.document_names import USUAL_NAMES, is_read, way_out
from snapdiff.errors import RevisionError, Side
from snapdiff.filters import Scope
from snapdiff.formats.document import Document
from snapdiff.formats.kinds import DOCUMENTS, Documents
from snapdiff.limits import Progress, ignored
from snapdiff.sources.names import EVERYWHERE, folders_upwards
from snapdiff.sources.source import ContentPair, Entry, EntryPair, Source, printable_path


class ComparedFiles(ABC):
    """Two revisions, file by file."""

    sources: tuple[Source, Source]
    """The old and the new side."""

    documents: Documents = DOCUMENTS
    """The kinds of documents there are: known for certain once a document was yielded."""

    @abstractmethod
    def changed(self) -> Iterator[FilePair]:
        """Yield every document that differs between the two, or that one side only has."""

    def entries(self, folder: str = "") -> Iterable[Entry]:
        """Return the files below a folder, as the new side has them."""
        return self.sources[1].entries(folder)

    @abstractmethod
    def read(self, side: Side, entries: Sequence[Entry]) -> Iterator[Reading]:
        """Yield what each of some files is on one side, whether it differs or not."""

    def read_again(self, side: Side, paths: Sequence[str]) -> Iterator[Reading]:
        """Yield what the files with these paths are on one side."""
        source = self.sources[side == "new"]
        return self.read(side, [entry for entry in map(source.find, paths) if entry])

    def samples(self, changed: Collection[str]) -> dict[str, Document]:
        """Return of each tag's folder one document that is the same on both sides."""
        return dict(self._samples("new", _less(self.entries(), changed)))

    def _samples(self, side: Side, entries: Iterable[Entry]) -> Iterator[tuple[str, Document]]:
        """Yield each tag's folder that some files of a side are in, with one document of it."""
        found: set[str] = set()
        for entry in entries:
            folder = self.documents.tag_folder(entry.path)
            if folder not in found:  # nearly always the first file is a document
                [reading] = self.read(side, [entry])
                if isinstance(reading, Document):
                    found.add(folder)
                    yield folder, reading

    def is_cut(self, folders: Iterable[str]) -> bool:
        """Return whether paths leave out, on either side, a file that is in some folders."""
        every = (_left_out(it, folder) for it in self.sources for folder in folders)
        return any(True for _ in chain.from_iterable(every))

    def tags_elsewhere(
        self, old: AbstractSet[str | None], new: AbstractSet[str | None], near: Collection[str]
    ) -> AbstractSet[str | None]:
        """Return those tags of one side that the other has, too, in files which paths leave out.

        A few packages that one side alone has say nothing about their tag. One document of each
        folder is read, of those `near` first, until all are found.
        """
        found: set[str | None] = set()
        sides: tuple[Side, Side] = ("old", "new")
        for side, source, wanted in zip(sides, self.sources, (new - old, old - new), strict=True):
            entries = list(_left_out(source)) if wanted else []
            entries.sort(key=lambda it: self.documents.tag_folder(it.path) not in near)
            for _, document in self._samples(side, entries):
                found.update(it.tag for it in document.claims if it.tag in wanted)
                if found >= wanted:
                    break
        return found

    def is_any_readable(self, left_out: Collection[str], scope: Scope) -> bool:
        """Return whether a document in a scope can be read on either side, but for some paths."""
        sides: tuple[Side, Side] = ("old", "new")
        for side, source in zip(sides, self.sources, strict=True):
            entries = _less(source.entries(), left_out)
            for found in self.read(side, entries):
                if isinstance(found, Document) and _is_in_scope(found, scope):
                    return True
        return False

    def count_folders(
        self, folders: set[str], changed: Collection[str], scope: Scope
    ) -> list[CountedFiles]:
        """Return the counts of the files below each folder, less those that differ."""
        topmost = sorted(it for it in folders if folders.isdisjoint(folders_upwards(it)[1:]))
        counted = [self.count_folder(folder, changed, scope) for folder in topmost]
        # Two folders may be within one that was counted before.
        return list(dict.fromkeys(counted))

    def count_folder(self, folder: str, changed: Collection[str], scope: Scope) -> CountedFiles:
        """Return the counts of the files below a folder, less those that differ."""
        counted = CountedFiles(scope)
        entries = _less(self.entries(folder), changed)
        for entry, reading in zip(entries, self.read("new", entries), strict=True):
            counted.put(printable_path(entry.path), reading)
        return counted

    def require_documents(self) -> None:
        """Raise RevisionError where a side has not a single document and should have one."""
        return

    def shown_path(self, path: str, side: Side) -> str:  # noqa: ARG002 - of use where one is named
        """Return what a document is called in an error: one that was named itself as it was."""
        return path


def _less(entries: Iterable[Entry], paths: Collection[str]) -> list[Entry]:
    """Return the files that may be documents, less those with some paths."""
    return [it for it in entries if is_read(it.path) and printable_path(it.path) not in paths]


def _is_in_scope(document: Document, scope: Scope) -> bool:
    """Return whether a document lists anything that is compared; one that lists nothing may do."""
    filters = scope.filters
    if not (filters.tag or filters.stack or filters.package):
        return True
    return any(
        scope.has_tag(it.tag) and scope.has_package(it.name) and scope.stacks(stacks)
        for it in document.counts
        for stacks in it.by_stacks
    )


def _left_out(source: Source, folder: str = "") -> Iterator[Entry]:
    """Yield the files below a folder that may be documents and that paths leave out."""
    files = source.files(folder) if source.paths is not EVERYWHERE else ()
    return (it for it in files if is_read(it.path) and not source.paths.has(it.path))


class RevisionPair(ComparedFiles):
    """Two catalogs, of any two sources; `progress` is called for each file."""

    def __init__(self, old: Catalog, new: Catalog, progress: Progress = ignored) -> None:
        self._catalogs: dict[Side, Catalog] = {"old": old, "new": new}
        self._progress = progress
        self._mirrors: set[str] = set()
        self.sources = (old.source, new.source)

    def changed(self) -> Iterator[FilePair]:
        """Yield every document whose content, or part of it, differs between the two."""
        old, new = self.sources
        pairs = old.changed_entries(new)
        # A blob may come or go alone: its mirror has to be known all the same.
        if any(is_index(path) or BLOB.fullmatch(path) for path in map(path_of, pairs)):
            self._note_mirrors(chain(old.entries(), new.entries()))
        changes = ChangedFiles(pairs, self.documents)
        for done, (pair, contents) in enumerate(self._contents(changes.documents)):
            self._progress(done, len(changes.documents))
            if contents[0] != contents[1]:
                changes.add(path_of(pair))
                yield self._read(pair, contents)
        for pair, contents in self._contents(changes.parts):
            if contents[0] != contents[1]:
                changes.add(path_of(pair))
        for pair, contents in self._contents(changes.others(old, new)):
            yield self._read(pair, contents)

    def _contents(self, pairs: Sequence[EntryPair]) -> Iterator[tuple[EntryPair, ContentPair]]:
        old, new = self.sources
        return zip(pairs, old.read_both(new, pairs), strict=True)

    def _read(self, pair: EntryPair, contents: ContentPair) -> FilePair:
        path, raw_path = path_of(pair), entry_of(pair).path
        reader = self.documents.reader(path, self.sources[1].limits)

        def read(side: Side, is_document: bool) -> Reading:
            entry, content = pair[side == "new"], contents[side == "new"]
            if entry is None or content is None:
                source = self.sources[side == "new"]
                return read_missing(source, raw_path, side) if is_document else None
            catalog = self._catalogs[side]
            return catalog.read_file(reader, entry, content, side, is_document=is_document)

        return read_pair(path, read)

    def entries(self, folder: str = "") -> Iterable[Entry]:
        """Return the files below a folder, as the new side has them."""
        found = list(super().entries(folder))
        self._note_mirrors(found)  # where no index differs, no others were looked for
        return found

    def _note_mirrors(self, entries: Iterable[Entry]) -> None:
        """Let the kinds of documents know of mirrors: one that holds others is the tag of these."""
        found = {printable_path(it.path) for it in entries if is_index(it.path)}
        if not found <= self._mirrors:  # all were looked at, and each tag has a folder
            self._mirrors |= found
            self.documents = self.documents.with_mirrors(self._mirrors)

    def read(self, side: Side, entries: Sequence[Entry]) -> Iterator[Reading]:
        """Yield what each of some files is on one side, whether it differs or not."""
        return self._catalogs[side].read(entries, self.documents)

    def require_documents(self) -> None:
        """Raise RevisionError where a side has not a single document."""
        empty = [catalog for catalog in self._catalogs.values() if not has_document(catalog)]
        paths = self.sources[1].paths
        if paths is not EVERYWHERE:
            if len(empty) == 2:
                what = f"-- {' '.join(paths.places)}: leaves nothing to compare on either side"
                raise RevisionError(f"{what}; name other paths, or pass --allow-empty")
            return  # a path may well have come or gone
        for catalog in empty:
            hint = way_out(catalog.source.holds)
            raise RevisionError(
                f"{catalog.source.name}: holds nothing to compare: no {USUAL_NAMES}; "
                f"{hint or 'name a folder that does, or pass --allow-empty'}"
            )

    def shown_path(self, path: str, side: Side) -> str:
        """Return the path of a document, or what it is called where it was named itself."""
        return self._catalogs[side].shown_path(path)


class DocumentVersions(RevisionPair):
    """Two versions of one document that is called `name`; each is all that its side has."""

    def __init__(self, old: Catalog, new: Catalog, name: str) -> None:
        super().__init__(old, new)
        self._name = name

    def changed(self) -> Iterator[FilePair]:
        """Yield the document, if it differs.

        A side without it lists as much as an empty document of the same tag: what the other side
        has is added to its tag or removed from it, and the tag itself is not.
        """
        for found in super().changed():
            if found.old is None and isinstance(found.new, Document):
                found = found._replace(old=Document(found.new.kind, found.new.claims))
            elif found.new is None and isinstance(found.old, Document):
                found = found._replace(new=Document(found.old.kind, found.old.claims))
            yield found

    def require_documents(self) -> None:
        """Raise RevisionError where it is no document on either side."""
        if not any(map(has_document, self._catalogs.values())):
            raise RevisionError(
                f"{self._name}: is nothing to compare; snapdiff reads {USUAL_NAMES}"
            )

    def shown_path(self, _path: str, _side: Side) -> str:
        """Return what the document is called."""
        return self._name


class ChangedFiles:
    """Sorts files that may differ into documents, parts of some, and what is known to differ."""

    def __init__(self, pairs: Iterable[EntryPair], documents: Documents) -> None:
        """Take the files of both sides; without content ids only reading says what differs."""
        self._documents = documents
        self._changed: set[str] = set()
        self._affected: set[str] = set()
        self.documents: list[EntryPair] = []
        """The files that may be documents themselves."""
        self.parts: list[EntryPair] = []
        """Parts of documents that have to be read to know whether they differ."""
        for old, new in pairs:
            path = path_of((old, new))
            if is_read(path):
                self.documents.append((old, new))
            elif not (old and new) or (old.content_id and new.content_id):
                self.add(path)
            elif not BLOB.fullmatch(path):  # whose name is its checksum
                self.parts.append((old, new))

    def add(self, path: str) -> None:
        """Note that a file differs."""
        self._changed.add(path)
        self._affected.update(self._documents.documents_of(path))

    def others(self, old: Source, new: Source) -> list[EntryPair]:
        """Return the documents of which a part differs, and not the file itself."""
        paths = sorted(self._affected - self._changed)
        pairs = ((old.find(path), new.find(path)) for path in paths)
        return [pair for pair in pairs if any(pair)]


def entry_of(pair: EntryPair) -> Entry:
    """Return a file of which one side may have none."""
    entry = pair[0] or pair[1]
    assert entry is not None
    return entry


def path_of(pair: EntryPair) -> str:
    """Return the path of a file that one side may not have, as it can be printed."""
    return printable_path(entry_of(pair).path)
