"""Two versions of one document, given as their contents: no catalog around them is known."""

from collections.abc import Collection, Iterator

from snapdiff.catalog.counting import CountedFiles
from snapdiff.catalog.reading import FilePair, FileVersion, Reading, read_versions
from snapdiff.errors import RevisionError, Side
from snapdiff.filters import Scope
from snapdiff.formats.base import Document, ReadDocument, no_file
from snapdiff.formats.registry import DOCUMENTS, usual_name
from snapdiff.limits import DEFAULT_LIMITS, Limits
from snapdiff.sources.source import Content


class DocumentVersions:
    """Two versions of a document as `ComparedFiles`; None is a side that does not have it."""

    prefixes = ("", "")
    documents = DOCUMENTS

    def __init__(
        self,
        path: str,
        old: Content | None,
        new: Content | None,
        limits: Limits = DEFAULT_LIMITS,
    ) -> None:
        """Take the path, which may say what the document lists, and both contents."""
        self._path = path
        self._contents = (old, new)
        self._limits = limits

    def changed(self) -> Iterator[FilePair]:
        """Yield the document; raises RevisionError if it is none.

        A side without it lists as much as an empty document of the same tag: what the other side
        has is added to its tag or removed from it, and the tag itself is not.
        """
        path = self._document_path()
        old, new = (
            None if content is None else FileVersion(path, content, no_file, "")
            for content in self._contents
        )
        found = read_versions(path, (old, new), self.documents.reader(path, self._limits))
        if not (found.old or found.new):
            raise RevisionError(
                f"{self._path}: is nothing to compare; snapdiff reads {DOCUMENTS.names}"
            )
        if old is None:
            found = found._replace(old=_emptied(found.new))
        elif new is None:
            found = found._replace(new=_emptied(found.old))
        yield found

    @property
    def is_page(self) -> bool:
        """Whether it lists one package: the others of its stacks are on other pages."""
        return self._document_path().endswith(".md")

    def _document_path(self) -> str:
        """Return the path, or the usual name of such a document if the path's name is another."""
        if DOCUMENTS.is_document(self._path):
            return self._path
        contents = [content for content in self._contents if isinstance(content, bytes)]
        return next(filter(None, map(usual_name, contents)), self._path)

    def samples(self, _changed: Collection[str]) -> dict[str, Document]:
        """Return nothing: there are no other documents."""
        return {}

    def count_folders(
        self, _folders: Collection[str], _changed: Collection[str], _scope: Scope
    ) -> list[CountedFiles]:
        """Return nothing: there are no other documents."""
        return []

    def require_documents(self) -> None:
        """Do nothing: one side has the document, or `changed` raised an error."""

    def shown_path(self, _path: str, _side: Side) -> str:
        """Return the path that was given."""
        return self._path


def _emptied(reading: Reading) -> Reading:
    """Return a document that is about the same and lists nothing."""
    if isinstance(reading, Document):
        return ReadDocument(reading.kind, reading.claims, [], [])
    return None
