"""`snapdiff snapshot`: a mirror, a directory or a revision in, a folder of its documents out."""

import contextlib
import functools
import hashlib
import json
import os
import posixpath
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

import click
import msgspec

from snapdiff.buildcache_layout import BLOB, Manifest, blob_path, index_blob, mirror_folder
from snapdiff.catalog.loading import Catalog, load_catalog
from snapdiff.cli import options
from snapdiff.document_names import is_document, is_read
from snapdiff.errors import FormatError, SnapdiffError
from snapdiff.formats.kinds import DOCUMENTS
from snapdiff.limits import Limits
from snapdiff.output.streams import ProgressBar, say
from snapdiff.output.whole_files import errors_named, remove_remains, replaced_folder
from snapdiff.reports.names import counted
from snapdiff.safe_text import shown
from snapdiff.sources.download import Downloaded, decoded
from snapdiff.sources.mirror import open_mirror
from snapdiff.sources.names import is_mirror_address
from snapdiff.sources.source import Entry, Source, Validators, printable_path

RECORD = "snapdiff-snapshot.json"
"""The file that says what a snapshot is of. A folder without it is none."""


@click.command(
    epilog="""\b
Examples:
  snapdiff snapshot https://mirror.example/develop snapshots/2025-07-06
  snapdiff snapshot s3://bucket/develop snapshots/2025-07-06
  snapdiff snapshot https://site.example/data snapshots/2025-07-06
  snapdiff changelog snapshots                   what changed from day to day
"""
)
@click.argument("source", type=options.PATH)
@click.argument("folder", metavar="DIR", type=options.PATH)
@options.repository(help="Look SOURCE up in DIR.")
@options.max_size
@options.flag("-q", "--quiet", help="Say nothing where all is well, no progress.")
@options.verbose(help="Trace internal errors.", expose_value=False)
def snapshot(*, source: str, folder: str, repo: Path, limits: Limits, quiet: bool) -> int:
    """Keep the documents of SOURCE in DIR, as they are now and in their own layout.

    SOURCE is the URL of a mirror or of the site's data, or a directory or git revision. Where DIR
    is a snapshot of SOURCE, it is brought up to date; where nothing is new, nothing is written.
    """
    target = SnapshotFolder(Path(folder))
    with ProgressBar("documents", wanted=not quiet) as bar:
        if is_mirror_address(source):
            mirror = open_mirror(
                source, limits=limits, progress=bar.downloaded, kept=target.kept_files
            )
            catalog = Catalog(mirror)
        else:
            place = repo / source
            if os.path.isdir(place) and target.path.resolve().is_relative_to(place.resolve()):
                raise SnapdiffError(f"{target.path}: is in {place}; name a folder outside of it")
            catalog = load_catalog(source, repository=repo, limits=limits)
        written = target.update(catalog, bar)
    if not quiet and written:
        size = sum(document.size for document in written.values())
        say(f"{folder}: {counted(len(written), 'document')} with {size:,} bytes")
    elif not quiet:
        say(f"{folder}: nothing is new, nothing was written")
    return 0


def _documents(catalog: Catalog) -> list[Entry]:
    """Return the entries of a catalog that are documents; for some, only the content says so."""
    entries = list(catalog.source.entries())
    read = [entry for entry in entries if is_read(entry.path)]
    unsure = [entry for entry in read if not is_document(entry.path)]
    found = zip(unsure, catalog.read(unsure, DOCUMENTS), strict=True)
    others = {entry.path for entry, reading in found if reading is None}
    indexes = _index_blobs(catalog.source, read)
    others.update(it.path for it in entries if BLOB.fullmatch(it.path) and it.path not in indexes)
    return [entry for entry in entries if entry.path not in others]


def _index_blobs(source: Source, entries: Sequence[Entry]) -> set[str]:
    """Return the paths of the blobs that are indexes; all other blobs of a mirror are packages."""
    manifests = [entry for entry in entries if entry.path.endswith("/index.manifest.json")]
    found = set()
    for entry, content in zip(manifests, source.read(manifests), strict=True):
        if isinstance(content, bytes):
            with contextlib.suppress(FormatError):
                _, blob = index_blob(decoded(content, Manifest))
                found.add(posixpath.join(mirror_folder(entry.path) or "", blob_path(blob.checksum)))
    return found


# --- The folder ---


class DocumentRecord(msgspec.Struct, frozen=True, omit_defaults=True):
    """What is known of a document: its SHA-256 in hexadecimal, its size in bytes."""

    sha256: str
    size: int
    etag: str | None = None  # with this and the next, the server is asked whether it has changed
    last_modified: str | None = None


class SnapshotRecord(msgspec.Struct, frozen=True):
    """What a snapshot is of, when it was taken (ISO 8601), and its documents by path."""

    snapshot: Literal[1]
    source: str
    commit: str | None
    taken: str
    documents: dict[str, DocumentRecord]


class SnapshotFolder:
    """A folder that is a snapshot, or is to become one."""

    def __init__(self, path: Path) -> None:
        """Look at what is there; raises SnapdiffError where it is something else."""
        self.path = path
        self._target = path.resolve()
        remove_remains(self._target, self._check_own)
        self._record: SnapshotRecord | None = None
        if os.path.isdir(self._target):
            self._record = self._check_own(self._target)
        elif os.path.lexists(self._target):
            raise SnapdiffError(f"{path}: is a file, not a folder")
        elif not os.path.isdir(self._target.parent):
            raise SnapdiffError(f"{path}: there is no folder {path.parent}; make it first")

    @functools.cached_property
    def kept_files(self) -> dict[str, Downloaded]:
        """The documents that are there by path, as far as they are unharmed."""
        kept = {}
        for path, document in self._record.documents.items() if self._record else ():
            place = self._target / path
            with contextlib.suppress(OSError), open(place, "rb") as file:
                if hashlib.file_digest(file, "sha256").hexdigest() == document.sha256:
                    validators = Validators(document.etag, document.last_modified)
                    kept[path] = Downloaded(document.sha256, validators, place)
        return kept

    def update(self, catalog: Catalog, progress: ProgressBar) -> dict[str, DocumentRecord]:
        """Make the folder hold just the documents of a catalog; return these by path.

        `progress` is called with how many of how many documents were read. Returns nothing, and
        writes nothing, where it holds them already. Raises SnapdiffError where it is a snapshot of
        another source, and where a document cannot be read or written; it is then as it was.
        """
        source = catalog.source
        if self._record and self._record.source != source.origin:
            raise self._refused(f"is a snapshot of {shown(self._record.source)}")
        entries = _documents(catalog)
        if not entries:
            raise SnapdiffError(f"{source.name}: holds no document, so there is nothing to keep")
        documents = {}
        for path, content in _contents(source, entries):
            digest = hashlib.sha256(content).hexdigest()
            documents[path] = DocumentRecord(digest, len(content), *source.validators(path))
            progress(len(documents), len(entries))
        kept = {path: file.sha256 for path, file in self.kept_files.items()}
        if kept == {path: document.sha256 for path, document in documents.items()}:
            return {}
        taken = datetime.now(UTC).isoformat(timespec="seconds")
        commit = source.commit and source.commit.id
        record = SnapshotRecord(1, source.origin, commit, taken, documents)
        with errors_named(self.path), replaced_folder(self._target, self._check_own) as folder:
            # The library of the rest would not write a path that is no UTF-8.
            text = json.dumps(msgspec.to_builtins(record), indent=2) + "\n"
            _write(folder / RECORD, text.encode("ascii"))  # it says what may be removed again
            for path, content in _contents(source, entries):
                _write(folder / path, content)
        return documents

    def _check_own(self, folder: Path) -> SnapshotRecord | None:
        """Return the record of a folder, None of an empty one; raises SnapdiffError for others."""
        files: set[str] = set()  # and links, wherever they lead
        for place, folders, names in os.walk(folder):
            links = [name for name in folders if os.path.islink(os.path.join(place, name))]
            files.update(os.path.relpath(os.path.join(place, it), folder) for it in names + links)
        if files == {RECORD} and folder != self._target:
            return None  # a run was killed while it wrote the first of its files
        record = self._read_record(folder) if RECORD in files else None
        others = files - {RECORD, *(record.documents if record else ())}
        if others:
            other = shown(printable_path(min(others)))
            raise self._refused(f"holds {other}, which is of no snapshot")
        return record

    def _read_record(self, folder: Path) -> SnapshotRecord:
        try:
            found = json.loads((folder / RECORD).read_bytes())
            record = msgspec.convert(found, SnapshotRecord)
        except (OSError, ValueError, RecursionError, msgspec.ValidationError) as error:
            raise self._refused(f"{RECORD} in it cannot be read") from error
        for path in record.documents:
            _check_path(path)
        return record

    def _refused(self, reason: str) -> SnapdiffError:
        return SnapdiffError(f"{self.path}: {reason}; name another folder")


def _contents(source: Source, entries: Sequence[Entry]) -> Iterator[tuple[str, bytes]]:
    """Yield path and content of each document; raises SnapdiffError where one has none."""
    for entry, content in zip(entries, source.read(entries), strict=True):
        _check_path(entry.path)
        if isinstance(content, FormatError):
            raise _unreadable(entry.path, str(content))
        yield entry.path, content


def _check_path(path: str) -> None:
    """Raise SnapdiffError where a path would lead out of a folder, or is not to be written."""
    if "\0" in path or any(part in ("", ".", "..") for part in path.split("/")) or path == RECORD:
        raise _unreadable(path, "is no path that a snapshot can have")


def _unreadable(path: str, reason: str) -> SnapdiffError:
    return SnapdiffError(f"{shown(printable_path(path))}: {reason}; no snapshot was written")


def _write(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path, "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
