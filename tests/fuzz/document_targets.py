"""The doors of documents with dependencies: two versions of a document, apart at a form feed.

A document of two files is one version: the manifest and its blob, the site's two files, an old page
and the file beside it.
"""

import contextlib
import gzip
import hashlib
import json
import tempfile
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

from snapdiff import SnapdiffError
from snapdiff.buildcache_layout import LAYOUT_2
from snapdiff.catalog.reading import pair_documents
from snapdiff.document_names import DATABASE, LOCK_NAME
from snapdiff.errors import FormatError
from snapdiff.formats.document import Document, File
from snapdiff.formats.kinds import DOCUMENTS
from snapdiff.limits import DEFAULT_LIMITS
from snapdiff.model.packages import count_by_stacks
from tests.support.helpers import run_cli, write_files

DOCUMENT_WORDS = [
    *(b"{", b"}", b"[", b"]", b",", b":", b'"', b"\\", b"\\u0000", b"\\ud800", b"\0", b"\xff"),
    *(b"null", b"true", b"false", b"0", b"-1", b"1.5", b"1e999", b"9" * 30, b'""', b"{}", b"[]"),
    *(b'"name":', b'"version":', b'"versions":', b'"hash":', b'"build_hash":', b'"full_hash":'),
    *(b'"arch":', b'"platform_os":', b'"target":', b'"compiler":', b'"annotations":', b'"c"'),
    *(b'"parameters":', b'"dependencies":', b'"type":', b'"deptypes":', b'"virtuals":', b'"mpi"'),
    *(b'"external":', b'"path":', b'"module":', b'"namespace":', b'"package_hash":', b'"patches":'),
    *(b'"concrete_specs":', b'"roots":', b'"include_concrete":', b'"_meta":', b'"cflags":'),
    *(b'"lockfile-version":', b'"file-type":', b'"database":', b'"installs":', b'"spec":'),
    *(b'"in_buildcache":', b'"installed":', b'"explicit":', b'"ref_count":', b'"data":'),
    *(b'"mediaType":', b'"compression":', b'"checksum":', b'"stacks":', b'"releases":'),
    *(b'"specs":', b"gzip", b"\x1f\x8b\x08", b"spec-0.json", b"spec_files:", b"\n - ", b"\n---\n"),
    *(b"a" * 32, b"b" * 32, b"1.0", b"1." * 40, b"gcc", b"<<<<<<< ours\n", b"\f", b"\n"),
]
CHECKSUM = b"CHECKSUM"
"""Stands for the checksum of a manifest's blob: damage to the blob is to reach its reader."""


class Version(NamedTuple):
    """A version of a document: the file that is it, and those beside it, by path."""

    path: str
    content: bytes
    beside: Mapping[str, bytes]

    def file(self) -> File:
        """The file as a source hands it over."""
        return File(self.path, self.content, self._read_beside)

    def files(self) -> dict[str, bytes]:
        """All files, to be written to a folder."""
        return {**self.beside, self.path: self.content}

    def _read_beside(self, path: str) -> bytes:
        if path not in self.beside:
            raise FormatError(f"{path}: missing")
        return self.beside[path]


def _alone(path: str) -> Callable[[bytes, bytes], Version]:
    return lambda content, _: Version(path, content, {})


def _with(path: str, other: str) -> Callable[[bytes, bytes], Version]:
    return lambda content, beside: Version(path, content, {other: beside})


def _manifest(content: bytes, blob: bytes) -> Version:
    if b"gzip" in content:
        blob = gzip.compress(blob, mtime=0)
    checksum = hashlib.sha256(blob).hexdigest()
    return Version(
        "v1/e4s/v3/manifests/index/index.manifest.json",
        content.replace(CHECKSUM, checksum.encode()),
        {f"v1/e4s/blobs/sha256/{checksum[:2]}/{checksum}": blob},
    )


class _Kind(NamedTuple):
    parts: int
    """How many files one version is made of."""
    version: Callable[[bytes, bytes], Version]


_KINDS = {
    "lock": _Kind(1, _alone(f"v1/e4s/{LOCK_NAME}")),
    "index": _Kind(1, _alone(f"v1/e4s/{LAYOUT_2}")),
    "manifest": _Kind(2, _manifest),
    "database": _Kind(1, _alone(f"v1/e4s/{DATABASE}")),
    "site-data": _Kind(2, _with("site/specs_data.json", "site/package_data.json")),
    "old-page": _Kind(2, _with("develop/zlib/specs.md", "develop/zlib/spec-0.json")),
}


def document_check(name: str) -> Callable[[bytes], None]:
    """Return the check of a kind: read, counted and compared, both versions say the same."""
    kind = _KINDS[name]

    def check(data: bytes) -> None:
        versions = _versions(kind, data)
        documents = [_read(version.file()) for version in versions]
        _check_pair(versions, documents)
        _check_report(versions)

    return check


def _versions(kind: _Kind, data: bytes) -> tuple[Version, Version]:
    """The two versions in some data; a second one that is not there is the first, changed."""
    files = data.split(b"\f")[: 2 * kind.parts]
    files += [files[-1] if kind.parts == 2 else b""] * (kind.parts - len(files))
    if len(files) < 2 * kind.parts:
        files = files[: kind.parts] + [file.replace(b"1.", b"2.") for file in files[: kind.parts]]
    old, new = files[: kind.parts], files[kind.parts :]
    return kind.version(old[0], old[-1]), kind.version(new[0], new[-1])


def _read(file: File) -> Document | None:
    """A document, or None where it cannot be read: what is counted of it is the same."""
    try:
        document = DOCUMENTS.reader(file.path, DEFAULT_LIMITS)(file)
        counted = DOCUMENTS.reader(file.path, DEFAULT_LIMITS)(file)
        if document is None or counted is None:
            assert document is counted
            return None
        counts = counted.counts  # less of it is looked at
        assert document.packages is not None
    except SnapdiffError:
        return None
    assert (counted.claims, counts) == (document.claims, document.counts)
    assert counted.listed_hashes == document.listed_hashes
    for package in document.packages:
        for spec_hash in package.specs if package.graph else ():
            with contextlib.suppress(SnapdiffError):
                assert package.graph is not None
                package.graph.node(spec_hash)
    return document


def _check_pair(versions: tuple[Version, Version], documents: list[Document | None]) -> None:
    """Read two versions together; what is found is what each of them says alone."""
    old, new = (version.file() for version in versions)
    reader = DOCUMENTS.reader(old.path, DEFAULT_LIMITS)
    try:
        before, after = reader(old), reader(new)
        if before is None or after is None or not after.is_version_of(before):
            return
        pair = pair_documents(before, after, old.path)
    except SnapdiffError:
        return
    if None in documents:
        return
    for side, document in enumerate(documents):
        assert document is not None
        counts = {(found.tag, found.name): found.by_stacks for found in document.counts}
        together = {(found.tag, found.name): found.by_stacks for found in pair.unchanged}
        for found in pair.pairs:
            builds = Counter((found.old, found.new)[side].values())
            by_stacks = count_by_stacks([*builds.items(), *found.common.items()])
            if by_stacks:
                together[str(found.tags[0]), found.name] = by_stacks
        assert together == counts


def _check_report(versions: tuple[Version, Version]) -> None:
    """Compare two folders with a version each: a report, or the lines of an error."""
    with tempfile.TemporaryDirectory() as folder:
        for side, version in zip(("old", "new"), versions, strict=True):
            write_files(Path(folder) / side, version.files())
        for name in ("json", "csv"):  # without a template, which takes ten times as long to make
            result = run_cli("-C", folder, "--skip-bad-pages", "-q", "-f", name, "old", "new")
            if result.status:
                lines = result.err.splitlines()
                assert result.status == 2
                assert result.out == ""
                assert lines
                assert all(line.startswith("snapdiff: error: ") for line in lines), result.err
                assert "internal fault" not in result.err
            elif name == "json":
                assert isinstance(json.loads(result.out), dict)


DOCUMENT_CHECKS = {name: document_check(name) for name in _KINDS}
"""The check of each kind of document, by the name of its door."""
