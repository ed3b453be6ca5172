"""What a report for people says, and what its first sentence counts, names and leaves out."""

from collections.abc import Collection
from typing import Literal

from msgspec import Struct

from snapdiff.model.packages import LikeStacks
from snapdiff.reports.moves.move import Move
from snapdiff.reports.moves.places import NOWHERE, Placed
from snapdiff.reports.moves.statuses import Status, Versions
from snapdiff.reports.names import SideName
from snapdiff.reports.outline.class_counts import ClassCount, Numbers
from snapdiff.reports.outline.counts import CountTable
from snapdiff.reports.outline.lines import PackageLine, SpecLines
from snapdiff.reports.outline.lost_builds import LostPart, LostTogether
from snapdiff.reports.outline.opening import NewRoots, ToldNames, told_names
from snapdiff.reports.outline.reasons import CountedCause
from snapdiff.reports.outline.tag_block import TagBlock
from snapdiff.reports.outline.whole_stacks import StackNews
from snapdiff.result.causes import Trait, TraitCount
from snapdiff.result.changes import HashConflict, PackageCount, SkippedPage, TagDiff
from snapdiff.result.packages import Kind

_MOST_WITHOUT_TABLE = 20
"""How many lines say where things happened without a table of counts."""

_LOSSES = (Status.GONE, Status.LOST, Status.DOWNGRADED)
"""The classes of what somebody will miss."""

_FEW_LOST = 2
"""How many things of which no build is left the first sentence names."""

_MOST_IN_SENTENCE = 6
"""How many packages the first sentence names: more are named in a list below it."""


class Outline(Struct, frozen=True, kw_only=True):
    """All that a report for people says; with `several_changed` tags a line has to name its own.

    `noun` is what a stack is called. `about` is what is counted first: products where it is known
    what somebody asked for, in `packages`; the others are in `dependencies`. `stacks` is the number
    of stacks in which something changed, `is_one_stack` says that there is but one. `only_place`
    has the name of the only tag that changed, with that of its only stack (both names, where two
    tags are compared); it is empty where the names of the sides say so.
    `without_causes` says that no document lists dependencies. `only_line` is there where it says
    all there is to say of packages, but for the few `followers` that only have another hash,
    because of that. `is_because` says that only builds with some reasons were looked at, `is_all`
    that all that happened was. `specs` are those that changed in a kind that is asked for where no
    package did: with `-k removed` one that an upgraded package lost. `in_all` is how many products,
    or packages, the only tag that changed has, changed or not, where it is known. `has_all_stacks`
    says that none was left out. `one_sided` are tags, and `whole_stacks` stacks of other tags, that
    are on one side alone, by kind, of stacks where it is reported. `renames` are stacks that may be
    one, each with the option that compares them so.
    """

    sides: tuple[SideName, SideName]
    noun: str
    about: Literal["product", "package"]
    packages: Numbers
    dependencies: Numbers
    stacks: int
    without_causes: bool
    is_one_stack: bool
    only_place: tuple[str, ...]
    only_line: PackageLine | None
    followers: tuple[str, ...]
    is_because: bool
    is_all: bool
    specs: SpecLines
    one_sided: dict[Kind, tuple[TagDiff, ...]]
    whole_stacks: dict[Kind, tuple[StackNews, ...]]
    hash_conflicts: tuple[HashConflict, ...]
    renames: tuple[tuple[LikeStacks, str], ...]
    counted: CountTable
    tags: tuple[TagBlock, ...]
    several_changed: bool
    has_all_stacks: bool
    in_all: PackageCount | None
    skipped: tuple[SkippedPage, ...]

    @property
    def number_in_all(self) -> int:
        """How many products, or packages, the tag has, had if it `counts_before`; 0 if unknown."""
        if self.in_all is None:
            return 0
        return self.in_all.old if self.counts_before else self.in_all.new + len(self.in_all.removed)

    @property
    def counts_before(self) -> bool:
        """Whether what lost something is told of the products before, as it is all of these."""
        return bool(self.losses) and not self.promoted

    @property
    def promoted(self) -> list[str]:
        """What is a product now and was a dependency alone before."""
        if self.in_all is None or self.about == "package":
            return []
        [tag] = self.tags
        return [it for it in self.in_all.added if it not in tag.tag.packages.added]

    @property
    def is_all_of_them(self) -> bool:
        """Whether the same happened to all of these."""
        told = self.packages.told
        return len(told) == 1 and told[0].whole_number == self.number_in_all > 2

    @property
    def also_came(self) -> dict[str, Versions]:
        """The versions that came in the only stack to few packages that lost builds."""
        told = self.packages.told if self.is_one_stack and self.only_line is None else ()
        return {name: versions for it in told for name, versions in it.also_came}

    def is_new_to(self, part: LostPart) -> bool:
        """Whether the only other version that packages have came to each of them."""
        return all(self.also_came.get(it) == (part.only_other,) for it in part.packages)

    @property
    def title_place(self) -> tuple[str, ...]:
        """The only place, where the title can say it: a title is about tags of one side, too."""
        return () if any(self.one_sided.values()) else self.only_place

    @property
    def names_gone(self) -> tuple[str, ...]:
        """The package of which the sentence says first that all of it is gone, if it is one."""
        gone = (it for it in self.packages.told if it.status is Status.GONE and not it.in_some)
        names = next((it.as_names for it in gone), ())
        return names if len(names) == 1 else ()

    @property
    def title_says_all(self) -> bool:
        """Whether a title with the number of each class leaves nothing to a sentence below it."""
        return self.only_line is None and not (self.tells_stacks or self.only_cause)

    @property
    def tells_stacks(self) -> bool:
        """Whether the sentence says in how many stacks that is: it has no number of them yet.

        Behind the last of several classes it would be said of that one alone.
        """
        told = self.packages.told
        if len(told) > 1:
            is_said_in_front = self.in_all is not None and self._is_in_all_stacks
            return is_said_in_front and not any(self.whole_stacks.values())
        is_placed = any(it.place is not None or it.in_some == it.number for it in told)
        return self.stacks > 1 and not (is_placed or self._is_else_elsewhere)

    @property
    def _is_in_all_stacks(self) -> bool:
        [tag] = self.tags if len(self.tags) == 1 else [None]
        return tag is not None and 1 < self.stacks == len(tag.tag.stacks)

    @property
    def _is_else_elsewhere(self) -> bool:
        """Whether a package is up in one stack and down in another, or the like."""
        found: dict[str, set[Status]] = {}
        parts = (part for tag in self.tags for part in tag.parts if part.about != "dependencies")
        for line in (line for part in parts for line in part.lines):
            for name in line.packages:
                some = {it.status for it in line.moves_of(name) if not it.status.is_quiet}
                ups = {Status.MAJOR: Status.UPGRADED}
                found.setdefault(name, set()).update(ups.get(it, it) for it in some)
        return any(len(some) > 1 for some in found.values())

    @property
    def is_everywhere(self) -> bool:
        """Whether that is all stacks of the only tag that changed."""
        return self.tells_stacks and self._is_in_all_stacks

    def by_fate(self, with_changed: bool) -> list[tuple[str, list[tuple[str, int, str]]]]:
        """Return how many stacks are removed and added, or the name of the only, and how many tags.

        `with_changed` stacks, if there are others; of those added the ones that are so for sure.
        """
        tags = [(kind.value, len(some), "") for kind, some in self.one_sided.items()]
        stacks = []
        for kind in (Kind.REMOVED, Kind.ADDED):
            sure = (news for news in self.whole_stacks[kind] if not news.may_be_old)
            names = [name for news in sure for name in news.stacks]
            is_named = len(names) == 1 and not self.several_changed
            stacks.append((kind.value, len(names), names[0] if is_named else ""))
        if with_changed and any(number for _, number, _ in stacks):
            every = (it for block in self.tags for it in block.tag.stacks)
            stacks.append(("changed", sum(it.status == "changed" for it in every), ""))
        rows = ((self.noun, stacks), ("tag", tags))
        return [(noun, [it for it in numbers if it[1]]) for noun, numbers in rows]

    @property
    def only_cause(self) -> CountedCause | None:
        """Why hashes differ, if there is one cause, and products have another hash at most."""
        reasons = [tag.reasons for tag in self.tags if tag.reasons and tag.reasons.is_one]
        classes = {it.status for it in self.packages.by_class}
        is_all = classes == {Status.REBUILT} and len(self.tags) == 1
        return reasons[0].causes[0] if reasons and is_all else None

    @property
    def demoted(self) -> list[str]:
        """The products that are only dependencies now and still there, in most stacks first."""
        if self.in_all is None or self.about == "package":
            return []
        [tag] = self.tags
        left = set(self.in_all.removed).difference(tag.tag.packages.removed)
        known = [it for names, _ in tag.opening.roots_no_more for it in names if it in left]
        return [*known, *sorted(left.difference(known))]

    @property
    def demoted_told(self) -> list[str]:
        """The same where the sentence counts them and a list below names them."""
        return self.demoted if self.names_below and len(self.demoted) > 1 else []

    @property
    def demoted_at(self) -> Placed[str]:
        """Where products are only dependencies now, if a list names these, and where left."""
        if not self.demoted_told:
            return ()
        placed = tuple(it for tag in self.tags for it in tag.opening.roots_no_more)
        left = set(self.demoted_told).difference(name for names, _ in placed for name in names)
        return (*placed, *([(tuple(sorted(left)), NOWHERE)] if left else []))

    @property
    def downgraded_for(self) -> NewRoots | None:
        """The new roots that need all products that are downgraded, if these came together."""
        roots = (it for tag in self.tags for it in self.names_told(tag).roots if it.downgraded)
        return next(roots, None)

    @property
    def fallen_apart(self) -> ClassCount | None:
        """The downgraded, where a sentence of their own says which new roots need them."""
        roots = self.downgraded_for
        told = [it for it in self.packages.told if it.status is Status.DOWNGRADED and it.place]
        return told[0] if roots and roots.are_new and told and len(self.packages.told) > 1 else None

    @property
    def losses(self) -> tuple[ClassCount, ...]:
        """The classes of what was lost, if a paragraph of their own says more of them."""
        told = self.news_and_losses
        lost = tuple(it for it in told if it.status in _LOSSES)
        says_more = (
            any(len(it.lost_with) > 1 for it in lost) or self.few_no_longer or self.fallen_apart
        )
        return lost if says_more and len(lost) < len(told) else ()

    @property
    def news(self) -> tuple[ClassCount, ...]:
        """The classes that the sentence has: all others, but one told as the reason of losses."""
        lost = (it for count in self.losses for it, _ in count.lost_with)
        reasons = {(it.trait.name,) for it in lost if self.dropped(it)}
        others = (it for it in self.news_and_losses if it not in self.losses)
        return tuple(it for it in others if it.as_names not in reasons)

    @property
    def news_and_losses(self) -> tuple[ClassCount, ...]:
        """The classes that are told, without those that a sentence of their own has."""
        return tuple(it for it in self.packages.told if it is not self.fallen_apart)

    @property
    def tells_whose_builds(self) -> bool:
        """Whether all that lost builds have none with something any more, as their class says."""
        if not (self.losses and self.losses[-1].loses_builds and not self.losses[-1].as_names):
            return False
        names = {name for it in self.few_no_longer for name in it.products if it.is_short}
        return bool(names) and names == {name for name, _ in self.losses[-1].few}

    @property
    def tells_demoted(self) -> bool:
        """Whether these are told behind the sentence: where no number in it has them all."""
        told = (it for it in self.packages.told if it.status is Status.ROOTS)
        counted = sum(it.number for it in told if it.what == ("no longer",))
        return bool(self.packages.number) and len(self.demoted) > counted

    @property
    def few_no_longer(self) -> list[LostTogether]:
        """The few things that products have no build with any more, if nothing else tells them."""
        told = {trait: names for it in self.packages.told for trait, names in it.lost_with}
        none_left = {it.trait for it, names in told.items() if self.has_none_left(it, names)}
        names = {it.name for it in none_left if it.name}
        every = (it for tag in self.tags for it in tag.opening.lost_together if it.products)
        some = [it for it in every if it.trait.version or it.trait.trait.name not in names]
        are_told = any(len(told.get(it.trait, ())) == len(it.products) for it in some)
        is_short = len(some) <= _FEW_LOST and not are_told
        return some if is_short and not self.several_changed else []

    def dropped(self, lost: TraitCount) -> Move | None:
        """Return how what others used, and lost their builds with, went to another version.

        It lost all its own builds then with what they have beside it, such as a compiler.
        """
        name = lost.trait.name
        few = (it for count in self.packages.told for it in count.few)
        every = (it for package, moves in few if package == name for it in moves)
        alike = (it for it in every if it.dropped and it.dropped.trait == lost.also)
        return next((it for it in alike if it.came), None)

    def has_none_left(self, lost: TraitCount, packages: Collection[str]) -> bool:
        """Return whether no build of some packages of the only stack has a dependency any more."""
        every = (
            change for tag in self.tags for some in tag.by_stack.values() for change, _ in some
        )
        left = {
            change.package
            for change in every
            for it in change.no_longer_with or ()
            if it.trait == Trait("dependency", lost.trait.name, None) and not it.version
        }
        return self.is_one_stack and left.issuperset(packages)

    def lost_together(self, tag: TagBlock) -> list[LostTogether]:
        """Return what a tag has no build with any more, beside what a sentence says.

        A long list of what is lost has that, too. Of dependencies alone their lines tell it.
        """
        every = tag.opening.lost_together
        said = () if self.names_below else self.few_no_longer
        left = [it.beside_sentence if it in said else it for it in every]
        return [it for it in left if it.parts] if any(it.of_products for it in left) else []

    @property
    def names_below(self) -> tuple[ClassCount, ...]:
        """The classes of which the sentence has no names, as there would be too many in it."""
        some = [it for it in self.packages.told if it.few or it.few_in_some]
        names = sum(len(it.few) + len(it.few_in_some) * bool(it.in_more) for it in some)
        # Of several tags a list would have to say of each in which it is.
        return tuple(some) if names > _MOST_IN_SENTENCE and not self.several_changed else ()

    @property
    def tells_tools_last(self) -> bool:
        """Whether the toolchain stands behind all counts: it would part them elsewhere."""
        return bool(self.names_below or self.packages.behind)

    def has_reasons_above(self, tag: TagBlock) -> bool:
        """Whether what many packages of a tag share is told above their lines, as these are many.

        Elsewhere the toolchain stands below, and why hashes differ where its first line does.
        """
        is_by_stack = any(it.stack is not None for it in tag.parts)
        return bool(self.names_below) or tag.lists_all or is_by_stack

    def names_told(self, tag: TagBlock) -> ToldNames:
        """Return what is named below the sentence, and what new roots brought to a tag."""
        return told_names(self.names_below, tag.opening.new_roots)

    @property
    def says_all(self) -> bool:
        """Whether there are so few lines, and nothing is only counted, that they are a table."""
        groups = [it for tag in self.tags for part in tag.parts for it in part.groups]
        is_counted = any(it.left_out or (it.names and not it.named_at) for it in groups)
        is_counted = is_counted or any(tag.only_rebuilt for tag in self.tags)
        return not is_counted and sum(group.size for group in groups) <= _MOST_WITHOUT_TABLE
