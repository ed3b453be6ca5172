"""When each version of each package was first and last seen in each stack, and its builds."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple, TypeVar

from msgspec import Struct

from snapdiff.catalog.reading import FilePair
from snapdiff.changelog.ranges import Steps
from snapdiff.changelog.sections import Settings, Watcher
from snapdiff.changelog.steps import Step
from snapdiff.errors import BadPage, BadPagesError
from snapdiff.filters import Scope
from snapdiff.formats.base import Document
from snapdiff.model import Build, InCommon, Package, Revision, counted_in_common
from snapdiff.spack.version import parse_version


class Sighting(Struct, frozen=True, kw_only=True):
    """A snapshot: the section that ends with it, its commit if it is one, and its date."""

    section: str
    commit: str | None
    date: str | None


class BuildsSeen(Sighting, frozen=True, kw_only=True):
    """A snapshot in which a version that stayed, or returned, has more or fewer builds."""

    old: int
    new: int


class Seen(Struct, frozen=True, kw_only=True):
    """One version of a package in a stack of a tag, or of a tag and those that followed it.

    `first` is null where the version is in the first snapshot already. `last` is the newest
    snapshot that has it, and `is_gone` says that the last of all has not. `builds` is how many it
    has, or had last, and `build_changes` has each snapshot in which that is another number than
    before. Of tags that followed one another, `tag` is the newest.
    """

    package: str
    version: str
    tag: str
    stack: str
    first: Sighting | None
    last: Sighting
    is_gone: bool
    builds: int
    build_changes: tuple[BuildsSeen, ...]


class _Place(NamedTuple):
    """Where a version can be seen."""

    tag: str
    package: str
    stack: str
    version: str


class _Span:
    """When a version was seen: `last` is None as long as it is there, with so many `builds`."""

    __slots__ = ("build_changes", "builds", "first", "last")

    def __init__(self, first: Sighting | None, builds: int) -> None:
        self.first = first
        self.last: Sighting | None = None
        self.builds = builds
        self.build_changes: list[BuildsSeen] = []


class _Held(NamedTuple):
    """What a file listed when it was last read, and the snapshot that it was read in."""

    builds: Counter[_Place]
    seen: Sighting


def first_seen(steps: Steps, settings: Settings, watcher: Watcher | None = None) -> list[Seen]:
    """Return a row for each tag, package, version and stack that any snapshot has, sorted.

    Raises BadPagesError where a page cannot be read and is not to be skipped.
    """
    watcher = watcher or Watcher()
    record = _Record(settings, steps.first_revision())
    record.begin(steps.first_packages())
    for step in steps.walk(lambda: watcher.passed(1)):
        record.add(step)
    return record.rows()


class _Record:
    """What was seen so far."""

    def __init__(self, settings: Settings, first: Revision) -> None:
        self._scope = Scope(settings.filters)
        self._skip_bad_pages = settings.skip_bad_pages
        self._tags = _Tags(self._scope)
        self._spans: dict[_Place, _Span] = {}
        self._unreadable: dict[str, _Held] = {}
        self._newest = _sighting(first.source, first)

    def begin(self, packages: Iterable[Package | BadPage]) -> None:
        """Take what the first snapshot holds."""
        bad_pages = []
        builds: Counter[_Place] = Counter()
        for package in packages:
            if isinstance(package, BadPage):
                bad_pages.append(package)
            else:
                self._tags.packages[package.tag] += 1
                if self._scope.has_tag(package.tag):
                    builds.update(self._places(package.tag, package.name, _counted(package.specs)))
        self._check(bad_pages)
        self._tags.end_snapshot()
        self._spans = {place: _Span(None, number) for place, number in builds.items()}

    def _check(self, bad_pages: list[BadPage]) -> None:
        if bad_pages and not self._skip_bad_pages:
            raise BadPagesError(bad_pages)

    def add(self, step: Step) -> None:
        """Go on to the next snapshot."""
        bad_pages: list[BadPage] = []
        before: Counter[_Place] = Counter()
        after: Counter[_Place] = Counter()
        seen: dict[_Place, Sighting] = {}
        for pair in step.files.changed():
            bad_pages += [page for page in (pair.old, pair.new) if isinstance(page, BadPage)]
            old, new = self._both_sides(pair)
            held = self._unreadable.pop(pair.path, _Held(old, self._newest))
            if isinstance(pair.new, BadPage):
                # What it listed before is neither gone nor new until it can be read again.
                self._unreadable[pair.path] = held
            else:
                before.update(held.builds)
                after.update(new)
                seen.update(dict.fromkeys(held.builds, held.seen))
        self._check(bad_pages)
        successor = self._tags.end_snapshot()
        if successor:
            self._spans, seen = _renamed(self._spans, *successor), _renamed(seen, *successor)
            before = Counter(_renamed(before, *successor))
            for path, held in self._unreadable.items():
                builds = Counter(_renamed(held.builds, *successor))
                self._unreadable[path] = held._replace(builds=builds)
        newest = _sighting(step.name, step.revisions[1])
        for place in before.keys() | after.keys():
            if self._tags.is_wanted(place.tag):
                self._see(place, before[place], after[place], seen.get(place), newest)
        self._newest = newest

    def _see(
        self, place: _Place, old: int, new: int, last: Sighting | None, newest: Sighting
    ) -> None:
        """Take how many builds the files that differ have of a version."""
        span = self._spans.setdefault(place, _Span(None if old else newest, old))
        now = new - old + (0 if span.last else span.builds)
        if not now:
            span.last = last
            return
        span.last = None
        if span.builds not in (0, now):
            change = BuildsSeen(
                section=newest.section,
                commit=newest.commit,
                date=newest.date,
                old=span.builds,
                new=now,
            )
            span.build_changes.append(change)
        span.builds = now

    def _both_sides(self, pair: FilePair) -> tuple[Counter[_Place], Counter[_Place]]:
        """Return how many builds of each version a file lists, on both sides."""
        found: tuple[Counter[_Place], Counter[_Place]] = (Counter(), Counter())
        for side, tag, package, builds in _listed(pair):
            self._tags.packages[tag] += bool(builds) * (1 if side else -1)
            found[side].update(self._places(tag, package, builds))
        return found

    def _places(self, tag: str, package: str, builds: Mapping[InCommon, int]) -> Counter[_Place]:
        found: Counter[_Place] = Counter()
        if self._scope.has_package(package):
            for (version, stacks), number in builds.items():
                for stack in self._scope.stacks(stacks):
                    found[_Place(tag, package, stack, version)] += number
        return found

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
                builds=span.builds,
                build_changes=tuple(span.build_changes),
            )
            for place, span in sorted(self._spans.items(), key=lambda item: _order(item[0]))
        ]


class _Tags:
    """The tags of the newest snapshot, each with its number of `packages`.

    Where each of two snapshots has exactly one tag, the one is compared with the other, whatever
    they are called (docs/specification.md, section 2): `develop-2025-06-01` is followed by
    `develop-2025-06-08`. A filter that lets one of them in lets in what follows it.
    """

    def __init__(self, scope: Scope) -> None:
        self._scope = scope
        self.packages: Counter[str] = Counter()
        self._before: set[str] = set()
        self._followed: set[str] = set()

    def end_snapshot(self) -> tuple[str, str] | None:
        """Return the only tag of the snapshot before and its successor, where there is one."""
        before, after = self._before, {tag for tag, number in self.packages.items() if number > 0}
        self._before = after
        if len(before) != 1 or len(after) != 1 or before == after:
            return None
        [old], [new] = before, after
        if self.is_wanted(old) or self._scope.has_tag(new):
            self._followed |= {old, new}
        return old, new

    def is_wanted(self, tag: str) -> bool:
        """Return whether a tag is looked at."""
        return self._scope.has_tag(tag) or tag in self._followed


def _listed(pair: FilePair) -> Iterator[tuple[int, str, str, Mapping[InCommon, int]]]:
    """Yield what a file lists on side 0 and on side 1: tag, package, and its builds."""
    if pair.packages:
        for both in pair.packages.pairs:
            for side, alone in enumerate((both.old, both.new)):
                builds = Counter(both.common)
                builds.update(_counted(alone))
                yield side, both.tags[0] or "", both.name, builds
        return
    for side, document in enumerate((pair.old, pair.new)):
        for package in document.packages if isinstance(document, Document) else ():
            yield side, package.tag, package.name, _counted(package.specs)


def _counted(specs: Mapping[str, Build]) -> dict[InCommon, int]:
    return counted_in_common(Counter(specs.values()))


_Value = TypeVar("_Value")


def _renamed(found: Mapping[_Place, _Value], old: str, new: str) -> dict[_Place, _Value]:
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
