"""What every source offers: entries that may be pages, and their bytes."""

import os
import posixpath
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple, Protocol

from snapdiff.errors import FormatError

Content = bytes | FormatError
"""What a source hands over for an entry: its bytes, or why there are none."""

EntryPair = tuple["Entry | None", "Entry | None"]
"""The entries of one path on both sides; None where there is no such file."""

ContentPair = tuple[Content | None, Content | None]
"""What both sides hand over for a path."""

SETTINGS_FILE = ".snapdiff.toml"
"""What the configuration file of a catalog is called."""

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


class Source(Protocol):
    """One revision of a catalog, as bytes; it knows nothing of what they mean."""

    name: str
    """The revision as the user named it."""

    prefix: str
    """The folders above the entries, as far as they are known; a path may be read with them."""

    commit: str | None
    """The full object id of the commit, where the source is one."""

    date: str | None
    """The committer's date in ISO 8601, where the source is a commit."""

    is_file: bool
    """Whether the source is one file that was named itself; it may have any name."""

    def entries(self, folder: str = "") -> Iterator[Entry]:
        """Yield every wanted file below a folder, in the order of their paths."""
        ...

    def location(self, entry: Entry) -> str:
        """Return where others find a file: from the top of the repository, or as it was named."""
        ...

    def find(self, path: str) -> Entry | None:
        """Return the wanted file with this path, or None."""
        ...

    def read(self, entries: Iterable[Entry]) -> Iterator[Content]:
        """Yield the content of each entry, in the order given."""
        ...

    def read_both(self, new: "Source", pairs: Sequence[EntryPair]) -> Iterator[ContentPair]:
        """Yield old and new content of each pair, in the order given; the old source is this."""
        ...

    def changed_entries(self, new: "Source") -> list[EntryPair] | None:
        """Return old and new entries that differ, or None where both have to be read."""
        ...

    def settings_file(self) -> SettingsFile | None:
        """Return the configuration file that counts for this catalog, or None."""
        ...


def joined_path(folder: str, path: str) -> str:
    """Return the path of a file in a folder, without what means nothing, such as `./`."""
    return printable_path(posixpath.normpath(posixpath.join(folder, path)))


def find_entry(entries: Iterable[Entry], path: str) -> Entry | None:
    """Return the one of some files that has this path, or None."""
    return next((entry for entry in entries if entry.path == path), None)


def read_side_by_side(
    old: Source, new: Source, pairs: Sequence[EntryPair]
) -> Iterator[ContentPair]:
    """Yield old and new content of each pair, each side read by its own source."""
    old_contents = old.read(entry for entry, _ in pairs if entry)
    new_contents = new.read(entry for _, entry in pairs if entry)
    for before, after in pairs:
        yield next(old_contents) if before else None, next(new_contents) if after else None


def pair_entries(old: Source, new: Source) -> list[EntryPair]:
    """Return the entries of both sources by path, less those whose content ids are equal."""
    old_entries = {entry.path: entry for entry in old.entries()}
    new_entries = {entry.path: entry for entry in new.entries()}
    pairs = []
    for path in sorted(old_entries.keys() | new_entries.keys()):
        before, after = old_entries.get(path), new_entries.get(path)
        if before and after and before.content_id and before.content_id == after.content_id:
            continue
        pairs.append((before, after))
    return pairs


def printable_path(path: str) -> str:
    r"""Return a path as text that can be encoded: a byte that is not UTF-8 becomes `\xff`."""
    if path.isascii():
        return path
    return os.fsencode(path).decode("utf-8", "backslashreplace")
