"""What the arguments OLD, NEW and PATH mean: directories, files, revisions, ranges, mirrors.

The only place that knows how they are written (docs/specification.md, section 2).
"""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TypeVar

from snapdiff.buildcache_layout import VIEW, view_path
from snapdiff.document_names import FILE_ENDINGS, INNER_PATHS, USUAL_NAMES, may_be_document, way_out
from snapdiff.errors import RevisionError
from snapdiff.limits import DEFAULT_LIMITS, Limits, Progress, ignored
from snapdiff.sources.directory import DirectorySource, FileOnDisk, WorkingTree
from snapdiff.sources.git import GitSource, open_revision, open_whole
from snapdiff.sources.names import (
    AS_A_REVISION,
    Paths,
    ends_of_range,
    is_mirror_address,
    is_plainly_a_path,
    is_plainly_a_revision,
    split_name,
)
from snapdiff.sources.nearest import nearest_on_disk
from snapdiff.sources.repository import Repository, may_be_in_a_repository
from snapdiff.sources.source import (
    SETTINGS_BYTES,
    IndexView,
    SettingsFile,
    SingleFile,
    Source,
    join_path,
    printable_path,
)

_Source = TypeVar("_Source", bound=Source)

_NO_REPOSITORY = "name a folder or a file that is there, or a repository with -C"


class SourceOpener:
    """Opens sources by name, looking revisions up in one repository that is opened once."""

    def __init__(
        self, directory: Path, limits: Limits = DEFAULT_LIMITS, progress: Progress = ignored
    ) -> None:
        """Look names up as git would in `directory`; a mirror's downloads call `progress`."""
        self._directory = directory
        self._limits = limits
        self._progress = progress
        self._repository: Repository | None = None

    def open_pair(
        self, arguments: Sequence[str], paths: Sequence[str] = ()
    ) -> tuple[Source, Source]:
        """Return the old and the new source that no, one or two arguments mean.

        None is HEAD against the working tree. One is a revision against the working tree; where it
        is `REV:PATH`, or a path of the working tree, that path on both sides. `A..B` is two. A
        revision and a path of the working tree that it has are that path on both sides, too.
        Both are narrowed to the `paths`. Raises RevisionError.
        """
        if len(arguments) == 1:
            arguments = self.split_range(arguments[0])
        elif len(arguments) > 2:
            raise self._too_many(*arguments)
        old, new = self._two(*arguments) if len(arguments) == 2 else self._one(*arguments)
        return self.narrowed(old, paths), self.narrowed(new, paths)

    def _too_many(self, old: str, new: str, *more: str) -> RevisionError:
        """Return what is wrong with more than two sides; raises RevisionError for no first one."""
        first, rest = self.open(old), " ".join(more)  # `compare` in `compare A B` is no side
        if set(new) == {"."}:
            return RevisionError(f"{old} {new} {rest}: write {old}{new}{rest}")
        if isinstance(first.whole, DirectorySource):
            return RevisionError(f"{rest}: a comparison takes two; leave it out")
        message = "a comparison takes two revisions; paths in them come after --"
        return RevisionError(f"{more[0]}: {message}: {old} {new} -- {rest}")

    def _head(self) -> GitSource:
        repository = self._open_repository("HEAD", "name two folders, or a repository with -C")
        return open_whole(repository, "HEAD")

    def _two(self, old_name: str, new_name: str) -> tuple[Source, Source]:
        old, new = self.open(old_name), self.open(new_name)
        if found := self._same_path(old, new, new_name):
            return found
        if found := self._same_path(new, old, old_name):
            return found[1], found[0]
        goes_up = any(".." in Path(name).parts for name in (old_name, new_name))
        hides_shared = goes_up or os.path.isabs(old_name) != os.path.isabs(new_name)
        if hides_shared and all(isinstance(it.whole, DirectorySource) for it in (old, new)):
            for source, name in ((old, old_name), (new, new_name)):
                source.name = printable_path(os.path.abspath(self._directory / name))
        return old, new

    def _one(self, name: str | None = None) -> tuple[Source, Source]:
        old = self._head() if name is None else self.open(name)
        name = name or old.name
        if isinstance(old, IndexView):
            raise RevisionError(f"{name}: is a view of a mirror; name two of them")
        if isinstance(old.whole, DirectorySource):
            path = self._path_in_working_tree(name)
            is_file = isinstance(old, SingleFile)
            if path is None and (is_file or not may_be_in_a_repository(self._directory)):
                raise RevisionError(
                    f"{name}: is in no working tree of git, so there is no older version of it; "
                    f"name two {'files' if is_file else 'folders'}"
                )
            if path is not None:
                head = self._head()
                held = head.part(path) if path else head
                if held is None:
                    message = "so there is nothing to compare it with; name two folders or files"
                    raise RevisionError(f"{printable_path(path)}: is not in HEAD, {message}")
                return held, self._in_working_tree(held)
        new = self._in_working_tree(old)
        if isinstance(new, SingleFile) and not any(new.files()):
            raise RevisionError(
                f"{new.name}: no such file; name the one to compare {old.name} with"
            )
        return old, new

    def _same_path(
        self, revision: Source, other: Source, name: str
    ) -> tuple[Source, Source] | None:
        """Return a path of a revision and of the working tree, where two arguments mean that."""
        if not isinstance(revision, GitSource) or ":" in revision.name:
            return None
        if not isinstance(other.whole, DirectorySource) or isinstance(other, IndexView):
            return None
        path = self._path_in_working_tree(name)
        held = revision.part(path) if path else None
        return (held, self._in_working_tree(held)) if held else None

    def _in_working_tree(self, source: Source) -> Source:
        """Return the same folder, or the same file, as the working tree has it."""
        repository = self._open_repository("HEAD")
        if repository.work_tree is None:
            message = "a bare repository has no working tree to compare with; name two revisions"
            raise RevisionError(f"{self._directory}: {message}")
        tree = WorkingTree(repository, repository.work_tree, source.folder)
        if not isinstance(source, SingleFile):
            return tree
        path = join_path(source.folder, source.file)
        return SingleFile(tree, source.file, f"working tree:{path}")

    def narrowed(self, source: _Source, words: Sequence[str]) -> _Source:
        """Return a source narrowed to paths.

        In a whole revision and a working tree they begin where one is, in all others, such as a
        directory, at its top. Raises RevisionError.
        """
        if not words:
            return source
        if isinstance(source, SingleFile):
            raise RevisionError(f"{source.name}: is a single file, so no path can narrow it")
        is_whole = isinstance(source, WorkingTree | GitSource) and not source.folder
        repository = self._open_repository(source.name) if is_whole else None
        places = (repository.here, str(repository.work_tree or "")) if repository else ()
        return source.narrowed(Paths(words, *places))

    def ends(self, argument: str) -> tuple[str, str, str] | None:
        """Return the ends of a range and its dots; None where that is a path that is there."""
        found = ends_of_range(argument)
        is_there = found and os.path.exists(self._directory / argument)  # a Path has own errors
        if is_there or (found and ":" in argument and self._is_revision(argument)):
            return None
        return found

    def split_range(self, argument: str) -> tuple[str, ...]:
        """Return the two ends of a range `A..B`, or the argument alone if it is not a range.

        `A...B` is from the merge base of both to B. An end that is left out is HEAD.
        """
        found = self.ends(argument)
        if found is None:
            return (argument,)
        old, dots, new = found[0] or "HEAD", found[1], found[2] or "HEAD"
        if len(dots) > 3:
            raise RevisionError(f"{argument}: is no range; A..B and A...B are")
        return (self._merge_base(old, new), new) if dots == "..." else (old, new)

    def _merge_base(self, old: str, new: str) -> str:
        """Return the commit in which two histories meet, with the path of the old name."""
        (old_revision, path), (new_revision, _) = map(split_name, (old, new))
        repository = self._open_repository(f"{old}...{new}")
        names = (old_revision or old, new_revision or new)
        commits = [open_whole(repository, name).require_commit().id for name in names]
        try:  # git says no word where there is none
            base = repository.git.run("merge-base", *commits).decode("ascii").strip()
        except RevisionError as error:
            message = "have no commit in common; name two revisions"
            raise RevisionError(f"{old}...{new}: {message}") from error
        return f"{base}{AS_A_REVISION}" + (f":{path}" if old_revision else "")

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
        around, manifest = self._around(name)
        if manifest:
            return IndexView(self.open(around), manifest, name)
        name = around
        try:
            found = None if is_plainly_a_revision(name) else self._on_disk(name)
            return found or open_revision(self._open_repository(name), name)
        except RevisionError as error:
            if self._is_on_disk(name) or not self._is_revision(f"HEAD:./{name}"):
                raise
            message = "is in HEAD and no more in the working tree; to compare it, write"
            raise RevisionError(f"{name}: {message} -- {name}") from error

    def _on_disk(self, name: str) -> Source | None:
        """Return the directory or the file of this name, or None where it can be a revision alone.

        Raises RevisionError where it could be both, or is neither.
        """
        path, is_path = self._directory / name, is_plainly_a_path(name)
        is_called_so = is_path or (name.endswith((*FILE_ENDINGS, ".yaml")) and ":" not in name)
        if not is_called_so and not os.path.exists(path):  # a Path has own errors for long names
            return None
        is_folder = os.path.isdir(path)
        if not is_path and self._is_revision(name):
            # A file of any name may be a document, but `HEAD` in a bare repository is a revision.
            if is_folder or (os.path.isfile(path) and may_be_document(name)):
                what = "directory" if is_folder else "file"
                revision, colon, inner = name.partition(":")
                raise RevisionError(
                    f"{name}: both a {what} and a revision; write ./{name} for the {what}, "
                    f"{revision}{AS_A_REVISION}{colon}{inner} for the revision"
                )
            return None
        if is_folder:
            return DirectorySource(name, path, self._limits)
        if os.path.isfile(path):
            file = path.resolve()  # a link that is named by the user himself is followed
            folder = DirectorySource(os.path.dirname(name), file.parent, self._limits)
            return FileOnDisk(folder, file.name, name)
        if os.path.exists(path):
            message = f"is no regular file; name a folder, or {USUAL_NAMES}"
            raise RevisionError(f"{name}: {message}")
        what = "no such file or directory" if is_path else "no such file"
        hint = way_out(lambda beside: os.path.exists(path.parent / beside))
        if not hint and (near := nearest_on_disk(self._directory, name)):
            hint = f"did you mean {near}?"
        raise RevisionError(f"{name}: {what}{hint and f'; {hint}'}")

    def _around(self, name: str) -> tuple[str, str]:
        """Return the mirror or install tree that a name leads into, else the name itself.

        With it comes the manifest of the view that `MIRROR/NAME`, or that manifest's path, means.
        """
        revision, path = split_name(name)
        begin, paths, exists = "", [name], self._is_on_disk
        if revision and self._is_revision(revision):
            begin, exists = f"{revision}:", self._is_revision
            paths = self._open_repository(name).full_paths(path)
        for path in paths:
            ends = list(INNER_PATHS)
            if VIEW.fullmatch(path) or not exists(begin + path):
                path = VIEW.sub(r"\1\2", path)
                view = os.path.basename(path.rstrip("/"))
                ends.append((view, view_path(view)))
            full = path if begin else os.path.abspath(self._directory / path)
            for end, has in ends:
                if f"/{full}".endswith(f"/{end}"):
                    up = os.path.normpath(os.path.join(path, "../" * (end.count("/") + 1)))
                    up = "" if begin and up == "." else up
                    if exists(begin + join_path(up, has)):
                        return begin + up, has if VIEW.fullmatch(has) else ""
        return name, ""

    def settings_file(self, name: str) -> SettingsFile:
        """Return the configuration file that the user named: a file on disk, or `REV:PATH`.

        What can be read as `REV:PATH` is never a file on disk: in a working tree a stranger may
        have put a file of that name. Raises RevisionError where there is no such file.
        """
        place = printable_path(name)
        if split_name(name)[0] and not is_plainly_a_path(name):
            repository = self._open_repository(name, f"write ./{place} for a file on disk", "")
            found = repository.look_up(name, SETTINGS_BYTES)
            if found is None or found.kind != "blob":
                raise RevisionError(
                    f"{place}: there is no such file in git; write ./{place} for one on disk"
                )
            return SettingsFile(place, found.content)
        try:
            with open(name, "rb") as file:
                return SettingsFile(place, file.read(SETTINGS_BYTES))
        except (OSError, ValueError) as error:  # a name with a NUL byte is a ValueError
            reason = error.strerror if isinstance(error, OSError) else error
            raise RevisionError(f"{place}: cannot be read: {reason}") from error

    def _path_in_working_tree(self, name: str) -> str | None:
        """Return the path, from the top, of what a name is in the working tree; None elsewhere.

        What is reached through a symbolic link is somewhere else for git.
        """
        if not may_be_in_a_repository(self._directory):
            return None
        around, _ = self._around(name)
        place = os.path.normpath(os.path.join(self._directory.resolve(), around))
        top = self._open_repository(name).work_tree
        if top is None or os.path.realpath(place) != place:
            return None
        path = os.path.relpath(place, top.resolve())
        if path.split("/")[0] in ("..", ".git"):
            return None
        return "" if path == "." else path

    def _is_on_disk(self, name: str) -> bool:
        return os.path.lexists(self._directory / name)  # a Path has own errors for long names

    def _is_revision(self, name: str) -> bool:
        if not may_be_in_a_repository(self._directory):
            return False  # known without git: two plain directories need none
        try:
            return self._open_repository(name).resolve(name) is not None
        except RevisionError:
            return False

    def _open_repository(
        self, name: str, way_out: str = "", instead: str = "not a directory, and "
    ) -> Repository:
        if self._repository is None:
            try:
                self._repository = Repository(self._directory, self._limits)
            except RevisionError as error:
                near = nearest_on_disk(self._directory, name)
                meant = f"did you mean {near}?" if near else _NO_REPOSITORY
                hint = "" if ";" in str(error) else f"; {way_out or meant}"
                raise RevisionError(f"{name}: {instead}{error}{hint}") from error
        return self._repository
