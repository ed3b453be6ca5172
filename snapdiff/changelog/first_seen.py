"""When each version of each package was first and last seen in each stack, and its builds."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from msgspec import Struct
from msgspec.structs import asdict

from snapdiff.catalog.matching import followed_tag
from snapdiff.catalog.reading import FilePair
from snapdiff.changelog.ranges import Range
from snapdiff.comparison import ComparisonOptions
from snapdiff.errors import BadPage, BadPagesError
from snapdiff.filters import Scope
from snapdiff.formats.document import Document
from snapdiff.limits import Progress
from snapdiff.model.specs import Build, Revision
from snapdiff.result.changes import SkippedPage
from snapdiff.spack import Configuration, parse_version


class Sighting(Struct, frozen=True, kw_only=True):
    """A snapshot: the section that ends with it, its commit if it is one, and its date."""

    section: str
    commit: str | None
    date: str | None


class BuildsSeen(Sighting, frozen=True, kw_only=True):
    """A snapshot in which a version that was there before, or returned, has other builds.

    `new` is `old` less those `removed` and with those `added`: of a version that was away it is 0,
    and then `old` is. Builds are told apart by their configuration (specification, section 4), as a
    rebuild changes every hash.
    """

    old: int
    new: int
    removed: int
    added: int


class Seen(Struct, kw_only=True):
    """One version of a package in a stack of a tag, the newest of those that followed one another.

    `first` is null where the version is in the first snapshot already. `last` is the newest
    snapshot that has it, as far as it can be read, and `is_gone` says that the last of all has not.
    `builds` is how many it has, or had last, and `build_changes` has each snapshot in which it has
    others than before.
    """

    package: str
    version: str
    tag: str
    stack: str
    first: Sighting | None
    last: Sighting
    is_gone: bool
    builds: int
    build_changes: list[BuildsSeen]

    @property
    def was_away(self) -> bool:
        """Whether a snapshot between the first that has it and the last has it not."""
        return any(not it.new for it in self.build_changes)


class Sightings(NamedTuple):
    """All that was seen, by package, version, tag and stack; and the pages that were left out.

    `ends` are the first snapshot that was looked at, and the last.
    """

    seen: list[Seen]
    skipped: list[SkippedPage]
    ends: tuple[Sighting, Sighting]


class _Place(NamedTuple):
    """Where a version can be seen."""

    package: str
    version: str
    tag: str
    stack: str


_Builds = Counter[Configuration]
"""How many builds there are of each configuration."""

_Listed = defaultdict[_Place, _Builds]
"""The builds of each version that some files list, and not on both sides in the same words."""


class _Held(NamedTuple):
    listed: _Listed  # what a file listed when it was last read
    seen: Sighting  # the snapshot that it was read in


def first_seen(wanted: Range, settings: ComparisonOptions, progress: Progress) -> Sightings:
    """Return a row for each tag, package, version and stack that any snapshot of a range has.

    Raises BadPagesError where a page cannot be read and is not to be skipped.
    """
    record = _Record(settings)
    first, steps = wanted.oldest, wanted.steps()
    files = (FilePair(path, None, found) for path, found in first.readings())
    start = end = _sighting(first.source.name, first.revision)
    record.add(start, files)
    for number, step in enumerate(steps.walk(), 1):
        end = _sighting(step.end.name, step.end.revision)
        record.add(end, step.files.changed())
        progress(number, steps.most_sections())
    return Sightings(record.rows(), list(record.skipped.values()), (start, end))


class _Record:
    """What was seen so far, and by path what was left out."""

    def __init__(self, settings: ComparisonOptions) -> None:
        self.skipped: dict[str, SkippedPage] = {}
        self._scope = Scope(settings.filters)
        self._skip_bad_pages = settings.skip_bad_pages
        self._tags = _Tags(self._scope)
        self._rows: dict[_Place, Seen] = {}
        self._unreadable: dict[str, _Held] = {}
        self._newest: Sighting | None = None

    def _check(self, bad_pages: list[BadPage], snapshot: str) -> None:
        if bad_pages and not self._skip_bad_pages:
            raise BadPagesError(bad_pages)
        for page in bad_pages:
            place = f"{page.path} in {snapshot}"
            skipped = SkippedPage(side=page.side, path=place, error=page.reason)
            self.skipped.setdefault(page.path, skipped)

    def add(self, newest: Sighting, files: Iterable[FilePair]) -> None:
        """Take a snapshot: the files that differ from the one before, of the first one all."""
        bad_pages: list[BadPage] = []
        before, after = _Listed(_Builds), _Listed(_Builds)
        seen: dict[_Place, Sighting] = {}
        for pair in files:
            self._tags.count(pair)
            bad_pages += [page for page in (pair.old, pair.new) if isinstance(page, BadPage)]
            old, new = self._both_sides(pair)
            held = self._unreadable.pop(pair.path, _Held(old, self._newest or newest))
            if isinstance(pair.new, BadPage):
                # What it listed before is neither gone nor new until it can be read again.
                self._unreadable[pair.path] = held
            else:
                for listed, found in ((before, held.listed), (after, new)):
                    for place, builds in found.items():
                        listed[place].update(builds)
                seen.update(dict.fromkeys(held.listed, held.seen))
        self._check(bad_pages, newest.section)
        successor = self._tags.end_snapshot()
        if successor:
            for places in (self._rows, seen, before):
                _rename(places, *successor)
            for held in self._unreadable.values():
                _rename(held.listed, *successor)
        for place in before.keys() | after.keys():
            if self._tags.may_be_wanted(place.tag):
                self._see(place, before[place], after[place], seen.get(place, newest), newest)
        self._newest = newest

    def _see(
        self, place: _Place, old: _Builds, new: _Builds, last: Sighting, newest: Sighting
    ) -> None:
        row = self._rows.get(place)
        if row is None:
            row = self._rows[place] = Seen(
                **place._asdict(),
                first=None if old or not self._newest else newest,
                last=newest,
                is_gone=False,
                builds=old.total(),
                build_changes=[],
            )
        there = 0 if row.is_gone else row.builds
        if not there + new.total() - old.total():
            row.is_gone, row.last = True, last
            row.build_changes.append(_change(newest, row.builds, row.builds, 0))
            return
        removed, added = (old - new).total(), (new - old).total()
        if row.is_gone:
            row.is_gone, row.builds = False, 0
            row.build_changes.append(_change(newest, 0, 0, added))
        elif row.builds and (removed or added):
            row.build_changes.append(_change(newest, row.builds, removed, added))
        row.builds += added - removed

    def _both_sides(self, pair: FilePair) -> tuple[_Listed, _Listed]:
        """Return the builds of each version that a file lists on one side, for both sides."""
        found = _Listed(_Builds), _Listed(_Builds)
        for side, tag, package, specs in _packages_of(pair):
            if self._scope.has_package(package):
                for build, number in Counter(specs.values()).items():
                    for stack in self._scope.stacks(build.stacks):
                        place = _Place(package, build.version_text, tag, stack)
                        found[side][place][build.configuration] += number
        return found

    def rows(self) -> list[Seen]:
        assert self._newest
        unread = {place: held for held in self._unreadable.values() for place in held.listed}
        for place, row in self._rows.items():
            row.tag = place.tag
            held = unread.get(place)
            if row.is_gone:
                row.build_changes.pop()  # that it left says `last`
            elif held and held.listed[place].total() == row.builds:
                row.last = held.seen  # nothing else has it that can be read
            else:
                row.last = self._newest
        return sorted(
            (row for row in self._rows.values() if self._tags.is_wanted(row.tag)),
            key=lambda it: (it.package, parse_version(it.version), it.version, it.tag, it.stack),
        )


def _change(seen: Sighting, old: int, removed: int, added: int) -> BuildsSeen:
    new = old + added - removed
    return BuildsSeen(**asdict(seen), old=old, new=new, removed=removed, added=added)


class _Tags:
    """The tags of the newest snapshot, each with its number of packages or whole stacks.

    The only tag of a snapshot is compared with the only one of the next, so `develop-2025-06-01`
    is followed by `develop-2025-06-08`: a filter that lets one of them in lets in all of them.
    """

    def __init__(self, scope: Scope) -> None:
        self._scope = scope
        self._listed: Counter[str] = Counter()
        self._before: set[str] = set()
        self._followed: dict[str, tuple[str, ...]] = {}  # those before a tag, one after the other

    def count(self, pair: FilePair) -> None:
        for document, number in ((pair.old, -1), (pair.new, 1)):
            for claim in document.claims if isinstance(document, Document) else ():
                self._listed[claim.tag] += number

    def end_snapshot(self) -> tuple[str, str] | None:
        """Return the only tag of the snapshot before and its successor, where there is one."""
        before, after = self._before, {tag for tag, number in self._listed.items() if number > 0}
        self._before = after
        followed = followed_tag(before, after)
        if followed:
            old, new = followed
            self._followed[new] = (*self._followed.pop(old, ()), old)
        return followed

    def may_be_wanted(self, tag: str) -> bool:
        """Return whether a tag is wanted, or alone, so that one that is may follow it."""
        return len(self._before) == 1 or self.is_wanted(tag)

    def is_wanted(self, tag: str) -> bool:
        return self._scope.has_tag(tag, *self._followed.get(tag, ()))


def _packages_of(pair: FilePair) -> Iterator[tuple[int, str, str, Mapping[str, Build]]]:
    """Yield what a file lists on side 0 and on side 1, less what both list in the same words."""
    if pair.is_paired:
        for both in pair.pairs:
            yield 0, both.tags[0] or "", both.name, both.old
            yield 1, both.tags[1] or "", both.name, both.new
        return
    for side, document in enumerate((pair.old, pair.new)):
        for package in document.packages if isinstance(document, Document) else ():
            yield side, package.tag, package.name, package.specs


def _rename(found: dict[_Place, Any], old: str, new: str) -> None:
    for place in [place for place in found if place.tag == old]:
        found[place._replace(tag=new)] = found.pop(place)


def _sighting(section: str, revision: Revision) -> Sighting:
    return Sighting(section=section, commit=revision.commit, date=revision.date)
