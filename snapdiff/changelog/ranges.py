"""What the argument of a changelog stands for: a range of commits, or a folder of snapshots."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import date
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from msgspec import UNSET
from msgspec.structs import replace

from snapdiff.catalog.compared_files import RevisionPair
from snapdiff.catalog.loading import Catalog, check_filters, has_document, require_paths
from snapdiff.changelog.sections import GitSteps, SectionEnd, Step, Steps
from snapdiff.errors import BadPage, RevisionError
from snapdiff.formats.registry import DOCUMENTS
from snapdiff.limits import DEFAULT_LIMITS, Limits
from snapdiff.model import Package, Revision
from snapdiff.reports import By
from snapdiff.reports.names import short_hash
from snapdiff.result import Filters
from snapdiff.sources.directory import DirectorySource
from snapdiff.sources.git import GitHistory, GitSource, changes_between, open_revision
from snapdiff.sources.git_commands import Commit
from snapdiff.sources.names import is_mirror_address
from snapdiff.sources.repository import Repository
from snapdiff.sources.revisions import SourceOpener
from snapdiff.sources.source import Source, printable_path

_NAME_LENGTH = 10
"""How many characters of a commit's id name it where it is to be found again."""


class GitRange(NamedTuple):
    """The commits from one revision to another, and how sections are made of them."""

    directory: Path
    old: GitSource
    new: GitSource
    history: GitHistory
    by: By
    limits: Limits

    def steps(self, after: str | None = None) -> GitSteps:
        """Return the steps from a commit (the first of the range, if none is given) to the last."""
        tags = self.history.tags() if self.by == "tag" else {}
        first, name = self.history.first, self.old.name
        if after is not None and after != first.id:
            names = sorted(tags.get(after, ()), key=natural_order)
            first = self.history.commit(after)
            name = self._name_of(first, names[0] if names else None)
        found = periods(self.history.commits(first.id), self.by, tags)
        ends = following_ends(self.history.repository, first, found, self._name_of)
        return GitSteps(
            repository=str(self.directory),
            folder=self.history.folder,
            snapshots=(SectionEnd(first.tree, revision_of(first, name)), *ends),
            limits=self.limits,
            paths=self.new.paths,
        )

    def _name_of(self, commit: Commit, tag: str | None) -> str:
        name = tag or commit.id[:_NAME_LENGTH]
        folder = self.history.folder
        return f"{name}:{printable_path(folder)}" if folder else name

    def ends(self) -> tuple[str, str]:
        """Return what the first and the last revision are called."""
        return self.old.name, self.new.name

    def newest(self) -> Source:
        """Return the last revision: its configuration file counts."""
        return self.new

    def require_pages(self) -> None:
        """Raise RevisionError where the first or the last revision has no page."""
        old, new = Catalog(self.old, self.limits), Catalog(self.new, self.limits)
        RevisionPair(old, new).require_documents()

    def require_matches(self, filters: Filters) -> None:
        """Raise SnapdiffError where a filter has a slip in it.

        Of the commits between both ends only paths are looked at: they name tags and packages, and
        a catalog that was read a hundred times would be a long wait for a slip.
        """

        def between() -> Iterator[Catalog]:
            for commit in self.history.commits():
                yield Catalog(open_revision(self.history.repository, commit.tree), self.limits)

        ends = [Catalog(source, self.limits) for source in (self.new, self.old)]
        check_filters(filters, ends, listed=between())


class FolderRange(Steps, frozen=True, kw_only=True):
    """The folders in a folder that the user called `name`, in natural order of their names.

    It is its own steps, each from one of the snapshots to the next.
    """

    name: str
    folder: str
    snapshots: tuple[str, ...]

    def steps(self, after: str | None = None) -> "FolderRange":
        """Return the steps from a snapshot (the first, if none is given) to the last."""
        start = 0 if after is None else self.snapshots.index(after)
        return replace(self, snapshots=self.snapshots[start:])

    def first_revision(self) -> Revision:
        """Return the snapshot that the first step begins with."""
        return self._catalog(self.snapshots[0]).revision

    def first_packages(self) -> Iterator[Package | BadPage]:
        """Yield what the first snapshot holds: packages, and pages that cannot be read."""
        yield from self._catalog(self.snapshots[0]).packages()

    def walk(self) -> Iterator[Step]:
        """Yield every step."""
        for old, new in pairwise(map(self._catalog, self.snapshots)):
            revisions = (old.revision, new.revision)
            yield Step(new.source.name, "", False, revisions, RevisionPair(old, new))

    def ends(self) -> tuple[str, str]:
        """Return what the first and the last snapshot are called."""
        return printable_path(self.snapshots[0]), printable_path(self.snapshots[-1])

    def newest(self) -> Source:
        """Return the folder with all snapshots: its configuration file counts."""
        return DirectorySource(self.name, Path(self.folder), wanted=DOCUMENTS, limits=self.limits)

    def require_pages(self) -> None:
        """Raise RevisionError where a path is in no snapshot: what holds no page is none."""
        require_paths([self._catalog(name).source for name in reversed(self.snapshots)])

    def require_matches(self, filters: Filters) -> None:
        """Raise SnapdiffError where a filter has a slip in it."""
        check_filters(filters, [self._catalog(name) for name in reversed(self.snapshots)])

    def _catalog(self, name: str) -> Catalog:
        place = Path(self.folder, name)
        source = DirectorySource(name, place, wanted=DOCUMENTS, limits=self.limits)
        source.paths = self.paths
        return Catalog(source, self.limits)


Range = GitRange | FolderRange


def open_range(
    argument: str,
    directory: Path,
    by: By | None = None,
    limits: Limits = DEFAULT_LIMITS,
    paths: Sequence[str] = (),
) -> Range:
    """Return what an argument stands for: `A..B`, a revision `A` for `A..HEAD`, or a folder.

    Each snapshot is narrowed to the `paths`. Raises RevisionError where there is no such thing, or
    a changelog cannot be made of it.
    """
    opener = SourceOpener(directory, wanted=DOCUMENTS, limits=limits)
    old_name, *new_name = opener.split_range(argument)
    old = opener.open(old_name)
    if not new_name and isinstance(old, DirectorySource) and not old.is_part:
        if by not in (None, "commit"):
            raise RevisionError(
                f"{argument}: a folder has a section a snapshot, so --by {by} has no meaning"
            )
        opener.narrow(old, paths)
        return replace(_folder_range(argument, directory / argument, limits), paths=old.paths)
    first = _revision(old)
    last = _revision(opener.open(*new_name or ["HEAD"]))
    for source in (first, last):
        opener.narrow(source, paths)
    history = GitHistory(first, last)
    return GitRange(directory.resolve(), first, last, history, by or "commit", limits)


def _revision(source: Source) -> GitSource:
    if source.file:
        message = "is a file, and a changelog is of a folder; name the one that it is in"
        raise RevisionError(f"{source.name}: {message}")
    if is_mirror_address(source.name):
        message = "shows only how it is today: keep it with `snapdiff snapshot` from time to time"
        raise RevisionError(f"{source.name}: {message}, and name the folder of the snapshots")
    if not isinstance(source, GitSource) or source.view:
        raise RevisionError(
            f"{source.name}: is a directory; a changelog takes two git revisions A..B, "
            "or one folder with snapshots in it"
        )
    return source


def _folder_range(argument: str, folder: Path, limits: Limits) -> FolderRange:
    """Return the folders in a folder that are snapshots.

    `mirrors/2025-06-29` beside `2025-06-29` is a snapshot of something else on the same day, so
    `mirrors` is no snapshot but another folder of them.
    """
    try:
        found = [item for item in folder.iterdir() if item.is_dir() and not item.is_symlink()]
    except OSError as error:
        raise RevisionError(f"{argument}: cannot list the directory: {error.strerror}") from error
    names = [
        item.name
        for item in found
        if not item.name.startswith(".")
        and not any((item / other.name).is_dir() for other in found)
        and has_document(
            Catalog(DirectorySource(item.name, item, wanted=DOCUMENTS, limits=limits), limits)
        )
    ]
    if len(names) < 2:
        only = f"only one ({names[0]})" if names else "none"
        raise RevisionError(
            f"{argument}: a changelog takes a folder that holds a folder for each snapshot, "
            f"and here is {only}"
        )
    in_order = tuple(sorted(names, key=natural_order))
    return FolderRange(
        name=argument, folder=str(folder.resolve()), snapshots=in_order, limits=limits
    )


# --- Which commits make a section ---


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
