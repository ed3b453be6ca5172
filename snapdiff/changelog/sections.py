"""The sections of a changelog: each one the comparison of two snapshots, in order of time."""

from collections.abc import Callable, Iterator
from concurrent.futures import Executor
from math import ceil

import msgspec
from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import replace

from snapdiff.changelog.ranges import Steps
from snapdiff.comparison import diff_files
from snapdiff.errors import BadPage, BadPagesError, Side
from snapdiff.limits import Progress, unseen
from snapdiff.result import CatalogDiff, Filters

_MOST_IN_A_PART = 64
"""How many sections another process is given at once: each part reads the pages it begins with."""


class Settings(Struct, frozen=True, kw_only=True):
    """How snapshots are compared."""

    filters: Filters = Filters()
    skip_bad_pages: bool = False
    configuration: str | UnsetType = UNSET
    """The name of the configuration file that decided some of this."""


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
    parts: list[Steps] = list(steps.parts(ceil(total / (jobs * rounds)) or 1))
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
