"""Revisions as catalogs: a source with limits on what is read of it; and two, file by file."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from pathlib import Path

from msgspec import UNSET

from snapdiff.catalog.compared_files import ChangedFiles, ComparedFiles, path_of
from snapdiff.catalog.reading import (
    FilePair,
    FileVersion,
    Reading,
    read_file,
    read_versions,
    read_whole,
    require_content,
)
from snapdiff.errors import BadPage, FormatError, RevisionError, Side
from snapdiff.formats.document import Claim, File
from snapdiff.formats.registry import DOCUMENTS, NOT_CONCRETE, Documents, plain_document, usual_name
from snapdiff.limits import DEFAULT_LIMITS, Limits, Progress, unseen
from snapdiff.model import Package, Revision
from snapdiff.sources.revisions import SourceOpener
from snapdiff.sources.source import (
    Content,
    ContentPair,
    Entry,
    EntryPair,
    Part,
    Source,
    joined,
    printable_path,
)
from snapdiff.sources.wanted import EVERYWHERE


class Catalog:
    """One revision of a catalog; its documents are read when they are compared."""

    def __init__(self, source: Source, limits: Limits = DEFAULT_LIMITS) -> None:
        """Take the source that `open_catalogs` or `load_catalog` found."""
        self.source = source
        self.limits = limits

    @property
    def revision(self) -> Revision:
        """What was asked for, and the commit it is, if it is one."""
        return Revision(
            source=self.source.name,
            commit=self.source.commit,
            date=self.source.date,
            subject=self.source.subject or UNSET,
        )

    def packages(self) -> Iterator[Package | BadPage]:
        """Yield every package, and every document that cannot be read, in the order of paths."""
        documents = self.documents()
        for found in self.read(self.entries(documents), documents):
            if isinstance(found, BadPage):
                yield found
            elif found is not None:
                yield from found.packages

    def entries(self, documents: Documents) -> list[Entry]:
        """Return the files that may be documents."""
        return [entry for entry in self.source.entries() if documents.is_read(entry.path)]

    def claims(self, documents: Documents) -> Iterator[tuple[Entry, Claim]]:
        """Yield each file whose name says that it is a document, and what its path says."""
        for entry in self.source.entries():
            if documents.is_document(entry.path):
                path = printable_path(entry.path)
                yield entry, documents.claim_of_path(path, self.source.prefix)

    def read(self, entries: Sequence[Entry], documents: Documents) -> Iterator[Reading]:
        """Yield what each of some files is, read whole and one at a time."""
        for entry, content in zip(entries, self.source.read(entries), strict=True):
            path = printable_path(entry.path)
            reader = documents.reader(path, self.limits)
            yield read_whole(
                read_file(reader, path, self.version(entry, content), "old"), path, "old"
            )

    def documents(self) -> Documents:
        """Return the kinds of documents there are here: some depend on what else is there."""
        return DOCUMENTS.with_mirrors(self.paths_of_mirrors())

    def paths_of_mirrors(self) -> Iterator[str]:
        """Yield the paths of all indexes of build caches."""
        for entry in self.source.entries():
            if DOCUMENTS.is_index(entry.path):
                yield printable_path(entry.path)

    def version(self, entry: Entry, content: Content) -> FileVersion:
        """Return a file as this side has it."""
        if isinstance(content, FormatError):
            return content
        path = printable_path(entry.path)
        return File(path, content, self._read_beside, above=self.source.prefix)

    def _read_beside(self, path: str) -> bytes:
        return require_content(path, self.source.content(path))


def named_as_usual(source: Source, limits: Limits) -> Source:
    """Return a source with a document as catalogs have it where it is a single file.

    It may be called as its owner likes, `old.lock`, compressed or signed. Raises
    RevisionError if it is not a document.
    """
    if not isinstance(source, Part) or not source.is_file:
        return source
    [entry] = source.files()
    if DOCUMENTS.is_document(entry.path):
        return source
    whole = source.renamed(entry.path, lambda content: plain_document(content, limits))
    content = next(whole.read([entry]))
    if isinstance(content, FormatError):
        raise RevisionError(f"{source.name}: {content}")
    name = usual_name(content)
    if name is None:
        way_out = DOCUMENTS.way_out(lambda path: source.source.holds(joined(source.folder, path)))
        way_out = (entry.path == NOT_CONCRETE and way_out) or f"name a folder, or {DOCUMENTS.names}"
        raise RevisionError(f"{source.name}: is nothing to compare; {way_out}")
    return source.renamed(name, lambda content: plain_document(content, limits))


def load_catalog(
    name: str | Path, *, repository: str | Path = ".", limits: Limits = DEFAULT_LIMITS
) -> Catalog:
    """Return the revision or directory called `name`, looked up in the repository.

    Raises RevisionError where there is no such thing.
    """
    opener = SourceOpener(Path(repository), wanted=DOCUMENTS, limits=limits)
    return Catalog(named_as_usual(opener.open(str(name)), limits), limits)


def open_catalogs(
    arguments: tuple[str, ...],
    repository: Path,
    limits: Limits = DEFAULT_LIMITS,
    progress: Progress = unseen,
    paths: Sequence[str] = (),
) -> tuple[Catalog, Catalog]:
    """Return the old and the new catalog that no, one or two arguments mean.

    `progress` is called while a mirror is downloaded. Both are narrowed to the `paths`.

    Raises RevisionError where one does not exist or could be two things.
    """
    opener = SourceOpener(repository, wanted=DOCUMENTS, limits=limits, progress=progress)
    old, new = (named_as_usual(source, limits) for source in opener.open_pair(arguments, paths))
    return Catalog(old, limits), Catalog(new, limits)


# --- Two catalogs, file by file ---


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
