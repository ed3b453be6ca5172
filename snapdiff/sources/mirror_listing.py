"""The mirrors that a mirror of mirrors lists in its `cache_spack_io_index.json`."""

from urllib.parse import unquote

from msgspec import DecodeError, Struct
from msgspec.json import decode

from snapdiff.buildcache_layout import BLOB, LAYOUT_2, LAYOUT_3
from snapdiff.errors import FormatError
from snapdiff.safe_text import shown


class _Mirror(Struct):
    """A record of a listing; the URL leads to the mirror's index."""

    url: str


def listed_folders(content: bytes) -> list[str]:
    """Return the folders of the mirrors that a mirror of mirrors lists, in order, each once.

    Raises FormatError.
    """
    try:
        tags = decode(content, type=dict[str, list[_Mirror]])
    except DecodeError as error:
        raise FormatError(f"is no listing of mirrors: {error}") from error
    return sorted({_folder(tag, mirror.url) for tag, found in tags.items() for mirror in found})


def _folder(tag: str, url: str) -> str:
    """Return the folder of a listed mirror, of which the URL names the index.

    Only the part from the tag on counts. The listing names a store, and who reads it over HTTP, or
    from a copy, reads the mirrors at the same place; and no listing leads to another server.
    """
    path = unquote(url.partition("://")[2].partition("/")[2])
    for end in (LAYOUT_3, LAYOUT_2):
        path = path.removesuffix(f"/{end}")
    blob = BLOB.fullmatch(path)
    parts = (blob[1] if blob else path).rstrip("/").split("/")
    if tag not in parts or not all(part.isprintable() and part.strip(".") for part in parts):
        raise FormatError(f"tag {shown(tag)} lists {shown(url)}, which has no folder of the tag")
    return "/".join(parts[parts.index(tag) :])
