"""What the argument of a changelog stands for: a range of commits, or a folder of snapshots."""

import contextlib
import os
from collections.abc import Iterator, Sequence
from itertools import chain, pairwise
from pathlib import Path
from typing import NamedTuple

from msgspec.structs import replace

from snapdiff.catalog.compared_files import RevisionPair
from snapdiff.catalog.loading import Catalog, check_filters, has_document, require_paths
from snapdiff.catalog.reading import Reading, read_whole
from snapdiff.changelog.periods import natural_order, periods_of
from snapdiff.changelog.sections import GitSteps, SectionEnd, SectionStep, Steps
from snapdiff.comparison import ComparisonOptions, diff_files
from snapdiff.errors import RevisionError
from snapdiff.filters import Scope
from snapdiff.limits import DEFAULT_LIMITS, Limits
from snapdiff.model.specs import Revision
from snapdiff.reports import By
from snapdiff.result.changes import CatalogDiff
from snapdiff.sources.directory import DirectorySource
from snapdiff.sources.git import GitHistory, GitSource, changes_between
from snapdiff.sources.names import EVERYWHERE
from snapdiff.sources.revisions import SourceOpener
from snapdiff.sources.source import Commit, Source, printable_path

_NAME_LENGTH = 10
"""How many characters of a commit's id name it where it is to be found again."""


class GitRange(NamedTuple):
    """The commits from one revision to another, and how sections are made of them."""

    directory: Path
    history: GitHistory
    by: By

    @property
    def oldest(self) -> Catalog:
        """The first revision."""
        return Catalog(self.history.old)

    @property
    def newest(self) -> Source:
        """The last revision: its configuration file counts."""
        return self.history.new

    @property
    def last(self) -> Catalog:
        """The last revision."""
        return Catalog(self.history.new)

    def check(self, settings: ComparisonOptions) -> None:
        """Raise SnapdiffError where an end has no page, or a path or a filter can only be a slip.

        What paths and filters narrow it to may have been there in between alone. Of the commits
        between, files are listed; what differs from one section to the next is read only where
        something that is asked for was not found before.
        """
        old, new = Catalog(self.history.old), Catalog(self.history.new)
        if not settings.allow_empty:
            require_paths(it.source for it in chain((new, old), self._between()))
            is_narrowed = new.source.paths is not EVERYWHERE
            if not (is_narrowed and any(map(has_document, chain((new, old), self._between())))):
                RevisionPair(old, new).require_documents()
        filters = Scope(settings.filters).filters
        check_filters(filters, (new, old), self._between(), self._changed())

    def _between(self) -> Iterator[Catalog]:
        for commit in self.history.commits():
            yield Catalog(self.history.at(commit))

    def _changed(self) -> Iterator[Reading]:
        for step in self.steps().walk():
            for pair in step.files.changed():
                yield read_whole(pair.new, pair.path, "new")

    def steps(self, after: str | None = None) -> GitSteps:
        """Return the steps from a commit (the first of the range, if none is given) to the last.

        A section ends with the last commit of its period that changed a file that may be a
        document, or with the commit that is tagged; the next section begins there.
        """
        history = self.history
        by_commit = history.tags() if self.by in ("tag", "commit") else {}
        tags = by_commit if self.by == "tag" else {}
        first, revision = history.first, Catalog(history.old).revision
        if after is not None and after != first.id:
            first = history.commit(after)
            tag = min(tags.get(after, ()), key=natural_order, default=None)
            revision = self._revision(first, tag)
        coming = history.commits(first.id)
        told = set(history.commits()).difference(coming) if after is not None else ()
        found = periods_of(coming, self.by, tags, told)
        changes = changes_between([history.at(commit) for commit in (first, *coming)])
        ends = [SectionEnd(revision, tree=first.tree)]
        for period in found:
            changed = [commit for commit in period.commits if next(changes)]
            if changed:
                end = period.commits[-1] if period.tag else changed[-1]
                revision = self._revision(end, period.tag)
                subject = changed[0].subject if len(changed) == 1 else ""
                named = tuple(sorted(by_commit.get(end.id, ())))
                section = SectionEnd(
                    revision, period.name, subject, period.is_open, end.tree, tags=named
                )
                ends.append(section)
        return GitSteps(
            repository=str(self.directory),
            folder=history.new.folder,
            snapshots=tuple(ends),
            limits=history.repository.limits,
            paths=history.new.paths,
        )

    def _revision(self, commit: Commit, tag: str | None) -> Revision:
        name = tag or commit.id[:_NAME_LENGTH]
        if folder := self.history.new.folder:
            name += f":{printable_path(folder)}"
        return Catalog(self.history.at(commit, name)).revision


class FolderRange(Steps, frozen=True, kw_only=True):
    """The folders in a folder that the user called `name`, in natural order of their names.

    It is its own steps, each from one of the snapshots to the next.
    """

    name: str
    folder: str
    snapshots: tuple[str, ...]

    @property
    def oldest(self) -> Catalog:
        """The first snapshot."""
        return self._catalog(self.snapshots[0])

    @property
    def newest(self) -> Source:
        """The folder with all snapshots: its configuration file counts."""
        return DirectorySource(self.name, Path(self.folder), self.limits)

    @property
    def last(self) -> Catalog:
        """The last snapshot."""
        return self._catalog(self.snapshots[-1])

    def check(self, settings: ComparisonOptions) -> None:
        """Raise SnapdiffError where no snapshot has a page in a path, or a filter is a slip."""
        every = [self._catalog(name) for name in reversed(self.snapshots)]
        if not settings.allow_empty:
            require_paths(catalog.source for catalog in every)
        check_filters(Scope(settings.filters).filters, every)

    def steps(self, after: str | None = None) -> "FolderRange":
        """Return the steps from a snapshot (the first, if none is given) to the last."""
        start = 0 if after is None else self.snapshots.index(after)
        return replace(self, snapshots=self.snapshots[start:])

    def walk(self) -> Iterator[SectionStep]:
        """Yield every step."""
        for old, new in pairwise(map(self._catalog, self.snapshots)):
            end = SectionEnd(new.revision, new.source.name)
            yield SectionStep(old.revision, end, RevisionPair(old, new))

    def _catalog(self, name: str) -> Catalog:
        place = Path(self.folder, name)
        source = DirectorySource(name, place, self.limits)
        return Catalog(source.narrowed(self.paths))


Range = GitRange | FolderRange


def compare_ends(wanted: Range, settings: ComparisonOptions) -> CatalogDiff:
    """Return what changed from the first snapshot to the last one, which may both be empty.

    What the settings ask for may have been there in between alone.
    """
    old, new = wanted.oldest, wanted.last
    settings = replace(settings, allow_empty=True)
    return diff_files(RevisionPair(old, new), (old.revision, new.revision), settings)


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
    opener = SourceOpener(directory, limits)
    old_name, *new_name = opener.split_range(argument)
    old = opener.open(old_name)
    if not new_name and isinstance(old, DirectorySource):
        if by not in (None, "commit"):
            raise RevisionError(
                f"{argument}: a folder has a section a snapshot, so --by {by} has no meaning"
            )
        paths_in_each = opener.narrowed(old, paths).paths
        return replace(_folder_range(argument, directory / argument, limits), paths=paths_in_each)
    first = _require_revision(old)
    head = f"HEAD:{first.folder}" if first.folder else "HEAD"
    last = _require_revision(opener.open(*new_name or [head]))
    first, last = opener.narrowed(first, paths), opener.narrowed(last, paths)
    return GitRange(directory.resolve(), GitHistory(first, last), by or "commit")


def _require_revision(source: Source) -> GitSource:
    if isinstance(source, GitSource):
        return source
    message = (
        "a changelog takes two git revisions A..B, or one folder with snapshots in it; "
        "`snapdiff snapshot` keeps a mirror in a folder from time to time"
    )
    raise RevisionError(f"{source.name}: {message}")


def _folder_range(argument: str, folder: Path, limits: Limits) -> FolderRange:
    """Return the folders in a folder that are snapshots.

    `mirrors/2025-06-29` beside `2025-06-29` is a snapshot of something else on the same day, so
    `mirrors` is no snapshot but another folder of them.
    """
    try:
        found = [item for item in folder.iterdir() if item.is_dir() and not item.is_symlink()]
    except OSError as error:
        raise RevisionError(f"{argument}: cannot list the directory: {error.strerror}") from error
    all_names = {item.name for item in found}
    names = []
    for item in found:
        with contextlib.suppress(PermissionError):  # what reads its documents says so
            if any((item / name).is_dir() for name in all_names.intersection(os.listdir(item))):
                continue
        source = DirectorySource(item.name, item, limits)
        if not item.name.startswith(".") and has_document(Catalog(source)):
            names.append(item.name)
    if len(names) < 2:
        message = "a changelog takes a folder that holds a folder for each snapshot, two at least"
        raise RevisionError(f"{argument}: {message}, and here is {''.join(names) or 'none'}")
    in_order = tuple(sorted(names, key=natural_order))
    return FolderRange(
        name=argument, folder=str(folder.resolve()), snapshots=in_order, limits=limits
    )
