"""Packages that got builds with the same new MPI or compiler: one line, or a table of several."""

import re
from collections import Counter
from pathlib import Path

import pytest

from snapdiff import diff_catalogs, load_catalog
from snapdiff.filters import wanted_kinds
from snapdiff.reports.package_lines import package_lines
from snapdiff.reports.products import in_parts
from snapdiff.reports.stack_moves import moves_in
from snapdiff.result.changes import Filters
from tests.support.documents import Item, needs
from tests.support.environments import write_locks
from tests.support.helpers import run_cli
from tests.support.real_catalogs import LOCKS, needs_real_catalogs

GCC, CCE = ("gcc", "12.2.0"), ("cce", "16.0.1")
MPI = {version: Item("mpich", version, explicit=True) for version in ("4.0", "4.1")}


def with_mpi(name: str, version: str, compiler: tuple[str, str] = GCC) -> Item:
    return Item(name, explicit=True, compiler=compiler, needs=(needs(MPI[version], "mpi"),))


def with_cce(name: str) -> Item:
    return Item(name, explicit=True, compiler=CCE)


NEW_BUILDS = {
    "of three packages": (
        "abc",
        [with_mpi(name, "4.1") for name in "abc"],
        ["+ new builds with mpich 4.1: a 1.0, b 1.0, c 1.0"],
    ),
    "of two, each has its own number": (
        "ab",
        [with_mpi(name, "4.1") for name in "ab"],
        ["+ 1 of 2 builds new each (built with mpich 4.1): a 1.0, b 1.0"],
    ),
    "with one of two new things, or both": (
        "abcd",
        [with_mpi(name, "4.1") for name in "abc"] + [with_cce(name) for name in "bcd"],
        [
            "New builds with   mpich 4.1   cce 16.0.1",
            "a 1.0             1",
            "b 1.0             1           1",
            "c 1.0             1           1",
            "d 1.0                         1",
        ],
    ),
    "and with something that no other has": (
        "abcd",
        [*(with_mpi(name, "4.1") for name in "abcd"), with_cce("d")],
        [
            "+ new builds with mpich 4.1: a 1.0, b 1.0, c 1.0",
            "+ d 1.0: 2 of 3 builds new (1 with cce 16.0.1, 1 with mpich 4.1)",
        ],
    ),
}


@pytest.mark.parametrize("name", NEW_BUILDS)
def test_builds_with_something_new_are_told_by_what_it_is(tmp_path: Path, name: str) -> None:
    packages, came, expected = NEW_BUILDS[name]
    old = [with_mpi(package, "4.0") for package in packages]
    left = Item("left", explicit=True)
    out = run_cli(
        *write_locks(tmp_path, [*MPI.values(), *old, left], [*MPI.values(), *old, *came]),
        "-f",
        "text",
    ).out
    lines = [line.removeprefix("  ") for line in out.splitlines()]
    told = re.compile(r"\+ .* new |\+ new builds|New builds|[a-d] 1\.0   ")
    assert [line for line in lines if told.match(line)] == expected


@needs_real_catalogs
@pytest.mark.parametrize("sides", [("060", "069"), ("062", "063"), ("066", "067")])
def test_lines_name_every_package_and_each_trait_of_its_new_builds(sides: tuple[str, str]) -> None:
    locks = (next((LOCKS / "derecho").glob(f"{side}-*.lock")) for side in sides)
    [tag] = diff_catalogs(*(load_catalog(str(lock)) for lock in locks)).tags
    stacks = [in_parts(stack, wanted_kinds(Filters())) for stack in tag.stacks]
    moves = moves_in(tag, stacks)
    lines = package_lines(moves)
    assert {(name, it.is_dependency) for it in lines for name in it.packages} == set(moves)
    told = Counter(
        (name, line.is_dependency, part.trait)
        for line in lines
        for name in line.packages
        for move in line.moves_of(name)
        if move.gained
        for part in move.gained.parts
    )
    assert told == Counter(
        (*key, part.trait)
        for key, some in moves.items()
        for move in some
        if move.gained
        for part in move.gained.parts
    )
