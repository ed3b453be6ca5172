"""Files of two revisions as documents: each read by its format, errors kept with the file."""

from collections.abc import Callable
from typing import NamedTuple

from snapdiff.errors import BadPage, FormatError, Side
from snapdiff.formats.base import CountedDocument, Document, DocumentPair, DocumentReader, File
from snapdiff.sources.source import Content

Reading = Document | BadPage | None
"""What a file is: a document, one that cannot be read, or none at all."""

Counting = CountedDocument | BadPage | None
"""The same of a file that is equal on both sides."""


class FilePair(NamedTuple):
    """A file that differs: what it is on both sides, or both versions of it read together."""

    path: str
    old: Reading
    new: Reading
    both: DocumentPair | None = None


class FileVersion(NamedTuple):
    """A file as one side has it; all but its content is as in `formats.base.File`."""

    path: str
    content: Content
    read_beside: Callable[[str], bytes]
    above: str

    def file(self, *, is_document: bool = False) -> File:
        """Return the file for a format to read; raises FormatError where there is no content."""
        if isinstance(self.content, FormatError):
            raise self.content
        return File(self.path, self.content, self.read_beside, is_document, self.above)


def read_pair(
    path: str, old: FileVersion | None, new: FileVersion | None, reader: DocumentReader
) -> FilePair:
    """Return what a file is on both sides; None means that a side does not have it."""
    if old and new and isinstance(old.content, bytes) and isinstance(new.content, bytes):
        both = reader.read_pair(old.file(), new.file())
        if both:
            return FilePair(path, None, None, both)
    return read_both(
        path,
        lambda is_document: read_file(reader, path, old, "old", is_document=is_document),
        lambda is_document: read_file(reader, path, new, "new", is_document=is_document),
    )


def read_both(
    path: str, read_old: Callable[[bool], Reading], read_new: Callable[[bool], Reading]
) -> FilePair:
    """Return what a file is on both sides, each side read alone.

    What is a document on one side is one on the other too, or cannot be read: each function is
    called with whether that is known.
    """
    old, new = read_old(False), read_new(False)
    if old is None and new is not None:
        old = read_old(True)
    elif new is None and old is not None:
        new = read_new(True)
    return FilePair(path, old, new)


def read_file(
    reader: DocumentReader,
    path: str,
    version: FileVersion | None,
    side: Side,
    *,
    is_document: bool = False,
) -> Reading:
    """Return what a file is on one side; None where that side does not have it."""
    if version is None:
        return None
    try:
        return reader.read(version.file(is_document=is_document))
    except FormatError as error:
        return BadPage(path, side, str(error))


def count_file(path: str, version: FileVersion, reader: DocumentReader) -> Counting:
    """Return the counts of a file that is equal on both sides."""
    try:
        return reader.count(version.file())
    except FormatError as error:
        return BadPage(path, "old", str(error))
