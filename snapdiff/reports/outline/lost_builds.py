"""Which builds stacks lost or got, and which packages have none with something any more."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Literal, NamedTuple

from msgspec import UNSET, Struct
from msgspec.structs import replace

from snapdiff.reports.cause_words import dependency_in_words, traits_in_words
from snapdiff.reports.moves.of_stacks import Moves
from snapdiff.reports.moves.places import Place, Places
from snapdiff.reports.names import Mark, counted
from snapdiff.result.causes import Trait, TraitCount
from snapdiff.result.changes import StackDiff
from snapdiff.result.packages import Count, Kind
from snapdiff.spack import package_of_compiler

LEAST_TOGETHER = 3
"""How many packages make one reason worth a sentence: of fewer, their own lines say it."""

_FEW_MOVED = 3
"""How many packages are named of which builds have another version."""

_MOST_NAMED = 5
"""How many packages a sentence names of which no build has something any more."""


class BuildSet(Struct, frozen=True, kw_only=True):
    """Builds that are gone, or new, how many these are, and which traits many of them have.

    `only` has the package that all are of, if it is one, and then their version, if that is one.
    """

    word: Literal["gone", "new"]
    builds: int
    parts: tuple[TraitCount, ...]
    only: tuple[str, ...] = ()

    def in_words(self, noun: str, mark: Mark) -> str:
        """Return how many they are: `24 gone`; of which package, if no trait is told of them."""
        words = f"{counted(self.builds, noun) if noun else f'{self.builds:,}'} {self.word}"
        is_told = self.parts or not self.only
        return words if is_told else f"{words} ({' '.join(map(mark, self.only))})"

    def parts_in_words(self, mark: Mark) -> Iterator[str]:
        """Yield `15 gone with mvapich 3.0b: 1 build of it and 14 that use it` of each trait.

        Of those that no trait counts nothing is said, as they may have one that is elsewhere, too;
        and those that are told first may have what the others are told by.
        """
        for place, it in enumerate(self.parts):
            others = counted(it.specs, "other") if place else f"{it.specs:,}"
            number = f"{others} {self.word}"
            if 1 < it.specs == self.builds:
                number = f"{'both' if it.specs == 2 else f'all {others}'} {self.word}"
            words = traits_in_words(it, mark)
            if it.own == it.specs:
                words = f"of {dependency_in_words(it.trait, mark)} itself"
            elif it.own:
                above = it.specs - it.own
                users = f"{above:,} that {'uses' if above == 1 else 'use'} it"
                words += f": {counted(it.own, 'build')} of it and {users}"
            yield f"{number} {words}"


class StackBuilds(Struct, frozen=True, kw_only=True):
    """Which builds are gone from stacks, and which are new.

    `in_all` is how many builds these stacks have on each side, None where more changed than is
    reported, or some builds are equal to others; `moved` is how many have another version now, and
    `moved_of` how many of which packages, if these are few.
    """

    stacks: tuple[str, ...]
    place: Place
    in_all: Count | None
    moved: int
    moved_of: tuple[tuple[str, int], ...] = ()
    sets: tuple[BuildSet, ...]

    def in_words(self, mark: Mark) -> str:
        """Return `80 → 58 builds: 24 gone, 2 new (esmf 8.6.0)`, and how many another version."""
        if self.in_all:
            sets = [it.in_words("", mark) for it in self.sets]
            of = ", ".join(f"{number:,} of {mark(name)}" for name, number in self.moved_of)
            moved = f"{self.moved:,} with another version{f' ({of})' if of else ''}"
            sets += [moved] if self.moved else []
            return f"{self.in_all.old:,} → {counted(self.in_all.new, 'build')}: {', '.join(sets)}"
        return ", ".join(it.in_words("build", mark) for it in self.sets)

    def parts_in_words(self, mark: Mark) -> list[str]:
        """Return what parts of those gone, and of those new, have in common."""
        return [words for it in self.sets for words in it.parts_in_words(mark)]


class LostPart(NamedTuple):
    """Packages that have no build with something any more in the same stacks.

    `are_dependencies` says that nobody asked for them, `no_longer_roots` that somebody did, and
    nobody does any more.
    """

    packages: tuple[str, ...]
    place: Place
    are_dependencies: bool = False
    no_longer_roots: bool = False


class LostTogether(NamedTuple):
    """What packages have no build with any more, and which these are, by where."""

    trait: TraitCount
    parts: tuple[LostPart, ...]

    @property
    def of_products(self) -> list[LostPart]:
        """Its parts without dependencies."""
        return [part for part in self.parts if not part.are_dependencies]

    @property
    def products(self) -> list[str]:
        """The packages of these."""
        return [name for part in self.of_products for name in part.packages]

    @property
    def is_short(self) -> bool:
        """Whether a sentence has room for their names."""
        return len(self.products) <= _MOST_NAMED

    @property
    def beside_sentence(self) -> "LostTogether":
        """What is left to say where the first sentence names the products, if it has room."""
        left = (it for it in self.parts if it.are_dependencies or not self.is_short)
        return self._replace(parts=tuple(left))


def builds_of(
    stacks: Sequence[StackDiff], kinds: Collection[Kind], places: Places
) -> tuple[StackBuilds, ...]:
    """Return which builds are gone from stacks, and new, those of the same first traits together.

    They are in the `kinds` that are asked for. Nothing is said of a stack where the lines of its
    packages say it as well: where only whole packages are gone or new, or one, or half of the
    builds or more have no trait that is told.
    """
    both = [kind for kind in (Kind.REMOVED, Kind.ADDED) if kind in kinds]
    alike: dict[tuple[tuple[Kind, Trait | None], ...], list[StackDiff]] = {}
    for stack in stacks:
        if stack.status == "changed":
            alike.setdefault(tuple((it, _main_trait(stack, it)) for it in both), []).append(stack)
    every = ((dict(traits), some) for traits, some in alike.items())
    return tuple(_builds(some, traits, places) for traits, some in every if any(traits.values()))


def _main_trait(stack: StackDiff, kind: Kind) -> Trait | None:
    """Return what most builds have that are gone, or new, None where nothing is said of these."""
    some = [change for change in stack.package_changes if change.builds_alone(kind)]
    found = _build_set([stack], kind)
    is_counted = 2 * sum(part.specs for part in found.parts) > found.builds
    is_told = is_counted and len(some) > 1 and not all(it.whole for it in some)
    return found.parts[0].trait if is_told else None


def _builds(
    stacks: Sequence[StackDiff], traits: Mapping[Kind, Trait | None], places: Places
) -> StackBuilds:
    """Return what stacks lost and got together; `traits` say of which of both there is more."""
    every = {kind: _build_set(stacks, kind) for kind in traits}
    more = sum(it.builds if it.word == "new" else -it.builds for it in every.values())
    old, new = sum(it.specs.old for it in stacks), sum(it.specs.new for it in stacks)
    moved = Counter(
        change.package
        for stack in stacks
        for change in stack.changes
        if change.kind in (Kind.UPGRADED, Kind.DOWNGRADED)
    )
    return StackBuilds(
        stacks=tuple(stack.stack for stack in stacks),
        place=places.place(stack.stack for stack in stacks),
        in_all=Count(old, new) if old + more == new else None,
        moved=moved.total(),
        moved_of=tuple(sorted(moved.items())) if len(moved) <= _FEW_MOVED else (),
        sets=tuple(
            found if traits[kind] else replace(found, parts=())
            for kind, found in every.items()
            if found.builds
        ),
    )


def _build_set(stacks: Sequence[StackDiff], kind: Kind) -> BuildSet:
    """Return what stacks lost, or got, together; a trait is told that a tenth of the builds has."""
    is_loss = kind is Kind.REMOVED
    # One by one: with `-k removed` an upgraded package that lost a build is left out.
    changes = [it for stack in stacks for it in stack.changes if it.kind is kind]
    builds = sum(change.duplicate is UNSET for change in changes)
    packages = {it.package for it in changes}
    versions = {spec.version for it in changes for spec in it.specs}
    version = versions if len(versions) == 1 else ()
    numbers: Counter[TraitCount] = Counter()
    own: Counter[TraitCount] = Counter()
    for stack in stacks:
        for part in stack.lost_by if is_loss else stack.gained_by:
            alike = part.without_numbers()
            numbers[alike] += part.specs
            own[alike] += part.own or 0
    told = ((part, specs) for part, specs in numbers.items() if 10 * specs >= builds)
    return BuildSet(
        word="gone" if is_loss else "new",
        builds=builds,
        parts=tuple(replace(it, specs=specs, own=own[it] or UNSET) for it, specs in told),
        only=(*packages, *version) if len(packages) == 1 else (),
    )


def lost_together(
    stacks: Iterable[StackDiff], moves: Moves, told: AbstractSet[str], places: Places
) -> tuple[LostTogether, ...]:
    """Return what packages have no build with any more, in stacks of which nothing is `told`.

    That is a trait of builds that several products lost, or a compiler, MPI or BLAS that the stack
    still has.
    """
    left = list(_no_longer(stacks, moves, places))
    known = {(_tool(trait.trait), it.place, name) for trait, it in left for name in it.packages}
    found: dict[TraitCount, list[LostPart]] = {}
    for trait, part in _lost_by_several(moves, told, places):
        if not known.issuperset((_tool(trait.trait), part.place, it) for it in part.packages):
            found.setdefault(trait, []).append(part)
    for trait, part in left:
        found.setdefault(trait, []).append(part)
    return tuple(LostTogether(trait, tuple(parts)) for trait, parts in found.items())


def _lost_by_several(
    moves: Moves, told: AbstractSet[str], places: Places
) -> Iterator[tuple[TraitCount, LostPart]]:
    """Yield the products that lost builds of one trait in stacks of which nothing is `told`."""
    found: dict[tuple[TraitCount, tuple[str, ...]], dict[str, bool]] = {}
    for (name, is_dependency), some in moves.items():
        for move in some:
            if is_dependency or move.lost is None or not told.isdisjoint(move.stacks):
                continue
            for part in move.lost.parts:
                names = found.setdefault((part.without_numbers(), move.stacks), {})
                names[name] = move.asked_for is not None and not move.asked_for.new
    for (trait, where), names in found.items():
        # Where all that happened to them is that, they share a line.
        if len(names) >= LEAST_TOGETHER and any(len(moves[name, False]) > 1 for name in names):
            no_roots = all(names.values())
            place = places.place(where)
            yield trait, LostPart(tuple(sorted(names)), place, no_longer_roots=no_roots)


def _no_longer(
    stacks: Iterable[StackDiff], moves: Moves, places: Places
) -> Iterator[tuple[TraitCount, LostPart]]:
    """Yield the packages that have no build any more with a compiler, MPI or BLAS that is there."""
    left: dict[str, list[tuple[TraitCount, str]]] = {}
    for diff in stacks:
        for change in diff.package_changes:
            lost_here = ((it, diff.stack) for it in change.no_longer_with or ())
            left.setdefault(change.package, []).extend(lost_here)
    found: dict[TraitCount, dict[bool, dict[tuple[str, str], None]]] = {}
    for (name, _), of_name in moves.items():
        told = {  # by the line of the package
            (_tool(part.trait), part.specs, stack)
            for move in of_name
            for part in (move.lost.parts if move.lost and not move.versions.counts else ())
            for stack in move.stacks
        }
        for lost, stack in left.get(name, ()):
            if (_tool(lost.trait), lost.specs, stack) not in told:
                trait = replace(lost.without_numbers(), also=UNSET)
                is_dependency = (name, False) not in moves
                found.setdefault(trait, {False: {}, True: {}})[is_dependency][name, stack] = None
    for trait, both in found.items():
        for is_dependency, some in both.items():
            for names, place in places.by_place(some):
                yield trait, LostPart(names, place, is_dependency)


def _tool(trait: Trait) -> str:
    """Return the package that a trait is, or the compiler."""
    return trait.name or package_of_compiler(trait.value or "")
