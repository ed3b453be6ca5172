"""How large a document with dependencies may be, and what else may be in one."""

import re

from snapdiff.errors import FormatError
from snapdiff.limits import VERSION_PARTS

PLACES = 10_000
"""How many pairs of stack and release a spec of the site's data may have; real ones have a few."""

_PART = re.compile("[0-9]+|[^0-9._-]+")


def over_document_limit(limit: int) -> FormatError:
    """Return the error for a document that is larger than is taken."""
    return FormatError(f"the document is too large, and the limit is {limit:,} bytes")


def check_document_size(content: bytes, limit: int) -> None:
    """Raise FormatError where a document is larger than is taken."""
    if len(content) > limit:
        raise over_document_limit(limit)


def check_version(version: str, key: str) -> None:
    """Raise FormatError where a version has more parts than can be compared at little cost."""
    if len(version) > VERSION_PARTS and len(_PART.findall(version)) > VERSION_PARTS:
        raise FormatError(
            f"{key}.version: a version of over {VERSION_PARTS} parts, {version[:64]!r} and so on"
        )
