"""What all sections of a changelog come to: which packages are new or gone, which are as before."""

from typing import Literal, NamedTuple

from snapdiff.changelog.sections import SectionEnd
from snapdiff.reports.names import readable, tag_names
from snapdiff.result.changes import CatalogDiff
from snapdiff.result.packages import Count, Kind

Fate = Literal["new", "gone", "came and went", "gone and back"]

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
    """What became of a package in the end, and when.

    `when` are the days or names of the sections that say it: the last one, and before it the first
    one of what was undone. `stacks` are those where it was so, if there are several in the catalog.
    """

    package: str
    when: tuple[str, ...]
    stacks: tuple[str, ...]


class NetChanges:
    """Follows whole packages from section to section; dependencies are none of them."""

    def __init__(self) -> None:
        """Begin before the first section."""
        self._steps: dict[tuple[str, str, tuple[str, ...]], list[tuple[Kind, str]]] = {}
        self._builds: dict[tuple[str, tuple[str, ...]], Count] = {}
        self._sections = 0

    def follow(self, end: SectionEnd, diff: CatalogDiff) -> None:
        """Take the next section, from the oldest to the newest."""
        self._sections += 1
        for tag in (it for it in readable(diff).tags if it.status == "changed"):
            names = tag_names(tag)
            tag_name = names if len(names) == 1 else ()  # each week has another name
            for stack in tag.stacks:
                before = self._builds.get((stack.stack, tag_name), stack.specs)
                self._builds[stack.stack, tag_name] = Count(before.old, stack.specs.new)
                for change in stack.package_changes if stack.status == "changed" else ():
                    if change.whole and not change.is_dependency:
                        steps = self._steps.setdefault((change.package, stack.stack, tag_name), [])
                        steps.append((change.kind, end.day or end.name))

    @property
    def builds(self) -> Count | None:
        """How many builds the only stack has before all sections and after, if not as many."""
        counts = list(self._builds.values())
        is_told = len(counts) == 1 and self._sections >= _LEAST_SECTIONS
        return counts[0] if is_told and counts[0].old != counts[0].new else None

    def by_fate(self) -> dict[Fate, list[NetChange]]:
        """Return what became of packages, by name; of few sections what was undone alone."""
        stacks: dict[tuple[str, Fate, tuple[str, ...]], set[str]] = {}
        for (package, stack, _), steps in self._steps.items():
            (first, began), (last, ended) = steps[0], steps[-1]
            days = (ended,) if first is last else (began, ended)
            key = package, _FATES[first, last], days
            stacks.setdefault(key, set()).add(stack)
        is_placed = len({stack for stack, _ in self._builds}) > 1
        found: dict[Fate, list[NetChange]] = {fate: [] for fate in _FATES.values()}
        for (package, fate, when), some in sorted(stacks.items()):
            if len(when) > 1 or self._sections >= _LEAST_SECTIONS:
                where = tuple(sorted(some)) if is_placed else ()
                found[fate].append(NetChange(package, when, where))
        return found
