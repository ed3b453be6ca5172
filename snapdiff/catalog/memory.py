"""The documents of a history, each version read once and kept while a later step needs it."""

from collections.abc import Iterable
from typing import NamedTuple

from snapdiff.catalog.reading import Counting, Reading
from snapdiff.errors import BadPage, FormatError, Side
from snapdiff.formats import format_of
from snapdiff.formats.base import Document, DocumentReader, File
from snapdiff.limits import Limits
from snapdiff.sources.base import Entry, EntryPair, printable_path
from snapdiff.sources.history import PageObjects

_MOST_READINGS = 24
"""After how many versions of a document what its reader remembers of them is dropped."""


class _Key(NamedTuple):
    """What a document says depends on: its content, and the end of its path, which can name it."""

    content_id: str
    end: str


class _Reader:
    """Reads the versions of one document; it remembers what they have in common."""

    __slots__ = ("reader", "readings")

    def __init__(self, reader: DocumentReader) -> None:
        self.reader = reader
        self.readings = 0


class DocumentMemory:
    """Reads documents by content id; what is kept does not grow with the number of steps."""

    def __init__(
        self, objects: PageObjects, prefix: str, last_use: dict[str, int], limits: Limits
    ) -> None:
        """Take where files come from, and in which step each content is compared last."""
        self._objects = objects
        self._prefix = prefix
        self._last_use = last_use
        self._limits = limits
        self._documents: dict[_Key, Document | str | None] = {}
        self._readers: dict[str, _Reader] = {}

    def ask(self, entries: Iterable[Entry | None]) -> None:
        """Let git work ahead on the files that are not known."""
        self._objects.ask(
            entry
            for entry in entries
            if entry and not entry.fault and _key(entry) not in self._documents
        )

    def read(self, entry: Entry, side: Side, *, is_document: bool = False) -> Reading:
        """Return what a file is; `is_document` as in `formats.base.File`."""
        if entry.fault:
            return BadPage(printable_path(entry.path), side, entry.fault)
        key = _key(entry)
        if key in self._documents and not is_document:
            found = self._documents[key]
        else:
            found = self._documents[key] = self._read(entry, is_document=is_document)
        if isinstance(found, str):
            return BadPage(printable_path(entry.path), side, found)
        return found

    def _read(self, entry: Entry, *, is_document: bool) -> Document | str | None:
        """Return a document, or as text why it cannot be read."""
        reader = self._reader(entry)
        if reader is None:
            return None
        try:
            return reader.read(self._file(entry, is_document=is_document))
        except FormatError as error:
            return str(error)  # the error itself would keep the file's content

    def count(self, entry: Entry) -> Counting:
        """Return the counts of a file that is the same on both sides of a step."""
        kind = format_of(entry.path)
        if entry.fault or kind is None or str(entry.content_id) in self._last_use:
            found = self.read(entry, "old")
            return found.counted() if isinstance(found, Document) else found
        try:
            return kind.reader(self._limits).count(self._file(entry))
        except FormatError as error:
            return BadPage(printable_path(entry.path), "old", str(error))

    def _file(self, entry: Entry, *, is_document: bool = False) -> File:
        content = self._objects.take(entry)
        if isinstance(content, FormatError):
            raise content
        path = f"{self._prefix}/{printable_path(entry.path)}"
        return File(path, content, is_document=is_document)

    def _reader(self, entry: Entry) -> DocumentReader | None:
        kind = format_of(entry.path)
        if kind is None:
            return None
        end = _key(entry).end
        known = self._readers.get(end)
        if known is None or known.readings == _MOST_READINGS:
            known = self._readers[end] = _Reader(kind.reader(self._limits))
        known.readings += 1
        return known.reader

    def forget(self, pairs: Iterable[EntryPair], step: int) -> None:
        """Forget those files of a step that no step after it compares."""
        for pair in pairs:
            for entry in pair:
                if entry and not self._is_used_after(entry, step):
                    self._last_use.pop(str(entry.content_id), None)
                    self._documents.pop(_key(entry), None)
            last = pair[1] or pair[0]
            if last and not self._is_used_after(last, step):
                self._readers.pop(_key(last).end, None)

    def _is_used_after(self, entry: Entry, step: int) -> bool:
        return self._last_use.get(str(entry.content_id), step) > step


def _key(entry: Entry) -> _Key:
    return _Key(str(entry.content_id), "/".join(entry.path.rsplit("/", 3)[-3:]))
