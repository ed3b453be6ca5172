"""What all sections of a changelog come to: which packages are new or gone, which are as before."""

from collections.abc import Iterable
from typing import Literal, NamedTuple

from msgspec import UNSET

from snapdiff.changelog.sections import SectionEnd
from snapdiff.filters import wanted_kinds
from snapdiff.reports.moves.builds import VersionMove
from snapdiff.reports.names import Mark, readable, tag_names, versions_in_words
from snapdiff.result.changes import CatalogDiff
from snapdiff.result.packages import Count, Kind, PackageChange
from snapdiff.spack import versions_in_order

Fate = Literal["new", "gone", "versions", "came and went", "gone and back"]

_Place = tuple[str, tuple[str, ...]]
"""A stack, and the name of its tag, if it has one name."""

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
    """What became of a package in the end: its versions before and after, and when it was.

    `when` are the days or names of the sections that say it: the last one, and before it the first
    one of what was undone. `stacks` are those where it was so, if there are several in the catalog.
    """

    package: str
    versions: VersionMove
    when: tuple[str, ...]
    stacks: tuple[str, ...]

    def in_words(self, mark: Mark) -> str:
        """Return what became of its versions, or which it has or had; nothing if it was undone."""
        has_step = self.versions.gone or self.versions.came
        if has_step:
            return self.versions.versions_alone(mark)
        return versions_in_words(self.versions.kept, mark)


class _Followed:
    """A package in one stack: its versions before all sections and now, and its whole changes."""

    def __init__(self, change: PackageChange) -> None:
        self.before = self.now = (*change.gone, *change.kept)
        self.steps: list[tuple[Kind, str]] = []
        self.last = ""

    def follow(self, change: PackageChange, when: str) -> None:
        """Take the next change of it."""
        if change.gone or change.came:
            self.now, self.last = (*change.kept, *change.came), when
        if change.whole:
            self.steps.append((change.kind, when))

    @property
    def gone_since(self) -> str:
        """When it went, if its last step is that it is back; else nothing."""
        kinds = [kind for kind, _ in self.steps[-2:]]
        return self.steps[-2][1] if kinds == [Kind.REMOVED, Kind.ADDED] else ""

    def net(self) -> tuple[Fate, VersionMove, tuple[str, ...]] | None:
        """Return what became of it, its versions, and when; None where these are as before."""
        gone = versions_in_order({*self.before} - {*self.now})
        came = versions_in_order({*self.now} - {*self.before})
        if self.steps:
            (first, began), (last, ended) = self.steps[0], self.steps[-1]
            is_undone = first is not last
            move = VersionMove((), ()) if is_undone else VersionMove((), (), kept=came or gone)
            return _FATES[first, last], move, (began, ended) if is_undone else (ended,)
        kept = versions_in_order({*self.before} & {*self.now})
        move = VersionMove(gone, came, kept)
        return ("versions", move, (self.last,)) if gone or came else None


class NetChanges:
    """Follows packages from section to section; dependencies are none of them.

    It says nothing where not all that happened is reported: of some kinds, or of what can be read.
    """

    def __init__(self) -> None:
        """Begin before the first section."""
        self._places: dict[_Place, dict[str, _Followed]] = {}
        self._builds: dict[_Place, Count] = {}
        self._sections = 0
        self._has_all = True

    def follow(self, end: SectionEnd, diff: CatalogDiff) -> list[NetChange]:
        """Take the next section, from the oldest to the newest; return which packages are back."""
        self._sections += 1
        back: dict[tuple[str, str], set[str]] = {}
        is_narrowed = len(wanted_kinds(diff.filters)) < len(Kind) or diff.filters.because
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
                if "removed" in (tag.status, stack.status):  # that says it of all its packages
                    packages.clear()
                for change in stack.package_changes if stack.status == "changed" else ():
                    if not change.is_dependency:
                        followed = packages.setdefault(change.package, _Followed(change))
                        followed.follow(change, end.day or end.name)
                        if change.whole and followed.gone_since:
                            back.setdefault((change.package, followed.gone_since), set()).add(
                                stack.stack
                            )
        return [
            NetChange(package, VersionMove((), ()), (when,), self._named(some))
            for (package, when), some in sorted(back.items())
        ]

    def _named(self, stacks: Iterable[str]) -> tuple[str, ...]:
        """Return the names of stacks, if there are several in the catalog."""
        return tuple(sorted(stacks)) if len({stack for stack, _ in self._builds}) > 1 else ()

    def _rename(self, old: _Place, new: _Place) -> None:
        """Go on with what is known of a stack under its new name."""
        if old in self._places:
            self._places[new] = self._places.pop(old)
            self._builds[new] = self._builds.pop(old)

    @property
    def builds(self) -> Count | None:
        """How many builds the only stack has before all sections and after, if not as many."""
        counts = list(self._builds.values())
        is_told = len(counts) == 1 and self._sections >= _LEAST_SECTIONS and self._has_all
        return counts[0] if is_told and counts[0].old != counts[0].new else None

    def by_fate(self) -> dict[Fate, list[NetChange]]:
        """Return what became of packages, by name; of few sections what was undone alone."""
        stacks: dict[tuple[str, Fate, VersionMove, tuple[str, ...]], set[str]] = {}
        for (stack, _), packages in self._places.items() if self._has_all else ():
            for package, followed in packages.items():
                net = followed.net()
                if net and (len(net[2]) > 1 or self._sections >= _LEAST_SECTIONS):
                    stacks.setdefault((package, *net), set()).add(stack)
        found: dict[Fate, list[NetChange]] = {}
        for (package, fate, versions, when), some in sorted(
            stacks.items(), key=lambda it: it[0][0]
        ):
            change = NetChange(package, versions, when, self._named(some))
            found.setdefault(fate, []).append(change)
        return found
