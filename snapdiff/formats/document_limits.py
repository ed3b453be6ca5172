"""How large a document with dependencies may be, and what else may be in one."""

import re

from snapdiff.errors import FormatError
from snapdiff.limits import VERSION_PARTS, SizeLimit

PLACES = 10_000
"""How many pairs of stack and release a spec of the site's data may have; real ones have a few."""

_PART = re.compile("[0-9]+|[^0-9._-]+")


def check_document_size(content: bytes, limit: SizeLimit) -> None:
    """Raise FormatError where a document is larger than is taken."""
    if len(content) > limit.size:
        raise limit.error("is too large")


def check_version(version: str, key: str) -> None:
    """Raise FormatError where a version has more parts than can be compared at little cost."""
    if has_too_many_parts(version):
        raise FormatError(
            f"{key}: a version of over {VERSION_PARTS} parts, {version[:64]!r} and so on"
        )


def has_too_many_parts(version: str) -> bool:
    """Return whether a version has more parts than can be compared at little cost."""
    return len(version) > VERSION_PARTS and len(_PART.findall(version)) > VERSION_PARTS
