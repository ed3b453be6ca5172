"""Directories as sources: any, a repository's working tree, an environment that `-e` names.

Nothing outside of one is ever read. Environments are found by name as Spack finds them.
"""

import contextlib
import errno
import functools
import os
import shutil
import stat
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import BinaryIO

from snapdiff.document_names import LOCK_NAME, NOT_CONCRETE, is_searched, size_limit
from snapdiff.errors import FormatError, RevisionError
from snapdiff.limits import DEFAULT_LIMITS, Limits, over_limit
from snapdiff.sources.names import folders_upwards
from snapdiff.sources.nearest import nearest_on_disk
from snapdiff.sources.repository import Repository
from snapdiff.sources.source import (
    IN_A_LINK,
    IS_A_LINK,
    NOT_A_FILE,
    Content,
    Entry,
    SingleFile,
    Source,
    join_path,
    printable_path,
)


class DirectorySource(Source):
    """The wanted files below a directory.

    Symbolic links below it are not followed: one could lead out of the catalog, or in a circle. A
    document that is a link, or no regular file, is named as unreadable.
    """

    def __init__(self, name: str, root: Path, limits: Limits = DEFAULT_LIMITS) -> None:
        """Take the directory `root`, which the user called `name`; `..` has its own name here."""
        self.place = printable_path(name)
        self._above = os.path.join(self.place.rstrip("/"), "")
        self._root = root
        self._top = os.path.realpath(root)
        self.prefix = printable_path(os.path.basename(self._top))
        # Dots alone say where one is, and not what is there.
        self.name = self.place if name.strip("./") else self.prefix or self.place
        self.limits = limits
        self._states: dict[str, tuple[int, int, int]] = {}

    @property
    def origin(self) -> str:
        """What it is: a folder, by its own path."""
        return printable_path(os.path.realpath(self._root))

    def _is_foreign(self, folder: str) -> bool:  # noqa: ARG002 - a working tree has such folders
        """Return whether a folder, by its path from the top, is no part of the source."""
        return False

    def _list(self) -> Iterator[Entry]:
        folders = [""]
        for folder in folders:  # grows meanwhile: they can be deeper than functions call each other
            place = os.path.join(self._root, folder)
            try:
                items = list(os.scandir(place))
            except OSError as error:
                message = f"{place}: cannot list the directory: {error.strerror}"
                raise RevisionError(message) from error
            for item in items:
                path = join_path(folder, item.name)
                if item.is_dir(follow_symlinks=False):
                    is_foreign = self._is_foreign(join_path(self.folder, path))
                    if is_searched(item.name) and not is_foreign:
                        folders.append(path)
                    continue
                fault = _fault(item.is_file(follow_symlinks=False), item.is_symlink())
                if (entry := Entry(path, None, fault)).is_wanted:
                    yield entry

    def find(self, path: str) -> Entry | None:
        """Return the file with this path, or None: what links lead to is somewhere else."""
        place = os.path.join(os.path.realpath(self._root), path)
        try:
            if os.path.realpath(os.path.dirname(place)) != os.path.dirname(place):
                return None  # through a link it could be anywhere
            mode = os.lstat(place).st_mode
        except (OSError, ValueError):  # a name with a NUL byte is a ValueError
            return None
        if stat.S_ISDIR(mode):
            return None
        return Entry(path, None, _fault(stat.S_ISREG(mode), stat.S_ISLNK(mode)))

    def holds(self, path: str) -> bool:
        """Return whether a file or a folder with this path is here."""
        return os.path.lexists(os.path.join(self._root, path))

    def why_not_there(self, path: str) -> str:
        """Return what is in the place of a file of the other side, or nothing where nothing is."""
        place = str(self._root)
        for name in path.split("/"):
            place = os.path.join(place, name)
            if os.path.islink(place):
                return IN_A_LINK
        return NOT_A_FILE if os.path.isdir(place) else ""

    def _content(self, entry: Entry) -> bytes:
        with _opened(os.path.join(self._root, entry.path)) as file:
            before = os.fstat(file.fileno())
            most = size_limit(entry.path, self.limits)
            if before.st_size > most:
                raise over_limit(f"has {before.st_size:,} bytes", most, "bytes")
            content = file.read(before.st_size + 1)
            after = os.fstat(file.fileno())
        # A page is read again to count it, and has to be the one that was compared.
        state = before.st_ino, before.st_mtime_ns, before.st_size
        is_same = state == (after.st_ino, after.st_mtime_ns, len(content))
        if not is_same or self._states.setdefault(entry.path, state) != state:
            raise FormatError("changed while it was read; run again when nothing writes to it")
        return content

    def _beginning(self, path: str, most: int) -> Content | None:
        place = os.path.join(self._top, path)
        above = os.path.dirname(place)
        if os.path.realpath(above) != above or not os.path.lexists(place):
            return None  # a folder that is a symbolic link leads somewhere else
        try:
            with _opened(place) as file:
                return file.read(most)
        except FormatError as error:
            return error


class FileOnDisk(SingleFile):
    """The file of a directory that the user named; beside it, as in /tmp, may be anybody's."""

    def settings_file(self) -> None:
        """Return nothing: no configuration file counts."""


@contextlib.contextmanager
def _opened(place: str) -> Iterator[BinaryIO]:
    """Open a regular file while the block runs; raises FormatError where that cannot be read."""
    # What was one when it was listed may be a link, a FIFO or a device now.
    flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    try:
        with open(os.open(place, flags), "rb", buffering=0) as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise FormatError(NOT_A_FILE)
            yield file
    except OSError as error:
        is_link = error.errno == errno.ELOOP
        raise FormatError(IS_A_LINK if is_link else f"cannot be read: {error.strerror}") from error


def _fault(is_file: bool, is_link: bool) -> str | None:
    if is_file:
        return None
    return IS_A_LINK if is_link else NOT_A_FILE


_IN_A_REPOSITORY = ("HEAD", "objects", "refs")
"""What git looks for in a folder called `.git`: one that lacks it is no repository."""


class WorkingTree(DirectorySource):
    """What `git diff HEAD` sees of a folder, and the files that git does not know yet.

    A file that a sparse checkout leaves out is not removed: it is read from git's index. A folder
    that is a repository of its own, such as a submodule, is no part of the one around it.
    """

    def __init__(self, repository: Repository, top: Path, folder: str = "") -> None:
        """Take the top of the working tree, and the path of the folder from there."""
        super().__init__("working tree", top / folder, repository.limits)
        self.repository = repository
        self.folder = self.place = folder
        self._top = os.path.realpath(top)
        if folder:
            self.prefix = printable_path(folder)
            self.name = f"working tree:{self.prefix}"

    def _is_foreign(self, folder: str) -> bool:
        """Return whether a folder is a repository of its own, and not with files of this one."""
        if folder in self.repository.index.folders:
            return False
        place = os.path.join(self._top, folder, ".git")
        if os.path.isfile(place):
            return True
        return all(os.path.lexists(os.path.join(place, name)) for name in _IN_A_REPOSITORY)

    def _is_own(self, folder: str) -> bool:
        """Return whether a folder is there, in this repository, and no link leads to it."""
        place = os.path.normpath(os.path.join(self._top, folder))
        if not os.path.isdir(place) or os.path.realpath(place) != place:
            return False
        return not any(map(self._is_foreign, folders_upwards(folder)[:-1]))

    @functools.cached_property
    def _unread(self) -> dict[str, Entry]:
        """The files of the folder that git takes from the index, by path."""
        begin = f"{self.folder}/" if self.folder else ""
        return {
            path.removeprefix(begin): entry._replace(path=path.removeprefix(begin))
            for path, entry in self.repository.index.unread.items()
            if path.startswith(begin)
        }

    def _list(self) -> Iterator[Entry]:
        on_disk = super()._list() if self._is_own(self.folder) else ()
        return chain(on_disk, (entry for entry in self._unread.values() if entry.is_wanted))

    def find(self, path: str) -> Entry | None:
        """Return the file with this path, on disk or in the index."""
        if path in self._unread:
            return self._unread[path]
        is_own = self._is_own(join_path(self.folder, path).rpartition("/")[0])
        return super().find(path) if is_own else None

    def _content(self, entry: Entry) -> bytes:
        if entry.content_id is None:
            return super()._content(entry)
        content = next(self.repository.read([entry]))
        if isinstance(content, FormatError):
            raise content
        return content

    def changed_submodules(self, new: Source) -> list[str]:
        """Return those that differ, as the revision on the other side knows them."""
        return [] if isinstance(new, DirectorySource) else new.changed_submodules(self)


def environment_folder(name: str) -> Path:
    """Return the folder that `spack -e NAME` means, managed or not; raises RevisionError."""
    program = shutil.which("spack")
    root = os.environ.get("SPACK_ROOT") or (program and Path(program).resolve().parents[1])
    managed = Path(root, "var", "spack", "environments") if root else None
    if managed and _is_environment(managed / name):
        return managed / name
    if _is_environment(Path(name)):
        return Path(name).absolute()
    if managed is None:
        raise RevisionError(
            f"{name}: no such environment here, and no Spack to ask for its own; set SPACK_ROOT"
        )
    near = nearest_on_disk(managed, name)
    hint = f"did you mean {near}?" if near else "see `spack env list`"
    raise RevisionError(f"{name}: no such environment in {managed}; {hint}")


def _is_environment(folder: Path) -> bool:
    return any(os.path.isfile(folder / name) for name in (NOT_CONCRETE, LOCK_NAME))
