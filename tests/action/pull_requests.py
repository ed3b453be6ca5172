"""A catalog's repository with a pull request, as a code host has it and as a CI job clones it."""

import json
from pathlib import Path
from typing import Any

from tests.support.helpers import Files, pages_of, spec
from tests.support.repositories import GitRepository, run_git

NUMBER = 12


class PullRequest:
    """A repository with a pull request, and a target branch that has moved on meanwhile.

    The pull request downgrades mpich. Since it was made, somebody else removed hdf5 from the target
    branch: that is no change of the pull request.
    """

    def __init__(self, folder: Path) -> None:
        """Make the repository and the host's merge commit."""
        self.origin = GitRepository(folder / "origin")
        base = [spec("a"), spec("b", package="mpich", version="3.0"), spec("c", package="hdf5")]
        self.old_base = self.origin.commit(pages_of(base))
        self.target = self.origin.commit(pages_of(base[:2]), "Remove hdf5")
        self.origin.git("branch", "change", self.old_base)
        self.push(mpich="2.9", with_hdf5=True)

    def push(self, *, mpich: str, with_hdf5: bool = True) -> None:
        """Push to the pull request: then its merge commit is another one, too."""
        pages = [spec("a"), spec("d", package="mpich", version=mpich)]
        pages += [spec("c", package="hdf5")] if with_hdf5 else []
        self.push_files(pages_of(pages), f"mpich {mpich}")

    def push_files(self, files: Files, message: str) -> None:
        """Make the branch of the pull request hold just these files."""
        self.origin.git("checkout", "--quiet", "change")
        self.head = self.origin.commit(files, message)
        self.origin.git("checkout", "--quiet", "--detach", "main")
        self.origin.git("merge", "--quiet", "--no-ff", "--message=Merge", "change")
        self.merge = self.origin.git("rev-parse", "HEAD")
        self.origin.git("update-ref", f"refs/pull/{NUMBER}/merge", self.merge)

    def event(self, **fields: Any) -> dict[str, Any]:
        """What the host says of the pull request; its `base.sha` is old, as hosts have it."""
        request = {
            "number": NUMBER,
            "head": {"ref": "change", "sha": self.head},
            "base": {"ref": "main", "sha": self.old_base},
        }
        repository = {"default_branch": "main", "owner": {"login": "spack"}}
        return {"number": NUMBER, "pull_request": request, "repository": repository, **fields}

    def checkout(self, folder: Path, ref: str, *, depth: int | None = None) -> Path:
        """Fetch a ref and check it out, as actions/checkout does; return the folder."""
        folder.mkdir(parents=True)
        run_git(folder, "init", "--quiet", "--initial-branch=main")
        run_git(folder, "remote", "add", "origin", self.origin.folder.as_uri())
        wanted = [f"+{ref}:refs/remotes/wanted"]
        if depth is None:
            wanted.append("+refs/heads/*:refs/remotes/origin/*")
        shallow = [f"--depth={depth}"] if depth else []
        run_git(folder, "fetch", "--quiet", "--no-tags", *shallow, "origin", *wanted)
        run_git(folder, "checkout", "--quiet", "--force", "refs/remotes/wanted")
        return folder

    def checkout_merge(self, folder: Path, *, depth: int | None = 2) -> Path:
        """Check out the merge commit."""
        return self.checkout(folder, f"refs/pull/{NUMBER}/merge", depth=depth)


class OneSided(PullRequest):
    """A pull request that brings the first files of a catalog, or one that removes the last."""

    def __init__(self, folder: Path, files: Files, *, brings: bool) -> None:
        """Make the repository and the host's merge commit."""
        self.origin = GitRepository(folder / "origin")
        readme = {"README.md": "# A catalog"}
        without, with_files = readme, {**readme, **files}
        before, after = (without, with_files) if brings else (with_files, without)
        self.old_base = self.target = self.origin.commit(before)
        self.origin.git("branch", "change")
        self.push_files(after, "Bring" if brings else "Remove")


def write_event(folder: Path, event: dict[str, Any]) -> Path:
    """Write an event to a file."""
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / "event.json"
    file.write_text(json.dumps(event), "utf-8")
    return file
