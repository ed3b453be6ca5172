"""The commits between two revisions: what each did to the catalog, and its pages as bytes.

Git is asked four things for a whole range, however long it is: which commits there are, which
folder each of them has the catalog in, what differs from one to the next, and the pages.
"""

import contextlib
import os
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import IO, NamedTuple

from snapdiff.errors import RevisionError
from snapdiff.sources.git import GitSource
from snapdiff.sources.git_objects import Objects, iso_date, missing_object
from snapdiff.sources.repository import RAW, Repository
from snapdiff.sources.source import Content, Entry, EntryPair, printable_path

_MOST_ASKED = 512
"""How many objects git may owe us: more, and it could wait for us while we wait for it."""

_ASK_AHEAD = 64
_CHUNK = 1 << 16


class Commit(NamedTuple):
    """A commit: its id, its date in ISO 8601, and the tree that is the catalog's folder in it.

    `subject` is the first line of its message, joined where it has several.
    """

    id: str
    date: str | None
    tree: str
    subject: str = ""


class GitHistory:
    """The first-parent line of commits from one revision, exclusive, to another."""

    def __init__(self, old: GitSource, new: GitSource) -> None:
        """Take two revisions of one repository, each `REV` or `REV:PATH`.

        A commit has the catalog where the newer revision has it, or else where the older one has
        it, so a folder that was renamed in between is one catalog. Raises RevisionError.
        """
        for source in (old, new):
            if source.commit is None:
                raise RevisionError(f"{source.name}: is no commit, so it has no history")
        assert old.commit is not None
        self.repository = new.repository.narrowed(new.paths)
        self.folder = new.folder
        self._folders = list(dict.fromkeys([self.folder, old.folder]))
        self.first = Commit(old.commit, old.date, old.tree, old.subject)
        assert new.commit is not None
        self.last = Commit(new.commit, new.date, new.tree, new.subject)

    def commits(self, after: str | None = None) -> list[Commit]:
        """Return the commits after one of them (the first, if not given), oldest first.

        Raises RevisionError where the range goes backward.
        """
        start = after or self.first.id
        if start != self.last.id and self.is_ancestor(self.last.id, start):
            raise RevisionError(
                f"{start[:10]} is newer than {self.last.id[:10]}, and a changelog goes forward; "
                "write the older one first"
            )
        listing = self.repository.run(
            "rev-list",
            "--first-parent",
            "--reverse",
            "--date=raw",
            "--encoding=UTF-8",
            "--format=%H %T %cd%x00%s",
            self.last.id,
            f"^{start}",
        )
        found = []
        for line in listing.split(b"\n"):
            facts, zero, subject = line.partition(b"\0")
            if zero:
                commit, tree, date = facts.decode("ascii", "replace").split(" ", 2)
                words = subject.decode("utf-8", "backslashreplace")
                found.append(Commit(commit, iso_date(date), tree, words))
        trees = self._catalogs([commit.tree for commit in found])
        return [commit._replace(tree=tree) for commit, tree in zip(found, trees, strict=True)]

    def commit(self, commit_id: str) -> Commit:
        """Return one commit by its full id."""
        line = self.repository.run(
            "rev-list",
            "--no-walk",
            "--date=raw",
            "--encoding=UTF-8",
            "--format=%T %cd%x00%s",
            commit_id,
        )
        facts, _, subject = line.split(b"\n")[1].partition(b"\0")
        tree, date = facts.decode("ascii", "replace").split(" ", 1)
        [tree] = self._catalogs([tree])
        return Commit(commit_id, iso_date(date), tree, subject.decode("utf-8", "backslashreplace"))

    def ancestors(self) -> dict[str, int]:
        """Return every commit in the history of the last, newest first, by its place."""
        listing = self.repository.run("rev-list", "--topo-order", self.last.id).decode("ascii")
        return {commit: place for place, commit in enumerate(listing.split())}

    def is_ancestor(self, older: str, newer: str) -> bool:
        """Return whether one commit is the other or in its history."""
        return not self.repository.run("rev-list", "--max-count=1", older, f"^{newer}").strip()

    def is_descendant(self, commit: str) -> bool:
        """Return whether there is such a commit, and the range's end is in its history."""
        exists = self.repository.resolve(f"{commit}^{{commit}}") is not None
        return exists and self.is_ancestor(self.last.id, commit)

    def tags(self) -> dict[str, list[str]]:
        """Return the names of tags, as they can be printed, by the commit that they point to."""
        form = "--format=%(objectname) %(*objectname) %(*objecttype) %(refname:strip=2)"
        found: dict[str, list[str]] = {}
        for line in os.fsdecode(self.repository.run("for-each-ref", form, "refs/tags")).split("\n"):
            if line:
                target, inner, kind, name = line.split(" ", 3)
                if kind == "tag":  # git before 2.45 looks into one tag, not into a tag of a tag
                    inner = self.repository.resolve(f"{inner}^{{}}") or inner
                found.setdefault(inner or target, []).append(printable_path(name))
        return found

    def _catalogs(self, trees: list[str]) -> list[str]:
        """Return the catalog's folder in each tree, as a tree; an empty one where it has none."""
        found = dict.fromkeys(trees, "")
        for folder in self._folders:
            open_ones = [tree for tree, known in found.items() if not known]
            found.update(zip(open_ones, self._subtrees(open_ones, folder), strict=True))
        if not all(found.values()):
            empty = self.repository.run("hash-object", "-t", "tree", os.devnull)
            nothing = empty.decode("ascii").strip()
            return [found[tree] or nothing for tree in trees]
        return [found[tree] for tree in trees]

    def _subtrees(self, trees: list[str], folder: str) -> list[str]:
        if not folder:
            return trees
        if "\n" in folder:
            raise RevisionError(f"{folder}: a folder with a line break in its name has no history")
        found = []
        with self.repository.process("cat-file", "--batch-check") as (stdin, stdout):
            for tree in trees:
                stdin.write(tree.encode("ascii") + b":" + os.fsencode(folder) + b"\n")
                stdin.flush()
                line = stdout.readline()
                if not line.endswith(b"\n"):
                    raise RevisionError("git cat-file stopped in the middle; see git fsck")
                answer = line.split()
                is_tree = len(answer) == 3 and answer[1] == b"tree"
                found.append(answer[0].decode("ascii") if is_tree else "")
        return found


class PageObjects:
    """Reads files by object id; what is asked for early is ready when it is taken."""

    def __init__(self, objects: Objects) -> None:
        """Take a conversation with git that is not shared."""
        self._objects = objects
        self._asked: dict[str, str] = {}
        self._arrived: dict[str, Content] = {}

    def ask(self, entries: Iterable[Entry]) -> None:
        """Ask git for some files, as far as it is not yet busy enough."""
        for entry in entries:
            if len(self._asked) + len(self._arrived) >= _MOST_ASKED:
                break
            self._ask(entry)
        self._objects.send()

    def take(self, entry: Entry) -> Content:
        """Return the content of a file, or why it is not taken.

        Raises RevisionError where the object is missing or damaged.
        """
        wanted = str(entry.content_id)
        if wanted not in self._arrived:
            self._ask(entry)
            self._objects.send()
        while wanted not in self._arrived:
            object_id = next(iter(self._asked))
            path = self._asked.pop(object_id)
            found = self._objects.answer(path)
            if found is None:
                raise missing_object(entry.path, f"object {object_id}")
            self._arrived[object_id] = self._objects.file_content(found, path)
        return self._arrived.pop(wanted)

    def _ask(self, entry: Entry) -> None:
        object_id = str(entry.content_id)
        if object_id not in self._asked and object_id not in self._arrived:
            self._asked[object_id] = entry.path
            self._objects.ask(object_id)


@contextlib.contextmanager
def open_objects(repository: Repository) -> Iterator[PageObjects]:
    """Yield a reader of the repository's files, for as long as the block runs."""
    with repository.objects() as objects, repository.kept_open():
        yield PageObjects(objects)


def changes_between(repository: Repository, trees: Sequence[str]) -> Iterator[list[EntryPair]]:
    """Yield the old and new entries that differ, from each tree to the next.

    Raises RevisionError if git fails.
    """
    steps = len(trees) - 1
    if steps < 1:
        return
    with repository.process("diff-tree", "--stdin", *RAW) as (stdin, stdout):
        asked = _ask_for_steps(stdin, trees, 0, _ASK_AHEAD)
        begun = 0
        pairs: list[EntryPair] = []
        for word in _words(stdout):
            if word is not None:
                pair = repository.entry_pair(*word)
                if any(pair):
                    pairs.append(pair)
                continue
            begun += 1
            asked = _ask_for_steps(stdin, trees, asked, 1)
            if begun > 1:  # a step is complete when the next one begins
                yield pairs
                pairs = []
        if begun != steps:
            raise RevisionError("git diff-tree stopped in the middle; see git fsck")
        yield pairs


def _ask_for_steps(stdin: IO[bytes], trees: Sequence[str], asked: int, more: int) -> int:
    """Ask for some more steps, and return for how many git was asked so far."""
    if asked == len(trees) - 1:
        return asked
    steps = list(pairwise(trees[asked : asked + more + 1]))
    for old, new in steps:
        stdin.write(f"{old} {new}\n".encode("ascii"))
    asked += len(steps)
    if asked == len(trees) - 1:
        stdin.close()
    else:
        stdin.flush()
    return asked


def _words(stdout: IO[bytes]) -> Iterator[tuple[bytes, bytes] | None]:
    """Yield None where the next step begins, and facts and path of each file that differs."""
    text, start = b"", 0
    while True:
        if text.startswith(b":", start):
            middle = text.find(b"\0", start)
            end = text.find(b"\0", middle + 1) if middle >= 0 else -1
            word = text[start + 1 : middle], text[middle + 1 : end]
        else:
            end = text.find(b"\n", start)
            word = None
        if end >= 0:
            yield word
            start = end + 1
            continue
        more = os.read(stdout.fileno(), _CHUNK)
        if not more:
            return
        text, start = text[start:] + more, 0
