"""The words for the versions and builds of a package."""

import pytest

from snapdiff.reports.builds import VersionMove, trait_in_words
from snapdiff.result import Trait, VersionCount


@pytest.mark.parametrize(
    ("counts", "words"),
    [
        (((2, 1),), "1 of 2 builds of 1.0 gone"),
        (((1, 2), (3, 1)), "2 of 3 builds of 1.1 gone, 1 more build of 1.0"),
        (((1, 3), (2, 2)), "2 more builds of 1.0"),
        (((4, 3), (0, 1)), "1.1 added beside 1.0, 1 of 4 builds of 1.0 gone"),
        (((4, 3), (1, 0)), "1.1 gone, still has 1.0, 1 of 4 builds of 1.0 gone"),
        (((4, 3), (1, 0), (0, 1)), "1.1 → 1.2, still has 1.0, 1 of 4 builds of 1.0 gone"),
    ],
)
def test_builds_of_a_version_that_stays_are_told_behind_those_that_do_not(
    counts: tuple[tuple[int, int], ...], words: str
) -> None:
    told = tuple(VersionCount(f"1.{at}", *both) for at, both in enumerate(counts))
    gone = tuple(it.version for it in told if not it.new)
    came = tuple(it.version for it in told if not it.old)
    kept = tuple(it.version for it in told if it.old and it.new) if gone or came else ()
    assert VersionMove(gone, came, kept, told).in_words(str) == words


@pytest.mark.parametrize(
    ("counts", "words"),
    [
        (((4, 3), (0, 1)), "1 of 4 builds 1.0 → 1.1"),
        (((12, 11), (0, 3)), "1 of 12 builds 1.0 → 1.1, 2 more builds of 1.1"),
    ],
)
def test_builds_that_went_to_one_other_version_are_told_as_that(
    counts: tuple[tuple[int, int], tuple[int, int]], words: str
) -> None:
    old, new = (VersionCount(f"1.{at}", *both) for at, both in enumerate(counts))
    assert VersionMove((), ("1.1",), ("1.0",), (old, new), (old, new)).in_words(str) == words


def test_the_hashes_of_patches_tell_nobody_anything() -> None:
    trait = Trait("variant", "patches", "patches=802970a,873745d")
    assert trait_in_words(trait, str) == "with certain patches"
