"""The numbers of a report: how many packages there are of each class, and what is said of these."""

from msgspec import Struct
from msgspec.structs import replace

from snapdiff.reports.moves.move import Move
from snapdiff.reports.moves.places import Place
from snapdiff.reports.moves.statuses import Status, Versions
from snapdiff.result.causes import Event, TraitCount

NEWS = (Status.GONE, Status.LOST, Status.NEW, Status.DOWNGRADED, Status.MAJOR, Status.UPGRADED)
"""The classes of which the first sentence names packages, and has the number of each."""

_MOST_TERMS = 5
"""How many classes have a number of their own; of more these do, and several others have one."""

Named = tuple[tuple[str, tuple[Move, ...]], ...]
"""Packages by name, each with what happened to it in some stacks."""


Traits = tuple[tuple[TraitCount, tuple[str, ...]], ...]
"""What tells builds, each with the packages that have such."""


class ClassCount(Struct, frozen=True, kw_only=True):
    """How many packages had one status, and what is said of some of them.

    - `in_some`: how many are gone from some stacks, or new in some, which others of the tag have
    - `place`, `in_stacks`: where these are, or all, if that is one place, and how many stacks it is
    - `what`: what was lost, or is more: versions, builds or both; whether they are roots now or no
      longer; or that all have another compiler, or none
    - `is_single`, `version`: whether one package lost one version or build, and which version it
      was, if all lost it in `place`
    - `lost_with`: what tells all builds that they lost, if that is one trait or two, each with the
      packages that lost such
    - `new_with`: the one trait that tells all builds that each of several has more, or has in
      place of the lost ones
    - `also_came`: those that lost builds and have a version more, with it, if they are few
    - `few`, `few_in_some`: which they are, and those `in_some`, with what happened to each, where
      these are few that somebody will miss or look for
    - `gone_since`: when those that are new went, if all are back; `are_some_back`: if some are
    - `events`: in which fields they changed, as all around them did
    - `major`: how many of the upgraded ones have another major version
    - `with_versions`, `more_with`: the few that have more versions, where the others only have more
      builds, and what tells these builds, if that is one trait or two
    """

    status: Status
    number: int
    in_some: int = 0
    place: Place | None = None
    in_stacks: int = 0
    what: tuple[str, ...] = ()
    is_single: bool = False
    version: str = ""
    lost_with: Traits = ()
    new_with: TraitCount | None = None
    also_came: tuple[tuple[str, Versions], ...] = ()
    few: Named = ()
    few_in_some: Named = ()
    gone_since: tuple[str, ...] = ()
    are_some_back: bool = False
    events: tuple[Event, ...] = ()
    major: int = 0
    with_versions: tuple[str, ...] = ()
    more_with: Traits = ()

    @property
    def loses_builds(self) -> bool:
        """Whether some lost builds, which the lines of these packages alone say."""
        return "builds" in self.what and self.status is Status.LOST

    @property
    def as_names(self) -> tuple[str, ...]:
        """The names that a sentence has in place of their number: one, or two that are missed."""
        most = 2 if self.status in (Status.GONE, Status.NEW, Status.LOST) else 1
        is_all = len(self.few) == self.whole_number <= most
        return tuple(name for name, _ in self.few) if is_all else ()

    @property
    def in_more(self) -> int:
        """How many of them are gone from some stacks alone, or new, and said behind the others."""
        return self.in_some if self.in_some < self.number else 0

    @property
    def whole_number(self) -> int:
        """How many there are without these."""
        return self.number - self.in_more


class Numbers(Struct, frozen=True, kw_only=True):
    """How many packages changed, each counted once, by the worst that happened to it.

    The others say the same as a sentence does: `told` are the classes that it has, `behind` those
    that stand behind it, or are one number in a title, `otherwise`. `besides` changed as all around
    them did, in their number of equal builds or in their hash, beside any that changed otherwise.
    """

    by_class: tuple[ClassCount, ...]

    @property
    def besides(self) -> tuple[ClassCount, ...]:  # noqa: D102 # the class says it
        quiet = (it for it in self.by_class[1:] if it.status.is_quiet)
        # The hash of those that changed in a field is another one, too.
        return tuple(sorted(quiet, key=lambda it: it.status is Status.SHARED))

    @property
    def _news(self) -> tuple[ClassCount, ...]:
        return tuple(it for it in self.by_class if it is self.by_class[0] or not it.status.is_quiet)

    @property
    def told(self) -> tuple[ClassCount, ...]:  # noqa: D102
        by_status = {it.status: it for it in self._news}
        upgraded = by_status.get(Status.UPGRADED)
        if upgraded and (major := by_status.pop(Status.MAJOR, None)):
            every = upgraded.number + major.number
            both = replace(upgraded, number=every, major=major.number, few=major.few)
            by_status[Status.UPGRADED] = both
        told = [it for it in by_status.values() if it.status in NEWS]
        is_short = len(by_status) <= max(_MOST_TERMS, len(told) + 1)
        has_news = any(it.status in NEWS for it in told)
        return tuple(told if has_news and not is_short else by_status.values())

    @property
    def behind(self) -> tuple[ClassCount, ...]:  # noqa: D102
        told = {it.status for it in self.told} | {Status.MAJOR}
        return tuple(it for it in self._news if it.status not in told)

    @property
    def otherwise(self) -> int:  # noqa: D102
        return sum(it.number for it in self.behind)

    @property
    def number(self) -> int:
        """How many that are in all."""
        return sum(it.number for it in self.by_class)
