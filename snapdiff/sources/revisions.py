"""What the arguments OLD and NEW mean: directories, files, revisions, ranges.

The only place that knows how they are written (docs/specification.md, section 2).
"""

import os
import re
from pathlib import Path

from snapdiff.errors import RevisionError
from snapdiff.limits import DEFAULT_LIMITS, Limits
from snapdiff.sources.base import SettingsFile, Source, printable_path
from snapdiff.sources.directory import DirectorySource
from snapdiff.sources.git import REVISION_AND_PATH, GitSource
from snapdiff.sources.mirror_address import is_mirror_address
from snapdiff.sources.repository import Repository
from snapdiff.sources.settings_file import MOST_BYTES, read_named
from snapdiff.sources.transport import Progress
from snapdiff.sources.wanted import Wanted
from snapdiff.sources.working_tree import WorkingTree
from snapdiff.sources.working_tree_part import WorkingTreePart

_DOTS = re.compile(r"\.{2,}")


class SourceOpener:
    """Opens sources by name, looking revisions up in one repository that is opened once."""

    def __init__(
        self,
        directory: Path,
        *,
        wanted: Wanted,
        limits: Limits = DEFAULT_LIMITS,
        progress: Progress = lambda _done, _total: None,
    ) -> None:
        """Look names up as git would if it were started in `directory`.

        The sources have the files that are `wanted`, and take of each what the limits allow.
        `progress` is called while a mirror is downloaded.
        """
        self._directory = directory
        self._wanted = wanted
        self._limits = limits
        self._progress = progress
        self._repository: Repository | None = None

    def open_pair(self, arguments: tuple[str, ...]) -> tuple[Source, Source]:
        """Return the old and the new source for none, one or two arguments.

        None compares HEAD with the working tree, one that revision with the working tree, or
        `REV:PATH` with that folder or file of it; `A..B` means two. Raises RevisionError.
        """
        if len(arguments) == 1:
            arguments = self.split_range(arguments[0])
        elif len(arguments) > 2:
            raise RevisionError(f"{arguments[2]}: a comparison takes two revisions, not more")
        if len(arguments) == 2:
            return self.open(arguments[0]), self.open(arguments[1])
        old = self.open(arguments[0] if arguments else "HEAD")
        tree = self._working_tree()
        if isinstance(old, GitSource) and old.path:
            return old, _counterpart(old, tree)
        return old, tree

    def split_range(self, argument: str) -> tuple[str, ...]:
        """Return the two ends of a range `A..B`, or the argument alone if it is not a range.

        An end that is left out is HEAD. Two dots that are a part of a path, as in `../folder` or
        `HEAD:../folder`, or within braces make no range. Raises RevisionError for `A...B`.
        """
        if os.path.exists(self._directory / argument):  # a Path has errors of its own here
            return (argument,)
        for dots in _DOTS.finditer(argument):
            old, new = argument[: dots.start()], argument[dots.end() :]
            is_in_path = old[-1:] in ("", "/", ":") and new[:1] in ("", "/")
            if is_in_path or old.count("{") > old.count("}"):
                continue
            if dots[0] != "..":
                message = (
                    "three dots are not taken; write the two revisions, or `git merge-base` of them"
                )
                raise RevisionError(f"{argument}: {message}")
            return old or "HEAD", new or "HEAD"
        return (argument,)

    def open(self, name: str) -> Source:
        """Return the directory, the file or the revision called `name`.

        Raises RevisionError if it is none of these, or could be two of them.
        """
        if name.startswith("-"):
            raise RevisionError(
                f"{name}: a revision cannot begin with '-'; write ./{name} for a directory"
            )
        if not name or "\0" in name:
            raise RevisionError("the name of a revision cannot be empty or hold a NUL byte")
        if is_mirror_address(name):
            from snapdiff.sources.mirror import open_mirror

            return open_mirror(name, limits=self._limits, progress=self._progress)
        path = self._directory / name
        what = "directory" if os.path.isdir(path) else "file"
        found = self._on_disk(name, path)
        if found and (_is_plainly_a_path(name) or not self._is_revision(name)):
            return found
        # A file of any name may be a document, but `HEAD` in a bare repository is a revision.
        if found and (what == "directory" or self._wanted.may_be_document(name)):
            raise RevisionError(
                f"{name}: both a {what} and a revision; "
                f"write ./{name} for the {what}, {name}~0 for the revision"
            )
        if os.path.exists(path) and not self._is_revision(name):
            raise RevisionError(f"{name}: is no regular file; name {self._readable()}")
        if _is_plainly_a_path(name):
            raise RevisionError(f"{name}: no such directory")
        return GitSource(self._open_repository(name), name)

    def settings_file(self, name: str) -> SettingsFile:
        """Return the configuration file that the user named: a file on disk, or `REV:PATH`.

        What can be read as `REV:PATH` is never a file on disk: in a working tree a stranger may
        have put a file of that name. Raises RevisionError where there is no such file.
        """
        place = printable_path(name)
        if not REVISION_AND_PATH.match(name) or _is_plainly_a_path(name):
            return SettingsFile(place, read_named(name))
        found = self._open_repository(name).beginning(name, MOST_BYTES)
        if found is None or found.kind != "blob":
            raise RevisionError(f"{place}: there is no such file in git; ./{place} is one on disk")
        return SettingsFile(place, found.content)

    def _readable(self) -> str:
        return f"a folder, or {self._wanted.names}"

    def _on_disk(self, name: str, path: Path) -> DirectorySource | None:
        """Return a directory, or a file that may be a document, or None where it is neither."""
        if os.path.isdir(path):  # a Path does not bear a name that is too long
            return DirectorySource(name, path, wanted=self._wanted, limits=self._limits)
        if not os.path.isfile(path):
            return None
        file = path.resolve()  # a link that is named by the user himself is followed
        return DirectorySource(
            name, file.parent, wanted=self._wanted, limits=self._limits, only=file.name
        )

    def _working_tree(self) -> WorkingTree:
        repository = self._open_repository("HEAD")
        if repository.work_tree is None:
            message = "a bare repository has no working tree to compare with; name two revisions"
            raise RevisionError(f"{self._directory}: {message}")
        return WorkingTree(repository, repository.work_tree, self._limits)

    def _is_revision(self, name: str) -> bool:
        if not _may_be_in_a_repository(self._directory):
            return False  # known without git: two plain directories need none
        try:
            return self._open_repository(name).resolve(name) is not None
        except RevisionError:
            return False

    def _open_repository(self, name: str) -> Repository:
        if self._repository is None:
            try:
                self._repository = Repository(
                    self._directory, wanted=self._wanted, limits=self._limits
                )
            except RevisionError as error:
                raise RevisionError(f"{name}: not a directory, and {error}") from error
        return self._repository


def _counterpart(old: GitSource, tree: WorkingTree) -> WorkingTreePart:
    """Return what the working tree has in place of a folder or a file of a revision.

    Raises RevisionError where it has no such file.
    """
    part = WorkingTreePart(tree, old.path, is_file=old.is_file)
    if old.is_file and not any(part.entries()):
        raise RevisionError(
            f"{part.name}: is no document in the working tree; name the file to compare "
            f"{old.name} with"
        )
    return part


def _is_plainly_a_path(name: str) -> bool:
    """Return whether no revision can be spelled like this."""
    ends_like_one = name.endswith("/") and ":" not in name  # HEAD:folder/ is a folder in HEAD
    return name.startswith(("/", "./", "../")) or ends_like_one or name in (".", "..")


def _may_be_in_a_repository(directory: Path) -> bool:
    folder = directory.resolve()
    return "GIT_DIR" in os.environ or any(
        (above / ".git").exists() or (above / "objects").is_dir()
        for above in (folder, *folder.parents)
    )
