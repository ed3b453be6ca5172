"""Two catalogs file by file: what differs is read, what does not is counted where asked."""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import Protocol

from snapdiff.catalog.counting import CountedFiles
from snapdiff.catalog.loading import Catalog
from snapdiff.catalog.reading import Counting, FilePair, count_file, read_pair
from snapdiff.errors import RevisionError
from snapdiff.filters import Scope
from snapdiff.formats import files_read, format_of
from snapdiff.formats.base import CountedDocument
from snapdiff.sources.base import Entry, pair_entries, printable_path

Progress = Callable[[int, int], None]
"""Is called with how many of how many steps are done."""


class ComparedFiles(Protocol):
    """Two revisions, file by file."""

    prefixes: tuple[str, str]
    """The folders above the files of the old and the new side, as far as they are known."""

    def changed(self) -> Iterator[FilePair]:
        """Yield every file whose content differs between the two, or that one side only has."""
        ...

    def samples(self, changed: Collection[str]) -> dict[str, CountedDocument]:
        """Return of each tag's folder one document that is the same on both sides."""
        ...

    def count_folders(
        self, folders: Collection[str], changed: Collection[str], scope: Scope
    ) -> list[CountedFiles]:
        """Return the counts of the files below each folder, less those that differ."""
        ...

    def require_documents(self) -> None:
        """Raise RevisionError where a side has not a single document."""
        ...


class RevisionPair:
    """Two catalogs as `ComparedFiles`."""

    def __init__(
        self, old: Catalog, new: Catalog, progress: Progress = lambda _done, _all: None
    ) -> None:
        """Take the two catalogs; nothing is read yet. `progress` is told of each file compared."""
        self._old = old
        self._new = new
        self._progress = progress
        self.prefixes = (old.source.prefix, new.source.prefix)

    def changed(self) -> Iterator[FilePair]:
        """Yield every file whose content differs between the two, or that one side only has."""
        known = self._old.source.changed_entries(self._new.source)
        pairs = known if known is not None else pair_entries(self._old.source, self._new.source)
        contents = self._old.source.read_both(self._new.source, pairs)
        for done, ((old, new), (before, after)) in enumerate(zip(pairs, contents, strict=True)):
            self._progress(done, len(pairs))
            if isinstance(before, bytes) and before == after:
                continue
            yield read_pair(
                printable_path((old or new or NO_ENTRY).path),
                self._old.version(old, before) if old and before is not None else None,
                self._new.version(new, after) if new and after is not None else None,
                self._new.limits,
            )

    def samples(self, changed: Collection[str]) -> dict[str, CountedDocument]:
        """Return of each tag's folder one document that is the same on both sides."""
        return sample_folders(self._new.source.entries(), changed, self._count)

    def count_folders(
        self, folders: Collection[str], changed: Collection[str], scope: Scope
    ) -> list[CountedFiles]:
        """Return the counts of the files below each folder, less those that differ."""
        found = []
        for folder in topmost(folders):
            entries = unchanged_documents(self._new.source.entries(folder), changed)
            counted = CountedFiles(scope)
            for entry, counting in zip(entries, self._count(entries), strict=True):
                counted.put(printable_path(entry.path), counting)
            found.append(counted)
        return found

    def _count(self, entries: Sequence[Entry]) -> Iterator[Counting]:
        contents = self._new.source.read(entries)
        for entry, content in zip(entries, contents, strict=True):
            version = self._old.version(entry, content)
            yield count_file(printable_path(entry.path), version, self._new.limits)

    def require_documents(self) -> None:
        """Raise RevisionError where a side has not a single document."""
        for catalog in (self._old, self._new):
            if not has_document(catalog):
                raise RevisionError(
                    f"{catalog.source.name}: holds no catalog page ({files_read()}); "
                    "name a folder that does, or pass --allow-empty"
                )


NO_ENTRY = Entry("", None)


def is_possible(path: str) -> bool:
    """Return whether a file may be a document, as far as its name tells."""
    return format_of(path) is not None


def tag_folder(path: str, tag: str | None = None) -> str:
    """Return a folder that holds the other documents of a document's tag.

    It is the one above the package's, whatever it is called; where a folder above that has the
    tag's name (`develop/h/hdf5/specs.md`), it is that one: its documents may be at any depth.
    """
    kind = format_of(path)
    assert kind is not None, path
    folder = kind.tag_folder(path)
    parts = folder.split("/")
    return "/".join(parts[: parts.index(tag) + 1]) if tag in parts else folder


def topmost(folders: Iterable[str]) -> list[str]:
    """Return the folders less those that are within another one, in order."""
    found: list[str] = []
    for folder in sorted(set(folders), key=lambda name: name.count("/") if name else -1):
        if not any(is_within(folder, other) for other in found):
            found.append(folder)
    return sorted(found)


def is_within(path: str, folder: str) -> bool:
    """Return whether a path is in a folder, at any depth, or the folder itself."""
    return not folder or path == folder or path.startswith(f"{folder}/")


def unchanged_documents(entries: Iterable[Entry], changed: Collection[str]) -> list[Entry]:
    """Return which of the files may be documents and are not among `changed`."""
    return [
        entry
        for entry in entries
        if is_possible(entry.path) and printable_path(entry.path) not in changed
    ]


def sample_folders(
    entries: Iterable[Entry],
    changed: Collection[str],
    count: Callable[[Sequence[Entry]], Iterator[Counting]],
) -> dict[str, CountedDocument]:
    """Return of each tag's folder one document that is not among `changed`."""
    candidates: dict[str, list[Entry]] = {}
    for entry in unchanged_documents(entries, changed):
        candidates.setdefault(tag_folder(entry.path), []).append(entry)
    found: dict[str, CountedDocument] = {}
    for position in range(max(map(len, candidates.values()), default=0)):
        # One file of each folder at a time: nearly always the first is a document.
        left = [
            folder
            for folder, files in candidates.items()
            if folder not in found and position < len(files)
        ]
        counted = zip(left, count([candidates[folder][position] for folder in left]), strict=True)
        found.update((folder, it) for folder, it in counted if isinstance(it, CountedDocument))
    return found


def has_document(catalog: Catalog) -> bool:
    """Return whether a catalog has a document, or what should be one."""
    for entry in catalog.source.entries():
        kind = format_of(entry.path)
        if kind and kind.is_named(entry.path):
            return True
    return any(True for _ in catalog.packages())
