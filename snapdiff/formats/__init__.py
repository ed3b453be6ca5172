"""What bytes mean: one file a kind of document, and a registry of them."""

from snapdiff.formats.base import Format
from snapdiff.formats.site_page import SitePages

FORMATS: tuple[Format, ...] = (SitePages(),)
"""Every kind of document; the first that wants a file reads it."""


def format_of(path: str) -> Format | None:
    """Return the kind of document that a file may be by its name, or None."""
    for kind in FORMATS:
        if kind.document_path(path) is not None:
            return kind
    return None


def files_read() -> str:
    """Return which files are read, for messages."""
    return "; ".join(kind.files for kind in FORMATS)


class Documents:
    """What a source is asked for: the files that some format reads."""

    @property
    def names(self) -> str:
        """The files that are read, for messages."""
        return files_read()

    def is_searched(self, folder: str) -> bool:
        """Return whether files are looked for in folders of this name: git's own are in `.git`."""
        return folder != ".git"

    def is_document(self, path: str) -> bool:
        """Return whether a file's name alone says that it is a document."""
        kind = format_of(path)
        return kind is not None and kind.is_named(path)

    def may_be_document(self, path: str) -> bool:
        """Return whether a file has to be looked at to know whether it is a document."""
        return format_of(path) is not None


DOCUMENTS = Documents()
