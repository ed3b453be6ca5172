"""What happened to a package in some stacks: one way to say it of its versions and its builds."""

from msgspec import Struct
from msgspec.structs import replace

from snapdiff.reports.cause_words import (
    common_difference,
    compiler_in_words,
    event_in_words,
    now_with_in_words,
    other_values,
)
from snapdiff.reports.moves.builds import BuildShare, VersionMove
from snapdiff.reports.moves.places import Place
from snapdiff.reports.moves.statuses import Status, Versions
from snapdiff.reports.names import MOST_VERSIONS, Mark, counted, shortened, versions_in_words
from snapdiff.result.causes import Event, TraitCount, event_of
from snapdiff.result.packages import AskedFor, Because, Count, Kind
from snapdiff.spack import NO_COMPILER, is_patches


class Move(Struct, frozen=True, kw_only=True):
    """What happened to a package in some stacks.

    `own` are versions that are said behind its name, of what did not change its versions.
    `now_with` are the variants that had another value before, in all builds, where these have
    another version.
    `in_tag` says of a package that is `whole`, removed or added, that no other stack of the tag has
    it (any more), `place` where this is, and `still_in` which stacks have a product that is gone
    from others, and have nothing said of it, with its versions there if these are others. `lost`
    and `gained` are builds; `is_builds` says that nothing else happened. `because` is why it was
    only rebuilt: the cause, with the way there; or the package because of which it is gone, or new.
    `differs` is in what it was reconfigured: all builds, if some differ in another way, which
    `differs_also` has with their number, or in several, if it `differs_more`; `shared` is in what
    all around it was, too;
    `some_builds` says of how many builds how many were, where these are not all; `beside` has
    the versions of a product's builds that were, where more happened to others. `asked_for` is
    there where somebody asks for it on one side alone, and it is on both. `needed_by` are asked for
    only now and depend on the older version that came, or on what is asked for no longer.
    `as_dependency` says that it happened to a dependency, and that there is a product of its name,
    `dependency_at` where it is no product now, if that is told of both.
    `builds` is how many a product that is `whole` has, or had, in the one stack where it is, and
    `compilers` are theirs, where each has another one; `gone_since` says of one that is new that it
    is back, and when it went.
    """

    status: Status
    kind: Kind
    own: Versions
    whole: bool
    in_tag: bool = False
    versions: VersionMove
    now_with: tuple[str, ...] = ()
    lost: BuildShare | None
    gained: BuildShare | None
    is_builds: bool
    because: Event | Because | None
    differs: tuple[Event, ...]
    differs_also: tuple[Event, int] | None = None
    differs_more: bool = False
    shared: tuple[Event, ...]
    some_builds: tuple[int, int] | None
    beside: Versions
    needed_by: tuple[str, ...]
    asked_for: AskedFor | None
    as_dependency: bool = False
    dependency_at: Place | None = None
    stacks: tuple[str, ...] = ()
    place: Place
    builds: int = 0
    compilers: tuple[str, ...] = ()
    gone_since: str = ""
    still_in: tuple[Place, Versions | None] | None = None

    @property
    def is_of_versions(self) -> bool:
        """Whether versions came or went, and no other build was lost."""
        return (self.whole or self.has_step) and not self.lost

    @property
    def fell(self) -> bool:
        """Whether the highest version is lower than before."""
        return self.status is Status.DOWNGRADED and not self.versions.counts

    @property
    def is_beside(self) -> bool:
        """Whether it happened where nobody asks for the package, and is no loss for a product."""
        return self.as_dependency and not self.fell

    @property
    def has_step(self) -> bool:
        """Whether versions came or went."""
        return bool(self.versions.gone or self.versions.came)

    @property
    def is_partly_gone(self) -> bool:
        """Whether the package is gone from some stacks, and others of the tag have it."""
        return self.status is Status.GONE and not self.in_tag

    @property
    def loses(self) -> bool:
        """Whether a build is gone of which there is no equal one."""
        return self.lost is not None and self.lost.number > 0

    @property
    def tells_builds_alone(self) -> bool:
        """Whether builds were lost, or came, and nothing else is told of it."""
        is_one = not (self.loses and self.gained and self.gained.number)
        return self.is_builds and is_one and not (self.beside or self.asked_for)

    def alike(self, *, with_totals: bool = False) -> "Move":
        """Return what it has in common with the same of other packages, that share its line."""
        move = replace(self, own=(), builds=0, compilers=(), because=alike_because(self.because))
        if not (self.is_builds and self.lost and self.gained):
            return move
        both = (self.lost, self.gained)
        if any(it.number for it in both) and not any(it.parts for it in both):
            return self  # nothing tells these builds from others
        shares = [it.alike(with_total=with_totals) for it in both]
        return replace(move, lost=shares[0], gained=shares[1])

    @property
    def main(self) -> BuildShare | None:
        """The builds that are told first."""
        return self.lost if self.lost and self.lost.number else self.gained or self.lost

    def differences_in_words(self, mark: Mark) -> str:
        """Return in what it was reconfigured: `new variant +mpi, and more`, or nothing."""
        common = common_difference(self.differs)
        if common:
            words = event_in_words(common, mark)
        else:
            some = shortened([event_in_words(event, mark) for event in self.differs], 3)
            words = ", ".join(some.first)
            words += f" and {counted(some.more, 'more difference')}" if some.more else ""
        is_more = self.differs_more or (common and len(self.differs) > 1)
        return f"{words}, and more" if is_more else f"{words}{self._also_in_words(mark)}"

    def _also_in_words(self, mark: Mark) -> str:
        if not self.differs_also:
            return ", and more" if self.differs_more else ""
        event, number = self.differs_also
        return f", {number:,} of them also {event_in_words(event, mark)}"

    def how_reconfigured(self, mark: Mark) -> str:
        """Return `reconfigured: variant +mpi → ~mpi`, or `with gcc 12 in place of gcc 11`."""
        if self.some_builds and [it.what for it in self.differs] == ["compiler"]:
            sides = (self.differs[0].old, self.differs[0].new)
            old, new = (compiler_in_words(str(it), mark) for it in sides)
            if NO_COMPILER not in sides:
                return f"with {new} in place of {old}{self._also_in_words(mark)}"
        words = self.differences_in_words(mark)
        return f"reconfigured: {words}" if words else "reconfigured"

    def reconfigured_in_words(self, mark: Mark) -> str:
        """Return `1.2 reconfigured: variant +mpi → ~mpi` of what happened beside all else."""
        if not self.beside:
            return ""
        # Of builds that differ in ways that have nothing in common it is not said how.
        is_told = len(self.differs) == 1 or common_difference(self.differs)
        how = self.how_reconfigured(mark) if is_told else "reconfigured"
        number = self.some_builds[0] if self.some_builds else 0
        some = f"{counted(number, 'build')} of " if number else ""
        return f"{some}{versions_in_words(self.beside, mark)} {how}"

    def builds_in_words(self, mark: Mark) -> str:
        """Return which builds each of several packages lost or got, where traits tell it."""
        return self.main.alike_in_words(mark) if self.main and self.tells_builds_alone else ""

    def own_in_words(self, mark: Mark) -> str:
        """Return what is said behind one of several names: its versions, or nothing."""
        share = self.main if self.is_builds else None
        own = versions_in_words((share and share.versions) or self.own, mark)
        return f" {own}" if own else ""

    def step_in_words(self, mark: Mark) -> str:
        """Return what is said behind a name in a row of several: its versions, or its step."""
        colon = ":" if self.versions.begins_with_builds else ""
        lost = "" if self.versions.counts else self.lost_beside_step(mark)
        return self.own_in_words(mark) or f"{colon} {self.versions.in_words(mark)}{lost}"

    def lost_beside_step(self, mark: Mark) -> str:
        """Return which builds are gone beside its step, or how many: as many others may be new."""
        lost = None if self.is_builds else self.lost
        if not (lost and lost.number):
            return ""
        if trait := lost.common_trait(mark):
            return f" but no longer {trait}"
        return f" with {counted(lost.number, 'build') if len(self.stacks) == 1 else 'builds'} gone"

    @property
    def dropped(self) -> TraitCount | None:
        """What all builds have that it lost beside its step, and no other build of it."""
        lost = None if self.is_builds else self.lost
        return lost.parts[0] if lost and lost.common_trait(str) else None

    @property
    def came(self) -> Versions:
        """The versions that came, or the one to which builds went."""
        went = self.versions.went
        into = self.versions.into or (went[1].version if went else "")
        return self.versions.came or ((into,) if into else ())

    @property
    def beside_came(self) -> Versions:
        """The versions that stayed beside those that came, or to which builds went."""
        stayed = self.versions.kept
        stayed = stayed or tuple(it.version for it in self.versions.counts if it.old and it.new)
        return tuple(it for it in stayed if it not in self.came) if self.came else ()

    def now_in_words(self, mark: Mark) -> str:
        """Return the highest version that came, and in place of which, or what there is more of.

        Of what was reconfigured few variants that it has now.
        """
        gone, into = self.versions.gone, self.versions.into
        came = (into,) if into else self.versions.came
        if came and self.status is Status.MORE:
            return f" {self.versions.versions_alone(mark)}"
        if came:
            step = f" {f'{mark(gone[-1])} → ' if gone else ''}{mark(came[-1])}"
            return f"{step}{self.lost_beside_step(mark)}"
        if self.versions.went:
            old, new = self.versions.went
            return f" {mark(old.version)} → {mark(new.version)} in part"
        if self.status is Status.RECONFIGURED:
            return self._variants_now(mark)
        return self.gained.new_in_words(mark) if self.gained and self.gained.number else ""

    def _variants_now(self, mark: Mark) -> str:
        if self.lost and self.lost.is_merge:
            return f" ({counted(self.lost.of, 'build')} merged into 1)"
        if self.differs_more or self.differs_also:
            return ""
        sides = [(it.old or (), it.new or ()) for it in self.differs if it.what == "variants"]
        other = [it for old, new in sides for it in other_values(old, new)]
        more = [it for _, new in sides for it in new if it not in other and not is_patches(it)]
        if len(sides) < len(self.differs) or len(other) + len(more) > MOST_VERSIONS:
            return ""
        words = "".join(f" {mark(it)}" for it in other)
        some = (
            f"{self.some_builds[0]:,} of {counted(self.some_builds[1], 'build')}"
            if self.some_builds
            else ""
        )
        notes = [f"new {' '.join(map(mark, more))}" if more else "", some]
        return f"{words} ({', '.join(filter(None, notes))})" if any(notes) else words

    def in_words(self, mark: Mark) -> str:
        """Return what is said of versions and builds behind a name."""
        lost, main = self.lost, self.main
        are_builds_told = self.is_builds and main is not None and main.number > 0
        is_own_told = (main and main.versions) or (are_builds_told and self.beside == self.own)
        own = () if is_own_told else self.own
        versions = versions_in_words(own, mark) or self.versions.in_words(mark)
        variants = now_with_in_words(self.now_with, mark)
        words = "".join(f" {it}" for it in (versions, variants) if it)
        if self.versions.counts:
            if self.versions.begins_with_builds:
                words = f":{words}"
            trait = lost.common_trait(mark) if lost else ""
            return f"{words}, no longer {trait}" if trait else words
        shares = [it for it in (lost, self.gained) if it]
        if self.kind is Kind.ADDED:  # as the name of its class says
            shares.reverse()
        if not shares:
            return words
        is_beside = not self.is_builds
        told = [it for it in shares if it.number]
        if len(told) > 1:  # of how many each package has is said of one alone
            told = [it._replace(in_all=Count(0, 0)) if it.is_each else it for it in told]
        is_merge = lost is not None and lost.is_merge
        builds = [
            it.in_words(
                mark, beside_versions=is_beside, total_is_said=it is not told[0] and not is_merge
            )
            for it in told
        ]
        builds = builds or [it.duplicates_in_words() for it in shares if it.duplicates]
        return f"{words}{':' if self.is_builds else ','} {', '.join(builds)}"


def alike_because(because: Event | Because | None) -> Event | Because | None:
    """Return why something happened, as it is the same where only the way there differs."""
    if isinstance(because, Because):
        return replace(because, direct=False)
    return because and event_of(because)
