"""A git repository: which git commands list files, of a tree, of the index, or that differ."""

import contextlib
import functools
import os
import re
from collections.abc import Iterable, Iterator
from functools import partial
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from snapdiff.document_names import size_limit
from snapdiff.errors import RevisionError
from snapdiff.limits import DEFAULT_LIMITS, Limits
from snapdiff.sources.git_commands import READ_AHEAD, GitObject, GitRunner, Objects, missing_object
from snapdiff.sources.names import folders_upwards
from snapdiff.sources.nearest import nearest_name, nearest_on_disk
from snapdiff.sources.source import (
    IN_A_LINK,
    IS_A_LINK,
    NOT_A_FILE,
    Content,
    Entry,
    EntryPair,
    printable_path,
)

_FOLDER, _SYMLINK, _SUBMODULE, _NOTHING = "40000", "120000", "160000", "000000"
"""Modes; that of a submodule is of no file but of a commit of another repository."""

RAW = ("-r", "-z", "--raw", "--no-renames")
"""How `diff-tree` is asked: a line a file, with both modes and ids."""

_MOST_FOLDERS = 64
"""How many folders that single files were looked up in are remembered."""


class Index(NamedTuple):
    """What git's index says of the working tree.

    `unread` are the files that git takes from the index, without a look at the working tree: a
    sparse checkout leaves them out. `folders` are those with a file of the repository in them, and
    `submodules` are the paths of these.
    """

    unread: dict[str, Entry]
    folders: set[str]
    submodules: list[str]


class Repository:
    """A git repository that revisions are looked up in; nothing in it is ever changed."""

    def __init__(self, directory: Path, limits: Limits = DEFAULT_LIMITS) -> None:
        """Open the repository that git finds from `directory`.

        Raises RevisionError where there is none, or no git to read it with.
        """
        self._directory = directory
        self.git = GitRunner(directory)
        self.limits = limits
        self._folders: dict[str, dict[str, tuple[str, str]]] = {}
        self._last_changes: dict[tuple[str, str], list[tuple[bytes, bytes]]] = {}
        self._idle: list[Objects] = []
        try:
            self.git_dir = self.ask("--absolute-git-dir")
        except RevisionError as error:
            if "not a git repository" in str(error):
                raise RevisionError(f"{directory}: no git repository is here") from error
            raise

    def ask(self, *questions: str) -> str:
        """Return what `git rev-parse` says; raises RevisionError where it says nothing."""
        return os.fsdecode(self.git.run("rev-parse", *questions).removesuffix(b"\n"))

    @functools.cached_property
    def work_tree(self) -> Path | None:
        """The folder that `git diff` looks at, or None where there is none, as in a bare one."""
        try:
            return Path(self.ask("--show-toplevel"))
        except RevisionError:
            return None

    @functools.cached_property
    def here(self) -> str:
        """The folder of the working tree that git was started in; empty at the top."""
        return self.ask("--show-prefix").removesuffix("/")

    def full_paths(self, path: str) -> list[str]:
        """Return the paths from the top that the path of `REV:PATH` may mean, the likely first."""
        from_here = os.path.normpath(os.path.join(self.here, path))
        from_here = "" if from_here == "." else from_here
        is_from_here = path.startswith(("./", "../")) or path == ".."
        # Any other path begins at the top, as for git, or else where git was started.
        return [from_here] if is_from_here else [path.strip("/"), from_here]

    def look_up(self, name: str, most: int = 0) -> GitObject | None:
        """Return the object of a name, of a blob no more than `most` bytes, or None."""
        if "\n" in name:
            return None  # git would take it for two questions
        with self.objects() as objects:
            return next(objects.look_up([name], most))

    def resolve(self, revision: str) -> str | None:
        """Return the object id that a revision names, or None where it names nothing."""
        found = self.look_up(revision)
        return found.object_id if found else None

    @contextlib.contextmanager
    def objects(self) -> Iterator[Objects]:
        """Ask for objects while the block runs, of a git that a block before has left if one has.

        A block within the block has a git of its own, and may ask while this one is owed answers.
        """
        # Not a method of this: what git is still running for would keep this alive.
        most = partial(size_limit, limits=self.limits)
        objects = self._idle.pop() if self._idle else Objects(self.git, most)
        try:
            yield objects
        finally:
            if objects.is_idle:
                self._idle.append(objects)

    def read(self, entries: Iterable[Entry]) -> Iterator[Content]:
        """Yield the content of each file, in the order given, as `Objects.take` does."""
        left = iter(entries)
        with self.objects() as objects:
            while following := list(islice(left, READ_AHEAD)):
                objects.ask(following)
                yield from map(objects.take, following)

    def entries(self, tree: str, folder: str = "") -> Iterator[Entry]:
        """Yield the wanted files of a tree, or of a folder in it, by path."""
        where = [f"{folder}/"] if folder else []
        for line in self.git.words("ls-tree", "-r", "-z", "--full-tree", "--", tree, *where):
            facts, _, name = line.partition(b"\t")
            mode, _, object_id = facts.decode("ascii").split(" ")
            if entry := _wanted(name, mode, object_id):
                yield entry

    def find(self, tree: str, path: str) -> Entry | None:
        """Return the file of a tree that has this path, whatever it is called, or None.

        The folders are read one after the other: a page of 2021 has a file for each of its specs,
        and a git for each of these took twenty times as long as all else. Raises RevisionError
        where a folder is missing or damaged.
        """
        mode, object_id = self._item(tree, path)
        is_file = mode not in (_FOLDER, _SUBMODULE, _NOTHING)
        return _entry(os.fsencode(path), mode, object_id) if is_file else None

    def subtree(self, tree: str, folder: str) -> str:
        """Return the tree of a folder in a tree, or nothing for no folder; raises RevisionError."""
        mode, object_id = self._item(tree, folder)
        return object_id if mode == _FOLDER else ""

    def submodule_around(self, tree: str, path: str) -> str:
        """Return the submodule that a path is or leads into, or nothing; raises RevisionError."""
        around = folders_upwards(path)
        return next((it for it in around if self._item(tree, it)[0] == _SUBMODULE), "")

    def in_place_of(self, tree: str, path: str) -> str:
        """Return what a tree has in the place of a file, or nothing; raises RevisionError."""
        if any(self._item(tree, it)[0] == _SYMLINK for it in folders_upwards(path)):
            return IN_A_LINK
        return NOT_A_FILE if self._item(tree, path)[0] == _FOLDER else ""

    def _item(self, tree: str, path: str) -> tuple[str, str]:
        """Return mode and object id of what has a path in a tree; the empty path is the tree."""
        mode, object_id = _FOLDER, tree
        for name in path.split("/") if path else ():
            if mode != _FOLDER:
                return _NOTHING, ""
            mode, object_id = self._folder(object_id, path).get(name, (_NOTHING, ""))
        return mode, object_id

    def _folder(self, object_id: str, path: str) -> dict[str, tuple[str, str]]:
        """Return mode and object id of what is in a folder on the way to a path, by name."""
        if object_id not in self._folders:
            found = self.look_up(f"{object_id}^{{tree}}")
            if found is None:
                raise missing_object(printable_path(path), f"tree {object_id}")
            if len(self._folders) == _MOST_FOLDERS:
                self._folders.clear()
            self._folders[object_id] = _items(found)
        return self._folders[object_id]

    def names_in(self, tree: str, folder: str) -> list[str]:
        """Return the names of what is in a folder of a tree; raises RevisionError."""
        object_id = self.subtree(tree, folder)
        return list(self._folder(object_id, folder)) if object_id else []

    def nearest(self, name: str) -> str:
        """Return the branch, the tag, or what is here that is most like a name; empty for none."""
        refs = os.fsdecode(self.git.run("for-each-ref", "--format=%(refname:short)"))
        near = nearest_name(name, ["HEAD", *refs.splitlines()])
        return near or nearest_on_disk(self._directory, name)

    def changes(self, old: str, new: str) -> list[tuple[bytes, bytes]]:
        """Return facts and path of each file and submodule that differ from a tree to another."""
        if (old, new) not in self._last_changes:  # files and submodules are asked for in turn
            self._last_changes = {(old, new): _pairs(self.git.words("diff-tree", *RAW, old, new))}
        return self._last_changes[old, new]

    def submodules_changed_since(self, commit: str) -> list[str]:
        """Return the paths of those that differ in the index, or are at another commit now."""
        found = submodules_in(_pairs(self._words_at_top("diff-index", "--cached", *RAW, commit)))
        if paths := self.index.submodules:  # of these alone git looks what is checked out
            now = ("diff-index", "--ignore-submodules=dirty", *RAW, commit, "--", *paths)
            found += submodules_in(_pairs(self._words_at_top(*now)))
        return sorted(set(found))

    @functools.cached_property
    def index(self) -> Index:
        """What the index says of the working tree, which has to be there."""
        unread: dict[str, Entry] = {}
        folders: set[str] = set()
        submodules = []
        for line in self._words_at_top("ls-files", "-s", "-v", "-z"):
            facts, _, name = line.partition(b"\t")
            state, mode, object_id, _ = facts.decode("ascii").split(" ")
            if mode == _SUBMODULE:
                submodules.append(os.fsdecode(name))
                continue
            entry = _entry(name, mode, object_id)
            folder = entry.path.rpartition("/")[0]
            while folder and folder not in folders:
                folders.add(folder)
                folder = folder.rpartition("/")[0]
            if state == "S" or state.islower():  # left out, or not to be looked at
                unread[entry.path] = entry
        return Index(unread, folders, submodules)

    def _words_at_top(self, *arguments: str) -> Iterator[bytes]:
        """Run a command that looks at the index or the working tree, which has to be there."""
        top = str(self.work_tree)
        where = ("-C", top, f"--git-dir={self.git_dir}", f"--work-tree={top}")
        return self.git.words(*where, *arguments)

    def has_commits(self) -> bool:
        """Return whether anything was ever committed, on whatever branch."""
        has_refs = bool(self.git.run("for-each-ref", "--count=1").strip())
        return has_refs or self.resolve("HEAD") is not None

    def empty_tree(self) -> str:
        """Return the id of the tree without a file, which git knows everywhere."""
        return self.git.run("hash-object", "-t", "tree", os.devnull).decode("ascii").strip()

    def is_shallow(self) -> bool:
        """Return whether history was cut off when the repository was cloned."""
        return self.ask("--is-shallow-repository") == "true"


def _items(tree: GitObject) -> dict[str, tuple[str, str]]:
    """Return mode and object id of what is in a folder, by name."""
    item = rb"([0-7]+) ([^\0]+)\0(.{%d})" % (len(tree.object_id) // 2)
    found = re.findall(item, tree.content, re.DOTALL)
    return {os.fsdecode(name): (mode.decode("ascii"), sha.hex()) for mode, name, sha in found}


def _entry(path: bytes, mode: str, object_id: str) -> Entry:
    return Entry(os.fsdecode(path), object_id, IS_A_LINK if mode == _SYMLINK else None)


def _wanted(path: bytes, mode: str, object_id: str) -> Entry | None:
    if mode in (_NOTHING, _SUBMODULE):
        return None
    entry = _entry(path, mode, object_id)
    return entry if entry.is_wanted else None


def entry_pair(facts: bytes, path: bytes) -> EntryPair:
    """Return what `diff-tree --raw` says of a path as the wanted entries of both sides."""
    old_mode, new_mode, old_id, new_id, _ = _words_of(facts)
    return _wanted(path, old_mode, old_id), _wanted(path, new_mode, new_id)


def _words_of(facts: bytes) -> list[str]:
    """Return both modes, both object ids and the kind of change, which is one letter."""
    return facts.removeprefix(b":").decode("ascii").split(" ")


def _pairs(words: Iterator[bytes]) -> list[tuple[bytes, bytes]]:
    return list(zip(words, words, strict=True))


def submodules_in(changes: Iterable[tuple[bytes, bytes]]) -> list[str]:
    """Return the paths of the submodules among what differs."""
    return [os.fsdecode(path) for facts, path in changes if _SUBMODULE in _words_of(facts)[:2]]


def may_be_in_a_repository(directory: Path) -> bool:
    """Return whether git has to be asked: without it, two plain directories can be compared."""
    folder = directory.resolve()
    return "GIT_DIR" in os.environ or any(
        (above / ".git").exists() or (above / "objects").is_dir()
        for above in (folder, *folder.parents)
    )
