"""The sections of a changelog: the steps from snapshot to snapshot, and what each one compares."""

from collections.abc import Callable, Iterator
from concurrent.futures import Executor
from math import ceil
from pathlib import Path
from typing import Any, NamedTuple, Self

import msgspec
from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import replace

from snapdiff.catalog.compared_files import ComparedFiles
from snapdiff.catalog.history import History
from snapdiff.catalog.loading import Catalog
from snapdiff.comparison import diff_files
from snapdiff.errors import BadPage, BadPagesError, Side
from snapdiff.formats.registry import DOCUMENTS
from snapdiff.limits import Limits, Progress, unseen
from snapdiff.model import Package, Revision
from snapdiff.result import CatalogDiff, Filters
from snapdiff.sources.git import changes_between, open_revision
from snapdiff.sources.repository import Repository
from snapdiff.sources.source import printable_path
from snapdiff.sources.wanted import EVERYWHERE, Paths

_MOST_IN_A_PART = 64
"""How many sections another process is given at once: each part reads the pages it begins with."""


class Settings(Struct, frozen=True, kw_only=True):
    """How snapshots are compared."""

    filters: Filters = Filters()
    skip_bad_pages: bool = False
    configuration: str | UnsetType = UNSET
    """The name of the configuration file that decided some of this."""


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


class Steps(Struct, frozen=True, kw_only=True):
    """Steps, each from one of some snapshots to the next: a value that another process can take.

    `paths` are those that are looked at.
    """

    snapshots: tuple[Any, ...]
    limits: Limits
    paths: Paths = EVERYWHERE

    def most_sections(self) -> int:
        """Return the number of sections there are at the most."""
        return max(len(self.snapshots) - 1, 0)

    def parts(self, size: int) -> Iterator[Self]:
        """Yield the same steps in parts of at most `size`."""
        for start in range(0, self.most_sections(), size):
            yield replace(self, snapshots=self.snapshots[start : start + size + 1])

    def first_revision(self) -> Revision:
        """Return the snapshot that the first step begins with."""
        raise NotImplementedError

    def first_packages(self) -> Iterator[Package | BadPage]:
        """Yield what the first snapshot holds: packages, and pages that cannot be read."""
        raise NotImplementedError

    def walk(self) -> Iterator[Step]:
        """Yield every step, each valid until the next."""
        raise NotImplementedError


class SectionEnd(NamedTuple):
    """A commit that a section ends with, and what the section is called; or where the first begins.

    `tree` is that of the catalog's folder.
    """

    tree: str
    revision: Revision
    name: str = ""
    subject: str = ""
    is_open: bool = False


class GitSteps(Steps, frozen=True, kw_only=True):
    """Steps through a git history; `folder` is the one that holds the catalog."""

    repository: str
    folder: str
    snapshots: tuple[SectionEnd, ...]

    def first_revision(self) -> Revision:
        """Return the snapshot that the first step begins with."""
        return self.snapshots[0].revision

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
        trees = [end.tree for end in self.snapshots]
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
                old, new = self.snapshots[position : position + 2]
                revisions = old.revision, new.revision
                yield Step(new.name, new.subject, new.is_open, revisions, files)
                files.finish(position)


class Section(Struct, frozen=True, kw_only=True):
    """What happened from one snapshot to the next.

    `name` is the commit, the period, the git tags or the folder, and `subject` the commit's where
    it is one commit. `is_open` says that what is still to come may belong to it.
    """

    name: str
    subject: str
    is_open: bool
    diff: CatalogDiff


def compute_sections(
    steps: Steps,
    settings: Settings,
    *,
    executor: Executor | None = None,
    jobs: int = 1,
    warn: Callable[[str], None] = lambda _: None,
    progress: Progress = unseen,
) -> Iterator[Section]:
    """Yield the sections in which something happened, oldest first, each as soon as it is ready.

    The `map` of an `executor` of any kind spreads them over processes, `jobs` in number; the
    sections are the same. `warn` is called where a page contradicts itself, `progress` with how
    many steps are compared. Raises SnapdiffError: BadPagesError where a page cannot be read and is
    not to be skipped.
    """
    if executor is None:
        every = _in_order(steps, settings, warn, progress)
    else:
        every = _spread(steps, settings, executor, jobs, warn, progress)
    return (section for section in every if not section.diff.is_empty() or section.diff.skipped)


def _in_order(
    steps: Steps, settings: Settings, warn: Callable[[str], None], progress: Progress
) -> Iterator[Section]:
    for number, step in enumerate(steps.walk(), 1):
        try:
            diff = diff_files(
                step.files,
                step.revisions,
                filters=settings.filters,
                allow_empty=True,
                skip_bad_pages=settings.skip_bad_pages,
                warn=warn,
                limits=steps.limits,
            )
        except BadPagesError as error:
            old, new = step.revisions
            places = [(old if page.side == "old" else new).source for page in error.pages]
            raise BadPagesError(
                [
                    BadPage(f"{page.path} in {place}", page.side, page.reason)
                    for page, place in zip(error.pages, places, strict=True)
                ]
            ) from error
        diff = replace(diff, configuration=settings.configuration)
        yield Section(name=step.name, subject=step.subject, is_open=step.is_open, diff=diff)
        progress(number, steps.most_sections())


class _Outcome(Struct, frozen=True, kw_only=True):
    """What another process makes of a part: its sections, or the pages that it cannot read."""

    sections: list[Section]
    warnings: list[str]
    bad_pages: list[tuple[str, Side, str]]


_DECODER = msgspec.msgpack.Decoder(_Outcome)


def compute_part(steps: Steps, settings: Settings) -> bytes:
    """Return the outcome of a part of the steps as bytes: what a worker of an executor runs."""
    found = _Outcome(sections=[], warnings=[], bad_pages=[])
    try:
        found.sections.extend(_in_order(steps, settings, found.warnings.append, unseen))
    except BadPagesError as error:
        found.bad_pages.extend((page.path, page.side, page.reason) for page in error.pages)
    return msgspec.msgpack.encode(found)


def _spread(
    steps: Steps,
    settings: Settings,
    executor: Executor,
    jobs: int,
    warn: Callable[[str], None],
    progress: Progress,
) -> Iterator[Section]:
    total = steps.most_sections()
    rounds = ceil(total / (jobs * _MOST_IN_A_PART)) or 1
    parts = list(steps.parts(ceil(total / (jobs * rounds)) or 1))
    outcomes = executor.map(compute_part, parts, [settings] * len(parts))
    done = 0
    for part, encoded in zip(parts, outcomes, strict=True):
        outcome = _DECODER.decode(encoded)
        for message in outcome.warnings:
            warn(message)
        yield from outcome.sections
        if outcome.bad_pages:
            raise BadPagesError([BadPage(*page) for page in outcome.bad_pages])
        done += part.most_sections()
        progress(done, total)
