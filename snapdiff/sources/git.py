"""A git revision, or a folder or a file in one, as a source: read as objects."""

import re
from collections.abc import Iterable, Iterator, Sequence

from snapdiff.errors import FormatError, RevisionError
from snapdiff.sources.base import (
    SETTINGS_FILE,
    Content,
    ContentPair,
    Entry,
    EntryPair,
    SettingsFile,
    Source,
    find_entry,
    joined_path,
    pair_entries,
    printable_path,
    read_side_by_side,
)
from snapdiff.sources.git_objects import Objects, commit_date, missing_object
from snapdiff.sources.repository import Repository, TreeFile
from snapdiff.sources.settings_file import MOST_BYTES, folders_upwards, path_in

REVISION_AND_PATH = re.compile(r"^((?:[^{}:]|\{[^}]*\})+):(.*)$", re.DOTALL)
"""What `REV:PATH` is made of; a colon in braces, as in `HEAD@{12:00}`, belongs to the revision."""


class GitSource:
    """The wanted files of a revision or of a folder in one, or one file of it."""

    def __init__(self, repository: Repository, revision: str) -> None:
        """Resolve `revision`: anything `git rev-parse` takes, or `REV:PATH`.

        Raises RevisionError where it names no commit, no folder and no file that is read.
        """
        parts = REVISION_AND_PATH.match(revision)
        self.name = printable_path(revision)
        self._revision = printable_path(parts[1] if parts else revision)
        self.repository = repository
        path = repository.full_path(parts[2]) if parts else ""
        with repository.objects() as objects:
            # One name is looked up once: a branch can move on between two questions.
            head = objects.look_up(parts[1]) if parts else objects.look_up(revision)
            base = head.object_id if head else ""
            found = objects.look_up(f"{base}:{parts[2]}") if head and parts else head
            if found is None:
                raise _not_found(repository, revision, parts if head else None)
            commit = objects.look_up(f"{base}^{{commit}}")
            self.is_file = found.kind == "blob"
            if self.is_file:
                self.folder, _, self._file = path.rpartition("/")
                # What is in the index (`:PATH`) or has no path at all is in no folder.
                tree = objects.look_up(f"{base}:{self.folder}") if parts else None
            else:
                self.folder, self._file = path, ""
                tree = objects.look_up(f"{found.object_id}^{{tree}}")
            self._configured = _with_settings_file(objects, base, self.folder)
        if tree is None and self.is_file:
            raise RevisionError(f"{revision}: is a file without a folder; write REV:PATH")
        if tree is None and commit:
            raise missing_object(revision, f"the tree of commit {commit.object_id}")
        if tree is None:
            raise RevisionError(f"{revision}: is a {found.kind} that leads to no folder")
        self.prefix = printable_path(self.folder)
        self.commit = commit.object_id if commit else None
        self.date = commit_date(commit.content) if commit else None
        self.tree = tree.object_id
        self.path = path
        self._base = base

    def entries(self, folder: str = "") -> Iterator[Entry]:
        """Yield every wanted file below a folder, in the order of their paths."""
        if not self.is_file:
            yield from self.repository.entries(self.tree, folder)
        elif not folder:
            for file in self.repository.files(self.tree, self._file):
                yield Entry(file.path, file.object_id, file.fault)

    def location(self, entry: Entry) -> str:
        """Return the file's path from the top of the repository."""
        return joined_path(self.folder, entry.path)

    def find(self, path: str) -> Entry | None:
        """Return the wanted file with this path, or None."""
        if self.is_file:
            return find_entry(self.entries(), path)
        return self.repository.find(self.tree, path)

    def read(self, entries: Iterable[Entry]) -> Iterator[Content]:
        """Yield the content of each entry, in the order given.

        Raises RevisionError where an object is missing or damaged.
        """
        return self.repository.read((self.name, entry) for entry in entries)

    def read_both(self, new: Source, pairs: Sequence[EntryPair]) -> Iterator[ContentPair]:
        """Yield old and new content of each pair, in the order given.

        Where one repository has both, one git reads them in turn: an old page and a new one are
        often stored as a difference to each other, and git keeps what it put together last.
        """
        if not (isinstance(new, GitSource) and self._is_in_repository_of(new)):
            yield from read_side_by_side(self, new, pairs)
            return
        names = self.name, new.name
        contents = self.repository.read(
            (name, entry)
            for pair in pairs
            for name, entry in zip(names, pair, strict=True)
            if entry
        )
        for before, after in pairs:
            yield next(contents) if before else None, next(contents) if after else None

    def _is_in_repository_of(self, other: "GitSource") -> bool:
        return self.repository.git_dir == other.repository.git_dir

    def changed_entries(self, new: Source) -> list[EntryPair] | None:
        """Return old and new entries that differ; folders that are equal are not even opened."""
        if not isinstance(new, GitSource):
            return None
        if not self._is_in_repository_of(new) or self.is_file or new.is_file:
            return pair_entries(self, new)
        listing = self.repository.run(
            "diff-tree", "-r", "-z", "--raw", "--no-renames", self.tree, new.tree
        )
        words = listing.split(b"\0")[:-1]
        pairs = map(self.repository.entry_pair, words[0::2], words[1::2])
        return [pair for pair in pairs if any(pair)]

    def settings_file(self) -> SettingsFile | None:
        """Return the configuration file in the folder, or else the nearest one above it, or None.

        Raises RevisionError where git has not got it, as a partial clone may.
        """
        for folder in self._configured:
            path = path_in(folder)
            for file in self.repository.files(self._base, path):
                if file.path == path:
                    content = FormatError(file.fault) if file.fault else self._settings(file)
                    place = f"{self._revision}:{printable_path(path)}"
                    return SettingsFile(place, content, self.is_file or folder != self.folder)
        return None

    def _settings(self, file: TreeFile) -> bytes:
        found = self.repository.beginning(file.object_id, MOST_BYTES)
        if found is None:
            raise missing_object(f"{self._revision}:{file.path}", f"object {file.object_id}")
        return found.content


def _with_settings_file(objects: Objects, base: str, folder: str) -> list[str]:
    """Return which of a folder and those above it may have a configuration file, nearest first.

    That costs a question or two of a git that runs anyway. A tree names its entries, so one that
    does not hold the name has no such file; one that git has not got may have one.
    """
    name = f" {SETTINGS_FILE}\0".encode("ascii")
    trees = {path: objects.look_up(f"{base}:{path}") for path in folders_upwards(folder)}
    return [path for path, tree in trees.items() if tree is None or name in tree.content]


def _not_found(repository: Repository, revision: str, parts: re.Match[str] | None) -> RevisionError:
    """Return why a name is not a revision; `parts` are those of one that lacks the folder alone."""
    if parts and (object_id := repository.named(revision)):
        return missing_object(revision, f"object {object_id}")
    return RevisionError(f"{revision}: {_why_not_found(repository, parts)}")


def _why_not_found(repository: Repository, parts: re.Match[str] | None) -> str:
    if parts:
        return f"{parts[1]} has no folder {parts[2]}"
    if repository.is_shallow():
        return (
            "not in this shallow clone, or misspelt; fetch more history "
            "(git fetch --deepen=1, or fetch-depth: 2 in a checkout action; all: --unshallow)"
        )
    if not repository.has_commits():
        return "this repository has no commit yet"
    return (
        "no such directory, file or git revision; "
        "git branch -a, git tag and git log list the revisions"
    )
