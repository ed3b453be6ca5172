"""A git revision, or a folder or a file in one, as a source; and the commits between two of them.

For a whole range, however long it is, git is asked four things: which commits there are, which
folder each has the catalog in, what differs from one to the next, and the pages.
"""

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import pairwise
from typing import TypeGuard

from snapdiff.errors import FormatError, RevisionError
from snapdiff.sources.directory import WorkingTree
from snapdiff.sources.git_commands import missing_object, read_commit
from snapdiff.sources.names import AS_A_REVISION, split_name
from snapdiff.sources.nearest import nearest_path
from snapdiff.sources.repository import RAW, Repository, entry_pair, submodules_in
from snapdiff.sources.source import (
    Commit,
    Content,
    ContentPair,
    Entry,
    EntryPair,
    SingleFile,
    Source,
    is_submodule,
    join_path,
    printable_path,
)


class GitSource(Source):
    """The wanted files of a revision, or of a folder in one: `open_revision` finds them."""

    def __init__(
        self,
        repository: Repository,
        revision: str,
        top: str,
        commit: Commit | None = None,
        tree: str = "",
        folder: str = "",
        name: str = "",
    ) -> None:
        """Take a revision; `top` is its whole tree, `tree` that of a folder in it.

        `name` is what the user calls the folder.
        """
        self.name = name or revision
        self.revision = revision
        self._above = f"{revision}:"
        self.repository = repository
        self.limits = repository.limits
        self.tree = tree or top
        self.folder = self.place = folder
        self.prefix = printable_path(folder)
        self.commit = commit
        self._top = top

    @property
    def origin(self) -> str:
        """What it is: a revision, and where that is looked up."""
        top = str(self.repository.work_tree or self.repository.git_dir)
        return f"{self.revision} in {printable_path(join_path(top, self.folder))}"

    def require_commit(self) -> Commit:
        """Return the commit; raises RevisionError where the source is none."""
        if self.commit is None:
            raise RevisionError(f"{self.name}: is no commit, so it has no history")
        return self.commit

    def part(self, path: str, name: str = "") -> Source | None:
        """Return a folder or a file of the same revision by its path from the top, or None.

        Raises RevisionError where git has not got it, as a partial clone may, and where it is in a
        submodule.
        """
        entry = self.repository.find(self._top, path)
        folder, _, file = path.rpartition("/") if entry else (path, "", "")
        tree = self.repository.subtree(self._top, folder)
        if not tree and (submodule := self.repository.submodule_around(self._top, path)):
            raise is_submodule(printable_path(submodule), f" in {self.revision}")
        if not tree:
            return None
        name = printable_path(name or f"{self.revision}:{path}")
        object_id = str(entry.content_id) if entry else tree
        if self.repository.look_up(object_id) is None:
            raise missing_object(name, f"object {object_id}")
        part = GitSource(self.repository, self.revision, self._top, self.commit, tree, folder, name)
        return SingleFile(part, file, name) if file else part

    def files(self, folder: str = "") -> Iterator[Entry]:
        """Yield every wanted file below a folder, in the order of their paths."""
        return self.repository.entries(self.tree, folder)

    def find(self, path: str) -> Entry | None:
        """Return the file with this path, whatever it is called, or None."""
        return self.repository.find(self.tree, path)

    def read(self, entries: Iterable[Entry]) -> Iterator[Content]:
        """Yield the content of each entry, in the order given."""
        return self.repository.read(entries)

    def holds(self, path: str) -> bool:
        """Return whether a file or a folder with this path is here."""
        return self.repository.resolve(f"{self.tree}:{path}") is not None

    def why_not_there(self, path: str) -> str:
        """Return what is in the place of a file of the other side, or nothing where nothing is."""
        return self.repository.in_place_of(self.tree, path)

    def _is_beside(self, other: Source) -> TypeGuard["GitSource"]:
        """Return whether the other is of the same repository: one git knows both."""
        if not isinstance(other, GitSource):
            return False
        return self.repository.git_dir == other.repository.git_dir

    def read_both(self, new: Source, pairs: Sequence[EntryPair]) -> Iterator[ContentPair]:
        """Yield old and new content of each pair; of one repository one git hands over both."""
        if not self._is_beside(new):
            yield from super().read_both(new, pairs)
            return
        contents = self.read(entry for pair in pairs for entry in pair if entry)
        for before, after in pairs:
            yield next(contents) if before else None, next(contents) if after else None

    def changed_entries(self, new: Source) -> list[EntryPair]:
        """Return old and new entries that differ; folders that are equal are not even opened."""
        if not self._is_beside(new):
            return super().changed_entries(new)
        found: list[EntryPair] = []
        for facts, path in self.repository.changes(self.tree, new.tree):
            before, after = entry_pair(facts, path)
            before = before if before and self.paths.has(before.path) else None
            after = after if after and new.paths.has(after.path) else None
            if before or after:
                found.append((before, after))
        return found

    def changed_submodules(self, new: Source) -> list[str]:
        """Return the submodules that differ, by path."""
        found: list[str] = []
        if isinstance(new, WorkingTree) and new.repository.git_dir == self.repository.git_dir:
            begin = f"{self.folder}/" if self.folder else ""
            paths = self.repository.submodules_changed_since(self._top)
            found = [path.removeprefix(begin) for path in paths if path.startswith(begin)]
        elif self._is_beside(new):
            found = submodules_in(self.repository.changes(self.tree, new.tree))
        return [printable_path(path) for path in found if self.paths.has(path)]

    def submodule_around(self, path: str) -> str:
        """Return the submodule that a path is, or leads into; nothing where it is none."""
        return printable_path(self.repository.submodule_around(self.tree, path))

    def _beginning(self, path: str, most: int) -> Content | None:
        file = self.repository.find(self._top, path)
        if file is None or file.fault:
            return file and FormatError(file.fault)
        blob = self.repository.look_up(str(file.content_id), most)
        if blob is None:
            place = f"{self._above}{printable_path(path)}"
            raise missing_object(place, f"object {file.content_id}")
        return blob.content


def open_whole(repository: Repository, name: str) -> GitSource:
    """Return the whole revision of a name: anything `git rev-parse` takes, or `REV:PATH`.

    Raises RevisionError where there is no such thing.
    """
    if "\n" in name:
        raise RevisionError(f"{name}: has a line break; write the id that git rev-parse prints")
    revision = split_name(name)[0] or name
    # One name is looked up once: a branch can move on between two questions.
    try:
        top = repository.look_up(revision)
    except RevisionError as error:
        if "@{" not in revision:
            raise
        reason = str(error).rpartition("fatal: ")[2]  # there is no upstream, or no such entry
        raise RevisionError(f"{name}: {reason}; {_LISTED}") from error
    if top is None and revision == "HEAD" and not repository.has_commits():
        # As for git, all is new in the first commit: a hook compares it before it is made.
        top = repository.look_up(repository.empty_tree())
    if top is None:
        raise RevisionError(f"{revision}: {_why_not_found(repository, revision)}")
    commit = repository.look_up(f"{top.object_id}^{{commit}}")  # first: git may stop at its tree
    tree = repository.look_up(f"{top.object_id}^{{tree}}")
    if tree is None and commit:
        raise missing_object(name, f"the tree of commit {commit.object_id}")
    if tree is None:
        is_file = "file without a folder; write REV:PATH"
        what = is_file if top.kind == "blob" else f"{top.kind} that leads to no folder"
        raise RevisionError(f"{name}: is a {what}")
    shown = printable_path(revision.removesuffix(AS_A_REVISION))
    facts = read_commit(commit) if commit else None
    return GitSource(repository, shown, tree.object_id, facts)


def open_revision(repository: Repository, name: str) -> Source:
    """Return what a name stands for: a whole revision, or a folder or a file of one.

    The path of `REV:PATH` begins at the top as it does for git; where nothing is there, it begins
    where the user is. Raises RevisionError where there is no such thing.
    """
    whole = open_whole(repository, name)
    revision, path = split_name(name)
    if not revision:
        return whole
    places = repository.full_paths(path)
    # What begins where the user is has another name than where others are.
    name_of_top = f"{whole.revision}:{path}" if len(places) > 1 else ""
    found = whole.part(places[0], name_of_top) or whole.part(places[-1])
    if found is None:
        near = nearest_path(places[0], partial(repository.names_in, whole.tree))
        hint = f"; did you mean {revision}:{near}?" if near else ""
        raise RevisionError(f"{name}: {revision} has no file or folder {path}{hint}")
    return found


_BACK = re.compile(r"(?:HEAD|@)((?:~[0-9]*|\^1?)+)")
"""The names that say how many commits ago; a shallow clone of one more would have that."""
_LISTED = "git branch -a, git tag and git log list the revisions"


def _why_not_found(repository: Repository, revision: str) -> str:
    if repository.is_shallow():
        way_out = "git fetch --unshallow, or fetch-depth: 0 in a checkout action"
        if back := _BACK.fullmatch(revision):
            steps = re.findall(r"[~^][0-9]*", back[1])
            depth = sum(int(step[1:] or 1) for step in steps) + 1
            way_out = f"git fetch --depth={depth}, or fetch-depth: {depth} in a checkout action"
        return f"not in this shallow clone, or misspelt; fetch more history ({way_out})"
    if not repository.has_commits():
        return "this repository has no commit yet"
    base = re.sub("(?:[~^][0-9]*)+$", "", revision)
    if base != revision and repository.resolve(base):
        return f"no such commit before {base}; git log {base} lists those that there are"
    meant = f"did you mean {near}?" if (near := repository.nearest(revision)) else _LISTED
    return f"no such directory, file or git revision; {meant}"


class GitHistory:
    """The first-parent line of commits from one revision, exclusive, to another."""

    def __init__(self, old: GitSource, new: GitSource) -> None:
        """Take two revisions of one repository, each `REV` or `REV:PATH`.

        A commit has the catalog where the newer revision has it, or else where the older one has
        it, so a folder that was renamed in between is one catalog. Raises RevisionError.
        """
        self.old, self.new = old, new
        self.repository = new.repository
        self._folders = list(dict.fromkeys([new.folder, old.folder]))
        self.first = old.require_commit()._replace(tree=old.tree)
        self.last = new.require_commit()._replace(tree=new.tree)

    def at(self, commit: Commit, name: str = "") -> GitSource:
        """Return the catalog as a commit of the history has it, by a name or by the commit's id."""
        name, folder = name or commit.id, self.new.folder
        source = GitSource(self.repository, name, commit.tree, commit, folder=folder)
        return source.narrowed(self.new.paths)

    def commits(self, after: str | None = None) -> list[Commit]:
        """Return the commits after one (else the first), oldest first; raises RevisionError."""
        start = after or self.first.id
        found = self._listed("--first-parent", "--reverse", self.last.id, f"^{start}")
        if not found and start != self.last.id:
            raise RevisionError(
                f"{start[:10]} is newer than {self.last.id[:10]}, and a changelog goes "
                "forward; write the older one first"
            )
        return found

    def commit(self, commit_id: str) -> Commit:
        """Return one commit by its full id."""
        [found] = self._listed("--no-walk", commit_id)
        return found

    def _listed(self, *arguments: str) -> list[Commit]:
        """Return the commits that `git rev-list` lists, each with the tree of the catalog."""
        ids = self.repository.git.run("rev-list", *arguments, "--").decode("ascii").split()
        commits = []
        with self.repository.objects() as objects:
            for commit_id, found in zip(ids, objects.look_up(ids), strict=True):
                if found is None:
                    raise missing_object(commit_id, "the commit")
                commits.append(read_commit(found))
        trees: dict[str, str] = {}
        for tree in {commit.tree for commit in commits}:
            folders = (self.repository.subtree(tree, folder) for folder in self._folders)
            trees[tree] = next(filter(None, folders), "")
        nothing = "" if all(trees.values()) else self.repository.empty_tree()
        return [commit._replace(tree=trees[commit.tree] or nothing) for commit in commits]

    def ancestors(self) -> dict[str, int]:
        """Return every commit in the history of the last, newest first, by its place."""
        listing = self.repository.git.run("rev-list", "--topo-order", self.last.id, "--")
        return {commit: place for place, commit in enumerate(listing.decode("ascii").split())}

    def is_ancestor(self, older: str, newer: str) -> bool:
        """Return whether one commit is the other or in its history."""
        question = ("rev-list", "--max-count=1", older, f"^{newer}", "--")
        return not self.repository.git.run(*question).strip()

    def tags(self) -> dict[str, list[str]]:
        """Return the names of tags, as they can be printed, by the commit that they point to."""
        form = "--format=%(objectname) %(*objectname) %(*objecttype) %(refname:strip=2)"
        found: dict[str, list[str]] = {}
        listing = os.fsdecode(self.repository.git.run("for-each-ref", form, "refs/tags"))
        for line in listing.split("\n"):
            if line:
                target, inner, kind, name = line.split(" ", 3)
                if kind == "tag":  # git before 2.45 looks into one tag, not into a tag of a tag
                    inner = self.repository.resolve(f"{inner}^{{}}") or inner
                found.setdefault(inner or target, []).append(printable_path(name))
        return found


def changes_between(sources: Sequence[GitSource]) -> Iterator[list[EntryPair]]:
    """Yield the old and new entries that differ from each source to the next.

    All of them are of one repository, and narrowed to the same paths. Raises RevisionError.
    """
    lines = (f"{old.tree} {new.tree}\n" for old, new in pairwise(sources))
    steps = "".join(lines).encode("ascii")
    if not steps:
        return
    repository, paths = sources[0].repository, sources[0].paths
    asked = iter(steps.splitlines())
    pairs: list[EntryPair] | None = None
    words = repository.git.words("diff-tree", "--stdin", *RAW, given=steps)
    for word in words:
        # Each step has a line of its own before the facts of its first file.
        *begun, facts = word.split(b"\n")
        for step in begun:  # a step is complete when the next one begins
            if step != next(asked):  # git leaves out a step of which it cannot read a tree
                raise missing_object("git diff-tree", "a tree")
            if pairs is not None:
                yield pairs
            pairs = []
        if facts and pairs is not None:
            old, new = entry_pair(facts, next(words))
            if (entry := new or old) and paths.has(entry.path):
                pairs.append((old, new))
    if any(asked):
        raise missing_object("git diff-tree", "a tree")
    yield pairs or []
