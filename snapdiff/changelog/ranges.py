"""What the argument of a changelog stands for: a range of commits, or a folder of snapshots."""

from pathlib import Path
from typing import NamedTuple

from snapdiff.catalog.opening import Catalog, CatalogPair
from snapdiff.changelog.periods import SHORT, By, natural_order, periods
from snapdiff.changelog.steps import FolderSteps, GitSteps
from snapdiff.errors import RevisionError
from snapdiff.sources.base import PAGE_NAME, Source, printable_path
from snapdiff.sources.directory import DirectorySource
from snapdiff.sources.git import GitSource
from snapdiff.sources.history import GitHistory
from snapdiff.sources.revisions import SourceOpener


class GitRange(NamedTuple):
    """The commits from one revision to another, and how sections are made of them."""

    directory: Path
    old: GitSource
    new: GitSource
    history: GitHistory
    by: By

    def steps(self, after: str | None = None) -> GitSteps:
        """Return the steps from a commit (the first of the range, if none is given) to the last."""
        first = self.history.first if after is None else self.history.commit(after)
        tags = self.history.tags() if self.by == "tag" else {}
        source = self.old.name
        if after is not None and after != self.history.first.id:
            names = sorted(tags.get(after, ()), key=natural_order)
            source = names[0] if names else after[:SHORT]
            if self.history.folder:
                source = f"{source}:{printable_path(self.history.folder)}"
        return GitSteps(
            repository=str(self.directory),
            folder=self.history.folder,
            first=first,
            first_source=source,
            periods=tuple(periods(self.history.commits(first.id), self.by, tags)),
        )

    def ends(self) -> tuple[str, str]:
        """Return what the first and the last revision are called."""
        return self.old.name, self.new.name

    def require_pages(self) -> None:
        """Raise RevisionError where the first or the last revision has no page."""
        CatalogPair(Catalog(self.old), Catalog(self.new)).require_pages()


class FolderRange(NamedTuple):
    """The snapshots in a folder, in natural order of their names."""

    folder: Path
    names: tuple[str, ...]

    def steps(self, after: str | None = None) -> FolderSteps:
        """Return the steps from a snapshot (the first, if none is given) to the last."""
        start = 0 if after is None else self.names.index(after)
        return FolderSteps(str(self.folder), self.names[start:])

    def ends(self) -> tuple[str, str]:
        """Return what the first and the last snapshot are called."""
        return self.names[0], self.names[-1]

    def require_pages(self) -> None:
        """Do nothing: what holds no page is no snapshot."""


Range = GitRange | FolderRange


def open_range(argument: str, directory: Path, by: By | None = None) -> Range:
    """Return what an argument stands for: `A..B`, a revision `A` for `A..HEAD`, or a folder.

    Raises RevisionError where there is no such thing, or a changelog cannot be made of it.
    """
    opener = SourceOpener(directory)
    old_name, new_name = _ends(argument, directory)
    old = opener.open(old_name)
    if new_name is None and isinstance(old, DirectorySource):
        if by not in (None, "commit"):
            raise RevisionError(
                f"{argument}: a folder has a section a snapshot, so --by {by} has no meaning"
            )
        return _folder_range(argument, directory / argument)
    new = opener.open(new_name or "HEAD")
    first, last = _revision(old), _revision(new)
    return GitRange(directory.resolve(), first, last, GitHistory(first, last), by or "commit")


def _revision(source: Source) -> GitSource:
    if not isinstance(source, GitSource):
        raise RevisionError(
            f"{source.name}: is a directory; a changelog takes two git revisions A..B, "
            "or one folder with snapshots in it"
        )
    return source


def _ends(argument: str, directory: Path) -> tuple[str, str | None]:
    """Return the two ends of a range, or the argument alone."""
    if (
        ".." not in argument
        or (directory / argument).is_dir()
        or argument.startswith(("../", "./"))
    ):
        return argument, None
    if "..." in argument:
        raise RevisionError(
            f"{argument}: three dots are not taken; write the two revisions, "
            "or `git merge-base` of them"
        )
    old, _, new = argument.partition("..")
    if old.endswith(":"):
        return argument, None  # HEAD:../folder holds no range
    return old or "HEAD", new or "HEAD"


def _folder_range(argument: str, folder: Path) -> FolderRange:
    try:
        found = [item for item in folder.iterdir() if item.is_dir() and not item.is_symlink()]
    except OSError as error:
        raise RevisionError(f"{argument}: cannot list the directory: {error.strerror}") from error
    names = [item.name for item in found if not item.name.startswith(".") and _has_page(item)]
    if len(names) < 2:
        only = f"only one ({names[0]})" if names else "none"
        raise RevisionError(
            f"{argument}: a changelog takes a folder that holds a folder for each snapshot, "
            f"and here is {only}"
        )
    return FolderRange(folder.resolve(), tuple(sorted(names, key=natural_order)))


def _has_page(folder: Path) -> bool:
    """Return whether a folder is a snapshot."""
    source = DirectorySource(folder.name, folder)
    if any(entry.path.rpartition("/")[2] == PAGE_NAME for entry in source.entries()):
        return True
    return any(True for _ in Catalog(source).packages())
