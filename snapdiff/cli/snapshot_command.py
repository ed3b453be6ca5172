"""`snapdiff snapshot`: a mirror, a directory or a revision in, a folder of its documents out."""

import os
from pathlib import Path

import click

from snapdiff.catalog.loading import Catalog
from snapdiff.catalog.reading import read_file
from snapdiff.cli.console import say
from snapdiff.cli.progress import ProgressBar
from snapdiff.cli.shared_options import max_size, verbose
from snapdiff.cli.snapshot_folder import SnapshotFolder, SnapshotRecord
from snapdiff.errors import SnapdiffError
from snapdiff.formats.registry import DOCUMENTS
from snapdiff.limits import limits_of
from snapdiff.sources.mirror import open_mirror
from snapdiff.sources.mirror_address import is_mirror_address
from snapdiff.sources.revisions import SourceOpener
from snapdiff.sources.source import Content, Entry, Source


@click.command(
    epilog="""\b
Examples:
  snapdiff snapshot https://mirror.example/develop snapshots/2025-07-06
  snapdiff snapshot s3://bucket/develop snapshots/2025-07-06
  snapdiff snapshot https://site.example/data snapshots/2025-07-06
  snapdiff changelog snapshots                   what changed from day to day
"""
)
@click.argument("source")
@click.argument("folder", metavar="DIR")
@click.option("-C", "--repo", default=".", metavar="PATH", help="Look SOURCE up in PATH.")
@max_size
@click.option("-q", "--quiet", is_flag=True, help="Say nothing where all is well, no progress.")
@verbose("Trace internal errors.", expose_value=False)
def snapshot(
    *,
    source: str,
    folder: str,
    repo: str,
    max_size: int | None,
    quiet: bool,
) -> int:
    """Keep the documents of SOURCE in DIR, as they are now and in their own layout.

    SOURCE is the URL of a mirror or of the site's data, or a directory or git revision. Where DIR
    is a snapshot of SOURCE, it is brought up to date; where nothing is new, nothing is written.
    """
    limits = limits_of(max_size)
    target = SnapshotFolder(Path(folder))
    with ProgressBar("documents", wanted=not quiet) as bar:
        if is_mirror_address(source):
            opened: Source = open_mirror(
                source, limits=limits, progress=bar.downloaded, kept=target.kept_files
            )
        else:
            _check_apart(Path(repo, source), target.path)
            opened = SourceOpener(Path(repo), wanted=DOCUMENTS, limits=limits).open(source)
        target.check(opened)
        written = target.update(opened, _documents(Catalog(opened, limits)), bar)
    if not quiet:
        say(f"{folder}: {_outcome(written)}")
    return 0


def _documents(catalog: Catalog) -> list[Entry]:
    """Return the entries of a catalog that are documents; for some, only the content says so."""
    source = catalog.source
    entries = list(source.entries())
    unsure = [entry for entry in entries if _depends_on_content(entry.path)]
    others = {
        entry.path
        for entry, content in zip(unsure, source.read(unsure), strict=True)
        if _is_none(catalog, entry, content)
    }
    return [entry for entry in entries if entry.path not in others]


def _is_none(catalog: Catalog, entry: Entry, content: Content) -> bool:
    """Return whether a file's content says that it is no document."""
    reader = DOCUMENTS.reader(entry.path, catalog.limits)
    return read_file(reader, entry.path, catalog.version(entry, content), "old") is None


def _depends_on_content(path: str) -> bool:
    return DOCUMENTS.is_read(path) and not DOCUMENTS.is_document(path)


def _check_apart(source: Path, folder: Path) -> None:
    """Raise SnapdiffError where a snapshot would become a part of what it is of."""
    if os.path.isdir(source) and folder.resolve().is_relative_to(source.resolve()):
        raise SnapdiffError(f"{folder}: is in {source}; name a folder outside of it")


def _outcome(written: SnapshotRecord | None) -> str:
    if written is None:
        return "nothing is new, nothing was written"
    number = len(written.documents)
    size = sum(document.size for document in written.documents.values())
    return f"{number:,} {'document' if number == 1 else 'documents'} with {size:,} bytes"
