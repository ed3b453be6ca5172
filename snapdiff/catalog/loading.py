"""Revisions as catalogs: sources whose files are read as documents, and the names in them."""

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import chain
from pathlib import Path

from msgspec import UNSET

from snapdiff.catalog.reading import Reading, read_whole, require_content
from snapdiff.document_names import (
    DATABASE,
    LOCK_NAME,
    NOT_CONCRETE,
    USUAL_NAMES,
    is_called,
    is_document,
    is_read,
    way_out,
)
from snapdiff.errors import BadPage, FormatError, RevisionError, Side, SnapdiffError
from snapdiff.filters import require_matches, unmatched
from snapdiff.formats.document import Claim, Document, DocumentReader, File
from snapdiff.formats.kinds import DOCUMENTS, Documents, plain_document, usual_name
from snapdiff.limits import DEFAULT_LIMITS, Limits, Progress, ignored
from snapdiff.model.packages import Package, noun_of
from snapdiff.model.specs import Revision
from snapdiff.result.changes import Filters
from snapdiff.sources.revisions import SourceOpener
from snapdiff.sources.source import Content, Entry, SingleFile, Source, is_submodule, printable_path


class Catalog:
    """One revision of a catalog; its documents are read when they are compared."""

    def __init__(self, source: Source) -> None:
        self.source = source

    @property
    def revision(self) -> Revision:
        """What was asked for, and the commit it is, if it is one."""
        commit = self.source.commit
        return Revision(
            source=self.source.name,
            commit=commit and commit.id,
            date=commit and commit.date,
            subject=(commit and commit.subject) or UNSET,
        )

    @cached_property
    def documents(self) -> Documents:
        """The kinds of documents there are here: some depend on what else is there."""
        return DOCUMENTS.with_mirrors(printable_path(it.path) for it in self.source.entries())

    def shown_path(self, path: str) -> str:
        """Return what a document is called in a message: as it was named, where it was itself."""
        return self.source.name if isinstance(self.source, SingleFile) else path

    def packages(self) -> Iterator[Package | BadPage]:
        """Yield every package, and every document that cannot be read, in the order of paths."""
        for _, found in self.readings():
            if isinstance(found, BadPage):
                yield found
            elif found is not None:
                yield from found.packages

    def readings(self) -> Iterator[tuple[str, Reading]]:
        """Yield what each file is that may be a document, in the order of paths."""
        entries = [entry for entry in self.source.entries() if is_read(entry.path)]
        paths = (printable_path(entry.path) for entry in entries)
        return zip(paths, self.read(entries, self.documents), strict=True)

    def claims(self) -> Iterator[tuple[Entry, Claim]]:
        """Yield each file whose name says that it is a document, and what its path says."""
        for entry in self.source.entries():
            if is_document(entry.path):
                path = printable_path(entry.path)
                yield entry, self.documents.claim(path, self.source.prefix)

    def read(self, entries: Sequence[Entry], documents: Documents) -> Iterator[Reading]:
        """Yield what each of some files is, read whole and one at a time."""
        for entry, content in zip(entries, self.source.read(entries), strict=True):
            path = printable_path(entry.path)
            reader = documents.reader(path, self.source.limits)
            yield read_whole(self.read_file(reader, entry, content, "old"), path, "old")

    def read_file(
        self,
        reader: DocumentReader,
        entry: Entry,
        content: Content,
        side: Side,
        *,
        is_document: bool = False,
        parts: list[str] | None = None,
    ) -> Reading:
        """Return what a file is, given its content; `is_document` is as in `File`.

        Paths of other files that it reads are added to `parts`.
        """

        def read_beside(path: str) -> bytes:
            if parts is not None:
                parts.append(path)
            return require_content(path, self.source.content(path))

        path = printable_path(entry.path)
        try:
            own = require_content(path, content)
            return reader(File(path, own, read_beside, is_document, self.source.prefix))
        except FormatError as error:
            return BadPage(path, side, str(error))


def named_as_usual(source: Source) -> Source:
    """Return a source with a document as catalogs have it where it is a single file.

    It may be called `old.lock`, compressed or signed. Raises RevisionError where it is no document.
    """
    if not isinstance(source, SingleFile) or is_document(source.file):
        return source
    try:
        content = require_content(source.file, source.content(source.file))
        content = plain_document(content, source.limits)
    except FormatError as error:
        raise RevisionError(f"{source.name}: {error}") from error
    name = usual_name(content)
    if name is None:
        hint = way_out(source.holds) if source.file == NOT_CONCRETE else ""
        hint = hint or f"name a folder, or {USUAL_NAMES}"
        wrong = "is nothing to compare"
        if not content.strip():
            wrong = "is empty"
            hint = "run `spack concretize`" if source.file.endswith(".lock") else hint
        raise RevisionError(f"{source.name}: {wrong}; {hint}")
    return source.known_as(name, content)


def load_catalog(
    name: str | Path,
    *,
    repository: str | Path = ".",
    limits: Limits = DEFAULT_LIMITS,
    progress: Progress = ignored,
) -> Catalog:
    """Return the revision or directory called `name`, looked up in the repository.

    `progress` is called while a mirror is downloaded. Raises RevisionError where there is none.
    """
    opener = SourceOpener(Path(repository), limits, progress)
    return Catalog(named_as_usual(opener.open(str(name))))


# --- What is in catalogs by name, and what is not ---


def require_paths(sources: Iterable[Source]) -> None:
    """Raise RevisionError where no source has a file for one of the paths that narrow them.

    No more of the sources are listed than it takes to find a file for each.
    """
    left: set[str] | None = None
    submodules: dict[str, str] = {}
    for source in sources:
        lacking = source.paths.unmatched(entry.path for entry in source.files())
        left = left.intersection(lacking) if left else set(lacking)
        if not left:
            return
        for word in left - submodules.keys():
            if submodule := source.submodule_around(source.paths.places[word]):
                submodules[word] = submodule
    found = sorted(left or ())
    if slips := [word for word in found if word not in submodules]:
        raise RevisionError(
            f"{', '.join(slips)}: there is nothing to compare on either side, neither a folder nor "
            "a document; mind that paths begin where you are"
        )
    if found:
        raise is_submodule(submodules[found[0]])


def has_document(catalog: Catalog) -> bool:
    """Return whether a catalog has a document, or what should be one."""
    if any(is_document(entry.path) for entry in catalog.source.entries()):
        return True
    return any(True for _ in catalog.packages())


def check_filters(
    filters: Filters,
    catalogs: Sequence[Catalog],
    listed: Iterable[Catalog] = (),
    others: Iterable[Reading] = (),
) -> None:
    """Raise SnapdiffError where a filter can only be a slip.

    A glob that matches nothing in any of the catalogs is one; so are explicit specs where no
    document says which are. Nothing is read where there is no glob, and else no more than it takes
    to find a match: of those only `listed`, paths alone, and then `others`, one file at a time.
    """
    if filters.explicit:
        _check_explicit(catalogs)
    if not any((filters.tag, filters.stack, filters.package)):
        return
    seen: dict[str, set[str]] = {"tag": set(), "stack": set(), "package": set()}
    documents: set[str] = set()
    read = chain.from_iterable(map(_names_in, catalogs))
    paths = (next(_names_in(catalog)) for catalog in listed)
    for names in chain(read, paths, map(_names_of, others)):
        for noun in seen:
            seen[noun] |= names[noun]
        documents |= names["document"]
        # A stack that is compared under another name is called by that one.
        seen["stack"].difference_update(dict(filters.stack_names))
        if not any(unmatched(filters, seen)):
            return
    require_matches(filters, seen, {"stack": noun_of(documents)})


def _names_in(catalog: Catalog) -> Iterator[dict[str, set[str]]]:
    """Yield names of tags, stacks and packages: those of all paths, then those of each document."""
    of_paths: dict[str, set[str]] = {
        kind: set() for kind in ("tag", "stack", "package", "document")
    }
    for _, claim in catalog.claims():
        of_paths["tag"].add(claim.tag)
        of_paths[claim.what].add(claim.name)
    yield of_paths
    for _, found in catalog.readings():
        yield _names_of(found)


def _names_of(found: Reading) -> dict[str, set[str]]:
    counts = found.counts if isinstance(found, Document) else ()
    return {
        "document": {found.kind} if isinstance(found, Document) else set(),
        "tag": {it.tag for it in counts},
        "stack": {name for it in counts for names in it.by_stacks for name in names},
        "package": {it.name for it in counts},
    }


def _check_explicit(catalogs: Iterable[Catalog]) -> None:
    paths = [
        entry.path
        for catalog in catalogs
        for entry in catalog.source.entries()
        if is_read(entry.path)
    ]
    if paths and not any(is_called(it, LOCK_NAME) or is_called(it, DATABASE) for it in paths):
        raise SnapdiffError(
            "--explicit: nothing here tells roots from dependencies; environment "
            "locks and install databases do"
        )


def names_in(catalog: Catalog, noun: str) -> set[str]:
    """Return the names of all stacks or packages; all documents are read for it."""
    return set().union(*(names[noun] for names in _names_in(catalog)))
