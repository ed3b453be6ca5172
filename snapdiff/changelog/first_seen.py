"""When each version of each package was first and last seen in each stack."""

from collections.abc import Iterator
from typing import NamedTuple

from msgspec import Struct

from snapdiff.catalog.opening import Read
from snapdiff.changelog.sections import Settings, Watcher
from snapdiff.changelog.steps import Step, Steps
from snapdiff.errors import BadPage, BadPagesError
from snapdiff.filters import Scope
from snapdiff.model import Package
from snapdiff.result import Revision
from snapdiff.spack.version import parse_version


class Sighting(Struct, frozen=True, kw_only=True):
    """A snapshot: the section that ends with it, its commit if it is one, and its date."""

    section: str
    commit: str | None
    date: str | None


class Seen(Struct, frozen=True, kw_only=True):
    """One version of a package in a stack of a tag.

    `first` is null where the version is in the first snapshot already. `last` is the newest
    snapshot that has it, and `is_gone` says that the last of all has not.
    """

    package: str
    version: str
    tag: str
    stack: str
    first: Sighting | None
    last: Sighting
    is_gone: bool


class _Place(NamedTuple):
    """Where a version can be seen."""

    tag: str
    package: str
    stack: str
    version: str


class _Span:
    """When a version was seen: `last` is None as long as it is there."""

    __slots__ = ("first", "last")

    def __init__(self, first: Sighting | None) -> None:
        self.first = first
        self.last: Sighting | None = None


def first_seen(steps: Steps, settings: Settings, watcher: Watcher | None = None) -> list[Seen]:
    """Return a row for each tag, package, version and stack that any snapshot has, sorted.

    Raises BadPagesError where a page cannot be read and is not to be skipped.
    """
    watcher = watcher or Watcher()
    record = _Record(settings)
    for step in steps.steps(lambda: watcher.passed(1)):
        record.add(step)
    return record.rows()


class _Record:
    """What was seen so far."""

    def __init__(self, settings: Settings) -> None:
        self._scope = Scope(settings.filters)
        self._skip_bad_pages = settings.skip_bad_pages
        self._spans: dict[_Place, _Span] = {}
        self._newest: Sighting | None = None

    def add(self, step: Step) -> None:
        """Go on to the next snapshot."""
        gone: set[_Place] = set()
        come: set[_Place] = set()
        bad_pages: list[BadPage] = []
        for pair in step.pages.changed():
            faults = [page for page in (pair.old, pair.new) if isinstance(page, BadPage)]
            bad_pages += faults
            if not faults:
                gone.update(self._places(pair.old))
                come.update(self._places(pair.new))
        if self._newest is None:
            self._newest = _sighting(step.old.revision.source, step.old.revision)
            standing = set(gone)
            for pair in step.pages.unchanged([""]):
                if isinstance(pair.old, BadPage):
                    bad_pages.append(pair.old)
                else:
                    standing.update(self._places(pair.old))
            self._spans = {place: _Span(None) for place in standing}
        if bad_pages and not self._skip_bad_pages:
            raise BadPagesError(bad_pages)
        for place in gone - come:
            self._spans.setdefault(place, _Span(None)).last = self._newest
        self._newest = _sighting(step.name, step.new.revision)
        for place in come - gone:
            span = self._spans.setdefault(place, _Span(self._newest))
            span.last = None

    def _places(self, page: Read) -> Iterator[_Place]:
        if not isinstance(page, Package):
            return
        if not (self._scope.has_tag(page.tag) and self._scope.has_package(page.name)):
            return
        for spec_class in {*page.specs.values(), *page.shared}:
            for stack in self._scope.stacks(spec_class.stacks):
                yield _Place(page.tag, page.name, stack, spec_class.description.version)

    def rows(self) -> list[Seen]:
        """Return all that was seen, by package, version, tag and stack."""
        newest = self._newest
        if newest is None:
            return []
        return [
            Seen(
                package=place.package,
                version=place.version,
                tag=place.tag,
                stack=place.stack,
                first=span.first,
                last=span.last or newest,
                is_gone=span.last is not None,
            )
            for place, span in sorted(self._spans.items(), key=lambda item: _order(item[0]))
        ]


def _order(place: _Place) -> tuple[object, ...]:
    version = parse_version(place.version)
    return place.package, version, place.version, place.tag, place.stack


def _sighting(section: str, revision: Revision) -> Sighting:
    return Sighting(section=section, commit=revision.commit, date=revision.date)
