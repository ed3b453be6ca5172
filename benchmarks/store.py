"""Generated catalogs on disk: as a directory of pages, or as a packed git repository."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterable
from pathlib import Path
from types import TracebackType
from typing import IO, Self

from benchmarks.page import Page, render


def git_environment() -> dict[str, str]:
    """The environment without `GIT_DIR` and its like, which would name another repository."""
    return {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}


def write_directory(root: Path, pages: Iterable[Page]) -> None:
    """Every page in its own file below `root`."""
    for page in pages:
        path = root / page.path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(render(page))


class Repository:
    """A new git repository that takes blobs as they come and commits made of them.

    Leaving the `with` block ends the import and packs everything into one pack, as a clone has it.
    There is no work tree: the first branch is `main`, and nothing is checked out.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        path.mkdir(parents=True)
        self._git("init", "--quiet", ".")
        self._git("symbolic-ref", "HEAD", "refs/heads/main")
        self._git("config", "gc.auto", "0")
        self._blobs = 0
        self._commits = 0
        self._process = subprocess.Popen(
            ["git", "fast-import", "--quiet", "--done"],
            cwd=path,
            env=git_environment(),
            stdin=subprocess.PIPE,
        )
        assert self._process.stdin is not None
        self._stream: IO[bytes] = self._process.stdin

    def blob(self, page: Page) -> str:
        """The mark under which a commit can name the page's text."""
        return self.blob_of(render(page))

    def blob_of(self, text: bytes) -> str:
        """The mark under which a commit can name a text."""
        self._blobs += 1
        self._stream.write(b"blob\nmark :%d\ndata %d\n%b\n" % (self._blobs, len(text), text))
        return f":{self._blobs}"

    def commit(self, message: str, changes: Iterable[tuple[str, str | None]]) -> None:
        """A commit after the last one: paths with the marks of their blobs, None where deleted.

        Commits are a day apart, so that the same catalog has the same commit ids whenever it is
        written.
        """
        when = 1_750_000_000 + 86_400 * self._commits
        self._commits += 1
        text = message.encode()
        self._stream.write(b"commit refs/heads/main\n")
        self._stream.write(b"committer benchmark <benchmark@example.com> %d +0000\n" % when)
        self._stream.write(b"data %d\n%b\n" % (len(text), text))
        for path, mark in changes:
            line = f"D {path}\n" if mark is None else f"M 100644 {mark} {path}\n"
            self._stream.write(line.encode())
        self._stream.write(b"\n")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if kind is not None:
            self._process.kill()
            self._process.wait()
            return
        self._stream.write(b"done\n")
        self._stream.close()
        if self._process.wait() != 0:
            raise RuntimeError(f"git fast-import failed in {self.path}")
        self._git("repack", "-adq")
        self._git("pack-refs", "--all")

    def _git(self, *arguments: str) -> None:
        subprocess.run(["git", *arguments], cwd=self.path, env=git_environment(), check=True)


def write_two_commits(path: Path, pairs: Iterable[tuple[Page | None, Page | None]]) -> None:
    """A repository with two commits: all the old pages, then whatever differs in the new ones."""
    first: list[tuple[str, str | None]] = []
    second: list[tuple[str, str | None]] = []
    with Repository(path) as repository:
        for old, new in pairs:
            if old is not None:
                first.append((old.path, repository.blob(old)))
            if new is None and old is not None:
                second.append((old.path, None))
            elif new is not None and new is not old:
                second.append((new.path, repository.blob(new)))
        repository.commit("First day", first)
        repository.commit("Next day", second)


def write_one_commit(path: Path, pages: Iterable[Page]) -> None:
    """A repository with one commit that holds all the pages."""
    with Repository(path) as repository:
        repository.commit("All pages", [(page.path, repository.blob(page)) for page in pages])
