"""When each version of each package was first and last seen in each stack."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple, TypeVar

from msgspec import Struct

from snapdiff.catalog.reading import FilePair, Reading
from snapdiff.changelog.followed_tags import FollowedTags
from snapdiff.changelog.sections import Settings, Watcher
from snapdiff.changelog.steps import Step, Steps
from snapdiff.errors import BadPage, BadPagesError
from snapdiff.filters import Scope
from snapdiff.formats.base import Document
from snapdiff.model import Package, PackagePair, Revision
from snapdiff.spack.version import parse_version


class Sighting(Struct, frozen=True, kw_only=True):
    """A snapshot: the section that ends with it, its commit if it is one, and its date."""

    section: str
    commit: str | None
    date: str | None


class Seen(Struct, frozen=True, kw_only=True):
    """One version of a package in a stack of a tag, or of a tag and those that followed it.

    `first` is null where the version is in the first snapshot already. `last` is the newest
    snapshot that has it, and `is_gone` says that the last of all has not. Of tags that followed one
    another, `tag` is the newest.
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
    record = _Record(settings, _sighting(steps.first_revision().source, steps.first_revision()))
    record.begin(steps.first_packages())
    for step in steps.walk(lambda: watcher.passed(1)):
        record.add(step)
    return record.rows()


class _Record:
    """What was seen so far."""

    def __init__(self, settings: Settings, newest: Sighting) -> None:
        self._scope = Scope(settings.filters)
        self._tags = FollowedTags(self._scope)
        self._skip_bad_pages = settings.skip_bad_pages
        self._spans: dict[_Place, _Span] = {}
        self._unreadable: dict[str, dict[_Place, Sighting]] = {}
        self._newest = newest

    def begin(self, packages: Iterable[Package | BadPage]) -> None:
        """Take what the first snapshot holds."""
        bad_pages = []
        for package in packages:
            if isinstance(package, BadPage):
                bad_pages.append(package)
            else:
                self._tags.begin(package)
                places = self._wanted(self._places(package))
                self._spans.update((place, _Span(None)) for place in places)
        self._check(bad_pages)

    def _check(self, bad_pages: list[BadPage]) -> None:
        if bad_pages and not self._skip_bad_pages:
            raise BadPagesError(bad_pages)

    def add(self, step: Step) -> None:
        """Go on to the next snapshot."""
        gone: dict[_Place, Sighting] = {}
        new: set[_Place] = set()
        bad_pages: list[BadPage] = []
        for pair in step.files.changed():
            bad_pages += [page for page in (pair.old, pair.new) if isinstance(page, BadPage)]
            before, after = self._both_places(pair)
            gone |= before
            new |= after
            self._tags.add(pair)
        self._check(bad_pages)
        successor = self._tags.end_snapshot()
        if successor:
            self._spans = _with_tag(self._spans, *successor)
            gone = _with_tag(gone, *successor)
        old = self._wanted(gone)
        new = set(self._wanted(new))
        for place in old:
            span = self._spans.setdefault(place, _Span(None))
            if place not in new:
                span.last = gone[place]
        self._newest = _sighting(step.name, step.revisions[1])
        for place in new.difference(old):
            self._spans.setdefault(place, _Span(self._newest)).last = None

    def _wanted(self, places: Iterable[_Place]) -> list[_Place]:
        """Return those of some places whose tag is looked at."""
        return [place for place in places if self._tags.is_wanted(place.tag)]

    def _both_places(self, pair: FilePair) -> tuple[dict[_Place, Sighting], set[_Place]]:
        """Return what a file listed, each with the snapshot that had it last, and what it lists.

        Nobody knows what a page lists while it cannot be read: what it listed before is neither
        gone nor new until it can be read again.
        """
        if pair.packages:
            before, after = self._pair_places(pair.packages.pairs)
        else:
            before, after = self._document_places(pair.old), self._document_places(pair.new)
        old = dict.fromkeys(before, self._newest) | self._unreadable.pop(pair.path, {})
        if isinstance(pair.new, BadPage):
            self._unreadable[pair.path] = old
            return {}, set()
        return old, after

    def _document_places(self, document: Reading) -> set[_Place]:
        if not isinstance(document, Document):
            return set()
        return {place for package in document.packages for place in self._places(package)}

    def _places(self, package: Package) -> Iterator[_Place]:
        if self._scope.has_package(package.name):
            for build in set(package.specs.values()):
                for stack in self._scope.stacks(build.stacks):
                    yield _Place(package.tag, package.name, stack, build.version_text)

    def _pair_places(self, pairs: Iterable[PackagePair]) -> tuple[set[_Place], set[_Place]]:
        old: set[_Place] = set()
        new: set[_Place] = set()
        for pair in pairs:
            for side, found in ((pair.old, old), (pair.new, new)):
                listed = {(build.version_text, build.stacks) for build in side.values()}
                tag = pair.tags[0] or ""
                if self._scope.has_package(pair.name):
                    for version, stacks in listed | pair.common.keys():
                        for stack in self._scope.stacks(stacks):
                            found.add(_Place(tag, pair.name, stack, version))
        return old, new

    def rows(self) -> list[Seen]:
        """Return all that was seen, by package, version, tag and stack."""
        return [
            Seen(
                package=place.package,
                version=place.version,
                tag=place.tag,
                stack=place.stack,
                first=span.first,
                last=span.last or self._newest,
                is_gone=span.last is not None,
            )
            for place, span in sorted(self._spans.items(), key=lambda item: _order(item[0]))
        ]


_Value = TypeVar("_Value")


def _with_tag(found: dict[_Place, _Value], old: str, new: str) -> dict[_Place, _Value]:
    """Return what is known of some places, with a tag under its successor's name."""
    return {
        place._replace(tag=new) if place.tag == old else place: value
        for place, value in found.items()
    }


def _order(place: _Place) -> tuple[object, ...]:
    version = parse_version(place.version)
    return place.package, version, place.version, place.tag, place.stack


def _sighting(section: str, revision: Revision) -> Sighting:
    return Sighting(section=section, commit=revision.commit, date=revision.date)
