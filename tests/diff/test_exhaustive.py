"""Every small case (specification, section 6), against the oracle: nothing is left to chance here.

A side holds up to three specs, each of one of two versions, two compilers and two targets: 165
sides, hence 27,225 cases less the one without a spec. Each is a stack of its own in one catalog,
so that the whole product is run: pages, folders, the command and its report.
"""

import base64
import itertools
import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.support import oracle
from tests.support.helpers import pages_of, readings_of, run_cli, spec, write_files
from tests.support.nightly import nightly_but
from tests.support.oracle import Record

pytestmark = pytest.mark.slow

COMPILERS = ("gcc@12.3.0", "llvm@15.0.0")


class World(NamedTuple):
    """The versions and the targets of a run through all cases."""

    versions: tuple[str, ...]
    targets: tuple[str, ...]


WORLDS = {
    "targets of one family": World(("1.2", "1.10"), ("x86_64_v3", "zen4")),
    "targets of two families": World(("1.2", "1.2.1rc1"), ("x86_64_v3", "neoverse_v2")),
}

SMALL = World(("1.2", "1.10"), ("x86_64_v3",))

Side = tuple[tuple[str, str, str], ...]
"""Specs by version, compiler and target."""


class Case(NamedTuple):
    """What a stack holds on both sides."""

    stack: str
    old: list[Record]
    new: list[Record]


def sides(world: World, most: int) -> list[Side]:
    """Every multiset of up to so many specs."""
    kinds = list(itertools.product(world.versions, COMPILERS, world.targets))
    return [
        side
        for size in range(most + 1)
        for side in itertools.combinations_with_replacement(kinds, size)
    ]


def scattered_names() -> Iterator[str]:
    """Names of hashes without end, which do not come in the order of the alphabet."""
    for number in itertools.count(1):
        scattered = number * 2654435761 % 2**40
        yield base64.b32encode(scattered.to_bytes(5, "big")).decode("ascii").lower()


def records(side: Side, package: str, stack: str, names: Iterator[str]) -> list[Record]:
    return [
        spec(
            next(names),
            version,
            package=package,
            compiler=compiler,
            target=target,
            stacks=f"{stack} root",
        )
        for version, compiler, target in side
    ]


def every_case(world: World) -> Iterator[Case]:
    """Every pair of sides of up to three specs; no hash is on both."""
    names = scattered_names()
    all_sides = sides(world, most=3)
    for i, old in enumerate(all_sides):
        for j, new in enumerate(all_sides):
            place = f"package-{i}", f"stack-{i}-{j}"
            yield Case(place[1], records(old, *place, names), records(new, *place, names))


def every_case_with_a_shared_hash(world: World) -> Iterator[Case]:
    """Every pair of sides of one or two specs, of which one pair has the same hash."""
    names = scattered_names()
    all_sides = sides(world, most=2)[1:]
    for (i, old), (j, new) in itertools.product(enumerate(all_sides), repeat=2):
        for ours, theirs in itertools.product(range(len(old)), range(len(new))):
            place = f"package-{i}", f"stack-{i}-{j}-{ours}-{theirs}"
            before, after = records(old, *place, names), records(new, *place, names)
            after[theirs]["hash"] = before[ours]["hash"]
            yield Case(place[1], before, after)


def assert_agreement(folder: Path, cases: Iterable[Case]) -> int:
    """Compare what the product reports with what the oracle reads; return how many cases."""
    cases = [case for case in cases if case.old or case.new]
    for side in ("old", "new"):
        pages = pages_of(record for case in cases for record in getattr(case, side))
        write_files(folder / side, pages)
    result = run_cli("old", "new", "-C", folder, "-f", "json")
    warnings = result.err.splitlines()  # of a shared hash, where it has another version
    assert result.status == 0
    assert all(line.startswith("snapdiff: warning: the hash ") for line in warnings), warnings
    report = json.loads(result.out)
    told = {stack: reading for (_, stack), reading in readings_of(report).items()}
    assert len(told) == len(cases)
    for case in cases:
        expected = oracle.read_stack(case.old, case.new)
        assert told[case.stack] == expected, case
    return len(cases)


@pytest.mark.nightly
@pytest.mark.parametrize("world", WORLDS.values(), ids=WORLDS)
def test_every_case_of_up_to_three_specs_a_side_agrees_with_the_oracle(
    world: World, tmp_path: Path
) -> None:
    assert assert_agreement(tmp_path, every_case(world)) == 165 * 165 - 1


@pytest.mark.parametrize(
    "world",
    nightly_but(
        {name: (world,) for name, world in {**WORLDS, "one target": SMALL}.items()}, ["one target"]
    ),
)
def test_every_case_of_up_to_two_specs_a_side_with_a_shared_hash_agrees_with_the_oracle(
    world: World, tmp_path: Path
) -> None:
    kinds = 4 * len(world.targets)
    cases = (kinds + kinds * (kinds + 1)) ** 2  # of one spec, and of each of two
    assert assert_agreement(tmp_path, every_case_with_a_shared_hash(world)) == cases
