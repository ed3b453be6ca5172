"""What the files of a mirror that only say where others are say: manifests and listings."""

import re
from urllib.parse import unquote

from msgspec import DecodeError, Struct
from msgspec.json import decode

from snapdiff.errors import FormatError
from snapdiff.safe_text import shown
from snapdiff.sources.mirror_address import INDEX, MANIFEST

_INDEX_TYPE = "application/vnd.spack.db."
_SHA256 = re.compile("[0-9a-f]{64}")
_BLOB = re.compile("(?:(?P<folder>.*)/)?blobs/sha256/[0-9a-f]{2}/(?P<sha256>[0-9a-f]{64})")


class _Blob(Struct, rename="camel"):
    """A record of a manifest."""

    media_type: str
    checksum_algorithm: str
    checksum: str


class _Manifest(Struct):
    """The file that names the index of a build cache of layout 3."""

    data: list[_Blob]


class _Mirror(Struct):
    """A record of a listing; the URL leads to the mirror's index."""

    url: str


def blob_path(sha256: str) -> str:
    """Return where a build cache of layout 3 has the blob of a checksum."""
    return f"blobs/sha256/{sha256[:2]}/{sha256}"


def checksum_in_name(path: str) -> str | None:
    """Return the SHA-256 of a blob, which its path says, or None where it is no blob's."""
    blob = _BLOB.fullmatch(path)
    return blob["sha256"] if blob else None


def index_checksums(content: bytes) -> list[str]:
    """Return the SHA-256 of each blob that is an index, as a manifest of layout 3 names them.

    None if the manifest cannot be read; its format says why when it reads it.
    """
    try:
        blobs = decode(content, type=_Manifest).data
    except DecodeError:
        return []
    return [
        blob.checksum
        for blob in blobs
        if blob.media_type.startswith(_INDEX_TYPE)
        and blob.checksum_algorithm == "sha256"
        and _SHA256.fullmatch(blob.checksum)
    ]


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
    for end in (MANIFEST, INDEX):
        path = path.removesuffix(f"/{end}")
    blob = _BLOB.fullmatch(path)
    parts = (blob["folder"] or "" if blob else path).split("/")
    if tag not in parts or not all(part.isprintable() and part.strip(".") for part in parts):
        raise FormatError(f"tag {shown(tag)} lists {shown(url)}, which has no folder of the tag")
    return "/".join(parts[parts.index(tag) :])
