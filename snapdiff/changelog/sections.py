"""The sections of a changelog: the steps from snapshot to snapshot, and what each one compares."""

from collections.abc import Iterator
from concurrent.futures import Executor
from itertools import pairwise
from math import ceil
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from snapdiff.buildcache_layout import is_index
from snapdiff.catalog.compared_files import ComparedFiles
from snapdiff.catalog.history import History
from snapdiff.comparison import ComparisonOptions, diff_files
from snapdiff.errors import BadPage, BadPagesError, Side
from snapdiff.formats.kinds import DOCUMENTS
from snapdiff.limits import Limits, Progress, ignored
from snapdiff.model.specs import Revision
from snapdiff.reports.names import day_of
from snapdiff.result.changes import CatalogDiff
from snapdiff.sources.git import GitSource, changes_between
from snapdiff.sources.names import EVERYWHERE, Paths
from snapdiff.sources.repository import Repository
from snapdiff.sources.source import printable_path

_MOST_IN_A_PART = 64
"""How many sections another process is given at once: each part reads the pages it begins with."""


class SectionEnd(NamedTuple):
    """A snapshot that a section ends with, or that the first one begins with.

    `name` is what the section is called: the commit, the period, the git tags or the folder.
    `subject` is the commit's where it is one commit, and empty otherwise. `is_open` says that what
    is still to come may belong to the section. `tree` is that of the catalog's folder in git;
    `tags` are those of a commit that a section is called after.
    """

    revision: Revision
    name: str = ""
    subject: str = ""
    is_open: bool = False
    tree: str = ""
    tags: tuple[str, ...] = ()

    @property
    def is_commit(self) -> bool:
        """Whether it has no name but that of a commit."""
        return bool(self.name) and (self.revision.commit or "").startswith(self.name)

    @property
    def day(self) -> str:
        """The day of the snapshot; empty where that is not known, or is the section's name."""
        day = day_of(self.revision.date)
        return "" if day == self.name else day

    @property
    def called(self) -> str:
        """What people call it: by the git tag of its commit, by its day, or by its name."""
        return (self.tags[0] if self.is_commit and self.tags else self.day) or self.name


class SectionStep(NamedTuple):
    """One section to be: the snapshot before it, its end, and their files while it is current."""

    old: Revision
    end: SectionEnd
    files: ComparedFiles


class Section(Struct, frozen=True):
    """What happened from one snapshot to the next, which is its end."""

    end: SectionEnd
    diff: CatalogDiff


class Steps(Struct, frozen=True, kw_only=True):
    """Steps from snapshot to snapshot within `paths`: a value that another process can take."""

    snapshots: tuple[Any, ...]
    limits: Limits
    paths: Paths = EVERYWHERE

    def most_sections(self) -> int:
        """Return the number of sections there are at the most."""
        return len(self.snapshots) - 1

    def walk(self) -> Iterator[SectionStep]:
        """Yield every step, each valid until the next."""
        raise NotImplementedError


class GitSteps(Steps, frozen=True, kw_only=True):
    """Steps through a git history; `folder` is the one that holds the catalog."""

    repository: str
    folder: str
    snapshots: tuple[SectionEnd, ...]

    def walk(self) -> Iterator[SectionStep]:
        """Yield every step, each valid until the next."""
        if not self.most_sections():
            return
        repository = Repository(Path(self.repository), self.limits)
        sources = [
            GitSource(repository, end.tree, end.tree, folder=self.folder).narrowed(self.paths)
            for end in self.snapshots
        ]
        last_use = {
            str(entry.content_id): position
            for position, pairs in enumerate(changes_between(sources))
            for pair in pairs
            for entry in pair
            if entry
        }
        mirrors = {it.path for it in sources[0].entries() if is_index(it.path)}
        with repository.objects() as objects:
            history = History(objects, DOCUMENTS, last_use)
            # Git is asked again: what differs in years of commits is too much to keep.
            changes = changes_between(sources)
            following = next(changes)
            for position, (old, end) in enumerate(pairwise(self.snapshots)):
                pairs, following = following, next(changes, [])
                came = {it.path for _, it in pairs if it and is_index(it.path)}
                kinds = history.documents.with_mirrors(map(printable_path, mirrors | came))
                mirrors = came | mirrors.difference(it.path for it, _ in pairs if it)
                if kinds is not history.documents:
                    # What an index lists depends on what mirrors there are: it is read anew.
                    history = History(objects, kinds, last_use)
                for known in (pairs, following):
                    history.ask(entry for pair in known for entry in pair)
                history.begin(sources[position], sources[position + 1], pairs)
                yield SectionStep(old.revision, end, history)
                history.finish(position)


def compute_sections(
    steps: Steps,
    settings: ComparisonOptions | None = None,
    *,
    executor: Executor | None = None,
    jobs: int = 1,
    progress: Progress = ignored,
) -> Iterator[Section]:
    """Yield the sections in which something happened, oldest first, each as soon as it is ready.

    The `map` of an `executor` of any kind spreads them over processes, `jobs` in number; the
    sections are the same. `progress` is called with how many steps are compared. Raises
    SnapdiffError: BadPagesError where a page cannot be read and is not to be skipped.
    """
    # A snapshot without a page is one in which all was removed.
    settings = replace(settings or ComparisonOptions(), allow_empty=True)
    if executor is None:
        every = _in_order(steps, settings, progress)
    else:
        every = _spread(steps, settings, executor, jobs, progress)
    return (section for section in every if not section.diff.is_empty() or section.diff.skipped)


def _in_order(steps: Steps, settings: ComparisonOptions, progress: Progress) -> Iterator[Section]:
    for number, (old, end, files) in enumerate(steps.walk(), 1):
        try:
            diff = diff_files(files, (old, end.revision), settings)
        except BadPagesError as error:
            sides = {"old": old.source, "new": end.revision.source}
            raise BadPagesError(
                [BadPage(it.path, it.side, it.reason, sides[it.side]) for it in error.pages]
            ) from error
        yield Section(end, diff)
        progress(number, steps.most_sections())


class _Outcome(Struct, frozen=True, kw_only=True):
    """What another process makes of a part: its sections, or the pages that it cannot read."""

    sections: list[Section]
    warnings: list[str]
    bad_pages: list[tuple[str, Side, str, str]]


_DECODER = msgspec.msgpack.Decoder(_Outcome)


def compute_part(steps: Steps, settings: ComparisonOptions) -> bytes:
    """Return the outcome of a part of the steps as bytes: what a worker of an executor runs."""
    found = _Outcome(sections=[], warnings=[], bad_pages=[])
    try:
        settings = replace(settings, warn=found.warnings.append)
        found.sections.extend(_in_order(steps, settings, ignored))
    except BadPagesError as error:
        found.bad_pages.extend((it.path, it.side, it.reason, it.source) for it in error.pages)
    return msgspec.msgpack.encode(found)


def _spread(
    steps: Steps, settings: ComparisonOptions, executor: Executor, jobs: int, progress: Progress
) -> Iterator[Section]:
    total = steps.most_sections()
    rounds = ceil(total / (jobs * _MOST_IN_A_PART)) or 1
    size = ceil(total / (jobs * rounds)) or 1
    parts = [
        replace(steps, snapshots=steps.snapshots[start : start + size + 1])
        for start in range(0, total, size)
    ]
    of_a_part = replace(settings, warn=ignored)  # a function may not be sent
    outcomes = executor.map(compute_part, parts, [of_a_part] * len(parts))
    done = 0
    for part, encoded in zip(parts, outcomes, strict=True):
        outcome = _DECODER.decode(encoded)
        for message in outcome.warnings:
            settings.warn(message)
        yield from outcome.sections
        if outcome.bad_pages:
            raise BadPagesError([BadPage(*page) for page in outcome.bad_pages])
        done += part.most_sections()
        progress(done, total)
