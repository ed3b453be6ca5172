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
