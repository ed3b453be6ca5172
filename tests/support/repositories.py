"""Real git repositories, made by git itself; every commit is made from files."""

import contextlib
import os
import shutil
import subprocess
from pathlib import Path

from tests.support.helpers import Files, write_files


class GitRepository:
    """A real repository in a folder, of which every commit is made from files."""

    def __init__(self, folder: Path, *, is_new: bool = True) -> None:
        """Make an empty one, or take the one that is there."""
        self.folder = folder
        if is_new:
            folder.mkdir(parents=True, exist_ok=True)
            self.git("init", "--quiet", "--initial-branch=main")

    def copied(self, folder: Path) -> "GitRepository":
        """A copy in another folder: git takes three times as long to make one."""
        return GitRepository(shutil.copytree(self.folder, folder, symlinks=True), is_new=False)

    def git(self, *arguments: str) -> str:
        """What a git command prints, less white space around it."""
        return run_git(self.folder, *arguments)

    def commit(self, files: Files, message: str = "Update") -> str:
        """Make a commit of exactly these files; return its id."""
        for item in self.folder.iterdir():
            if item.name != ".git":
                shutil.rmtree(item) if item.is_dir() else item.unlink()
        write_files(self.folder, files)
        self.git("add", "--all")
        self.git("commit", "--quiet", "--allow-empty", f"--message={message}")
        return self.head()

    def head(self) -> str:
        """The id of the commit that is checked out; git itself is asked where no file says it."""
        git = self.folder / ".git"
        with contextlib.suppress(OSError):
            word, _, ref = (git / "HEAD").read_text().strip().partition(" ")
            return (git / ref).read_text().strip() if ref else word
        return self.git("rev-parse", "HEAD")

    def everything(self) -> dict[str, str]:
        """All that a reader could have touched: every file, refs and worktrees, as text."""
        files = {
            str(file.relative_to(self.folder)): f"{file.lstat().st_mtime_ns} {file.read_bytes()!r}"
            for file in self.folder.rglob("*")
            if file.is_file()
        }
        return files | {
            "(refs)": self.git("for-each-ref"),
            "(worktrees)": self.git("worktree", "list"),
        }


GIT_IDENTITY = {
    "GIT_AUTHOR_NAME": "A. Uthor",
    "GIT_AUTHOR_EMAIL": "author@example.org",
    "GIT_AUTHOR_DATE": "2025-03-30T12:00:00+02:00",
    "GIT_COMMITTER_NAME": "C. Ommitter",
    "GIT_COMMITTER_EMAIL": "committer@example.org",
    "GIT_COMMITTER_DATE": "2025-03-31T09:30:00-05:30",
}
NO_USER_SETTINGS = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
"""For an environment in which git has no settings but a repository's own."""

COMMIT_DATE = "2025-03-31T09:30:00-05:30"


SETTINGS = ("-c", "protocol.file.allow=always", "-c", "maintenance.auto=false")
"""Files are fetched as from another host; after a commit nothing is tidied up."""


def run_git(folder: Path, *arguments: str) -> str:
    """What a git command in a folder prints, less white space around it."""
    done = subprocess.run(
        ["git", *SETTINGS, *arguments],
        cwd=folder,
        env=os.environ | GIT_IDENTITY,
        check=True,
        capture_output=True,
        text=True,
    )
    return done.stdout.strip()
