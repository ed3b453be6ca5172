"""A git revision as a source: read as objects, without a checkout and without a trace.

The only home of GitPython. Every command it runs is plumbing that looks at objects: none reads the
work tree or the index, runs a filter, a hook or a pager, or asks a remote.
"""

import contextlib
import os
import re
import subprocess
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import IO

from snapdiff.errors import RevisionError
from snapdiff.sources.base import (
    PAGE_NAME,
    PAGE_SUFFIX,
    Content,
    ContentPair,
    Entry,
    EntryPair,
    Source,
    pair_entries,
    printable_path,
    read_side_by_side,
)
from snapdiff.sources.git_objects import Objects, commit_date

_READ_ONLY = {
    "GIT_ALLOW_PROTOCOL": "",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
}
"""No transport, no lock, no question: an object that is not here is an error."""

_NO_PROGRAM = ("-c", "core.fsmonitor=false")
"""Even `diff-tree` of two trees would start a file system monitor that a repository names."""

_IN_PIECES = ("-c", "core.bigFileThreshold=1m")
"""Git hands over what is larger without having all of it in memory."""

_PIPE_SIZE = 1 << 20
_SYMLINK = "120000"
_SUBMODULE = "160000"
_COLON_OUTSIDE_BRACES = re.compile(r"^((?:[^{}:]|\{[^}]*\})+):(.*)$", re.DOTALL)


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
            # Absolute, and taken as it stands: GitPython would read `~` and `$HOME` in it.
            repo = git.Repo(directory.resolve(), search_parent_directories=True, expand_vars=False)
        except Exception as error:  # GitPython lets through whatever its parsers raise
            raise RevisionError(f"{directory}: no git repository is here") from error
        executable = git.Git.GIT_PYTHON_GIT_EXECUTABLE or "git"
        self._command = [executable, *_NO_PROGRAM, *_IN_PIECES, f"--git-dir={repo.git_dir}"]
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
        except BrokenPipeError as error:  # git is gone, and was asked something
            raise RevisionError(
                f"git {arguments[0]} stopped in the middle; see git fsck"
            ) from error
        finally:
            process.kill()  # it only reads, so there is nothing that it could leave half done
            for pipe in (process.stdin, process.stdout, process.stderr):
                with contextlib.suppress(OSError):
                    pipe.close()
            process.wait()

    def resolve(self, revision: str) -> str | None:
        """Return the object id that a revision names, or None where it names nothing."""
        with self.objects() as objects:
            found = objects.look_up(revision)
        return found.object_id if found else None

    @contextlib.contextmanager
    def objects(self) -> Iterator[Objects]:
        """Start a git that answers questions about objects, one after the other."""
        with self.process("cat-file", "--batch") as (stdin, stdout):
            yield Objects(stdin, stdout)

    def read(self, entries: Iterable[tuple[str, Entry]]) -> Iterator[Content]:
        """Yield the content of each entry, given with its revision's name, in the order given.

        Git works ahead while its last answers are looked at. Raises RevisionError where an object
        is missing or damaged.
        """
        with self.objects() as objects:
            yield from objects.read(entries)

    def entries(self, tree: str, folder: str = "") -> Iterator[Entry]:
        """Yield the files of a tree, or of a folder in it, that may be pages, by path."""
        where = [f"{folder}/"] if folder else []
        listing = self.run("ls-tree", "-r", "-z", "--full-tree", tree, *where)
        for line in listing.split(b"\0")[:-1]:
            facts, _, path = line.partition(b"\t")
            mode, _, object_id = facts.decode("ascii").split(" ")
            entry = _entry(os.fsdecode(path), mode, object_id)
            if entry:
                yield entry

    def has_commits(self) -> bool:
        """Return whether anything was ever committed, on whatever branch."""
        return (
            bool(self.run("for-each-ref", "--count=1").strip()) or self.resolve("HEAD") is not None
        )

    def is_shallow(self) -> bool:
        """Return whether history was cut off when the repository was cloned."""
        return self.run("rev-parse", "--is-shallow-repository").strip() == b"true"


class GitSource:
    """The pages in a revision, or in a subfolder of one."""

    def __init__(self, repository: Repository, revision: str) -> None:
        """Resolve `revision`: anything `git rev-parse` takes, or `REV:PATH`.

        Raises RevisionError where it names no commit and no folder.
        """
        self.name = printable_path(revision)
        self.repository = repository
        parts = _COLON_OUTSIDE_BRACES.match(revision)
        with repository.objects() as objects:
            found = objects.look_up(revision)
            if found is None:
                base = objects.look_up(parts[1]) if parts else None
                raise RevisionError(_not_found(repository, revision, parts if base else None))
            commit = objects.look_up(f"{parts[1] if parts else found.object_id}^{{commit}}")
            tree = objects.look_up(f"{found.object_id}^{{tree}}")
        if found.kind == "blob":
            raise RevisionError(f"{revision}: is a file, not a folder; name the folder it is in")
        if tree is None:
            raise RevisionError(f"{revision}: is a {found.kind} that leads to no folder")
        self.folder = parts[2].strip("/") if parts else ""
        self.prefix = printable_path(self.folder)
        self.commit = commit.object_id if commit else None
        self.date = commit_date(commit.content) if commit else None
        self.tree = tree.object_id

    def entries(self, folder: str = "") -> Iterator[Entry]:
        """Yield every file whose name ends in `.md` below a folder, in the order of their paths."""
        return self.repository.entries(self.tree, folder)

    def read(self, entries: Iterable[Entry]) -> Iterator[Content]:
        """Yield the content of each entry, in the order given.

        Raises RevisionError where an object is missing or damaged.
        """
        return self.repository.read((self.name, entry) for entry in entries)

    def read_both(self, new: Source, pairs: Sequence[EntryPair]) -> Iterator[ContentPair]:
        """Yield old and new content of each pair, in the order given.

        Where one repository has both, one git reads them in turn: an old page and a new one are
        often stored as a difference to each other, and git keeps what it put together last.
        """
        if not (isinstance(new, GitSource) and self._is_in_repository_of(new)):
            yield from read_side_by_side(self, new, pairs)
            return
        names = self.name, new.name
        contents = self.repository.read(
            (name, entry)
            for pair in pairs
            for name, entry in zip(names, pair, strict=True)
            if entry
        )
        for before, after in pairs:
            yield next(contents) if before else None, next(contents) if after else None

    def _is_in_repository_of(self, other: "GitSource") -> bool:
        return self.repository.git_dir == other.repository.git_dir

    def changed_entries(self, new: Source) -> list[EntryPair] | None:
        """Return old and new entries that differ; folders that are equal are not even opened."""
        if not isinstance(new, GitSource):
            return None
        if not self._is_in_repository_of(new):
            return pair_entries(self, new)
        listing = self.repository.run(
            "diff-tree", "-r", "-z", "--raw", "--no-renames", self.tree, new.tree
        )
        words = listing.split(b"\0")[:-1]
        pairs = []
        for facts, path in zip(words[0::2], words[1::2], strict=True):
            pair = entry_pair(facts, path)
            if any(pair):
                pairs.append(pair)
        return pairs


def entry_pair(facts: bytes, path: bytes) -> EntryPair:
    """Return what `diff-tree --raw` tells of a path as the entries of both sides."""
    old_mode, new_mode, old_id, new_id, _ = facts.removeprefix(b":").decode("ascii").split(" ")
    name = os.fsdecode(path)
    return _entry(name, old_mode, old_id), _entry(name, new_mode, new_id)


def _entry(path: str, mode: str, object_id: str) -> Entry | None:
    """Return the entry of a tree as one that may be a page, or None."""
    if not path.endswith(PAGE_SUFFIX) or mode in ("000000", _SUBMODULE):
        return None
    if mode != _SYMLINK:
        return Entry(path, object_id)
    if path.rpartition("/")[2] == PAGE_NAME:
        return Entry(path, object_id, "is a symbolic link, and links are not followed")
    return None


def _not_found(repository: Repository, revision: str, parts: re.Match[str] | None) -> str:
    """Return why a revision is none; `parts` are those of one that lacks the folder alone."""
    if parts:
        return f"{revision}: {parts[1] or 'the index'} has no folder {parts[2]}"
    if repository.is_shallow():
        return (
            f"{revision}: not in this shallow clone, or misspelt; fetch more history "
            "(git fetch --deepen=1, or fetch-depth: 2 in a checkout action; all: --unshallow)"
        )
    if not repository.has_commits():
        return f"{revision}: this repository has no commit yet"
    return (
        f"{revision}: neither a directory nor a revision that git knows; "
        "git branch -a, git tag and git log tell which there are"
    )


def _widen(pipe: IO[bytes]) -> None:
    """Let git run ahead by a megabyte where the system allows it."""
    with contextlib.suppress(ImportError, AttributeError, OSError):
        import fcntl

        fcntl.fcntl(pipe.fileno(), fcntl.F_SETPIPE_SZ, _PIPE_SIZE)
