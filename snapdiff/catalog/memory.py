"""The documents of a history, each version read once and kept while a later step needs it."""

from collections.abc import Callable, Iterable
from typing import NamedTuple

from snapdiff.catalog.reading import Reading, read_whole
from snapdiff.errors import BadPage, FormatError, Side
from snapdiff.formats.base import Document, DocumentReader, File
from snapdiff.formats.registry import Documents, naming_end
from snapdiff.limits import Limits
from snapdiff.sources.git_commands import Objects
from snapdiff.sources.source import Entry, EntryPair, printable_path

ReadBeside = Callable[[str], bytes]
"""Returns the content of another file by its path; raises FormatError where there is none."""

_MOST_READINGS = 24
"""After how many versions of a document what its reader remembers of them is dropped."""


class _Key(NamedTuple):
    """What a document says depends on: its content, and so much of its path as can name it."""

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
        self,
        objects: Objects,
        prefix: str,
        last_use: dict[str, int],
        documents: Documents,
        limits: Limits,
    ) -> None:
        """Take where files come from, and in which step each content is compared last."""
        self._objects = objects
        self._prefix = prefix
        self._last_use = last_use
        self._formats = documents
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

    def read(
        self, entry: Entry, side: Side, read_beside: ReadBeside, *, is_document: bool = False
    ) -> Reading:
        """Return what a file is; `read_beside` and `is_document` are as in `formats.base.File`."""
        path = printable_path(entry.path)
        if entry.fault:
            return BadPage(path, side, entry.fault)
        key = _key(entry)
        if key in self._documents and not is_document:
            found = self._documents[key]
        else:
            parts: list[str] = []
            beside = _noting(read_beside, parts)
            found = self._read(entry, beside, is_document=is_document)
            if not parts:  # what has parts in other files can change without being changed itself
                self._documents[key] = found
        return BadPage(path, side, found) if isinstance(found, str) else found

    def _read(
        self, entry: Entry, read_beside: ReadBeside, *, is_document: bool
    ) -> Document | str | None:
        """Return a document, or as text why it cannot be read."""
        try:
            file = self._file(entry, read_beside, is_document=is_document)
            return self._reader(entry).read(file)
        except FormatError as error:
            return str(error)  # the error itself would keep the file's content

    def count(self, entry: Entry, read_beside: ReadBeside) -> Reading:
        """Return a file that is the same on both sides of a step, kept only if a step needs it."""
        path = printable_path(entry.path)
        if entry.fault or str(entry.content_id) in self._last_use:
            found = self.read(entry, "old", read_beside)
        else:
            try:
                reader = self._formats.reader(path, self._limits)
                found = reader.read(self._file(entry, read_beside))
            except FormatError as error:
                found = BadPage(path, "old", str(error))
        return read_whole(found, path, "old")

    def _file(self, entry: Entry, read_beside: ReadBeside, *, is_document: bool = False) -> File:
        content = self._objects.take(entry)
        if isinstance(content, FormatError):
            raise content
        path = printable_path(entry.path)
        return File(path, content, read_beside, is_document, self._prefix)

    def _reader(self, entry: Entry) -> DocumentReader:
        end = _key(entry).end
        known = self._readers.get(end)
        if known is None or known.readings == _MOST_READINGS:
            reader = self._formats.reader(printable_path(entry.path), self._limits)
            known = self._readers[end] = _Reader(reader)
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
    return _Key(str(entry.content_id), naming_end(entry.path))


def _noting(read_beside: ReadBeside, noted: list[str]) -> ReadBeside:
    """Return a function that reads other files and notes which."""

    def read(path: str) -> bytes:
        noted.append(path)
        return read_beside(path)

    return read
