"""The words for the versions and builds of a package."""

from pathlib import Path

import pytest

from snapdiff import diff_catalogs, load_catalog, render_report
from snapdiff.reports.cause_words import trait_in_words
from snapdiff.reports.moves.builds import VersionMove
from snapdiff.result.causes import Trait, TraitCount
from snapdiff.result.packages import VersionCount
from snapdiff.spack import versions_in_order
from tests.support.documents import Item, needs
from tests.support.environments import write_locks
from tests.support.helpers import run_cli


@pytest.mark.parametrize(
    ("counts", "has_step", "words"),
    [
        (((2, 1),), False, "1 of 2 builds of 1.0 gone"),
        (((1, 2), (3, 1)), False, "2 of 3 builds of 1.1 gone, 1 more build of 1.0"),
        (((1, 3), (2, 2)), False, "2 more builds of 1.0"),
        (((4, 3), (0, 1)), False, "1.1 added beside 1.0, 1 of 4 builds of 1.0 gone"),
        (((4, 3), (0, 1)), True, "1 of 4 builds 1.0 → 1.1"),
        (((12, 11), (0, 3)), True, "1.1 new (3 builds), 1 of 12 builds of 1.0 gone"),
        (((4, 3), (1, 0)), False, "1.1 gone, only 1.0 left, 1 of 4 builds of 1.0 gone"),
        (((4, 3), (1, 0), (0, 1)), False, "1.1 → 1.2, still has 1.0, 1 of 4 builds of 1.0 gone"),
    ],
)
def test_builds_of_a_version_that_stays_are_told_by_where_they_went_or_behind_the_others(
    counts: tuple[tuple[int, int], ...], has_step: bool, words: str
) -> None:
    told = tuple(VersionCount(f"1.{at}", *both) for at, both in enumerate(counts))
    gone = tuple(it.version for it in told if not it.new)
    came = tuple(it.version for it in told if not it.old)
    kept = tuple(it.version for it in told if it.old and it.new) if gone or came else ()
    went = (told[0], told[1]) if has_step else None
    assert VersionMove(gone, came, kept, told, went).in_words(str) == words


@pytest.mark.parametrize(
    ("old", "moved", "words"),
    [
        (4, {"mpich": 1}, "1 of 4 builds 1.0 → 1.1 (the one that uses mpich)"),
        (4, {"mpich": 3}, "3 of 4 builds 1.0 → 1.1 (those that use mpich)"),
        (4, {"mpich": 2, "mva": 1}, "3 of 4 builds 1.0 → 1.1 (2 with mpich, 1 with mva)"),
    ],
)
def test_which_builds_went_to_another_version(old: int, moved: dict[str, int], words: str) -> None:
    parts = tuple(TraitCount(Trait("dependency", it, None), of) for it, of in moved.items())
    number = sum(moved.values())
    went = (VersionCount("1.0", old, old - number), VersionCount("1.1", 0, number))
    assert VersionMove((), ("1.1",), ("1.0",), went, went, parts).in_words(str) == words


def test_the_hashes_of_patches_tell_nobody_anything() -> None:
    trait = Trait("variant", "patches", "patches=802970a,873745d")
    assert trait_in_words(trait, str) == "with certain patches"


def test_versions_that_are_equal_have_an_order_of_their_own() -> None:
    equal = [f"1.{'0' * zeros}2" for zeros in range(12)]
    assert versions_in_order(equal) == tuple(sorted(equal))


@pytest.mark.parametrize("older", [(1, 2), (2, 1), (0, 0)])
def test_builds_in_all_behind_a_version_are_those_of_that_version(
    tmp_path: Path, older: tuple[int, int]
) -> None:
    mvapich = Item("mvapich", "3.0")

    def side(*, is_old: bool) -> list[Item]:
        found = [mvapich, Item("user", explicit=True, needs=(needs(mvapich),))]
        for name, before, now in (("p", older[0], 2), ("q", older[1], 3)):
            for version, number in (("1.0", before), ("2.0", now)):
                found += [
                    Item(name, version, explicit=True, parameters={"dims": [str(at)]})
                    for at in range(number)
                ]
            found += [Item(name, "2.0", explicit=True, needs=(needs(mvapich),))] if is_old else []
        return found

    write_locks(tmp_path, side(is_old=True), side(is_old=False))
    sides = [load_catalog(f"{side}.lock", repository=tmp_path) for side in ("old", "new")]
    said = render_report(diff_catalogs(*sides), "text")
    assert "\np 2.0 (3 → 2), q 2.0 (4 → 3) lost the build with mvapich 3.0.\n" in said


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (
            [],
            "\nBuilds: 8 → 6, 4 as before, 1 with another hash, 3 gone, 1 new (a build ",
        ),
        (["-p", "p,q"], ""),
        (["-k", "!rebuilt"], ""),
        (["--explicit"], ""),
    ],
)
def test_how_many_builds_a_stack_has_is_told_where_all_that_happened_to_it_is(
    tmp_path: Path, options: list[str], words: str
) -> None:
    def side(version: str, values: str) -> list[Item]:
        tool = Item("cmake", version)
        user = Item("user", explicit=True, needs=(needs(tool),))
        both = [Item(name, explicit=True, parameters={"x": x}) for name in "pq" for x in values]
        return [tool, user, *both]

    sides = write_locks(tmp_path, side("1.0", "123"), side("1.1", "12"))
    text = run_cli(*sides, "-f", "text", *options).out
    assert " x=3" in text
    assert words in text
    assert ("Builds: " in text) is bool(words)
