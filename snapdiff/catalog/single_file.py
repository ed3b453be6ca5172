"""One document that was named itself: it may be called as its owner likes, `old.lock`."""

from collections.abc import Iterable, Iterator, Sequence

from snapdiff.errors import RevisionError
from snapdiff.formats.registry import DOCUMENTS, usual_name
from snapdiff.sources.base import (
    Content,
    ContentPair,
    Entry,
    EntryPair,
    SettingsFile,
    Source,
    find_entry,
    read_side_by_side,
)


class SingleFile:
    """A source of one file, under the name that documents of its kind have in a catalog.

    So two of them are two versions of one document, whatever their names and folders are.
    """

    prefix = ""
    is_file = True

    def __init__(self, source: Source, entry: Entry, name: str) -> None:
        """Take the source, its only file, and the name that the file gets."""
        self.name = source.name
        self.commit = source.commit
        self.date = source.date
        self._source = source
        self._entry = entry
        self._renamed = entry._replace(path=name)

    def entries(self, folder: str = "") -> Iterator[Entry]:
        """Yield the file, unless a folder is asked for that does not hold it."""
        if not folder or self._renamed.path.startswith(f"{folder}/"):
            yield self._renamed

    def location(self, _entry: Entry) -> str:
        """Return where the file is, under its own name."""
        return self._source.location(self._entry)

    def find(self, path: str) -> Entry | None:
        """Return the file where it is asked for by its new name, or None."""
        return find_entry(self.entries(), path)

    def read(self, entries: Iterable[Entry]) -> Iterator[Content]:
        """Yield the content of the file as often as it is asked for."""
        return self._source.read(self._entry for _ in entries)

    def read_both(self, new: Source, pairs: Sequence[EntryPair]) -> Iterator[ContentPair]:
        """Yield old and new content of each pair, in the order given."""
        return read_side_by_side(self, new, pairs)

    def changed_entries(self, new: Source) -> None:
        """Return None: content ids or reading say whether the file changed."""

    def settings_file(self) -> SettingsFile | None:
        """Return the configuration file that counts for the file, or None."""
        return self._source.settings_file()


def named_as_usual(source: Source) -> Source:
    """Return a source under the usual name of its document where it is a single file.

    Raises RevisionError if the file is not a document.
    """
    if not source.is_file:
        return source
    [entry] = source.entries()
    if DOCUMENTS.is_document(entry.path):
        return SingleFile(source, entry, entry.path)
    content = next(source.read([entry]))
    name = usual_name(content) if isinstance(content, bytes) else entry.path
    if name is None:
        raise RevisionError(f"{source.name}: is no document; name a folder, or {DOCUMENTS.names}")
    return SingleFile(source, entry, name)
