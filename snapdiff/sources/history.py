"""The commits between two revisions: what each did to the catalog, and its pages as bytes.

Git is asked four things for a whole range, however long it is: which commits there are, which
folder each of them has the catalog in, what differs from one to the next, and the pages.
"""

import os
from collections.abc import Iterator, Sequence
from itertools import pairwise

from snapdiff.errors import RevisionError
from snapdiff.sources.git import GitSource
from snapdiff.sources.git_commands import Commit
from snapdiff.sources.repository import RAW, Repository
from snapdiff.sources.source import EntryPair, printable_path


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
        return self._listed("--first-parent", "--reverse", self.last.id, f"^{start}")

    def commit(self, commit_id: str) -> Commit:
        """Return one commit by its full id."""
        [found] = self._listed("--no-walk", commit_id)
        return found

    def _listed(self, *arguments: str) -> list[Commit]:
        """Return the commits that `git rev-list` lists, each with the tree of the catalog."""
        found = self.repository.commits(*arguments)
        trees = self._catalogs([commit.tree for commit in found])
        return [commit._replace(tree=tree) for commit, tree in zip(found, trees, strict=True)]

    def ancestors(self) -> dict[str, int]:
        """Return every commit in the history of the last, newest first, by its place."""
        git = self.repository.git
        listing = git.run("rev-list", "--topo-order", self.last.id, "--").decode("ascii")
        return {commit: place for place, commit in enumerate(listing.split())}

    def is_ancestor(self, older: str, newer: str) -> bool:
        """Return whether one commit is the other or in its history."""
        git = self.repository.git
        return not git.run("rev-list", "--max-count=1", older, f"^{newer}", "--").strip()

    def is_descendant(self, commit: str) -> bool:
        """Return whether there is such a commit, and the range's end is in its history."""
        exists = self.repository.resolve(f"{commit}^{{commit}}") is not None
        return exists and self.is_ancestor(self.last.id, commit)

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

    def _catalogs(self, trees: list[str]) -> list[str]:
        """Return the catalog's folder in each tree, as a tree; an empty one where it has none."""
        found = dict.fromkeys(trees, "")
        for folder in self._folders:
            open_ones = [tree for tree, known in found.items() if not known]
            found.update(zip(open_ones, self._subtrees(open_ones, folder), strict=True))
        nothing = "" if all(found.values()) else self.repository.empty_tree()
        return [found[tree] or nothing for tree in trees]

    def _subtrees(self, trees: list[str], folder: str) -> list[str]:
        if not folder:
            return trees
        if "\n" in folder:
            raise RevisionError(f"{folder}: a folder with a line break in its name has no history")
        names = os.fsencode("".join(f"{tree}:{folder}\n" for tree in trees))
        form = "--batch-check=%(objecttype) %(objectname)"
        answers = self.repository.git.run("cat-file", form, given=names).decode("ascii", "replace")
        kinds = [line.partition(" ") for line in answers.split("\n")[:-1]]
        return [name if kind == "tree" else "" for kind, _, name in kinds]


def changes_between(repository: Repository, trees: Sequence[str]) -> Iterator[list[EntryPair]]:
    """Yield the old and new entries that differ, from each tree to the next.

    Raises RevisionError if git fails.
    """
    steps = "".join(f"{old} {new}\n" for old, new in pairwise(trees))
    if not steps:
        return
    pairs: list[EntryPair] | None = None
    git = repository.git
    words = _words(git.stream("diff-tree", "--stdin", *RAW, given=steps.encode("ascii")))
    for word in words:
        # Each step has a line of its own before the facts of its first file.
        *begun, facts = word.split(b"\n")
        for _ in begun:  # a step is complete when the next one begins
            if pairs is not None:
                yield pairs
            pairs = []
        if facts and pairs is not None and any(pair := repository.entry_pair(facts, next(words))):
            pairs.append(pair)
    yield pairs or []


def _words(pieces: Iterator[bytes]) -> Iterator[bytes]:
    """Yield what git ends with a zero byte, and then what it has not ended so."""
    rest = b""
    for piece in pieces:
        *words, rest = (rest + piece).split(b"\0")
        yield from words
    yield rest
