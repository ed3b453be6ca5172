"""The words for the versions and builds of a package."""

import pytest

from snapdiff.reports.builds import VersionMove
from snapdiff.result import VersionCount


@pytest.mark.parametrize(
    ("counts", "words"),
    [
        (((2, 1),), "1.0 (2 → 1 builds)"),
        (((1, 1),), "1.0 (1 build)"),
        (((2, 2),), "1.0 (2 builds)"),
        (((0, 1),), "1.0 (1 build, new)"),
        (((4, 3), (0, 1)), "1.1 (1 build, new), 1.0 (4 → 3)"),
    ],
)
def test_one_build_is_no_builds(counts: tuple[tuple[int, int], ...], words: str) -> None:
    told = tuple(VersionCount(f"1.{at}", *both) for at, both in enumerate(counts))
    assert VersionMove((), (), counts=told).in_words(str) == words
