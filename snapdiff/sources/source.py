"""What every source offers: files that may be documents, and their bytes."""

import copy
import functools
import os
import posixpath
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from operator import attrgetter
from typing import NamedTuple, Self

from snapdiff.buildcache_layout import BLOB
from snapdiff.document_names import is_document, is_searched, may_be_document
from snapdiff.errors import FormatError, RevisionError
from snapdiff.limits import DEFAULT_LIMITS, SETTINGS_SIZE, Limits
from snapdiff.sources.names import EVERYWHERE, Paths, folders_upwards

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
IN_A_LINK = "is in a folder that is a symbolic link, and links are not followed"
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

    @property
    def is_wanted(self) -> bool:
        """Whether it is to be listed, by its name and those of the folders above."""
        # Of what cannot be read, only a document is missed.
        has_name = is_document if self.fault else may_be_document
        return has_name(self.path) and _is_searched(self.path.rpartition("/")[0])


@functools.lru_cache(maxsize=4096)
def _is_searched(folder: str) -> bool:
    return all(map(is_searched, folder.split("/")))


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

    Of one that is too large, `content` is the beginning.
    """

    place: str
    content: Content


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

    folder: str = ""
    """The path of the folder from the top of its repository."""

    place: str = ""
    """What the paths of files begin with where others find them."""

    commit: Commit | None = None
    """The commit, where the source is one or a part of one."""

    paths: Paths = EVERYWHERE
    """The paths that the comparison is narrowed to."""

    limits: Limits = DEFAULT_LIMITS
    """How much is taken of it."""

    _above: str = ""
    """What names of files from the top begin with for the user, such as `HEAD~1:`."""

    _whole: "Source | None" = None

    @property
    def whole(self) -> "Source":
        """The source that this is a part of, or else itself."""
        return self._whole or self

    @property
    def origin(self) -> str:
        """What it is, wherever the user is and however he names it."""
        return self.name

    def narrowed(self, paths: Paths) -> Self:
        """Return the same source in a comparison that is narrowed to some paths."""
        other = copy.copy(self)
        other.paths = paths
        return other

    def _list(self) -> Iterable[Entry]:
        """Return every wanted file in any order; of two with one path, the later counts."""
        raise NotImplementedError

    def _content(self, entry: Entry) -> bytes:
        """Return the content of a file; raises FormatError."""
        raise NotImplementedError

    @functools.cached_property
    def _listed(self) -> dict[str, Entry]:
        return {entry.path: entry for entry in sorted(self._list(), key=attrgetter("path"))}

    @functools.cached_property
    def _paths(self) -> list[str]:
        return list(self._listed)  # sorted: those below a folder are next to one another

    def files(self, folder: str = "") -> Iterator[Entry]:
        """Yield every wanted file below a folder, in the order of their paths."""
        if not folder:
            return iter(self._listed.values())
        first, end = (bisect_left(self._paths, folder + end) for end in "/0")  # 0 comes after /
        return map(self._listed.__getitem__, self._paths[first:end])

    def entries(self, folder: str = "") -> Iterator[Entry]:
        """Yield those of the files that the comparison is narrowed to."""
        if self.paths is EVERYWHERE:
            return self.files(folder)
        return (entry for entry in self.files(folder) if self.paths.has(entry.path))

    def find(self, path: str) -> Entry | None:
        """Return the file with this path, or None; the comparison may be narrowed to others."""
        return self._listed.get(path)

    def holds(self, path: str) -> bool:
        """Return whether a file or a folder with this path is here, as far as that is known."""
        return self.find(path) is not None

    def why_not_there(self, path: str) -> str:  # noqa: ARG002 - kinds with folders do
        """Return what is in the place of a file of the other side, or nothing where nothing is."""
        return ""

    def read(self, entries: Iterable[Entry]) -> Iterator[Content]:
        """Yield the content of each entry, in the order given."""
        for entry in entries:
            try:
                yield FormatError(entry.fault) if entry.fault else self._content(entry)
            except FormatError as error:
                yield error

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
        return printable_path(posixpath.normpath(posixpath.join(self.place, entry.path)))

    def changed_entries(self, new: "Source") -> list[EntryPair]:
        """Return old and new entries by path, less those whose content ids say they are equal."""
        before, after = ({it.path: it for it in source.entries()} for source in (self, new))
        found = []
        for pair in ((before.get(path), after.get(path)) for path in sorted(before | after)):
            content_ids = {entry and entry.content_id for entry in pair}
            if len(content_ids) > 1 or None in content_ids:
                found.append(pair)
        return found

    def changed_submodules(self, new: "Source") -> list[str]:  # noqa: ARG002 - git knows
        """Return the submodules that differ, by path: they are not looked into."""
        return []

    def submodule_around(self, path: str) -> str:  # noqa: ARG002 - git knows
        """Return the submodule that a path is, or leads into; nothing where it is none."""
        return ""

    def validators(self, path: str) -> Validators:  # noqa: ARG002 - kinds do
        """Return what a server gave with a document that was read."""
        return Validators()

    def _beginning(self, path: str, most: int) -> Content | None:  # noqa: ARG002 - kinds do
        """Return the first bytes of a file by its path from the top, or None; no link counts."""
        return None

    def settings_file(self) -> SettingsFile | None:
        """Return the configuration file of the folder, or else the nearest one above it, or None.

        Raises RevisionError where git has not got it, as a partial clone may.
        """
        for folder in folders_upwards(self.folder):
            path = join_path(folder, SETTINGS_FILE)
            content = self._beginning(path, SETTINGS_BYTES)
            if content is not None:
                return SettingsFile(f"{self._above}{printable_path(path)}", content)
        return None


def is_submodule(path: str, where: str = "") -> RevisionError:
    """Return the error that a path is a submodule, `where` in a revision."""
    message = "what is in it is of another repository: run snapdiff there, or with -C"
    return RevisionError(f"{path}: is a submodule{where}; {message}")


def join_path(folder: str, path: str) -> str:
    """Return the path of something in a folder; either may be empty."""
    return f"{folder}/{path}" if folder and path else folder or path


def printable_path(path: str) -> str:
    r"""Return a path as text that can be encoded: a byte that is not UTF-8 becomes `\xff`."""
    return path if path.isascii() else os.fsencode(path).decode("utf-8", "backslashreplace")


# --- What a user names of a source ---


class _Part(Source):
    """A part of another source, a file that the user called `name`; nothing else is there."""

    def __init__(self, whole: Source, file: str, name: str) -> None:
        self._whole = whole
        self.file = file
        self.name = printable_path(name)
        self.folder = whole.folder
        self.commit = whole.commit
        self.limits = whole.limits

    @property
    def origin(self) -> str:
        """What it is: a file of the whole."""
        return f"{self.whole.origin}/{printable_path(self.file)}"

    def holds(self, path: str) -> bool:
        """Return whether a file or a folder with this path is in the whole."""
        return self.whole.holds(path)

    def read(self, entries: Iterable[Entry]) -> Iterator[Content]:
        """Yield the content of each entry, in the order given."""
        return self.whole.read(entries)

    def location(self, entry: Entry) -> str:
        """Return where others find a file."""
        return self.whole.location(entry)

    def settings_file(self) -> SettingsFile | None:
        """Return the configuration file of the whole."""
        return self.whole.settings_file()


class SingleFile(_Part):
    """The one file of a folder that the user named.

    Two single files are two versions of one document, whatever their names and folders are: under
    the name that documents of their kind have in a catalog, they are found on both sides.
    """

    called = ""
    """What it is called here, where that is another name."""

    plain_content: bytes | None = None
    """What others read of it, where that is not what the folder has."""

    def known_as(self, called: str, content: bytes) -> Self:
        """Return the same file under another name, and with a content that was made of its own."""
        other = type(self)(self.whole, self.file, self.name)
        other.called, other.plain_content = called, content
        return other

    def _list(self) -> list[Entry]:
        found = self.whole.find(self.file)
        return [found._replace(path=self.called or self.file)] if found else []

    def read(self, entries: Iterable[Entry]) -> Iterator[Content]:
        """Yield the content of the file, which is read at once: git is free for another then."""
        own = [entry._replace(path=self.file) for entry in entries]
        if self.plain_content is not None:
            return iter([self.plain_content] * len(own))
        return iter(list(super().read(own)))

    def location(self, entry: Entry) -> str:
        """Return where others find the file."""
        return super().location(entry._replace(path=self.file))


class IndexView(_Part):
    """The one index that is taken of a mirror, by its manifest, as if there were no other."""

    def _list(self) -> list[Entry]:
        files = self.whole.files()
        return [it for it in files if it.path == self.file or BLOB.fullmatch(it.path)]
