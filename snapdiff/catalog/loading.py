"""Revisions as catalogs: a source, and the limits on what is read from it."""

from collections.abc import Iterator
from pathlib import Path

from snapdiff.catalog.reading import FileVersion, read_pair
from snapdiff.errors import BadPage
from snapdiff.formats import DOCUMENTS
from snapdiff.limits import DEFAULT_LIMITS, Limits
from snapdiff.model import Package, Revision
from snapdiff.sources.base import Content, Entry, Source, printable_path
from snapdiff.sources.revisions import SourceOpener
from snapdiff.sources.transport import Progress


class Catalog:
    """One revision of a catalog; its documents are read when they are compared."""

    def __init__(self, source: Source, limits: Limits = DEFAULT_LIMITS) -> None:
        """Take the source that `open_catalogs` or `load_catalog` found."""
        self.source = source
        self.limits = limits

    @property
    def revision(self) -> Revision:
        """What was asked for, and the commit it is, if it is one."""
        return Revision(source=self.source.name, commit=self.source.commit, date=self.source.date)

    def packages(self) -> Iterator[Package | BadPage]:
        """Yield every package, and every document that cannot be read, in the order of paths."""
        entries = list(self.source.entries())
        for entry, content in zip(entries, self.source.read(entries), strict=True):
            version = self.version(entry, content)
            found = read_pair(printable_path(entry.path), version, None, self.limits).old
            if isinstance(found, BadPage):
                yield found
            elif found is not None:
                yield from found.packages

    def version(self, entry: Entry, content: Content) -> FileVersion:
        """Return a file with the folders above it, as far as they are known."""
        return FileVersion(f"{self.source.prefix}/{printable_path(entry.path)}", content)


def load_catalog(
    name: str | Path, *, repository: str | Path = ".", limits: Limits = DEFAULT_LIMITS
) -> Catalog:
    """Return the revision or directory called `name`, looked up in the repository.

    Raises RevisionError where there is no such thing.
    """
    return Catalog(
        SourceOpener(Path(repository), wanted=DOCUMENTS, limits=limits).open(str(name)), limits
    )


def open_catalogs(
    arguments: tuple[str, ...],
    repository: Path,
    limits: Limits = DEFAULT_LIMITS,
    progress: Progress = lambda _done, _total: None,
) -> tuple[Catalog, Catalog]:
    """Return the old and the new catalog that none, one or two arguments stand for.

    `progress` is called while a mirror is downloaded.

    Raises RevisionError where one does not exist or could be two things.
    """
    opener = SourceOpener(repository, wanted=DOCUMENTS, limits=limits, progress=progress)
    old, new = opener.open_pair(arguments)
    return Catalog(old, limits), Catalog(new, limits)
