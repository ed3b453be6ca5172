"""What is said of a package in a stack, where versions of several series or parts move at once."""

from typing import Any

import pytest
from msgspec.structs import replace

from snapdiff.reports.moves.of_stacks import moves_in, stack_moves
from snapdiff.reports.moves.statuses import Status
from snapdiff.reports.outline.counts import count_table
from snapdiff.result.changes import CatalogDiff
from snapdiff.result.packages import AskedFor, ChangeCounts, Count, Kind, PackageChange
from tests.reports.test_news import diff_of
from tests.support.helpers import spec

PRODUCT = AskedFor(old=True, new=True)
DEPENDENCY = AskedFor(old=False, new=False)


def change_of(kind: Kind, gone: str, came: str, **known: Any) -> PackageChange:
    given: dict[str, Any] = {"kept": (), "asked_for": DEPENDENCY} | known
    counts = ChangeCounts(**{kind.value: 1})
    return PackageChange(
        package="python",
        kind=kind,
        whole=False,
        gone=(gone,),
        came=(came,),
        specs=counts,
        builds=Count(1, 1),
        **given,
    )


def diff_with(*changes: PackageChange) -> CatalogDiff:
    """A diff with one tag and one stack, in which these happened."""
    diff = diff_of([spec("b", stacks="hep")], [spec("c", stacks="hep")])
    [tag] = diff.tags
    stack = replace(tag.stacks[0], package_changes=changes, changes=())
    return replace(diff, tags=(replace(tag, stacks=(stack,)),))


@pytest.mark.parametrize(
    ("gone", "came", "needed_by"),
    [
        ("3.11.6", "3.8.18", ("tool",)),
        ("3.8.18", "3.8.17", ("tool",)),
        ("3.8.17", "3.8.18", ()),  # which is older than 3.12.1, and no step down
    ],
)
def test_new_roots_need_an_older_version_where_one_came_down(
    gone: str, came: str, needed_by: tuple[str, ...]
) -> None:
    change = change_of(Kind.UPGRADED, gone, came, kept=("3.12.1",), needed_by=("tool",))
    [tag] = diff_with(change).tags
    [[move]] = moves_in(tag, tag.stacks).values()
    assert move.needed_by == needed_by


@pytest.mark.parametrize("order", [1, -1])
def test_a_package_is_counted_by_the_worst_of_its_parts(order: int) -> None:
    product = change_of(Kind.DOWNGRADED, "3.11.6", "3.10.1", asked_for=PRODUCT)
    dependency = change_of(Kind.UPGRADED, "3.8.17", "3.8.18")
    [tag] = diff_with(*(product, dependency)[::order]).tags
    [stack] = tag.stacks
    moves = {"hep": stack_moves(tag, stack)}
    counted = count_table(diff_with(product), {("develop",): moves})
    assert counted.by_class == {Status.DOWNGRADED: 1}


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        (["1.0 +gui +mpi"], ["1.1 ~gui +mpi +new"], " `1.0` → `1.1` (now `~gui`)"),
        (["1.1 +gui"], ["1.0 ~gui"], " `1.1` → `1.0` (now `~gui`)"),
        (["1.0 ~a +b"], ["1.1 +a ~b"], " `1.0` → `1.1` (now `~b` `+a`)"),
        # Said of all builds, or not at all: nor where another version stays.
        (["1.0 +gui n=1", "1.0 +gui n=2"], ["1.1 ~gui n=1", "1.1 +gui n=2"], " `1.0` → `1.1`"),
        (["1.0 +gui", "2.0 +gui"], ["1.1 ~gui", "2.0 +gui"], " `1.0` → `1.1`, still has `2.0`"),
        (["1.0"], ["1.1 +gui"], " `1.0` → `1.1`"),
        (
            ["1.0 +a n=1"],
            ["1.1 ~a n=1", "1.1 +a n=2"],
            " `1.0` → `1.1`, 1 of 2 builds new (with `~a`)",
        ),
        (
            ["1.0 +a n=1", "1.0 ~a n=2"],
            ["1.1 ~a n=1"],
            " `1.0` → `1.1`, 1 of 2 builds gone (no longer with `n=2`)",
        ),
    ],
)
def test_an_upgrade_says_which_variants_have_another_value(
    old: list[str], new: list[str], words: str
) -> None:
    sides = [
        [
            spec(f"{side}{'abc'[number]}", version, variants=variants)
            for number, text in enumerate(texts)
            for version, _, variants in [text.partition(" ")]
        ]
        for side, texts in (("o", old), ("n", new))
    ]
    [tag] = diff_of(*sides).tags
    [[move]] = moves_in(tag, tag.stacks).values()
    assert move.in_words(lambda text: f"`{text}`") == words


@pytest.mark.parametrize("changed", [{"os": "ubuntu22.04"}, {"os": "ubuntu24.04"}])
def test_a_version_whose_builds_are_as_before_is_not_named(changed: dict[str, str]) -> None:
    packages = ("zlib", *"abcdefghijk")
    same = spec("same", "2.0", package="zlib")
    old = [spec(f"o{name}", "1.0", package=name) for name in packages]
    new = [spec(f"n{name}", "1.0", package=name, **changed) for name in packages]
    [tag] = diff_of([same, *old], [same, *new]).tags
    [moved] = moves_in(tag, tag.stacks)["zlib", False]
    assert moved.status in (Status.REBUILT, Status.SHARED)
    assert moved.own == ("1.0",)
