"""A git revision, or a folder or a file in one, as a source: read as objects."""

import contextlib
import re
from collections.abc import Iterable, Iterator, Sequence

from snapdiff.errors import FormatError, RevisionError
from snapdiff.sources.git_commands import (
    GitObject,
    Objects,
    commit_date,
    commit_subject,
    missing_object,
)
from snapdiff.sources.names import AS_A_REVISION, REVISION_AND_PATH
from snapdiff.sources.repository import Repository
from snapdiff.sources.source import (
    SETTINGS_BYTES,
    SETTINGS_FILE,
    Content,
    ContentPair,
    Entry,
    EntryPair,
    Part,
    SettingsFile,
    Source,
    folders_upwards,
    joined,
    joined_path,
    printable_path,
)
from snapdiff.sources.working_tree import WorkingTree


class GitSource(Source):
    """The wanted files of a revision, or of a folder in one: `open_revision` finds them."""

    def __init__(
        self,
        repository: Repository,
        name: str,
        revision: str,
        *,
        top: str,
        tree: str,
        folder: str = "",
        commit: GitObject | None = None,
    ) -> None:
        """Take what the user calls it and the revision alone; the ids of its object and the tree.

        `folder` is the path of the tree.
        """
        self.name = name
        self.revision = revision
        self.repository = repository
        self.tree = tree
        self.folder = folder
        self.prefix = printable_path(folder)
        self.commit = commit.object_id if commit else None
        self.date = commit_date(commit.content) if commit else None
        self.subject = commit_subject(commit.content) if commit else ""
        self._top = top

    def files(self, folder: str = "") -> Iterator[Entry]:
        """Yield every wanted file below a folder, in the order of their paths."""
        return self.repository.entries(self.tree, folder)

    def find(self, path: str) -> Entry | None:
        """Return the file with this path, whatever it is called, or None."""
        return self.repository.find(self.tree, path)

    def holds(self, path: str) -> bool:
        """Return whether a file or a folder with this path is here."""
        return self.repository.resolve(f"{self.tree}:{path}") is not None

    def content(self, path: str) -> Content | None:
        """Return the content of the file with this path, or None where there is none."""
        return self.repository.content(self.tree, path)

    def kept_open(self) -> contextlib.AbstractContextManager[object]:
        """Keep at hand what finds and reads single files, for as long as the block runs."""
        return self.repository.objects()

    def location(self, entry: Entry) -> str:
        """Return the file's path from the top of the repository."""
        return joined_path(self.folder, entry.path)

    def read(self, entries: Iterable[Entry]) -> Iterator[Content]:
        """Yield the content of each entry, in the order given.

        Raises RevisionError where an object is missing or damaged.
        """
        return self.repository.read(entries)

    def read_both(self, new: Source, pairs: Sequence[EntryPair]) -> Iterator[ContentPair]:
        """Yield old and new content of each pair, in the order given.

        Where one repository has both, one git reads them in turn: an old page and a new one are
        often stored as a difference to each other, and git keeps what it put together last.
        """
        if not (isinstance(new, GitSource) and self._is_in_repository_of(new)):
            yield from super().read_both(new, pairs)
            return
        contents = self.repository.read(entry for pair in pairs for entry in pair if entry)
        for before, after in pairs:
            yield next(contents) if before else None, next(contents) if after else None

    def _is_in_repository_of(self, other: "GitSource") -> bool:
        return self.repository.git_dir == other.repository.git_dir

    def changed_entries(self, new: Source) -> list[EntryPair]:
        """Return old and new entries that differ; folders that are equal are not even opened."""
        if not isinstance(new, GitSource) or not self._is_in_repository_of(new):
            return super().changed_entries(new)
        pairs = (
            (
                before if before and self.paths.has(before.path) else None,
                after if after and new.paths.has(after.path) else None,
            )
            for before, after in self.repository.changed_entries(self.tree, new.tree)
        )
        return [pair for pair in pairs if any(pair)]

    def changed_submodules(self, new: Source) -> list[str]:
        """Return the submodules that differ, by path."""
        inner = new.source if isinstance(new, Part) else new
        if isinstance(inner, WorkingTree) and not new.is_file:
            above = f"{self.folder}/" if self.folder else ""
            paths = inner.submodules_changed_since(self.repository, self._top)
            found = [path.removeprefix(above) for path in paths if path.startswith(above)]
        elif isinstance(new, GitSource) and self._is_in_repository_of(new):
            found = self.repository.changed_submodules(self.tree, new.tree)
        else:
            return []
        return [printable_path(path) for path in found if self.paths.has(path)]

    def part(self, path: str) -> Source | None:
        """Return a folder or a file of the same revision by its path from the top, or None."""
        with self.repository.objects() as objects:
            return _in_tree(self.repository, objects, (self.revision, self._top), path)

    def settings_file(self, folder: str = "") -> SettingsFile | None:  # noqa: ARG002 - it has no parts
        """Return the configuration file in the folder, or else the nearest one above it, or None.

        Raises RevisionError where git has not got it, as a partial clone may.
        """
        with self.repository.objects() as objects:
            for above in folders_upwards(self.folder):
                path = joined(above, SETTINGS_FILE)
                file = self.repository.find(self._top, path)
                if file:
                    place = f"{self.revision}:{printable_path(path)}"
                    content: Content = FormatError(file.fault or "")
                    if not file.fault:
                        found = objects.look_up(str(file.content_id), SETTINGS_BYTES)
                        if found is None:
                            raise missing_object(place, f"object {file.content_id}")
                        content = found.content
                    return SettingsFile(place, content, above != self.folder)
        return None


def open_revision(repository: Repository, name: str) -> Source:
    """Return what `name` stands for: anything `git rev-parse` takes, or `REV:PATH`.

    That is a GitSource, or a Part of one where it names a file. PATH begins at the top as it does
    for git; where nothing is there, it begins where the user is. Raises RevisionError where there
    is no such commit, folder or file.
    """
    parts = REVISION_AND_PATH.match(name)
    revision, written = parts.groups() if parts else (name, None)
    with repository.objects() as objects:
        # One name is looked up once: a branch can move on between two questions.
        top = objects.look_up(revision)
        if top is None and revision == "HEAD" and not repository.has_commits():
            # As for git, all is new in the first commit: a hook compares it before it is made.
            top = objects.look_up(repository.empty_tree())
        if top is None:
            raise RevisionError(f"{name}: {_why_not_found(repository, revision)}")
        of = revision.removesuffix(AS_A_REVISION), top.object_id
        if written is None:
            if top.kind == "blob":
                raise RevisionError(f"{name}: is a file without a folder; write REV:PATH")
            found = _in_tree(repository, objects, of, None)
        else:
            found = _in_tree(repository, objects, of, repository.full_path(written), written)
            if found is None and not written.startswith(("./", "../", "/")) and repository.here:
                found = _in_tree(repository, objects, of, repository.full_path(f"./{written}"))
    if found:
        return found
    if written is None:
        raise RevisionError(f"{name}: is a {top.kind} that leads to no folder")
    if object_id := repository.named(name):
        raise missing_object(name, f"object {object_id}")
    raise RevisionError(f"{name}: {revision} has no file or folder {written}")


def _in_tree(
    repository: Repository,
    objects: Objects,
    of: tuple[str, str],
    path: str | None,
    written: str | None = None,
) -> Source | None:
    """Return what is at a path in a revision, or the revision itself; None where nothing is.

    `of` is the revision's name and its object. Raises RevisionError where git has not got the tree.
    """
    revision, top = name, _ = printable_path(of[0]), of[1]
    found = objects.look_up(top if path is None else f"{top}:{path}")
    if found is None:
        return None
    folder, file = path or "", ""
    if path is not None:
        name = f"{name}:{printable_path(path if written is None else written)}"
    commit = objects.look_up(f"{top}^{{commit}}")  # first: git may stop where it has no tree
    if found.kind == "blob":
        folder, _, file = folder.rpartition("/")
        tree = objects.look_up(f"{top}:{folder}")
    else:
        tree = objects.look_up(f"{found.object_id}^{{tree}}")
    if tree is None:
        if commit:
            raise missing_object(name, f"the tree of commit {commit.object_id}")
        return None
    source = GitSource(
        repository,
        name,
        revision,
        top=top,
        tree=tree.object_id,
        folder=folder,
        commit=commit,
    )
    return Part(source, file, name, called=file) if file else source


_BACK = re.compile(r"(?:HEAD|@)((?:~[0-9]*|\^1?)+)")
"""The names that say how many commits ago; a shallow clone of one more would have that."""


def _why_not_found(repository: Repository, revision: str) -> str:
    if repository.is_shallow():
        back = _BACK.fullmatch(revision)
        steps = re.findall(r"[~^][0-9]*", back[1]) if back else []
        depth = sum(int(step[1:] or 1) for step in steps) + 1
        way_out = (
            f"git fetch --depth={depth}, or fetch-depth: {depth} in a checkout action"
            if back
            else "git fetch --unshallow, or fetch-depth: 0 in a checkout action"
        )
        return f"not in this shallow clone, or misspelt; fetch more history ({way_out})"
    if not repository.has_commits():
        return "this repository has no commit yet"
    return (
        "no such directory, file or git revision; "
        "git branch -a, git tag and git log list the revisions"
    )
