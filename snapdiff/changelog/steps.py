"""The steps through a git history: a value that says what is compared, and its walk."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from msgspec import UNSET, Struct
from msgspec.structs import replace

from snapdiff.catalog.compared_files import ComparedFiles
from snapdiff.catalog.history import DocumentMemory, History
from snapdiff.catalog.loading import Catalog
from snapdiff.changelog.periods import Period
from snapdiff.errors import BadPage
from snapdiff.formats.registry import DOCUMENTS
from snapdiff.limits import Limits
from snapdiff.model import Package, Revision
from snapdiff.sources.git import open_revision
from snapdiff.sources.git_commands import Commit
from snapdiff.sources.history import changes_between
from snapdiff.sources.repository import Repository
from snapdiff.sources.source import Entry, printable_path
from snapdiff.sources.wanted import EVERYWHERE, Paths


class Step(NamedTuple):
    """One section to be: what it is called, its revisions, and their files while it is current.

    `subject` is that of the commit where it is one commit, and empty otherwise. `is_open` says that
    what is still to come may belong to it.
    """

    name: str
    subject: str
    is_open: bool
    revisions: tuple[Revision, Revision]
    files: ComparedFiles


class CommitEnd(NamedTuple):
    """Where a section begins or ends: a commit, and what it is called."""

    commit: Commit
    source: str

    def revision(self) -> Revision:
        """Return the commit as a side of a report."""
        return Revision(
            source=self.source,
            commit=self.commit.id,
            date=self.commit.date,
            subject=self.commit.subject or UNSET,
        )


class CommitStep(NamedTuple):
    """A section to be, from one commit to another."""

    name: str
    subject: str
    is_open: bool
    old: CommitEnd
    new: CommitEnd


class GitSteps(Struct, frozen=True):
    """Steps through a git history; a value that another process can take.

    `folder` is the one that holds the catalog, `paths` are those in it that are looked at.
    """

    repository: str
    folder: str
    first: CommitEnd
    commits: tuple[CommitStep, ...]
    limits: Limits
    paths: Paths = EVERYWHERE

    def most_sections(self) -> int:
        """Return the number of sections there are at the most."""
        return len(self.commits)

    def parts(self, size: int) -> Iterator["GitSteps"]:
        """Yield the same steps in parts of at most `size`."""
        for start in range(0, len(self.commits), size):
            part = self.commits[start : start + size]
            yield replace(self, first=part[0].old, commits=part)

    def first_revision(self) -> Revision:
        """Return the snapshot that the first step begins with."""
        return self.first.revision()

    def first_packages(self) -> Iterator[Package | BadPage]:
        """Yield what the first snapshot holds: packages, and pages that cannot be read."""
        folder = f":{self.folder}" if self.folder else ""
        source = open_revision(self._repository(), self.first.commit.id + folder)
        yield from Catalog(source, self.limits).packages()

    def _repository(self) -> Repository:
        found = Repository(Path(self.repository), wanted=DOCUMENTS, limits=self.limits)
        return found.narrowed(self.paths)

    def walk(self, passed: Callable[[], object] = lambda: None) -> Iterator[Step]:
        """Yield every step, each valid until the next; `passed` is called when one is done."""
        if not self.commits:
            return
        repository = self._repository()
        trees = [step.old.commit.tree for step in self.commits]
        trees.append(self.commits[-1].new.commit.tree)
        last_use: dict[str, int] = {}
        documents = [DOCUMENTS]
        mirrors = {entry.path for entry in repository.entries(trees[0]) if _is_index(entry)}
        for position, pairs in enumerate(changes_between(repository, trees)):
            entries = [entry for pair in pairs for entry in pair if entry]
            last_use.update((str(entry.content_id), position) for entry in entries)
            came = {new.path for _, new in pairs if new and _is_index(new)}
            documents.append(documents[-1].with_mirrors(map(printable_path, mirrors | came)))
            mirrors = came | mirrors.difference(old.path for old, _ in pairs if old)
        prefix = printable_path(self.folder)
        with repository.objects() as objects:
            history: History | None = None
            ahead = changes_between(repository, trees)
            following = next(ahead, [])
            for position, (step, kinds) in enumerate(zip(self.commits, documents[1:], strict=True)):
                if history is None or history.documents is not kinds:
                    # What an index lists depends on what mirrors there are: it is read anew.
                    memory = DocumentMemory(objects, prefix, last_use, kinds, self.limits)
                    history = History(repository, prefix, kinds, memory)
                pairs, following = following, next(ahead, [])
                for known in (pairs, following):
                    history.memory.ask(entry for pair in known for entry in pair)
                files = history.pair((trees[position], trees[position + 1]), pairs)
                revisions = step.old.revision(), step.new.revision()
                yield Step(step.name, step.subject, step.is_open, revisions, files)
                files.finish(position)
                passed()


def _is_index(entry: Entry) -> bool:
    return DOCUMENTS.is_index(entry.path)


def plan_steps(
    repository: Repository,
    first: CommitEnd,
    periods: Sequence[Period],
    source_of: Callable[[Commit, str | None], str],
) -> tuple[CommitStep, ...]:
    """Return a step for each period in which a file changed that may be a document.

    A step ends with the last commit of its period that changed one, or with the commit that is
    tagged; the next step begins there.
    """
    commits = [first.commit, *(commit for period in periods for commit in period.commits)]
    changes = changes_between(repository, [commit.tree for commit in commits])
    steps = []
    old = first
    for period in periods:
        changed = [commit for commit in period.commits if next(changes)]
        if changed:
            end = period.commits[-1] if period.tag else changed[-1]
            new = CommitEnd(end, source_of(end, period.tag))
            subject = changed[0].subject if len(changed) == 1 else ""
            steps.append(CommitStep(period.name, subject, period.is_open, old, new))
            old = new
    return tuple(steps)
