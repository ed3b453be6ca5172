"""A git repository: its objects and its index, read without a checkout."""

import contextlib
import functools
import os
import posixpath
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from snapdiff.errors import RevisionError
from snapdiff.limits import DEFAULT_LIMITS, Limits, SizeLimit
from snapdiff.sources.base import IS_A_LINK, Content, Entry, EntryPair
from snapdiff.sources.git_objects import GitObject, Objects
from snapdiff.sources.git_runner import GitRunner
from snapdiff.sources.wanted import Selection, Wanted

_SYMLINK = "120000"
_SUBMODULE = "160000"


class TreeFile(NamedTuple):
    """A file as a tree or the index has it; its `fault` says why it cannot be read."""

    path: str
    mode: str
    object_id: str

    @property
    def fault(self) -> str | None:
        """Why the file is not to be read, if so."""
        return IS_A_LINK if self.mode == _SYMLINK else None


class Index(NamedTuple):
    """What git's index says of the working tree.

    `unread` are the wanted files that git takes from the index, without a look at the working tree:
    a sparse checkout leaves them out. `folders` are those with a file of the repository in them.
    """

    unread: dict[str, Entry]
    folders: set[str]


class Repository(GitRunner):
    """A git repository that revisions are looked up in; nothing in it is ever changed."""

    def __init__(self, directory: Path, *, wanted: Wanted, limits: Limits = DEFAULT_LIMITS) -> None:
        """Open the repository that git would find if it were started in `directory`.

        Raises RevisionError where there is none, or no git to read it with.
        """
        super().__init__(directory)
        self.wanted = wanted
        self._selection = Selection(wanted)
        self._limits = limits
        try:
            self.git_dir = self._ask("--absolute-git-dir")
        except RevisionError as error:
            if "not a git repository" in str(error):
                raise RevisionError(f"{directory}: no git repository is here") from error
            raise

    def _ask(self, *questions: str) -> str:
        return os.fsdecode(self.run("rev-parse", *questions).removesuffix(b"\n"))

    @functools.cached_property
    def work_tree(self) -> Path | None:
        """The folder that `git diff` looks at, or None where there is none, as in a bare one."""
        try:
            return Path(self._ask("--show-toplevel"))
        except RevisionError:
            return None

    def full_path(self, path: str) -> str:
        """Return the path of a `REV:PATH` from the top: `./` and `../` begin where git starts."""
        if path.startswith(("./", "../")):
            path = posixpath.normpath(posixpath.join(self._ask("--show-prefix"), path))
        return "" if path == "." else path.strip("/")

    def resolve(self, revision: str) -> str | None:
        """Return the object id that a revision names, or None where it names nothing."""
        with self.objects() as objects:
            found = objects.look_up(revision)
        return found.object_id if found else None

    def named(self, revision: str) -> str | None:
        """Return the object id that a revision names, whether or not the object is here."""
        try:
            return self._ask("--verify", "--quiet", "--end-of-options", revision)
        except RevisionError:
            return None

    @contextlib.contextmanager
    def objects(self) -> Iterator[Objects]:
        """Start a git that answers questions about objects, one after the other."""
        with self.process("cat-file", "--batch") as (stdin, stdout):
            yield Objects(stdin, stdout, self.size_limit)

    def beginning(self, name: str, most: int) -> GitObject | None:
        """Return an object, of a large one the beginning, or None where there is none."""
        with self.process("cat-file", "--batch") as (stdin, stdout):
            return Objects(stdin, stdout, lambda _path: SizeLimit("file", most, "")).look_up(name)

    def size_limit(self, path: str) -> SizeLimit:
        """Return how large a file may be to be read."""
        return self.wanted.size_limit(path, self._limits)

    def read(self, entries: Iterable[tuple[str, Entry]]) -> Iterator[Content]:
        """Yield the content of each entry, given with its revision's name, in the order given.

        Git works ahead while its last answers are looked at. Raises RevisionError where an object
        is missing or damaged.
        """
        with self.objects() as objects:
            yield from objects.read(entries)

    def files(self, tree: str, path: str = "") -> Iterator[TreeFile]:
        """Yield the files of a tree, or those that a path in it leads to, in order."""
        where = [path] if path else []
        listing = self.run("ls-tree", "-r", "-z", "--full-tree", "--", tree, *where)
        for line in listing.split(b"\0")[:-1]:
            facts, _, name = line.partition(b"\t")
            mode, _, object_id = facts.decode("ascii").split(" ")
            if mode != _SUBMODULE:
                yield TreeFile(os.fsdecode(name), mode, object_id)

    def entries(self, tree: str, folder: str = "") -> Iterator[Entry]:
        """Yield the wanted files of a tree, or of a folder in it, by path."""
        for file in self.files(tree, f"{folder}/" if folder else ""):
            entry = self._selection.entry(file.path, file.object_id, file.fault)
            if entry:
                yield entry

    def find(self, tree: str, path: str) -> Entry | None:
        """Return the wanted file of a tree that has this path, or None."""
        for file in self.files(tree, path):
            if file.path == path:
                return self._selection.entry(file.path, file.object_id, file.fault)
        return None

    def entry_pair(self, facts: bytes, path: bytes) -> EntryPair:
        """Return what `diff-tree --raw` says of a path as the entries of both sides."""
        old_mode, new_mode, *ids, _ = facts.removeprefix(b":").decode("ascii").split(" ")
        old, new = (
            None
            if mode in ("000000", _SUBMODULE)
            else self._selection.entry(file.path, file.object_id, file.fault)
            for mode, object_id in zip((old_mode, new_mode), ids, strict=True)
            for file in [TreeFile(os.fsdecode(path), mode, object_id)]
        )
        return old, new

    def index(self) -> Index:
        """Return what the index says of the working tree, which has to be there."""
        top = str(self.work_tree)
        places = ("-C", top, f"--git-dir={self.git_dir}", f"--work-tree={top}")
        unread: dict[str, Entry] = {}
        folders: set[str] = set()
        for line in self.run(*places, "ls-files", "-s", "-v", "-z").split(b"\0")[:-1]:
            facts, _, name = line.partition(b"\t")
            state, mode, object_id, _ = facts.decode("ascii").split(" ")
            if mode == _SUBMODULE:
                continue
            file = TreeFile(os.fsdecode(name), mode, object_id)
            folder = file.path.rpartition("/")[0]
            while folder and folder not in folders:
                folders.add(folder)
                folder = folder.rpartition("/")[0]
            if state == "S" or state.islower():  # left out, or not to be looked at
                entry = self._selection.entry(file.path, file.object_id, file.fault)
                if entry:
                    unread[file.path] = entry
        return Index(unread, folders)

    def has_commits(self) -> bool:
        """Return whether anything was ever committed, on whatever branch."""
        return (
            bool(self.run("for-each-ref", "--count=1").strip()) or self.resolve("HEAD") is not None
        )

    def is_shallow(self) -> bool:
        """Return whether history was cut off when the repository was cloned."""
        return self.run("rev-parse", "--is-shallow-repository").strip() == b"true"
