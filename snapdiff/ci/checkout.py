"""The commit that a CI system checked out, and what its clone has of the history."""

from pathlib import Path
from typing import NamedTuple

from snapdiff.errors import RevisionError
from snapdiff.sources.git_runner import GitRunner

HEAD = "HEAD"
"""The commit that is checked out; reports show its id beside it."""

_SHORT = 12
"""How many characters of an id people read; git takes more where these are not enough."""

NO_COMMIT = frozenset("0")
"""The characters of the id that CI systems give where there is no commit: of a new branch."""


class ComparedCommits(NamedTuple):
    """The two commits to compare, as people read them, and in a few words why these."""

    old: str
    new: str
    reason: str


class Checkout:
    """What is known of the checked-out commit without asking a server."""

    def __init__(self, directory: Path) -> None:
        """Take a folder in the clone; raises RevisionError where there is none, or no commit."""
        self._git = GitRunner(directory)
        self.head = self._line("rev-parse", "--verify", "--end-of-options", "HEAD^{commit}")

    def _line(self, *arguments: str) -> str:
        return self._git.run(*arguments).decode("utf-8", "replace").strip()

    def origin(self) -> str:
        """Return the address that the clone is from; empty where it is from nowhere."""
        try:
            return self._line("config", "--get", "remote.origin.url")
        except RevisionError:
            return ""

    def parents(self) -> list[str]:
        """Return the parents that the checked-out commit names, whether or not they are here.

        A shallow clone says that its last commit has none. The commit itself still names them.
        """
        head, _, _ = self._git.run("cat-file", "commit", self.head).partition(b"\n\n")
        # Not by `splitlines`: a name of an author may hold what Unicode calls the end of a line.
        lines = head.decode("utf-8", "replace").split("\n")
        return [line.partition(" ")[2] for line in lines if line.startswith("parent ")]

    def first_parent(self, way_out: str) -> str:
        """Return the name of the first parent; raises RevisionError with the way out if not here.

        It is to be one of `parents`.
        """
        self.require(self.parents()[0], way_out)
        return f"{HEAD}^1"

    def require(self, commit: str, way_out: str) -> str:
        """Return the short name of a commit that the clone has.

        Raises RevisionError with the way out where it is not here.
        """
        try:
            self._git.run("cat-file", "-e", f"{commit}^{{commit}}")
            return self._line("rev-parse", f"--short={_SHORT}", "--end-of-options", commit)
        except RevisionError as error:
            message = f"commit {commit[:_SHORT]} is not in this clone; {way_out}"
            raise RevisionError(message) from error

    def merge_base(self, branch: str, way_out: str) -> str:
        """Return the commit in which the history of a branch and of the checked-out commit meet.

        Raises RevisionError with the way out where the clone does not have it.
        """
        for name in (f"refs/remotes/origin/{branch}", f"refs/heads/{branch}"):
            try:
                return self._line("merge-base", self.head, name)
            except RevisionError:  # no such branch here, or no history that leads there
                continue
        raise RevisionError(f"no commit in common with {branch} is in this clone; {way_out}")


def is_commit(name: str | None) -> bool:
    """Return whether a CI system names a commit: not where it says nothing, or zeros alone."""
    return bool(name) and not set(name or "") <= NO_COMMIT


def changed_on_branch(
    checkout: Checkout, *, branch: str, default_branch: str, before: str | None, way_out: str
) -> ComparedCommits:
    """Return what is compared where there is no pull request.

    On the default branch that is what the push changed: from the commit before it, or else from the
    last commit's first parent. On any other it is all that the branch changed: from where it left
    the default branch. Raises RevisionError where the clone does not have the older commit.
    """
    if branch != default_branch:
        base = checkout.merge_base(default_branch, way_out)
        if base != checkout.head:
            old = checkout.require(base, way_out)
            return ComparedCommits(old, HEAD, f"since {default_branch}")
    if before and is_commit(before):
        return ComparedCommits(checkout.require(before, way_out), HEAD, "this push")
    if not checkout.parents():
        message = f"commit {checkout.head[:_SHORT]} is the first; there is none before it"
        raise RevisionError(message)
    return ComparedCommits(checkout.first_parent(way_out), HEAD, "the last commit")
