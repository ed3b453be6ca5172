"""What all sections of a changelog come to: which packages are new or gone, which are as before."""

from collections.abc import Collection, Iterable, Iterator
from typing import Literal, NamedTuple

from msgspec import UNSET

from snapdiff.changelog.sections import SectionEnd
from snapdiff.filters import wanted_kinds
from snapdiff.reports.moves.builds import VersionMove
from snapdiff.reports.moves.of_stacks import Back
from snapdiff.reports.names import readable, tag_names
from snapdiff.result.causes import Cause
from snapdiff.result.changes import CatalogDiff, Change, changes_by_package
from snapdiff.result.packages import Count, Kind, PackageChange
from snapdiff.spack import package_of_compiler, versions_in_order

Fate = Literal["new", "gone", "versions", "came and went", "gone and back"]

_Place = tuple[str, tuple[str, ...]]
"""A stack, and the name of its tag, if it has one name."""

_Lost = dict[tuple[str, str, _Place], list[tuple[bool, str]]]
"""Packages by the tool with which they had no build, since when, and where.

Each with whether nobody asked for it.
"""

_LEAST_SECTIONS = 3
"""In how many sections nobody sees at a glance what is new in the end."""

_FATES: dict[tuple[Kind, Kind], Fate] = {
    (Kind.ADDED, Kind.ADDED): "new",
    (Kind.REMOVED, Kind.REMOVED): "gone",
    (Kind.ADDED, Kind.REMOVED): "came and went",
    (Kind.REMOVED, Kind.ADDED): "gone and back",
}
"""What became of a package by what happened to it first and last."""


class NetChange(NamedTuple):
    """What became of a package in the end: what versions it has, or had, or which went and came.

    `when` are the days or names of the sections that say it: the last one, or all of what was
    undone. `stacks` are those where it was so, if there are several in the catalog.
    `now` is there of a new package that has other versions now than when it came.
    """

    package: str
    when: tuple[str, ...]
    own: tuple[str, ...] = ()
    versions: VersionMove = VersionMove((), ())
    stacks: tuple[str, ...] = ()
    now: tuple[str, ...] = ()


class NoneSince(NamedTuple):
    """Packages that had no build with a compiler or MPI since then; `is_again`: they have now.

    `stacks` has the name of the stack, if there are several in the catalog.
    """

    is_again: bool
    tool: str
    since: str
    stacks: tuple[str, ...]
    products: tuple[str, ...]
    dependencies: tuple[str, ...]


class _Followed:
    """A package in one stack: which of its versions went and came so far, and its whole changes.

    `without` has the compilers and MPIs that its builds had and none has, and since when, as far as
    new builds say it; `still_without` those of which nothing that happened leaves it open.
    """

    def __init__(self) -> None:
        self._gone: set[str] = set()
        self._came: set[str] = set()
        self._first: set[str] = set()
        self._now: set[str] = set()
        self._steps: list[tuple[Kind, str]] = []
        self._last = ""
        self.without: dict[str, str] = {}
        self.still_without: dict[str, str] = {}
        self.is_product = False

    def follow(self, change: PackageChange, when: str) -> None:
        """Take the next change of it: of a product what happened to roots."""
        self.is_product = self.is_product or not change.is_dependency
        roots = change.parts.asked_for if change.parts else change
        if roots and (roots.gone or roots.came):
            gone, came = set(roots.gone), set(roots.came)
            self._gone, self._came = (
                (self._gone - came) | (gone - self._came),
                (self._came - gone) | (came - self._gone),
            )
            self._now = {*roots.kept, *came}
            self._last = when
        if change.whole:
            self._steps.append((change.kind, when))
            self._first = set(change.came)

    def tools_again(
        self, change: PackageChange, specs: Iterable[Change], when: str
    ) -> list[tuple[str, str]]:
        """Return which compilers and MPIs its new builds have that none had, and since when."""
        specs = list(specs)
        tools = {package_of_compiler(spec.new.compiler) for spec in specs if spec.new}
        causes = (it.cause for it in specs if isinstance(it.cause, Cause))
        tools.update(it.package for it in causes if it.what == "replaced" and it.package)
        tools.update(it.trait.name for it in change.new_with or () if it.trait.name)
        again = [(it, self.without.pop(it)) for it in sorted(tools & self.without.keys())]
        if _may_have_others(change):
            self.still_without.clear()
        for tool in tools:
            self.still_without.pop(tool, None)
        left = (it.trait for it in change.no_longer_with or () if not it.version)
        lost = {it.name or package_of_compiler(it.value or ""): when for it in left}
        self.without |= lost
        self.still_without |= lost
        return again

    @property
    def gone_since(self) -> str:
        """When it went, if its last step is that it is back; else nothing."""
        kinds = [kind for kind, _ in self._steps[-2:]]
        return self._steps[-2][1] if kinds == [Kind.REMOVED, Kind.ADDED] else ""

    def net(self, package: str) -> tuple[Fate, NetChange] | None:
        """Return what became of it; None where it has the versions that it had."""
        move = VersionMove(versions_in_order(self._gone), versions_in_order(self._came))
        if not self._steps:
            stayed = versions_in_order(self._now - self._came)
            change = NetChange(package, (self._last,), versions=move._replace(kept=stayed))
            return ("versions", change) if move.gone or move.came else None
        (first, _), (last, ended) = self._steps[0], self._steps[-1]
        fate = _FATES[first, last]
        if first is not last:
            return fate, NetChange(package, tuple(when for _, when in self._steps), versions=move)
        now = move.came if self._came != self._first else ()
        return fate, NetChange(package, (ended,), () if now else move.came or move.gone, now=now)


def _may_have_others(change: PackageChange) -> bool:
    """Return whether builds may have an MPI that the new ones do not tell: one may have moved."""
    counts = change.specs
    moved = counts.upgraded + counts.downgraded + counts.reconfigured + counts.rebuilt
    told = sum(it.specs for it in change.new_with or ())
    return change.whole or moved > 0 or counts.added != told


class NetChanges:
    """Follows packages from section to section; what was never asked for is none of them.

    It says nothing where not all that happened is reported: of some kinds, or of what can be read;
    nor of packages of a stack that came or went, which says it of all of them.
    """

    def __init__(self) -> None:
        """Begin before the first section."""
        self._places: dict[_Place, dict[str, _Followed]] = {}
        self._builds: dict[_Place, Count] = {}
        self._whole: set[_Place] = set()
        self._gone: dict[tuple[tuple[str, ...], str], str] = {}
        self._sections = 0
        self._has_all = True
        self.none_since: tuple[NoneSince, ...] = ()

    def follow(self, end: SectionEnd, diff: CatalogDiff) -> Back:
        """Take the next section, from the oldest to the newest; return which packages are back.

        `none_since` then says which compilers and MPIs packages of it have builds with again, and
        which new builds still have none, if they were lost when one of these was.
        """
        self._sections += 1
        again: _Lost = {}
        still: _Lost = {}
        back: dict[tuple[tuple[str, ...], str], dict[str, str]] = {}
        is_narrowed = len(wanted_kinds(diff.filters)) < len(Kind)
        self._has_all = self._has_all and not (is_narrowed or diff.skipped)
        for tag in readable(diff).tags:
            names = tag_names(tag)
            tag_name = names if len(names) == 1 else ()  # each week has another name
            for stack in tag.stacks:
                place = stack.stack, tag_name
                if stack.renamed_from is not UNSET:
                    self._rename((stack.renamed_from, tag_name), place)
                before = self._builds.get(place, stack.specs)
                self._builds[place] = Count(before.old, stack.specs.new)
                packages = self._places.setdefault(place, {})
                if tag.status != "changed" or stack.status in ("added", "removed"):
                    self._whole.add(place)
                if stack.status == "added":
                    back[names, stack.stack] = {
                        package: self._gone[tag_name, package]
                        for package in tag.packages.added
                        if (tag_name, package) in self._gone
                    }
                are_some_left = any(it.without for it in packages.values())  # as seldom
                specs = changes_by_package(stack.changes if are_some_left else ())
                for change in stack.package_changes if stack.status == "changed" else ():
                    followed = packages.setdefault(change.package, _Followed())
                    package = change.is_dependency, change.package
                    of_package = specs.get(change.package, ())
                    for it in followed.tools_again(change, of_package, end.called):
                        again.setdefault((*it, place), []).append(package)
                    for it in followed.still_without.items() if change.specs.added else ():
                        still.setdefault((*it, place), []).append(package)
                    followed.follow(change, end.called)
                    since = followed.gone_since if change.whole else ""
                    if since and place not in self._whole:
                        back.setdefault((names, stack.stack), {})[change.package] = since
            self._gone.update({(tag_name, it): end.called for it in tag.packages.removed})
        sinces = {since for _, since, _ in again}
        still = {it: some for it, some in still.items() if it[1] in sinces}
        both = (*self._listed(again, is_again=True), *self._listed(still, is_again=False))
        self.none_since = both if self._has_all else ()  # else nobody knows what was in between
        return back

    def none_since_when(self, tool: str, packages: Collection[str]) -> str:
        """Return which section says that packages of the only stack lost all builds with a tool."""
        [followed] = self._places.values() if len(self._places) == 1 else [{}]
        lost = [followed[it].without.get(tool, "") for it in packages if it in followed]
        return lost[0] if len(lost) == len(packages) and len(set(lost)) == 1 else ""

    def _listed(self, lost: _Lost, *, is_again: bool) -> Iterator[NoneSince]:
        for (tool, since, place), some in sorted(lost.items()):
            products = tuple(name for is_dependency, name in some if not is_dependency)
            others = tuple(name for is_dependency, name in some if is_dependency)
            yield NoneSince(is_again, tool, since, self._named([place]), products, others)

    def _named(self, places: Iterable[_Place]) -> tuple[str, ...]:
        """Return the names of stacks, if there are several in the catalog, and of several tags."""
        tags = len({tag for _, tag in self._places}) > 1
        if len(self._places) == 1:
            return ()
        return tuple(sorted("/".join((*tag, stack) if tags else (stack,)) for stack, tag in places))

    @property
    def only_place(self) -> str:
        """The only tag, or the only stack in it, of which any section tells; else nothing."""
        stacks = {stack for stack, _ in self._places}
        tags = {tag for _, tag in self._places}
        names = [*tags.pop()] if len(tags) == 1 else []
        if len(self._places) == 1:
            names += stacks
        return "/".join(filter(None, names))

    def _rename(self, old: _Place, new: _Place) -> None:
        """Go on with what is known of a stack under its new name."""
        if old in self._places:
            self._places[new] = self._places.pop(old)
            self._builds[new] = self._builds.pop(old)
            self._whole |= {new} if old in self._whole else set()

    @property
    def builds(self) -> Count | None:
        """How many builds the only stack has before all sections and after, if not as many."""
        counts = list(self._builds.values())
        is_told = len(counts) == 1 and self.is_told
        return counts[0] if is_told and counts[0].old != counts[0].new else None

    @property
    def is_told(self) -> bool:
        """Whether there are so many sections that nobody sees at a glance what they come to."""
        return self._sections >= _LEAST_SECTIONS and self._has_all

    def by_fate(self) -> dict[Fate, list[NetChange]]:
        """Return what became of packages, by name; of few sections what was undone alone."""
        places: dict[tuple[Fate, NetChange], list[_Place]] = {}
        for place, packages in self._places.items() if self._has_all else ():
            for package, followed in packages.items() if place not in self._whole else ():
                net = followed.net(package) if followed.is_product else None
                if net and (len(net[1].when) > 1 or self.is_told):
                    places.setdefault(net, []).append(place)
        found: dict[Fate, list[NetChange]] = {}
        for (fate, change), some in sorted(places.items(), key=lambda it: it[0][1].package):
            found.setdefault(fate, []).append(change._replace(stacks=self._named(some)))
        return found
