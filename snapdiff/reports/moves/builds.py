"""Versions and builds in words: which there are, how many, and what tells those that are lost."""

from typing import Literal, NamedTuple

from snapdiff.reports.cause_words import each_in_words, trait_in_words, traits_in_words
from snapdiff.reports.moves.statuses import Versions, step_of
from snapdiff.reports.names import MOST_VERSIONS, Mark, counted, joined, versions_in_words
from snapdiff.result.causes import Trait, TraitCount
from snapdiff.result.packages import Count, VersionCount
from snapdiff.spack import MPI, parse_version, versions_in_order


class BuildShare(NamedTuple):
    """How many builds a package lost or gained, and which.

    `in_all` is how many it has on each side, 0 where that is not said. `versions` are those of
    these builds, in order, where the package has others, too, and `numbers` how many builds are of
    each; `of_versions` is how many builds of these versions it has on each side. `none_left` is
    what no build has any more, beside what tells those that are gone; `is_theirs_alone` says that
    no other build has what tells these. `duplicates` are told where the number is 0: nobody misses
    a build of which there is an equal one. `is_each` says that each of several packages lost or
    gained so many. `has_twin` says of the only one that is lost that one of the same version and
    configuration is there, as it was or only rebuilt, and that no more is known of both.
    """

    number: int
    in_all: Count
    what: Literal["gone", "new"]
    parts: tuple[TraitCount, ...]
    versions: Versions
    duplicates: int
    numbers: tuple[int, ...] = ()
    of_versions: Count = Count(0, 0)
    merged: Trait | None = None
    is_each: bool = False
    has_twin: bool = False
    none_left: tuple[TraitCount, ...] = ()
    is_theirs_alone: bool = True

    def in_words(self, mark: Mark, *, beside_versions: bool, total_is_said: bool = False) -> str:
        """Return `2 of 18 builds gone (with mvapich 3.0b)`, or `the build with mvapich 3.0b gone`.

        Gone `beside_versions`, of a package that has others instead: `(no longer with cce 16.0.1)`.
        Of how many builds these are is left out where the `total_is_said`.
        """
        if self.merged and self.is_merge:
            return f"{counted(self.of, 'build')} merged into 1, {trait_in_words(self.merged, mark)}"
        traits = [traits_in_words(it, mark) for it in self.parts]
        if self.is_each and self.what == "gone" and len(traits) == self.number:
            return f"the build {' and the one '.join(traits)} gone"
        words = f"{self.number:,} of {counted(self.of, 'build')} {self.what}"
        if total_is_said:
            words = f"{self.number:,} {self.what}"
        elif not self.of:
            words = f"{counted(self.number, 'build')} {self.what}"
        words += " each" if self.is_each else ""
        is_no_longer = beside_versions and self.what == "gone"
        if trait := self.common_trait(mark):
            told = f"no longer {trait}" if is_no_longer else trait
        else:
            told = each_in_words(self.parts, mark)
        told = told or "another that looks the same is still there" * self.has_twin
        which = [it for it in (self._versions_in_words(mark), told) if it]
        notes = ("; " if len(self.versions) > 1 else ", ").join(which)
        if self.none_left:
            left = " or ".join(
                traits_in_words(it, mark).removeprefix("with ") for it in self.none_left
            )
            notes += f"{notes and '; '}none left with {left}"
        return f"{words} ({notes})" if notes else words

    def alike_in_words(self, mark: Mark) -> str:
        """Return which these are that each of several packages lost or gained, or nothing.

        That is `one each with mvapich 3.0b`, or `3 each with gcc 12`: whether gone or new stands
        elsewhere.
        """
        traits = [traits_in_words(it, mark) for it in self.parts]
        if len(traits) == self.number > 0:
            every = " and ".join(f"one {trait}" for trait in traits)
            return f"{self.number:,} each, {every}" if len(traits) > 1 else f"one each {traits[0]}"
        trait = self.common_trait(mark)
        return f"{self.number:,} each {trait}" if trait else ""

    def new_in_words(self, mark: Mark) -> str:
        """Return `(2 new builds with +sycl)`, or with which each is: behind the name of several."""
        which = self.common_trait(mark)
        each = "" if which else each_in_words(self.parts, mark)
        words = f"{counted(self.number, 'new build')}{which and ' '}{which}{each and ': '}{each}"
        return f" ({words})"

    @property
    def of(self) -> int:
        """Of how many builds: of all before that are gone, of all now that are new."""
        return self.in_all.old if self.what == "gone" else self.in_all.new

    @property
    def behind_name(self) -> Count:
        """How many builds there are on each side of what stands behind the name of the package."""
        return self.of_versions if self.versions else self.in_all

    def _versions_in_words(self, mark: Mark) -> str:
        """Return `9 of 8.6.0, 1 of 8.5.0`, the highest first, or the only version."""
        numbers = [
            f"{it:,} of {mark(version)}"
            for version, it in zip(self.versions, self.numbers, strict=True)
        ]
        if not 1 < len(numbers) <= MOST_VERSIONS:
            return versions_in_words(self.versions, mark)
        return ", ".join(reversed(numbers))

    @property
    def is_merge(self) -> bool:
        """Whether one build does now what all of them did."""
        return self.merged is not None and self.number == self.of - 1

    def common_trait(self, mark: Mark) -> str:
        """Return what tells all of them from other builds of the package, or nothing."""
        has_one = self.parts and self.parts[0].specs == self.number
        return traits_in_words(self.parts[0], mark) if has_one else ""

    def duplicates_in_words(self) -> str:
        """Return what is said of builds that are equal to others: `1 equal build fewer`."""
        noun, fewer = ("equal build", " fewer") if self.what == "gone" else ("more equal build", "")
        return f"{counted(self.duplicates, noun)}{fewer}{' each' * self.is_each}"

    def alike(self, *, with_total: bool) -> "BuildShare":
        """Return what is said of several packages at once, without what is of one alone."""
        return self._replace(
            in_all=self.behind_name if with_total else Count(0, 0),
            versions=(),
            numbers=(),
            of_versions=Count(0, 0),
            is_each=True,
        )


class VersionMove(NamedTuple):
    """What became of the versions of a package: only before, only after, on both sides.

    `counts` are the builds of each version; they are there where the others do not say it. `went`
    is the version of which there are fewer builds, and the one that these have now instead, where
    nothing else happened. `moved_by` tells those that went from those that stayed, if anything
    tells them all, and `new_with` which MPI those have that came. `into` is the version on both
    sides that all builds of those that are gone have now, a higher one. Of `net` versions builds
    went, and others came.
    """

    gone: Versions
    came: Versions
    kept: Versions = ()
    counts: tuple[VersionCount, ...] = ()
    went: tuple[VersionCount, VersionCount] | None = None
    moved_by: tuple[TraitCount, ...] = ()
    new_with: tuple[TraitCount, ...] = ()
    into: str = ""
    net: Versions = ()

    def in_words(self, mark: Mark) -> str:
        """Return `1.2 and 1.1 → 1.3`, `1.4 added beside 1.3`, `1.2 gone, still has 1.3`, nothing.

        Of the highest `1.3 gone, only 1.2 left`, of one below all `1.2 added beside the newer 1.3`;
        of several series `3.11.6 new, 3.8.17 → 3.8.18, 3.7.17 gone`; with counts `2.0 added beside
        1.9, 1 of 4 builds of 1.9 gone`, or where none is gone `1 of 4 builds 2.0 → 1.9`.
        """
        if self.went:
            return self._went_in_words(*self.went, mark)
        moved = [
            _moved(it, mark, is_net=it.version in self.net)
            for it in reversed(self.counts)
            if it.old and it.new
        ]
        return ", ".join(filter(None, [self.versions_alone(mark), *moved]))

    def _went_in_words(self, old: VersionCount, new: VersionCount, mark: Mark) -> str:
        """Return which builds went where, first those that are gone for good, if there are any."""
        number, came = old.old - old.new, new.new - new.old
        which = each_in_words(self.moved_by, mark)
        if len(self.moved_by) == 1:
            which = _which_went(self.moved_by[0], number, mark)
        which = f" ({which})" if which else ""
        some = f"{number:,} of {counted(old.old, 'build')}"
        if not (self.comes_with_more or self.lost_by):
            return f"{some} {mark(old.version)} → {mark(new.version)}{which}"
        mpis = each_in_words(self.new_with, mark)
        mpis = mpis and f": {mpis}"
        if len(self.new_with) == 1:
            mpis = f" {traits_in_words(self.new_with[0], mark)}"
        told = f"{mark(new.version)} new ({counted(came, 'build')}{mpis})"
        if new.old:
            told = f"{counted(came, 'more build')} of {mark(new.version)}{mpis}"
        gone = f"{some} of {mark(old.version)} gone{which}"
        return ", ".join([gone, told] if self.lost_by else [told, gone])

    def versions_alone(self, mark: Mark) -> str:
        """Return the same without numbers of builds."""
        gone, came, kept = (versions_in_words(it, mark) for it in self[:3])
        still = f", still has {kept}" if kept else ""
        if gone and came:
            words = f"{gone} → {came}"
            if self.steps:
                words = self._steps_in_words(mark)
            elif len(self.gone) == 1 and parse_version(self.came[0]) < parse_version(self.gone[0]):
                others = versions_in_words(self.came[:-1], mark)  # there may be none
                words = f"{gone} → {mark(self.came[-1])}{others and f', {others} new'}"
            return f"{words}{still}"
        if self.into:
            others = versions_in_words([it for it in self.kept if it != self.into], mark)
            beside = f", still has {others}" if others else " (other builds had it already)"
            return f"{gone} → {mark(self.into)}{beside}"
        if gone:
            is_lower = kept and parse_version(self.gone[-1]) > parse_version(self.kept[-1])
            return f"{gone} gone, only {kept} left" if is_lower else f"{gone} gone{still}"
        if came and kept:
            is_older = parse_version(self.came[-1]) < parse_version(self.kept[0])
            return f"{came} added beside {'the newer ' if is_older else ''}{kept}"
        if came:
            return f"{came} new"
        return kept and f"still {kept}"

    @property
    def is_new(self) -> bool:
        """Whether there was no version before."""
        return bool(self.came) and not (self.gone or self.kept)

    @property
    def is_gone(self) -> bool:
        """Whether there is none any more."""
        return bool(self.gone) and not (self.came or self.kept)

    @property
    def is_addition(self) -> bool:
        """Whether all that happened is that versions came beside others."""
        return bool(self.came and self.kept) and not (self.gone or self.counts)

    @property
    def comes_with_more(self) -> bool:
        """Whether there are more builds of the version that came than left the other one for it."""
        if not self.went:
            return False
        old, new = self.went
        return new.new - new.old > old.old - old.new

    @property
    def lost_by(self) -> tuple[TraitCount, ...]:
        """What tells builds that went for good: their MPI, of which no build came."""
        came = {it.trait.name for it in self.new_with}
        moved = (it for it in self.moved_by if it.trait.name in MPI and came)
        return tuple(it for it in moved if it.trait.name not in came)

    @property
    def begins_with_builds(self) -> bool:
        """Whether the words begin with a number of builds."""
        if self.went:
            return not self.comes_with_more or self.went[1].old > 0 or bool(self.lost_by)
        return not (self.gone or self.came)

    @property
    def fewer(self) -> Versions:
        """The versions with fewer builds than before, where the versions do not say it."""
        return tuple(it.version for it in self.counts if it.new < it.old)

    @property
    def fell(self) -> bool:
        """Whether builds went to an older version: the highest with another number has fewer."""
        changed = [it for it in self.counts if it.new != it.old]
        return bool(changed) and changed[-1].new < changed[-1].old

    @property
    def went_down(self) -> bool:
        """Whether some builds have an older version now, and nothing else happened to any."""
        if not (self.went and self.fell):
            return False
        old, new = self.went
        return step_of((old.version,), (new.version,)) != "scheme"

    @property
    def left(self) -> Versions:
        """The versions that are gone, or else those that have fewer builds, if these went up."""
        return self.gone if self.gone or self.fell else self.fewer

    @property
    def steps(self) -> dict[str, str]:
        """The versions that are gone by the one that came in their series: 3.8.17 by 3.8.18."""
        series: dict[str, tuple[list[str], list[str]]] = {}
        for side, versions in enumerate((self.gone, self.came)):
            for version in versions:
                series.setdefault(version.rpartition(".")[0], ([], []))[side].append(version)
        pairs = (sides for name, sides in series.items() if name)
        return {new[0]: old[0] for old, new in pairs if len(old) == len(new) == 1}

    @property
    def lost(self) -> Versions:
        """The versions that are gone, and none of their series came; of one step there are none."""
        paired = set(self.steps.values())
        is_step = self.into or (self.came and not paired)
        return () if is_step else tuple(it for it in self.gone if it not in paired)

    def _steps_in_words(self, mark: Mark) -> str:
        steps = self.steps
        told = {new: f"{mark(old)} → {mark(new)}" for new, old in steps.items()}
        if came := [version for version in self.came if version not in steps]:
            told[came[-1]] = f"{versions_in_words(came, mark)} new"
        words = joined(versions_in_order(told)[::-1], MOST_VERSIONS, mark=told.__getitem__)
        return f"{words}, {versions_in_words(self.lost, mark)} gone" if self.lost else words


def _which_went(part: TraitCount, number: int, mark: Mark) -> str:
    """Return `the one with ~cuda`, `those that use cuda`: there may be a variant of that name."""
    trait = part.trait
    if trait.what == "dependency" and trait.value is None and not part.also:
        who = "the one that uses" if number == 1 else "those that use"
        return f"{who} {mark(trait.name or '')}"
    return f"{'the one' if number == 1 else 'those'} {traits_in_words(part, mark)}"


def _moved(count: VersionCount, mark: Mark, *, is_net: bool) -> str:
    """Return how many builds of a version are gone, or are there beside those before."""
    more = count.new - count.old
    if more and is_net:
        return f"{count.old:,} → {counted(count.new, 'build')} of {mark(count.version)}"
    if more >= 0:
        return f"{counted(more, 'more build')} of {mark(count.version)}" if more else ""
    return f"{-more:,} of {counted(count.old, 'build')} of {mark(count.version)} gone"
