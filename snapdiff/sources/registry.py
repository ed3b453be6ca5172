"""A build cache in an OCI registry as a source: `oci://HOST/NAME`.

The index is the one layer of the manifest that is tagged `index.spack`. It is read as the index of
a mirror of layout 2 is (docs/specification.md, section 10).
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

import msgspec
from msgspec import Struct

from snapdiff.buildcache_layout import LAYOUT_2
from snapdiff.errors import FormatError, RevisionError
from snapdiff.gzip_stream import is_gzip, unfold_whole
from snapdiff.limits import Limits
from snapdiff.safe_text import shown
from snapdiff.sources.download import Downloads, KeptFile, Patience
from snapdiff.sources.mirror_address import RegistryAddress, is_digest
from snapdiff.sources.registry_transport import RegistryTransport
from snapdiff.sources.source import Content, Entry, Source
from snapdiff.sources.transport import Progress

_TAG = "index.spack"

_MOST = 4 << 20
"""How many bytes a manifest may have; registries take no larger ones."""


class _Layer(Struct):
    digest: str
    size: int


class _Manifest(Struct):
    layers: list[_Layer]


class RegistrySource(Source):
    """The index of a build cache in a registry, downloaded when it is first needed, and once."""

    def __init__(self, address: RegistryAddress, downloads: Downloads, limits: Limits) -> None:
        """Take the address, and what downloads from there; nothing is asked for yet."""
        self.name = str(address)
        self.prefix = address.repository.rpartition("/")[2]
        self._digest = address.digest
        self._downloads = downloads
        self._limits = limits
        self._layer: _Layer | None = None

    def files(self, folder: str = "") -> Iterator[Entry]:
        """Yield the index, by the name that it has in a mirror; raises RevisionError."""
        if self._layer is None:
            try:
                self._layer = self._find()
            except FormatError as error:
                raise RevisionError(f"{self.name}: {error}") from error
        if not folder or LAYOUT_2.startswith(f"{folder}/"):
            yield Entry(LAYOUT_2, self._layer.digest)

    def location(self, _entry: Entry) -> str:
        """Return the address: the index is all there is."""
        return self.name

    def read(self, entries: Iterable[Entry]) -> Iterator[Content]:
        """Yield the content of each entry, in the order given."""
        for entry in entries:
            try:
                yield self._index(entry.content_id or "")
            except FormatError as error:
                yield error

    def _find(self) -> _Layer:
        file = self._downloads.take(f"manifests/{self._digest or _TAG}", as_is=True, most=_MOST)
        if file is None:
            raise self._missing()
        if self._digest not in (None, f"sha256:{file.sha256}"):
            raise FormatError(
                f"the manifest that was sent has another digest: sha256:{file.sha256}"
            )
        content = self._downloads.content(file)
        try:
            layers = msgspec.json.decode(content, type=_Manifest).layers
        except (msgspec.DecodeError, RecursionError) as error:
            raise FormatError("is no manifest with layers, as Spack writes one") from error
        if len(layers) != 1:
            message = f"the manifest has {len(layers)} layers, and that of an index has one"
            raise FormatError(f"{message}; is this a build cache?")
        if not is_digest(layers[0].digest):
            raise FormatError(
                f"{shown(layers[0].digest)}: is no digest, sha256:<64 of 0-9 and a-f>"
            )
        return layers[0]

    def _missing(self) -> RevisionError:
        refused = " and ".join(str(status) for status in sorted(self._downloads.refused))
        if refused:
            return RevisionError(
                f"{self.name}: the registry refuses access (status {refused}); is the name right, "
                "and has `docker login` been run for this registry?"
            )
        if self._digest:
            return RevisionError(f"{self.name}: the registry has no manifest of this digest")
        return RevisionError(
            f"{self.name}: has no tag {_TAG}; `spack buildcache update-index` writes it"
        )

    def _index(self, digest: str) -> bytes:
        """Return an index, verified; raises FormatError."""
        file = self._downloads.take(
            f"blobs/{digest}", sha256=digest.removeprefix("sha256:"), as_is=True
        )
        if file is None:
            raise FormatError("the layer of the manifest is missing in the registry")
        content = self._downloads.content(file)
        if f"sha256:{file.sha256}" != digest:
            raise FormatError(f"the layer's digest is sha256:{file.sha256}, and should be {digest}")
        if self._layer and self._layer.size != len(content):
            size = self._layer.size
            raise FormatError(f"the layer has {len(content):,} bytes, and should have {size:,}")
        return unfold_whole(content, self._limits.document) if is_gzip(content) else content


class _Place(NamedTuple):
    """Where the files of a repository are."""

    base: str

    def url(self, path: str) -> str:
        """Return the URL of a file."""
        return f"{self.base}/{path}"


def open_registry(
    address: RegistryAddress,
    *,
    limits: Limits,
    patience: Patience,
    progress: Progress,
    kept: Mapping[str, KeptFile],
) -> RegistrySource:
    """Return the build cache in a registry; nothing is asked for yet.

    `kept` are documents of an earlier download. Raises RevisionError.
    """
    downloads = Downloads(
        _Place(address.url),
        RegistryTransport(address, patience.silence),
        max_download=limits.download,
        patience=patience,
        progress=progress,
        kept={f"blobs/sha256:{file.sha256}": file for file in kept.values()},
    )
    return RegistrySource(address, downloads, limits)
