"""Small mirrors as files by path: build caches of both layouts, many of them, the site's data."""

import gzip
import hashlib
import json
from typing import Any

from snapdiff.sources.download import Patience
from tests.support.helpers import hash_of

HASTE = Patience(pauses=(0.01, 0.02, 0.04), silence=600.0, altogether=600.0)
"""How long a test waits for a server on this machine."""

MANIFEST = "v3/manifests/index/index.manifest.json"
INDEX = "build_cache/index.json"
LISTING = "cache_spack_io_index.json"


def index(*names: str, version: str = "1.0") -> bytes:
    """The index of a build cache with a spec for each name."""
    installs = {hash_of(name): _install(name, version) for name in names}
    return json.dumps({"database": {"version": "8", "installs": installs}}).encode()


def _install(name: str, version: str) -> dict[str, Any]:
    spec = {
        "name": name,
        "version": version,
        "arch": {"platform": "linux", "platform_os": "ubuntu22.04", "target": "x86_64_v3"},
        "namespace": "builtin",
        "parameters": {"build_system": "generic"},
        "package_hash": "abc",
        "annotations": {"original_specfile_version": 5},
        "hash": hash_of(name),
    }
    return {"spec": spec, "ref_count": 0, "in_buildcache": True}


def layout_2(content: bytes, checksum: str | None = None) -> dict[str, bytes]:
    """A build cache of layout 2, by path."""
    checksum = hashlib.sha256(content).hexdigest() if checksum is None else checksum
    return {INDEX: content, f"{INDEX}.hash": checksum.encode()}


def blob_path(content: bytes) -> str:
    """Where layout 3 has a blob."""
    checksum = hashlib.sha256(content).hexdigest()
    return f"blobs/sha256/{checksum[:2]}/{checksum}"


def layout_3(content: bytes, *, zipped: bool = False) -> dict[str, bytes]:
    """A build cache of layout 3, by path."""
    blob = gzip.compress(content, mtime=0) if zipped else content
    record = {
        "contentLength": len(blob),
        "mediaType": "application/vnd.spack.db.v8+json",
        "compression": "gzip" if zipped else "none",
        "checksumAlgorithm": "sha256",
        "checksum": hashlib.sha256(blob).hexdigest(),
    }
    manifest = json.dumps({"version": 3, "data": [record]}).encode()
    return {MANIFEST: manifest, blob_path(blob): blob}


def below(folder: str, files: dict[str, bytes]) -> dict[str, bytes]:
    """The same files in a folder."""
    return {f"{folder}/{path}": content for path, content in files.items()}


def listing(urls: dict[str, dict[str, str]]) -> dict[str, bytes]:
    """What a mirror of mirrors begins with, from the URL of each stack of each tag."""
    tags = {
        tag: [{"label": label, "url": url} for label, url in stacks.items()]
        for tag, stacks in urls.items()
    }
    return {LISTING: json.dumps(tags).encode()}


def site_data(version: str = "1.0") -> dict[str, bytes]:
    """The two documents of the site's data, by the names they have unzipped."""
    spec = {"hash": hash_of("zlib"), "version": version, "stacks": ["e4s"], "releases": ["develop"]}
    package = {"uid": "zlib", "releases": ["develop"], "specs": [hash_of("zlib")]}
    return {
        "specs_data.json": json.dumps({hash_of("zlib"): spec}).encode(),
        "package_data.json": json.dumps({"zlib": package}).encode(),
    }
