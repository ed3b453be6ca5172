"""The steps through a git history: which commits make a section, and what each one compares."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import NamedTuple

from msgspec import UNSET, Struct
from msgspec.structs import replace

from snapdiff.catalog.compared_files import ComparedFiles
from snapdiff.catalog.history import History
from snapdiff.catalog.loading import Catalog
from snapdiff.errors import BadPage
from snapdiff.formats.registry import DOCUMENTS
from snapdiff.limits import Limits
from snapdiff.model import Package, Revision
from snapdiff.reports import By
from snapdiff.reports.names import short_hash
from snapdiff.sources.git import changes_between, open_revision
from snapdiff.sources.git_commands import Commit
from snapdiff.sources.repository import Repository
from snapdiff.sources.source import printable_path
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


class SectionEnd(NamedTuple):
    """A commit that a section ends with, and what the section is called; or where the first begins.

    `tree` is that of the catalog's folder.
    """

    tree: str
    revision: Revision
    name: str = ""
    subject: str = ""
    is_open: bool = False


class GitSteps(Struct, frozen=True):
    """Steps through a git history, each from one of the `ends` to the next.

    A value that another process can take. `folder` is the one that holds the catalog, `paths` are
    those in it that are looked at.
    """

    repository: str
    folder: str
    ends: tuple[SectionEnd, ...]
    limits: Limits
    paths: Paths = EVERYWHERE

    def most_sections(self) -> int:
        """Return the number of sections there are at the most."""
        return len(self.ends) - 1

    def parts(self, size: int) -> Iterator["GitSteps"]:
        """Yield the same steps in parts of at most `size`."""
        for start in range(0, self.most_sections(), size):
            yield replace(self, ends=self.ends[start : start + size + 1])

    def first_revision(self) -> Revision:
        """Return the snapshot that the first step begins with."""
        return self.ends[0].revision

    def first_packages(self) -> Iterator[Package | BadPage]:
        """Yield what the first snapshot holds: packages, and pages that cannot be read."""
        folder = f":{self.folder}" if self.folder else ""
        source = open_revision(self._repository(), f"{self.first_revision().commit}{folder}")
        yield from Catalog(source, self.limits).packages()

    def _repository(self) -> Repository:
        found = Repository(Path(self.repository), wanted=DOCUMENTS, limits=self.limits)
        return found.narrowed(self.paths)

    def walk(self) -> Iterator[Step]:
        """Yield every step, each valid until the next."""
        if not self.most_sections():
            return
        repository = self._repository()
        trees = [end.tree for end in self.ends]
        last_use: dict[str, int] = {}
        documents = [DOCUMENTS]
        paths = (entry.path for entry in repository.entries(trees[0]))
        mirrors = set(filter(DOCUMENTS.is_index, paths))
        for position, pairs in enumerate(changes_between(repository, trees)):
            entries = [entry for pair in pairs for entry in pair if entry]
            last_use.update((str(entry.content_id), position) for entry in entries)
            came = {new.path for _, new in pairs if new and DOCUMENTS.is_index(new.path)}
            documents.append(documents[-1].with_mirrors(map(printable_path, mirrors | came)))
            mirrors = came | mirrors.difference(old.path for old, _ in pairs if old)
        prefix = printable_path(self.folder)
        with repository.objects() as objects:
            history: History | None = None
            ahead = changes_between(repository, trees)
            following = next(ahead, [])
            for position, kinds in enumerate(documents[1:]):
                if history is None or history.documents is not kinds:
                    # What an index lists depends on what mirrors there are: it is read anew.
                    history = History(repository, objects, prefix, kinds, last_use, self.limits)
                pairs, following = following, next(ahead, [])
                for known in (pairs, following):
                    history.ask(entry for pair in known for entry in pair)
                files = history.pair((trees[position], trees[position + 1]), pairs)
                old, new = self.ends[position : position + 2]
                revisions = old.revision, new.revision
                yield Step(new.name, new.subject, new.is_open, revisions, files)
                files.finish(position)


def following_ends(
    repository: Repository,
    first: Commit,
    periods: Sequence["Period"],
    source_of: Callable[[Commit, str | None], str],
) -> Iterator[SectionEnd]:
    """Yield the end of each period in which a file changed that may be a document.

    A section ends with the last commit of its period that changed one, or with the commit that is
    tagged; the next section begins there.
    """
    commits = [first, *(commit for period in periods for commit in period.commits)]
    changes = changes_between(repository, [commit.tree for commit in commits])
    for period in periods:
        changed = [commit for commit in period.commits if next(changes)]
        if changed:
            end = period.commits[-1] if period.tag else changed[-1]
            subject = changed[0].subject if len(changed) == 1 else ""
            revision = revision_of(end, source_of(end, period.tag))
            yield SectionEnd(end.tree, revision, period.name, subject, period.is_open)


def revision_of(commit: Commit, source: str) -> Revision:
    """Return a commit under the name that reports give it."""
    subject = commit.subject or UNSET
    return Revision(source=source, commit=commit.id, date=commit.date, subject=subject)


# --- Which commits make a section ---

UNRELEASED = "Unreleased"
"""The name of what comes after the last tag."""

UNDATED = "Undated"
"""The name of a period in which no commit has a date."""


class Period(NamedTuple):
    """The commits of one section, oldest first, and what the section is called.

    `tag` is a tag that the last commit has. `is_open` says that the commits still to come may
    belong to the section: no tag has them yet.
    """

    name: str
    commits: tuple[Commit, ...]
    tag: str | None = None
    is_open: bool = False


def periods(
    commits: Iterable[Commit], by: By, tags: Mapping[str, Sequence[str]] | None = None
) -> list[Period]:
    """Return which of some commits, oldest first, make a section together.

    `tags` has the names of tags by commit. A period ends where the next begins, by the date that
    each commit was made on where it was made; a clock that went back does not begin an old one
    again, and a commit without a date belongs to the period before it, or else to the first.
    """
    if by == "tag":
        return _by_tag(commits, tags or {})
    if by == "commit":
        return [Period(short_hash(commit.id), (commit,)) for commit in commits]
    commits = tuple(commits)
    name = next((_name(commit.date, by) for commit in commits if commit.date), UNDATED)
    found: list[tuple[str, list[Commit]]] = []
    for commit in commits:
        if commit.date:
            name = max(name, _name(commit.date, by))
        if not found or name > found[-1][0]:
            found.append((name, []))
        found[-1][1].append(commit)
    return [Period(name, tuple(members)) for name, members in found]


def _name(moment: str, by: By) -> str:
    if by == "week":
        year, week, _ = date.fromisoformat(moment[:10]).isocalendar()
        return f"{year:04}-W{week:02}"
    return moment[: len("2025-07")] if by == "month" else moment[: len("2025-07-06")]


def _by_tag(commits: Iterable[Commit], tags: Mapping[str, Sequence[str]]) -> list[Period]:
    found: list[Period] = []
    waiting: list[Commit] = []
    for commit in commits:
        waiting.append(commit)
        if commit.id in tags:
            names = sorted(tags[commit.id], key=natural_order)
            found.append(Period(", ".join(names), tuple(waiting), names[0]))
            waiting = []
    if waiting:
        found.append(Period(UNRELEASED, tuple(waiting), is_open=True))
    return found


def natural_order(name: str) -> tuple[tuple[tuple[int, int, str], ...], str]:
    """Return what names are sorted by, so that `week-9` comes before `week-10`.

    >>> sorted(["v0.10", "v0.9"], key=natural_order)
    ['v0.9', 'v0.10']
    """
    parts = re.findall("[0-9]+|[^0-9]+", name)
    key = tuple((0, int(part), "") if part[0] in "0123456789" else (1, 0, part) for part in parts)
    return key, name
