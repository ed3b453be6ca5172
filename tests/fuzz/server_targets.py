"""The doors of what servers send: the files of a mirror or of a registry, apart at a form feed."""

import contextlib
import gzip
import hashlib
from collections.abc import Iterator

from snapdiff import SnapdiffError
from snapdiff.buildcache_layout import LAYOUT_3, blob_path
from snapdiff.catalog.loading import Catalog
from snapdiff.limits import DEFAULT_LIMITS
from snapdiff.sources.download import Answer, Downloads, NotThereError
from snapdiff.sources.mirror import MirrorSource
from snapdiff.sources.names import LISTING, MirrorAddress, RegistryAddress
from snapdiff.sources.registry import RegistrySource, challenge_in
from snapdiff.sources.source import Source, Validators

_REGISTRY = RegistryAddress("https", "registry.example", "team/cache", None)
_MIRROR = MirrorAddress("https", "https://mirror.example/m", "")

SERVER_WORDS = [
    *(b'"layers":', b'"digest":', b'"size":', b'"mediaType":', b'"sha256:CHECKSUM"', b"SIZE"),
    *(b'"url":', b'"label":', b'"s3://bucket/develop/e4s"', b"..", b"%2e%2e", b"/", b"develop"),
    *(b"{", b"}", b"[", b"]", b",", b":", b'"', b"null", b"-1", b"1e999", b"9" * 30, b"gzip"),
    *(b"[" * 3000, b'{"a":' * 3000, b"\0", b"\xff", b"\\ud800", b"\x1f\x8b\x08", b"\f"),
    *(b"Bearer ", b"Basic ", b'realm="https://token.example"', b'scope="', b"=", b'\\"'),
]


class _Server:
    """Files by their URL, sent as they are."""

    def __init__(self, files: dict[str, bytes]) -> None:
        self._files = files

    @contextlib.contextmanager
    def open(self, url: str, _known: Validators) -> Iterator[Answer]:
        """Yield a file."""
        if url not in self._files:
            raise NotThereError
        yield Answer(Validators(), iter([self._files[url]]), len(self._files[url]))


def _read(source: Source) -> None:
    with contextlib.suppress(SnapdiffError):
        for entry in source.entries():
            assert entry.path.isprintable()
            assert not {"..", "."} & set(entry.path.split("/"))
        for package in Catalog(source).packages():
            assert package is not None


def registry_check(data: bytes) -> None:
    """A manifest, its layer, and the header of a challenge."""
    manifest, layer, header, *_ = [*data.split(b"\f"), b"", b""]
    layer = gzip.compress(layer, mtime=0) if b"gzip" in manifest else layer
    digest = hashlib.sha256(layer).hexdigest()
    manifest = manifest.replace(b"CHECKSUM", digest.encode()).replace(b"SIZE", b"%d" % len(layer))
    names = {"manifests/index.spack": manifest, f"blobs/sha256:{digest}": layer}
    server = _Server({_REGISTRY.url(name): content for name, content in names.items()})
    _read(RegistrySource(_REGISTRY, Downloads(_REGISTRY, server.open), DEFAULT_LIMITS))
    found = challenge_in([header.decode("latin-1")])
    assert found is None or not found or "realm" in found  # an empty one is refused later


def mirror_check(data: bytes) -> None:
    """A listing of mirrors, the manifest of an index that one of them has, and the index."""
    listing, manifest, blob, *_ = [*data.split(b"\f"), b"", b""]
    digest = hashlib.sha256(blob).hexdigest()
    manifest = manifest.replace(b"CHECKSUM", digest.encode())
    names = {
        LISTING: listing,
        f"develop/e4s/{LAYOUT_3}": manifest,
        f"develop/e4s/{blob_path(digest)}": blob,
        LAYOUT_3: manifest,
    }
    server = _Server({_MIRROR.url(name): content for name, content in names.items() if content})
    _read(MirrorSource(_MIRROR, Downloads(_MIRROR, server.open), DEFAULT_LIMITS))


SERVER_CHECKS = {"registry": registry_check, "mirror": mirror_check}
"""The check of each kind of server, by the name of its door."""
