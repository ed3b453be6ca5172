"""What every source offers: files that may be documents, and their bytes; and a part of one."""

import functools
import os
import posixpath
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from snapdiff.buildcache_layout import BLOB, view_path
from snapdiff.errors import FormatError
from snapdiff.limits import SETTINGS_SIZE
from snapdiff.sources.wanted import EVERYWHERE, Paths

Content = bytes | FormatError
"""What a source hands over for an entry: its bytes, or why there are none."""

EntryPair = tuple["Entry | None", "Entry | None"]
"""The entries of one path on both sides; None where there is no such file."""

ContentPair = tuple[Content | None, Content | None]
"""What both sides hand over for a path."""

SETTINGS_FILE = ".snapdiff.toml"
"""What the configuration file of a catalog is called."""

SETTINGS_BYTES = SETTINGS_SIZE + 1
"""How much is read of it: one byte more than it may have shows that it has too many."""

IS_A_LINK = "is a symbolic link, and links are not followed"
NOT_A_FILE = "is not a regular file"


class Entry(NamedTuple):
    """A file that may be a document.

    `path` is relative to the source, with `/` between its parts. `content_id` is equal for equal
    contents (git's object id), or None where only reading shows that. `fault` says why the file is
    not to be read, if so.
    """

    path: str
    content_id: str | None
    fault: str | None = None


class SettingsFile(NamedTuple):
    """A configuration file: `place` is how a user would name it, `HEAD~1:.snapdiff.toml`.

    Of one that is too large, `content` is the beginning. `is_of_more` says that it speaks of
    more than the source has: it is in a folder above that, or beside a single file.
    """

    place: str
    content: Content
    is_of_more: bool = False


class Validators(NamedTuple):
    """What a server sends with a file, to be asked later whether the file has changed."""

    etag: str | None = None
    last_modified: str | None = None


class Source:
    """One revision of a catalog, as bytes; it knows nothing of what they mean.

    A kind of source lists its files (`_list`) and reads one (`_content`). The rest has a plain
    answer here, which is right for every kind; some know a shorter way.
    """

    name: str
    """The revision as the user named it."""

    prefix: str = ""
    """The folders above the entries, as far as they are known; a path may be read with them."""

    commit: str | None = None
    """The full object id of the commit, where the source is one."""

    date: str | None = None
    """The committer's date in ISO 8601, where the source is a commit."""

    subject: str = ""
    """The first line of the commit's message, where the source is a commit."""

    is_file: bool = False
    """Whether the source is one file that was named itself; it may have any name."""

    paths: Paths = EVERYWHERE
    """The paths that the comparison is narrowed to."""

    def _list(self) -> Iterable[Entry]:
        """Return every wanted file, in the order of their paths."""
        raise NotImplementedError

    def _content(self, entry: Entry) -> bytes:
        """Return the content of a file; raises FormatError."""
        raise NotImplementedError

    @functools.cached_property
    def _listed(self) -> list[Entry]:
        return list(self._list())

    def files(self, folder: str = "") -> Iterator[Entry]:
        """Yield every wanted file below a folder, in the order of their paths."""
        for entry in self._listed:
            if not folder or entry.path.startswith(f"{folder}/"):
                yield entry

    def read(self, entries: Iterable[Entry]) -> Iterator[Content]:
        """Yield the content of each entry, in the order given."""
        for entry in entries:
            try:
                yield FormatError(entry.fault) if entry.fault else self._content(entry)
            except FormatError as error:
                yield error

    def entries(self, folder: str = "") -> Iterator[Entry]:
        """Yield those of the files that the comparison is narrowed to."""
        if self.paths is EVERYWHERE:
            return self.files(folder)
        return (entry for entry in self.files(folder) if self.paths.has(entry.path))

    @functools.cached_property
    def _by_path(self) -> dict[str, Entry]:
        return {entry.path: entry for entry in self.files()}

    def find(self, path: str) -> Entry | None:
        """Return the file with this path, or None; the comparison may be narrowed to others."""
        return self._by_path.get(path)

    def holds(self, path: str) -> bool:
        """Return whether a file or a folder with this path is here, as far as that is known."""
        return self.find(path) is not None

    def content(self, path: str) -> Content | None:
        """Return the content of the file with this path, or None where there is none."""
        entry = self.find(path)
        return next(iter(self.read([entry]))) if entry else None

    def location(self, entry: Entry) -> str:
        """Return where others find a file: from the top of the repository, or as it was named."""
        return joined_path(self.name, entry.path)

    def read_both(self, new: "Source", pairs: Sequence[EntryPair]) -> Iterator[ContentPair]:
        """Yield old and new content of each pair, in the order given; the old source is this."""
        old_contents = self.read(entry for entry, _ in pairs if entry)
        new_contents = new.read(entry for _, entry in pairs if entry)
        for before, after in pairs:
            yield next(old_contents) if before else None, next(new_contents) if after else None

    def changed_entries(self, new: "Source") -> list[EntryPair]:
        """Return old and new entries by path, less those whose content ids say they are equal."""
        old_entries = {entry.path: entry for entry in self.entries()}
        new_entries = {entry.path: entry for entry in new.entries()}
        pairs = []
        for path in sorted(old_entries.keys() | new_entries.keys()):
            before, after = old_entries.get(path), new_entries.get(path)
            if before and after and before.content_id and before.content_id == after.content_id:
                continue
            pairs.append((before, after))
        return pairs

    def changed_submodules(self, new: "Source") -> list[str]:  # noqa: ARG002 - git knows
        """Return the submodules that differ, by path: they are not looked into."""
        return []

    def validators(self, path: str) -> Validators:  # noqa: ARG002 - kinds do
        """Return what a server gave with a document that was read."""
        return Validators()

    def settings_file(self, folder: str = "") -> SettingsFile | None:  # noqa: ARG002 - kinds do
        """Return the configuration file that counts for a folder of this catalog, or None."""
        return None


class Part(Source):
    """A folder of a source, by the paths in it; or one file of it, under any name.

    Two single files are two versions of one document, whatever their names and folders are: under
    the name that documents of their kind have in a catalog, they are found on both sides.
    """

    def __init__(
        self,
        source: Source,
        path: str,
        name: str,
        *,
        called: str = "",
        plain: Callable[[bytes], bytes] = bytes,
    ) -> None:
        """Take the path in the source, and what the user calls it.

        Of a file, `called` is the name that it has here, and `plain` makes of its bytes what others
        read; it raises FormatError.
        """
        self.name = name
        self.commit, self.date, self.subject = source.commit, source.date, source.subject
        self.is_file = bool(called)
        self.path = path
        self.folder = path.rpartition("/")[0] if called else path
        self.prefix = "" if called else printable_path(path)
        self.source = source
        self._called = called
        self._plain = plain

    def renamed(self, called: str, plain: Callable[[bytes], bytes]) -> "Part":
        """Return the same file under another name, and what `plain` makes of its bytes."""
        return Part(self.source, self.path, self.name, called=called, plain=plain)

    def _inside(self, path: str) -> str:
        return self.path if self.is_file else joined(self.path, path)

    def files(self, folder: str = "") -> Iterator[Entry]:
        """Yield every wanted file below a folder; the single file, whatever it is called."""
        if not self.is_file:
            for entry in self.source.files(joined(self.path, folder)):
                yield entry._replace(path=entry.path.removeprefix(f"{self.path}/"))
        elif not folder and (found := self.find(self._called)):
            yield found

    def find(self, path: str) -> Entry | None:
        """Return the file with this path, or None."""
        if self.is_file and path != self._called:
            return None
        found = self.source.find(self._inside(path))
        return found and found._replace(path=path)

    def holds(self, path: str) -> bool:
        """Return whether a file or a folder with this path is here."""
        return not self.is_file and self.source.holds(joined(self.path, path))

    def read(self, entries: Iterable[Entry]) -> Iterator[Content]:
        """Yield the content of each entry, in the order given."""
        return map(self.plain_content, self.source.read(map(self.entry_within, entries)))

    def read_both(self, new: Source, pairs: Sequence[EntryPair]) -> Iterator[ContentPair]:
        """Yield old and new content of each pair; parts of sources are read as these are."""
        if not isinstance(new, Part):
            yield from super().read_both(new, pairs)
            return
        inner = [
            (old and self.entry_within(old), entry and new.entry_within(entry))
            for old, entry in pairs
        ]
        for before, after in self.source.read_both(new.source, inner):
            yield (
                None if before is None else self.plain_content(before),
                None if after is None else new.plain_content(after),
            )

    def plain_content(self, content: Content) -> Content:
        """Return what others read, of what the source hands over."""
        try:
            return content if isinstance(content, FormatError) else self._plain(content)
        except FormatError as error:
            return error

    def entry_within(self, entry: Entry) -> Entry:
        """Return the entry as the source has it that this is a part of."""
        return entry._replace(path=self._inside(entry.path))

    def location(self, entry: Entry) -> str:
        """Return where others find a file, under its own name."""
        return self.source.location(self.entry_within(entry))

    def changed_submodules(self, new: Source) -> list[str]:
        """Return those that differ, as the revision on the other side knows them."""
        return [] if isinstance(new, Part) else new.changed_submodules(self)

    def settings_file(self, folder: str = "") -> SettingsFile | None:
        """Return the configuration file that counts for the part, or None."""
        found = self.source.settings_file(joined(self.folder, folder))
        return found._replace(is_of_more=True) if found and self.is_file else found


class View(Part):
    """A view of a mirror: an index of some of its specs, as if there were no other."""

    def __init__(self, mirror: Source, view: str, name: str) -> None:
        super().__init__(mirror, "", name)
        self._manifest = view_path(view)

    def files(self, folder: str = "") -> Iterator[Entry]:
        """Yield the manifest of the view, and the blobs of the mirror."""
        return (entry for entry in super().files(folder) if self._has(entry.path))

    def find(self, path: str) -> Entry | None:
        """Return the file with this path, or None."""
        return super().find(path) if self._has(path) else None

    def _has(self, path: str) -> bool:
        return path == self._manifest or BLOB.fullmatch(path) is not None


def joined(folder: str, path: str) -> str:
    """Return the path of something in a folder; either may be empty."""
    return f"{folder}/{path}" if folder and path else folder or path


def joined_path(folder: str, path: str) -> str:
    """Return the path of a file in a folder, without what means nothing, such as `./`."""
    return printable_path(posixpath.normpath(posixpath.join(folder, path)))


def folders_upwards(folder: str) -> list[str]:
    """Return a folder of a repository and those above it, the nearest first.

    >>> folders_upwards("a/b")
    ['a/b', 'a', '']
    """
    parts = folder.split("/") if folder else []
    return ["/".join(parts[:length]) for length in range(len(parts), -1, -1)]


def printable_path(path: str) -> str:
    r"""Return a path as text that can be encoded: a byte that is not UTF-8 becomes `\xff`."""
    return path if path.isascii() else os.fsencode(path).decode("utf-8", "backslashreplace")
