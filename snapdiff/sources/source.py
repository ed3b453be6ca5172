"""What every source offers: files that may be documents, and their bytes."""

import functools
import os
import posixpath
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple, Protocol

from snapdiff.buildcache_layout import BLOB
from snapdiff.errors import FormatError
from snapdiff.limits import SETTINGS_SIZE, Limits, SizeLimit
from snapdiff.sources.names import EVERYWHERE, Paths

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


class Commit(NamedTuple):
    """A commit: its id, its date in ISO 8601, and its tree, or that of the catalog's folder in it.

    `subject` is the first line of its message, joined where it has several.
    """

    id: str
    date: str | None
    tree: str
    subject: str = ""


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


class Wanted(Protocol):
    """What is looked for. A path has `/` between its parts, as far as they are known."""

    names: str
    """The files that are read, in words, for an error that has to say so."""

    @property
    def inner_paths(self) -> Sequence[tuple[str, str]]:
        """Ends of paths that mean the folder around them, and what has to be in that."""

    def way_out(self, holds: Callable[[str], bool]) -> str:
        """Return what to do about a folder without a document; `holds` says what is in it."""

    def is_searched(self, folder: str) -> bool:
        """Return whether files are looked for in folders of this name."""

    def is_document(self, path: str) -> bool:
        """Return whether a file has to be readable, because it is called like a document."""

    def size_limit(self, path: str, limits: Limits) -> SizeLimit:
        """Return how large a file may be to be read."""

    def may_be_document(self, path: str) -> bool:
        """Return whether a file has to be looked at; every document is one of these."""


class Source:
    """One revision of a catalog, as bytes; it knows nothing of what they mean.

    A kind of source lists its files (`_list`) and reads one (`_content`). The rest has a plain
    answer here, which is right for every kind; some know a shorter way.
    """

    name: str
    """The revision as the user named it."""

    prefix: str = ""
    """The folders above the entries, as far as they are known; a path may be read with them."""

    folder: str = ""
    """The path of the folder from the top of its repository."""

    place: str = ""
    """What the paths of files begin with where others find them."""

    commit: Commit | None = None
    """The commit, where the source is one or a part of one."""

    paths: Paths = EVERYWHERE
    """The paths that the comparison is narrowed to."""

    file: str = ""
    """The one file that is taken of the folder, because the user named it; else it is empty."""

    called: str = ""
    plain: Callable[[bytes], bytes] = bytes
    """What that file is called here, and what makes of its bytes what others read.

    Two single files are two versions of one document, whatever their names and folders are: under
    the name that documents of their kind have in a catalog, they are found on both sides. `plain`
    raises FormatError.
    """

    view: str = ""
    """The manifest of the one index that is taken of a mirror, as if there were no other."""

    @property
    def is_part(self) -> bool:
        """Whether one file or one index is taken, and not all there is."""
        return bool(self.file or self.view)

    def take(self, file: str, name: str) -> None:
        """Take one file of the folder alone, which the user called `name`."""
        self.name, self.prefix = printable_path(name), ""
        self.file = self.called = file

    def _list(self) -> Iterable[Entry]:
        """Return every wanted file, in the order of their paths."""
        raise NotImplementedError

    def _content(self, entry: Entry) -> bytes:
        """Return the content of a file; raises FormatError."""
        raise NotImplementedError

    @functools.cached_property
    def _listed(self) -> dict[str, Entry]:
        return {entry.path: entry for entry in self._list()}

    def _files(self, folder: str) -> Iterator[Entry]:
        for entry in self._listed.values():
            if not folder or entry.path.startswith(f"{folder}/"):
                yield entry

    def _find(self, path: str) -> Entry | None:
        return self._listed.get(path)

    def _read(self, entries: Iterable[Entry]) -> Iterator[Content]:
        for entry in entries:
            try:
                yield FormatError(entry.fault) if entry.fault else self._content(entry)
            except FormatError as error:
                yield error

    def _settings_in(self, folder: str) -> SettingsFile | None:  # noqa: ARG002 - kinds do
        """Return the configuration file in a folder, by its path from the top, or None."""
        return None

    def files(self, folder: str = "") -> Iterator[Entry]:
        """Yield every wanted file below a folder, in the order of their paths."""
        if self.file:
            found = None if folder else self.find(self.called)
            return iter([found] if found else [])
        files = self._files(folder)
        return (entry for entry in files if self._is_in_view(entry.path)) if self.view else files

    def entries(self, folder: str = "") -> Iterator[Entry]:
        """Yield those of the files that the comparison is narrowed to."""
        if self.paths is EVERYWHERE:
            return self.files(folder)
        return (entry for entry in self.files(folder) if self.paths.has(entry.path))

    def find(self, path: str) -> Entry | None:
        """Return the file with this path, or None; the comparison may be narrowed to others."""
        if self.file:
            found = self._find(self.file) if path == self.called else None
            return found and found._replace(path=path)
        return None if self.view and not self._is_in_view(path) else self._find(path)

    def _is_in_view(self, path: str) -> bool:
        return path == self.view or BLOB.fullmatch(path) is not None

    def holds(self, path: str) -> bool:
        """Return whether a file or a folder with this path is here, as far as that is known."""
        return self._find(path) is not None

    def read(self, entries: Iterable[Entry]) -> Iterator[Content]:
        """Yield the content of each entry, in the order given."""
        return map(self.plain_content, self._read(map(self.in_folder, entries)))

    def in_folder(self, entry: Entry) -> Entry:
        """Return an entry under the path that it has in the folder."""
        return entry._replace(path=self.file) if self.file else entry

    def plain_content(self, content: Content) -> Content:
        """Return what others read, of what the folder has."""
        try:
            return content if isinstance(content, FormatError) else self.plain(content)
        except FormatError as error:
            return error

    def read_both(self, new: "Source", pairs: Sequence[EntryPair]) -> Iterator[ContentPair]:
        """Yield old and new content of each pair, in the order given; the old source is this."""
        old_contents = self.read(entry for entry, _ in pairs if entry)
        new_contents = new.read(entry for _, entry in pairs if entry)
        for before, after in pairs:
            yield next(old_contents) if before else None, next(new_contents) if after else None

    def content(self, path: str) -> Content | None:
        """Return the content of the file with this path, or None where there is none."""
        entry = self.find(path)
        return next(self.read([entry])) if entry else None

    def location(self, entry: Entry) -> str:
        """Return where others find a file: from the top of the repository, or as it was named."""
        return joined_path(self.place, self.in_folder(entry).path)

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

    def settings_file(self) -> SettingsFile | None:
        """Return the configuration file of the folder, or else the nearest one above it, or None.

        Raises RevisionError where git has not got it, as a partial clone may.
        """
        for above in folders_upwards(self.folder):
            if found := self._settings_in(above):
                return found._replace(is_of_more=above != self.folder or bool(self.file))
        return None


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
