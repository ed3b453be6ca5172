"""A git revision as a source: read as objects, without a checkout and without a trace.

The only home of GitPython. Every command it runs is plumbing that looks at objects: none reads the
work tree or the index, runs a filter, a hook or a pager, or asks a remote.
"""

import contextlib
import os
import re
import subprocess
from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import IO

from snapdiff.errors import FormatError, RevisionError
from snapdiff.sources.base import PAGE_NAME, PAGE_SUFFIX, Content, Entry, Source, pair_entries
from snapdiff.sources.directory import printable_path

_READ_ONLY = {
    "GIT_ALLOW_PROTOCOL": "",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
}
"""No transport, no lock, no question: an object that is not here is an error."""

_READ_AHEAD = 64
"""How many objects git is asked for before the first is taken, so that it never waits for us."""

_PIPE_SIZE = 1 << 20
_SYMLINK = "120000"
_SUBMODULE = "160000"
_COLON_OUTSIDE_BRACES = re.compile(r"^((?:[^{}:]|\{[^}]*\})+):(.*)$", re.DOTALL)
_COMMITTER = re.compile(rb"^committer .*> (-?\d+) ([+-])(\d\d)(\d\d)$", re.MULTILINE)


class Repository:
    """A git repository that revisions are looked up in; nothing in it is ever changed."""

    def __init__(self, directory: Path) -> None:
        """Open the repository that holds `directory`, as git would find it from there.

        Raises RevisionError where there is none, or no git to read it with.
        """
        try:
            import git
        except ImportError as error:
            message = "git is not installed, so only directories can be compared; install git"
            raise RevisionError(message) from error
        try:
            repo = git.Repo(directory, search_parent_directories=True)
        except Exception as error:  # GitPython lets through whatever its parsers raise
            raise RevisionError(f"{directory}: no git repository is here") from error
        self._command = [git.Git.GIT_PYTHON_GIT_EXECUTABLE or "git", f"--git-dir={repo.git_dir}"]
        self.work_tree = Path(repo.working_tree_dir) if repo.working_tree_dir else None
        if self.work_tree:
            self._command.append(f"--work-tree={self.work_tree}")
        self.git_dir = Path(repo.common_dir).resolve()
        self._git = git.Git(str(directory))
        self._git.update_environment(**_READ_ONLY)
        self._git_error = git.GitError

    def run(self, *arguments: str) -> bytes:
        """Return what a git command prints; raises RevisionError with git's own words."""
        try:
            return self._git.execute(
                [*self._command, *arguments],
                stdout_as_string=False,
                strip_newline_in_stdout=False,
            )
        except self._git_error as error:
            words = str(getattr(error, "stderr", "") or error)
            reason = re.sub(r"\s+", " ", words).strip(" '").removeprefix("stderr: '")
            raise RevisionError(f"git {arguments[0]}: {reason}") from error

    @contextlib.contextmanager
    def process(self, *arguments: str) -> Iterator[tuple[IO[bytes], IO[bytes]]]:
        """Run a git command; yield its standard input and output while it runs."""
        guarded = self._git.execute(
            [*self._command, *arguments], istream=subprocess.PIPE, as_process=True
        )
        process = guarded.proc
        assert process is not None
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        _widen(process.stdout)
        try:
            yield process.stdin, process.stdout
        finally:
            process.kill()  # it only reads, so there is nothing that it could leave half done
            for pipe in (process.stdin, process.stdout, process.stderr):
                with contextlib.suppress(OSError):
                    pipe.close()
            process.wait()

    def resolve(self, revision: str) -> str | None:
        """Return the object id that a revision names, or None where it names nothing."""
        try:
            return (
                self.run("rev-parse", "--verify", "--quiet", "--end-of-options", revision)
                .decode("ascii")
                .strip()
            )
        except RevisionError:
            return None

    def is_shallow(self) -> bool:
        """Return whether history was cut off when the repository was cloned."""
        return self.run("rev-parse", "--is-shallow-repository").strip() == b"true"


class GitSource:
    """The pages in a revision, or in a subfolder of one."""

    def __init__(self, repository: Repository, revision: str) -> None:
        """Resolve `revision`: anything `git rev-parse` takes, or `REV:PATH`.

        Raises RevisionError where it names no commit and no folder.
        """
        self.name = revision
        self.repository = repository
        object_id = repository.resolve(revision)
        if object_id is None:
            raise RevisionError(_not_found(repository, revision))
        parts = _COLON_OUTSIDE_BRACES.match(revision)
        self.prefix = printable_path(parts[2].strip("/")) if parts else ""
        self.commit = repository.resolve(f"{parts[1] if parts else revision}^{{commit}}")
        self.date = _commit_date(repository, self.commit) if self.commit else None
        kind = repository.run("cat-file", "-t", object_id).decode("ascii").strip()
        if kind == "blob":
            raise RevisionError(f"{revision}: is a file, not a folder; name the folder it is in")
        tree = object_id if kind == "tree" else repository.resolve(f"{object_id}^{{tree}}")
        if tree is None:
            raise RevisionError(f"{revision}: is a {kind} that leads to no folder")
        self.tree = tree

    def entries(self, folder: str = "") -> Iterator[Entry]:
        """Yield every file whose name ends in `.md` below a folder, in the order of their paths."""
        where = [os.fsencode(folder + "/")] if folder else []
        listing = self.repository.run(
            "ls-tree", "-r", "-z", "--full-tree", self.tree, *map(os.fsdecode, where)
        )
        for line in listing.split(b"\0")[:-1]:
            facts, _, path = line.partition(b"\t")
            mode, _, object_id = facts.decode("ascii").split(" ")
            entry = _entry(os.fsdecode(path), mode, object_id)
            if entry:
                yield entry

    def read(self, entries: Iterable[Entry]) -> Iterator[Content]:
        """Yield the content of each entry, in the order given.

        Raises RevisionError where an object is missing or damaged.
        """
        with self.repository.process("cat-file", "--batch") as (stdin, stdout):
            waiting: list[Entry] = []
            for entry in entries:
                waiting.append(entry)
                if not entry.fault:
                    stdin.write(f"{entry.content_id}\n".encode("ascii"))
                if len(waiting) >= _READ_AHEAD:
                    stdin.flush()
                    for ready in waiting[: _READ_AHEAD // 2]:
                        yield self._take(ready, stdout)
                    del waiting[: _READ_AHEAD // 2]
            stdin.close()
            for ready in waiting:
                yield self._take(ready, stdout)

    def _take(self, entry: Entry, stdout: IO[bytes]) -> Content:
        if entry.fault:
            return FormatError(entry.fault)
        header = stdout.readline().split()
        if len(header) != 3:
            message = (
                f"{self.name}: object {entry.content_id} of {entry.path} is missing or damaged"
            )
            raise RevisionError(f"{message}; see git fsck")
        size = int(header[2])
        content = stdout.read(size + 1)
        if len(content) != size + 1:
            raise RevisionError(
                f"{self.name}: {entry.path}: git stopped in the middle; see git fsck"
            )
        return content[:-1]

    def changed_entries(self, new: Source) -> list[tuple[Entry | None, Entry | None]] | None:
        """Return old and new entries that differ; folders that are equal are not even opened."""
        if not isinstance(new, GitSource):
            return None
        if new.repository.git_dir != self.repository.git_dir:
            return pair_entries(self, new)
        listing = self.repository.run(
            "diff-tree", "-r", "-z", "--raw", "--no-renames", self.tree, new.tree
        )
        words = listing.split(b"\0")[:-1]
        pairs = []
        for facts, path in zip(words[0::2], words[1::2], strict=True):
            old_mode, new_mode, old_id, new_id, _ = facts[1:].decode("ascii").split(" ")
            name = os.fsdecode(path)
            pair = _entry(name, old_mode, old_id), _entry(name, new_mode, new_id)
            if any(pair):
                pairs.append(pair)
        return pairs


def _entry(path: str, mode: str, object_id: str) -> Entry | None:
    """Return the entry of a tree as one that may be a page, or None."""
    if not path.endswith(PAGE_SUFFIX) or mode in ("000000", _SUBMODULE):
        return None
    if mode != _SYMLINK:
        return Entry(path, object_id)
    if path.rpartition("/")[2] == PAGE_NAME:
        return Entry(path, object_id, "is a symbolic link, and links are not followed")
    return None


def _commit_date(repository: Repository, commit: str) -> str | None:
    found = _COMMITTER.search(repository.run("cat-file", "commit", commit))
    if not found:
        return None
    offset = timedelta(hours=int(found[3]), minutes=int(found[4]))
    zone = timezone(-offset if found[2] == b"-" else offset)
    try:
        return datetime.fromtimestamp(int(found[1]), zone).isoformat()
    except (ValueError, OverflowError, OSError):
        return None


def _not_found(repository: Repository, revision: str) -> str:
    if not repository.is_shallow():
        return f"{revision}: neither a directory nor a revision that git knows"
    return (
        f"{revision}: not in this shallow clone; fetch more history "
        "(git fetch --deepen=1, or fetch-depth: 2 in a checkout action)"
    )


def _widen(pipe: IO[bytes]) -> None:
    """Let git run ahead by a megabyte where the system allows it."""
    with contextlib.suppress(ImportError, AttributeError, OSError):
        import fcntl

        fcntl.fcntl(pipe.fileno(), fcntl.F_SETPIPE_SZ, _PIPE_SIZE)
