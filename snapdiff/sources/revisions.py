"""What the arguments OLD and NEW stand for: directories, revisions, ranges, the working tree."""

import os
from pathlib import Path

from snapdiff.errors import RevisionError
from snapdiff.sources.base import Source
from snapdiff.sources.directory import DirectorySource
from snapdiff.sources.git import GitSource, Repository

WORKING_TREE = "working tree"


class SourceOpener:
    """Opens sources by name, looking revisions up in one repository that is opened once."""

    def __init__(self, directory: Path) -> None:
        """Look names up as git would if it were started in `directory`."""
        self._directory = directory
        self._repository: Repository | None = None

    def open_pair(self, arguments: tuple[str, ...]) -> tuple[Source, Source]:
        """Return the old and the new source for none, one or two arguments.

        None compares HEAD with the working tree, one that revision with the working tree, and
        `A..B` stands for two (specification, section 2). Raises RevisionError.
        """
        if len(arguments) == 1:
            arguments = self._split_range(arguments[0])
        elif len(arguments) > 2:
            raise RevisionError(f"{arguments[2]}: a comparison takes two revisions, not more")
        if len(arguments) == 2:
            return self.open(arguments[0]), self.open(arguments[1])
        old = arguments[0] if arguments else "HEAD"
        return self.open(old), self._working_tree()

    def open(self, name: str) -> Source:
        """Return the directory or revision called `name`.

        Raises RevisionError where it is neither, or could be both.
        """
        if name.startswith("-"):
            raise RevisionError(
                f"{name}: a revision cannot begin with '-'; write ./{name} for a directory"
            )
        if not name or "\0" in name:
            raise RevisionError("the name of a revision cannot be empty or hold a NUL byte")
        path = self._directory / name
        is_directory = os.path.isdir(path)  # a Path does not bear a name that is too long
        if is_directory and _is_plainly_a_path(name):
            return DirectorySource(name, path)
        if is_directory:
            if self._is_revision(name):
                raise RevisionError(
                    f"{name}: both a directory and a revision; "
                    f"write ./{name} for the directory, {name}~0 for the revision"
                )
            return DirectorySource(name, path)
        if os.path.exists(path) and not self._is_revision(name):
            raise RevisionError(f"{name}: is a file, not a directory")
        if _is_plainly_a_path(name):
            raise RevisionError(f"{name}: no such directory")
        return GitSource(self._open_repository(name), name)

    def _split_range(self, argument: str) -> tuple[str, ...]:
        if ".." not in argument or os.path.isdir(self._directory / argument):
            return (argument,)
        if "..." in argument:
            message = (
                "three dots are not taken; write the two revisions, or `git merge-base` of them"
            )
            raise RevisionError(f"{argument}: {message}")
        old, _, new = argument.partition("..")
        if old.endswith(":") or (old in ("", ".") and new.startswith("/")):
            return (argument,)  # HEAD:../folder and ../folder hold no range
        return old or "HEAD", new or "HEAD"

    def _working_tree(self) -> Source:
        work_tree = self._open_repository("HEAD").work_tree
        if work_tree is None:
            message = "a bare repository has no working tree to compare with; name two revisions"
            raise RevisionError(f"{self._directory}: {message}")
        return DirectorySource(WORKING_TREE, work_tree, nested_repositories=False)

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
                self._repository = Repository(self._directory)
            except RevisionError as error:
                raise RevisionError(f"{name}: not a directory, and {error}") from error
        return self._repository


def _is_plainly_a_path(name: str) -> bool:
    """Return whether no revision can be spelled like this."""
    ends_like_one = name.endswith("/") and ":" not in name  # HEAD:folder/ is a folder in HEAD
    return name.startswith(("/", "./", "../")) or ends_like_one or name in (".", "..")


def _may_be_in_a_repository(directory: Path) -> bool:
    folder = directory.resolve()
    return any(
        (above / ".git").exists() or (above / "objects").is_dir()
        for above in (folder, *folder.parents)
    )
