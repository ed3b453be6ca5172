"""Revisions as catalogs: a source, and the limits on what is read from it."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from msgspec import UNSET

from snapdiff.catalog.reading import FileVersion, Reading, read_file, read_whole, require_content
from snapdiff.errors import BadPage, FormatError, RevisionError
from snapdiff.formats.document import Claim, File
from snapdiff.formats.registry import DOCUMENTS, NOT_CONCRETE, Documents, plain_document, usual_name
from snapdiff.limits import DEFAULT_LIMITS, Limits, Progress, unseen
from snapdiff.model import Package, Revision
from snapdiff.sources.revisions import SourceOpener
from snapdiff.sources.source import Content, Entry, Part, Source, joined, printable_path


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
