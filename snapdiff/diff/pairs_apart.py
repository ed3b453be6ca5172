"""Which pairs are two builds to people: one is gone, one is new (specification, section 9)."""

from collections import Counter
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from itertools import chain

from msgspec import Struct

from snapdiff.diff.compilers import MOST_NODES
from snapdiff.diff.dependencies import Sides
from snapdiff.diff.pairing import Pairing
from snapdiff.model.packages import PackagePair
from snapdiff.model.specs import Build
from snapdiff.spack import is_other_compiler, package_of_compiler


class _Swapped(Struct, frozen=True):
    """The pairs of a stack, as hashes, of which the specs have another tool: a compiler or an MPI.

    `look` is what a build is with any such tool, `tool` the name of the one that it has, if it is
    one, of a build of the old side (0) or of the new one (1) with its hash.
    """

    pairs: Sequence[tuple[str, str]]
    look: Callable[[Build], Hashable]
    tool: Callable[[int, str, Build], str]


class Apart(Struct, frozen=True):
    """The specs of a stack that are in a pair of two builds, by hash.

    Of those that agree in their own fields and in their MPI, `followed` has the new one of each old
    one: it is not gone, but rebuilt.
    """

    hashes: frozenset[str]
    followed: Mapping[str, str]

    def of_side(self, hashes: Iterable[str]) -> tuple[frozenset[str], frozenset[str]]:
        """Return those of some specs of one side, and those that are neither gone nor new."""
        own = self.hashes.intersection(hashes)
        return own, own.intersection((*self.followed, *self.followed.values()))


def pairs_apart(
    pair: PackagePair, pairings: Mapping[str, Pairing], sides: Sides | None
) -> dict[str, Apart]:
    """Return by stack which paired specs are two builds: one gone, one new.

    Their compilers have other names, or they agree in all their own fields and are above MPIs of
    other names. And a build that has all else of one of the two is in no such pair: on both sides,
    or on its side with another compiler, or MPI; or such pairs are crosswise. So the package is
    built with several of these, and no build of one took the place of another's.
    """
    found = {
        stack: [it for it in _swapped(pair, pairing, sides) if it.pairs]
        for stack, pairing in pairings.items()
    }
    kept = list(pair.kept()) if any(found.values()) else []
    apart = {}
    for stack, some in found.items():
        pairs = list(chain.from_iterable(it.pairs for it in some))
        followed = _followed(pair, {*chain.from_iterable(pairs)}, sides) if sides else {}
        several = {*followed, *followed.values()}.union(
            *(_one_of_several(stack, it, pair, kept) for it in some)
        )
        hashes = (it for both in pairs if not several.isdisjoint(both) for it in both)
        apart[stack] = Apart(frozenset(hashes), followed)
    return apart


def _followed(pair: PackagePair, hashes: Collection[str], sides: Sides) -> dict[str, str]:
    """Return the new spec that agrees with an old one in its own fields and in its MPI.

    Section 6 paired both with others: crosswise, as the package is built with several MPIs.
    """
    both: list[dict[Hashable, list[str]]] = [{}, {}]
    for specs, side, like in zip((pair.old, pair.new), sides, both, strict=True):
        for key in sorted(specs.keys() & hashes):
            like.setdefault((_look(specs[key]), side.mpi(key)), []).append(key)
    old, new = both
    return {a: b for it in old if it in new for a, b in zip(old[it], new[it], strict=False)}


def _swapped(pair: PackagePair, pairing: Pairing, sides: Sides | None) -> Iterator[_Swapped]:
    old, new = pair.old, pair.new
    yield _Swapped(
        [it for it in pairing.pairs if _has_other_compiler(old[it[0]], new[it[1]])],
        _with_any_compiler,
        lambda _, __, build: package_of_compiler(build.compiler),
    )
    if sides and max(len(side.graph.hashes) for side in sides) <= MOST_NODES:
        like = [it for it in pairing.pairs if _look(old[it[0]]) == _look(new[it[1]])]
        if not pair.common:  # then nothing is on both sides, and of most builds there is no other
            looks = [Counter(map(_look, side.values())) for side in (old, new)]
            like = [it for it in like if any(some[_look(old[it[0]])] > 1 for some in looks)]
        yield _Swapped(
            [it for it in like if _has_other_mpi(it, sides)],
            _look,
            lambda side, spec_hash, _: sides[side].mpi(spec_hash),
        )


def _one_of_several(
    stack: str, swapped: _Swapped, pair: PackagePair, kept: Iterable[tuple[str, Build]]
) -> list[str]:
    """Return the specs in pairs beside which another build says that there are several tools."""
    there = ((key, build) for key, build in kept if stack in build.stacks)
    on_both = {swapped.look(build) for key, build in there if swapped.tool(1, key, build)}
    several: list[str] = []
    for number, side in enumerate((pair.old, pair.new)):
        moved = {hashes[number] for hashes in swapped.pairs}
        beside: dict[Hashable, set[str]] = {}
        for key, build in side.items():
            if stack in build.stacks and key not in moved:
                tools = beside.setdefault(swapped.look(build), set())
                tools.add(swapped.tool(number, key, build))
        several += [
            key
            for key, build in ((it, side[it]) for it in moved)
            if swapped.look(build) in on_both
            or beside.get(swapped.look(build), set()) - {swapped.tool(number, key, build), ""}
        ]
    return several


def _look(build: Build) -> Hashable:
    return build.version, build.explicit, build.configuration


def _with_any_compiler(build: Build) -> Hashable:
    return build.version, build.explicit, build.configuration._replace(compiler="")


def _has_other_compiler(old: Build, new: Build) -> bool:
    if old.compiler == new.compiler:  # as mostly
        return False
    is_same = (old.version, old.explicit) == (new.version, new.explicit)
    return is_same and is_other_compiler(old.compiler, new.compiler)


def _has_other_mpi(hashes: tuple[str, str], sides: Sides) -> bool:
    old, new = (side.mpi(spec_hash) for side, spec_hash in zip(sides, hashes, strict=True))
    return bool(old and new) and old != new
