"""Files that differ as documents that differ: a document may have parts in other files."""

from collections.abc import Callable, Iterable

from snapdiff.formats.registry import Documents
from snapdiff.sources.source import Entry, EntryPair, printable_path


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
            path = printable_path((old or new or _NO_ENTRY).path)
            if documents.is_read(path):
                self.documents.append((old, new))
            elif not (old and new) or old.content_id or new.content_id:
                self.add(path)
            elif not documents.is_named_by_content(path):
                self.parts.append((old, new))

    def add(self, path: str) -> None:
        """Note that a file differs."""
        self._changed.add(path)
        self._affected |= self._documents.documents_of(path)

    def others(self) -> list[str]:
        """Return the documents of which a part differs, and not the file itself."""
        return sorted(self._affected - self._changed)


_NO_ENTRY = Entry("", None)


def document_pairs(
    pairs: Iterable[EntryPair],
    documents: Documents,
    find: Callable[[str], EntryPair],
) -> list[EntryPair]:
    """Return the documents that differ where the files that differ are known.

    `find` looks a file up on both sides.
    """
    changes = ChangedFiles(pairs, documents)
    for old, new in changes.documents:
        changes.add(printable_path((old or new or _NO_ENTRY).path))
    others = (find(path) for path in changes.others())
    return [*changes.documents, *(pair for pair in others if any(pair))]
