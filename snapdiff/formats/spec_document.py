"""Reads documents with dependencies: a file is split into records, each read when needed."""

from collections.abc import Callable
from typing import NamedTuple

from snapdiff.formats.base import File
from snapdiff.formats.content_limits import check_document_size
from snapdiff.formats.listing import Listing
from snapdiff.formats.node_parts import SharedBuilds
from snapdiff.limits import Limits


class Opening(NamedTuple):
    """What a format needs to split a file into records."""

    file: File
    limits: Limits
    builds: SharedBuilds


class SpecDocumentReader:
    """Reads documents of one kind; `open_listing` splits a file into records."""

    def __init__(self, limits: Limits, open_listing: Callable[[Opening], Listing | None]) -> None:
        """Begin with no build known."""
        self._limits = limits
        self._open_listing = open_listing
        self._builds = SharedBuilds()

    def read(self, file: File) -> Listing | None:
        """Return a file split into records, or None where its content is of another kind.

        Raises FormatError with the key path, such as `concrete_specs.<hash>.arch.target`.
        """
        check_document_size(file.content, self._limits.document)
        return self._open_listing(Opening(file, self._limits, self._builds))
